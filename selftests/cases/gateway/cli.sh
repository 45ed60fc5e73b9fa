#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_command and unit_check; gateway/publish-peer-cli has kills and many of each
# long: a minute or more
#
#   red, blue ─ h1 192.0.2.1 ─── 192.0.2.2 h2     (h2 has no switch)
#               └ lan0 198.51.100.1/24
#
# `gateway` as a command: what it shows, makes and refuses. A refused command has changed nothing.
# It is killed at any system call, and the 10,000th gateway costs what the first does.
. "$(dirname "$0")/../../lib.sh"

UP_ARGS="$UP_ARGS max-tenants 70000"
topo_hosts h1 h2
switch_up h1
ip -n h1 link add lan0 type veth peer name lan1
ip -n h1 addr add 198.51.100.1/24 dev lan0
ip -n h1 link set lan0 up
ip -n h1 route add 10.2.0.0/16 via 192.0.2.2
sw h1 tenant add red id 100
sw h1 tenant add blue id 4660
sw h1 endpoint add far tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 ip fd00::3 host h2

# routes: and rules, of the host, and of the router, where there is one. Equal routes, as of
# ff00::/8, have no order of their own.
routes() {
	local ns

	for ns in h1 tsw-gw.h1; do
		[ ! -e /run/netns/$ns ] || ip -n $ns -b - <<<$'route show table all\nrule' | sort
		[ ! -e /run/netns/$ns ] || ip -n $ns -6 -b - <<<$'route show table all\nrule' | sort
	done
}
maps() { # entries of gateways and their neighbours, in order
	local map

	for map in gateways marks addrs; do
		map_dump h1 $map | gojq -c '.[] | [.key, .value]' | sort
	done
	# Not the host: its index is another when it is added again.
	map_dump h1 fdb | gojq -c '.[].formatted | [.key, .value.place]' | sort
}
state() {
	sw h1 -j switch show | gojq -c 'del(.map_bytes)'
	sw h1 -j gateway show | gojq -c 'map(del(.drain))' # its seconds pass
	maps
	routes
	ip -n h1 -br link
	on h1 nft list ruleset
	[ ! -e /run/netns/tsw-gw.h1 ] ||
		router h1 nft -j list ruleset | gojq -c '.nftables[] | del(.counter)'
}
show() { sw h1 -j gateway show "$@" | jq -c "${FILTER:-.}"; }
clean=$(state)

# ---- what it shows --------------------------------------------------------------------------

is "no gateway, an empty list" "$(show)" '[]'
check "add, served here" sw h1 gateway add red ip 10.0.0.254/24 ip fd00::fe/64
is "its shape" "$(show)" '[{"tenant":"red","ip":["10.0.0.254/24","fd00::fe/64"],'\
'"mac":"02:74:00:00:00:64","host":"h1","local":true,"everywhere":true,'\
'"nat":true,"snat":[],"index":1,"nat_ports":"10000-29999","closed_asked":["default"],'\
'"connections":32768,"half_open":4096}]'
check "add, served by another host, with a MAC and addresses to leave as" sw h1 gateway add blue \
	ip 10.0.0.254/24 host h2 mac 02:00:00:00:00:fe snat 203.0.113.9 snat 2001:db8:9::9
is "its shape" "$(show blue)" '[{"tenant":"blue","ip":["10.0.0.254/24"],'\
'"mac":"02:00:00:00:00:fe","host":"h2","local":false,"everywhere":false,"nat":true,'\
'"snat":["203.0.113.9","2001:db8:9::9"],"index":null,"closed_asked":["default"],'\
'"connections":32768,"half_open":4096}]'
is "as text" "$(sw h1 gateway show blue)" "blue ip 10.0.0.254/24 mac 02:00:00:00:00:fe host h2 \
local off everywhere off nat on snat 203.0.113.9 snat 2001:db8:9::9 index - \
closed-asked default connections 32768 half-open 4096"
element() { # SET ELEMENT: is it in nftables?
	router h1 nft get element inet tsw "$1" "{ $2 }" >/dev/null 2>&1
}
for e in 'zones 1 : 1' 'flows 0x74500001 . 0x74500001' 'initiators 0x74500001 : 0x74500001' \
	'hidden 0x74500001'; do
	check "in nftables: $e" element "${e%% *}" "${e#* }"
done
check_fails "nothing of a gateway that another host serves" element zones '2 : 2'
check "this host's own name is served here" sw h1 gateway set blue host h1
is "local, with an index" "$(FILTER='.[] | [.host, .local, .index]' show blue)" '["h1",true,2]'
check "in nftables: snat4" element snat4 '0x74500002 : 203.0.113.9'
check "in nftables: snat6" element snat6 '0x74500002 : 2001:db8:9::9'
check "switch check finds nothing" sw h1 switch check

# ---- set, replace ---------------------------------------------------------------------------

