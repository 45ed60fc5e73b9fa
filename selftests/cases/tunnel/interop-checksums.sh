#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: tunnel/interop-vxlan
# The kernel's own vxlan device as the other VTEP, k: with and without outer UDP checksums, on wires
# that take super-frames and such that do not, over IPv4 and IPv6.
#
#   red-a  10.0.0.1 ┐
#   red-b  10.0.0.2 ┤                                  ┌ vx100 10.0.0.9, fd00::9
#   red-t  10.0.0.4 ┼ h1 192.0.2.1 ──── 192.0.2.2 k ───┤
#   blue-a 10.0.0.1 ┘    2001:db8::1    2001:db8::2    └ vx200, bridge br200 ── blue-k 10.0.0.9
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_foreign.sh"

# topology FAMILY
topology() {
	UNDERLAY=$1 MTU=$(mtu_of kernel vxlan "$1")
	topo_hosts h1 k
	switch_up h1
	HOSTS=(h1)
	tenants
	container red a h1 10.0.0.1/24 fd00::1/64 mtu "$MTU"
	container red b h1 10.0.0.2/24 fd00::2/64 mtu "$MTU"
	container blue a h1 10.0.0.1/24 fd00::1/64 mtu "$MTU"
	guest red t h1 10.0.0.4/24 fd00::4/64
	ip -n red-t link set eth0 mtu "$MTU"
	sw h1 endpoint add k tenant red mac 02:00:00:00:00:09 ip 10.0.0.9 ip fd00::9 host k
	sw h1 endpoint add k tenant blue mac 02:00:00:00:00:0b ip 10.0.0.9 ip fd00::9 host k
	netns blue-k
}

# device VNI sum|nosum: the kernel's, sending with outer UDP checksums or without
device() {
	local words

	case ${VTEP[k]}-$2 in
	*:*-sum) words='udp6zerocsumrx' ;;
	*:*-nosum) words='udp6zerocsumrx udp6zerocsumtx' ;;
	*-sum) words=udpcsum ;;
	*-nosum) words=noudpcsum ;;
	esac
	# shellcheck disable=SC2086
	ip -n k link add "vx$1" address 02:00:00:00:00:09 mtu "$MTU" type vxlan id "$1" \
		local "${VTEP[k]}" remote "${VTEP[h1]}" dstport 4789 $words
}
red_device() {
	device 100 "$1"
	ip -n k addr add 10.0.0.9/24 dev vx100
	sysctl_in k net.ipv6.conf.vx100.disable_ipv6=0
	ip -n k addr add fd00::9/64 dev vx100 nodad
	ip -n k link set vx100 up
}
blue_device() {
	device 200 nosum
	ip -n k link add br200 mtu "$MTU" type bridge mcast_snooping 0 forward_delay 0
	ip -n k link add blue-k mtu "$MTU" type veth peer name eth0 address 02:00:00:00:00:0b \
		mtu "$MTU" netns blue-k
	for dev in vx200 blue-k; do
		ip -n k link set $dev master br200 up
	done
	ip -n k link set br200 up
	container_net blue-k off 10.0.0.9/24 fd00::9/64
}

# Unicast, both ways; ARP and ND begin it.
unicast() {
	check "$ON: red-a reaches the kernel's device" reach red-a 10.0.0.9
	check "$ON: red-a reaches it over IPv6" reach red-a fd00::9
	check "$ON: blue-a reaches the container behind its bridge" reach blue-a 10.0.0.9
	check "$ON: blue-a reaches it over IPv6" reach blue-a fd00::9
	ip -n k neigh flush all
	ip -n blue-k neigh flush all
	check "$ON: the kernel's device reaches red-b" reach k 10.0.0.2
	check "$ON: it does over IPv6" reach k fd00::2
	check "$ON: the container behind its bridge reaches blue-a" reach blue-k 10.0.0.1
	check "$ON: it does over IPv6" reach blue-k fd00::1
}

# Bulk both ways, IPv4 and IPv6.
bulk() { # WIRE
	local kind

	for kind in tcp udp udpgso; do
		check "$ON, $1: $kind to the kernel's device" xfer red-a k $kind 10.0.0.9
		check "$ON, $1: $kind from it" xfer k red-a $kind 10.0.0.1
		check "$ON, $1: $kind to it, IPv6" xfer red-a k $kind fd00::9
		check "$ON, $1: $kind from it, IPv6" xfer k red-a $kind fd00::1
		check "$ON, $1: $kind to the container behind its bridge" \
			xfer blue-a blue-k $kind 10.0.0.9
		check "$ON, $1: $kind from it" xfer blue-k blue-a $kind fd00::1
	done
}

wires() {
	local ns

	bulk "offload wire"
	for ns in h1 k; do
		on $ns ethtool -K eth0 tso off gso off tx-udp-segmentation off \
			tx-udp_tnl-segmentation off gro on >/dev/null
	done
	bulk "frames wire"
}

sums() {
	local kind

	ip -n k link del vx100
	red_device sum
	capture sums h1 eth0 src host "${VTEP[k]}"
	check "$ON: reachable with outer UDP checksums" reach red-a 10.0.0.9
	bulk "frames wire, udpcsum"
	# A sum left to the device outside, none inside: what is left of it must not reach a
	# guest's tap.
	on k ethtool -K vx100 tx off >/dev/null
	check "$ON: reachable from a guest with outer UDP checksums" reach red-t 10.0.0.9
	check "$ON: over IPv6" reach red-t fd00::9
	for kind in tcp udp; do
		check "$ON: to a guest with outer UDP checksums: $kind" xfer k red-t $kind 10.0.0.4
		check "$ON: over IPv6" xfer k red-t $kind fd00::4
	done
	on k ethtool -K eth0 tx off >/dev/null
	bulk "frames wire, udpcsum, tx off"
	capture_stop sums
	check "$ON: outer UDP checksums were there" \
		dissect_at_least sums 100 vxlan.vni=100 udp.csum!=0x0000
}

for family in 4 6; do
	ON="on IPv$family"
	topology $family
	red_device nosum
	blue_device
	unicast
	capture none h1 eth0 src host "${VTEP[k]}"
	wires
	capture_stop none
	check "$ON: the kernel's device spoke" dissect_at_least none 100 vxlan.vni=100
	is "$ON: without UDP checksums" "$(dissect none -C vxlan.vni=100 udp.csum!=0x0000)" 0
	sums
	is "$ON: nothing was dropped on the way" "$(all_drops h1 | grep from_tunnel || true)" ""
	foreign_down
done
finish
