#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A router in a container: it may send from the networks behind it, and gets what is for them, from
# its neighbours and by the gateway.
#
#   lan7 192.168.7.2 ─┐
#   lan8 192.168.8.2 ─┴─ red-r 10.0.0.9 ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-b 10.0.0.2
#                        red-a 10.0.0.1 ──┘                            └─ red-s 10.0.0.8 ─ lan9
#   The same in IPv6: fd07::2, fd08::2, fd00::9. Blue has the same names and addresses, without a
#   router, and a container n without listed addresses.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo h1 h2
tenants red 100 blue 200
containers "red blue" "a@h1 b@h2 r=9@h1 s=8@h2"
N7=(prefix 192.168.7.0/24 prefix fd07::/64) N8=(prefix 192.168.8.0/24 prefix fd08::/64)
N9=(prefix 192.168.9.0/24 prefix fd09::/64)
A=02:00:00:00:00:01 R=02:00:00:00:00:09

lan() { # ROUTER N: the namespace lanN behind it
	netns "lan$2"
	ip -n "$1" link add "eth$2" type veth peer name eth0 netns "lan$2"
	sysctl_in "$1" "net.ipv6.conf.eth$2.disable_ipv6=0"
	ip -n "$1" addr add "192.168.$2.1/24" dev "eth$2"
	ip -n "$1" addr add "fd0$2::1/64" dev "eth$2" nodad
	ip -n "$1" link set "eth$2" up
	ip -n "lan$2" addr add "192.168.$2.2/24" dev eth0
	ip -n "lan$2" addr add "fd0$2::2/64" dev eth0 nodad
	ip -n "lan$2" link set eth0 up
	way_out "lan$2" "192.168.$2.1" "fd0$2::1"
	sysctl_in "$1" net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	retry 5 carrier "lan$2" eth0
}
lan red-r 7
lan red-r 8
lan red-s 9
routes() { # NS N VIA4 VIA6
	ip -n "$1" route replace "192.168.$2.0/24" via "$3"
	ip -n "$1" route replace "fd0$2::/64" via "$4"
}
for ns in red-a red-b; do
	for n in 7 8; do routes $ns $n 10.0.0.9 fd00::9; done
done
quiet h1 h2

# ---- without the word -------------------------------------------------------------------------
drop_both() { # DESC N CMD...
	expect_drops "$1" h1 "$2" "red spoofed_ip from_endpoint" "${@:3}"
}
FAILS=any drop_both "without the word a network behind it may not send" 2 \
	on lan7 ping -n -c 2 -i 0.2 -W 1 10.0.0.1
FAILS=any drop_both "nor in IPv6" 2 on lan7 ping -n -c 2 -i 0.2 -W 1 fd00::1

# ---- with it ----------------------------------------------------------------------------------
for host in h1 h2; do
	check "$host: networks behind r" sw $host endpoint set r tenant red "${N7[@]}" "${N8[@]}"
	check "$host: and behind s" sw $host endpoint set s tenant red "${N9[@]}"
done
for n in 7 8; do
	check "lan$n to a neighbour of its router" reach lan$n 10.0.0.1
	check "to another host" reach lan$n 10.0.0.2
	check "from there" reach red-b 192.168.$n.2
	check "in IPv6" reach lan$n fd00::2
	check "and back" reach red-a fd0$n::2
done
is "endpoint show has them" "$(js h1 endpoint show r tenant red '.[0].prefix | join(" ")')" \
	"192.168.7.0/24 fd07::/64 192.168.8.0/24 fd08::/64"

# By the gateway's MAC: no neighbour has a route of its own.
sw_all gateway add red ip 10.0.0.254/24 ip fd00::fe/64
for ns in red-a red-b; do
	for n in 7 8; do routes $ns $n 10.0.0.254 fd00::fe; done
