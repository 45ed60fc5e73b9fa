#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Frames that do not fit are answered where they were sent, which the sender's kernel understands;
# super-frames that fit pass. packet_mtu compares whole answers, and has what gets none.
#
#   red-a 10.0.0.1 ── h1 192.0.2.1 ═══ 1500, then 9000 ═══ 192.0.2.2 h2 ── red-c 10.0.0.3
#   red-b 10.0.0.2 ──╯
#   red-a and red-c believe in an MTU of 1500 (9000) where 1450 (8950) fits
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

topology() { # MTU
	WHAT=$1 UNDERLAY_MTU=$1
	red_line "a@h1 b@h1 c@h2" mtu "$1"
}

tenant_mtu() { sw "$1" -j tenant show red | gojq '.[0].mtu'; }

topology 1500
is "tenant show: the MTU that endpoints must use" "$(tenant_mtu h1)" 1450
check "1450 octets pass, IPv4" ping_df 1422 10.0.0.3
check "1450 octets pass, IPv6" ping_df 1402 fd00::3
check "one more: the sender learns 1450, IPv4" learns 10.0.0.3 1423 1450
check "one more: the sender learns 1450, IPv6" learns fd00::3 1403 1450
forget_paths red-a
check "a port of the same host is under no such limit" ping_df 1472 10.0.0.2

forget_paths red-a
# Each of them loses its first one.
check "sender and answerer without DF then fragment" \
	retry 5 on red-a ping -n -c 1 -W 1 -M dont -s 1450 10.0.0.3

for wire in offload frames; do
	[ $wire = offload ] || for host in h1 h2; do
		on $host ethtool -K eth0 tso off gso off tx-udp-segmentation off
	done
	forget_paths red-a
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
