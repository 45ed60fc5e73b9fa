#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `gateway place` prints commands. Running them on each host makes what it planned, and then it has
# nothing more to print.
#
#   h1 192.0.2.1   h2 192.0.2.2   h3 192.0.2.3     12 tenants, all gateways on h1 to begin with
#   up0 203.0.113.1 ── out 203.0.113.9
. "$(dirname "$0")/../../lib.sh"

NAMES=(t{01..11} "a\$b;c\"d")
topo_hosts h1 h2 h3
netns out
ip -n h1 link add up0 type veth peer name eth0 netns out
ip -n h1 addr add 203.0.113.1/24 dev up0
ip -n h1 link set up0 up
ip -n out addr add 203.0.113.9/24 dev eth0
ip -n out link set eth0 up
switch_up
n=100
for name in "${NAMES[@]}"; do
	n=$((n + 1))
	tenants "$name" $n
	for host in "${HOSTS[@]}"; do
		sw $host gateway add "$name" ip 10.0.0.254/24 host h1
	done
done

container t01 a h2 10.0.0.1/24
ip -n t01-a route add default via 10.0.0.254

place() { sw h1 gateway place "$@"; }
served() { sw "$1" -j gateway show | gojq -r 'group_by(.host) | .[] | "\(.[0].host) \(length)"'; }
elsewhere() { sw "$1" -j gateway show | gojq -r 'map(select(.local | not)) | length'; }
# A shell runs what is told, on each host.
tsw() { sw $AT "$@"; }
do_it() {
	for AT in "${HOSTS[@]}"; do eval "$1" || return 1; done
}

is "central on the host that has all: nothing to do" "$(place central host h1)" ""
is "JSON of nothing" "$(sw h1 -j gateway place central host h1)" "[]"
sw h1 gateway set t01 host none
is "a gateway everywhere gets a host" "$(sw h1 -j gateway place central host h1 |
	gojq -c 'map([.tenant, .from, .to])')" '[["t01",null,"h1"]]'
sw h1 gateway set t01 host h1 host h2
is "a ranked one keeps its backups" "$(sw h1 gateway place central host h3 | grep ' t01 ')" \
	"tsw gateway set t01 host h3 host h1"
is "nor does the one that takes over stay a backup" \
	"$(sw h1 gateway place central host h2 | grep ' t01 ')" "tsw gateway set t01 host h2 host h1"
sw h1 gateway set t01 host h1

# ---- zones: what backs a gateway does not fail with it ------------------------------------
sw h1 gateway set t01 host h1 host h2
zones() { sw h1 switch set zone $1; sw h1 host set h2 zone $2; sw h1 host set h3 zone $3; }
zones left left right
is "a backup goes to another zone, where the first stays" "$(place central host h1 2>&1)" \
	"tsw gateway set t01 host h1 host h3"
is "a first one that moves takes its backup from the other zone" \
	"$(place central host h3 2>/dev/null | grep ' t01 ')" "tsw gateway set t01 host h3 host h1"
is "JSON tells the hosts" "$(sw h1 -j gateway place central host h1 |
	gojq -c '.[0] | [.tenant, .from, .to, .hosts, .same_zone]')" \
	'["t01","h1","h1",["h1","h3"],false]'
is "hosts that are left out back nothing" "$(place spread host h1 host h2 2>&1 |
	grep -c ' t01 .*h3')" 0
check "which is told, where it leaves one zone" grep -qF \
	'have two hosts in one zone, the first is tenant "t01"' \
	<<<"$(place spread host h1 host h2 2>&1)"
check "apply does it" sw h1 gateway place central host h1 --apply
is "with who serves where it was" "$(sw h1 -j gateway show t01 |
	gojq -c '.[0] | [.host, .hosts, .drain]')" '["h1",["h1","h3"],null]'
is "then there is nothing to do" "$(place central host h1 2>&1)" ""
zones left left left
is "one zone for all changes nothing" "$(place central host h1 2>/dev/null)" ""
check "and is told" grep -qF 'not enough zones' <<<"$(place central host h1 2>&1)"
zones none none none
is "no zones: nothing to tell" "$(place central host h1 2>&1)" ""
sw h1 gateway set t01 host h1

plan=$(place spread)
is "spread moves two thirds" "$(wc -l <<<"$plan")" 8
is "told as commands" "$(sed -E "/^tsw gateway set ('[^']*'|t[0-9]+) host h[23]$/d" <<<"$plan")" ""
check "no tenant has moved yet" test "$(served h1)" = "h1 12"
check "the shell takes them, whatever the names" do_it "$plan"
for host in "${HOSTS[@]}"; do
	is "$host knows four on each" "$(served $host)" $'h1 4\nh2 4\nh3 4'
	is "$host serves its own alone" "$(elsewhere $host)" 8
	is "$host has nothing more to move" "$(sw $host gateway place spread)" ""
