#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a ┐              wire               ┌ red-c
#   red-b ┼ h1 192.0.2.1 ─┬─ 192.0.2.2 h2 ──┤
#  blue-a ┘               │                 └ blue-c
#                         └─ 192.0.2.3 h3 ─── red-d      (blue has nobody on h3)
#
# A broadcast frame reaches every endpoint of the tenant once, on every host. It does not come back
# to its sender, and reaches no other tenant.
. "$(dirname "$0")/../../lib.sh"

topo h1 red-a red-b blue-a h2 red-c blue-c h3 red-d
for ns in red-a red-b red-c red-d blue-a blue-c; do
	capture $ns $ns eth0
done
for host in h1 h2 h3; do
	capture $host $host eth0 udp port 4789
done
A=02:00:00:00:00:01 ALL=ff:ff:ff:ff:ff:ff
from_a() { inject red-a eth0 eth src=$A "$@"; }
# arrived NAME TEXT: wait for it to be in that capture.
arrived() { retry 3 grep -q "$2" "$WORK/$1.pcap" || true; }
# seen TEXT: who has it, and how often; what a sends itself is in its capture once.
seen() {
	local name

	for name in red-a red-b red-c red-d blue-a blue-c h1 h2 h3; do
		echo "$name=$(grep -ao "$1" "$WORK/$name.pcap" | grep -c . || true)"
	done | paste -sd ' '
}
# h1 sends two copies; each host's own cable carries one. On h1 both are seen.
everyone="red-a=1 red-b=1 red-c=1 red-d=1 blue-a=0 blue-c=0 h1=2 h2=1 h3=1"
everywhere() { # DESC TEXT
	arrived red-c "$2"
	arrived red-d "$2"
	is "$1" "$(seen "$2")" "$everyone"
}
nobody="red-a=1 red-b=0 red-c=0 red-d=0 blue-a=0 blue-c=0 h1=0 h2=0 h3=0"

for ns in red-b red-c red-d; do # neighbours are known from here on
	reach $ns 10.0.0.1
done
reach blue-a 10.0.0.3
quiet h1 h2 h3
stats() {
	echo "$(stat_of h1 red local) $(stat_of h1 red tunnel_tx) $(stat_of h2 red tunnel_rx)" \
		"$(stat_of h3 red tunnel_rx)"
}
before=$(stats)
from_a dst=$ALL / ip src=10.0.0.1 dst=10.0.0.255 / udp / text BROADCAST
everywhere "broadcast: one copy each" BROADCAST
is "counted: local 1, tunnel_tx 2, tunnel_rx 1 and 1" "$(stats)" \
	"$(awk '{ print $1 + 1, $2 + 2, $3 + 1, $4 + 1 }' <<<"$before")"
from_a dst=$ALL type=0x88b5 / text NOTIP / pad 46
everywhere "broadcast that is not IP" NOTIP
from_a dst=$ALL type=0x88b5 / text SHORT
everywhere "and one as short as no wire would bring" SHORT
from_a dst=01:00:5e:01:02:03 / ip src=10.0.0.1 dst=224.1.2.3 / udp / text MULTI4
everywhere "IPv4 multicast" MULTI4
from_a dst=33:33:00:00:01:23 / ip6 src=fe80::ff:fe00:1 dst=ff05::123 / udp / text MULTI6
everywhere "IPv6 multicast" MULTI6
from_a dst=01:80:c2:00:00:10 type=0x88b5 / text NEARLY / pad 46
everywhere "a group just above the reserved ones" NEARLY
inject blue-a eth0 eth src=$A dst=$ALL / ip src=10.0.0.1 dst=10.0.0.255 / udp / text BLUE
arrived blue-c BLUE
is "a host without members gets no copy" "$(seen BLUE)" \
	"red-a=0 red-b=0 red-c=0 red-d=0 blue-a=1 blue-c=1 h1=1 h2=1 h3=0"

# What must not be copied.
for octet in 00 01 02 03 0e 0f; do
	expect_drops "01:80:c2:00:00:$octet stays at its port" h1 1 \
		"red reserved_multicast from_endpoint" \
		from_a dst=01:80:c2:00:00:$octet type=0x88cc / text RESERVED
done
expect_drops "unicast to nobody" h1 1 "red unknown_destination from_endpoint" \
	from_a dst=02:00:00:00:00:99 / ip src=10.0.0.1 dst=10.0.0.99 / udp / text UNKNOWN
from_a dst=$ALL type=0x88b5 / text BARRIER / pad 46
arrived red-d BARRIER
is "reserved groups reached nobody" "$(seen RESERVED)" "${nobody/red-a=1/red-a=6}"
is "unknown unicast reached nobody" "$(seen UNKNOWN)" "$nobody"

# Broadcast off, a switch of the tenant.
sw h1 tenant set red broadcast off
expect_drops "off: broadcast is dropped" h1 1 "red broadcast_off from_endpoint" \
	from_a dst=$ALL type=0x88b5 / text OFF / pad 46
expect_drops "off: so is multicast" h1 1 "red broadcast_off from_endpoint" \
	from_a dst=01:00:5e:01:02:03 / ip src=10.0.0.1 dst=224.1.2.3 / udp / text OFF
ip -n red-a neigh flush dev eth0
check "off: ARP is still answered, unicast still goes" reach red-a 10.0.0.3
is "off: reached nobody" "$(seen OFF)" "${nobody/red-a=1/red-a=2}"
sw h1 tenant set red broadcast on
from_a dst=$ALL type=0x88b5 / text AGAIN / pad 46
everywhere "on again" AGAIN

# Who has gone gets none.
sw h1 endpoint del d tenant red
sw h1 endpoint del b tenant red
from_a dst=$ALL type=0x88b5 / text GONE / pad 46
arrived red-c GONE
is "no copy to who was deleted" "$(seen GONE)" \
	"red-a=1 red-b=0 red-c=1 red-d=0 blue-a=0 blue-c=0 h1=1 h2=1 h3=0"
finish
