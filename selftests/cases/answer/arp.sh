#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 ┐                             ┌ red-c  10.0.0.3, blue-c likewise
#   red-b 10.0.0.2 ┴ h1 192.0.2.1 ─ 192.0.2.2 h2 ┴ red-d, red-e: no address listed
#
# ARP requests for known addresses are answered at the port and go no further. What must reach
# everybody does: announcements, probes of one's own address, requests for unknown addresses.
. "$(dirname "$0")/../../lib.sh"

topo_standard
for name in d e; do
	container red $name h2 fd00::a$name/64 mac 02:00:00:00:01:0$name endpoint off
	endpoint_add red $name h2 02:00:00:00:01:0$name
done
for ns in red-a red-b red-c red-d blue-b blue-c; do
	capture $ns $ns eth0
done
capture wire h2 eth0
A=02:00:00:00:00:01 C=02:00:00:00:00:03 ALL=ff:ff:ff:ff:ff:ff
arp="eth src=$A dst=$ALL / arp sha=$A"

# seen NAME CONDITION...: frames of a capture that meet all of it.
seen() { "$PY" "$TOOLS/dissect.py" -C "$WORK/$1.pcap" "${@:2}"; }
# barrier: an echo to b and c, behind what was sent before it.
barrier() { reach red-a 10.0.0.2 && reach red-a 10.0.0.3 && reach blue-a 10.0.0.3; }
answers() { # what red-a was told about an address, in full
	retry 2 has_answer "$1" || true
	"$PY" "$TOOLS/dissect.py" -u -f eth.dst,eth.src,arp.sha,arp.spa,arp.tha,arp.tpa \
		$WORK/red-a.pcap arp.op=2 arp.spa="$1" eth.dst=$A
}
has_answer() { [ "$(seen red-a arp.op=2 arp.spa="$1")" -gt 0 ]; }

quiet h1 h2
answered=$(stat_of h1 red answered)
inject red-a eth0 $arp spa=10.0.0.1 tpa=10.0.0.3
is "ARP for a known address is answered with its MAC" "$(answers 10.0.0.3)" \
	"1 $A $C $C 10.0.0.3 $A 10.0.0.1"
is "and counted as answered" "$(stat_of h1 red answered)" $((answered + 1))
inject red-a eth0 $arp spa=0.0.0.0 tpa=10.0.0.2
is "a probe for another's address is answered: it is taken" "$(answers 10.0.0.2)" \
	"1 $A 02:00:00:00:00:02 02:00:00:00:00:02 10.0.0.2 $A 0.0.0.0"
barrier
is "neither crossed" "$(for n in red-b red-c; do seen $n arp.op=1 eth.src=$A; done; \
	seen wire in.eth.src=$A in.arp.op=1)" $'0\n0\n0'

inject red-a eth0 $arp spa=0.0.0.0 tpa=10.0.0.1
inject red-a eth0 $arp spa=10.0.0.1 tpa=10.0.0.1
inject red-a eth0 $arp op=2 tha=$ALL spa=10.0.0.1 tpa=10.0.0.1
barrier
is "no answer to who probes or announces its own address" "$(answers 10.0.0.1)" ""
for ns in red-b red-c red-d; do
	is "$ns: probe, announcement, gratuitous reply came once each" \
		"$("$PY" "$TOOLS/dissect.py" -f arp.op,arp.spa "$WORK/$ns.pcap" arp.tpa=10.0.0.1 \
			arp.sha=$A eth.dst=$ALL | sort)" $'1 0.0.0.0\n1 10.0.0.1\n2 10.0.0.1'
done
inject red-a eth0 $arp spa=10.0.0.1 tpa=10.0.0.99
barrier
for ns in red-b red-c red-d; do
	is "$ns: ARP for an unknown address came once" "$(seen $ns arp.tpa=10.0.0.99)" 1
done

# Neighbour discovery.
FROM="eth src=$A dst=33:33:ff:00:00:03 / ip6 src=fd00::1 dst=ff02::1:ff00:3 hlim=255"
inject red-a eth0 $FROM / ns target=fd00::3 lladdr=$A
check "ND for a known address is answered" capture_has red-a 1 'icmp6 and ip6[40] == 136'
told=fd000000000000000000000000000003 # the target, then its link-layer address
is "with its MAC, solicited, checksum right" "$("$PY" "$TOOLS/dissect.py" -u -f \
	eth.dst,eth.src,ip6.src,ip6.dst,ip6.hlim,icmp6.sum,icmp6.mtu,data $WORK/red-a.pcap \
	icmp6.type=136 eth.src=$C)" \
	"1 $A $C fd00::3 fd00::1 255 ok $((0x60000000)) ${told}0201020000000003"
inject red-a eth0 $FROM / ns target=fd00::99 lladdr=$A
inject red-a eth0 eth src=$A dst=33:33:00:00:00:01 / ip6 src=fd00::1 dst=ff02::1 hlim=255 / \
	na target=fd00::1 lladdr=$A flags=0x20000000
barrier
is "the question did not cross" "$(seen wire in.icmp6.type=135 in.data=${told}0101020000000001)" 0
for ns in red-b red-c red-d; do
	is "$ns: ND for an unknown address came once" "$(seen $ns icmp6.type=135 \
		data=fd0000000000000000000000000000990101020000000001)" 1
	is "$ns: an unsolicited advertisement came once" "$(seen $ns icmp6.type=136 eth.src=$A)" 1
done

# Duplicate address detection by the kernel itself.
dad_done() { # NS ADDRESS STATE
	# shellcheck disable=SC2016 # it knows jq, and not gojq
	[ "$(ip -n "$1" -j addr show dev eth0 | gojq -r --arg a "$2" '.[].addr_info[] |
		select(.local == $a) | if .dadfailed then "failed" elif .tentative then "?"
		else "fine" end')" = "$3" ]
}
for ns in red-a red-d; do
	sysctl_in $ns net.ipv6.conf.eth0.dad_transmits=1 net.ipv6.conf.eth0.accept_dad=1
done
ip -n red-a addr add fd00::3/64 dev eth0
ip -n red-d addr add fd00::1/64 dev eth0
ip -n red-d addr add fd00::ae/64 dev eth0
ip -n red-d addr add fd00::77/64 dev eth0
check "DAD finds the address of a container on another host" retry 5 dad_done red-a fd00::3 failed
check "DAD finds it where the asker has none listed" retry 5 dad_done red-d fd00::1 failed
check "DAD finds an address that the switch does not know" retry 5 dad_done red-d fd00::ae failed
check "DAD lets a free address pass" retry 5 dad_done red-d fd00::77 fine
is "blue heard nothing of it all" "$(for ns in blue-b blue-c; do
	seen $ns eth.src=$A arp.op=1; seen $ns arp.tpa=10.0.0.99; seen $ns icmp6.type=135 \
	ip6.src=::; done)" $'0\n0\n0\n0\n0\n0'
is "nothing was dropped" "$(all_drops h1; all_drops h2)" ""
finish
