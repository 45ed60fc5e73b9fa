#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: packet_route has each route; tunnel/underlays changes devices and addresses
# The underlay is routed, and its routes change while no tsw command is given.
#
#                  u1 ─ 10.1.0.0/24 ─ r1 ─ 10.3.0.0/24 ─ u1
#    red-a ── h1 ─┤                                       ├─ h2 ── red-c
#                  u2 ─ 10.2.0.0/24 ─ r2 ─ 10.4.0.0/24 ─ u2
#
#    VTEPs on lo: h1 198.51.100.1, 2001:db8::1; h2 198.51.100.2, 2001:db8::2. The routers are
#    .254, the hosts .1 and .2; the same in IPv6 with fd01:: to fd04::.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

join() { # HOST DEV ROUTER NET
	ip -n "$1" link add "$2" type veth peer name "$1" netns "$3"
	ip -n "$1" addr add "10.$4.0.${1#h}/24" dev "$2"
	ip -n "$3" addr add "10.$4.0.254/24" dev "$1"
	ip -n "$1" addr add "fd0$4::${1#h}/64" dev "$2" nodad
	ip -n "$3" addr add "fd0$4::254/64" dev "$1" nodad
	ip -n "$1" link set "$2" up
	ip -n "$3" link set "$1" up
}
gate() { # FAMILY HOST N: the router's address behind that host's uplink
	local net=$3

	[ "$2" = h1 ] || net=$((net + 2))
	[ "$1" = 4 ] && echo "10.$net.0.254" || echo "fd0$net::254"
}
vtep() { [ "$1" = 4 ] && echo "198.51.100.${2#h}" || echo "2001:db8::${2#h}"; } # FAMILY HOST
far() { [ "$1" = h1 ] && echo h2 || echo h1; }

# via FAMILY HOST N...: that host's route to the other one's VTEP goes by these uplinks.
via() {
	local family=$1 host=$2 words=() n

	shift 2
	for n in "$@"; do
		words+=(nexthop via "$(gate "$family" "$host" "$n")" dev "u$n")
	done
	ip -n "$host" -"$family" route replace "$(vtep "$family" "$(far "$host")")" "${words[@]}"
}
no_way() { ip -n "$2" -"$1" route del "$(vtep "$1" "$(far "$2")")"; } # FAMILY HOST

HOSTS=(h1 h2)
for ns in h1 h2 r1 r2; do
	netns $ns
	sysctl_in $ns net.ipv4.ip_forward=$([[ $ns = r* ]] && echo 1 || echo 0) \
		net.ipv6.conf.all.forwarding=$([[ $ns = r* ]] && echo 1 || echo 0) \
		net.ipv6.conf.default.router_solicitations=0 net.ipv4.conf.all.rp_filter=0 \
		net.ipv4.conf.default.rp_filter=0
done
for n in 1 2; do
	join h1 u$n r$n $n
	join h2 u$n r$n $((n + 2))
	for family in 4 6; do
		ip -n r$n -$family route add "$(vtep $family h1)" via "$(
			[ $family = 4 ] && echo 10.$n.0.1 || echo fd0$n::1)"
		ip -n r$n -$family route add "$(vtep $family h2)" via "$(
			[ $family = 4 ] && echo 10.$((n + 2)).0.2 || echo fd0$((n + 2))::2)"
	done
done
for host in h1 h2; do
	for family in 4 6; do
		ip -n $host addr add "$(vtep $family $host)" dev lo
		via $family $host 1
	done
	sw $host switch up dev u1 dev u2 local "$(vtep 4 $host)" local "$(vtep 6 $host)" name $host
	undo sw $host switch down
done
for host in h1 h2; do
	sw $host host add "$(far $host)" ip "$(vtep 4 "$(far $host)")" ip "$(vtep 6 "$(far $host)")"
done
is "switch show tells both uplinks" "$(sw h1 -j switch show | jq -c '[.devs[].dev]')" '["u1","u2"]'
tenants red 100
container red a h1 10.0.0.1/24 mtu 1430
container red c h2 10.0.0.3/24 mtu 1430

