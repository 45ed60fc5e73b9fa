#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Forged tunnel frames go around the program at the underlay: through the host's stack to the
# kernel's VXLAN socket, which would accept them from anywhere.
#
#   h1 192.0.2.1: blue-a ═══ eth0 ═══ h2 192.0.2.2: blue-c
#      ╰── side9 ─────────── x: says it is 192.0.2.2
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_isolation.sh"

UNDERLAY=46
topo_hosts h1 h2
switch_up
tenants
containers4 blue "a@h1 c@h2"
netns x
sysctl_in h1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
ip -n h1 link add side9 type veth peer name side9 netns x
ip -n h1 addr add 198.51.100.1/24 dev side9
sysctl_in h1 net.ipv6.conf.side9.{disable_ipv6,accept_dad,router_solicitations}=0
ip -n h1 link set side9 up
ip -n x link set side9 up
check "blue reaches blue" reach blue-a 10.0.0.3
quiet h1 h2
watch_blue a c
capture up h1 tsw-vx

in="eth src=02:00:00:00:00:03 dst=02:00:00:00:00:01 / ip src=10.0.0.3 dst=10.0.0.1"
flood="eth src=02:00:00:00:00:03 dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.3 dst=10.0.0.255"
arp="eth src=02:00:00:00:00:03 dst=ff:ff:ff:ff:ff:ff / arp sha=02:00:00:00:00:03 spa=10.0.0.3"
data="udp / text red-forged"
side="$(tunnel 192.0.2.2 h1 200 | sed "s/dst=$(mac_on h1 eth0)/dst=$(mac_on h1 side9)/")"
side6="eth src=02:ff:00:00:00:01 dst=$(mac_on h1 side9) / ip6 src=2001:db8::2 dst=2001:db8::1 $(
	) / udp dport=4789 / vxlan vni=200 /"
ext="eth src=02:ff:00:00:00:01 dst=$(mac_on h1 eth0) / ${side6#* / }"
ext=${ext/ udp/ hopopt / dstopt / udp}
lo="$(tunnel 192.0.2.2 h1 200 | sed "s/dst=$(mac_on h1 eth0)/dst=00:00:00:00:00:00/")"
# lost DESC CMD...: CMD sends one frame that comes up at tsw-vx and is dropped there.
lost() {
	local desc=$1

	shift
	expect_drops "$desc" h1 1 "blue unverified_tunnel from_tunnel" "$@"
}

# shellcheck disable=SC2046,SC2086 # words of a frame
{
	lost "another device, IP options outside" \
		inject x side9 ${side/df=1/opts=94040000} $in / $data
	lost "another device, in fragments that the host puts together" \
		inject x side9 $side $in / $data / pad 61 / fragment at=64
	lost "another device, over IPv6" inject x side9 $side6 $in / $data
	lost "another device, over IPv6 in fragments" \
		inject x side9 $side6 $in / $data / fragment at=32
	lost "two IPv6 extension headers outside" inject h2 eth0 $ext $in / $data
	lost "another device, a host's address as source" inject x side9 $side $in / $data
	lost "another device, broadcast inside" inject x side9 $side $flood / $data
	lost "another device, ARP inside" inject x side9 $side $arp tpa=10.0.0.1 / text red-forged
	lost "another device, with a mark" inject x side9 -M 1 $side $in / $data
	lost "from the host itself" inject h1 lo $lo $in / $data
	expect_drops "another device, a VNI that is nobody's" h1 1 \
		"null unknown_tenant from_tunnel" inject x side9 ${side/vni=200/vni=300} $in / $data
	# The same words are good where nothing is forged: what was refused was the forgery.
	inject h2 eth0 $(tunnel 192.0.2.2 h1 200) $in / udp / text honest
}
check "the honest frame arrives" dissect_has blue-a 1 has:honest
check "blue reaches blue still" reach blue-a 10.0.0.3
capture_stop up
# What is dropped must have been there: the capture at tsw-vx comes before the program.
is "all of them had come up to tsw-vx" "$(dissect up -C has:red-forged)" 11
for at in a c; do
	capture_stop blue-$at
	is "blue-$at: nothing forged" "$(dissect blue-$at -C has:red-)" 0
done
finish
