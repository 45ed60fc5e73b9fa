#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-g 10.0.0.9 (tap) ──┬── h1 192.0.2.1 ═══ 192.0.2.2 h2 ───── red-c 10.0.0.3
#   red-b 10.0.0.2 ────────╯
#
# A guest's super-frames, which the host cuts into packets. The kernel writes the length and the
# fragment's offset of each packet anew, so what the guard reads must be what leaves.
. "$(dirname "$0")/../../lib.sh"

topo_standard
ip -n h1 tuntap add red-g mode tap vnet_hdr
ip -n h1 link set red-g mtu 1500 up
# What is left to a device, h1's kernel does.
for dev in eth0 red-b; do on h1 ethtool -K $dev tx off tso off gso off >/dev/null; done
endpoint_add red g h1 02:00:00:00:00:09 10.0.0.9 fd00::9
guest() { # KIND,SIZE,START,OFFSET DST LAYER...
	"$PY" "$TOOLS/virtio.py" -g "$1" h1 red-g 1 1 eth src=02:00:00:00:00:09 dst="$2" / "${@:3}" |
		tee $WORK/taken | grep -q 'taken 1'
}
tcp4() { echo "1,$1,0,0"; } # SIZE
tcp6() { echo "4,$1,0,0"; }
UDP=5,500,34,6 UDP6=5,500,54,6 # the kernel takes none without a checksum to be written
can_udp=yes
guest $UDP 02:00:00:00:00:03 ip src=10.0.0.9 dst=10.0.0.3 / udp dport=9 / pad 900 || can_udp=
quiet h1
for ns in red-b red-c; do capture $ns $ns eth0; done
capture wire h2 eth0

# ---- what stacks send ------------------------------------------------------------------------

tcp="hex 03e807d000000001000000015010100000000000 / pad"
for to in 2 3; do
	guest "$(tcp4 500)" 02:00:00:00:00:0$to ip src=10.0.0.9 dst=10.0.0.$to proto=6 / $tcp 1500
	guest "$(tcp6 600)" 02:00:00:00:00:0$to ip6 src=fd00::9 dst=fd00::$to nh=6 / $tcp 1800
	guest "$(tcp4 700)" 02:00:00:00:00:0$to ip src=10.0.0.9 dst=10.0.0.$to proto=6 len=0 / $tcp 2100
done
check "segments of 500 octets" capture_has red-c 3 'ip and src 10.0.0.9 and ip[2:2] = 540'
check "IPv6, of 600" capture_has red-c 3 'ip6 and src fd00::9 and ip6[4:2] = 620'
check "no length (BIG TCP), of 700" capture_has red-c 3 'ip and src 10.0.0.9 and ip[2:2] = 740'
check "here nobody cuts them" capture_has red-b 1 'ip and src 10.0.0.9 and ip[2:2] = 1540'
is "nothing was dropped" "$(drops h1 bad_offload red)" 0

# ---- a length that ends within the headers ---------------------------------------------------

refused() { # DESC KIND,SIZE,START,OFFSET DST LAYER...
	local before

	before=$(drops h1 bad_offload red)
	check "$1: sent" guest "${@:2}"
	check "$1: refused" retry 2 has_refused "$before"
}
has_refused() { [ "$(drops h1 bad_offload red)" -gt "$1" ]; } # BEFORE
for dst in 02:00:00:00:00:02 02:00:00:00:00:03 ff:ff:ff:ff:ff:ff; do
	if [ -n "$can_udp" ]; then
		refused "a DHCP server's port behind the packet's end, to $dst" $UDP $dst \
			ip src=10.0.0.9 dst=255.255.255.255 len=20 / udp sport=67 dport=68 / pad 900
		refused "the same, DHCPv6" $UDP6 $dst ip6 src=fd00::9 dst=fd00::3 len=2 / \
			udp sport=547 dport=546 / pad 900
	else
		skip "a DHCP server's port behind the packet's end, to $dst" "no such super-frames"
	fi
	refused "TCP of eight octets, to $dst" "$(tcp4 500)" $dst \
		ip src=10.0.0.9 dst=10.0.0.3 proto=6 len=28 / $tcp 1500
	refused "TCP of eight octets, IPv6, to $dst" "$(tcp6 500)" $dst \
		ip6 src=fd00::9 dst=fd00::3 nh=6 len=8 / $tcp 1500
done
refused "an octet too short" "$(tcp4 500)" 02:00:00:00:00:03 \
	ip src=10.0.0.9 dst=10.0.0.3 proto=6 len=1539 / $tcp 1500

# ---- fragments -------------------------------------------------------------------------------

# 1,400 octets in segments of eight are 18,800 on the wire. As a fragment, whose TCP header is not
# seen, it was charged as 1,400.
refused "a later fragment" "$(tcp4 8)" 02:00:00:00:00:03 \
	ip src=10.0.0.9 dst=10.0.0.3 proto=6 frag=1600 / $tcp 1340
refused "a first fragment" "$(tcp4 8)" 02:00:00:00:00:03 \
	ip src=10.0.0.9 dst=10.0.0.3 proto=6 mf=1 / $tcp 1340
refused "a fragment of IPv6" "$(tcp6 8)" 02:00:00:00:00:03 \
	ip6 src=fd00::9 dst=fd00::3 / frag6 m=1 nh=6 / $tcp 1340

# ---- nobody heard ----------------------------------------------------------------------------

for to in 2 3; do
	guest "$(tcp4 500)" 02:00:00:00:00:0$to ip src=10.0.0.9 dst=10.0.0.$to proto=6 id=77 / $tcp 400
done
for ns in red-b red-c; do
	check "$ns hears what is sent behind" capture_has $ns 1 'ip[4:2] = 77'
	is "$ns heard no server" "$(captured $ns 'udp and (port 67 or port 547)')" 0
	is "$ns heard no small segment" "$(captured $ns 'src 10.0.0.9 and tcp and
		ip[2:2] < 400 and ip[2:2] > 0')" 0
done
is "the wire had none" "$(captured wire 'udp port 4789 and less 150 and
	ether[56:4] = 0x02000000 and ether[60:2] = 9')" 0
finish
