#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Frames that do not fit are answered where they were sent; super-frames that fit pass.
#
#   red-a 10.0.0.1 ── h1 192.0.2.1 ═══ 1500, then 9000 ═══ 192.0.2.2 h2 ── red-c 10.0.0.3
#   red-b 10.0.0.2 ──╯
#   red-a and red-c believe in an MTU of 1500 (9000) where 1450 (8950) fits
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

topology() { # MTU
	UNDERLAY_MTU=$1
	topo_hosts h1 h2
	switch_up
	tenants red 100
	container red a h1 10.0.0.1/24 fd00::1/64 mtu "$1"
	container red b h1 10.0.0.2/24 fd00::2/64 mtu "$1"
	container red c h2 10.0.0.3/24 fd00::3/64 mtu "$1"
	check "$1: reachable" reach red-a 10.0.0.3
	check "$1: reachable, IPv6" reach red-a fd00::3
	quiet h1 h2
}

tenant_mtu() { sw "$1" -j tenant show red | gojq '.[0].mtu'; }
ping_df() { on red-a ping -n -c 1 -W 2 -M 'do' -s "$1" "$2"; }
route_mtu() { on red-a ip route get "$1" | grep -o 'mtu [0-9]*'; }
learns() { # IP PAYLOAD MTU
	! ping_df "$2" "$1" >/dev/null 2>&1 && [ "$(route_mtu "$1")" = "mtu $3" ]
}
answers() { dissect "$1" -C "$2" "$3"; } # NAME TYPE=N MTU=N

# An injected frame (its words are the arguments) and the one ICMP answer to it.
refuse() { # NAME COUNT WORDS
	local name=$1 n=$2 key='red too_big from_endpoint'

	shift 2
	capture "$name" red-a eth0
	expect_drops "$name: dropped as too_big" h1 "$n" "$key" inject red-a eth0 "$@"
	# What is not too big comes back behind it.
	on red-a ping -n -c 1 -W 2 10.0.0.2 >/dev/null || true
	capture_has "$name" 1 'icmp[icmptype] = icmp-echoreply' || note "no barrier"
	capture_stop "$name"
}

topology 1500
is "tenant show: the MTU that endpoints must use" "$(tenant_mtu h1)" 1450
check "1450 octets pass, IPv4" ping_df 1422 10.0.0.3
check "1450 octets pass, IPv6" ping_df 1402 fd00::3
check "one more: the sender learns 1450, IPv4" learns 10.0.0.3 1423 1450
check "one more: the sender learns 1450, IPv6" learns fd00::3 1403 1450
on red-a ip route flush cache
on red-a ip -6 route flush cache

to_c="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03"
v4="$to_c / ip src=10.0.0.1 dst=10.0.0.3 id=4711 df=1"
v6="$to_c / ip6 src=fd00::1 dst=fd00::3 flow=0x12345"
ends=eth.src,eth.dst,ip.src,ip.dst ends6=eth.src,eth.dst,ip6.src,ip6.dst
# shellcheck disable=SC2086
{
	refuse frag_needed 1 $v4 ttl=7 / udp sport=7 dport=9 / text marker / pad 1417
	is "frag_needed: one answer from the destination, sums right, names 1450" \
		"$(dissect frag_needed -f $ends,icmp.code,icmp.mtu,ip.sum,icmp.sum \
			icmp.type=3)" \
		"02:00:00:00:00:03 02:00:00:00:00:01 10.0.0.3 10.0.0.1 4 1450 ok ok"
	sent=$(inject red-a eth0 -p $v4 ttl=7 / udp sport=7 dport=9 / text marker / pad 1417)
	back=$(dissect frag_needed -f data icmp.type=3)
	is "frag_needed: embeds the packet's own first octets" "$back" "${sent:28:${#back}}"
	check "frag_needed: enough of it to be of use" test ${#back} -ge 56

	refuse too_big 1 $v6 / udp sport=7 dport=9 / text marker / pad 1397
	is "too_big: one answer from the destination, sum right, names 1450" \
		"$(dissect too_big -f $ends6,icmp6.code,icmp6.mtu,icmp6.sum icmp6.type=2)" \
		"02:00:00:00:00:03 02:00:00:00:00:01 fd00::3 fd00::1 0 1450 ok"
	sent=$(inject red-a eth0 -p $v6 / udp sport=7 dport=9 / text marker / pad 1397)
	back=$(dissect too_big -f data icmp6.type=2)
	is "too_big: embeds the packet's own first octets" "$back" "${sent:28:${#back}}"
	check "too_big: enough of it to be of use" test ${#back} -ge 96

	# A LAN cannot fragment, and the sender can once it is told.
	refuse no_df 1 $to_c / ip src=10.0.0.1 dst=10.0.0.3 / udp / pad 1423
	is "no_df: without DF the answer is the same" "$(answers no_df icmp.type=3 icmp.mtu=1450)" 1
	# RFC 1122 section 3.2.2 and RFC 4443 section 2.4 (e): no error about an error.
	refuse error4 1 $v4 / icmp type=3 code=1 / pad 1423
	is "error4: an ICMP error gets no answer" "$(answers error4 icmp.type=3 icmp.code=4)" 0
	refuse error6 1 $v6 / icmp6 type=1 / pad 1403
	is "error6: an ICMPv6 error gets no answer" "$(answers error6 icmp6.type=2 icmp6.code=0)" 0
	refuse later 1 $v4 frag=2960 / pad 1431
	is "later: a fragment that is not the first gets no answer" \
		"$(answers later icmp.type=3 icmp.code=4)" 0
}
check "a port of the same host is under no such limit" ping_df 1472 10.0.0.2

on red-a ip route flush cache
# Each of them loses its first one.
check "sender and answerer without DF then fragment" \
	retry 5 on red-a ping -n -c 1 -W 1 -M dont -s 1450 10.0.0.3

for wire in offload frames; do
	[ $wire = offload ] || for host in h1 h2; do
		on $host ethtool -K eth0 tso off gso off tx-udp-segmentation off
	done
	on red-a ip route flush cache
	on red-a ip -6 route flush cache
	capture $wire h2 eth0
	check "$wire wire: TCP from a sender that believes in 1500" xfer red-a red-c tcp 10.0.0.3
	check "$wire wire: TCP from a sender that believes in 1500, IPv6" \
		xfer red-a red-c tcp fd00::3
	capture_stop $wire
done
check "offload wire: super-frames crossed" dissect_at_least offload 1 'len>1514'
is "frames wire: none did" "$(dissect frames -C 'len>1514')" 0
check "a tenant's own smaller MTU" sw h1 tenant set red mtu 1400
check "is what its senders learn" learns 10.0.0.3 1373 1400
run_undo

topology 9000
is "tenant show: 50 less than the underlay's 9000" "$(tenant_mtu h1)" 8950
check "8950 octets pass, IPv4" ping_df 8922 10.0.0.3
check "8950 octets pass, IPv6" ping_df 8902 fd00::3
check "one more: the sender learns 8950, IPv4" learns 10.0.0.3 8923 8950
check "one more: the sender learns 8950, IPv6" learns fd00::3 8903 8950
check "TCP over jumbo frames" xfer red-a red-c tcp 10.0.0.3
check "TCP over jumbo frames, IPv6" xfer red-a red-c tcp fd00::3
finish