sent_by() { ip -n h1 -j -s link show "$1" | gojq '.[0].stats64.tx.packets'; } # DEV
# uses DESC N: 50 datagrams from red-a leave by that uplink, and nearly nothing by the other.
uses() {
	local before other=u$((3 - $2)) used

	before=$(sent_by $other)
	used=$(sent_by "u$2")
	check "$1: arrives" xfer red-a red-c udp 10.0.0.3 count=50
	used=$(($(sent_by "u$2") - used))
	check "$1: leaves by u$2" test $used -ge 50 -a $(($(sent_by $other) - before)) -lt 20
}

# stream FAMILY ENCAP: what all must survive.
stream() {
	local family=$1 what="IPv$1 $2" before

	via $family h1 1
	via $family h2 1
	uses "$what, by r1" 1
	via $family h1 2
	uses "$what, route changed to r2" 2
	via $family h1 1
	uses "$what, and back" 1

	# While datagrams run: a route that is replaced loses none, for it is there at any time.
	bg red-a "$PY" "$TOOLS/xfer.py" red-a red-c udp 10.0.0.3 count=5000 size=200
	for _ in {1..20}; do
		via $family h1 2
		via $family h1 1
	done
	ends_well "$what, 40 changes under load lose nothing"

	before=$(drops h1 no_route)
	no_way $family h1
	check "$what, no route: the route lookup's answer is forgotten" \
		retry 5 counts_no_route "$before"
	no_reach red-a 10.0.0.3 || not_ok "$what, no route: nothing must arrive"
	is "$what, no route: counted as that alone" \
		"$(all_drops h1 | grep -v -e ' no_route ' -e ' not_stamped ' || true)" ""
	via $family h1 1
	check "$what, the route is back, and the way by itself" reach red-a 10.0.0.3

	# The uplink goes down: with two next hops the other one takes over, in the kernel's FIB.
	via $family h1 1 2
	via $family h2 1 2
	check "$what, two next hops" xfer red-a red-c tcp 10.0.0.3
	ip -n h1 link set u1 down
	ip -n h2 link set u1 down
	check "$what, the first uplink is down" xfer red-a red-c tcp 10.0.0.3
	ip -n h1 link set u1 up
	ip -n h2 link set u1 up
	restore_uplinks
	via $family h1 1 2
	via $family h2 1 2
	check "$what, and up again" xfer red-a red-c tcp 10.0.0.3
}
counts_no_route() {
	on red-a ping -n -c 1 -W 0.1 10.0.0.3 >/dev/null
	[ "$(drops h1 no_route)" -gt "$1" ]
}
# A device that goes down loses its IPv6 addresses and all routes: the operator's affair.
restore_uplinks() {
	local host family

	ip -n h1 addr replace fd01::1/64 dev u1 nodad
	ip -n h2 addr replace fd03::2/64 dev u1 nodad
	ip -n r1 -6 route replace 2001:db8::1 via fd01::1
	ip -n r1 -6 route replace 2001:db8::2 via fd03::2
	for host in h1 h2; do
		retry 5 carrier $host u1
		for family in 4 6; do
			via $family $host 1
		done
	done
}

for encap in vxlan gre geneve; do
	for host in h1 h2; do
		sw $host tenant set red encap $encap
		sw $host host set "$(far $host)" ip "$(vtep 4 "$(far $host)")" \
			ip "$(vtep 6 "$(far $host)")"
	done
	stream 4 $encap
	for host in h1 h2; do
		sw $host host set "$(far $host)" ip "$(vtep 6 "$(far $host)")" \
			ip "$(vtep 4 "$(far $host)")"
	done
	stream 6 $encap
done

