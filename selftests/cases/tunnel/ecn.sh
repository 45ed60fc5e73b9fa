#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Congestion marks when the outer header is taken off (RFC 6040), with other DSCP inside. What goes
# out: packet_encap with each TOS, tunnel/encaps on the wire.
#
#   red-a 10.0.0.1 ── h1 ═══ h2 ── capture `arrived` ── red-c 10.0.0.3
#                     ╰ injects tunnel frames of its own making
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

red_line "a@h1 c@h2"

v4="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 / ip src=10.0.0.1 dst=10.0.0.3"
v6="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 / ip6 src=fd00::1 dst=fd00::3"
# Figure 4 of section 4.2: inner, then what comes out for the outer Not-ECT, ECT(1), ECT(0), CE.
table="0 0 0 0 drop
1 1 1 1 3
2 2 1 2 3
3 3 3 3 3"
capture arrived red-c eth0
: >$WORK/want
# shellcheck disable=SC2034 # used by name
while read -r inner out0 out1 out2 out3; do
	for outer in 0 1 2 3; do
		out=out$outer
		mark="i${inner}o$outer"
		tos=$((0xb8 + outer)) in=$((0x28 + inner))
		around=$(tunnel 192.0.2.1 h2 100 tos=$tos)
		echo "$around $v4 tos=$in / udp / text $mark"
		echo "$around $v6 tc=$in flow=0x54321 / udp / text $mark"
		[ "${!out}" = drop ] ||
			printf '%s %#04x ok\n' "$mark" $((0x28 + ${!out})) >>$WORK/want
	done
done <<<"$table" >$WORK/frames
send_frames() { inject h1 eth0 - <$WORK/frames; }
expect_drops "decapsulated: CE over Not-ECT is dropped as ecn_invalid, once for IPv4 and IPv6" \
	h2 2 "red ecn_invalid from_tunnel" send_frames
check "decapsulated: the others came" dissect_has arrived 30 udp.dport=9
capture_stop arrived
is "decapsulated: ECN combined, DSCP kept, sums right, IPv4" \
	"$(dissect arrived -f text,ip.tos,udp.sum eth.type=0x0800 udp.dport=9 ip.sum=ok | sort)" \
	"$(sort $WORK/want)"
is "decapsulated: ECN combined, DSCP kept, sums right, IPv6" \
	"$(dissect arrived -f text,ip6.tc,udp.sum eth.type=0x86dd udp.dport=9 | sort)" \
	"$(sort $WORK/want)"
finish
