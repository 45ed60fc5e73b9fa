#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a, red-c, blue-a, blue-s ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-s, red-b, red-e
#
# A tenant's own server of DHCP and DHCPv6, dnsmasq, to which requests are relayed: from both hosts,
# from two networks, beside a tenant of equal addresses. Only its answers reach clients. Tests
# packet_relay and packet_relay6 have each frame, answer/relay-clients has other clients.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_relay.sh"

relay_hosts
cat >$WORK/told.sh <<'END'
#!/bin/sh
[ "$1" = bound ] || exit 0
ip addr replace "$ip/$mask" dev "$interface"
echo "$ip/$mask of $serverid" >"$TOLD"
END
chmod +x $WORK/told.sh
told() { # NS: what a client there was told
	: >$WORK/"$1"
	TOLD=$WORK/$1 on "$1" busybox udhcpc -i eth0 -s $WORK/told.sh -t 10 -T 1 -n -q -f \
		>$WORK/client 2>&1 || cat $WORK/client
	cat $WORK/"$1"
}
capture others red-e eth0 'udp and portrange 67-68 or portrange 546-547'
is "h1: a client in no list of addresses" "$(told red-a)" "10.0.0.100/24 of 10.0.0.9"
is "h2, the server's: one with an address" "$(told red-b)" "10.0.0.2/24 of 10.0.0.9"
is "h1: one of the second network" "$(told red-c)" "10.0.1.3/24 of 10.0.0.9"
is "blue's is answered by its own" "$(told blue-a)" "10.0.0.200/24 of 10.0.0.9"
# DHCPv6: by the server's way of knowing clients, their MACs.
asked() { "$PY" "$TOOLS/dhcp6.py" "$1" eth0 "${@:2}" 2>&1 | paste -sd,; } # NS WORD...
GW6=fe80::74:ff:fe00:64
all() { # IP: what a client is told that asks by each message
	echo "solicit advertise $1 of $GW6 status 0,request reply $1 of $GW6 status 0,$(
	)renew reply $1 of $GW6,rebind reply $1 of $GW6,confirm reply of $GW6 status 0,$(
	)release reply of $GW6 status 0"
}
MESSAGES=(solicit request renew rebind confirm release)
is "DHCPv6, h1: in no list of addresses" "$(asked red-a "${MESSAGES[@]}")" "$(all fd00:a::100)"
is "h2, the server's: one with an address" "$(asked red-b "${MESSAGES[@]}")" "$(all fd00:a::2)"
is "long messages" "$(asked red-a --pad 900 "${MESSAGES[@]}")" "$(all fd00:a::100)"
is "information alone" "$(asked red-c information)" "information reply of $GW6"
ip -n red-b addr add fd00:a::2/64 dev eth0 nodad
is "at the gateway's address" "$(asked red-b --to fd00:a::fe solicit)" \
	"solicit advertise fd00:a::2 of $GW6 status 0"
is "blue's is answered by its own" "$(asked blue-a solicit)" \
	"solicit advertise fd00:a::200 of fe80::74:ff:fe00:c8 status 0"
capture_stop others
is "no neighbour hears a request or an answer" "$(captured others)" 0
is "nothing is dropped" "$({ all_drops h1 && all_drops h2; } | sed '/^null/d')" ""
sysctl_in red-a net.ipv6.conf.eth0.{accept_ra=2,router_solicitations=3}
ip -n red-a link set eth0 down && ip -n red-a link set eth0 up
default6() { ip -n red-a -6 route show default | cut -d ' ' -f 1-3; }
comes "an endpoint in no list hears of its router" "default via $GW6" default6
ip -n red-a addr add fd00:a::100/128 dev eth0 nodad
check "its address of IPv6 works" reach red-a fd00:a::2
check "its address works" reach red-a 10.0.0.2
renew() { # the server is asked directly, and answers to the client's port
	local n

	n=$(grep -c DHCPACK $WORK/log-red-s)
	on red-a kill -USR1 "$(<$WORK/udhcpc.pid)"
	retry 5 more "$n" && on red-a kill -TERM "$(<$WORK/udhcpc.pid)"
}
more() { [ "$(grep -c DHCPACK $WORK/log-red-s)" -gt "$1" ]; }
on red-a ip addr flush dev eth0 scope global
TOLD=$WORK/kept bg red-a busybox udhcpc -i eth0 -s $WORK/told.sh -p $WORK/udhcpc.pid -f -t 10 -T 1
retry 10 test -s $WORK/kept
check "a client renews its address" renew

