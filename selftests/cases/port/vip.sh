#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Addresses that move between endpoints: who announced one last has it, on each host, within the
# time of some frames.
#
#   red-a, red-b ─ h1 ═══ h2 ─ red-c     vip: 10.0.0.100, fd00::100
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_watch.sh"
. "$LIB/lib_wire.sh"

V4=10.0.0.100 V6=fd00::100
topo h1 h2
tenants
sw_all tenant set red broadcast off
containers "red" "a@h1 b@h1 c@h2 d@h2 e@h1"
containers "blue" "a@h1 d@h2"
for host in h1 h2; do
	for name in a b c; do
		check "$host: $name may take both" sw $host endpoint set $name tenant red vip $V4 vip $V6
	done
done
mac() { mac_of "10.0.0.$1/24"; }
holders() { # whom each host sends to
	for host in h1 h2; do
		sw $host -j endpoint show tenant red |
			gojq -r '.[] | select(.vip_held | index("'$1'")) | "'$host' \(.name)"'
	done | xargs
}
# has NS: it has the addresses, without a word to anybody.
has() {
	ip -n "$1" addr replace $V4/24 dev eth0
	ip -n "$1" addr replace $V6/64 dev eth0 nodad preferred_lft 0
}
# announces NS MAC [WORD...]: as keepalived does.
announces() {
	inject "$1" eth0 eth src="$2" dst=ff:ff:ff:ff:ff:ff / arp sha="$2" spa=$V4 tpa=$V4 "${@:3}"
	inject "$1" eth0 eth src="$2" dst=33:33:00:00:00:01 / ip6 src=$V6 dst=ff02::1 hlim=255 / \
		na target=$V6 lladdr="$2" flags=0x20000000
}

A=02:00:00:00:00:01 B=02:00:00:00:00:02 C=02:00:00:00:00:03 D=02:00:00:00:00:04
for ns in red-a red-b red-c blue-a; do has $ns; done

# ---- before and after the first announcement -------------------------------------------------
is "nobody has them" "$(holders $V4) $(holders $V6)" " "
is "trace says so, and that the sender asks" "$(sw h1 -j trace from e to $V4 tenant red |
	gojq -r '.[0] | .verdict, (.steps[] | select(.at == "vip") | .says)')" \
	"flooded
a vip that no endpoint has announced, as far as this host has heard"
for ip in "ip src=$V4 dst=10.0.0.4" "ip6 src=$V6 dst=fd00::4"; do
	# shellcheck disable=SC2086
	expect_drops "nobody sends from it: spoofed_ip" h1 1 "red spoofed_ip from_endpoint" \
		inject red-a eth0 eth src=$A dst=$D / $ip / udp / text EARLY
done
announces red-a $A
is "IPv4: a has it on both hosts" "$(holders $V4)" "h1 a h2 a"
is "IPv6: a has it on both hosts" "$(holders $V6)" "h1 a h2 a"
for ip in $V4 $V6; do
	check "$ip: from this host" reach red-e $ip
	check "$ip: from another host" reach red-d $ip
	check "$ip: a connects from it" on red-a ping -n -c 1 -W 1 -I $ip "${ip%100}4"
done

# traces "VERDICT REASON" HOST WORD...: trace and the program itself agree about it.
traces() {
	is "trace ${*:3}: $1" "$(sw "$2" -j trace "${@:3}" | gojq -r '.[0] | [.verdict, .reason // "-",
		if .run and (.agrees | not) then "DIFFERS" else empty end] | join(" ")')" "$1"
}
traces "delivered -" h1 from e to $V4 tenant red proto tcp port 80
traces "tunnel -" h2 from d to $V6 tenant red proto tcp port 80
traces "dropped spoofed_ip" h1 from b to 10.0.0.5 tenant red ip $V4
traces "dropped spoofed_ip" h1 from e to 10.0.0.2 tenant red ip $V4
traces "answered -" h2 from d to $V4 tenant red proto arp
is "trace says who has it" "$(sw h1 -j trace from e to $V4 tenant red |
	gojq -r '.[0].steps[] | select(.at == "vip") | .says')" \
	'a vip, which endpoint "a" announced last'

