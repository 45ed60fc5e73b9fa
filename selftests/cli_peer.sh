#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Second half of the case gateway/publish-peer-cli: peerings, kills, and many of each. Uses the
# case's tenants. tests/unit_refused.c has words that are refused.

before=$(state)
refused 2 '"10.0.0.5/24"' peer add red with blue prefix 10.0.0.5/24
refused 2 '"10.0.0.64/26" overlaps 10.0.0.0/25' peer add red with blue prefix 10.0.0.0/25 \
	prefix 10.0.0.64/26
refused 1 'no tenant "nobody"' peer add red with nobody
refused 1 'no tenant "nobody"' peer add nobody with red
refused 1 'tenant "bare" has no gateway' peer add red with bare
refused 1 'tenant "bare" has no gateway' peer add bare with red
refused 1 'tenant "red" needs no peering with itself' peer add red with red
refused 1 'prefix 10.1.0.0/25 is in no network of tenant "red"'"'"'s gateway: 10.0.0.0/24' \
	peer add red with blue prefix 10.1.0.0/25
refused 1 'prefix 10.0.0.0/23 is in no network' peer add red with blue prefix 10.0.0.0/23
refused 1 '10.1.1.0/24 of tenant "grey" overlaps 10.1.1.0/24 of tenant "blue"' \
	peer add grey with blue
refused 1 '10.1.1.0/24 of tenant "blue" overlaps 10.1.1.0/24 of tenant "grey"' \
	peer add blue with grey prefix 10.1.0.0/24 prefix 10.1.1.0/24
refused 1 'tenant "red" is no peer with "blue"' peer del red with blue
refused 1 'no tenant "nobody"' peer del red with nobody
refused 1 'no tenant "nobody"' peer show nobody

routes() { # TENANT: of it, as `PEER INDEX?`, sorted
	map_dump h1 peer_routes | jq -r --argjson t "$1" '
		.[].formatted | select(.key.tenant == $t) |
		"\(.value.peer)\(if .value.index > 0 then " open" else "" end)"' | sort
}
peerings() { elements | gojq -cs '[.[] | select(.name == "peerings").elem | length] | add // 0'; }
sw h1 peer add red with blue
is "one half opens nothing" "$(sw h1 -j peer show | jq -c .)" \
'[{"tenant":"red","with":"blue","proto":null,"port":null,"prefix":[],"open":false}]'
is "but blue's way there leads nowhere else" "$(routes 200 | uniq -c | xargs)" "2 100"
is "nor does nftables know it" "$(peerings) $(routes 100)" "0 "
before=$(state)
refused 1 'tenant "red" is already a peer with "blue"' peer add red with blue proto tcp port 80
sw h1 peer add blue with red proto tcp port 5432 prefix 10.1.0.0/25 prefix 10.1.1.0/24
is "both halves" "$(sw h1 -j peer show | jq -c '.[]')" \
'{"tenant":"blue","with":"red","proto":"tcp","port":5432,'\
'"prefix":["10.1.0.0/25","10.1.1.0/24"],"open":true}
{"tenant":"red","with":"blue","proto":null,"port":null,"prefix":[],"open":true}'
is "of one tenant, in text" "$(sw h1 peer show blue)" \
	"blue with red proto tcp port 5432 prefix 10.1.0.0/25 prefix 10.1.1.0/24 open on"
is "routes both ways" "$(routes 100 | uniq -c | xargs), $(routes 200 | uniq -c | xargs)" \
	"2 200 open, 2 100 open"
is "and a direction each in nftables" "$(peerings)" 2
check "for that port alone" grep -q 5432 <(elements)
before=$(state)
refused 1 'overlaps 10.1.0.0/24 of tenant "blue"' gateway set red ip 10.1.0.254/16
refused 1 'prefix 10.1.1.0/24 is in no network of tenant "blue"' gateway set blue ip 10.1.0.254/24
refused 1 'halves of peerings (2)' gateway del blue
sw h1 gateway set red ip 10.0.0.254/24 ip 10.8.0.254/24
is "other networks of a gateway are other routes" "$(map_dump h1 peer_routes |
	gojq -c '[.[].formatted.key | select(.tenant == 200).len] | sort')" "[152,152]"
sw h1 gateway set red ip 10.0.0.254/24 ip fd00::fe/64
is "and back" "$(state)" "$before"

# Two peers of one tenant must not have an address in common.
why='10.1.1.0/24 of tenant "grey" overlaps 10.1.1.0/24 of tenant "blue"'
refused 1 "$why, which is a peer with tenant \"red\" too" peer add grey with red
sw h1 peer add grey with red prefix 10.7.1.0/24
sw h1 peer add red with grey proto udp port 53 2>$WORK/err
is "grey is a peer too, though its gateway is elsewhere" "$(js h1 peer show grey \
	'.[0].open') $(peerings)" "true 4"
sw h1 peer del grey with red
sw h1 peer add grey with red prefix 10.7.1.0/24 proto tcp port 53 2>$WORK/err
check "halves that agree on nothing: the user is told" grep -q 'nothing passes' $WORK/err
is "and nothing is open" "$(js h1 peer show grey '.[0].open') $(peerings)" "false 2"
sw h1 peer del grey with red
sw h1 peer del red with grey
is "grey is gone without a trace" "$(state)" "$before"
sw h1 peer del red with blue
is "half of it taken back: closed" "$(js h1 peer show 'map(.open)') $(peerings)" "[false] 0"
is "routes lead nowhere" "$(routes 100 | uniq -c | xargs), $(routes 200)" "2 200, "
sw h1 peer add red with blue
is "open again" "$(js h1 peer show 'map(.open) | unique') $(peerings)" "[true] 2"
sw h1 gateway del blue force on
is "gateway del force takes both halves" "$(sw h1 -j peer show)" "[]"
sw h1 gateway add blue ip 10.1.0.254/24 ip 10.1.1.254/24

