#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Link-local addresses that are not made from the MAC, as NetworkManager, dhcpcd and Windows make
# them: who shows one has it, on all hosts, and nobody takes it.
#
#   red-a fd00::1, red-b ::2 ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-c fd00::3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo h1 h2
tenants red 100
sw_all tenant set red net fd00::/64 dhcp on
sw_all gateway add red ip fd00::fe/64
containers "red" "a@h1 b@h1 c@h2"
A=02:00:00:00:00:01 B=02:00:00:00:00:02 C=02:00:00:00:00:03

# again NS SETTING: its device goes down and up, and makes itself an address by that setting.
again() {
	sysctl_in "$1" net.ipv6.conf.eth0.{dad_transmits,accept_dad,router_solicitations,accept_ra}=1 \
		net.ipv6.conf.eth0."$2"
	ip -n "$1" link set eth0 down
	ip -n "$1" link set eth0 up
	comes "$1: an address by $2" 1 made "$1"
}
made() { own "$1" | wc -l; }
own() { # NS: what is ready for use
	ip -n "$1" -j -6 addr show dev eth0 scope link |
		gojq -r '.[].addr_info[] | select(.tentative | not) | .local'
}
route() { ip -n "$1" -6 route show default | cut -d ' ' -f 3; }
bound() { js "$1" endpoint show "$2" tenant red '.[0].link_local // [] | join(" ")'; } # HOST NAME
drop_of() { drops "$1" red spoofed_ip "$2"; }

for mode in addr_gen_mode=3 stable_secret=2001:db8::1; do # by chance, and RFC 7217
	again red-a $mode
	made=$(own red-a)
	check_fails "$mode: not made from the MAC" test "$made" = fe80::ff:fe00:1
	comes "$mode: a route by the router's advertisement" fe80::74:ff:fe00:64 route red-a
	is "$mode: endpoint show has it" "$(bound h1 a | tr ' ' '\n' | grep -cx "$made")" 1
	check "$mode: to a neighbour" reach red-a fe80::ff:fe00:2%eth0
	check "$mode: to another host" reach red-a fe80::ff:fe00:3%eth0
	check "$mode: from another host" reach red-c "$made%eth0"
	is "$mode: which has heard of it" "$(bound h2 a | tr ' ' '\n' | grep -cx "$made")" 1
done
is "a makes two of them" "$(bound h1 a | wc -w)" 2
again red-c addr_gen_mode=3
theirs=$(own red-c)
check "both of random addresses" reach red-a "$theirs%eth0"
red_drops() { for host in h1 h2; do all_drops $host | sed -n '/^red /p'; done; }
is "nothing of red was dropped" "$(red_drops)" ""

# ---- what is another's ---------------------------------------------------------------------
# A's container is silent from here on.
ip -n red-a link set eth0 down
nd="eth src=$B dst=33:33:00:00:00:01 / ip6 src=fe80::ff:fe00:2 dst=ff02::1 hlim=255"
to_nodes="eth src=$B dst=33:33:00:00:00:01 / ip6 dst=ff02::1 hlim=255"
mld="icmp6 type=143 body=0000000000000000"
# shows IP: b reports a group from it.
shows() {
	# shellcheck disable=SC2086 # words on purpose
	inject red-b eth0 eth src=$B dst=33:33:00:00:00:16 / ip6 src="$1" dst=ff02::16 hlim=1 / $mld
}
# shellcheck disable=SC2086 # words on purpose
{
	expect_drops "a neighbour sends from it: spoofed_ip" h1 1 "red spoofed_ip from_endpoint" \
		inject red-b eth0 eth src=$B dst=$C / ip6 src=$made dst=$theirs / udp / text FORGED
	expect_drops "a neighbour advertises it: spoofed_ip" h1 1 "red spoofed_ip from_endpoint" \
		inject red-b eth0 $nd / na target=$made lladdr=$B
	expect_drops "another host's endpoint sends from it: spoofed_ip" h2 1 \
		"red spoofed_ip from_endpoint" \
		inject red-c eth0 eth src=$C dst=$B / ip6 src=$made dst=fe80::ff:fe00:2 / udp / \
		text FORGED
	expect_drops "the gateway's: spoofed_ip" h1 1 "red spoofed_ip from_endpoint" \
		inject red-b eth0 $to_nodes src=fe80::74:ff:fe00:64 / $mld
}
# DAD of a neighbour that chose the same one: the switch answers for who sleeps.
sysctl_in red-b net.ipv6.conf.eth0.{dad_transmits,accept_dad}=1
ip -n red-b addr add "$made/64" dev eth0
failed() { ip -n red-b -6 addr show dev eth0 dadfailed | grep -c "$made"; }
comes "duplicate address detection finds it taken" 1 failed
ip -n red-b addr del "$made/64" dev eth0

# ---- a port that makes many ------------------------------------------------------------------
for i in $(seq 20); do shows fe80::b:$i; done
is "it keeps four" "$(bound h1 b | wc -w)" 4
is "the last ones" "$(bound h1 b | tr ' ' '\n' | sort | xargs)" \
	"fe80::b:17 fe80::b:18 fe80::b:19 fe80::b:20"
is "so does the other host" "$(bound h2 b | wc -w)" 4
is "and its neighbour's is still there" "$(bound h1 a | grep -c "$made")" 1
traced() { js h1 trace from b to "$theirs" tenant red ip "$1" '.[0] | [.verdict, .reason]'; }
is "trace knows whose it is" "$(traced "$made")" '["dropped","spoofed_ip"]'
is "and what is nobody's" "$(traced fe80::b:21)" '["tunnel",null]'
for host in h1 h2; do check "$host is right" sw $host switch check; done

# ---- an endpoint that goes -----------------------------------------------------------------
kept() { map_dump "$1" bindings | gojq '[.[].formatted.value.mac.b | select(.[5] == 1)] | length'; }
for host in h1 h2; do is "$host has those of a" "$(kept $host)" 2; done
sw_all endpoint del a tenant red
for host in h1 h2; do
	is "$host: nothing is left of a" "$(kept $host)" 0
	check "$host is right without it" sw $host switch check
done
shows "$made"
is "its address is free" "$(bound h1 b | grep -c "$made")" 1
sw_all endpoint set b tenant red mac 02:00:00:00:00:22
is "an endpoint with a new MAC has shown nothing" "$(bound h1 b)$(bound h2 b)" ""
finish