# ---- who may answer, and what is relayed ---------------------------------------------------------

A=02:00:00:00:00:0a S=02:00:00:00:00:09 E=02:00:00:00:00:0e GW=$(js h1 gateway show red .[0].mac)
# bootp OP HOPS GIADDR MAC: a message, in hexadecimal
bootp() {
	local giaddr

	printf -v giaddr '%02x' ${3//./ }
	printf '%s0106%02x1122334400000000%016x%08x%s' "$1" "$2" 0 0 "$giaddr"
	printf '%s%0404x63825363350101ff' "${4//:/}" 0
}
bad() { # DESC HOST REASON NS "ETH IP" OP HOPS GIADDR MAC
	expect_drops "$1" "$2" 1 "red $3 from_endpoint" inject "$4" eth0 $5 / \
		udp sport=68 dport=67 / hex "$(bootp "${@:6}")"
}
ASK="eth src=$A dst=ff:ff:ff:ff:ff:ff / ip src=0.0.0.0 dst=255.255.255.255"
SAY="eth src=$S dst=$GW / ip src=10.0.0.9 dst=10.0.0.254"
bad "an answer of another endpoint" h2 rogue_server red-e \
	"eth src=$E dst=$GW / ip src=10.0.0.8 dst=10.0.0.254" 02 0 10.0.0.254 $A
bad "in the server's name" h2 rogue_server red-e "eth src=$E dst=$GW / ip src=10.0.0.9 dst=10.0.0.254" \
	02 0 10.0.0.254 $A
bad "an answer for another relay" h2 rogue_server red-s "$SAY" 02 0 10.0.1.254 $A
bad "for nobody" h2 unknown_destination red-s "$SAY" 02 0 10.0.0.254 02:00:00:00:00:77
bad "for all" h2 unknown_destination red-s "$SAY" 02 0 10.0.0.254 ff:ff:ff:ff:ff:ff
bad "for the gateway" h2 unknown_destination red-s "$SAY" 02 0 10.0.0.254 "$GW"
bad "an answer to all, to the servers' port" h2 rogue_server red-s \
	"eth src=$S dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.9 dst=255.255.255.255" 02 0 0.0.0.0 $A
bad "a request with a relay's address" h1 rogue_server red-a "$ASK" 01 0 10.0.0.1 $A
bad "of another's MAC" h1 spoofed_mac red-a "$ASK" 01 0 0.0.0.0 02:00:00:00:00:0c
bad "after too many relays" h1 ttl_expired red-a "$ASK" 01 16 0.0.0.0 $A
expect_drops "a message cut off" h1 1 "red truncated from_endpoint" inject red-a eth0 $ASK / \
	udp sport=68 dport=67 / hex 01010600
expect_drops "an offer of another endpoint to a client" h2 1 "red rogue_server from_endpoint" \
	inject red-e eth0 eth src=$E dst=$A / ip src=10.0.0.8 dst=10.0.0.100 / \
	udp sport=67 dport=68 / text OFFER
# The same of DHCPv6. bad6 DESC HOST REASON NS "ETH IP6" MESSAGE: in hexadecimal
bad6() {
	expect_drops "$1" "$2" 1 "red $3 from_endpoint" inject "$4" eth0 $5 / \
		udp sport=547 dport=547 / hex "$6"
}
A6=fe80000000000000000000fffe00000a GW_HEX=fd00000a0000000000000000000000fe INNER=07123456
ASK="eth src=$A dst=33:33:00:01:00:02 / ip6 src=fe80::ff:fe00:a dst=ff02::1:2"
SAY="eth src=$S dst=$GW / ip6 src=fd00:a::9 dst=fd00:a::fe"
back() { echo "0d00$GW_HEX${2:-$A6}00120006${1//:/}00090004$INNER"; } # MAC [PEER]
bad6 "DHCPv6: an answer of another endpoint" h2 rogue_server red-b \
	"eth src=02:00:00:00:00:0b dst=$GW / ip6 src=fd00:a::2 dst=fd00:a::fe" "$(back $A)"
bad6 "a relay's message of a client" h1 rogue_server red-a "$ASK" \
	"0c00$GW_HEX${A6}0012000602000000000c00090004$INNER"
bad6 "to the server itself" h2 rogue_server red-b \
	"eth src=02:00:00:00:00:0b dst=$S / ip6 src=fd00:a::2 dst=fd00:a::9" \
	"0c00$GW_HEX${A6}0012000602000000000a00090004$INNER"
bad6 "a server's message of a client" h1 rogue_server red-a "$ASK" 02123456
bad6 "an answer for nobody" h2 unknown_destination red-s "$SAY" "$(back 02:00:00:00:00:77)"
bad6 "for the gateway" h2 unknown_destination red-s "$SAY" "$(back "$GW")"
bad6 "for all" h2 unknown_destination red-s "$SAY" "$(back ff:ff:ff:ff:ff:ff)"
bad6 "for a client with another's address" h2 unknown_destination red-s "$SAY" \
	"$(back $A fd00000a000000000000000000000002)"
bad6 "without its client" h2 truncated red-s "$SAY" "0d00$GW_HEX${A6}00090004$INNER"
bad6 "cut off" h2 truncated red-s "$SAY" "0d00$GW_HEX${A6}00120006"
# ---- changes and bad input -----------------------------------------------------------------------

none() { on "$1" busybox udhcpc -i eth0 -s /bin/true -t 2 -T 1 -n -q -f >/dev/null 2>&1; } # NS
traced() {
	sw h1 -q trace from c tenant red to 255.255.255.255 proto udp port 67 | grep -o "$1" || true
}
is "trace tells of the relay" "$(traced 'relayed to .*')" \
	"relayed to $S at 10.0.0.9, from 10.0.1.254"
traced6() { sw h2 -q trace from b tenant red to ff02::1:2 proto udp port 547 | grep -o "$1" || true; }
is "and of DHCPv6's" "$(traced6 'relayed to .*')" "relayed to $S at fd00:a::9, from fd00:a::fe"
sw_all tenant set red dhcp-relay 10.0.0.77
check_fails "a server that nobody has: no answer" none red-a
is "trace says so" "$(traced 'no endpoint has 10.0.0.77' | sort -u)" 'no endpoint has 10.0.0.77'
is "the switch answers DHCPv6 where only IPv4 has a server" "$(asked red-b solicit)" \
	"solicit advertise fd00:a::2 of $GW6"
sw_all tenant set red dhcp-relay none
is "without it the switch answers" "$(told red-b)" "10.0.0.2/24 of 10.0.0.254"
sw_all tenant set red dhcp off
check_fails "nobody answers with dhcp off" none red-b
kept() { sw h1 -j tenant show red | gojq -c '.[0] | [.dhcp, .dhcp_relay]'; }
sw h1 tenant set red dhcp relay 10.0.0.9 dhcp-relay fd00:a::9
BOTH='["10.0.0.9","fd00:a::9"]'
is "dhcp relay IP turns both on" "$(kept)" "[true,$BOTH]"
saved() { sw h1 save; }
UNCHANGED=saved
refused() { refuses "${@:1:3}" sw h1 tenant set red "${@:4}"; } # DESC STATUS TEXT WORD...
refused "no address" 2 '"nobody" is not an IPv4 or IPv6 address' dhcp-relay nobody
refused "an address of all" 2 '"224.0.0.1" is a multicast address' dhcp-relay 224.0.0.1
refused "one of no endpoint" 2 '"127.0.0.1" is a loopback address' dhcp-relay 127.0.0.1
refused "the switch's own" 2 'dhcp-relay: "169.254.169.253" is a service address' dhcp-relay 169.254.169.253
refused "of IPv6, too" 2 'dhcp-relay: "fd00:ec2::253" is a service address' dhcp-relay fd00:ec2::253
refused "IPv6 of all" 2 '"ff02::1" is a multicast address' dhcp-relay ff02::1
refused "a second one of IPv6" 2 'second IPv6 address' dhcp-relay fd00:a::9 dhcp-relay fd00:a::8
refused "a second one" 2 'second IPv4 address' dhcp-relay 10.0.0.9 dhcp-relay 10.0.0.8
refused "dhcp twice" 2 '"dhcp" is given twice' dhcp off dhcp relay 10.0.0.9
refused "relay without an address" 2 '"relay"' dhcp relay
sw h1 save >$WORK/saved
is "the file has it" "$(gojq -c '.tenants[] | select(.name == "red").dhcp_relay' $WORK/saved)" "$BOTH"
is "no difference" "$(sw h1 diff $WORK/saved)" ""
sw h1 tenant set red dhcp-relay none
check "apply brings it back" sw h1 apply $WORK/saved
is "it is there again" "$(kept)" "[true,$BOTH]"
check "check finds no fault" sw h1 switch check
sw h1 tenant del red force on
is "nothing is left of a tenant that is deleted" "$(map_dump h1 relays | gojq length)" 1
finish
