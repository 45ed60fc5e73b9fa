#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Red tries to get into blue through its host's own stack, where forwarding is on, and with stale
# neighbour entries.
#
#   red-a 10.0.0.1 ── red-a ╮                    ╭ blue-a ── blue-a 10.0.0.1
#                           ├ h1, ip_forward = 1 ┤
#             10.0.0.254/32 ╯                    ╰ routes 10.0.0.13 and 10.0.0.1 to blue-a
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_isolation.sh"

topo_isolation
watch_blue a c d
unknown="red unknown_destination from_endpoint"
ping_d() { ! on red-a ping -n -c 3 -i 0.2 -W 1 10.0.0.13; }
neighbour() { ip -n red-a neigh replace 10.0.0.13 lladdr "$1" dev eth0 nud permanent; }

neighbour 02:00:00:00:00:0d
expect_drops "a stale neighbour entry: blue-d's MAC" h1 3 "$unknown" ping_d
ip -n red-a neigh replace fd00::d lladdr 02:00:00:00:00:0d dev eth0 nud permanent
ping_d6() { ! on red-a ping -n -c 3 -i 0.2 -W 1 fd00::d; }
expect_drops "the same for IPv6" h1 3 "$unknown" ping_d6
sw h2 endpoint del d tenant blue
sw h1 endpoint del d tenant blue
expect_drops "the endpoint gone, the entry still there" h1 3 "$unknown" ping_d
for host in h1 h2; do
	on=(host h2)
	[ $host = h1 ] || on=(dev blue-d)
	sw $host endpoint add d tenant blue mac 02:00:00:00:00:0d ip 10.0.0.13 ip fd00::d "${on[@]}"
done

sysctl_in h1 net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.red-a.rp_filter=0 \
	net.ipv4.conf.blue-a.rp_filter=0
ip -n h1 addr add 10.0.0.254/32 dev red-a
ip -n h1 route add 10.0.0.13/32 dev blue-a
ip -n h1 neigh replace 10.0.0.13 lladdr 02:00:00:00:00:01 dev blue-a nud permanent
neighbour "$(mac_on h1 red-a)"
capture stack h1 blue-a
expect_drops "red to the host's MAC: the stack does not get it" h1 3 "$unknown" ping_d
expect_drops "red to the host's MAC as broadcast" h1 0 "$unknown" inject red-a eth0 \
	eth src=02:00:00:00:00:01 dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.1 dst=10.0.0.13 / udp \
	/ text red-up
check_fails "red does not reach the host's address" on red-a ping -n -c 1 -W 1 10.0.0.254
check_fails "nor its VTEP" on red-a ping -n -c 1 -W 1 192.0.2.1
send_blue() { on h1 bash -c 'for i in 1 2; do echo red-host >/dev/udp/10.0.0.13/9; done'; }
expect_drops "the host's stack itself" h1 2 "blue not_stamped to_endpoint" send_blue
# A tunnel frame that the host's stack sends to itself or to the other VTEP.
# shellcheck disable=SC2046 # words of a frame
expect_drops "a tunnel frame of the host's from another address" h2 1 \
	"blue unknown_host from_tunnel" inject h1 eth0 $(tunnel 192.0.2.99 h2 200) \
	eth src=02:00:00:00:00:01 dst=02:00:00:00:00:0d / ip src=10.0.0.1 dst=10.0.0.13 / udp \
	/ text red-host
capture_stop stack
is "h1 forwarded nothing of red's towards blue-a" "$(dissect stack -C ip.src=10.0.0.1)" 0
blue_saw_nothing
finish