check "moves, with a drain" sw h1 gateway set blue host h2 drain 600
is "from here" "$(FILTER='.[] | [.host, .local, .drain_from, .drain > 590 and .drain <= 600]' \
	show blue)" '["h2",false,"h1",true]'
before=$(maps)
check "again, to where it is" sw h1 gateway set blue host h2 drain 5
is "changes nothing: the drain goes on" "$(maps)" "$before"
check "it keeps its index and its elements" element snat4 '0x74500002 : 203.0.113.9'
check "back, without" sw h1 gateway set blue host h1
is "nobody drains" "$(FILTER='.[] | has("drain")' show blue)" false
check "snat of one family" sw h1 gateway set blue snat 203.0.113.10
is "is the whole new list" "$(FILTER='.[].snat' show blue)" '["203.0.113.10"]'
check "in nftables: the new one" element snat4 '0x74500002 : 203.0.113.10'
check_fails "and no other" element snat6 '0x74500002 : 2001:db8:9::9'
check "snat none" sw h1 gateway set blue snat none
is "none is left" "$(FILTER='.[].snat' show blue) $(router h1 nft -j list map inet tsw snat4 |
	gojq -c '.nftables[1].map.elem')" '[] null'
check "other addresses and another MAC" sw h1 gateway set blue ip 10.0.0.1/24 ip 10.0.0.2/24 \
	mac 02:00:00:00:00:fd
is "are shown" "$(FILTER='.[] | [.ip, .mac]' show blue)" \
	'[["10.0.0.1/24","10.0.0.2/24"],"02:00:00:00:00:fd"]'
is "the old ones are free" "$(map_dump h1 addrs | gojq '[.[].formatted | select(.key.tenant ==
	4660)] | length') $(map_dump h1 fdb | gojq '[.[].formatted | select(.key.tenant == 4660)] |
	length')" '2 1'
check "replace" sw h1 gateway replace blue ip 10.0.0.254/24
is "is as if it were added" "$(FILTER='.[0] | del(.index)' show blue)" \
	'{"tenant":"blue","ip":["10.0.0.254/24"],"mac":"02:74:00:00:12:34","host":"h1",'\
'"local":true,"everywhere":true,"nat":true,"snat":[],"nat_ports":"10000-29999",'\
'"closed_asked":["default"],"connections":32768,"half_open":4096}'
before=$(state)
check "the same again" sw h1 gateway replace blue ip 10.0.0.254/24
is "changes nothing" "$(state)" "$before"
check "switch check finds nothing" sw h1 switch check

# ---- without NAT ----------------------------------------------------------------------------

ours() { # networks that are routed
	{ ip -n h1 route; ip -n h1 -6 route; } | awk '/proto 116/ { print $1 }' | paste -sd ' '
}
check "nat off" sw h1 gateway set blue nat off ip 10.1.0.1/24 ip 10.1.0.2/24 ip fd01::1/64
is "a route of each network" "$(ours)" "10.1.0.0/24 fd01::/64"
check_fails "is hidden no more" element hidden 0x74500002
check "a network of which a router has a part of the way" sw h1 gateway set blue ip 10.2.1.1/24
is "the old routes are gone" "$(ours)" "10.2.1.0/24"
check "moved away" sw h1 gateway set blue host h2
is "no route" "$(ours)" ""
sw h1 gateway set blue host h1 ip 10.1.0.1/24 ip fd01::1/64
is "back" "$(ours)" "10.1.0.0/24 fd01::/64"

# ---- what it refuses ------------------------------------------------------------------------

pins=()
for map in config totals gateways marks addrs fdb; do pins+=("$(map_pin h1 $map)"); done
# All that state() tells, as it comes: what is equal here is equal there.
raw() {
	printf 'map dump pinned %s\n' "${pins[@]}" | bpftool batch file -
	ip -n h1 link
	routes
	router h1 nft -s list ruleset
}
remember() { before=$(state) before_raw=$(raw); }
remember
refused() { # STATUS QUOTE WORD...
	local want=$1 quote=$2 status=0 wrong=()

	shift 2
	sw h1 "$@" >$WORK/out 2>$WORK/err || status=$?
	[ $status = "$want" ] || wrong+=("exit status $status, not $want")
	grep -qF -- "$quote" $WORK/err || wrong+=("the message does not say <$quote>")
	[ "$(grep -c . $WORK/err)" = 1 ] || wrong+=("the message is not one line")
	[ "$(raw)" = "$before_raw" ] || [ "$(state)" = "$before" ] ||
		wrong+=("the state has changed")
	is "refused: tsw $*" "$(printf '%s\n' ${wrong[@]+"${wrong[@]}"} \
		${wrong[0]:+"$(<$WORK/err)"})" ""
}
refused 1 '"nobody"' gateway add nobody ip 10.0.0.254/24
refused 1 '"nobody"' gateway set nobody nat off
refused 1 'tenant "red" already has a gateway' gateway add red ip 10.0.0.254/24
refused 1 '"h9"' gateway set red host h9
for ip in 10.0.0.254 10.0.0.0/24 10.0.0.255/24 10.0.0.1/33 10.0.0.1/0 fe80::1/64 fd00::/64 \
	224.0.0.1/24 127.0.0.1/8 ::5/64 x none ''; do
	refused 2 "\"$ip\"" gateway replace red ip "$ip"
	refused 2 "\"$ip\"" gateway set red ip 10.0.0.253/24 ip "$ip"
