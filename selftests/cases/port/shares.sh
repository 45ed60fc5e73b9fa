#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The room for endpoints and their addresses has shares: one tenant cannot take what others need.
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2        room for 1428 endpoints: 1250 for each tenant
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
UP_ARGS="max-endpoints 1428" switch_up h1
sw h1 tenant add red id 100
sw h1 tenant add blue id 200

# lines FIRST LAST [TENANT [VERB]]: each with an address, at h2
lines() {
	local i

	for ((i = $1; i <= $2; i++)); do
		printf 'endpoint %s e%d tenant %s mac 02:00:00:00:%02x:%02x ip 10.0.%d.%d host h2\n' \
			"${4:-add}" $i "${3:-red}" $((i / 256)) $((i % 256)) $((i / 256)) $((i % 256))
	done
}
fill() { lines "$@" | sw h1 -b -; }
add() { # N [VERB [WORD...]]: of red
	sw h1 endpoint "${2:-add}" "e$1" tenant red mac "$(printf 02:00:00:00:%02x:%02x \
		$(($1 / 256)) $(($1 % 256)))" ip 10.0.$(($1 / 256)).$(($1 % 256)) host h2 "${@:3}"
}
has() {
	sw h1 -j tenant show "${1:-red}" |
		gojq -c '.[0] | [.endpoints, .addresses, .max_endpoints]'
}
full() { sw h1 -j switch check | jq -r '.warnings[] | "\(.what) \(.object)"' | sort | paste -sd ,; }
says() { # DESC TEXT CMD...: refused, with a status of 1, and nothing changed
	local desc=$1 text=$2 status=0 out before

	shift 2
	before=$(sw h1 save | sha256sum)
	out=$("$@" 2>&1) || status=$?
	is "$desc: status" $status 1
	check "$desc: says so" grep -qF -- "$text" <<<"$out"
	is "$desc: nothing changed" "$(sw h1 save | sha256sum)" "$before"
}

# ---- seven eighths, where nothing is said --------------------------------------------

is "an empty one" "$(has)" "[0,0,1250]"
fill 1 1250
is "red fills its share" "$(has)" "[1250,1250,1250]"
says "one more" 'tenant "red" has 1250 endpoints, and its share is 1250: increase it with' \
	add 1251
check "what is there can change" add 1250 replace rate-out 1gbit
is "and is counted once" "$(has)" "[1250,1250,1250]"
check "blue has room" fill 1 30 blue
is "blue's are counted by themselves" "$(has blue)" "[30,30,1250]"
is "it is told before" "$(full)" "nearly_full red"
is "metrics tell of the share" "$(sw h1 metrics |
	sed -n 's/^tsw_tenant_endpoints_max{switch="h1",tenant="red"} //p')" 1250
out=$(lines 1251 1253 | sw h1 -b - 2>&1) || true
is "of a batch each line is refused" "$(grep -c 'its share is 1250' <<<"$out")" 1
is "and nothing is taken" "$(has)" "[1250,1250,1250]"

# ---- as many as are given ------------------------------------------------------------

check "more for red" sw h1 tenant set red max-endpoints 1300
check "are taken" fill 1251 1300
says "not more than that" 'its share is 1300' add 1301
is "it is shown to people where it was given" "$(sw h1 tenant show | grep -o 'max-endpoints [0-9]*')" \
	"max-endpoints 1300"
check "less than there are is taken" sw h1 tenant set red max-endpoints 10
is "and all stay" "$(has)" "[1300,1300,10]"
says "but no other comes" 'has 1300 endpoints, and its share is 10' add 1301
check "what is there can still change" add 3 replace rate-out 1gbit
sw h1 endpoint del e1300 tenant red
says "nor in the place of one that went" 'has 1299 endpoints, and its share is 10' add 1300
is "the switch is in order" "$(sw h1 -j switch check | jq -c .problems)" '[]'
sw h1 tenant set red max-endpoints none
is "none is seven eighths again" "$(has)" "[1299,1299,1250]"
out=$(sw h1 tenant set red max-endpoints 0 2>&1) && status=0 || status=$?
is "0 is no number of them" "$status" 2

