#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: tunnel/encaps has each; packet_isolation has equal addresses
# A tenant with VXLAN, one with GRE and one with Geneve, all with the same addresses, at once; what
# is on the wire, as tcpdump reads it; and Geneve's options, from another host's address.
#
#   red-a    10.0.0.1 ┐                                          ┌ red-c    10.0.0.3  VXLAN 100
#   blue-a   10.0.0.1 ┼ h1 192.0.2.1 ════════════ 192.0.2.2 h2 ──┼ blue-c   10.0.0.3  GRE 200
#   green-a  10.0.0.1 ┘    2001:db8::1   │    2001:db8::2        └ green-c  10.0.0.3  Geneve 300
#                                        x sends in h2's name
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

UNDERLAY=46
topo_hosts h1 h2 h3 # of which the last has no endpoint: x needs a switch between them
switch_up
ENCAP=vxlan tenants red 100
ENCAP=gre tenants blue 200
ENCAP=geneve tenants green 300
TENANTS="red blue green"
containers "$TENANTS" "a@h1 c@h2" mtu 1430
containers green b@h1 mtu 1430
stranger x

# ---- what is told ------------------------------------------------------------------------
is "tenant show" "$(sw h1 -j tenant show green | gojq -c '.[0] | [.id, .encap]')" '[300,"geneve"]'
is "the MTU is VXLAN's" "$(sw h1 -j tenant show | gojq -c 'map(.mtu) | unique | length')" 2
check "save has it" grep -q '"encap": *"geneve"' <(sw h1 save)
sw h1 save >$WORK/state
is "what is saved is what is there" "$(sw h1 diff $WORK/state)" ""
check "metrics" grep -q 'tsw_tenant_info{.*tenant="green",id="300",encap="geneve"} 1' \
	<(sw h1 metrics)
check_fails "an id of more than 24 bits" sw h1 tenant add wide id 16777216 encap geneve
check_fails "nor by a change" sw h1 tenant set blue id 16777216 encap geneve
dev=null
[ "$(sw h1 -j features | gojq .geneve_dev)" = false ] || dev='"tsw-gnv"'
is "the kernel's device, where it has one" "$(sw h1 -j switch show | gojq -c .geneve_dev)" "$dev"
refused() { ! sw h2 switch up dev eth0 port 6081 2>$WORK/err; }
check "Geneve's port is not VXLAN's" refused
check "which is told" grep -q "port 6081 is Geneve's" $WORK/err
for host in h1 h2; do check "$host: switch check" sw $host switch check; done

