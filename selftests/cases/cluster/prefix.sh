#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Networks behind endpoints in a cluster: each is a claim, and nobody claims an address in one. Of
# two changes at once that overlap, one is refused.
#
#   h1 192.0.2.1   h2 192.0.2.2      etcd in the case's own namespace
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_cluster.sh"

cluster_hosts h1 h2
switch_up
c() { sw "$1" -c "${@:2}"; } # HOST WORD...
records() { store read /tsw/ | sed 's/ [0-9]*$//; s/,"nonce":"[0-9a-f]*"//; /^revision/d'; }
below() { records | sed -n "s|^/tsw/1/campus/$1||p"; } # PREFIX
UNCHANGED=records
refused() { refuses "${@:1:3}" c "${@:4}"; } # DESC STATUS TEXT HOST WORD...
for host in h1 h2; do check "$host joins" sw $host cluster join etcd $URL name campus; done
c h1 -q -b - <<-END
	tenant add red id 100 net 10.0.0.0/28 net fd00::/64
	endpoint add r tenant red host h1 mac 02:00:00:00:00:01 ip 10.0.0.1
	endpoint add x tenant red host h2 mac 02:00:00:00:00:02 ip 10.0.0.2 ip fd00::2
	gateway add red ip 10.0.0.14/28 ip fd00::fe/64
END

# ---- claims ------------------------------------------------------------------------------------
check "networks" c h1 endpoint set r prefix 192.168.7.0/24 prefix fd07::/64 prefix 10.0.0.8/30
is "are claims" "$(below net/100/)" '10.0.0.8/30 {"owner":"r"}
192.168.7.0/24 {"owner":"r"}
fd07::/64 {"owner":"r"}'
is "and of the record" "$(c h1 -j endpoint show r | gojq -c '.[0].prefix')" \
	'["192.168.7.0/24","fd07::/64","10.0.0.8/30"]'
before=$(records)
check "the same again" c h2 endpoint set r prefix 192.168.7.0/24 prefix fd07::/64 prefix 10.0.0.8/30
is "changes nothing" "$(records)" "$before"
taken='overlaps the prefix 192.168.7.0/24 of endpoint "r", in tenant "red"'
for net in 192.168.7.0/24 192.168.7.128/25 192.168.0.0/16; do
	refused "another's, by $net" 1 "$taken" h2 endpoint set x prefix $net
done
refused "around another's address" 1 'overlaps the address 10.0.0.2 of endpoint "x"' h1 \
	endpoint set r prefix 10.0.0.2/31
refused "around an address of IPv6" 1 'overlaps the address fd00::2 of endpoint "x"' h1 \
	endpoint set r prefix fd00::/126
refused "around the gateway's" 1 'overlaps the address 10.0.0.14 of its gateway' h1 \
	endpoint set r prefix 10.0.0.12/30
refused "around the tenant's own network" 1 "contains the tenant's own network 10.0.0.0/28" h1 \
	endpoint set r prefix 10.0.0.0/24
refused "the world" 2 '0.0.0.0/0' h1 endpoint set r prefix 0.0.0.0/0
for word in ip vip; do
	refused "an address in it, by $word" 1 'has the address 192.168.7.9 of endpoint "r"' h2 \
		endpoint set x $word 192.168.7.9
done
refused "of a new endpoint" 1 'has the address fd07::9 of endpoint "r"' h2 \
	endpoint add new tenant red host h2 mac 02:00:00:00:00:09 ip fd07::9
refused "of the gateway" 1 'has the address 192.168.7.254 of endpoint "r"' h2 \
	gateway set red ip 10.0.0.14/28 ip 192.168.7.254/16
refused "a net of the tenant in it" 1 "contains the tenant's own network 192.168.7.64/26" h2 \
	tenant set red net 10.0.0.0/28 net fd00::/64 net 192.168.7.64/26
check "an address of its own in it" c h1 endpoint set r ip 10.0.0.1 ip 192.168.7.1
check "a vip" c h1 endpoint set x vip 10.9.0.5
refused "around a vip" 1 'overlaps the vip 10.9.0.5' h1 endpoint set r prefix 10.9.0.0/24
refused "around a vip of its own" 1 'overlaps the vip 10.8.0.5' h1 \
	endpoint set r vip 10.8.0.5 prefix 10.8.0.0/24
check "in another tenant" c h2 tenant add blue id 200
check "it is free" c h2 endpoint add r tenant blue host h2 prefix 192.168.7.0/24
check "the records agree" c h1 check

# ---- auto --------------------------------------------------------------------------------------
# Of 10.0.0.0/28 are 1, 2 and 14 taken, and 8 to 11 behind r: 7 are left.
check "a prefix of half of the IPv6 net" c h1 endpoint set r tenant red \
	prefix 10.0.0.8/30 prefix 192.168.7.0/24 prefix fd00:0:0:0:8000::/65