done

is "JSON" "$(sw h1 -j gateway place central host h2 | gojq -c '
	[length, (map(.from) | unique), (map(.to) | unique), (map(.bytes) | add),
	(map(.command) | sort | .[-1])]')" \
	'[8,["h1","h3"],["h2"],0,"tsw gateway set t11 host h2"]'
is "drain goes along" "$(place central host h2 drain 30 | sed '/ host h2 drain 30$/d')" ""
is "weights" "$(place spread host h1 weight 6 host h2 weight 3 host h3 weight 3 |
	sed 's/.* //' | sort | uniq -c | tr -s ' ')" " 2 h1"
is "a host that is left out keeps none" "$(place spread host h1 host h2 |
	sed 's/.* //' | sort | uniq -c | tr -s ' ')" $' 2 h1\n 2 h2'

# ---- measured loads --------------------------------------------------------------------

load() { # BYTES: of the first of h1's tenants, as another host counted them
	local busy

	busy=$(sw h1 -j gateway show | gojq -r 'first(.[] | select(.local)).tenant')
	sw h2 -j stats show | jq --arg t "$busy" --argjson n "$1" \
		'map(if .tenant == $t then .gateway.bytes = $n else . end)'
}
load 1000000 >$WORK/h2
sw h3 -j stats show >$WORK/h3
plan=$(place spread load $WORK/h2 load $WORK/h3)
is "one tenant's traffic drives the others off its host" "$(awk '{ print $NF }' <<<"$plan" |
	sort | uniq -c | tr -s ' ')" $' 2 h2\n 1 h3'
is "bytes of all files and of this host" "$(sw h1 -j gateway place spread host h2 host h3 \
	load $WORK/h2 load $WORK/h2 | gojq 'map(.bytes) | max')" 2000000

refused() { # DESC WORDS WHY
	local out

	if out=$(place spread load $WORK/bad 2>&1); then not_ok "$1: taken"; return; fi
	is "$1" "$(grep -cF "$2" <<<"$out")" 1
	[[ $out == *"$2"* ]] || note "$out"
}
rm -f $WORK/bad
refused "a file that is not there" "cannot open \"$WORK/bad\""
echo '[{"tenant": "t01",' >$WORK/bad
refused "a file that ends early" "\"$WORK/bad\": line 2"
echo '{"error": "no switch"}' >$WORK/bad
refused "an error's JSON" "is no list of tenants"
echo '[{"tenant": "t01", "gateway": {"bytes": 1}}, {"tenant": "t02"}]' >$WORK/bad
refused "an entry without bytes" "entry 2 of the list: its \"gateway\" has no number"
echo '[{"gateway": {"bytes": 1}}]' >$WORK/bad
refused "an entry without tenant" "entry 1 of the list: it has no \"tenant\""
echo '[{"tenant": "elsewhere", "gateway": {"bytes": 1}}]' >$WORK/bad
is "a tenant that is not here is passed over" "$(place spread load $WORK/bad)" ""
check_fails "an unknown host is refused" place spread host h9
check_fails "a host twice is refused" place spread host h2 host h2

# ---- apply --------------------------------------------------------------------------------

for host in "${HOSTS[@]}"; do
	check "$host does its part" sw $host gateway place central host h3 --apply
done
for host in "${HOSTS[@]}"; do is "$host has all on h3" "$(served $host)" "h3 12"; done
for host in "${HOSTS[@]}"; do
	check "$host does its part back again" sw $host gateway place central host h1 --apply
	is "$host has all on h1" "$(served $host)" "h1 12"
done
for host in "${HOSTS[@]}"; do check "$host is in order" sw $host switch check; done

# ---- what is measured -----------------------------------------------------------------------

bytes() { sw "$1" -j gateway place spread host h2 | gojq '.[] | select(.tenant == "t01").bytes'; }
check "t01 reaches the world by h1, from h2" reach t01-a 203.0.113.9
on t01-a ping -q -n -c 20 -i 0.01 -s 1000 203.0.113.9 >/dev/null
quiet h1 h2
check "its bytes are those of stats show" \
	[ "$(bytes h1)" = "$(stat_of h1 t01 gateway bytes)" ]
check "which have both directions" [ "$(bytes h1)" -ge $((2 * 20 * 1028)) ]
is "the host of its container has not counted them too" "$(bytes h2)" 0
finish