done
for ns in red-r red-s; do way_out $ns 10.0.0.254 fd00::fe; done
way_out red-b 10.0.0.254 fd00::fe
check "by the gateway to another host" reach red-b 192.168.7.2
check "in IPv6" reach red-b fd07::2
check "from a network behind one router to one behind another" reach lan7 192.168.9.2
check "in IPv6" reach lan8 fd09::2
serve lan8 80
is "TCP" "$(ask red-b tcp 192.168.8.2 80)" "lan8 10.0.0.2"
is "TCP in IPv6" "$(ask lan9 tcp fd08::2 80)" "lan8 fd09::2"

traced() { js h1 trace from "$1" to "$2" tenant red "${@:3}" '.[0] | [.verdict, .reason]'; }
is "trace: to a network behind r" "$(traced a 192.168.7.2)" '["delivered",null]'
is "trace: to one behind another host's" "$(traced a fd09::2)" '["tunnel",null]'
is "trace names the map" "$(sw h1 trace from a to 192.168.7.2 tenant red | grep -c tsw_prefixes)" 1
is "trace: r may send from it" "$(traced r 10.0.0.1 ip 192.168.7.2)" '["delivered",null]'
is "trace: its neighbour may not" "$(traced a 10.0.0.9 ip 192.168.7.2)" '["dropped","spoofed_ip"]'

# ---- bad input ---------------------------------------------------------------------------------
sw_all tenant set red net 10.0.0.0/24 net 172.16.0.0/16
sw_all tenant add green id 300
sw_all gateway add green ip 10.9.0.254/24
sw_all peer add green with red
sw_all peer add red with green
sw_all endpoint set b tenant red vip 10.5.0.5
state() { sw h1 -j endpoint show && map_dump h1 prefixes && sw h1 -j tenant show red; }
UNCHANGED=state
trim() { sed 's/^ *//; s/ *$//' <<<"$1"; }
while IFS='|' read -r status quote words; do
	# shellcheck disable=SC2086 # words on purpose
	refuses "refused:$words" "${status// /}" "$(trim "$quote")" \
		sw h1 endpoint set a tenant red $words
done <<-END
	2 | 192.168.5.0/24 | prefix 192.168.5.1/24
	2 | 10.5.0.0 | prefix 10.5.0.0
	2 | 0.0.0.0 | prefix 0.0.0.0/0
	2 | 10.5.0.0/0 | prefix 10.5.0.0/0
	2 | ::/0 | prefix ::/0
	2 | 10.5.0.0/33 | prefix 10.5.0.0/33
	2 | 224.0.0.0 | prefix 224.0.0.0/4
	2 | ff00:: | prefix ff00::/8
	2 | 126.0.0.0/7 | prefix 126.0.0.0/7
	2 | fe00::/7 | prefix fe00::/7
	2 | ::ffff:10.5.0.0 | prefix ::ffff:10.5.0.0/112
	2 | overlaps 10.5.0.0/16 | prefix 10.5.0.0/16 prefix 10.5.7.0/24
	2 | none | prefix none prefix 10.5.7.0/24
	1 | 169.254.0.0/16 | prefix 168.0.0.0/6
	1 | fe80::/10 | prefix fe80::/64
	1 | fd00:ec2::253 | prefix fd00:ec2::/48
	1 | prefix 192.168.7.0/24 of endpoint "r" | prefix 192.168.7.128/25
	1 | prefix 192.168.7.0/24 of endpoint "r" | prefix 192.168.7.0/24
	1 | prefix fd07::/64 of endpoint "r" | prefix fd07::/48
	1 | address 10.0.0.2 of endpoint "b" | prefix 10.0.0.2/32
	1 | address fd00::2 of endpoint "b" | prefix fd00::/126
	1 | address 10.0.0.254 of its gateway | prefix 10.0.0.248/29
	1 | network 172.16.0.0/16 | prefix 172.16.0.0/16
	1 | network 172.16.0.0/16 | prefix 172.16.0.0/12
	1 | vip 10.5.0.5 | prefix 10.5.0.0/24
	1 | vip 10.6.0.5 | vip 10.6.0.5 prefix 10.6.0.0/24
	1 | 192.168.7.9 of endpoint "r" | vip 192.168.7.9
	1 | peer "green" | prefix 10.9.0.128/25
	1 | 192.168.7.9 of endpoint "r" | ip 10.0.0.1 ip 192.168.7.9
	1 | fd07::9 of endpoint "r" | ip fd07::9
