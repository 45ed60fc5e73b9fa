#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A container's root has programs on a second veth, which redirect frames into the switch's port
# with metadata that contradicts their octets: tests/attack.bpf.c.
#
#   red-a 10.0.0.1  ┐                                    ┌ red-c 10.0.0.3
#    x0 ── x1 ──►eth0├ h1 192.0.2.1 ═════════ 192.0.2.2 h2 ┤
#   red-b 10.0.0.2  ┘      2001:db8::1   2001:db8::2     └ blue-c 10.0.0.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

ATTACK=${BUILD:-$ROOT/build}/tests/attack.bpf.o
UNDERLAY=46
topo_standard
ip -n red-a link add x0 mtu 3000 type veth peer name x1 mtu 3000
ip -n red-a link set x0 up
ip -n red-a link set x1 up
retry 5 carrier red-a x0
check "red reaches b" reach red-a 10.0.0.2
check "red reaches c" reach red-a 10.0.0.3
quiet h1 h2
to=$(ip -n red-a -j link show dev eth0 | gojq '.[0].ifindex')

# program NAME: what runs at x1 from now on.
program() {
	on red-a tc qdisc del dev x1 clsact 2>/dev/null || true
	on red-a tc qdisc add dev x1 clsact
	on red-a tc filter add dev x1 ingress bpf direct-action obj "$ATTACK" sec "tc/$1"
}

# attack VALUE LAYER...: a frame from x0, with VALUE for the program.
attack() {
	local value=$1

	shift
	inject red-a x0 -M $((value << 16 | to)) "$@"
}

from="eth src=02:00:00:00:00:01"
forged="red forged_metadata from_endpoint"
ip="ip src=10.0.0.1" spoof="ip src=10.0.0.77"

# heard NAME: what no container may hear.
heard() { captured "$1" 'src host 10.0.0.77 or src host fd00::77 or arp src host 10.0.0.77'; }
# udp_of NAME: datagrams that its stack took for its own, whatever the octets say.
# shellcheck disable=SC2016 # awk's own
udp_of() {
	on "$1" awk '$1 ~ /^Udp6?(InDatagrams|NoPorts)$/ { n += $2 }
		$1 == "Udp:" && $2 + 0 == $2 { n += $2 + $3 }
		END { print n + 0 }' /proc/net/snmp /proc/net/snmp6
}
silent() { # DESC NAME...
	local desc=$1 name

	shift
	for name in "$@"; do
		on red-a ping -n -c 1 -W 2 -s 999 "$(on "$name" ip -j -4 addr show dev eth0 |
			gojq -r '.[0].addr_info[0].local')" >/dev/null 2>&1 || true
		check "$desc: $name hears red" capture_has "$name" 1 'greater 1000'
		is "$desc: $name hears no spoofed frame" "$(heard "$name")" 0
		is "$desc: $name knows nothing of 10.0.0.77" "$(ip -n "$name" neigh show 10.0.0.77)" ""
	done
}

# shellcheck disable=SC2086 # words of a frame
inner_headers() { # DESC
	if [ "$(uname -r | awk -F. '{ print $1 * 100 + $2 }')" -lt 602 ]; then
		skip "$1" "Linux before 6.2 does not show a program where inner headers are"
		return
	fi
	program inner
	expect_drops "$1" h1 4 "red bad_offload from_endpoint" attack 0 -O 34,16 -G 1,500 \
		$from dst=$mac / $ip dst=$dst / tcp dport=99 / pad 2000
}

capture red-b red-b eth0
capture red-c red-c eth0

# shellcheck disable=SC2086 # words of a frame
for to_name in b:02 c:03; do
	name=${to_name%:*} mac=02:00:00:00:00:${to_name#*:} dst=10.0.0.${to_name#*:0}
	dst6=fd00::${to_name#*:0}
	program plain
	expect_drops "in good faith, to $name" h1 0 "$forged" \
		attack 0 $from dst=$mac / $ip dst=$dst / udp / text faith
	check "it arrives at $name" capture_has red-$name 1 "udp and src host 10.0.0.1"
	expect_drops "a plain spoof, to $name" h1 1 "red spoofed_ip from_endpoint" \
		attack 0 $from dst=$mac / $spoof dst=$dst / udp / text spoof
	datagrams=$(udp_of red-$name)
	program type
	for type in 0x88b5 0x0806 0x0010 0x05ff 0x0000; do
		# What the guard would read by such a type is not what the receiver takes it for.
		expect_drops "IPv4 as $type, to $name" h1 1 "$forged" \
			attack $type $from dst=$mac / $spoof dst=$dst / udp / text type
	done
	for type in 0x88b5 0x0010; do
		expect_drops "IPv6 as $type, to $name" h1 1 "$forged" attack $type \
			$from dst=$mac / ip6 src=fd00::77 dst=$dst6 / udp / text type
		expect_drops "ARP as $type, to $name" h1 1 "$forged" attack $type $from dst=$mac \
			/ arp op=2 sha=02:00:00:00:00:01 spa=10.0.0.77 tpa=$dst
	done
	expect_drops "the reverse, to $name" h1 1 "$forged" attack 0x0800 \
		$from dst=$mac type=0x88b5 / $ip dst=$dst / udp / text type
	expect_drops "a super-frame as 0x88b5, to $name" h1 1 "$forged" attack 0x88b5 -O 34,16 -G 1,500 \
		$from dst=$mac / $spoof dst=$dst / tcp dport=99 / pad 2000
	inner_headers "a super-frame's inner headers at its IP header, to $name"
	program type
	expect_drops "broadcast, IPv4 as 0x88b5" h1 1 "$forged" attack 0x88b5 \
		$from dst=ff:ff:ff:ff:ff:ff / $spoof dst=10.0.0.255 / udp / text type
	is "the stack of $name took none of them" "$(udp_of red-$name)" "$datagrams"
done
silent "types" red-b red-c

# The spoofed packet lies where room for the outer headers would leave it: behind them.
front() { # OVERHEAD SPOOF_LAYERS...: words of the frame, 200 octets of which 128 are the front
	local inner behind=$(($1 - 28))

	shift
	# shellcheck disable=SC2086,SC2048
	inner=$(inject red-a x0 -p $from dst=02:00:00:00:00:03 / $* / udp / text front)
	echo "hex $(printf '00%.0s' $(seq $behind))${inner:28}"
}
# shellcheck disable=SC2046,SC2086
for way in vxlan:4:50 gre:4:42 geneve:4:50 vxlan:6:70 gre:6:62 geneve:6:70; do
	IFS=: read -r encap family overhead <<<"$way"
	for host in h1 h2; do sw $host tenant set red encap $encap; done
	prefer $family
	program front
	for packet in "$spoof dst=10.0.0.3" "ip6 src=fd00::77 dst=fd00::3"; do
		expect_drops "a front of $encap, IPv$family: ${packet%% *}" h1 1 "$forged" \
			attack 0 $from dst=02:00:00:00:00:03 / $ip dst=10.0.0.3 / udp \
			/ $(front $overhead $packet) / pad 200
	done
done
silent "fronts" red-c
finish
