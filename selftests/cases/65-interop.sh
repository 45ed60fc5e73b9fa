#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The kernel's own vxlan device as the other VTEP: k is a host without a switch.
#
#   red-a  10.0.0.1 ┐
#   red-b  10.0.0.2 ┤                              ┌ vx100 10.0.0.9, fd00::9
#   red-t  10.0.0.4 ┼ h1 192.0.2.1 ── 192.0.2.2 k ─┤
#   blue-a 10.0.0.1 ┘                              └ vx200, bridge br200 ── blue-k 10.0.0.9
. "$(dirname "$0")/../lib.sh"
. "$LIB/lib_wire.sh"

topo_hosts h1 k
HOSTS=(h1)
switch_up
tenants
sw h1 host add k ip 192.0.2.2
container red a h1 10.0.0.1/24 fd00::1/64
container red b h1 10.0.0.2/24 fd00::2/64
container blue a h1 10.0.0.1/24 fd00::1/64
guest red t h1 10.0.0.4/24 fd00::4/64
sw h1 endpoint add k tenant red mac 02:00:00:00:00:09 ip 10.0.0.9 ip fd00::9 host k
sw h1 endpoint add k tenant blue mac 02:00:00:00:00:0b ip 10.0.0.9 ip fd00::9 host k
netns blue-k
# vtep VNI WORD...: the kernel's device.
vtep() {
	ip -n k link add "vx$1" address 02:00:00:00:00:09 mtu 1450 type vxlan id "$1" \
		local 192.0.2.2 remote 192.0.2.1 dstport 4789 "${@:2}"
}
red_vtep() {
	vtep 100 "$@"
	ip -n k addr add 10.0.0.9/24 dev vx100
	sysctl_in k net.ipv6.conf.vx100.disable_ipv6=0
	ip -n k addr add fd00::9/64 dev vx100 nodad
	ip -n k link set vx100 up
}
red_vtep
vtep 200
ip -n k link add br200 mtu 1450 type bridge mcast_snooping 0 forward_delay 0
ip -n k link add blue-k mtu 1450 type veth peer name eth0 address 02:00:00:00:00:0b \
	mtu 1450 netns blue-k
for dev in vx200 blue-k; do
	ip -n k link set $dev master br200 up
done
ip -n k link set br200 up
container_net blue-k off 10.0.0.9/24 fd00::9/64

# ---- unicast, both ways; ARP and ND begin it --------------------------------------------
check "red-a reaches the kernel's device" reach red-a 10.0.0.9
check "red-a reaches it over IPv6" reach red-a fd00::9
check "blue-a reaches the container behind its bridge" reach blue-a 10.0.0.9
check "blue-a reaches it over IPv6" reach blue-a fd00::9
ip -n k neigh flush all
ip -n blue-k neigh flush all
check "the kernel's device reaches red-b" reach k 10.0.0.2
check "it does over IPv6" reach k fd00::2
check "the container behind its bridge reaches blue-a" reach blue-k 10.0.0.1
check "it does over IPv6" reach blue-k fd00::1
check_fails "not red's 10.0.0.2, which blue does not have" on blue-k ping -n -c 1 -W 1 10.0.0.2
quiet h1

# ---- broadcast and multicast, both ways ----------------------------------------------------
capture k k vx100
capture bk blue-k eth0
for at in red-a red-b blue-a; do
	capture $at $at eth0
done
# frame SRC DST TEXT: words
frame() { echo "eth src=02:00:00:00:00:$1 dst=$2 / ip src=$3 dst=10.0.0.255 / udp / text $4"; }
# shellcheck disable=SC2046 # words of a frame
{
	inject red-a eth0 $(frame 01 ff:ff:ff:ff:ff:ff 10.0.0.1 from-red-a)
	inject red-a eth0 $(frame 01 01:00:5e:01:01:01 10.0.0.1 from-red-a)
	inject red-a eth0 eth src=02:00:00:00:00:01 dst=33:33:00:00:00:77 \
		/ ip6 src=fd00::1 dst=ff02::77 / udp / text from-red-a
	inject k vx100 $(frame 09 ff:ff:ff:ff:ff:ff 10.0.0.9 from-k)
	inject k vx100 $(frame 09 01:00:5e:01:01:01 10.0.0.9 from-k)
	inject k vx100 eth src=02:00:00:00:00:09 dst=33:33:00:00:00:77 \
		/ ip6 src=fd00::9 dst=ff02::77 / udp / text from-k
	inject blue-k eth0 $(frame 0b ff:ff:ff:ff:ff:ff 10.0.0.9 from-blue-k)
	inject blue-a eth0 $(frame 01 ff:ff:ff:ff:ff:ff 10.0.0.1 from-blue-a)
}
check "red-a's broadcast and multicast come to the kernel's device" dissect_has k 3 has:from-red-a
check "and to red-b" dissect_has red-b 3 has:from-red-a
check "those of the kernel's device come to red-a" dissect_has red-a 3 has:from-k
check "and to red-b" dissect_has red-b 3 has:from-k
check "blue-k's come to blue-a" dissect_has blue-a 1 has:from-blue-k
check "blue-a's come to blue-k" dissect_has bk 1 has:from-blue-a
capture_stop k bk red-a red-b blue-a
is "each once: red-b has 6, blue-a 2 with its own" \
	"$(dissect red-b -C has:from-),$(dissect blue-a -C has:from-)" 6,2
is "red has nothing of blue's, blue nothing of red's" \
	"$(for at in k red-b; do dissect $at -C has:blue; done | xargs),$(for at in bk blue-a; do
		dissect $at -C has:red
	done | xargs)" "0 0,0 0"

# ---- bulk, both ways, on both wires; with and without the outer UDP checksum --------------------
bulk() { # DESC
	local kind

	for kind in tcp udp udpgso; do
		check "$1: $kind to the kernel's device" xfer red-a k $kind 10.0.0.9
		check "$1: $kind from it" xfer k red-a $kind 10.0.0.1
		check "$1: $kind to it, IPv6" xfer red-a k $kind fd00::9
		check "$1: $kind from it, IPv6" xfer k red-a $kind fd00::1
		check "$1: $kind to the container behind its bridge" \
			xfer blue-a blue-k $kind 10.0.0.9
		check "$1: $kind from it" xfer blue-k blue-a $kind fd00::1
	done
}
bulk "offload wire"
for ns in h1 k; do
	on $ns ethtool -K eth0 tso off gso off tx-udp-segmentation off \
		tx-udp_tnl-segmentation off gro on
done
bulk "frames wire"
ip -n k link del vx100
red_vtep udpcsum
capture sums h1 eth0 src host 192.0.2.2
check "reachable with outer UDP checksums" reach red-a 10.0.0.9
bulk "frames wire, udpcsum"
# A sum left to the device outside, none inside: what is left of it must not reach a guest's tap.
on k ethtool -K vx100 tx off
check "reachable from a guest with outer UDP checksums" reach red-t 10.0.0.9
check "over IPv6" reach red-t fd00::9
for kind in tcp udp; do
	check "to a guest with outer UDP checksums: $kind" xfer k red-t $kind 10.0.0.4
	check "over IPv6" xfer k red-t $kind fd00::4
done
on k ethtool -K eth0 tx off
bulk "frames wire, udpcsum, tx off"
capture_stop sums
check "outer UDP checksums were there" dissect_at_least sums 100 vxlan.vni=100 udp.csum!=0x0000
is "nothing was dropped on the way" "$(all_drops h1 | grep from_tunnel || true)" ""
finish