# ---- side by side ------------------------------------------------------------------------
# sums: a frame of each tenant's TCP and UDP, and of what is not IP
side_by_side() { # FAMILY
	local tenant pids=() status=0 ip=10.0.0.3

	[ "$1" = 4 ] || ip=fd00::3
	for tenant in $TENANTS; do
		check "IPv$1: $tenant reaches $tenant" reach $tenant-a $ip
	done
	quiet h1 h2
	capture wire h2 eth0
	for tenant in $TENANTS; do
		capture $tenant $tenant-c eth0
		(xfer $tenant-a $tenant-c tcp $ip port=7000 sport=7001 bytes=2M wait=20 &&
			xfer $tenant-a $tenant-c udp $ip count=300) >$WORK/xfer.$tenant 2>&1 &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait $pid || status=1; done
	is "IPv$1: all three transfers at once, same addresses and ports" $status 0
	for tenant in $TENANTS; do
		inject $tenant-a eth0 eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 \
			type=0x88b5 / text $tenant-raw / pad 40
		inject $tenant-a eth0 eth src=02:00:00:00:00:01 dst=ff:ff:ff:ff:ff:ff / ip \
			src=10.0.0.1 dst=10.0.0.255 / udp dport=9 / text $tenant-all
		check "IPv$1: what is not IP" dissect_has $tenant 1 has:$tenant-raw
		check "IPv$1: what is for all" dissect_has $tenant 1 has:$tenant-all
	done
	capture_stop wire $TENANTS
}
# on_the_wire FAMILY: each tenant's in its own encapsulation, and nothing else. tunnel/encaps has
# their outer headers.
on_the_wire() {
	local tenant of

	for tenant in $TENANTS; do
		for of in $TENANTS; do
			is "IPv$1: $tenant-c heard of $of" \
				"$(dissect $tenant -C has:$of-raw) $(dissect $tenant -C has:$of-all)" \
				"$([ $of = $tenant ] && echo 1 1 || echo 0 0)"
		done
	done
	for of in red:vxlan.vni=100 blue:gre.key=200 green:geneve.vni=300; do
		tenant=${of%:*}
		is "IPv$1: $tenant's frames of its own: all in ${of#*:}" \
			"$(dissect wire -C has:$tenant-) $(dissect wire -C has:$tenant- "${of#*:}")" \
			"2 2"
		check "IPv$1: and its transfers" dissect_at_least wire 100 "${of#*:}"
	done
	check "IPv$1: tcpdump reads Geneve" \
		grep -q 'Geneve, Flags \[none\], vni 0x12c' <(captured_text wire udp port 6081)
	check "IPv$1: and VXLAN" grep -q 'VXLAN.* vni 100' <(captured_text wire udp port 4789)
	check "IPv$1: and GRE" grep -q 'GREv0.*key=0xc8' <(captured_text wire)
}
side_by_side 4
on_the_wire 4
for host in h1 h2; do
	case $host in h1) other=h2 ;; *) other=h1 ;; esac
	sw $host host set $other ip "${VTEP6[$other]}" ip "${VTEP4[$other]}"
done
side_by_side 6
on_the_wire 6
is "nothing was dropped" "$(all_drops h1; all_drops h2)" ""

# ---- trace -------------------------------------------------------------------------------
trace() { sw h1 -j trace from a tenant green to "$1" | gojq -c ".[0] | $2"; }
is "trace tells Geneve" "$(trace c '[.verdict, .agrees, .outer.encap, .outer.vni, .outer.port,
	.outer.octets]')" '["tunnel",true,"geneve",300,6081,70]'
is "and what the other host must have" \
	"$(trace c '.far[].command' | grep -c 'tenant add green id 300 encap geneve')" 1
is "trace from the other host" \
	"$(sw h1 -j trace from c tenant green to a |
		gojq -c '.[0] | [.verdict, .agrees, .outer.encap]')" '["delivered",true,"geneve"]'

# ---- options of others: packet_geneve has all kinds, by each program ---------------------------
capture green green-a eth0
from_h2="eth src=02:ff:00:00:00:02 dst=$(mac_on h1 eth0) / ip src=192.0.2.2 dst=192.0.2.1 df=1 /
	udp sport=50000 dport=6081 csum=0"
inner="eth src=02:00:00:00:00:03 dst=02:00:00:00:00:01 / ip src=10.0.0.3 dst=10.0.0.1 / udp"
# from_x TEXT WORD...: the words are of the Geneve header
from_x() {
	# shellcheck disable=SC2086 # words of a frame
	inject x eth0 $from_h2 / geneve vni=300 "${@:2}" / $inner / text $1
}
none="green critical_option from_tunnel"
for xdp in off native; do
	check "xdp $xdp" sw h1 switch set xdp $xdp
	expect_drops "xdp $xdp: one" h1 0 "$none" from_x option-1-$xdp opts=0102030111111111
	expect_drops "xdp $xdp: 63 words of them" h1 0 "$none" from_x option-63-$xdp \
		opts="0102031f$(printf '%0248d' 0)0102031e$(printf '%0240d' 0)"
	for n in 1 63; do
		check "xdp $xdp: came, $n" dissect_has green 1 has:option-$n-$xdp
	done
	expect_drops "xdp $xdp: one that must be known" h1 1 "$none" from_x bad c=1 opts=01028300
done
check "green is reached still" reach green-c 10.0.0.1
capture_has green 1 icmp || note "no barrier"
capture_stop green
is "nothing else came" "$(dissect green -C has:bad)" 0
finish
