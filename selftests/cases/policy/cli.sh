#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1, red-x 10.0.0.9 ── h1 192.0.2.1 ─── 192.0.2.2 h2      red's b 10.0.0.2 is there
#
# Groups, rules and a tenant's policy as commands. What is refused, with which words, and changes
# nothing; what `show` tells; what is in the maps; save, down, apply. What a killed command leaves
# is taken back or completed, and the same words complete it. tests/unit_policy.c has words that are
# refused.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"

step=${KILL_STEP:-2} # 1: at each call
[ -z "${TSW_QUICK:-}" ] || step=$((step * 4))
topo_hosts h1 h2
switch_up h1
sw h1 -q -b - <<-END
	tenant add red id 100
	tenant add blue id 200
	endpoint add b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 host h2
END
container red a h1 10.0.0.1/24 endpoint off
container red x h1 10.0.0.9/24 endpoint off
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a

# ---- what there is, without what counts how often it was changed -------------------------------

maps=(tenants ports policies policy_groups policy_members policy_rules policy_cidrs policy_ways
	policy_hits endpoints)
for map in "${maps[@]}"; do echo "map dump pinned $(map_pin h1 $map)"; done >$WORK/dumps
# Of a way what counts is told, and not since when. FROM TO: of these maps alone.
state() {
	# shellcheck disable=SC2016 # gojq's own
	bpftool -j batch file $WORK/dumps | gojq -c '
		def made(key): .value | type == "object" and has(key);
		map(.output | map(.formatted)) |
		(.[2] | map({(.key | tostring): .value.generation}) | add) as $now |
		.['"${1:-0}:${2:-99}"'][] | map(if made("then") then
				$now[.key.tenant | tostring] as $n |
				(.value | if .generation <= $n then .then else .now end)
					as $choice | {key, $choice}
			elif made("table") then del(.value.table, .value.generation)
			elif .values? then .key
			else . end) | sort_by(tostring) | .[]'
}
mode() { js h1 tenant show "$1" '.[0] | "\(.policy) \(.default)"'; }
rule() { js h1 policy show red "$1" '.[0] | del(.tenant, .packets, .bytes)'; }
# The value of a map's entry with these fields of its key, by jq.
entry() { # MAP FILTER
	bpftool -j map dump pinned "$(map_pin h1 "$1")" | gojq -c ".[].formatted | select($2) | .value"
}

# refused STATUS TEXT WORD...: says TEXT, in one line, and nothing has changed.
refused() {
	local want=$1 text=$2 before after out status=0

	shift 2
	before=$(state)
	out=$(sw h1 "$@" 2>&1) || status=$?
	after=$(state)
	is "refused: $*" "$status $(wc -l <<<"$out") $([ "$before" = "$after" ] || echo changed)" \
		"$want 1 "
	case $out in *"$text"*) ok "and says: $text" ;; *) not_ok "and says $text: $out" ;; esac
}

# ---- groups ------------------------------------------------------------------------------------

sw h1 group add red web db
sw h1 group add red app
is "groups in JSON" "$(js h1 group show red .)" '[{"endpoints":0,"name":"app","rules":0,"tenant":"red"},{"endpoints":0,"name":"db","rules":0,"tenant":"red"},{"endpoints":0,"name":"web","rules":0,"tenant":"red"}]'
is "and as text" "$(sw h1 group show | head -n 1)" "red name app endpoints 0 rules 0"
refused 1 'already has a group "web"' group add red new web
refused 2 '"a/b" cannot be a name' group add red a/b
refused 1 'there is no tenant "green"' group add green web
refused 1 'no group "nosuch"' group del red nosuch
sw h1 group del red db
sw h1 group add red db
is "the lowest number that is free" "$(entry policy_groups '.key.name.s == "db"')" 2
is "another tenant has its own" "$(sw h1 group add blue web && js h1 group show blue \
	'.[].name')" web

# ---- rules -------------------------------------------------------------------------------------

sw h1 policy add red sql from group app to group db proto tcp port 5432
is "a rule in JSON" "$(js h1 policy show red .)" '[{"action":"allow","bytes":0,"from":"group:app","log":false,"name":"sql","packets":0,"port":"5432","priority":1000,"proto":"tcp","tenant":"red","to":"group:db"}]'
is "and as text" "$(sw h1 policy show red sql)" \
	"red name sql from group:app to group:db proto tcp port 5432 action allow priority 1000 log off packets 0 bytes 0"
