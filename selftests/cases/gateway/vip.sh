#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An address that moves between endpoints, through the gateway: published ports, and connections to
# the world from it. What the fast way leased to the old endpoint goes to the new one at once.
#
#   world ── up1 ┐
#   red-a ───────┼─ h1 ═══ h2 ── red-c       vip: 10.0.0.100, fd00::100
#   red-b ───────┘
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_fast.sh"

V4=10.0.0.100 V6=fd00::100
declare -A MAC=([a]=02:00:00:00:00:01 [b]=02:00:00:00:00:02 [c]=02:00:00:00:00:03)
MOST=50 # of 500 datagrams a second: 100 ms
topo_hosts h1 h2
switch_up
tenants red 100
sysctl_in h1 net.ipv6.conf.{all,default}.disable_ipv6=0
uplink h1 world 1
containers red "a@h1 b@h1 c@h2"
sw h1 gateway add red ip 10.0.0.254/24 ip fd00::fe/64
sw h2 gateway add red ip 10.0.0.254/24 ip fd00::fe/64 host h1
for name in a b c; do
	sw_all endpoint set $name tenant red vip $V4 vip $V6
	way_out red-$name 10.0.0.254 fd00::fe
	ip -n red-$name addr add $V4/24 dev eth0
	ip -n red-$name addr add $V6/64 dev eth0 nodad preferred_lft 0
done
announces() { # NAME
	local mac=${MAC[$1]}

	inject red-$1 eth0 eth src=$mac dst=ff:ff:ff:ff:ff:ff / arp sha=$mac spa=$V4 tpa=$V4
	inject red-$1 eth0 eth src=$mac dst=33:33:00:00:00:01 / ip6 src=$V6 dst=ff02::1 hlim=255 / \
		na target=$V6 lladdr=$mac flags=0x20000000
}
where() {
	kill -USR1 $FLOW
	sleep 0.1
	tail -n 2 "$LOG" | sed 's/.* at //' | sort -u
}
count h1
for to in "$V4:5000" "[$V6]:5000"; do
	check "publish to $to, before anybody has it" sw h1 publish add red proto udp port 5000 to "$to"
done
for hosts in h1 none; do
	sw h1 gateway set red host $hosts
	sw h2 gateway set red host $hosts
	announces a
	bg h1 "$PY" "$TOOLS/moving.py" world 198.51.1.1,fd51:1::1 red-a,red-b,red-c
	FLOW=$BG LOG=$BG_LOG
	retry 5 grep -q ready "$LOG"
	comes "gateway on $hosts: the world's datagrams get to a" red-a where
	sleep 2.5 # until it is a stream to conntrack
	before=$(forwarded h1)
	sleep 1
	rules=$(($(forwarded h1) - before))
	check "by the fast way: the rules saw $rules of 2000 frames" test $rules -lt 400
	for name in b c a; do
		announces $name
		comes "gateway on $hosts: all get to $name" red-$name where
	done
	stop $FLOW
	note "$(grep sent "$LOG")"
	is "of each, and of its answers, less than 100 ms is lost" \
		"$(grep -o 'gap [0-9]*' "$LOG" | awk "\$2 < $MOST" | wc -l)" 4
done

# ---- connections to the world ----------------------------------------------------------------
bg world "$PY" "$TOOLS/who.py" serve world 7001
retry 5 grep -q ready "$BG_LOG"
for of in "$V4 198.51.1.2 198.51.1.1" "$V6 fd51:1::2 fd51:1::1"; do
	# shellcheck disable=SC2086 # three words
	set -- $of
	announces a
	held red-a tcp $2 7001 as=$1
	is "a connects from $1 to the world, by NAT" "$(tail -n 1 $HELD_LOG)" "world $3"
	announces b
	check "when b takes $1, the connection ends" ended
	is "b connects from $1" "$(ask red-b tcp $2 7001 as=$1)" "world $3"
done
finish