# ---- it moves --------------------------------------------------------------------------------
MOST=50 # of 500 a second: 100 ms
bg h1 "$PY" "$TOOLS/moving.py" red-e,red-d $V4,$V6 red-a,red-b,red-c
FLOW=$BG LOG=$BG_LOG
retry 5 grep -q ready "$LOG"
# where: the namespaces that get what all send, once each.
where() {
	kill -USR1 $FLOW
	sleep 0.1
	tail -n 4 "$LOG" | sed 's/.* at //' | sort -u
}
comes "all is sent to a" red-a where
announces red-b $B
comes "all is sent to b, on the same host" red-b where
announces red-c $C op=2 tha=$C
comes "all is sent to c, on the other host" red-c where
announces red-a $A
comes "all is sent to a again" red-a where
is "IPv4: a has it on both hosts" "$(holders $V4)" "h1 a h2 a"
stop $FLOW
note "$(grep sent "$LOG")"
is "three changes of each" "$(grep -o ' -> ' "$LOG" | wc -l)" 12
is "of each, and of its answers, less than 100 ms is lost" \
	"$(grep -o 'gap [0-9]*' "$LOG" | awk "\$2 < $MOST" | wc -l)" 8

# ---- who may not -----------------------------------------------------------------------------
expect_drops "an endpoint without the word: spoofed_ip" h2 1 "red spoofed_ip from_endpoint" \
	inject red-d eth0 eth src=$D dst=ff:ff:ff:ff:ff:ff / arp sha=$D spa=$V4 tpa=$V4
expect_drops "by IPv6: spoofed_ip" h2 1 "red spoofed_ip from_endpoint" inject red-d eth0 \
	eth src=$D dst=33:33:00:00:00:01 / ip6 src=fd00::4 dst=ff02::1 hlim=255 / \
	na target=$V6 lladdr=$D flags=0x20000000
expect_drops "a member by another's MAC: spoofed_mac" h1 1 "red spoofed_mac from_endpoint" \
	inject red-b eth0 eth src=$A dst=ff:ff:ff:ff:ff:ff / arp sha=$A spa=$V4 tpa=$V4
expect_drops "a member, whose ARP has another MAC: spoofed_mac" h1 1 \
	"red spoofed_mac from_endpoint" \
	inject red-b eth0 eth src=$B dst=ff:ff:ff:ff:ff:ff / arp sha=$D spa=$V4 tpa=$V4
expect_drops "a member that lost it sends from it: spoofed_ip" h1 1 \
	"red spoofed_ip from_endpoint" inject red-b eth0 eth src=$B dst=$D / ip src=$V4 dst=10.0.0.4 / \
	udp / text LATE
expect_drops "another host in the name of c: wrong_host" h1 1 "red wrong_host from_tunnel" \
	inject h2 eth0 $(tunnel "${VTEP[h2]}" h1 100) eth src=$B dst=ff:ff:ff:ff:ff:ff / \
	arp sha=$B spa=$V4 tpa=$V4
is "a has it still" "$(holders $V4) $(holders $V6)" "h1 a h2 a h1 a h2 a"
sw_all endpoint set a tenant blue vip $V4
is "blue's of the same address is nobody's" "$(js h1 endpoint show a tenant blue \
	'.[0].vip_held | length')" 0
announces blue-a $A
check "it is blue's a now" test "$(js h2 endpoint show a tenant blue '.[0].vip_held[0]')" = $V4
announces red-b $B
is "and red's is b's" "$(holders $V4)" "h1 b h2 b"
check "blue's stays" test "$(js h2 endpoint show a tenant blue '.[0].vip_held[0]')" = $V4

