#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: tunnel/encaps has each encapsulation; packet_decap takes any of them
# `tenant set red encap` while red is at work: no datagram is lost, no octet changed.
#
#    red-a 10.0.0.1 ┐                                          ┌ red-c 10.0.0.3
#                   ├ h1 ::1 ═ VXLAN, GRE, Geneve, VXLAN ═ ::2 h2 ┤
#   blue-a 10.0.0.1 ┘                                          └ blue-c 10.0.0.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

# transfer FROM TO IP: one after the other until $WORK/enough is there; in the background, its pid
# is in $TCP.
transfer() {
	rm -f $WORK/enough $WORK/tcp
	until [ -e $WORK/enough ]; do
		xfer "$1" "$2" tcp "$3" bytes="${TSW_XFER:-500000000}" wait=60 || exit 1
	done >$WORK/tcp 2>&1 &
	TCP=$!
}

# change N HOST...: to each in turn, and round, on these, more than N times and until a transfer has
# ended; tells how often.
change() {
	local least=$1 host n=0 encap=vxlan

	shift
	until [ $n -gt "$least" ] && [ -s $WORK/tcp ]; do
		kill -0 $TCP 2>/dev/null || break
		case $encap in vxlan) encap=gre ;; gre) encap=geneve ;; *) encap=vxlan ;; esac
		for host in "$@"; do
			sw "$host" tenant set red encap $encap || return 1
			n=$((n + 1))
		done
	done
	touch $WORK/enough
	echo $n
}
transferred() { # DESC
	local status=0

	wait $TCP || status=$?
	note "$(<$WORK/tcp)"
	is "$1: TCP: what came is what was sent" $status 0
}

families="4 6"
[ -z "${TSW_QUICK:-}" ] || families=4 # of the underlay; tunnel/encaps has both
for UNDERLAY in $families; do
	topo_hosts h1 h2
	switch_up
	tenants
	containers "red blue" "a@h1 c@h2" mtu 1430
	check "IPv$UNDERLAY: red reaches red" reach red-a 10.0.0.3
	check "IPv$UNDERLAY: red reaches red, IPv6" reach red-a fd00::3
	capture blue-c blue-c eth0
	quiet h1 h2

	overran=$(overran)
	streams=()
	for way in "red-a red-c 10.0.0.3" "red-c red-a fd00::1"; do
		# shellcheck disable=SC2086
		"$PY" "$TOOLS/stream.py" $way rate="${TSW_RATE:-5000}" \
			>"$WORK/stream.${#streams[@]}" 2>&1 &
		streams+=($!)
		undo kill $!
	done
	check "IPv$UNDERLAY: streams run" retry 5 grep -q ready $WORK/stream.0 $WORK/stream.1
	transfer red-a red-c 10.0.0.3
	changes=$(change 20 h1 h2)
	check "IPv$UNDERLAY: encap is changed on both hosts, $changes times" test "$changes" -gt 20
	transferred "IPv$UNDERLAY: both hosts change"
	transfer red-c red-a fd00::1
	changes=$(change 10 h1)
	check "IPv$UNDERLAY: encap is changed on one host, $changes times" test "$changes" -gt 10
	transferred "IPv$UNDERLAY: one host changes"
	for n in 0 1; do
		status=0
		kill "${streams[n]}"
		wait "${streams[n]}" || status=$?
		note "$(tail -n 1 $WORK/stream.$n)"
		is "IPv$UNDERLAY: datagrams, way $n: each came once, as it was sent" $status 0
	done
	note "IPv$UNDERLAY: queues of the kernel had no place for $(($(overran) - overran)) frames"
	is "IPv$UNDERLAY: nothing was dropped" "$(all_drops h1; all_drops h2)" ""
	check "IPv$UNDERLAY: blue reaches blue" reach blue-a 10.0.0.3
	capture_has blue-c 1 icmp || note "no barrier"
	capture_stop blue-c
	is "IPv$UNDERLAY: blue saw nothing of it" "$(captured blue-c udp or tcp)" 0
	run_undo
done
finish
