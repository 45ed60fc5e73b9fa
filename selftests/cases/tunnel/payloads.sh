#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# These go through a tunnel unharmed, from stack to stack: fragments, IPv4 options, ARP, a short
# frame. packet_encap and packet_decap compare whole frames of each kind.
#
#   red-a 10.0.0.1 ── h1 192.0.2.1 ════════ 192.0.2.2 h2 ── capture `short` ── red-c 10.0.0.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

red_line "a@h1 c@h2"

# What is shorter than an IP header is padded with zeros, as Ethernet does.
capture short red-c eth0
inject red-a eth0 eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 type=0x88b5 / text unharmed
check "a frame of 8 octets arrives" dissect_has short 1 has:unharmed
capture_stop short
is "padded" "$(dissect short -x has:unharmed)" \
	02000000000302000000000188b5756e6861726d6564000000000000000000000000

# A capture sees a frame that the stack takes for another protocol; only the stack's own tables
# tell that ARP came as ARP. Unicast, since the switch answers what is asked of everybody.
sysctl_in red-a net.ipv4.neigh.eth0.locktime=0
believes() { ip -n red-a neigh show to 10.0.0.3 dev eth0 | grep -q 'lladdr 02:00:00:00:00:03'; }
ip -n red-a neigh replace 10.0.0.3 lladdr 02:00:00:00:00:99 dev eth0 nud stale
check_fails "red-a's neighbour entry is wrong before" believes
inject red-c eth0 eth src=02:00:00:00:00:03 dst=02:00:00:00:00:01 / arp op=2 \
	sha=02:00:00:00:00:03 spa=10.0.0.3 tha=02:00:00:00:00:01 tpa=10.0.0.1
check "unicast ARP reaches the other's stack and mends it" retry 3 believes

check "fragments, IPv4: ping of 4000 octets" on red-a ping -n -c 1 -W 10 -s 4000 10.0.0.3
check "fragments, IPv6: ping of 4000 octets" on red-a ping -n -c 1 -W 10 -s 4000 fd00::3
check "fragments: UDP datagrams of 60000 octets" \
	xfer red-a red-c udp 10.0.0.3 size=60000 count=20
check "fragments: UDP datagrams of 60000 octets, IPv6" \
	xfer red-a red-c udp fd00::3 size=60000 count=20
check "record route" on red-a ping -n -c 1 -W 10 -R 10.0.0.3
finish