# ---- monitor tells ---------------------------------------------------------------------------
# told NAME FILTER: the lines about vips for which jq's FILTER is true.
told() { sed -n '/"event": *"vip"/p' "$WORK/$1.log" | gojq -c "select($2)"; }
tells() { [ -n "$(told "$@")" ]; }
fights() { # NS MAC: announces as fast as it can
	bg "$1" "$PY" "$TOOLS/inject.py" -c 1000000 eth0 eth src="$2" dst=ff:ff:ff:ff:ff:ff / \
		arp sha="$2" spa=$V4 tpa=$V4
}
watcher all h1 01,01 monitor
watcher of_red h1 03,03 monitor tenant red
watcher drops h1 03,07 monitor drops
bg h1 "$TSW" -i h1 monitor tenant blue
TEXT=$BG LINES=$BG_LOG
retry 5 is_watched h1 0b,0f
announces blue-a $A
announces red-a $A
check "monitor: who took it" retry 5 tells all '.tenant == "red" and .endpoint == "a" and
	.address == "'$V4'" and .mac == "'$A'" and .changes == 5 and
	(.time | test("^[0-9-]+T[0-9:]+\\.[0-9]{9}Z$"))'
check "monitor: an IPv6 one" retry 5 tells all '.tenant == "red" and .address == "'$V6'"'
is "monitor: nothing of an announcement by the holder" "$(told all '.tenant == "blue"')" ""
fights red-a $A
ONE=$BG
fights red-b $B
TWO=$BG
check "monitor: two that announce in turn" retry 5 tells of_red .contested
began=$SECONDS before=$(told of_red true | wc -l)
sw_all endpoint set d tenant blue vip $V4
announces blue-d $D
check "monitor: another tenant's vip meanwhile" retry 5 tells all \
	'.tenant == "blue" and .endpoint == "d" and .changes == 1'
comes "monitor: as text" "event vip tenant blue endpoint d mac $D address $V4 changes 1 contested off" \
	sed -n 's/^time [^ ]* \(event vip\)/\1/p' $LINES
lines() { echo $(($(told of_red true | wc -l) - before)); }
three_lines() { [ "$(lines)" -ge 3 ]; }
check "monitor: and again, while they do" retry 10 three_lines
for process in $ONE $TWO $TEXT; do stop $process; done
check "monitor: $(lines) lines, one a second at most" test "$(lines)" -le $((SECONDS - began + 1))
counted() { sw h1 metrics | sed -n 's|^tsw_vip_changes_total{.*tenant="red",address="'$V4'"} ||p'; }
check "all of the $(counted) changes are counted" test "$(counted)" -gt 100
is "monitor drops: nothing of vips" "$(told drops true)" ""
for name in all of_red drops; do ends "monitor ends" $name INT 0; done
sw_all endpoint set d tenant blue vip none
announces red-b $B

# ---- what commands do ------------------------------------------------------------------------
refuses "an endpoint's own address" 1 "already has the address $V4 as a vip" \
	sw h1 endpoint set d tenant red ip $V4
refuses "another's address as vip" 1 'already has the address 10.0.0.4 of endpoint "d"' \
	sw h1 endpoint set a tenant red vip 10.0.0.4
refuses "ip and vip at once" 2 'given as ip and as vip' \
	sw h1 endpoint set a tenant red ip 10.0.0.1 ip 10.0.0.99 vip 10.0.0.99
refuses "twice" 2 'given twice' sw h1 endpoint set a tenant red vip $V4 vip $V4
# shellcheck disable=SC2046
refuses "nine" 2 'one address too many' \
	sw h1 endpoint set a tenant red $(printf 'vip 10.0.1.%d ' {1..9})
sw h1 tenant set red max-endpoints 4
# shellcheck disable=SC2046
refuses "more than the tenant's share" 1 'and its share is 16' \
	sw h1 endpoint set a tenant red $(printf 'vip 10.0.1.%d ' {1..8})
sw h1 tenant set red max-endpoints none
sw_all endpoint del b tenant red
is "nobody has those of a deleted endpoint" "$(holders $V4) $(holders $V6)" " "
announces red-c $C
is "until c takes them" "$(holders $V4)" "h1 c h2 c"
sw_all endpoint set c tenant red vip none
is "or gives them up" "$(holders $V4)" ""
sw_all endpoint set a tenant red vip none
is "the last one's entries go" "$(map_dump h1 taken | gojq 'length') $(map_dump h1 vips | gojq length)" \
	"1 1"
for host in h1 h2; do check "$host: switch check" sw $host switch check; done
finish
