#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The outer header: congestion marks (RFC 6040), TTL, DF, ports.
#
#   red-a 10.0.0.1 ── h1 ═══ capture `wire` ═══ h2 ── capture `arrived` ── red-c 10.0.0.3
#                     ╰ injects tunnel frames of its own making
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

topo_hosts h1 h2
switch_up
tenants red 100
container red a h1 10.0.0.1/24 fd00::1/64
container red c h2 10.0.0.3/24 fd00::3/64
check "reachable" reach red-a 10.0.0.3
check "reachable, IPv6" reach red-a fd00::3
quiet h1 h2

eth="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03"
v4="$eth / ip src=10.0.0.1 dst=10.0.0.3"
v6="$eth / ip6 src=fd00::1 dst=fd00::3"

# ---- encapsulation: the outer field is the inner one, RFC 6040 section 4.1 ----------
capture wire h2 eth0 udp port 4789
for tos in 0x00 0x01 0x02 0x03 0xb8 0xb9 0xba 0xbb 0x28 0xff; do
	echo "$v4 tos=$tos / udp / text tos"
	echo "$v6 tc=$tos / udp / text tos"
done >$WORK/frames
inject red-a eth0 - <$WORK/frames
check "encapsulated: all frames came" dissect_has wire 20 has:tos
want=$(printf '%s\n' 0x00 0x01 0x02 0x03 0x28 0xb8 0xb9 0xba 0xbb 0xff | sed 's/.*/1 & &/')
is "encapsulated: DSCP and ECN are copied out, IPv4" \
	"$(dissect wire -u -f ip.tos,in.ip.tos ip.src=192.0.2.1 in.eth.type=0x0800 has:tos)" "$want"
is "encapsulated: DSCP and ECN are copied out, IPv6" \
	"$(dissect wire -u -f ip.tos,in.ip6.tc ip.src=192.0.2.1 in.eth.type=0x86dd has:tos)" "$want"

# ---- decapsulation: RFC 6040 section 4.2, figure 4, with other DSCP inside -------------
# inner, then what comes out for the outer Not-ECT, ECT(1), ECT(0), CE
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

# ---- TTL, DF, ports ----------------------------------------------------------------------
for flow in {1..40}; do
	echo "$v4 ttl=9 / udp sport=$((1000 + flow)) / text flow"
	echo "$v4 ttl=9 / udp sport=$((1000 + flow)) / text flow"
done >$WORK/frames
# An ethertype of nobody's and a broadcast ARP: they may leave by another way.
echo "$eth type=0x88b5 / text flow" >>$WORK/frames
echo "eth src=02:00:00:00:00:01 dst=ff:ff:ff:ff:ff:ff / arp sha=02:00:00:00:00:01 spa=10.0.0.1 \
tpa=10.0.0.77 / text flow" >>$WORK/frames
inject red-a eth0 - <$WORK/frames
check "outer header: all frames came" dissect_has wire 82 has:flow
capture_stop wire
outer=ip.src,ip.dst,ip.ttl,ip.df,ip.frag,ip.opts,ip.sum,udp.dport,udp.csum
vxlan=vxlan.flags,vxlan.res1,vxlan.vni,vxlan.res2
is "outer header: from VTEP to VTEP, TTL 64, DF, no UDP sum, VNI 100, no flag but I" \
	"$(dissect wire -u -f $outer,$vxlan has:flow ip.src=192.0.2.1)" \
	"82 192.0.2.1 192.0.2.2 64 1 0  ok 4789 0x0000 0x08 0 100 0"
is "outer header: source ports in 49152..65535" "$(dissect wire -C has:flow 'udp.sport<49152')" 0
dissect wire -u -f in.udp.sport,udp.sport has:flow in.udp.dport=9 >$WORK/ports
is "outer header: a flow keeps its source port" "$(grep -vc '^2 ' $WORK/ports || true)" 0
check "outer header: flows differ in it" \
	test "$(awk '{ print $3 }' $WORK/ports | sort -u | wc -l)" -gt 20
is "outer header: the inner TTL is left alone" \
	"$(dissect wire -C has:flow in.ip.ttl=9 in.udp.dport=9)" 80
finish
