#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 fd00::1 ┐                             ┌ red-c 10.0.0.3
#   red-b 10.0.0.2         ┤ h1 192.0.2.1 ─ 192.0.2.2 h2 ┤
#   red-d no IP listed     ┘                             └ blue-c 10.0.0.3
#
# A container can send only with its own MAC and addresses: each forged frame is dropped, moves one
# counter by one, and reaches nobody. Here is one frame of each kind; packet_guard and packet_arp_nd
# have all.
. "$(dirname "$0")/../../lib.sh"

topo_standard
container red d h1 10.0.0.4/24 endpoint off
endpoint_add red d h1 02:00:00:00:00:04
for ns in red-b red-c blue-b blue-c; do
	capture $ns $ns eth0
done
A=02:00:00:00:00:01 B=02:00:00:00:00:02 C=02:00:00:00:00:03 D=02:00:00:00:00:04
ALL=ff:ff:ff:ff:ff:ff
to_c="eth src=$A dst=$C" to_all="eth src=$A dst=$ALL"
own="ip src=10.0.0.1 dst=10.0.0.3"
data="udp dport=9 / text FORGED"
nd="eth src=$A dst=33:33:00:00:00:01 / ip6 src=fd00::1 dst=ff02::1 hlim=255"
to_nodes="eth src=$A dst=33:33:00:00:00:01 / ip6 src=:: dst=ff02::1 hlim=255"

forged() { # REASON DESC LAYER...: from red-a
	expect_drops "$2: $1" h1 1 "red $1 from_endpoint" inject red-a eth0 "${@:3}"
}
quiet h1 h2
# shellcheck disable=SC2086 # words on purpose
{
	forged spoofed_mac "MAC of a neighbour" eth src=$B dst=$C / $own / $data
	forged spoofed_mac "MAC zero" eth dst=$C / $own / $data
	forged spoofed_mac "MAC of a group" eth src=03:00:00:00:00:01 dst=$C / $own / $data
	forged spoofed_mac "MAC forged, not IP" eth src=$B dst=$C type=0x88b5 / text FORGED
	forged spoofed_ip "IPv4 of a neighbour" $to_c / ip src=10.0.0.2 dst=10.0.0.3 / $data
	forged spoofed_ip "IPv4 zero, to all, but not DHCP" $to_all / ip src=0.0.0.0 \
		dst=255.255.255.255 / $data
	forged spoofed_ip "IPv6 of a neighbour" $to_c / ip6 src=fd00::2 dst=fd00::3 / $data
	forged spoofed_ip "IPv6 link-local of a neighbour" $to_c / ip6 src=fe80::ff:fe00:2 \
		dst=fd00::3 / $data
	forged spoofed_ip "IPv6 unspecified to all, by UDP" $to_nodes / $data
	forged spoofed_ip "IPv6 unspecified to all, a router advertisement" $to_nodes / icmp6 \
		type=134 body=000000000000000000000000 / text FORGED
	forged spoofed_ip "IPv4-mapped IPv6 of its own" $to_c / ip6 src=::ffff:10.0.0.1 \
		dst=fd00::3 / $data
	forged spoofed_mac "ARP sender MAC, request" $to_all / arp sha=$B spa=10.0.0.1 tpa=10.0.0.3
	forged spoofed_ip "ARP sender IP, reply" $to_c / arp op=2 sha=$A spa=10.0.0.2 tpa=10.0.0.3
	forged spoofed_ip "ND advertised target" $nd / na target=fd00::2 lladdr=$A
	forged spoofed_mac "ND asker's link-layer address" $nd / ns target=fd00::99 lladdr=$B
	forged spoofed_ip "ND behind an extension header" eth src=$A dst=33:33:00:00:00:01 / \
		ip6 src=fd00::1 dst=ff02::1 hlim=255 / dstopt nh=58 / na target=fd00::2 lladdr=$A
	forged truncated "half an ARP packet" $to_all type=0x0806 / hex 00010800060400
}

# Where no IP is listed any is fine that is nobody's; the MAC is not.
expect_drops "no IP listed, a neighbour's: spoofed_ip" h1 1 "red spoofed_ip from_endpoint" \
	inject red-d eth0 eth src=$D dst=$C / ip src=10.0.0.2 dst=10.0.0.3 / udp / text FORGED
expect_drops "no IP listed, a forged MAC: spoofed_mac" h1 1 "red spoofed_mac from_endpoint" \
	inject red-d eth0 eth src=$C dst=$C / ip src=10.0.0.4 dst=10.0.0.3 / udp / text FORGED

# What is its own passes, and proves that all before it has been looked at.
drops=$(all_drops h1)
inject red-a eth0 eth src=$A dst=$ALL / ip src=0.0.0.0 dst=255.255.255.255 / \
	udp sport=68 dport=67 / text DHCP
inject red-a eth0 eth src=$A dst=$C / ip6 src=fe80::ff:fe00:1 dst=fd00::3 / udp / text LINK
inject red-d eth0 eth src=$D dst=$C / ip src=10.0.0.77 dst=10.0.0.3 / udp / text FREE
inject red-a eth0 eth src=$A dst=33:33:00:00:00:16 / ip6 src=:: dst=ff02::16 hlim=1 / \
	hopopt nh=58 / icmp6 type=143 body=00000000 / text MLD
for name in DHCP LINK FREE MLD; do
	check "$name: one's own passes" retry 3 grep -q $name $WORK/red-c.pcap
done
is "with no drop" "$(all_drops h1)" "$drops"
for ns in red-b red-c blue-b blue-c; do
	is "$ns received nothing forged" "$(grep -ac FORGED $WORK/$ns.pcap || true)" 0
done
is "blue has no drops" "$(all_drops h1 | grep -c ^blue || true)" 0
check "traffic goes on" reach red-a 10.0.0.3
finish