refused 1 'already has a policy "sql"' policy add red sql from any to any
refused 1 'no group "nosuch"' policy add red p from group nosuch to any
refused 1 'no group "nosuch"' policy set red sql to group nosuch
refused 1 'there is no tenant "green"' policy add green p from any to any
refused 1 'no policy "nosuch"' policy set red nosuch log on
refused 1 'no policy "nosuch"' policy del red nosuch
refused 1 'no policy "nosuch"' policy show red nosuch
refused 2 'port 80 goes with proto tcp' policy add red p from any to any proto icmp port 80

sw h1 policy set red sql priority 2000 action deny log on port 5432-5433
is "set changes what is named" "$(rule sql)" '{"action":"deny","from":"group:app","log":true,"name":"sql","port":"5432-5433","priority":2000,"proto":"tcp","to":"group:db"}'
sw h1 policy set red sql proto any
is "proto any takes the port off" "$(rule sql | gojq -r '.proto + " " + .port')" "any any"
sw h1 policy replace red sql from group app to group db proto tcp port 5432
is "replace has the defaults" "$(rule sql)" '{"action":"allow","from":"group:app","log":false,"name":"sql","port":"5432","priority":1000,"proto":"tcp","to":"group:db"}'
sw h1 policy set red sql port any
is "port any takes it off" "$(rule sql | gojq -r .port)" any
sw h1 policy set red sql port 5432
refused 1 'policy "sql" names it' group del red db
is "rules are counted" "$(js h1 group show red '[.[] | .rules]')" "[1,1,0]"

# ---- what it comes to in the maps --------------------------------------------------------------

ways() { entry policy_ways ".key.proto == $1" | wc -l; } # PROTO
lengths() { entry policies '.key == 100' | gojq .lengths; }
is "one way of one port" "$(ways 6)" 1
is "and its length" "$(lengths)" $((1 << 16))
sw h1 policy add red range from group web to group app proto udp port 1-65534
is "a range of ports is at most 30" "$(ways 17)" 30
sw h1 policy set red range port 32768-65535
is "half of them is one" "$(ways 17)" 1
is "lengths are those that are left" "$(lengths)" $((1 << 16 | 1 << 1))
sw h1 policy del red range
is "nothing is left of it" "$(ways 17) $(lengths)" "0 $((1 << 16))"

# Of rules for the same the highest counts, of two as high deny, of two the same the older.
chosen() { # the number and the weight of the only way of SCTP
	entry policy_ways '.key.proto == 132' |
		gojq -c 'if .generation <= '"$(entry policies '.key == 100' | gojq .generation)"' then
			.then else .now end'
}
number() { entry policy_rules ".key.name.s == \"$1\"" | gojq .number; }
same=(from group web to group db proto sctp)
sw h1 policy add red s1 "${same[@]}"
sw h1 policy add red s2 "${same[@]}"
is "the older of two" "$(chosen | gojq .number)" "$(number s1)"
sw h1 policy add red s3 "${same[@]}" action deny
is "deny before allow" "$(chosen | gojq .number)" "$(number s3)"
sw h1 policy set red s2 priority 1001
is "the higher before both" "$(chosen | gojq .number)" "$(number s2)"
sw h1 policy del red s2
is "and when it is gone the next" "$(chosen | gojq .number)" "$(number s3)"
sw h1 policy del red s3
sw h1 policy del red s1
is "none is left" "$(chosen)" ""

# ---- networks ----------------------------------------------------------------------------------

sw h1 policy add red n1 from cidr 10.0.0.0/8 to group web
sw h1 policy add red n2 from cidr 10.0.0.0/8 to group app
sw h1 policy add red n3 from cidr 0.0.0.0/0 to cidr fd00::/8
is "a network that two rules name is there once" \
	"$(entry policy_cidrs '.key.prefix == 136' | gojq -c '[.length, .refs]')" "[104,2]"
is "their numbers differ" "$(entry policy_cidrs true | gojq .number | sort -u | wc -l)" 3
is "as it was said" "$(rule n3 | gojq -c '[.from, .to]')" '["cidr:0.0.0.0/0","cidr:fd00::/8"]'
sw h1 policy del red n1
is "one rule less names it" "$(entry policy_cidrs '.key.prefix == 136' | gojq .refs)" 1
sw h1 policy del red n2
is "nobody does" "$(entry policy_cidrs '.key.prefix == 136')" ""
for ((i = 1; i < 8; i++)); do sw h1 policy add red d$i from cidr 10.0.0.0/$((8 + i)) to any; done
refused 1 'more than 8 networks' policy add red d8 from cidr 10.0.0.0/30 to any
refused 1 'more than 8 networks' policy add red d8 from cidr 10.0.0.0/7 to any
sw h1 policy add red d8 from cidr 10.128.0.0/9 to any
for ((i = 1; i < 9; i++)); do sw h1 policy del red d$i; done
sw h1 policy del red n3
is "no network is left" "$(entry policy_cidrs true)" ""

