#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What an endpoint's device may be: a tap, a veth with both ends in one namespace, one that
# moves, one that is made anew.
#
#   red-a 10.0.0.1 (veth) ──╮
#   red-t 10.0.0.2 (tap)  ──┼── h1 192.0.2.1 ══════ 192.0.2.2 h2 ──┬── red-c 10.0.0.3 (veth)
#   p0 10.0.0.4, with p1 ───╯                                      ╰── red-u 10.0.0.5 (tap, offload)
#   both ends in h1
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

topo_hosts h1 h2
switch_up
tenants
container red a h1 10.0.0.1/24 fd00::1/64
guest red t h1 10.0.0.2/24 fd00::2/64
guest red u h2 10.0.0.5/24 fd00::5/64 offload on
container red c h2 10.0.0.3/24 fd00::3/64

# ---- tap --------------------------------------------------------------------------------
for pair in t:c t:a a:t c:t u:c u:t t:u a:u; do
	from=red-${pair%:*} to=red-${pair#*:}
	n=$(ip -n $to -j -4 addr show eth0 | gojq -r '.[0].addr_info[0].local')
	check "$from reaches $to" reach $from "$n"
	check "$from reaches $to over IPv6" reach $from "fd00::${n##*.}"
	for kind in tcp udp udpgso; do
		check "$from to $to: $kind" xfer $from $to $kind "$n"
	done
	check "$from to $to: tcp over IPv6" xfer $from $to tcp "fd00::${n##*.}"
done
quiet h1 h2
expect_drops "a guest is guarded as a container is" h1 1 "red spoofed_mac from_endpoint" \
	inject red-t eth0 eth src=02:00:00:00:00:66 dst=02:00:00:00:00:01 / ip src=10.0.0.2 \
	dst=10.0.0.1
check "a guest in a frame too long learns it" on red-t ip link set eth0 mtu 1500
check_fails "1473 octets of ping" on red-t ping -n -c 1 -W 1 -M 'do' -s 1423 10.0.0.3
check "the guest's route knows 1450" bash -c "ip -n red-t route get 10.0.0.3 | grep -q 'mtu 1450'"

# ---- both ends in one namespace -------------------------------------------------------------
ip -n h1 link add p0 type veth peer name p1 address 02:00:00:00:00:04
ip -n h1 link set p0 up
ip -n h1 link set p1 up
retry 5 carrier h1 p0
retry 5 carrier h1 p1
sw h1 endpoint add p tenant red mac 02:00:00:00:00:04 ip 10.0.0.4 dev p0
sw h2 endpoint add p tenant red mac 02:00:00:00:00:04 ip 10.0.0.4 host h1
to_p="dst=02:00:00:00:00:04 / ip"
capture p1 h1 p1
capture red-c red-c eth0
# shellcheck disable=SC2086
{
	inject red-a eth0 eth src=02:00:00:00:00:01 $to_p src=10.0.0.1 dst=10.0.0.4 / udp \
		/ text from-a
	inject red-c eth0 eth src=02:00:00:00:00:03 $to_p src=10.0.0.3 dst=10.0.0.4 / udp \
		/ text from-c
	inject red-c eth0 eth src=02:00:00:00:00:03 dst=02:00:00:00:00:04 \
		/ ip6 src=fd00::3 dst=fd00::4 / udp / text from-c
	inject red-c eth0 eth src=02:00:00:00:00:03 dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.3 \
		dst=10.0.0.255 / udp / text from-c
	inject h1 p1 eth src=02:00:00:00:00:04 dst=02:00:00:00:00:03 \
		/ ip src=10.0.0.4 dst=10.0.0.3 / udp / text from-p
}
check "both ends in one namespace: gets what comes from its own host" dissect_has p1 1 has:from-a
check "what comes from another, IPv4, IPv6 and broadcast" dissect_has p1 3 has:from-c
check "what it sends arrives" dissect_has red-c 1 has:from-p
capture_stop p1 red-c

# ---- a veth that moves -----------------------------------------------------------------------
for ns in moved-1 moved-2; do
	netns $ns
done
move() { # FROM TO: its inner end
	ip -n "$1" link set p1 netns "$2"
	container_net_p1 "$2"
}
container_net_p1() {
	sysctl_in "$1" net.ipv6.conf.p1.disable_ipv6=1
	ip -n "$1" addr replace 10.0.0.4/24 dev p1
	ip -n "$1" link set p1 up
	retry 5 carrier "$1" p1
	retry 5 carrier h1 p0
}
move h1 moved-1
check "moved into a namespace after it was added" reach moved-1 10.0.0.3
check "TCP to it from its own host" xfer red-a moved-1 tcp 10.0.0.4
check "TCP to it from another" xfer red-c moved-1 tcp 10.0.0.4
move moved-1 moved-2
check "moved on to another namespace" xfer red-c moved-2 tcp 10.0.0.4

# ---- a device that went away, and another with the same number --------------------------------
old=$(ip -n h1 -j link show p0 | gojq '.[0].ifindex')
ip -n h1 link del p0
ip -n h1 link add p2 index "$old" type veth peer name eth0 \
	address 02:00:00:00:00:04 netns moved-2
ip -n h1 link set p2 up
ip -n moved-2 addr add 10.0.0.4/24 dev eth0
ip -n moved-2 link set eth0 up
retry 5 carrier moved-2 eth0
is "another device got the old one's number" \
	"$(ip -n h1 -j link show p2 | gojq '.[0].ifindex')" "$old"
capture red-c red-c eth0
check "it has not inherited the way out" no_reach moved-2 10.0.0.3
capture_stop red-c
is "nothing of it came over" "$(captured red-c 'host 10.0.0.4 and not arp')" 0
capture gone moved-2 eth0
stale="dst=02:00:00:00:00:04 / ip dst=10.0.0.4"
# shellcheck disable=SC2086
{
	expect_drops "nor does it get what the old one's neighbours send" h1 1 \
		"red device_gone from_endpoint" inject red-a eth0 eth src=02:00:00:00:00:01 \
		$stale src=10.0.0.1 / udp / text stale
	expect_drops "nor from another host" h1 1 "red device_gone from_tunnel" inject red-c eth0 \
		eth src=02:00:00:00:00:03 $stale src=10.0.0.3 / udp / text stale
	expect_drops "nor a broadcast" h1 0 "red device_gone from_endpoint" inject red-a eth0 eth \
		src=02:00:00:00:00:01 dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.1 dst=10.0.0.255 \
		/ udp / text stale
}
capture_stop gone
is "none of it arrived" "$(captured gone 'src host 10.0.0.1 or src host 10.0.0.3')" 0
check "endpoint replace brings it in" sw h1 endpoint replace p tenant red \
	mac 02:00:00:00:00:04 ip 10.0.0.4 dev p2
check "then it is reachable" reach moved-2 10.0.0.3
ip -n h1 link del p2
ip -n h1 link add p3 index "$old" type veth peer name eth0 \
	address 02:00:00:00:00:04 netns moved-2
ip -n h1 link set p3 up
container_net moved-2 off 10.0.0.4/24
check "blue may take a device whose number red's old one had" sw h1 endpoint add q tenant blue \
	mac 02:00:00:00:00:04 ip 10.0.0.4 dev p3
check "it is blue's: red is not reached" no_reach moved-2 10.0.0.3
check_fails "and red does not reach it" on red-a ping -n -c 2 -i 0.2 -W 1 10.0.0.4
finish
