#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The underlay is itself a tunnel, whose devices have no Ethernet header.
#
#   red-a 10.0.0.1 ── h1 l3 198.51.100.1, fd00:3::1 ┄┄┄ fd00:3::2, 198.51.100.2 l3 h2 ── red-c
#                     h1 eth0 ═══════════════════════════════════════════════ eth0 h2
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

# Where the kernel cannot find modprobe by itself, as in a chroot of an initramfs.
modprobe -a ip_gre ip6_gre ipip 2>/dev/null || true
UNDERLAY=46
topo_hosts h1 h2

# make KIND: both ends of the tunnel, or why not, in $WORK/err
make() {
	local host other

	if [ "$1" = tun ]; then
		"$PY" "$TOOLS/tap.py" -t h1:l3 h2:l3 >$WORK/carries &
		CARRIER=$!
		undo kill $CARRIER
		retry 5 grep -q ready $WORK/carries
	fi
	for host in h1 h2; do
		[ $host = h1 ] && other=h2 || other=h1
		case $1 in
		tun) ;;
		ip6gre) ip -n $host link add l3 type ip6gre local "${VTEP6[$host]}" \
			remote "${VTEP6[$other]}" encaplimit none 2>$WORK/err || return 1 ;;
		*) ip -n $host link add l3 type "$1" local "${VTEP4[$host]}" \
			remote "${VTEP4[$other]}" 2>$WORK/err || return 1 ;;
		esac
		sysctl_in $host net.ipv6.conf.l3.disable_ipv6=0
		ip -n $host link set l3 up mtu 1400
		ip -n $host addr add 198.51.100.${host#h}/24 dev l3
		ip -n $host addr add fd00:3::${host#h}/64 dev l3 nodad
	done
}
unmake() { # KIND
	if [ "$1" = tun ]; then
		kill $CARRIER
		wait $CARRIER 2>/dev/null || true
		return
	fi
	ip -n h1 link del l3
	ip -n h2 link del l3
}
# refused TEXT WORD...: h1 cannot do it, and says why
refused() { refuses "refused: ${*:2}" 1 "$1" sw h1 "${@:2}"; }
# up FAMILY: both switches, on addresses of that family
up() {
	local host own

	for host in h1 h2; do
		case $1 in
		4) own=198.51.100.${host#h} ;;
		6) own=fd00:3::${host#h} ;;
		esac
		sw $host switch up dev l3 local $own name $host
	done
	case $1 in
	4) sw h1 host add h2 ip 198.51.100.2 && sw h2 host add h1 ip 198.51.100.1 ;;
	6) sw h1 host add h2 ip fd00:3::2 && sw h2 host add h1 ip fd00:3::1 ;;
	esac
}
# pairs KIND FAMILY: each encapsulation, over IPv6 one
pairs() {
	local what

	# shellcheck disable=SC2034 # lib_topo.sh reads it
	for ENCAP in vxlan gre geneve; do
		[ "$2 $ENCAP" = "6 vxlan" ] || [ "$2" = 4 ] || continue
		what="$1, IPv$2, $ENCAP"
		red_pair "$what" 1280
		check "$what: tcp, IPv6" xfer red-c red-a tcp fd00::1
		red_pair_gone
	done
}

for KIND in tun ipip gre ip6gre; do
	if ! make $KIND; then
		skip "$KIND as the underlay" "this kernel has none: $(<$WORK/err)"
		continue
	fi
	for FAMILY in 4 6; do
		[ "$KIND $FAMILY" != "ipip 6" ] || continue # it carries IPv4 alone
		up $FAMILY
		pairs $KIND $FAMILY
		check "$KIND, IPv$FAMILY: nothing is wrong" sw h1 switch check
		[ "$KIND $FAMILY" = "tun 4" ] || {
			sw h1 switch down && sw h2 switch down
			continue
		}
		is "its MTU is what counts" "$(sw h1 -j switch show | gojq -c '[.devs[] | [.dev, .xdp, .mtu]]')" \
			'[["l3","off",1400]]'
		refused '"l3" has no Ethernet header' switch set xdp native
		is "and nothing has changed" "$(sw h1 -j switch show | gojq -r .xdp)" off
		check "Ethernet beside it" sw h1 switch set dev l3 dev eth0
		check "and without it" sw h1 switch set dev eth0
		sw h1 switch down && sw h2 switch down
		refused '"l3" has no Ethernet header' switch up dev l3 xdp generic
	done
	unmake $KIND
done

# ---- encrypted, over such a device ------------------------------------------------------

key() { sw "$1" -j switch show | gojq -r .public_key; }
encrypted() {
	local host

	for host in h1 h2; do
		ip -n $host link set l3 mtu 1480 # IPv6 needs 1280 inside
		sw $host switch up dev l3 local 198.51.100.${host#h} name $host encrypt wireguard
	done
	sw h1 host add h2 ip 198.51.100.2 key "$(key h2)"
	sw h2 host add h1 ip 198.51.100.1 key "$(key h1)"
	capture wire h2 l3
	tenants red 100
	containers red "a@h1 c@h2" mtu 1350
	is "encrypted over $1: MTU" "$(sw h1 -j tenant show red | gojq '.[0].mtu')" 1350
	check "encrypted over $1: red reaches red" reach red-a 10.0.0.3
	check "encrypted over $1: red reaches red, IPv6" reach red-c fd00::1
	check "encrypted over $1: tcp" xfer red-a red-c tcp 10.0.0.3 bytes=200000
	capture_stop wire
	check "encrypted over $1: by WireGuard" capture_at_least wire 100 udp portrange 51820-51823
	is "encrypted over $1: and by nothing else" \
		"$(captured wire not udp portrange 51820-51823 and not icmp6)" 0
	check "encrypted over $1: nothing is wrong" sw h1 switch check
	sw h1 switch down && sw h2 switch down
}
if [ "$("$TSW" -j features | gojq .wireguard)" != true ]; then
	skip "encrypted over a tunnel" "this kernel has no WireGuard"
elif make ipip; then
	encrypted ipip
else
	skip "encrypted over a tunnel" "this kernel has no ipip: $(<$WORK/err)"
fi
finish