# ---- members -----------------------------------------------------------------------------------

members() { entry policies '.key == 100' | gojq .members; }
flagged() { # how many of a tenant's ports have the flag of a policy
	bpftool -j map dump pinned "$(map_pin h1 ports)" | gojq '[.[].formatted.value |
		select(.tenant == 100) | .flags / 64 | floor % 2] | add'
}
refused 1 'no group "nosuch"' endpoint set a tenant red group nosuch
refused 1 'no group "nosuch"' endpoint add x tenant red mac 02:00:00:00:00:09 dev red-x group nosuch
sw h1 endpoint set a tenant red group web group app
sw h1 endpoint set b tenant red group db
is "groups of an endpoint" "$(js h1 endpoint show a '.[0].group')" '["app","web"]'
is "as text" "$(sw h1 endpoint show b)" \
	"b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 host h2 group db"
is "of who is in none, too" "$(sw h1 endpoint add x tenant red mac 02:00:00:00:00:09 dev red-x &&
	js h1 endpoint show x '.[0].group')" "[]"
is "members are counted" "$(members)" 2
refused 1 'endpoint "b" is in it' group del red db
sw h1 endpoint set a tenant red mac 02:00:00:00:00:11
is "a new MAC keeps the groups" "$(js h1 endpoint show a '.[0].group') $(members)" '["app","web"] 2'
sw h1 endpoint set a tenant red mac 02:00:00:00:00:01
before=$(entry policies '.key == 100' | gojq .generation)
sw h1 endpoint set a tenant red group web
is "a change counts the generation up" "$(entry policies '.key == 100' | gojq .generation)" \
	$((before + 1))
sw h1 endpoint set a tenant red group none
is "none takes all away" "$(js h1 endpoint show a '.[0].group') $(members)" '[] 1'
sw h1 endpoint del x
sw h1 endpoint set a tenant red group web

# ---- the mode ----------------------------------------------------------------------------------

is "off until it is said" "$(mode red) $(flagged)" "off allow 0"
sw h1 tenant set red policy audit default deny
is "audit" "$(mode red) $(flagged)" "audit deny 1"
table=$(entry policies '.key == 100' | gojq .table)
sw h1 tenant set red policy on
is "on" "$(mode red) $(flagged)" "on deny 1"
is "as text" "$(sw h1 tenant show red | grep -o 'policy.*')" "policy on default deny"
sw h1 endpoint add x tenant red mac 02:00:00:00:00:09 dev red-x group app
is "an endpoint that comes is looked at, too" "$(flagged)" 2
sw h1 tenant set red dhcp on
is "what else is set of the tenant leaves it" "$(mode red) $(flagged)" "on deny 2"
sw h1 tenant set red dhcp off policy off
is "off: nobody is looked at" "$(mode red) $(flagged)" "off deny 0"
[ "$(entry policies '.key == 100' | gojq .table)" != "$table" ]
ok "and connections are forgotten"
sw h1 tenant set red policy on
is "what each rule has decided" "$(js h1 stats policy tenant red .)" \
	'[{"bytes":0,"name":"sql","packets":0,"tenant":"red"},{"bytes":0,"name":null,"packets":0,"tenant":"red"}]'
is "of all tenants" "$(js h1 stats policy '[.[] | [.tenant, .name]]')" \
	'[["blue",null],["red","sql"],["red",null]]'
refused 1 'has groups or policies' tenant set blue id 201
is "check finds nothing" "$(sw h1 switch check)" "ok on"

# ---- save, down, apply -------------------------------------------------------------------------

