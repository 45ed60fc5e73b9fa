#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1, blue-a 10.0.0.1 ─ h1 ═══════ h2 ─ red-c 10.0.0.3
#                                 up0 ╰── out ──╯ up0
#                 203.0.113.9, 2001:db8:9::9: a resolver; 203.0.113.8: another
#
# The gateway asks its resolver for names that are not the tenant's. First h2 serves the gateway,
# then h1. Questions for the tenant's own names never leave the port.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

topo_hosts h1 h2
outside h1 h2
switch_up
tenants
populate v6 h1 red-a blue-a h2 red-c
leave red-a red-c blue-a
for tenant in red blue; do
	gateway $tenant h2
	sw_all tenant set $tenant dns on
done
OTHER4=203.0.113.8
ip -n out addr add $OTHER4/24 dev br0

# resolver NAME ADDRESS WWW [WORD]...: dnsmasq, which says what it is asked, in $LOG_NAME
resolver() {
	bg out dnsmasq --keep-in-foreground --no-resolv --no-hosts --conf-file=/dev/null --user=root \
		--pid-file= --log-queries --log-facility=- --bind-interfaces --listen-address="$2" \
		--address=/www.example.org/"$3" --txt-record=com,top "${@:4}"
	retry 5 grep -q started "$BG_LOG"
	declare -g "LOG_$1=$BG_LOG"
}
many=$(printf 'some%.0s' {1..50})
resolver FIRST $SERVER4 198.51.100.7 --listen-address=$SERVER6 \
	--address=/www.example.org/2001:db8::7 --txt-record=big.example.org,{1..8}"$many"
resolver OTHER $OTHER4 198.51.100.8

# asks NS SERVER WORD...: status, then the answers
asks() {
	on "$1" timeout 20 dig "@$2" +tries=2 +time=2 +noall +comments +answer "${@:3}" | awk '
		/status:/ { sub(/.*status: /, ""); sub(/,.*/, ""); printf "%s", $0 }
		/^[^;]/ && NF > 4 { printf " %s %s", $4, substr($5, 1, 20) }' || true
}
www() { asks "$1" ${2:-$GATEWAY4} www.example.org; }
heard() { grep -c "query.* $2 from" "${!1}" || true; } # LOG_NAME NAME
THERE="NOERROR A 198.51.100.7"

# ---- who is asked ----------------------------------------------------------------------

is "without a resolver" "$(www red-a)" REFUSED
sw_all gateway set red resolver $SERVER4 resolver $SERVER6
is "from another host than the gateway's" "$(www red-a)" "$THERE"
is "from the gateway's own host" "$(www red-c)" "$THERE"
is "by IPv6" "$(www red-a $GATEWAY6)" "$THERE"
is "the other family's records" "$(asks red-a $GATEWAY4 www.example.org AAAA)" \
	"NOERROR AAAA 2001:db8::7"
is "by TCP" "$(asks red-a $GATEWAY4 +tcp www.example.org)" "$THERE"
is "by TCP, IPv6, from the gateway's host" "$(asks red-c $GATEWAY6 +tcp www.example.org)" "$THERE"
is "an answer that is too long for UDP" "$(asks red-a $GATEWAY4 big.example.org TXT | wc -w)" 17
check "was asked for again, by TCP" test "$(heard LOG_FIRST big.example.org)" = 2
is "a name of the tenant's" "$(asks red-a $GATEWAY4 c.red.tsw.internal)" "NOERROR A 10.0.0.3"
is "by its short name" "$(asks red-a $GATEWAY4 c)" "NOERROR A 10.0.0.3"
is "back" "$(asks red-a $GATEWAY4 -x 10.0.0.3)" "NOERROR PTR c.red.tsw.internal."
is "none of it" "$(asks red-a $GATEWAY4 x.red.tsw.internal) $(asks red-a $GATEWAY4 nobody) \
$(asks red-a $GATEWAY4 -x 10.0.0.77)" "NXDOMAIN NXDOMAIN NXDOMAIN"
is "the resolver heard of none of them" "$(grep -cE 'internal|nobody| c |10.in-addr' "$LOG_FIRST" ||
	true)" 0
