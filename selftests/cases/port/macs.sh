#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   in1 10.0.0.11 ┐                         world 198.51.1.2 ── up1 ┐
#   in2 10.0.0.12 ┴ br0 10.0.0.1 = red-a ───────────────────────────┤
#                                   red-b 10.0.0.2 ─────────────────┴ h1 ═══ h2 ─── red-c 10.0.0.3
#
# A container with a bridge: what is behind it has MACs of its own, which `macs N` allows. All
# others see them by the endpoint's MAC. Then the same by macvlan.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1 h2
switch_up
tenants
uplink h1 world 1
containers red "a@h1 b@h1 c@h2"
sw_all gateway add red ip 10.0.0.254/24 host h1
serve world 7000
A=02:00:00:00:00:01 B=02:00:00:00:00:02 G=02:74:00:00:00:64
MACS=('"02:00:00:00:01:11"' '"02:00:00:00:01:12"')
six='ip 10.0.0.1 ip fd00::1 ip 10.0.0.11 ip fd00::11 ip 10.0.0.12 ip fd00::12'

# inner NS N: its addresses, on its device eth0.
inner() {
	sysctl_in "$1" net.ipv6.conf.eth0.{dad_transmits,accept_dad}=0
	ip -n "$1" link set eth0 address "02:00:00:00:01:$2" up
	ip -n "$1" addr add "10.0.0.$2/24" dev eth0
	ip -n "$1" addr add "fd00::$2/64" dev eth0 nodad
	ip -n "$1" route add default via 10.0.0.254
}
bridge() {
	ip -n red-a link add br0 address $A type bridge mcast_snooping 0
	sysctl_in red-a net.ipv6.conf.br0.{dad_transmits,accept_dad}=0
	for n in 1 2; do
		netns in$n
		ip -n red-a link add in$n type veth peer name eth0 netns in$n
		ip -n red-a link set in$n master br0 up
		inner in$n 1$n
	done
	ip -n red-a addr flush dev eth0
	ip -n red-a link set eth0 master br0
	ip -n red-a link set br0 up
	ip -n red-a addr add 10.0.0.1/24 dev br0
	ip -n red-a addr add fd00::1/64 dev br0 nodad
}
# shellcheck disable=SC2086 # words
set_a() { sw_all endpoint set a tenant red "$@"; }
neighbour() { ip -n "$1" -j neigh show to "$2" | gojq -r '.[0].lladdr'; } # NS ADDRESS
shown() { js h1 endpoint show a tenant red "$1"; }
reaches() { # DESC NS ADDRESS...
	local at

	for at in "${@:3}"; do check "$1: $2 reaches $at" reach "$2" "$at"; done
}
all_reach() { # DESC
	reaches "$1" in1 10.0.0.2 10.0.0.3 fd00::2 fd00::3 10.0.0.12 10.0.0.254
	reaches "$1" in2 10.0.0.3 fd00::2
	reaches "$1" red-b 10.0.0.1 fd00::1 10.0.0.11 fd00::12
	reaches "$1" red-c 10.0.0.1 fd00::1 10.0.0.12 fd00::11
	answers "$1: the world" in1 both 198.51.1.2 7000 "world 198.51.1.1"
}

# shellcheck disable=SC2086 # words
set_a $six
bridge
check "without the word: its own address" reach red-a 10.0.0.2
check "without the word: none behind it" no_reach in1 10.0.0.2
check "macs 2" set_a macs 2
is "it is shown" "$(shown '.[0].macs')" 2

# Nothing behind the port has sent anything yet.
for at in 10.0.0.11 fd00::11 10.0.0.12 fd00::12; do
	check "one that was silent is asked for: $at" reach red-c $at
done
all_reach "bridge"
for from in red-b red-c; do
	is "$from knows the endpoint's MAC alone" "$(neighbour $from 10.0.0.11) $(
		neighbour $from fd00::12)" "$A $A"
done
is "endpoint show lists both" "$(shown '.[0].inner_macs | sort')" "[${MACS[0]},${MACS[1]}]"
check "h1 is sound" sw h1 switch check
# traced WORD...: what becomes of a frame from in1.
traced() {
	js h1 trace from a tenant red mac 02:00:00:00:01:11 to "$@" \
		'.[0] | [.verdict, .reason, .agrees]'
}
trace_knows() { # DESC
	is "$1: traced to its neighbour" "$(traced b ip 10.0.0.11)" '["delivered",null,true]'
	is "$1: and by the tunnel" "$(traced c ip fd00::11)" '["tunnel",null,true]'
	is "$1: and to the world" "$(traced 198.51.1.2 ip 10.0.0.11)" '["gateway",null,true]'
}
trace_knows "bridge"
is "what would tell the switch an address is not run" "$(traced b ip 10.0.0.12)" \
	'["delivered",null,null]'
reaches "so that has its address still" red-c 10.0.0.12

# ---- by the other tunnels -------------------------------------------------------------------
for encap in gre geneve vxlan; do
	sw_all tenant set red encap $encap
	reaches "$encap" in1 10.0.0.3 fd00::3
	reaches "$encap" red-c 10.0.0.11 fd00::12
done

# ---- what may not be ------------------------------------------------------------------------
# forges DESC MAC COUNT: red-a's end sends as that MAC.
forges() {
	expect_drops "$1: spoofed_mac" h1 "$3" "red spoofed_mac from_endpoint" \
		inject red-a eth0 eth src="$2" dst=$B / ip src=10.0.0.11 dst=10.0.0.2 / udp
}
quiet h1
is "a third MAC, as trace has it" "$(js h1 trace from a tenant red mac 02:00:00:00:01:13 to b \
	'.[0] | [.reason, .agrees]')" '["spoofed_mac",true]'
