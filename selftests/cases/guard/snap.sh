#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 ┐                             ┌ red-c 10.0.0.3
#   red-b 10.0.0.2 ┴ h1 192.0.2.1 ─ 192.0.2.2 h2 ┘  also forges frames on the wire
#
# IEEE 802.3 frames with SNAP carry IP, ARP and IPv6 past a guard that reads Ethernet types (RFC
# 1042, VU#855201). No such frame reaches a neighbour, from a container or from the wire. Spanning
# tree and IPX do.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

topo_standard
A=02:00:00:00:00:01 B=02:00:00:00:00:02 C=02:00:00:00:00:03 ALL=ff:ff:ff:ff:ff:ff
for ns in red-a red-b red-c blue-c; do
	capture $ns $ns eth0
done
hexed() { "$PY" "$TOOLS/inject.py" -p lo "$@" | cut -c29-; } # LAYER...: behind the MACs and type
# As a router, as its owner, and as a server of DHCP.
ra=$(hexed eth type=0x86dd / ip6 src=fe80::99 dst=ff02::1 hlim=255 / icmp6 type=134 body=40000708)
arp=$(hexed eth type=0x0806 / arp op=2 sha=$A spa=10.0.0.254 tha=$B tpa=10.0.0.2)
offer=$(hexed eth type=0x0800 / ip src=10.0.0.254 dst=255.255.255.255 / udp sport=67 dport=68 / \
	text SNAPPED)
forms=(
	"aaaa03000000 86dd $ra" "aaaa030000f8 86dd $ra" "aaaa03000000 0806 $arp"
	"aaaa03000000 0800 $offer" "aaaa030000f8 0800 $offer" "aaaa03000000 8100 0000 0800 $offer"
	"aaaa03000000 0040 aaaa03000000 0800 $offer" "060603 $offer"
)
reach red-a 10.0.0.3
quiet h1 h2
for form in "${forms[@]}"; do
	for dst in $B $C $ALL; do
		expect_drops "${form:0:30} to $dst" h1 1 "red snap from_endpoint" \
			inject red-a eth0 eth src=$A dst=$dst type=0x0060 / hex "${form// /}" / pad 30
	done
done
# Tagged, too, as a priority alone: what is told first is the tag.
expect_drops "behind a tag" h1 1 "red vlan_tagged from_endpoint" \
	inject red-a eth0 eth src=$A dst=$B / vlan vid=0 type=0x0060 / hex "${forms[3]// /}"

# From the wire: h2 is a known host, C lives there.
outer=$(tunnel 192.0.2.2 h1 100)
for form in "${forms[@]}"; do
	for dst in $A $ALL; do
		# shellcheck disable=SC2086
		expect_drops "from the wire, ${form:0:30} to $dst" h1 1 "red snap from_tunnel" \
			inject h2 eth0 $outer eth src=$C dst=$dst type=0x0060 / \
			hex "${form// /}" / pad 30
	done
done

# What is no IP passes: on this host and to the other one.
for dst in $B $C; do
	inject red-a eth0 eth src=$A dst=$dst type=0x0040 / hex 424203 / text SPANNING / pad 30
	inject red-a eth0 eth src=$A dst=$dst type=0x0040 / hex e0e003 / text NETWARE / pad 30
done
for ns in red-b red-c; do
	for word in SPANNING NETWARE; do
		check "$ns gets $word" retry 3 grep -q $word $WORK/$ns.pcap
	done
done
for ns in red-b red-c blue-c; do
	is "$ns received nothing by SNAP" "$(dissect $ns -C eth.type=0x0060)" 0
done
is "nor did red-a" "$(dissect red-a -C eth.type=0x0060 eth.src=$C)" 0

# What monitor tells of one: who claims to be who.
watched() { map_dump h1 watch | gojq -e '.[0].value[4] != "0x00"'; }
bg h1 "$TSW" -i h1 -j monitor drops tenant red
log=$BG_LOG
retry 5 watched >/dev/null
inject red-a eth0 eth src=$A dst=$B type=0x0060 / hex "${forms[3]// /}"
told() { # FIELD VALUE
	# shellcheck disable=SC2016 # gojq's own
	head -1 "$log" | gojq -e --arg f "$1" --arg v "$2" '.[$f] | tostring == $v' >/dev/null
}
check "monitor: snap" retry 5 told reason snap
check "of type ipv4" told type ipv4
check "from the router" told src 10.0.0.254
check "by UDP from 67" told sport 67
finish