# ---- addresses -----------------------------------------------------------------------

ips() { local i && for ((i = $1; i <= $2; i++)); do printf 'ip 10.9.0.%d ' $i; done; }
wide() { # NAME MAC FIRST LAST [VERB]
	# shellcheck disable=SC2046
	sw h1 endpoint "${5:-add}" "$1" tenant green mac 02:00:00:00:09:"$2" $(ips "$3" "$4") host h2
}
sw h1 tenant add green id 300 max-endpoints 3
check "four for each" wide a 01 1 8
check "one may have more" wide b 02 9 11
says "but not all of them" 'have 11 addresses, and its share is 12: increase it with' \
	wide c 03 12 13
says "nor one that is there" 'have 11 addresses, and its share is 12' wide b 02 9 13 replace
check "the last one" wide b 02 9 12 replace
says "an endpoint without addresses counts, too" 'have 12 addresses' wide c 03 13 13
is "they are counted" "$(has green)" "[2,12,3]"
is "it is told" "$(full | grep -o 'nearly_full green')" "nearly_full green"
check "fewer are fine" wide b 02 9 9 replace
is "and counted" "$(has green)" "[2,9,3]"
sw h1 gateway add green ip 10.9.0.254/24
is "a gateway's are not its endpoints'" "$(has green)" "[2,9,3]"
is "in order with that" "$(sw h1 -j switch check | jq -c .problems)" '[]'

# ---- counted anew --------------------------------------------------------------------

bpftool map update pinned "$(map_pin h1 shares)" key hex 2c 01 00 00 \
	value hex 03 00 00 00 63 00 00 00
is "a wrong count is a problem" "$(sw h1 -j switch check | jq -c '[.problems[] |
	[.what, .object]]')" '[["count","green"]]'
sw h1 switch repair >/dev/null
is "which repair mends" "$(has green) $(sw h1 -j switch check | jq -c .problems)" '[2,9,3] []'
bpftool map delete pinned "$(map_pin h1 shares)" key hex 64 00 00 00
sw h1 -f switch upgrade 2>/dev/null
is "of a switch without counts the upgrade counts" "$(has) $(has green)" \
	'[1299,1299,1250] [2,9,3]'

# ---- state files ---------------------------------------------------------------------

sw h1 save >$WORK/state.json
is "it is saved where it was given" "$(gojq -c '[.tenants[] | .max_endpoints]' $WORK/state.json)" \
	'[null,3,null]'
is "and is no difference" "$(sw h1 -j diff $WORK/state.json)" '[]'
check "what is there already is no reason to refuse" sw h1 apply $WORK/state.json
# shellcheck disable=SC2016 # gojq's own
more() { # N [MAX]: red's list with endpoints up to N
	gojq --argjson n "$1" --argjson max "${2:-null}" '.tenants |= map(if .name == "red" then
		(if $max then .max_endpoints = $max else . end) |
		.endpoints += [range(1300; $n + 1) | {name: "n\(.)", mac: "02:00:00:01:\(. / 100 | floor | tostring | "0" + . |
			.[-2:]):\(. % 100 | tostring | "0" + . | .[-2:])", host: "h2"}]
		else . end)' $WORK/state.json >$WORK/more.json
}
more 1301
says "more of them" \
	'tenant "red": 1301 endpoints are more than its share, which is 1250: give "max_endpoints"' \
	sw h1 apply $WORK/more.json
more 1301 1301
check "with the word they come" sw h1 apply $WORK/more.json
is "all of them" "$(has)" "[1301,1299,1301]"
sw h1 switch down
says_fresh() {
	local status=0 out

	out=$(sw h1 apply "$1" name h1 2>&1) || status=$?
	is "a fresh switch takes no more either: status" $status 1
	check "it says so" grep -qF 'are more than its share' <<<"$out"
}
says_fresh $WORK/state.json
check "with the word it does" sw h1 apply $WORK/more.json name h1
is "and counts them" "$(has) $(has green)" "[1301,1299,1301] [2,9,3]"
finish
