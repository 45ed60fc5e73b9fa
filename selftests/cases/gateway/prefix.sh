#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Networks behind a router in a container, and the world: by NAT and by published ports, from the
# gateway of the router's host and of another host.
#
#   lan7 192.168.7.2 ── red-r 10.0.0.9 ─ h1 192.0.2.1 ═══ 192.0.2.2 h2
#     fd07::2             red-a 10.0.0.1 ─┘ │ up1               │ up2
#                                   far1 198.51.1.2       far2 198.51.2.2
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo h1 h2
uplink h1 far1 1
uplink h2 far2 2
tenants red 100
containers red "a@h1 r=9@h1"
netns lan7
ip -n red-r link add eth7 type veth peer name eth0 netns lan7
sysctl_in red-r net.ipv6.conf.eth7.disable_ipv6=0 net.ipv4.ip_forward=1 \
	net.ipv6.conf.all.forwarding=1
ip -n red-r addr add 192.168.7.1/24 dev eth7
ip -n red-r addr add fd07::1/64 dev eth7 nodad
ip -n red-r link set eth7 up
ip -n lan7 addr add 192.168.7.2/24 dev eth0
ip -n lan7 addr add fd07::2/64 dev eth0 nodad
ip -n lan7 link set eth0 up
way_out lan7 192.168.7.1 fd07::1
way_out red-r 10.0.0.254 fd00::fe
sw_all endpoint set r tenant red prefix 192.168.7.0/24 prefix fd07::/64
for host in h1 h2; do sysctl_in $host net.ipv4.ip_forward=0; done

serve far1 80
serve far2 80
serve lan7 90
for at in 1 2; do
	sw_all gateway replace red ip 10.0.0.254/24 ip fd00::fe/64 host h$at
	answers "h$at's gateway: to the world as its host" lan7 both 198.51.$at.2 80 \
		"far$at 198.51.$at.1"
	answers "in IPv6" lan7 both fd51:$at::2 80 "far$at fd51:$at::1"
	sw h$at publish add red proto tcp port 8090 to 192.168.7.2:90
	sw h$at publish add red proto tcp port 8090 to "[fd07::2]:90"
	is "published there" "$(ask far$at tcp 198.51.$at.1 8090)" "lan7 198.51.$at.2"
	is "in IPv6" "$(ask far$at tcp fd51:$at::1 8090)" "lan7 fd51:$at::2"
	sw h$at publish del red proto tcp port 8090
	check "h$at is right" sw h$at switch check
done

# ---- without NAT: the world has a route to the serving host ------------------------------------
for at in 1 2; do
	ip -n far$at route add 192.168.7.0/24 via 198.51.$at.1
	ip -n far$at route add fd07::/64 via fd51:$at::1
done
ours() { # HOST: networks that it routes, as the main table and the programs know them
	local listed

	listed=$({ ip -n $1 route && ip -n $1 -6 route; } |
		awk '/proto 116/ { print $1 }' | sort | xargs)
	[ "$(map_dump $1 routed | gojq length)" = "$(wc -w <<<"$listed")" ] || echo "map differs:"
	echo "$listed"
}
NETS="10.0.0.0/24 192.168.7.0/24 fd00::/64 fd07::/64"
for at in 1 2; do
	sw_all gateway set red host h$at nat off
	is "nat off on h$at: routes to all networks" "$(ours h$at)" "$NETS"
	is "and none on the other host" "$(ours h$((3 - at)))" ""
	answers "to the world as itself" lan7 both 198.51.$at.2 80 "far$at 192.168.7.2"
	answers "in IPv6" lan7 both fd51:$at::2 80 "far$at fd07::2"
	check "h$at is right" sw h$at switch check
done
finish