got=$(for ((i = 0; i < 7; i++)); do
	c h$((i % 2 + 1)) -j endpoint add a$i tenant red host h1 | gojq -r '.[0].ip[]'
done)
is "auto takes all others" "$(grep -F 10.0. <<<"$got" | sort -V | tr '\n' ' ')" \
	"10.0.0.3 10.0.0.4 10.0.0.5 10.0.0.6 10.0.0.7 10.0.0.12 10.0.0.13 "
is "and of IPv6 the other half" "$(grep -cE '^fd00::[0-7]?[0-9a-f]{0,3}:' <<<"$got")" 7
refused "and then none" 1 'no address of net "10.0.0.0/28" is free' h2 \
	endpoint add a7 tenant red host h1
check "a part of it is free" c h1 endpoint set r tenant red prefix 192.168.7.0/24
is "its claims are gone" "$(below net/100/)" '192.168.7.0/24 {"owner":"r"}'
check "auto takes one" c h2 endpoint add a7 tenant red host h1
is "of it" "$(c h1 -j endpoint show a7 | gojq -r '.[0].ip[0]' | grep -cE '^10.0.0.([89]|1[01])$')" 1

# ---- published ---------------------------------------------------------------------------------
check "a port to behind it" c h1 publish add red proto tcp port 8080 to 192.168.7.80:80
refused "and not to nowhere" 1 'has the address 192.168.8.80' h1 \
	publish add red proto tcp port 8081 to 192.168.8.80:80

# ---- two at once -------------------------------------------------------------------------------
c h1 -q -b - <<-END
	tenant add race id 300
	endpoint add a tenant race host h1
	endpoint add b tenant race host h2