forges "a third MAC" 02:00:00:00:01:13 1
forges "a neighbour's MAC" $B 1
forges "the gateway's MAC" $G 1
forges "a group's MAC" 03:00:00:00:01:13 1
expect_drops "a neighbour's address: spoofed_ip" h1 1 "red spoofed_ip from_endpoint" \
	inject red-a eth0 eth src=02:00:00:00:01:11 dst=$B / ip src=10.0.0.2 dst=10.0.0.3 / udp
check "a new endpoint may have an inner MAC" sw h1 endpoint add x tenant red \
	mac 02:00:00:00:01:12 ip 10.0.0.99 host h2
forges "then it is a neighbour's" 02:00:00:00:01:12 1
sw h1 endpoint del x tenant red
reaches "and is free again" in2 10.0.0.3

# ---- DHCP gives what is behind it nothing ----------------------------------------------------
sw_all tenant set red dhcp on net 10.0.0.0/24 net fd00::/64
FAILS=any expect_drops "DHCP from an inner MAC: spoofed_mac" h1 1 "red spoofed_mac from_endpoint" \
	on in1 timeout 20 busybox udhcpc -i eth0 -s /bin/false -t 1 -T 1 -n
is "and traced so" "$(traced 255.255.255.255 proto udp port 67 ip 10.0.0.11)" \
	'["dropped","spoofed_mac",null]'
# A solicitation of DHCPv6: a client id, and an IA.
SOLICIT=01000001 SOLICIT+=0001000a00030001020000000111 SOLICIT+=0003000c000000070000000000000000
solicits() { # NS MAC ADDRESS
	inject "$1" eth0 eth src="$2" dst=33:33:00:01:00:02 / ip6 src="$3" dst=ff02::1:2 / \
		udp sport=546 dport=547 / hex $SOLICIT
}
expect_drops "DHCPv6 from one: spoofed_mac" h1 1 "red spoofed_mac from_endpoint" \
	solicits in1 02:00:00:00:01:11 fe80::ff:fe00:111
is "and traced so" "$(traced ff02::1:2 proto udp port 547 ip fe80::ff:fe00:111)" \
	'["dropped","spoofed_mac",null]'
sw_all tenant set red dhcp off net none

# ---- it is kept, and taken back -------------------------------------------------------------
sw h1 save >$WORK/state
is "it is saved" "$(gojq -c '[.tenants[] | select(.name == "red").endpoints[] |
	select(.name == "a").macs]' $WORK/state)" "[2]"
check "a file that says the same changes nothing" sw h1 diff $WORK/state
check "an upgrade keeps it" sw h1 switch upgrade -f
reaches "behind an upgrade" in1 10.0.0.3
UNCHANGED='sw h1 save'
for bad in 0 65 -1 x; do
	refuses "macs $bad" 2 "\"$bad\"" sw h1 endpoint set a tenant red macs $bad
done
check "macs none" set_a macs none
check "then none behind it" no_reach in1 10.0.0.2
is "and nothing is left" "$(map_dump h1 macs)$(map_dump h1 inner)" "[][]"
sw h1 apply $WORK/state >/dev/null
reaches "it is applied" in1 10.0.0.3

# ---- macvlan --------------------------------------------------------------------------------
ip -n red-a link set eth0 nomaster
ip -n red-a link del br0
for n in 1 2; do ip -n in$n link del eth0; done
# In mode passthru there is one, which has the device's MAC.
set_a macs none
ip -n red-a link add mv1 link eth0 type macvlan mode passthru
ip -n red-a link set mv1 netns in1 name eth0
sysctl_in in1 net.ipv6.conf.eth0.{dad_transmits,accept_dad}=0
ip -n in1 link set eth0 up
ip -n in1 addr add 10.0.0.1/24 dev eth0
ip -n in1 addr add fd00::1/64 dev eth0 nodad
reaches "passthru, without macs" in1 10.0.0.2 fd00::2 10.0.0.3 fd00::3 10.0.0.254
reaches "passthru, without macs" red-c 10.0.0.1 fd00::1
ip -n in1 link del eth0
set_a macs 2
for n in 1 2; do
	ip -n red-a link add mv$n link eth0 type macvlan mode bridge
	ip -n red-a link set mv$n netns in$n name eth0
	inner in$n 1$n
done
ip -n red-a addr add 10.0.0.1/24 dev eth0
ip -n red-a addr add fd00::1/64 dev eth0 nodad
all_reach "macvlan"
trace_knows "macvlan"
for mode in private vepa; do
	for n in 1 2; do ip -n in$n link set eth0 type macvlan mode $mode; done
	reaches "$mode" in1 10.0.0.2 fd00::2 10.0.0.3 10.0.0.254
	reaches "$mode" in2 fd00::3
	reaches "$mode" red-c 10.0.0.11 fd00::12
	check "$mode: in1 does not reach the other" no_reach in1 10.0.0.12
	check "$mode: nor by IPv6" no_reach in1 fd00::12
done
check "h1 is sound" sw h1 switch check
sw_all endpoint del a tenant red
is "without the endpoint nothing is left" "$(map_dump h1 macs)$(map_dump h1 inner)" "[][]"
finish