done
refused 2 '"10.0.0.9/24" is one address too many' gateway set red \
	$(printf 'ip 10.0.0.%d/24 ' {1..9})
refused 2 '"10.0.0.1/25" is given twice' gateway set red ip 10.0.0.1/24 ip 10.0.0.1/25
refused 1 '10.0.0.3 of endpoint "far"' gateway set red ip 10.0.0.3/24
refused 1 'fd00::3 of endpoint "far"' gateway set red ip 10.0.0.254/24 ip fd00::3/64
refused 1 '02:00:00:00:00:03 of endpoint "far"' gateway set red mac 02:00:00:00:00:03
refused 1 '10.0.0.254 of its gateway' endpoint add new tenant red mac 02:00:00:00:00:09 \
	ip 10.0.0.254 host h2
refused 1 '02:74:00:00:00:64 of its gateway' endpoint add new tenant red \
	mac 02:74:00:00:00:64 host h2
refused 1 'fd00::fe of its gateway' endpoint set far ip fd00::fe
refused 1 'of its gateway' endpoint set far mac 02:74:00:00:00:64
refused 1 'of its gateway' endpoint replace far tenant red mac 02:00:00:00:00:03 ip fd00::fe \
	host h2
refused 2 '"01:00:5e:00:00:01"' gateway set red mac 01:00:5e:00:00:01
refused 2 'contradict' gateway set red nat off snat 203.0.113.9
refused 1 '203.0.113.9' gateway set blue snat 203.0.113.9 # it has no nat
for ip in 224.0.0.1 0.0.0.0 255.255.255.255 fe80::9 203.0.113.9/32 ''; do
	refused 2 "\"$ip\"" gateway set red snat "$ip"
done
refused 2 '"203.0.113.2" is a second IPv4' gateway set red snat 203.0.113.1 snat 203.0.113.2
refused 2 'stands alone' gateway set red snat none snat 203.0.113.2
refused 2 '"drain" needs "host"' gateway set red drain 5
refused 2 '"-5"' gateway set red host h2 drain -5
refused 2 'nothing to set' gateway set red
refused 2 '"maybe"' gateway set red nat maybe
refused 2 '"drain"' gateway add red ip 10.0.0.254/24 drain 5
refused 1 'must not overlap 10.1.0.0/24 of tenant "blue"' gateway set red nat off ip 10.1.0.129/25
refused 1 'must not overlap fd01::/64 of tenant "blue"' gateway set red nat off ip fd01::2/48
refused 1 "198.51.100.0/24, dev lan0" gateway set red nat off ip 198.51.100.129/25
refused 1 "192.0.2.0/24, dev eth0" gateway set red nat off ip 192.0.2.9/16
refused 1 "10.2.0.0/16" gateway set red nat off ip 10.2.0.1/15
refused 1 "same metric" gateway set red nat off ip 10.2.0.1/16
refused 1 'endpoints (1)' tenant del red
refused 1 'a gateway' tenant del blue
refused 1 'a gateway' tenant set blue id 7
refused 1 '"nobody"' gateway show nobody
refused 1 '"nobody"' gateway del nobody
check "force takes the gateway along" sw h1 tenant del blue force on
is "and its routes" "$(ours)" ""
sw h1 tenant add blue id 4660
remember
refused 1 'tenant "blue" has no gateway' gateway del blue
refused 1 'tenant "blue" has no gateway' gateway set blue nat on
refused 1 'tenant "blue" has no gateway' gateway show blue
sw h1 endpoint del far
sw h1 gateway set red host h2
remember
refused 1 'serves the gateway of tenant "red"' host del h2
sw h1 gateway set red host h1 drain 100
remember
refused 1 'keeps flows of the gateway of tenant "red"' host del h2
sw h1 gateway set red host h2
sw h1 gateway set red host h1
check "host del, when no drain is left" sw h1 host del h2
sw h1 host add h2 ip 192.0.2.2
check "del" sw h1 gateway del red
sw h1 endpoint add far tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 ip fd00::3 host h2
is "leaves nothing" "$(state | sed 1d)" "$(sed 1d <<<"$clean")"

. "$(dirname "$0")/../../gateway_cli_more.sh"
finish