END
both() { # WORDS WORDS: what a and b want; how many got it
	local won=0

	for name in a b; do c h1 endpoint set $name tenant race ip none prefix none; done
	c h1 endpoint set a tenant race $1 2>/dev/null &
	c h2 endpoint set b tenant race $2 2>/dev/null && won=1
	wait $! && won=$((won + 1))
	echo $won
}
rounds=20
[ -z "${TSW_QUICK:-}" ] || rounds=5
for words in "prefix 10.1.0.0/16,prefix 10.1.2.0/24" "ip 10.1.2.3,prefix 10.1.2.0/24" \
	"prefix fd01::/64,ip fd01::9"; do
	is "$words: one of two" \
		"$(for ((i = 0; i < rounds; i++)); do both "${words%,*}" "${words#*,}"; done | sort | uniq -c | xargs)" \
		"$rounds 1"
done
check "the records agree" c h1 check

# ---- killed ------------------------------------------------------------------------------------
n=1 wrong=() set="endpoint set r tenant red prefix 192.168.7.0/24 prefix 10.77.0.0/16"
while killed $n -c $set; do
	c h1 $set >/dev/null 2>&1 || true
	[ "$(below net/100/ | wc -l) $(c h1 -j check | gojq -c .problems)" = "2 []" ] ||
		wrong+=("$n ($AT)")
	c h1 endpoint set r tenant red prefix 192.168.7.0/24
	n=$((n + 5))
done
is "killed at any of $n calls and completed" "${wrong[*]}" ""
check "there were some" test $n -gt 5
c h1 endpoint set r tenant red prefix 192.168.7.0/24

# ---- without NAT -------------------------------------------------------------------------------
# Networks of tenants with nat off are seen outside: no two of them may be equal.
for at in h1-w h2-g; do ip -n ${at%-*} link add ${at#*-}0 type veth peer name ${at#*-}1; done
c h1 -q -b - <<-END
	tenant add green id 400
	tenant add white id 500
	gateway add green ip 10.4.0.254/24 host h1 nat off
	gateway add white ip 10.5.0.254/24 host h2 nat off
END
c h2 -q endpoint add g tenant green mac auto dev g0 prefix 172.20.0.0/16
c h1 -q endpoint add w tenant white mac auto dev w0
its='of tenant "green"'
refused "another tenant's" 1 "172.20.7.0/24 must not overlap 172.20.0.0/16 $its" h2 \
	endpoint set w prefix 172.20.7.0/24
refused "of its gateway" 1 "10.4.0.0/25 must not overlap 10.4.0.254/24 $its" h2 \
	endpoint set w prefix 10.4.0.0/25
refused "of a new endpoint" 1 "172.20.0.0/16 must not overlap 172.20.0.0/16 $its" h2 \
	endpoint add new tenant white host h1 prefix 172.20.0.0/16
refused "by the gateway" 1 "172.20.1.1/24 must not overlap 172.20.0.0/16 $its" h2 \
	gateway set white ip 10.5.0.254/24 ip 172.20.1.1/24
check "with nat it may be" c h2 gateway set white nat on
check "so" c h2 endpoint set w prefix 172.20.7.0/24
refused "and then nat may not go" 1 "172.20.7.0/24 must not overlap 172.20.0.0/16 $its" h2 \
	gateway set white nat off
check "another one" c h2 endpoint set w prefix 172.21.0.0/16
check "may be outside" c h2 gateway set white nat off
its_routes() { # HOST
	{ ip -n $1 route && ip -n $1 -6 route; } | awk '/proto 116/ { print $1 }' | sort | xargs
}
for host in h1 h2; do bg $host "$TSW" -n $host agent; done
comes "h1's agent makes the routes" "10.4.0.0/24 172.20.0.0/16" its_routes h1
comes "and h2's" "10.5.0.0/24 172.21.0.0/16" its_routes h2
c h1 endpoint set g prefix fd20::/64 prefix 172.20.0.0/17
comes "they follow the record" "10.4.0.0/24 172.20.0.0/17" its_routes h1
c h1 gateway set green host h2
comes "and the gateway" "10.4.0.0/24 10.5.0.0/24 172.20.0.0/17 172.21.0.0/16" its_routes h2
is "away from h1" "$(its_routes h1)" ""
c h1 save >$WORK/outside.json
gojq '(.tenants[] | select(.name == "green") | .endpoints[]).prefix = ["172.21.0.0/16"] |
	(.tenants[] | select(.name == "white") | .endpoints[]).prefix = ["172.20.0.0/16"]' \
	$WORK/outside.json >$WORK/swapped.json
check "a file swaps them" c h1 -q apply $WORK/swapped.json
is "so" "$(c h1 diff $WORK/swapped.json)" ""
comes "the routes too" "10.4.0.0/24 10.5.0.0/24 172.20.0.0/16 172.21.0.0/16" its_routes h2
for host in h1 h2; do comes "$host is right" "[]" js $host switch check .problems; done

# ---- peers -------------------------------------------------------------------------------------
behind='prefix 172.21.0.0/16 overlaps 172.21.3.0/24 of the peer "blue"'
c h1 gateway add blue ip 172.21.3.1/24
refused "a peer's network is behind an endpoint" 1 "$behind" h1 peer add blue with green
check "the other half" c h1 peer add green with blue
check "a part of the network" c h1 gateway set blue ip 172.21.3.1/24 ip 10.3.0.1/24
check "that is not" c h1 peer add blue with green prefix 10.3.0.0/24
refused "and then it may not come to be" 1 'prefix 10.3.0.64/26 overlaps 10.3.0.0/24 of the peer "blue"' h2 \
	endpoint set g prefix 10.3.0.64/26
check "another may" c h2 endpoint set g prefix 172.21.3.0/24
check "the records agree" c h1 check
c h1 -q -b - <<-END
	tenant del green force on
	tenant del white force on
	gateway del blue force on
END

# ---- what is left ------------------------------------------------------------------------------
c h1 save >$WORK/all.json
store del /tsw/1/campus/net/100/192.168.7.0/24
is "a lost claim is told of" "$({ c h1 -j check || true; } | gojq -c '[.problems[] | [.what, .object]]')" \
	'[["missing_claim","net/100/192.168.7.0/24"]]'
check "and mended by the same words" c h1 endpoint set r tenant red prefix 192.168.7.0/24
is "so" "$(c h1 -j check | gojq -c .problems)" "[]"
jq_move='(.tenants[] | select(.name == "red") | .endpoints[] | select(.name == "r")) |= del(.prefix) |
	(.tenants[] | select(.name == "red") | .endpoints[] | select(.name == "x")).prefix = ["192.168.7.0/25"] |
	(.tenants[] | select(.name == "red") | .endpoints[] | select(.name == "r")).ip = ["10.0.0.1"]'
gojq "$jq_move" $WORK/all.json >$WORK/moved.json
check "apply moves it to another endpoint" c h1 -q apply $WORK/moved.json
is "whose it is" "$(below net/100/)" '192.168.7.0/25 {"owner":"x"}'
is "no difference is left" "$(c h1 diff $WORK/moved.json)" ""
check "and back" c h1 -q apply $WORK/all.json
is "as before" "$(below net/100/)" '192.168.7.0/24 {"owner":"r"}'
# Two exchange theirs, and one gets as an address what was behind the other.
gojq '(.tenants[] | select(.name == "red") | .endpoints[]) |= (
	if .name == "r" then .prefix = ["fd07::/64"] | .ip = ["10.0.0.1"] | .vip = ["192.168.7.7"]
	elif .name == "x" then .prefix = ["192.168.8.0/24"] else . end)' $WORK/all.json >$WORK/one.json
gojq '(.tenants[] | select(.name == "red") | .endpoints[]) |= (
	if .name == "r" then .prefix = ["192.168.0.0/16"] | del(.vip)
	elif .name == "x" then .prefix = ["fd07::/80"] else . end)' $WORK/one.json >$WORK/two.json
for file in one two one all; do
	check "apply of $file" c h1 -q apply $WORK/$file.json
	is "leaves no difference" "$(c h1 diff $WORK/$file.json)" ""
done
check "the endpoint goes" c h1 endpoint del r tenant blue
is "with its claim" "$(below net/200/)" ""
check "the tenant goes" c h1 tenant del red force on
is "with its claims" "$(records | grep -c /100/ || true)" 0
finish