END
refuses "nine networks" 2 "at most 8" sw h1 endpoint set a tenant red \
	$(printf 'prefix 10.5.%s.0/24 ' 1 2 3 4 5 6 7 8 9)
refuses "a gateway's address" 1 192.168.7.1 sw h1 gateway set red ip 10.0.0.254/24 \
	ip 192.168.7.1/16
refuses "a tenant's net" 1 192.168.7.0/24 sw h1 tenant set red net 192.168.7.0/24
sw h1 endpoint set a tenant red prefix 172.16.0.0/17 prefix 172.16.128.0/18
check "auto finds what is left" sw h1 endpoint add x tenant red mac auto ip auto host h2
is "behind none" "$(js h1 endpoint show x tenant red '.[0].ip[1]')" 172.16.192.0
sw h1 endpoint del x tenant red
sw h1 endpoint set a tenant red prefix none

# One command changes what the endpoint has by which word. Each row begins where the last one ends.
while IFS='|' read -r what words; do
	# shellcheck disable=SC2086 # words on purpose
	check "$(trim "$what")" sw h1 endpoint set a tenant red $words
	check "is right" sw h1 switch check
done <<-END
	a vip | vip 10.7.0.5
	becomes a network around it | vip none prefix 10.7.0.0/24
	and that a vip again | prefix none vip 10.7.0.5
	and one of IPv6 | vip none prefix fd77::/64
	of which one is a vip | prefix none vip fd77::5
	an address in a network | vip none ip 10.0.0.1 ip fd00::1 ip 10.7.0.9 prefix 10.7.0.0/24
	which becomes narrower than the address | prefix 10.7.0.8/31
	which the network takes over | ip 10.0.0.1 ip fd00::1 prefix 10.7.0.9/32
	and back | ip 10.0.0.1 ip fd00::1 ip 10.7.0.9 prefix none
	a wider one, another MAC | mac 02:00:00:00:00:77 ip 10.0.0.1 ip fd00::1 prefix 10.7.0.0/16
	all of it goes | mac $A prefix none
END
sw h1 endpoint set b tenant red vip 10.5.0.5 vip 10.7.0.5
sw h1 endpoint set a tenant red vip 10.7.0.5
refuses "a vip that another has too" 1 "vip 10.7.0.5" sw h1 endpoint set a tenant red \
	vip none prefix 10.7.0.0/24
sw h1 endpoint set b tenant red vip 10.5.0.5
sw h1 endpoint set a tenant red vip none

sw h1 tenant add six id 600 net fd66::/64
sw h1 endpoint add q tenant six mac auto host h2 prefix fd66::/65 prefix fd66::8000:0:0:0/67
check "auto in IPv6 finds what is left" sw h1 endpoint add x tenant six mac auto ip auto host h2
is "behind none" "$(js h1 endpoint show x tenant six '.[0].ip[0]')" fd66::a000:0:0:0
sw h1 tenant del six force on

# ---- a state file moves them ------------------------------------------------------------------
sw h1 save >$WORK/all.json
change() { # FILE FROM JQ: of the endpoints r, s and a
	gojq "def of(\$n): (.tenants[] | select(.name == \"red\") | .endpoints[] |
		select(.name == \$n)); $3" $WORK/$2.json >$WORK/$1.json
}
# shellcheck disable=SC2016 # jq has them
change swapped all '(of("r").prefix) as $r | (of("s").prefix) as $s |
	of("r").prefix = $s | of("s").prefix = $r'