# Equally good routes: flows share them as the kernel's policy says.
share() { # N: how many of 64 flows leave by each uplink
	local i one two

	one=$(sent_by u1) two=$(sent_by u2)
	for i in {1..64}; do
		xfer red-a red-c udp 10.0.0.3 count=1 sport=$((20000 + i * 13)) >/dev/null
	done
	echo $(($(sent_by u1) - one)) $(($(sent_by u2) - two))
}
for host in h1 h2; do
	sw $host tenant set red encap vxlan
	sw $host host set "$(far $host)" ip "$(vtep 4 "$(far $host)")" ip "$(vtep 6 "$(far $host)")"
done
via 4 h1 1 2
sysctl_in h1 net.ipv4.fib_multipath_hash_policy=0
read -r one two < <(share)
note "policy 0: $one by u1, $two by u2"
check "by addresses alone all flows between two hosts take one uplink" \
	test $((one < 8 || two < 8)) = 1
sysctl_in h1 net.ipv4.fib_multipath_hash_policy=1
read -r one two < <(share)
note "policy 1: $one by u1, $two by u2"
via 4 h1 1
# Sixteen shares of the flows, each thrown to one side by the kernel's secret of this boot.
check "by ports too VXLAN flows share both" test $((one >= 3 && two >= 3)) = 1

# The next hop gets another MAC, as where a router takes over another's address.
sysctl_in h1 net.ipv4.neigh.u1.locktime=0
ip -n r1 link set h1 address 02:00:00:00:99:01
on r1 "$PY" -c 'import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); \
s.bind(("h1", 0)); m = bytes.fromhex("020000009901"); a = bytes([10, 1, 0, 254]); \
s.send(b"\xff" * 6 + m + b"\x08\x06\0\1\x08\0\6\4\0\2" + m + a + m + a)'
check "the router's MAC changes" reach red-a 10.0.0.3

# The VTEP's address moves from one device to another, then to a new number.
ip -n h2 addr add 198.51.100.2/32 dev u2
ip -n h2 addr del 198.51.100.2/32 dev lo
check "the VTEP's address moves to an uplink" reach red-a 10.0.0.3
ip -n h2 addr add 198.51.100.22/32 dev lo
sw h2 switch set local 198.51.100.22
sw h1 host set h2 ip 198.51.100.22
for n in 1 2; do
	ip -n r$n route add 198.51.100.22 via 10.$((n + 2)).0.2
done
ip -n h1 route add 198.51.100.22 via 10.1.0.254
check "and gets a new number" reach red-a 10.0.0.3
check "switch show tells it" test "$(sw h2 -j switch show | gojq -r '.local[0]')" = 198.51.100.22

pings_too_big() { # MTU: does a ping of 1400 octets tell it?
	[[ $(on red-a ping -n -c 1 -W 1 -M 'do' -s 1372 10.0.0.3 2>&1 || true) =~ mtu.*$1 ]]
}

# A router on the way with a smaller MTU: what it answers anybody could say, so the switch heeds the
# route alone.
untrusted() { [ "$(drops h1 untrusted_mtu)" -gt 0 ]; }
ip -n r1 link set h2 mtu 1400
ip -n h2 link set u1 mtu 1400
on red-a ping -n -c 3 -i 0.2 -W 1 -M 'do' -s 1372 10.0.0.3 >/dev/null 2>&1 || true
check "what a router says of its MTU is not believed" retry 5 untrusted
ip -n h1 route replace 198.51.100.22 via 10.1.0.254 mtu 1400
sw h1 switch repair
check "a smaller MTU on the way is told to the sender" retry 5 pings_too_big 1350
check "and what fits arrives" on red-a ping -n -c 2 -i 0.2 -W 1 -M 'do' -s 1322 10.0.0.3

# One uplink is taken from the switch, and given back.
check "one uplink is given up" sw h1 switch set dev u1
check "the other one serves" reach red-a 10.0.0.3
via 4 h1 2
ip -n h1 route replace 198.51.100.22 via 10.2.0.254
before=$(drops h1 no_route)
check "by the one given up nothing leaves" retry 5 counts_no_route "$before"
check "it comes back" sw h1 switch set dev u1 dev u2
check "and serves" reach red-a 10.0.0.3
finish