sw h1 policy add red out from group web to cidr 0.0.0.0/0 proto udp port 53 log on
said() {
	sw h1 -j policy show
	sw h1 -j group show
	js h1 endpoint show '[.[] | {name, group}]'
	mode red
}
before=$(said)
sw h1 save >$WORK/state.json
sw h1 switch down
sw h1 -q apply $WORK/state.json >/dev/null
is "save, down and apply: the same" "$(said)" "$before"
is "and nothing is to do" "$(sw h1 diff $WORK/state.json)" ""
gojq '.tenants |= map(if .name == "red" then .policies = [] | .groups = ["web", "new"] |
	.endpoints |= map(.group = ["new"]) | .policy = "audit" else . end)' \
	$WORK/state.json >$WORK/other.json
is "what differs" "$({ sw h1 -j diff $WORK/other.json || true; } | gojq -r '.[] | .change + " " + .object +
	" " + .name' | paste -sd' ')" "add group red/new set tenant red set endpoint red/a \
set endpoint red/b set endpoint red/x del policy red/out del policy red/sql del group red/app \
del group red/db"
sw h1 -q apply $WORK/other.json >/dev/null
is "is done" "$(sw h1 diff $WORK/other.json)" ""
sw h1 -q apply $WORK/state.json >/dev/null
is "and back" "$(sw h1 diff $WORK/state.json) $(said)" " $before"
is "check finds nothing" "$(sw h1 switch check)" "ok on"

# ---- killed at any call ------------------------------------------------------------------------

for map in "${maps[@]}"; do echo "map dump pinned $(map_pin h1 $map)"; done >$WORK/dumps
# What counts, whatever a killed command left half written: all as before or all as after.
counts() { state | gojq -c 'select(.choice.number? > 0)'; }
total=0
differs() { diff - <(cat <<<"$1") || true; } # STATE
# kills DESC WORD... -- UNDO WORD...: killed at each call, completed by the same words
kills() {
	local desc=$1 do=() n wrong=() before after old new was will now out again seen

	shift
	while [ "$1" != -- ]; do do+=("$1") && shift; done
	shift
	before=$(state) old=$(state 2 9) was=$(counts)
	sw h1 -q "${do[@]}"
	after=$(state) new=$(state 2 9) will=$(counts)
	[ "$before" != "$after" ] || wrong+=("changes nothing")
	sw h1 -q "$@"
	[ "$(state)" = "$before" ] || wrong+=("is not undone: $(state | differs "$before")")
	for ((n = 1 + total % step;; n = AT + step)); do
		killed $n "${do[@]}" || break
		now=$(counts)
		[ "$now" = "$was" ] || [ "$now" = "$will" ] || wrong+=("$n: half of it counts: $now")
		seen=
		[ "$now" = "$was" ] || seen=yes # frames have seen it: it is not undone
		# The next that changes anything settles it: as before, or as after.
		sw h1 -q tenant set blue broadcast on
		# An endpoint stays marked until its command is repeated; its groups do not.
		now=$(state 2 9)
		[ "$now" = "$new" ] || { [ "$now" = "$old" ] && [ -z "$seen" ]; } ||
			wrong+=("$n: ${seen:+undone} settled $(differs "$old" <<<"$now")")
		again=0
		out=$(sw h1 -q "${do[@]}" 2>&1) || again=$?
		case $again:$out in
		0:* | 1:*already* | 1:*'no '*) ;;
		*) wrong+=("$n: $out") ;;
		esac
		[ "$(state)" = "$after" ] ||
			wrong+=("$n: completed $(state | differs "$after")")
		sw h1 -q "$@" || wrong+=("$n: not undone")
		[ "$(state)" = "$before" ] || wrong+=("$n: not as before")
	done
	sw h1 -q "$@" # the last one came to its end
	total=$((total + 1))
	is "$desc: killed at any of $n calls, the same words complete it" \
		"$(printf '%s\n' ${wrong[@]+"${wrong[@]}"})" ""
}

kills "policy add" policy add red k from cidr 10.1.0.0/16 to group db proto tcp port 80-90 -- \
	policy del red k
sw h1 policy add red k from cidr 10.1.0.0/16 to group db proto tcp port 80-90
kills "policy replace" policy replace red k from cidr 10.2.0.0/16 to group web proto tcp \
	port 85-95 action deny -- policy replace red k from cidr 10.1.0.0/16 to group db proto tcp \
	port 80-90
kills "policy set" policy set red k priority 5 -- policy set red k priority 1000
kills "policy del" policy del red k -- \
	policy add red k from cidr 10.1.0.0/16 to group db proto tcp port 80-90
kills "endpoint set group" endpoint set a tenant red group db app -- \
	endpoint set a tenant red group web
kills "endpoint set group none" endpoint set a tenant red group none -- \
	endpoint set a tenant red group web
