#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The host's uplinks: with several networks, with an MTU that no route may have, and too many. All
# this is without tcx, as before Linux 6.6; so is the upgrade of the switch.
#
#   red-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1, 198.18.0.1 ═ 203.0.113.9, 198.18.0.9 out
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

topo_hosts h1
outside h1
ip -n h1 addr add 198.18.0.1/24 dev up0
ip -n h1 addr add 2001:db8:51::1/64 dev up0 nodad
ip -n out addr add 198.18.0.9/24 dev br0
ip -n out addr add 2001:db8:51::9/64 dev br0 nodad
ip -n h1 route add 198.51.100.0/24 via 198.18.0.9
ip -n out addr add 198.51.100.7/32 dev lo
ip -n out link set lo up
UP_ARGS="attach clsact"
switch_up
tenants red 100
container red a h1 10.0.0.1/24 fd00::1/64
sw h1 gateway add red ip 10.0.0.254/24 ip fd00::fe/64
leave red-a

# ---- one uplink, two networks ------------------------------------------------------------------

# from ADDRESS: as whom a datagram of red's comes there
from() {
	bg out "$PY" -c "
import socket, sys
f = socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET
s = socket.socket(f, socket.SOCK_DGRAM)
s.bind((sys.argv[1], 7000))
print('ready', flush=True)
print('from', s.recvfrom(9)[1][0], flush=True)" "$1"
	retry 5 grep -q ready "$BG_LOG"
	on red-a "$PY" -c "
import socket, sys
f = socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET
socket.socket(f, socket.SOCK_DGRAM).sendto(b'x', (sys.argv[1], 7000))" "$1"
	retry 5 grep -q from "$BG_LOG"
	sed -n 's/^from //p' "$BG_LOG"
}
is "into the first network" "$(from $SERVER4)" 203.0.113.1
is "into the second one" "$(from 198.18.0.9)" 198.18.0.1
is "by a router in the second one" "$(from 198.51.100.7)" 198.18.0.1
is "into the second one, IPv6" "$(from 2001:db8:51::9)" 2001:db8:51::1

# ---- an MTU that no route may have -------------------------------------------------------------

ip -n h1 link set up0 mtu 65535
sw h1 switch repair
check "an uplink's MTU of 65535: in order" healthy h1
ip -n h1 link set up0 mtu 1500
sw h1 switch repair

# ---- more networks than there are slots --------------------------------------------------------

ip -n h1 link add many type veth peer name other
for ((i = 0; i < 300; i++)); do
	echo "addr add 198.19.$((i / 200)).$((i % 200 + 1))/32 dev many"
done | ip -n h1 -batch -
ip -n h1 link set many up
sw h1 switch repair
check "300 networks of one device: in order" healthy h1
check "the uplink goes on" reach red-a $SERVER4
ip -n h1 link add up1 type veth peer name up1 netns out
ip -n h1 addr add 192.168.77.1/24 dev up1
ip -n out addr add 192.168.77.9/24 dev up1
ip -n h1 link set up1 up
ip -n out link set up1 up
sw h1 switch repair
check "a new device takes the place of such a network: in order" healthy h1
is "and tenants leave by it" "$(from 192.168.77.9)" 192.168.77.1
ip -n h1 link del many
sw h1 switch repair


# ---- an upgrade --------------------------------------------------------------------------------

inner() { router h1 tc filter show dev tsw-gw ingress | grep -o ' id [0-9]*' | head -n 1; }
was=$(inner)
check "the switch is upgraded" sw h1 -f -q switch upgrade
check "in order" healthy h1
check "the router has other programs" test "$(inner)" != "$was"
check "tenants go on" reach red-a $SERVER4
finish
