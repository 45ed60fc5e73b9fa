#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Where the underlay also leads to the world, its program answers for the addresses that tenants
# leave as, in each mode of XDP. A device that was down is found, and mended.
#
#   red-a 10.0.0.1 ── h1 192.0.2.1 ═╤═ wire ═╤═ 192.0.2.2 h2      out 192.0.2.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

SNAT4=192.0.2.71 SNAT6=2001:db8::71
topo_on_wire h1 h2
switch_up
tenants red 100
container red a h1 10.0.0.1/24 fd00::1/64
leave red-a
for host in h1 h2; do
	sw $host gateway add red ip $GATEWAY4/24 ip $GATEWAY6/64 host h1 host h2 \
		snat $SNAT4 snat $SNAT6
done
MAC=$(ip -n h1 -j link show eth0 | gojq -r '.[0].address')
asks() { # ADDRESS: anew
	ip -n out neigh del "$1" dev eth0 2>/dev/null || true
	on out ping -n -c 1 -W 0.1 "$1" >/dev/null 2>&1 || true
	ip -n out neigh show "$1" dev eth0 | grep -q "lladdr $MAC"
}
both() { # DESC
	check "$1: ARP" retry 3 asks $SNAT4
	check "$1: ND" retry 3 asks $SNAT6
}
for xdp in off generic native; do
	for host in h1 h2; do sw $host switch set xdp $xdp; done
	both "XDP $xdp"
	is "XDP $xdp: red leaves as it" "$(exchange $SERVER4 udp red-a)" "red-a $SNAT4"
	check "XDP $xdp: and gets answers by IPv6" reach red-a $SERVER6
done
for host in h1 h2; do sw $host switch set xdp off; done

groups() { ip -n h1 -6 neigh show proxy; }
found() { { sw h1 -j switch check || true; } | gojq -c '[.problems[] | [.what, .object]]'; }
had=$(groups)
sysctl_in h1 net.ipv6.conf.eth0.keep_addr_on_down=1
ip -n h1 link set eth0 down
ip -n h1 link set eth0 up
retry 5 carrier h1 eth0
is "a device that was down is found" "$(found)" "[[\"snat_group\",\"$SNAT6\"]]"
check "repair" sw h1 switch repair
is "mended" "$(found) $(groups)" "[] $had"
both "behind it"
finish
