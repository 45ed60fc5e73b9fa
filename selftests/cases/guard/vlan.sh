#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 ┐                             ┌ red-c 10.0.0.3
#   red-b 10.0.0.2 ┴ h1 192.0.2.1 ─ 192.0.2.2 h2 ┘  also forges frames on the wire
#
# RFC 7348 section 6.1: no VLAN tag goes into the tunnel or comes out of it, wherever it sits. A
# tenant's tag never gets onto the outer frame.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

topo_standard
A=02:00:00:00:00:01 C=02:00:00:00:00:03 ALL=ff:ff:ff:ff:ff:ff
for ns in red-a red-b red-c blue-c; do
	capture $ns $ns eth0
done
capture wire h2 eth0
data="ip src=10.0.0.1 dst=10.0.0.3 / udp / text TAGGED"
tagged() { # DESC TAG-LAYERS: from red-a, to one here, one there, all
	local dst

	for dst in 02:00:00:00:00:02 $C $ALL; do
		# shellcheck disable=SC2086
		expect_drops "$1 to $dst" h1 1 "red vlan_tagged from_endpoint" \
			inject red-a eth0 eth src=$A dst=$dst / $2 / $data
	done
}
reach red-a 10.0.0.3
quiet h1 h2
# The kernel moves the first tag into the skb at the veth; a second one stays in the frame.
tagged "802.1Q" "vlan vid=5"
tagged "802.1Q, priority alone (vid 0)" "vlan vid=0 pcp=5"
tagged "802.1ad" "vlan vid=5 tpid=0x88a8"
tagged "802.1ad, vid 0" "vlan vid=0 tpid=0x88a8"
tagged "802.1ad and 802.1Q" "vlan vid=5 tpid=0x88a8 / vlan vid=6"
tagged "802.1Q twice" "vlan vid=5 / vlan vid=6"
expect_drops "a tagged ARP request" h1 1 "red vlan_tagged from_endpoint" \
	inject red-a eth0 eth src=$A dst=$ALL / vlan vid=5 / arp sha=$A spa=10.0.0.1 tpa=10.0.0.3
expect_drops "a tagged frame with a forged MAC is one drop too" h1 1 \
	"red vlan_tagged from_endpoint" inject red-a eth0 eth src=$C dst=$ALL / vlan vid=5 / $data

# A sender whose device takes tags by offload has them in the skb from the start.
on red-a ethtool -K eth0 tx-vlan-hw-insert on >/dev/null 2>&1 || note "no tag offload here"
tagged "802.1Q with offload" "vlan vid=7"

# From the wire: h2 is a known host, C lives there, yet its frame has a tag inside.
outer=$(tunnel 192.0.2.2 h1 100)
for tag in "vlan vid=5" "vlan vid=0" "vlan vid=5 tpid=0x88a8"; do
	for dst in $A $ALL; do
		# shellcheck disable=SC2086
		expect_drops "from the wire, $tag to $dst" h1 1 "red vlan_tagged from_tunnel" \
			inject h2 eth0 $outer eth src=$C dst=$dst / $tag / ip src=10.0.0.3 \
			dst=10.0.0.1 / udp / text TAGGED
	done
done
# shellcheck disable=SC2086
inject h2 eth0 $outer eth src=$C dst=$A / ip src=10.0.0.3 dst=10.0.0.1 / udp / text BARE
check "the same frame without a tag is delivered" retry 3 grep -q BARE $WORK/red-a.pcap

# To an endpoint, from the host's own stack.
from_stack() { inject h1 red-a "$@" || true; } # the kernel tells the sender of the drop
expect_drops "a tagged frame from the host's stack to an endpoint" h1 1 \
	"red not_stamped to_endpoint" from_stack eth src=$C dst=$A / vlan vid=5 / \
	ip src=10.0.0.3 dst=10.0.0.1 / udp / text TAGGED
reach red-a 10.0.0.3
for ns in red-b red-c blue-c; do
	is "$ns received nothing tagged" "$(grep -ac TAGGED $WORK/$ns.pcap || true)" 0
done
is "red-a received nothing tagged" "$(dissect red-a -C eth.dst=$A has:TAGGED)" 0
is "the wire's outer frames bear no tag" "$(captured wire vlan)" 0
is "nor does one leave h1 inside" "$(dissect wire -C ip.src=192.0.2.1 has:TAGGED)" 0
finish
