#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The underlay of one host takes 9000 octets, that of the other 1500, whose device drops what is
# longer without a word. Once h1 knows that, the sender's port answers, and what gets no answer is
# counted. Agents tell each other by themselves: cluster/unequal-mtu.
#
#   red-a 10.0.0.1, fd00::1 ── h1 ═ 9000 ═══ 1500 ═ h2 ── red-c 10.0.0.3, fd00::3
#   Both containers believe in what 9000 leaves.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"
. "$LIB/lib_gateway.sh"

modprobe -a ip_gre ip6_gre 2>/dev/null || true
UNDERLAY_MTU=9000

now() { echo "$ENCAP over IPv$UNDERLAY: $*"; }
told() { sw h1 -j host show h2 | gojq -c '.[0].mtu'; }
words() { gojq -c '[.problems, .warnings | map("\(.what) \(.object)") | join(",")]'; }
checked() { { sw h1 -j switch check || true; } | words; }
traced() { # LENGTH
	sw h1 -j trace from a tenant red to c proto udp length "$1" |
		gojq -c '.[0] | [.verdict, .reason, .next.mtu]'
}
short() { UNDERLAY_MTU=1500 mtu_left $ENCAP $UNDERLAY; }
lost() { echo "red too_big from_endpoint"; }
counts() { # DESC HOST CMD...: a packet that is lost once, which HOST counts
	FAILS=any expect_drops "$(now "$1 is counted at $2")" "$2" 1 "$(lost)" "${@:3}"
}
once() { on "red-$1" ping -n -c 1 -W 1 "${@:2}"; }
cuts() { retry 5 once "$1" -M dont -s 3000 "$2"; }

topology() {
	topo_hosts h1 h2
	ip -n h2 link set eth0 mtu 1500
	switch_up
	tenants red 100
	containers red "a@h1 c@h2" mtu "$(mtu_left $ENCAP $UNDERLAY)"
	check "$(now "reachable")" reach red-a 10.0.0.3
	check "$(now "reachable, IPv6")" reach red-a fd00::3
	quiet h1 h2
}

# Three thousand octets, by each kind of packet and both ways.
answers() {
	local left

	left=$(short)
	counts "with DF" h1 learns 10.0.0.3 2972 "$left"
	counts "IPv6" h1 learns fd00::3 2952 "$left"
	check "$(now "full packets pass")" ping_df $((left - 28)) 10.0.0.3
	check "$(now "full packets pass, IPv6")" ping_df $((left - 48)) fd00::3
	forget_paths red-a
	counts "without DF" h1 once a -M dont -s 3000 10.0.0.3
	forget_paths red-a
	check "$(now "a sender without DF cuts then")" cuts a 10.0.0.3
	check "$(now "and over IPv6")" cuts a fd00::3
	forget_paths red-a
	check "$(now "TCP")" xfer red-a red-c tcp 10.0.0.3 bytes=1M
	check "$(now "TCP over IPv6")" xfer red-a red-c tcp fd00::3 bytes=1M
	forget_paths red-c
	counts "the other way" h2 once c -M 'do' -s 3000 10.0.0.1
	counts "the other way, IPv6," h2 once c -M 'do' -s 3000 fd00::1
	check "$(now "the other way without DF")" cuts c 10.0.0.1
	check "$(now "the other way, IPv6")" cuts c fd00::1
	counts "a broadcast" h1 once a -b -M dont -s 3000 10.0.0.255
	counts "a frame that is not IP" h1 inject red-a eth0 \
		eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 type=0x88b5 / pad 3000
}

tells() {
	local route="${VTEP[h2]} dev eth0"

	is "$(now "check warns")" "$(checked)" '["","host_mtu_unequal h2"]'
	check "$(now "which is no fault")" sw h1 switch check
	is "$(now "trace: too big")" "$(traced 3000)" '["answered","too_big",1500]'
	sw h1 save >$WORK/saved
	check "$(now "a file has it")" sw h1 diff $WORK/saved
	check "$(now "it is taken back")" sw h1 host set h2 mtu none
	is "$(now "nothing to tell of")" "$(told) $(checked)" 'null ["",""]'
	is "$(now "trace: it would go")" "$(traced 3000)" '["tunnel",null,9000]'
	check "$(now "by the file it comes again")" sw h1 apply $WORK/saved
	is "$(now "as it was")" "$(told)" 1500
	# shellcheck disable=SC2086 # words of a route
	ip -n h1 route add $route mtu 1400
	is "$(now "the route takes less")" "$(checked)" '["host_mtu h2",""]'
	check "$(now "repair takes that")" sw h1 switch repair
	is "$(now "the least counts")" "$(checked) $(traced 3000)" \
		'["",""] ["answered","too_big",1400]'
	# shellcheck disable=SC2086
	ip -n h1 route del $route
	check "$(now "and the other without the route")" sw h1 switch repair
	is "$(now "again 1500")" "$(traced 3000)" '["answered","too_big",1500]'
}

refused() {
	local bad

	UNCHANGED=told
	for bad in 575 65536 -1 1500x ''; do
		refuses "mtu \"$bad\"" 2 "\"$bad\"" sw h1 host set h2 mtu "$bad"
	done
	refuses "twice" 2 mtu sw h1 host set h2 mtu 1500 mtu 1400
	check "host replace takes all words" sw h1 host replace h2 ip "${VTEP[h2]}"
	is "and has no MTU without the word" "$(told)" null
	check "host del and add" eval "sw h1 tenant del red force on; sw h1 host del h2 &&
		sw h1 host add h2 ip ${VTEP[h2]} mtu 9000"
	is "have it" "$(told) $(checked)" '9000 ["",""]'
}

# What comes by h1's gateway, whose own devices take 9000.
gateway() {
	local host before

	uplink h1 world 1
	ip -n h1 link set up1 mtu 9000
	ip -n world link set eth0 mtu 9000
	for host in h1 h2; do
		sw $host gateway add red ip 10.0.0.254/24 ip fd00::fe/64 host h1
	done
	sw h1 publish add red proto tcp port 7000 to 10.0.0.3:7000
	sw h1 publish add red proto tcp port 7000 to '[fd00::3]:7000'
	way_out red-c 10.0.0.254 fd00::fe
	serve red-c 7000
	before=$(all_drops h1 | grep -c 'red too_big from_gateway' || true)
	pushes "$(now "by the gateway")" world 198.51.1.1 7000
	pushes "$(now "by the gateway, IPv6")" world fd51:1::1 7000
	is "$(now "its senders were told")" "$before $(all_drops h1 |
		grep -c 'red too_big from_gateway' || true)" "0 1"
	is "$(now "and so know it")" "$(on world ip route get 198.51.1.1 | grep -o 'mtu [0-9]*') $(
		on world ip route get fd51:1::1 | grep -o 'mtu [0-9]*')" \
		"mtu $(short) mtu $(short)"
}

for UNDERLAY in 4 6; do
	for ENCAP in vxlan gre geneve; do
		case $ENCAP$UNDERLAY in
		vxlan6) ;; # cluster/unequal-mtu is VXLAN over IPv4
		*) [ -z "${TSW_QUICK:-}" ] || continue ;;
		esac
		topology
		check "$(now "h1 is told")" sw h1 host set h2 mtu 1500
		is "$(now "host show")" "$(told)" 1500
		answers
		tells
		[ -n "${TSW_QUICK:-}" ] || [ $ENCAP$UNDERLAY != vxlan4 ] || gateway
		[ $ENCAP$UNDERLAY != vxlan6 ] || refused
		run_undo
	done
done
finish
