#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An underlay in a VLAN: the tunnel's frames bear its tag. Frames with other tags are not counted
# there, since they may be for other VLAN devices. Here no such device exists, so nobody gets them.
#
#   red-a 10.0.0.1 ── h1 eth0.5 192.0.2.1, ::1 ═══ vid 5 ═══ ::2, 192.0.2.2 eth0.5 h2 ── red-c
#                     h1 eth0   198.51.100.1   no address of the switch's
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

UNDERLAY=46
topo_hosts h1 h2
if ! ip -n h1 link add link eth0 name eth0.5 type vlan id 5 2>$WORK/err; then
	skip "an underlay in a VLAN" "this kernel has no VLAN devices: $(<$WORK/err)"
	finish
	exit 0
fi
ip -n h2 link add link eth0 name eth0.5 type vlan id 5
for host in h1 h2; do
	ip -n $host addr flush dev eth0
	sysctl_in $host net.ipv6.conf.{eth0/5.disable_ipv6,eth0/5.accept_dad}=0
	ip -n $host link set eth0.5 up
	ip -n $host addr add "${VTEP4[$host]}/24" dev eth0.5
	ip -n $host addr add "${VTEP6[$host]}/64" dev eth0.5 nodad
done

# frame TAG ENCAP ID TEXT: from h2's address to red-a.
frame() {
	echo "eth src=02:ff:00:00:00:01 dst=$(mac_on h1 eth0) ${1:+/ $1} / ip src=192.0.2.2" \
		"dst=192.0.2.1 / $(tunnel_header "$2" "$3") / eth src=02:00:00:00:00:03" \
		"dst=02:00:00:00:00:01 / ip src=10.0.0.3 dst=10.0.0.1 / udp / text $4"
}

for devs in "dev eth0.5" "dev eth0 dev eth0.5"; do
	UP_DEVS=$devs switch_up
	for ENCAP in vxlan gre geneve; do
		red_pair "$devs, $ENCAP" 1450
		quiet h1 h2
		capture red-a red-a eth0
		# shellcheck disable=SC2046
		{
			expect_drops "$devs, $ENCAP: in the VLAN" h1 0 \
				"red vlan_tagged from_tunnel" \
				inject h2 eth0 $(frame "vlan vid=5" $ENCAP 100 wanted)
			expect_drops "$devs, $ENCAP: in another VLAN" h1 0 \
				"red vlan_tagged from_tunnel" \
				inject h2 eth0 $(frame "vlan vid=6" $ENCAP 100 unwanted)
			expect_drops "$devs, $ENCAP: a second tag in the VLAN" h1 0 \
				"red vlan_tagged from_tunnel" inject h2 eth0 \
				$(frame "vlan vid=5 / vlan vid=7" $ENCAP 100 not-even-so)
		}
		check "$devs, $ENCAP: red reaches red" reach red-a 10.0.0.3
		capture_has red-a 1 icmp || note "no barrier"
		capture_stop red-a
		is "$devs, $ENCAP: what was in the VLAN came, once" \
			"$(dissect red-a -f text udp.dport=9)" wanted
		red_pair_gone
	done
	for host in h1 h2; do
		sw $host switch down
	done
done

above() { # HOST: so many of its underlays stand on another
	map_dump "$1" config |
		gojq '.[0].formatted.value.underlay | map(.flags / 4 % 2 | floor) | add'
}

# ---- the lower one is taken off, and comes again ---------------------------------
UP_DEVS="dev eth0 dev eth0.5" switch_up
ENCAP=vxlan tenants red 100
containers red "a@h1 c@h2"
check "both: red reaches red" reach red-a 10.0.0.3
on red-a ping -n -q -i 0.02 -c 500 -W 5 10.0.0.3 >$WORK/ping 2>&1 &
PING=$!
for devs in "dev eth0.5" "dev eth0 dev eth0.5" "dev eth0.5 dev eth0" "dev eth0.5"; do
	# shellcheck disable=SC2086
	check "switch set $devs" sw h1 switch set $devs
	# With the lower one gone nobody would take the pass off.
	above=$(above h1)
	is "$devs: one stands on another, or none" "$above" "$((${#devs} > 11))"
	check "$devs: red reaches red" reach red-a 10.0.0.3
done
wait $PING || true
note "$(grep received $WORK/ping)"
is "none was taken for another's" "$(drops h1 foreign_tunnel red)" 0

# A VLAN device whose lower one is in another namespace, where that has another's number.
netns lone
for i in {1..40}; do ip -n lone link add f$i type veth peer name g$i; done
n=$(($(ip -n lone -j link show | gojq 'map(.ifindex) | max') + 1)) # what it numbers next
ip -n h1 link add low index $n type veth peer name low2
ip -n h1 link set low up
ip -n h1 link add link low name v6 netns lone type vlan id 6
ip -n h1 link add link low name v7 netns lone type vlan id 7
is "it has its lower one's number" "$(ip -n lone -j link show v6 | gojq '.[0].ifindex')" "$n"
ip -n lone link set v7 up
ip -n lone addr add 198.51.100.9/24 dev v7
check "its switch comes up" timeout 60 "$TSW" -n lone switch up dev v7 local 198.51.100.9 name lone
is "and it stands on none" "$(above lone)" 0
sw lone switch down
for host in h1 h2; do sw $host switch down; done
finish
