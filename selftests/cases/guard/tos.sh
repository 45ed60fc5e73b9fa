#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 ── h1 ── up1 198.51.1.1 ── world 198.51.1.2
#
# Linux gives a forwarded packet the priority that its TOS asks for (RFC 1349), and queues sort by
# the priority. A tenant's frames leave without a priority, by the router and by the fast way.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1
switch_up
sw h1 tenant add red id 100
uplink h1 world 1
container red a h1 10.0.0.1/24
sw h1 gateway add red ip 10.0.0.254/24
way_out red-a 10.0.0.254
# What leaves is looked at on another device: netfilter does not see at up1 what programs send.
ip -n h1 link add seen type veth peer name seen2
for dev in seen seen2; do ip -n h1 link set $dev up; done
on h1 tc qdisc replace dev up1 clsact
on h1 tc filter add dev up1 egress protocol ip u32 match ip dport 9 0xffff \
	action mirred ingress mirror dev seen
on h1 nft -f - <<-'END'
	table netdev seen {
		counter every { }
		counter high { }
		chain out {
			type filter hook ingress device seen priority 0;
			udp dport 9 counter name every
			udp dport 9 meta priority != none counter name high
		}
	}
END
seen() { # COUNTER
	on h1 nft -j list counter netdev seen "$1" | gojq '.nftables[].counter.packets? // empty'
}
sent() { [ "$(seen every)" -ge "$1" ]; } # COUNT
send() { # NS TO TOS
	on "$1" "$PY" -c 'import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, int(sys.argv[2], 0))
s.sendto(b"tos", (sys.argv[1], 9))' "$2" "$3"
}
n=0
for tos in 0x00 0x02 0x04 0x08 0x10 0x18 0xb8 0xe0; do
	send red-a 198.51.1.2 $tos
	n=$((n + 1))
	check "TOS $tos leaves" retry 5 sent $n
done
is "none with a priority" "$(seen high)" 0

# What the host forwards for others keeps its own.
netns other
ip -n h1 link add v0 type veth peer name eth0 netns other
ip -n h1 addr add 10.9.0.1/24 dev v0
ip -n h1 link set v0 up
ip -n other addr add 10.9.0.2/24 dev eth0
ip -n other link set eth0 up
ip -n other route add default via 10.9.0.1
sysctl_in h1 net.ipv4.conf.v0.forwarding=1
send other 198.51.1.2 0x10
check "another's leaves" retry 5 sent $((n + 1))
is "with its priority" "$(seen high)" 1
finish