kills "endpoint set mac, of one in a group" endpoint set a tenant red mac 02:00:00:00:00:11 -- \
	endpoint set a tenant red mac 02:00:00:00:00:01
kills "endpoint del, of one in a group" endpoint del x -- \
	endpoint add x tenant red mac 02:00:00:00:00:09 dev red-x group app
kills "endpoint add, into a group" endpoint add y tenant red mac 02:00:00:00:00:0a host h2 \
	group web -- endpoint del y
kills "tenant set policy off" tenant set red policy off -- tenant set red policy on
kills "tenant set policy on" tenant set blue policy on -- tenant set blue policy off
kills "tenant set default" tenant set red default allow -- tenant set red default deny
kills "group add" group add red k1 -- group del red k1
sw h1 group add red k1
kills "group del" group del red k1 -- group add red k1
note "$KILLS kills"
is "check finds nothing" "$(sw h1 switch check)" "ok on"

# ---- what somebody else did to the maps --------------------------------------------------------

# damaged DESC WHAT CMD...: CMD, which takes or writes entries, is found as WHAT and mended.
damaged() {
	local desc=$1 what=$2 before

	shift 2
	before=$(state)
	"$@"
	is "$desc: check finds it" "$({ sw h1 -j switch check || true; } |
		gojq -r '[.problems[].what] | unique | join(" ")')" "$what"
	sw h1 switch repair
	is "and repair mends it" "$(sw h1 switch check) $(state | differs "$before")" "ok on "
}
bytes() { # KEY of a map's first entry that FILTER takes, as bpftool reads it
	bpftool -j map dump pinned "$(map_pin h1 "$1")" | gojq -r "[.[] | select(.formatted | $2)][0] |
		.key | join(\" \")"
}
# shellcheck disable=SC2046 # octets, each a word
drop() { bpftool map delete pinned "$(map_pin h1 "$1")" key $(bytes "$1" "$2"); }
damaged "a way is gone" policy_entry drop policy_ways .key.tenant==100
drop policy_members .value.group[0]==2
is "a member is gone: its tenant's count tells" "$({ sw h1 switch check || true; } |
	grep -o 'has 2 endpoints in groups and 3 are counted')" \
	"has 2 endpoints in groups and 3 are counted"
sw h1 switch repair
is "repair counts again" "$(sw h1 switch check) $(members)" "ok on 2"
sw h1 endpoint set b tenant red group db
flag_off() { # the flag of a policy, of all of red's ports
	local pin octets

	pin=$(map_pin h1 ports)
	bpftool -j map dump pinned "$pin" | gojq -r '.[] | select(.formatted.value.tenant == 100) |
		(.key + .value) | join(" ")' | while read -ra octets; do
		octets[8]=$((octets[8] & ~64)) # flags are behind the index and the tenant
		bpftool map update pinned "$pin" key "${octets[@]:0:4}" value "${octets[@]:4}"
	done
}
damaged "ports without the flag" endpoint_entry flag_off

# ---- shares ------------------------------------------------------------------------------------

warnings() { js h1 switch check '[.warnings[] | .what + " " + .object] | join(",")'; }
is "two shares that fit" "$(warnings)" ""
sw h1 -q tenant set red policy on connections none
sw h1 -q tenant set blue policy on connections none
is "more is promised than there is" "$(warnings)" "overcommitted connections"
sw h1 -q tenant set blue policy off
sw h1 -q tenant set red connections 32768
is "and not any more" "$(warnings)" ""

# ---- metrics -----------------------------------------------------------------------------------

sw h1 tenant set red policy on
is "metrics of each rule" "$(sw h1 metrics | grep -c '^tsw_policy_.*_total{.*tenant="red"')" \
	$((2 * ($(js h1 policy show red length) + 1)))
is "and of none where it is off" "$(sw h1 metrics | grep -c 'tenant="blue",policy=' || true)" 0

# ---- with the tenant ---------------------------------------------------------------------------

refused 1 'still has endpoints' tenant del red
sw h1 tenant del red force on
left=0
for map in "${maps[@]:2:7}"; do
	left=$((left + $(bpftool -j map dump pinned "$(map_pin h1 $map)" | gojq '[.[].formatted.key |
		select(. == 100 or .tenant? == 100)] | length')))
done
is "the tenant takes all of it along" $left 0
sw h1 tenant del blue
is "and so does one that only has groups" "$(sw h1 -j group show)" "[]"
finish