is "one label, of which endpoints have no such records" "$(asks red-a $GATEWAY4 com TXT)" \
	'NOERROR TXT "top"'
is "an address of the world's" "$(asks red-a $GATEWAY4 -x 198.51.100.7)" REFUSED # as it says
check "it was asked for it" test "$(heard LOG_FIRST 7.100.51.198.in-addr.arpa)" != 0
is "another opcode is not" "$(asks red-a $GATEWAY4 +opcode=4 www.example.org)" NOTIMP

# ---- tenants ---------------------------------------------------------------------------

is "blue has none" "$(www blue-a)" REFUSED
sw_all gateway set blue resolver $OTHER4
for i in 1 2 3; do
	bg blue-a dig @$GATEWAY4 -b 10.0.0.1#5555 +tries=2 +time=2 +short www.example.org
	is "by one port at once, $i: each its own" "$(on red-a dig @$GATEWAY4 -b 10.0.0.1#5555 \
		+tries=2 +time=2 +short www.example.org) $(ends_well blue >/dev/null; cat "$BG_LOG")" \
		"198.51.100.7 198.51.100.8"
done
is "blue has no resolver by IPv6" "$(www blue-a $GATEWAY6)" REFUSED
is "the other's resolver itself is the world's, to whom asks it" \
	"$(www blue-a $SERVER4) $(www red-a $OTHER4)" "$THERE NOERROR A 198.51.100.8"

# ---- another one, none, dns off --------------------------------------------------------

port() { on red-a dig @$GATEWAY4 -b 10.0.0.1#6666 +tries=1 +time=2 +short www.example.org || true; }
is "by a port" "$(port)" 198.51.100.7
sw_all gateway set red resolver $OTHER4
is "another resolver, by the same port: it is asked at once" "$(port)" 198.51.100.8
sw_all gateway set red nat off
ip -n out route add 10.0.0.0/24 via 203.0.113.2
is "without NAT" "$(www red-a)" "NOERROR A 198.51.100.8"
ip -n out route del 10.0.0.0/24
sw_all gateway set red nat on snat 203.0.113.2
is "as an address of its own" "$(www red-a)" "NOERROR A 198.51.100.8"
sw_all gateway set red snat none
before=$(rules_count h2 to_host)
sw_all tenant set red dns off
is "dns off: nobody is asked" "$(asks red-a $GATEWAY4 +tries=1 +time=1 www.example.org)" ""
is "and that is counted" "$(($(rules_count h2 to_host) - before))" 1
sw_all tenant set red dns on
sw_all gateway set red resolver none
is "none" "$(www red-a) $(asks red-a $GATEWAY4 +tcp www.example.org | head -c 9)" "REFUSED "
check "what it had in nftables is blue's alone" test "$(router h2 nft -j list map inet tsw resolver4 |
	gojq '[.nftables[].map.elem? // empty] | add | length')" = 1
sw_all gateway set red resolver $SERVER4 resolver $SERVER6

# ---- state -----------------------------------------------------------------------------

told() { js h2 gateway show red '.[0].resolver'; }
is "gateway show" "$(told)" '["203.0.113.9","2001:db8:9::9"]'
sw h2 save >$WORK/state.json
gojq 'del(.tenants[].gateway.resolver)' $WORK/state.json >$WORK/none.json
differs() { sw h2 diff "$1" 2>/dev/null | sed -n 's/^ *was //p' | sort | xargs; }
is "diff tells it" "$(differs $WORK/none.json)" \
	"resolver 203.0.113.8 resolver 203.0.113.9 resolver 2001:db8:9::9"
sw h2 apply $WORK/none.json
is "a state without it" "$(told)" null
sw h2 apply $WORK/state.json
is "with it" "$(told) $(www red-a)" "[\"203.0.113.9\",\"2001:db8:9::9\"] $THERE"
check "switch check" healthy h1 h2
sw h2 -f switch upgrade
is "after switch upgrade" "$(www red-a)" "$THERE"

# ---- a gateway that moves --------------------------------------------------------------

