#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# These go through a tunnel unharmed: IPv4 options and fragments, IPv6 extension headers, protocols
# that the switch does not know.
#
#   red-a 10.0.0.1 ── h1 192.0.2.1 ════════ 192.0.2.2 h2 ── capture `arrived` ── red-c 10.0.0.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

topo_hosts h1 h2
switch_up
tenants red 100
container red a h1 10.0.0.1/24 fd00::1/64
container red c h2 10.0.0.3/24 fd00::3/64
check "reachable" reach red-a 10.0.0.3
check "reachable, IPv6" reach red-a fd00::3
quiet h1 h2

eth="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03"
v4="$eth / ip src=10.0.0.1 dst=10.0.0.3"
v6="$eth / ip6 src=fd00::1 dst=fd00::3"
group="eth src=02:00:00:00:00:01 dst=01:00:5e:01:01:01 / ip src=10.0.0.1 dst=224.1.1.1"

cat >$WORK/frames <<-END
	$v4 opts=94040000 / udp / text unharmed
	$v4 opts=0107040a0000000100 id=3 / icmp / text unharmed
	$v4 id=9 mf=1 / udp len=48 csum=0 / text unharmed / pad 8
	$v4 id=9 frag=24 / text unharmed / pad 16
	$v4 id=9 proto=47 / text unharmed
	$v4 id=9 proto=132 / text unharmed
	$v6 / hopopt / udp / text unharmed
	$v6 / dstopt / icmp6 / text unharmed
	$v6 / hopopt / dstopt / frag6 id=7 / udp / text unharmed
	$v6 / frag6 m=1 id=8 / udp len=48 csum=1 / text unharmed / pad 8
	$v6 / frag6 off=24 id=8 nh=17 / text unharmed / pad 16
	$v6 nh=59 / text unharmed
	$eth type=0x88b5 / text unharmed / pad 27
	$eth type=0x0027 / text unharmed / pad 27
	$group / udp / text unharmed
	eth src=02:00:00:00:00:01 dst=ff:ff:ff:ff:ff:ff type=0x88b5 / text unharmed / pad 27
END
capture arrived red-c eth0
inject red-a eth0 - <$WORK/frames
inject red-a eth0 -p - <$WORK/frames | sort >$WORK/want
dissect_has arrived 16 has:unharmed || true
capture_stop arrived
is "IPv4 options and fragments, IPv6 extension headers, other protocols: octet by octet" \
	"$(dissect arrived -x has:unharmed eth.src=02:00:00:00:00:01 | sort)" "$(<$WORK/want)"

# What is shorter than an IP header is padded with zeros, as Ethernet does.
capture short red-c eth0
# shellcheck disable=SC2086 # words of a frame
inject red-a eth0 $eth type=0x88b5 / text unharmed
check "a frame of 8 octets arrives" dissect_has short 1 has:unharmed
capture_stop short
is "padded" "$(dissect short -x has:unharmed)" \
	02000000000302000000000188b5756e6861726d6564000000000000000000000000

# A capture sees a frame that the stack takes for another protocol; only the stack's own tables
# tell that ARP came as ARP. Unicast, since the switch answers what is asked of everybody.
sysctl_in red-a net.ipv4.neigh.eth0.locktime=0
believes() { ip -n red-a neigh show to 10.0.0.3 dev eth0 | grep -q 'lladdr 02:00:00:00:00:03'; }
ip -n red-a neigh replace 10.0.0.3 lladdr 02:00:00:00:00:99 dev eth0 nud stale
check_fails "red-a's neighbour entry is wrong before" believes
inject red-c eth0 eth src=02:00:00:00:00:03 dst=02:00:00:00:00:01 / arp op=2 \
	sha=02:00:00:00:00:03 spa=10.0.0.3 tha=02:00:00:00:00:01 tpa=10.0.0.1
check "unicast ARP reaches the other's stack and mends it" retry 3 believes

check "fragments, IPv4: ping of 4000 octets" on red-a ping -n -c 1 -W 10 -s 4000 10.0.0.3
check "fragments, IPv6: ping of 4000 octets" on red-a ping -n -c 1 -W 10 -s 4000 fd00::3
check "fragments: UDP datagrams of 60000 octets" \
	xfer red-a red-c udp 10.0.0.3 size=60000 count=20
check "fragments: UDP datagrams of 60000 octets, IPv6" \
	xfer red-a red-c udp fd00::3 size=60000 count=20
check "record route" on red-a ping -n -c 1 -W 10 -R 10.0.0.3
finish
