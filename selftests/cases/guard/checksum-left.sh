#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-c 10.0.0.3
#
# A container leaves a checksum to the device, at a place within the source address or the ports,
# which the guard has read by then. The underlay has no checksum offload, so h1's kernel writes it.
. "$(dirname "$0")/../../lib.sh"

topo_standard
quiet h1 h2
on h1 ethtool -K eth0 tx off >/dev/null
capture red-c red-c eth0
from_a="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03"
to_c="$from_a / ip src=10.0.0.1 dst=10.0.0.3 / udp dport=9 / text LEFT"
kernel=$(uname -r | awk -F. '{ print $1 * 100 + $2 }')
trick() { # DESC START,OFFSET LAYER...
	if [ "$kernel" -lt 602 ]; then
		skip "$1" "Linux before 6.2 does not show a program where a checksum is left"
		return
	fi
	expect_drops "$1" h1 1 "red bad_offload from_endpoint" inject red-a eth0 -O "$2" "${@:3}"
}
# shellcheck disable=SC2086 # words on purpose
{
	trick "into the IPv4 source, its upper half" 20,6 $to_c
	trick "into the IPv4 source, its lower half" 20,8 $to_c
	trick "into the octets before the upper layer" 30,2 $to_c
	trick "into the source port" 34,0 $to_c
	trick "into the destination port" 34,2 $to_c
	trick "into the type of GRE" 34,2 $from_a / ip src=10.0.0.1 dst=10.0.0.3 / gre key=1
	trick "into ICMP's type" 34,0 $from_a / ip src=10.0.0.1 dst=10.0.0.3 / icmp
	trick "a sum over the IP header, too" 24,16 $to_c
	trick "in a later fragment" 34,6 $from_a / ip src=10.0.0.1 dst=10.0.0.3 frag=24 \
		/ text LEFTLEFTLEFTLEFT
	trick "into an ARP sender" 20,8 eth src=02:00:00:00:00:01 dst=ff:ff:ff:ff:ff:ff / arp op=2 \
		sha=02:00:00:00:00:01 spa=10.0.0.1 tha=02:00:00:00:00:03 tpa=10.0.0.3
	expect_drops "where it belongs" h1 0 "red bad_offload from_endpoint" inject red-a eth0 \
		-O 34,6 $to_c
}
check "and another" reach red-a 10.0.0.3
capture_stop red-c
is "that one arrived" "$(captured red-c 'src host 10.0.0.1 and udp dst port 9')" 1
others='src net 10.0.0.0/24 and not src host 10.0.0.1 and not src host 10.0.0.3'
is "nothing came from another address" "$(captured red-c "$others")" 0
finish