bg red-a "$PY" "$TOOLS/dns_again.py" $GATEWAY4 www.example.org 198.51.100.7
retry 5 grep -q ready "$BG_LOG"
sw_all gateway set red host h1 drain 2
moved() { [ "$(js $1 gateway show red '.[0] | [.host, .drain]')" = '["h1",null]' ]; }
retry 5 moved h1
retry 5 moved h2
is "by another port, where it is now" "$(www red-a)" "$THERE"
check "the new place asks it" grep -q 'www.example.org from 203.0.113.1$' "$LOG_FIRST"
kill "$BG"
ends_well "asked meanwhile"

# ---- what fails is not open ------------------------------------------------------------

ip -n h1 route add default via $SERVER4
capture world out br0 'port 53'
router h1 nft flush map inet tsw resolver4
is "its entry is gone: no answer" "$(asks red-a $GATEWAY4 +tries=1 +time=1 www.example.org)" ""
check "switch check names it" bash -c "\"$TSW\" -n h1 switch check | grep -q resolver4"
sw h1 switch repair
is "repair" "$(www red-a)" "$THERE"
capture_stop world
is "nothing left for the gateway's own address" "$(captured world "dst $GATEWAY4")" 0

# ---- trace, the C library --------------------------------------------------------------

traced() { js h1 trace from a to "$@" tenant red port 53 \
	'.[0] | [.verdict, .gateway.then, .agrees]'; }
for words in "$GATEWAY4 proto udp" "$GATEWAY6 proto tcp"; do
	is "trace to $words" "$(traced $words)" '["gateway","to the gateway'"'"'s resolver",true]'
done
mkdir -p /etc/netns/red-a
undo rm -r /etc/netns/red-a
printf 'search red.tsw.internal\nnameserver %s\n' $GATEWAY4 >/etc/netns/red-a/resolv.conf
lookup() { ip netns exec red-a getent ahostsv4 "$1" | awk 'NR == 1 { print $1 }'; }
is "getent: a neighbour, and the world" "$(lookup c) $(lookup www.example.org)" \
	"10.0.0.3 198.51.100.7"

# ---- what is refused -------------------------------------------------------------------

# refused STATUS TEXT WORD...
refused() {
	local status=0 out

	out=$("$TSW" -n h2 "${@:3}" 2>&1) || status=$?
	is "refused: ${*:3}" "$status" "$1"
	check "by name" grep -qF "$2" <<<"$out"
}
refused 1 10.0.0.7 gateway set red resolver 10.0.0.7
refused 2 '"fe80::1"' gateway set red resolver fe80::1
refused 1 'no IPv6 address' gateway set red ip 10.0.0.254/24
is "and nothing changed" "$(told) $(www red-a)" "[\"203.0.113.9\",\"2001:db8:9::9\"] $THERE"

# ---- shares ----------------------------------------------------------------------------

use() { sw h1 -j -s gateway show red | gojq ".[0].$1"; }
is "by TCP" "$(asks red-a $GATEWAY4 +tcp www.example.org)" "$THERE"
is "it was answered: no connection is half open" "$(use half_open_used)" 0
sw_all gateway set red ip $GATEWAY4/24 ip $GATEWAY6/64 ip 10.0.0.253/24
spray() { # COUNT ADDRESS FIRST-PORT
	"$PY" "$TOOLS/spray.py" red-a eth0 "$1" eth src=02:00:00:00:00:01 dst=02:74:00:00:00:64 / \
		ip src=10.0.0.1 dst="$2" / udp sport="$3" dport=53 csum=0 +sport / hex "$QUERY" \
		>/dev/null
}
QUERY=123401000001000000000000$(printf '\3www\7example\3org' | xxd -p)0000010001
before=$(drops h1 connections_full red)
spray 5000 $GATEWAY4 10000
spray 5000 10.0.0.253 20000
spray 5000 $SERVER4 30000
now=$(use connections_used)
check "all that leads to the resolver is one share" test "$now" -le 5000 -a "$now" -ge 4000
check "and the rest is counted" test $(($(drops h1 connections_full red) - before)) -gt 7000

# ---- the end ---------------------------------------------------------------------------

for tenant in red blue; do gateway_del $tenant; done
check_fails "without gateways nothing is left" test -e /run/netns/tsw-gw.h2
finish
