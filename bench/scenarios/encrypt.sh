#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Encrypted between hosts: what tsw takes beside WireGuard itself
#
#    h1 ── container       h2 ── container      each peer
#
# tsw is `encrypt wireguard`; kernel a Linux bridge and a vxlan device whose frames go by a
# WireGuard device that is made by hand; wire the hosts themselves over such a device, which is the
# limit. A kernel without WireGuard has none of them; Debian's have:
#
#    scripts/kernels.sh run 6.12 bench/run encrypt
#
# There an emulated processor encrypts, without the instructions that a real one has for it: what is
# not encryption weighs less than anywhere else.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"

PEERS=(tsw kernel wire)
WG_MTU=$((UNDERLAY_MTU - 80))
PEER_MTU=$((WG_MTU - 50))
declare -A INSIDE=() # address of each host on its WireGuard device

scenario encrypt 'Encrypted between hosts'
needs iperf3 iperf3
needs sockperf sockperf
needs wg wireguard-tools
[ "$("$TSW" -j features | jq .wireguard)" = true ] || {
	skip_peer encrypt 'this kernel has no WireGuard'
	exit
}

between_tsw() {
	local host

	for host in h1 h2; do
		sw $host switch up dev eth0 local ${VTEP[$host]} name $host encrypt wireguard
		undo sw $host switch down
	done
	sw h1 host add h2 ip ${VTEP[h2]} key "$(sw h2 -j switch show | jq -r .public_key)"
	sw h2 host add h1 ip ${VTEP[h1]} key "$(sw h1 -j switch show | jq -r .public_key)"
	tenants tsw 100
	tsw_box tsw a h1 10.0.0.1/24
	tsw_box tsw c h2 10.0.0.3/24
	ends tsw tsw-a tsw-c 10.0.0.3
}

# wg_pair FIRST SECOND: in each wg0, which has the other for its peer.
wg_pair() {
	local host

	INSIDE[$1]=10.9.0.1 INSIDE[$2]=10.9.0.2
	for host in "$1" "$2"; do
		(umask 077 && wg genkey >$WORK/$host.key)
		ip -n $host link add wg0 mtu $WG_MTU type wireguard
		ip -n $host addr add ${INSIDE[$host]}/24 dev wg0
		on $host wg set wg0 private-key $WORK/$host.key listen-port 51820
		ip -n $host link set wg0 up
	done
	wg_peer $1 $2
	wg_peer $2 $1
}
wg_peer() { # HOST OTHER
	on $1 wg set wg0 peer "$(wg pubkey <$WORK/$2.key)" endpoint ${VTEP[$2]}:51820 \
		allowed-ips ${INSIDE[$2]}/32
}

between_wire() {
	wg_pair $A $B
	ends wire $A $B ${INSIDE[$B]}
}

kernel_end() { # HOST OTHER
	bridge_make $1
	ip -n $1 link add vx0 mtu $PEER_MTU type vxlan id 300 dstport 8472 local ${INSIDE[$1]} \
		remote ${INSIDE[$2]}
	ip -n $1 link set vx0 master br0 up
}
between_kernel() {
	wg_pair $A $B
	kernel_end $A $B
	kernel_end $B $A
	bridge_box kernel-a $A 10.1.0.1/24
	bridge_box kernel-c $B 10.1.0.3/24
	ends kernel kernel-a kernel-c 10.1.0.3
}

received() { # PEER: datagrams a second
	at ${FROM[$1]} iperf3 -c ${ADDR[$1]} -t $SECONDS_EACH -O 0.5 -u -b 0 -l 64 -J |
		jq -e '.end.sum | (.packets - .lost_packets) / .seconds'
}

topo_hosts h1 h2
peer_make "${PEERS[@]}"
peer_serve "${PEERS[@]}"
figure tcp 'One TCP flow' Gb/s more kernel
rounds "${PEERS[@]}" -- peer_flow
figure rr 'TCP request and response, percentile 50' us less kernel
rounds "${PEERS[@]}" -- peer_trip 50.000
figure small 'Datagrams of 64 octets' '1/s' more kernel
rounds "${PEERS[@]}" -- received
