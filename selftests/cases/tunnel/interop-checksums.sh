#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: tunnel/interop-vxlan
# The kernel's own vxlan device as the other VTEP: with and without outer UDP checksums, on wires
# that take super-frames and such that do not, over IPv4 and IPv6. Topology: lib_foreign.sh, but
# red's container there is h2 itself, by its vxlan device; and red-t 10.0.0.4 is a guest of h1.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_foreign.sh"

topology() { # FAMILY [WORD...]: of the kernel's devices
	foreign_up kernel vxlan "$@"
	ip -n h2 link set tun-red nomaster
	ip -n h2 link set tun-red address 02:00:00:00:00:03
	sysctl_in h2 net.ipv6.conf.tun-red.disable_ipv6=0
	ip -n h2 addr add 10.0.0.3/24 dev tun-red
	ip -n h2 addr add fd00::3/64 dev tun-red nodad
	guest red t h1 10.0.0.4/24 fd00::4/64
	ip -n red-t link set eth0 mtu "$MTU"
}

# Unicast, both ways; ARP and ND begin it.
unicast() {
	check "$ON: red-a reaches the kernel's device" reach red-a 10.0.0.3
	check "$ON: red-a reaches it over IPv6" reach red-a fd00::3
	check "$ON: blue-a reaches the container behind its bridge" reach blue-a 10.0.0.3
	check "$ON: blue-a reaches it over IPv6" reach blue-a fd00::3
	ip -n h2 neigh flush all
	ip -n blue-c neigh flush all
	check "$ON: the kernel's device reaches red-b" reach h2 10.0.0.2
	check "$ON: it does over IPv6" reach h2 fd00::2
	check "$ON: the container behind its bridge reaches blue-a" reach blue-c 10.0.0.1
	check "$ON: it does over IPv6" reach blue-c fd00::1
}

# Bulk both ways, IPv4 and IPv6.
bulk() { # WIRE
	local kind

	for kind in tcp udp udpgso; do
		check "$ON, $1: $kind to the kernel's device" xfer red-a h2 $kind 10.0.0.3
		check "$ON, $1: $kind from it" xfer h2 red-a $kind 10.0.0.1
		check "$ON, $1: $kind to it, IPv6" xfer red-a h2 $kind fd00::3
		check "$ON, $1: $kind from it, IPv6" xfer h2 red-a $kind fd00::1
		check "$ON, $1: $kind to the container behind its bridge" \
			xfer blue-a blue-c $kind 10.0.0.3
		check "$ON, $1: $kind from it" xfer blue-c blue-a $kind fd00::1
	done
}
frames_wire() {
	local ns

	for ns in h1 h2; do
		on $ns ethtool -K eth0 tso off gso off tx-udp-segmentation off \
			tx-udp_tnl-segmentation off gro on >/dev/null
	done
}

sums() {
	local kind

	capture sums h1 eth0 src host "${VTEP[h2]}"
	check "$ON: reachable with outer UDP checksums" reach red-a 10.0.0.3
	bulk "frames wire, udpcsum"
	# A sum left to the device outside, none inside: what is left of it must not reach a
	# guest's tap.
	on h2 ethtool -K tun-red tx off >/dev/null
	check "$ON: reachable from a guest with outer UDP checksums" reach red-t 10.0.0.3
	check "$ON: over IPv6" reach red-t fd00::3
	for kind in tcp udp; do
		check "$ON: to a guest with outer UDP checksums: $kind" xfer h2 red-t $kind 10.0.0.4
		check "$ON: over IPv6" xfer h2 red-t $kind fd00::4
	done
	on h2 ethtool -K eth0 tx off >/dev/null
	bulk "frames wire, udpcsum, tx off"
	capture_stop sums
	check "$ON: outer UDP checksums were there" \
		dissect_at_least sums 100 vxlan.vni=100 udp.csum!=0x0000
}
no_drops() { is "$ON: nothing was dropped on the way" "$(all_drops h1 | grep from_tunnel || true)" ""; }

for family in 4 6; do
	ON="on IPv$family"
	with=(udpcsum) without=(noudpcsum)
	[ $family = 4 ] || with=() without=(udp6zerocsumtx)
	topology $family "${without[@]}"
	unicast
	capture none h1 eth0 src host "${VTEP[h2]}"
	bulk "offload wire"
	frames_wire
	bulk "frames wire"
	capture_stop none
	check "$ON: the kernel's device spoke" dissect_at_least none 100 vxlan.vni=100
	is "$ON: without UDP checksums" "$(dissect none -C vxlan.vni=100 udp.csum!=0x0000)" 0
	no_drops
	foreign_down
	topology $family ${with[@]+"${with[@]}"}
	frames_wire
	sums
	no_drops
	foreign_down
done
finish