# Green's and grey's gateways are elsewhere: nothing of theirs is in nftables here.
sw h1 peer add green with grey
sw h1 peer add grey with green
is "peers whose gateways are elsewhere" "$(js h1 peer show green '.[0].open') \
$(peerings) $(routes 300 | uniq -c | xargs)" "true 0 2 400"
sw h1 gateway set green host h1
is "served here now" "$(peerings) $(routes 300 | uniq -c | xargs)" "2 2 400 open"
sw h1 gateway del green force on
sw h1 gateway add green ip 10.2.0.254/24 host h2

# ---- kills --------------------------------------------------------------------------
. "$LIB/lib_kill.sh"
# kills DESC DO... -- UNDO...: at each call of DO, which the same words then complete; and of UNDO.
kills() {
	local desc=$1 do=() undo=() n wrong=() open closed step=${KILL_STEP:-3}

	shift
	while [ "$1" != -- ]; do do+=("$1") && shift; done
	shift
	undo=("$@")
	closed=$(outline)
	sw h1 -q "${do[@]}"
	open=$(outline)
	sw h1 -q "${undo[@]}"
	for ((n = 1;; n = AT + step)); do
		killed $n "${do[@]}" || break
		sw h1 -q "${do[@]}" 2>/dev/null || true # it may have been done
		[ "$(outline)" = "$open" ] || wrong+=("add $n")
		sw h1 -q "${undo[@]}"
		[ "$(outline)" = "$closed" ] || wrong+=("del after add $n")
	done
	[ $n -gt 20 ] || wrong+=("only $n calls")
	for ((n = 1;; n = AT + step)); do
		killed $n "${undo[@]}" || break
		sw h1 -q "${undo[@]}" 2>/dev/null || true
		[ "$(outline)" = "$closed" ] || wrong+=("del $n")
		sw h1 -q "${do[@]}"
		[ "$(outline)" = "$open" ] || wrong+=("add after del $n")
	done
	[ $n -gt 20 ] || wrong+=("only $n calls")
	note "$desc: $n calls"
	is "$desc: killed at any call, the same words complete it" "${wrong[*]}" ""
	[ "$(outline)" != "$open" ] || sw h1 -q "${undo[@]}"
}
# outline: the state, but for which index it is
outline() {
	state | gojq -c 'if type == "object" then [.name, (.elem | length)]
		elif .[0].key? then map(.value.index? |= (if . then . > 0 else . end) |
			if (.key | type) == "number" then .key = 0 else . end) | sort_by(tostring)
		else . end'
}
kills "publish, the first of a tenant" publish add blue proto tcp port 80 to 10.1.0.1:80 -- \
	publish del blue proto tcp port 80
sw h1 publish add red proto tcp port 81 to 10.0.0.1:80
kills "publish, one more" publish add red proto tcp port 80 to '[fd00::1]:80' -- \
	publish del red proto tcp port 80
sw h1 peer add blue with red
kills "peer, the second half" peer add red with blue prefix 10.0.0.0/25 -- peer del red with blue
kills "peer, a half alone" peer add green with red -- peer del green with red
sw h1 peer add red with blue
kills "their gateway moves" gateway set red host h2 -- gateway set red host none
kills "their gateway has other networks" gateway set red ip 10.0.0.254/24 ip fd00::fe/64 \
	ip 10.8.0.254/24 -- gateway set red ip 10.0.0.254/24 ip fd00::fe/64
note "$KILLS kills"
# A killed `add` of other words is no hindrance.
killed 4 publish add red proto udp port 80 to 10.0.0.1:80
check "others may have what a killed add began" sw h1 publish add blue proto udp port 80 \
	to 10.1.0.1:80
sw h1 gateway del red force on
sw h1 gateway del blue force on
is "nothing is left when the gateways are gone" "$(sw h1 -j publish show)$(sw h1 -j peer show)\
$(map_dump h1 marks | gojq -c 'map(.formatted)')$(map_dump h1 peer_routes | gojq -c .)" "[][][][]"

# ---- many ---------------------------------------------------------------------------
# lines N WORDS...: for i in 1..N, with I for i and N for its two octets as X.Y
lines() {
	awk -v n="$1" -v words="${*:2}" 'BEGIN { for (i = 1; i <= n; i++) { line = words
		gsub(/@/, i, line); gsub(/%/, int(i / 256) "." i % 256, line); print line } }'
}
many=300
sw h1 gateway add red ip 10.0.0.254/24
{
	lines $many tenant add t@ id 10@
	lines $many gateway add t@ ip 172.%.254/30
} | sed -E 's|172\.([0-9]+)\.([0-9]+)\.254/30|172.16.\1.\2/32|' >$WORK/many
start=$EPOCHREALTIME
sw h1 -b $WORK/many
{ lines $many peer add t@ with red; lines $many peer add red with t@; } >$WORK/peers
sw h1 -b $WORK/peers
note "$many gateways and peers: $(awk -v a=$start -v b=$EPOCHREALTIME 'BEGIN { print b - a }') s"
is "red has many peers" "$(js h1 peer show red '[.[].open] | length, (unique | .[])' |
	xargs) $(peerings)" "$many true $((2 * many))"
sw h1 gateway del red force on
is "and none when it goes" "$(sw h1 -j peer show)$(peerings)" "[]0"
