#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Only the switch reaches an endpoint: any other frame to its device is dropped as not_stamped.
#
#   red-a 10.0.0.1 ── h1 ── red-b 10.0.0.2      h1's own stack, a bridge br9 and a packet
#    capture `a`      │                         socket try to reach red-a; so does the tap's
#   blue-t (tap) ─────╯                         host end blue-t, 10.0.0.2 of blue
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

topo_hosts h1 h2
switch_up
tenants
containers4 red "a@h1 b@h1 c@h2"
guest blue t h1 10.0.0.2/24
check "reachable before" reach red-b 10.0.0.1
quiet h1

key="red not_stamped to_endpoint"
to_a="eth src=02:00:00:00:00:02 dst=02:00:00:00:00:01 / ip src=10.0.0.2 dst=10.0.0.1"
capture a red-a eth0
capture t blue-t eth0

# shellcheck disable=SC2086
{
	expect_drops "a packet socket on the host end" h1 3 "$key" \
		inject h1 red-a -c 3 $to_a / udp / text stray
	expect_drops "a packet socket that sets a mark" h1 2 "$key" \
		inject h1 red-a -c 2 -M 100 $to_a / udp / text stray
	expect_drops "a broadcast of the host's" h1 1 "$key" inject h1 red-a \
		eth src=02:00:00:00:00:02 dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.2 \
		dst=255.255.255.255 / udp / text stray
	expect_drops "a tagged frame" h1 1 "$key" inject h1 red-a \
		eth src=02:00:00:00:00:02 dst=02:00:00:00:00:01 / vlan vid=5 / ip src=10.0.0.2 \
		dst=10.0.0.1 / udp / text stray
	expect_drops "a packet socket on a tap's host end" h1 1 "blue not_stamped to_endpoint" \
		inject h1 blue-t eth dst=02:00:00:00:00:02 / ip src=10.0.0.1 dst=10.0.0.2 / udp \
		/ text stray
}

# The host's own stack, with an address, a route and a neighbour entry.
ip -n h1 addr add 10.0.0.99/24 dev red-a
ip -n h1 neigh add 10.0.0.1 lladdr 02:00:00:00:00:01 dev red-a nud permanent
# Not ping: it sends again what it is told was dropped.
send_a() { on h1 bash -c 'for i in 1 2 3; do echo stray >/dev/udp/10.0.0.1/9; done'; }
expect_drops "the host's own stack" h1 3 "$key" send_a
ip -n h1 neigh del 10.0.0.1 dev red-a
arp_a() { ! on h1 ping -n -c 1 -W 1 10.0.0.1; }
before=$(drops h1 not_stamped red)
check "the host's own ARP" arp_a
check "the host's own ARP is counted" test "$(drops h1 not_stamped red)" -gt "$before"
ip -n h1 addr del 10.0.0.99/24 dev red-a
quiet h1

# A bridge that somebody puts the host end into, with a device that floods it.
ip -n h1 link add br9 type bridge mcast_snooping 0 forward_delay 0
sysctl_in h1 net.ipv6.conf.br9.disable_ipv6=1
ip -n h1 link add p9 type veth peer name q9
ip -n h1 link set p9 master br9 up
ip -n h1 link set q9 up
ip -n h1 link set red-a master br9
ip -n h1 link set br9 up
retry 5 bash -c "ip -n h1 -d link show dev p9 | grep -q 'state forwarding'"
quiet h1
# shellcheck disable=SC2086
expect_drops "a bridge that floods" h1 2 "$key" inject h1 q9 -c 2 $to_a / udp / text stray
ip -n h1 link set red-a nomaster
ip -n h1 link del br9
ip -n h1 link del p9

# A frame that was stamped for one port does not open another: red-b's tap and red-a alike.
check "the switch's own ways still lead there: same host" reach red-b 10.0.0.1
check "from another host" reach red-c 10.0.0.1
inject red-b eth0 eth src=02:00:00:00:00:02 dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.2 \
	dst=255.255.255.255 / udp / text wanted
check "broadcast of the tenant" dissect_has a 1 has:wanted
capture_stop a t
is "nothing of the host's came to red-a" "$(dissect a -C has:stray)" 0
is "nor did its ARP or pings" "$(captured a 'host 10.0.0.99')" 0
is "nothing of the host's came to the guest" "$(dissect t -C has:stray)" 0

# Without the switch the same frame gets there: it is the switch that kept it out.
sw h1 switch down
capture open red-a eth0
# shellcheck disable=SC2086
inject h1 red-a $to_a / udp / text stray
check "after switch down the same frame arrives" dissect_has open 1 has:stray
finish
