#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The agents' questions to each other go by the tenants' encapsulation, over the family that hosts
# are reached by. The answers are heard in each mode of XDP.
#
#   red-a ── h1 2001:db8::1 ══ wire ══ 2001:db8::2 h2 ── red-b
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_outside.sh"

UNDERLAY=6
cluster_up h1 h2
outside h1 h2
ID[green]=300
for tenant in red:gre:100 green:vxlan:300; do
	IFS=: read -r name encap id <<<"$tenant"
	check "tenant $name, $encap" sw h1 -c tenant add "$name" id "$id" encap "$encap"
	lives "$name" "a@h1 b@h2"
done
agent h1 h2
check "a gateway" sw h1 -c gateway add red ip $GATEWAY4/24 host h1 host h2

# What h2 heard of h1 last: another answer each time.
last() { map_dump h2 probes | gojq -r '.[] | select(.key[0] != "0x00") | .value[:8] | join("")'; }
heard() { # another than NOW
	[[ $(last) != "$NOW" && $(last) != 0x000x000x000x000x000x000x000x00 ]]
}
hears() { # DESC
	NOW=$(last)
	check "$1: h2 hears h1" retry 5 heard
	NOW=$(last)
	check "$1: again and again" retry 5 heard
}
asks() { # DESC FILTER
	capture asked h2 eth0 "ip6 and dst host ${VTEP[h1]} and ($2)"
	hears "$1"
	capture_stop asked
	check "$1: asked so" test "$(captured asked)" -ge 1
}
known() { sw h2 gateway show "$1"; }
check "h2 knows it" retry 10 known red
sleep 1.5 # its agent looks each second; before, it asks by VXLAN now and then
asks "GRE" "ip6 proto 47"
check "green has a gateway, too" sw h1 -c gateway add green ip $GATEWAY4/24 host h1 host h2
check "h2 knows it" retry 10 known green
sleep 1.5 # its agent looks each second
asks "VXLAN" "udp port 4789"
on h2 nft 'table ip6 t { chain c { type filter hook output priority 0; udp dport 4789 drop; }; }'
check "green by Geneve" sw h1 -c tenant set green encap geneve
asks "Geneve, where VXLAN does not pass" "udp port 6081"
on h2 nft delete table ip6 t
for xdp in generic native; do
	for host in h1 h2; do sw $host switch set xdp $xdp; done
	hears "XDP $xdp"
done
for host in h1 h2; do sw $host switch set xdp off; done
is "nothing was dropped for it" "$(for host in h1 h2; do sw $host -j stats drops; done |
	gojq -c '.[] | select(.reason == "bad_probe" or .reason == "foreign_tunnel")')" ""

# An interval of one's own, and none.
agent_end h2
bg h2 "$TSW" -n h2 agent probe 20
AGENT[h2]=$BG
hears "each 20 ms"
agent_end h2
bg h2 "$TSW" -n h2 agent probe 0
AGENT[h2]=$BG
check "the agent follows" in_step h2
is "by probe 0 nobody is asked" "$(last)" ""
agent_end h2
status() { # CMD...
	local status=0

	"$@" >/dev/null 2>&1 || status=$?
	echo $status
}
for wrong in "probe 10001" "probe x" "hold -1"; do
	# shellcheck disable=SC2086 # words
	is "wrong: $wrong" "$(status sw h2 agent $wrong)" 2
done
finish