change back all 'del(of("s").prefix) | of("a").prefix = ["192.168.0.0/16"] | del(of("r").prefix)'
change address back 'del(of("a").prefix) | of("s").ip += ["192.168.7.9"] | of("r").vip = ["fd07::9"]'
for file in swapped back address swapped all; do
	check "apply of $file" sw h1 -q apply $WORK/$file.json
	is "leaves no difference" "$(sw h1 diff $WORK/$file.json)" ""
	check "is right" sw h1 switch check
done

# ---- attacks ----------------------------------------------------------------------------------
container red n h1 mac 02:00:00:00:00:0c # without listed addresses
forged() { # DESC HOST TENANT-NAME MAC TO-MAC IP...
	expect_drops "$1" "$2" 1 "${3%-*} spoofed_ip from_endpoint" \
		inject "$3" eth0 eth "src=$4" "dst=$5" / "${@:6}" / udp / text FORGED
}
forged "a neighbour sends from it" h1 red-a $A $R ip src=192.168.7.2 dst=10.0.0.9
forged "in IPv6" h1 red-a $A $R ip6 src=fd07::2 dst=fd00::9
forged "one without listed addresses" h1 red-n 02:00:00:00:00:0c $A ip src=192.168.7.2 dst=10.0.0.1
forged "another router" h2 red-s 02:00:00:00:00:08 $A ip src=192.168.7.2 dst=10.0.0.1
forged "the router, from what is not behind it" h1 red-r $R $A ip src=192.168.6.2 dst=10.0.0.1
forged "blue's, which has no networks" h1 blue-r $R $A ip src=192.168.7.2 dst=10.0.0.1
expect_drops "in ARP" h1 1 "red spoofed_ip from_endpoint" \
	inject red-a eth0 eth src=$A dst=ff:ff:ff:ff:ff:ff / arp op=2 sha=$A spa=192.168.7.1
# No frame goes round between routers, since neither may send from the other one's networks.
ip -n red-s route add 192.168.9.128/25 via 10.0.0.9
FAILS=any expect_drops "a router sends back what is for it" h2 2 "red spoofed_ip from_endpoint" \
	on lan7 ping -n -c 2 -i 0.2 -W 1 192.168.9.200
ip -n red-s route replace 192.168.9.128/25 via 10.0.0.254
FAILS=any expect_drops "or to itself" h2 2 "red unknown_destination from_endpoint" \
	on red-s ping -n -c 2 -i 0.2 -W 1 -I 192.168.9.1 192.168.9.200

# ---- a part of the tenant's own network: the switch answers for it ------------------------------
sw_all endpoint set r tenant red prefix 10.0.0.64/26 prefix fd00::40/122
asks() { ip -n red-b neigh show "$1" dev eth0 | cut -d ' ' -f 3; }
ip -n red-r addr add 10.0.0.65/32 dev lo
ip -n red-r addr add fd00::41/128 dev lo nodad
check "a neighbour reaches it as its own" reach red-b 10.0.0.65
check "in IPv6" reach red-b fd00::41
is "the switch answers with the router's MAC" "$(asks 10.0.0.65) $(asks fd00::41)" "$R $R"
check "r loses what is not named" no_reach red-b 192.168.7.2

# ---- it goes ------------------------------------------------------------------------------------
sw_all endpoint set r tenant red "${N7[@]}"
check "behind the router again" reach red-b 192.168.7.2
for host in h1 h2; do
	check "$host is right" sw $host switch check
	check "$host: the router has another MAC" \
		sw $host endpoint set r tenant red mac 02:00:00:00:00:99
	is "its networks follow" \
		"$(map_dump $host prefixes | gojq -c '[.[].formatted.value.mac.b[5]] | unique')" "[8,153]"
	check "no network behind s" sw $host endpoint set s tenant red prefix none
	sw $host endpoint del r tenant red
	is "$host: nothing is left" "$(map_dump $host prefixes)$(map_dump $host prefix_lists)" "[][]"
	check "$host is right without them" sw $host switch check
done
finish
