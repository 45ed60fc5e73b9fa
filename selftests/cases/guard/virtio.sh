#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-g 10.0.0.9 (tap) ──┬── h1 192.0.2.1 ═══ 192.0.2.2 h2 ──┬── red-c, blue-c 10.0.0.3
#   red-b, blue-b 10.0.0.2 ╯                                   ╯
#
# A guest writes arbitrary virtio headers for its frames: segments, lengths, checksums. Nobody may
# hear a frame that the guard would have dropped, and the switch goes on.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

UNDERLAY=46
topo_standard
ip -n h1 tuntap add red-g mode tap vnet_hdr
ip -n h1 link set red-g mtu 1500 up
# What is left to a device, h1's kernel does.
for dev in eth0 red-b; do on h1 ethtool -K $dev tx off tso off gso off >/dev/null; done
endpoint_add red g h1 02:00:00:00:00:09 10.0.0.9 fd00::9
from="eth src=02:00:00:00:00:09"
for to in 2 3; do
	for packet in "ip src=10.0.0.9 dst=10.0.0.$to" "ip6 src=fd00::9 dst=fd00::$to"; do
		for upper in "udp dport=9 / pad 20" "udp dport=9 / pad 4000" "tcp dport=9 / pad 3000" \
			"tcp dport=9 flags=S" "gre key=100 / pad 60" "pad 3"; do
			echo "$from dst=02:00:00:00:00:0$to / $packet / $upper"
		done
	done
	echo "$from dst=02:00:00:00:00:0$to / ip src=10.0.0.9 dst=10.0.0.$to frag=20 / pad 900"
	echo "$from dst=02:00:00:00:00:0$to / ip src=10.0.0.9 dst=10.0.0.$to / udp sport=9 " \
		"dport=4789 / vxlan vni=200 / eth src=02:00:00:00:00:01 dst=02:00:00:00:00:0$to " \
		"/ ip src=10.0.0.1 dst=10.0.0.$to / udp / text inner"
done >$WORK/frames
cat >>$WORK/frames <<END
$from dst=ff:ff:ff:ff:ff:ff / arp op=1 sha=02:00:00:00:00:09 spa=10.0.0.9 tpa=10.0.0.2
$from dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.9 dst=10.0.0.255 / udp dport=9 / pad 2000
$from dst=02:00:00:00:00:03 type=0x88b5 / pad 2000
END
bare=()
if [ "$(uname -r | awk -F. '{ print $1 * 100 + $2 }')" -lt 602 ]; then
	note "without checksums: Linux before 6.2 does not show a program where one is left"
	bare=(-b)
fi
hostile() { # SEED: frames of the guest, 20000 of them
	"$PY" "$TOOLS/virtio.py" "${bare[@]}" h1 red-g $((20000 / ${TSW_SLOW:-1})) "$1" - \
		<$WORK/frames >$WORK/taken
}
drops_of_red() { sw h1 -j stats drops tenant red | gojq '[.[].packets] | add // 0'; }

# What is heard, but from the guest itself and from those that are asked for below.
heard() { # NAME N-OF-ITSELF
	captured "$1" "not ether src 02:00:00:00:00:0$2 and not ether src 02:00:00:00:00:01 and
		not (ether src 02:00:00:00:00:09 and
			((not ip and not ip6 and not arp) or src host 10.0.0.9 or
			src host fd00::9 or arp src host 10.0.0.9))"
}
blue_heard() { captured "$1" 'ether src 02:00:00:00:00:09'; }
for way in vxlan:4 gre:4 vxlan:6 gre:6; do
	encap=${way%:*} family=${way#*:}
	for host in h1 h2; do sw $host tenant set red encap $encap; done
	prefer $family
	before=$(drops_of_red)
	for ns in red-b red-c blue-b blue-c; do capture $ns $ns eth0; done
	check "$way: the guest sends" hostile $family
	note "$way: $(<$WORK/taken)"
	check "$way: the kernel takes some of them" test "$(awk '{ print $2 }' $WORK/taken)" -gt 100
	check "$way: some are dropped" test "$(drops_of_red)" -gt "$before"
	for name in b:2 c:3; do
		ns=red-${name%:*}
		check "$way: $ns hears red" reach red-a "10.0.0.${name#*:}"
		check "$way: $ns heard the guest" capture_has $ns 10 'src host 10.0.0.9'
		capture_stop $ns "blue-${name%:*}"
		is "$way: $ns heard nothing that is not the guest's" "$(heard $ns "${name#*:}")" 0
		is "$way: blue heard nothing of it" "$(blue_heard "blue-${name%:*}")" 0
	done
done
finish
