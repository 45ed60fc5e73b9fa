#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A tenant with root in its containers attacks hosts that do not all know each other yet, uses the
# marks of the switch, and tries to blind a watcher of another tenant.
#
#   red-a, blue-a 10.0.0.1 ─ h1 192.0.2.1 ┐
#                               h2        ├ wire        h3 knows h1, and h1 knows h3 no more
#   red-c, blue-c 10.0.0.3 ─ h3 192.0.2.3 ┘
#   The gateways are h1's; `world`, 198.51.1.2, is at an uplink of h1.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_isolation.sh"
. "$LIB/lib_gateway.sh"

UNDERLAY=46
topo_hosts h1 h2 h3
switch_up
tenants
uplink h1 world 1
containers "red blue" "a@h1 c@h3" mtu 1430
for tenant in red blue; do
	for host in h1 h2 h3; do
		there=$([ $host = h1 ] || echo "host h1")
		# shellcheck disable=SC2086 # two words or none
		sw $host gateway add $tenant ip 10.0.0.254/24 ip fd00::fe/64 $there
	done
	way_out $tenant-a 10.0.0.254 fd00::fe
	check "$tenant reaches $tenant" reach $tenant-a 10.0.0.3
done
quiet h1 h3
GW=02:74:00:00:00:64
from="eth src=02:00:00:00:00:01 dst=$GW"

# ---- tunnel frames in the host's name --------------------------------------------------------

# What is behind h3 is not known to h1 either; the gateway's NAT gives what goes there h1's address.
for tenant in red blue; do sw h1 endpoint del c tenant $tenant; done
sw h1 host del h3
watch_blue c
capture wire h3 eth0
in="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 / ip src=10.0.0.1 dst=10.0.0.3 / udp $(
	)/ text red-tunnel"
vxlan="udp sport=50000 dport=4789 csum=0 / vxlan vni=200 / $in"
gre="gre key=200 / $in"
to4="$from / ip src=10.0.0.1 dst=${VTEP4[h3]}"
to6="$from / ip6 src=fd00::1 dst=${VTEP6[h3]}"
tunnels() { # as frames, in one piece, in two, behind options
	inject red-a eth0 - <<-END
		$to4 / $vxlan
		$to4 / $gre
		$to4 opts=94040000 / $vxlan
		$to4 / $vxlan / fragment at=16
		$to4 / $vxlan / fragment at=8
		$to4 / $gre / fragment at=8
		$to6 / $vxlan
		$to6 / $gre
		$to6 / dstopt / $gre
		$to6 / frag6 / hopopt / $vxlan
	END
}
expect_drops "tunnel frames to a host that is not known" h1 10 "red host_address from_endpoint" \
	tunnels
# The rest of the first one's headers is in the second one: conntrack makes a whole frame of both.
padded() {
	inject red-a eth0 - <<-END
		$to6 len=16 / frag6 m=1 / dstopt / dstopt / udp
		$to6 / frag6 off=8 / dstopt / $vxlan
		$to6 len=16 / frag6 id=2 m=1 / dstopt / udp
		$to6 / frag6 id=2 off=8 / $vxlan
	END
}
expect_drops "those that seem others by what pads their fragments" h1 2 \
	"red truncated from_endpoint" padded
# shellcheck disable=SC2086 # words of a frame
inject red-a eth0 $to4 / udp dport=4788 / text red-honest
check "another port of it is reached" dissect_has wire 1 has:red-honest
capture_stop wire
is "none of them came to that host" "$(dissect wire -C has:red-tunnel)" 0
blue_saw_nothing

# ---- marks ---------------------------------------------------------------------------------

serve world 7000
capture blue-a blue-a eth0 udp
BLUE_INDEX=$(sw h1 -j gateway show blue | gojq '.[0].index')
marked() { # MARK: asks by a socket that has it, from a port that tells which
	on red-a "$PY" - "$1" <<-'END'
		import socket, sys
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.setsockopt(socket.SOL_SOCKET, 36, int(sys.argv[1]))  # SO_MARK
		s.bind(("10.0.0.1", 0))
		s.settimeout(3)
		s.sendto(b"who", ("198.51.1.2", 7000))
		print(s.recv(100).decode().split()[0])
	END
}
for class in {0..7}; do
	mark=$(((0x7450 + class) << 16 | BLUE_INDEX))
	is "$(printf 'a container that sends with the mark 0x%08x is itself' $mark)" \
		"$(marked $mark)" world
done
capture_stop blue-a
is "blue heard no answer to it" "$(captured blue-a)" 0

# ---- who watches blue --------------------------------------------------------------------------

# shellcheck disable=SC2016 # it knows jq, and not gojq
is_watched() { map_dump h1 watch | gojq -e --arg on "$1" '.[0].value[4] == $on'; } # BITS
spoofed="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 / ip src=10.0.0.77 dst=10.0.0.3 / udp"
bg h1 "$TSW" -i h1 -j monitor drops tenant blue rate 50
WATCHER=$BG WATCHED=$BG_LOG
retry 5 is_watched 0x01
# shellcheck disable=SC2086 # words of a frame
{
	bg red-a "$PY" "$TOOLS/inject.py" -c 50000 eth0 $spoofed / text red-flood
	FLOOD=$BG
	floods() { [ "$(drops h1 spoofed_ip red)" -gt 1000 ]; }
	check "red floods what is dropped" retry 5 floods
	expect() { [ "$(grep -c '"reason":"spoofed_ip"' "$WATCHED")" = 20 ]; }
	inject blue-a eth0 -c 20 $spoofed / text blue-drop
	check "each of blue's drops is told meanwhile" retry 5 expect
}
wait $FLOOD
kill -INT $WATCHER
wait $WATCHER
is "nothing else, and none was missed" "$(gojq -c '[.event, .tenant]' "$WATCHED" | sort | uniq -c |
	sed 's/^ *//')" '20 ["drop","blue"]'

# ---- who watches no more -------------------------------------------------------------------------

first() { # WORD...: the first octets of what it prints, and who reads goes
	(retry 5 is_watched 0x01 && inject blue-a eth0 -c 20 "${words[@]}") &
	timeout 10 "$TSW" -n h1 "$@" 2>/dev/null | head -c 100 >/dev/null || true
	wait $!
}
read -ra words <<<"$spoofed / text blue-drop"
first monitor tenant blue
check "its reader goes: monitor ends, and nothing is on" retry 5 is_watched 0x00
first capture tenant blue
check "so does capture" retry 5 is_watched 0x00
finish
