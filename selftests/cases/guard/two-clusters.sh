#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Two clusters have switches on the same hosts, each on devices and a port of its own. A tenant of
# the first sends a tunnel frame of the second's by its own gateway, whose NAT makes it h1's.
#
#   red-a 10.0.0.1 ── first ─ h1 192.0.2.1 ═══ 192.0.2.2 h2           port 4789
#                    second ─ h1 192.0.3.1 ═══ 192.0.3.2 h2 ── blue-c  port 4790
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1 h2
switch_up
tenants red 100
uplink h1 world 1
container red a h1 10.0.0.1/24
sw h1 gateway add red ip 10.0.0.254/24
sw h2 gateway add red ip 10.0.0.254/24 host h1
way_out red-a 10.0.0.254

second() { "$TSW" -n "$1" -i "second-$1" "${@:2}"; } # HOST ARG...
ip -n h1 link add eth1 type veth peer name eth1 netns h2
for host in h1 h2; do
	ip -n $host addr add 192.0.3.${host#h}/24 dev eth1
	ip -n $host link set eth1 up
done
retry 5 carrier h2 eth1
for host in h1 h2; do
	second $host switch up dev eth1 local 192.0.3.${host#h} name $host port 4790
	undo second $host switch down
	second $host tenant add blue id 200
done
second h1 host add h2 ip 192.0.3.2
second h2 host add h1 ip 192.0.3.1
container blue a h1 10.0.0.1/24 endpoint off
container blue c h2 10.0.0.3/24 endpoint off
for host in h1 h2; do
	for name in a:1 c:3; do
		at="host h$([ $host = h1 ] && echo 2 || echo 1)"
		[ $host$name != h1a:1 ] && [ $host$name != h2c:3 ] || at="dev blue-${name%:*}"
		# shellcheck disable=SC2086 # words
		second $host endpoint add "${name%:*}" tenant blue mac 02:00:00:00:00:0${name#*:} \
			ip 10.0.0.${name#*:} $at
	done
done
check "the second cluster's blue reaches blue" reach blue-a 10.0.0.3
capture blue-c blue-c eth0

sends() { # PORT TEXT
	# shellcheck disable=SC2046
	inject red-a eth0 eth src=02:00:00:00:00:01 dst="$(sw h1 -j gateway show | jq -r '.[0].mac')" \
		/ ip src=10.0.0.1 dst=192.0.3.2 / udp sport=50000 dport="$1" csum=0 / vxlan vni=200 \
		/ eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 \
		/ ip src=10.0.0.1 dst=10.0.0.3 / udp / text "$2"
}
dropped() {
	second h1 -j stats drops | jq -e --argjson n "$1" '[.[] |
		select(.tenant == "blue" and .reason == "foreign_tunnel")][0].packets == $n'
}
check "the first switch takes eth1 for an uplink" sw h1 switch repair
capture second h2 eth1
sends 4791 elsewhere
check "what goes to another port leaves by NAT" dissect_has second 1 has:elsewhere
sends 4790 crossed
check "what goes to the second's port is dropped at its underlay" retry 5 dropped 1
check "blue reaches blue as before" reach blue-a 10.0.0.3
is "blue-c got nothing of red's" "$(dissect blue-c -C has:crossed)" 0
finish
