#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ red-c        red and blue have equal subnets
#
# A tenant's subnets, and what `auto` takes: the lowest id, a MAC and addresses that nobody has.
# Some addresses are never taken, some rest after use, and a subnet can be full. The same words
# given again, by many commands at once, and by a command that is killed. tests/unit_command.c has
# words that are refused.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"

topo_hosts h1 h2
UP_ARGS="max-endpoints 4096" switch_up
ids() { js h1 tenant show 'map({(.name): .id}) | add'; }
nets() { js h1 tenant show "$1" '.[0].net'; }
# ips NAME [TENANT]; mac NAME
ips() { js h1 endpoint show "$1" tenant "${2:-red}" '.[0].ip | join(" ")'; }
mac() { js h1 endpoint show "$1" tenant red '.[0].mac'; }
# auto NAME [WORD]...: of red, on h2; the addresses that it took
auto() { js h1 endpoint add "$1" tenant red mac auto host h2 "${@:2}" '.[0].ip | join(" ")'; }
entries() { map_dump h1 "$1" | gojq length; }
# all: whatever a refused command could have changed
all() { sw h1 save && map_dump h1 nets && map_dump h1 given_up; }
# refused DESC STATUS CODE SAID WORD...: and nothing has changed
refused() {
	local desc=$1 want=$2 code=$3 said=$4 before status=0 out

	shift 4
	before=$(all)
	out=$(sw h1 -j "$@" 2>/dev/null) || status=$?
	is "$desc: exit status, code" "$status $(gojq -r .code <<<"$out")" "$want $code"
	check "$desc: says so" grep -qF "$said" <<<"$(gojq -r .error <<<"$out")"
	is "$desc: nothing has changed" "$(all)" "$before"
}

# each_rest VERB [WORD...]: bpftool does it with all that rests, whose key comes before the words.
each_rest() {
	map_dump h1 given_up | gojq -r '.[].key | join(" ")' | while read -r entry; do
		# shellcheck disable=SC2086
		bpftool map "$1" pinned "$(map_pin h1 given_up)" key $entry "${@:2}"
	done
}
rm_rest() { each_rest delete; }
later() { # SECONDS: what rests has rested so much longer
	local ns

	ns=$("$PY" -c "import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC) - $1 * 10**9)")
	# shellcheck disable=SC2046
	each_rest update value $(for i in {0..7}; do echo $((ns >> 8 * i & 255)); done)
}

# ---- ids ----------------------------------------------------------------------------------------

is "the lowest id is taken, and told" \
	"$(js h1 tenant add red id auto '.[] | [.name, .id, .encap]')" '["red",1,"vxlan"]'
is "as text, too" "$(sw h1 tenant add blue id auto | cut -d ' ' -f 1-3)" "blue id 2"
is "without auto nothing is told" "$(sw h1 tenant add t4 id 4; sw h1 -j tenant add t6 id 6)" ""
printf 'tenant add t%s id auto\n' 3 5 7 | sw h1 -b - >/dev/null
is "those between are filled first" "$(ids)" '{"blue":2,"red":1,"t3":3,"t4":4,"t5":5,"t6":6,"t7":7}'
printf 'tenant %s\n' 'add t8 id auto' 'del t3' 'set t6 id 9' 'add x id auto' 'add y id auto' |
	sw h1 -b - >/dev/null
is "what was given up rests" "$(js h1 tenant show \
	'map(select(.name | IN("t8", "x", "y")) | .id)')" '[8,10,11]'
is "replace keeps the id" "$(js h1 tenant replace t8 id auto mtu 1400 \
	'.[0] | [.id, .mtu]')" '[8,1400]'
is "so does set" "$(js h1 tenant set t8 id auto '.[0].id')" 8
is "replace makes one" "$(js h1 tenant replace t10 id auto '.[0].id')" 12
sw h1 tenant set t8 id 4294967295 encap gre
is "one that is too large for the encapsulation is not kept" \
	"$(js h1 tenant set t8 id auto encap vxlan '.[0].id')" 13
later 61
is "after a minute the lowest is taken again" \
	"$(for i in 3 6 8 14; do js h1 tenant add z$i id auto '.[0].id'; done | xargs)" "3 6 8 14"
sw h1 tenant del z3
sw h1 tenant add z3 id 3
sw h1 tenant del z3
is "by number it can be had at once, and rests again" "$(js h1 tenant add z3 id auto '.[0].id')" 15
refused "a name that is there" 1 EEXIST 'tenant "red" exists, with id 1' tenant add red id auto
for name in t4 t5 t6 t7 t8 t10 x y z3 z6 z8 z14; do sw h1 tenant del $name; done
rm_rest

# ---- subnets, and files -------------------------------------------------------------------------

is "who has none shows none" "$(nets red)" null
without=$(sw h1 save | grep '"name":"red"')
is "nor is it saved" "$without" \
	' {"name":"red","id":1,"encap":"vxlan","broadcast":true,"endpoints":[]}],'
sw h1 tenant set red net 10.0.0.0/24 net fd00:a::/64
sw h1 tenant set blue net 10.0.0.0/24 net fd00:a::/64
is "two tenants may have equal ones" "$(nets red) $(nets blue)" \
	'["10.0.0.0/24","fd00:a::/64"] ["10.0.0.0/24","fd00:a::/64"]'
check "as text" grep -qF ' net 10.0.0.0/24 net fd00:a::/64' <<<"$(sw h1 tenant show red)"
sw h1 tenant set red mtu 1400
is "they stay when another word is set" "$(nets red)" '["10.0.0.0/24","fd00:a::/64"]'
refused "host bits" 2 EINVAL '"10.0.0.1/24" has bits behind its prefix length: the network is 10.0.0.0/24' \
	tenant set red net 10.0.0.1/24
sw h1 save >$WORK/state.json
is "they are saved" "$(gojq -c '.tenants[] | select(.name == "red").net' $WORK/state.json)" \
	'["10.0.0.0/24","fd00:a::/64"]'
is "diff finds nothing" "$(sw h1 -j diff $WORK/state.json)" '[]'
sw h1 tenant set red net fd00:a::/64
is "diff tells what differs, and what it was" "$({ sw h1 -j diff $WORK/state.json || true; } |
	gojq -c '.[] | [.change, .net, .was.net]')" \
	'["set",["10.0.0.0/24","fd00:a::/64"],["fd00:a::/64"]]'
sw h1 apply $WORK/state.json >/dev/null
is "apply brings them back" "$(nets red)" '["10.0.0.0/24","fd00:a::/64"]'
gojq 'del(.tenants[].net)' $WORK/state.json >$WORK/without.json
sw h1 apply $WORK/without.json >/dev/null
is "a file without takes them away" "$(nets red) $(nets blue) $(entries nets)" 'null null 0'
sw h1 apply $WORK/state.json >/dev/null
sw h1 tenant set red mtu 0 net none
is "set net none, too" "$(nets red) $(sw h1 save | grep '"name":"red"')" "null $without"
gojq '.tenants[0].endpoints = [{name: "a", mac: "auto", host: "h2"}]' $WORK/state.json \
	>$WORK/bad.json
refused "auto in a file" 2 EINVAL 'tenants[0].endpoints[0].mac: "auto"' apply $WORK/bad.json

# ---- addresses and MACs -------------------------------------------------------------------------

refused "without a subnet" 1 EADDRNOTAVAIL 'give it one with: tsw tenant set red net CIDR' \
	endpoint add a tenant red mac auto ip auto host h2
sw h1 tenant set red net 10.0.0.0/29 net fd00:a::/64
sw h1 gateway add red ip 10.0.0.2/29 ip fd00:a::1/64 host h2
is "the first of each that is not the gateway's" "$(auto a ip auto)" "10.0.0.1 fd00:a::2"
is "told as text" "$(sw h1 endpoint add b tenant red mac auto ip auto ip 10.9.0.1 host h2)" \
	"b tenant red mac $(mac b) ip 10.0.0.3 ip fd00:a::3 ip 10.9.0.1 host h2"
is "in blue the same" "$(js h1 endpoint add a tenant blue mac auto ip auto host h2 \
	'.[0].ip')" '["10.0.0.1","fd00:a::1"]'
is "without auto nothing is told" \
	"$(sw h1 -j endpoint add n tenant blue mac 02:00:00:00:00:01 host h2)" ""
is "a MAC alone" "$(js h1 endpoint add m tenant red mac auto host h2 '.[0].ip')" '[]'
is "one that is given is not taken too" "$(auto c ip 10.0.0.4 ip auto)" \
	"10.0.0.5 fd00:a::4 10.0.0.4"
check "MACs are local and unicast, and differ" test "$(js h1 endpoint show tenant red \
	'.[].mac' | grep -E '^.2:' | sort -u | wc -l)" = 4
before=$(all)
is "replace keeps what is there" "$(js h1 endpoint replace b tenant red mac auto ip auto ip 10.9.0.1 host h2 \
	'.[0] | [.mac, .ip]')" "[\"$(mac b)\",[\"10.0.0.3\",\"fd00:a::3\",\"10.9.0.1\"]]"
is "and changes nothing" "$(all)" "$before"
was=$(mac b)
is "set keeps what fits, and the rest goes" \
	"$(js h1 endpoint set b tenant red ip auto mac auto '.[0] | [.mac, .ip]')" \
	"[\"$was\",[\"10.0.0.3\",\"fd00:a::3\"]]"
sw h1 endpoint set b tenant red ip none
is "set takes what is missing: not what was just given up" \
	"$(js h1 endpoint set b tenant red ip auto '.[0].ip | join(" ")')" "10.0.0.6 fd00:a::5"
refused "a name that is there" 1 EEXIST 'already has an endpoint "a"' \
	endpoint add a tenant red mac auto ip auto host h2
refused "no device" 1 ENODEV '"nothing"' endpoint add x tenant blue mac auto ip auto dev nothing

# ---- full, and what rests -----------------------------------------------------------------------

is "what was given up is noted" "$(entries given_up)" 2
later 0
refused "full: one rests" 1 ENOSPC \
	'no address of net "10.0.0.0/29" is free; given up in the last 60 s: 1, the first' \
	endpoint add x tenant red mac auto ip auto host h2
sw h1 endpoint add x tenant red mac auto ip 10.0.0.3 host h2 >/dev/null
refused "full" 1 ENOSPC 'no address of net "10.0.0.0/29" is free' \
	endpoint add y tenant red mac auto ip auto host h2
is "by its number it was had nevertheless" "$(ips x)" 10.0.0.3
sw h1 endpoint del x tenant red
later 30
refused "after 30 s" 1 ENOSPC 'the first is free in' \
	endpoint add x tenant red mac auto ip auto host h2
left=$({ sw h1 endpoint add x tenant red mac auto ip auto host h2 2>&1 || true; } |
	sed -n 's/.* the first is free in \([0-9]*\) s$/\1/p')
check "which tells how long it still rests: $left s" test "$left" -ge 1 -a "$left" -le 30
refused "nor can it be taken by set" 1 ENOSPC '"10.0.0.0/29"' endpoint set m ip auto
later 61
is "after 61 s it is taken, and of the other subnet the next" "$(auto x ip auto)" \
	"10.0.0.3 fd00:a::6"
for words in "del a tenant red" "replace c tenant red mac auto host h2" "set x ip none"; do
	sw h1 endpoint $words >/dev/null
done
is "del, replace and set give up" "$(map_dump h1 given_up | gojq '[.[] |
	select(.formatted.key.tenant == 1)] | length')" 8
later 0
refused "all of them rest" 1 ENOSPC 'in the last 60 s: 4, the first' \
	endpoint add y tenant red mac auto ip auto host h2
sw h1 endpoint add o tenant red mac auto ip 10.77.0.1 host h2 >/dev/null
was=$(entries given_up)
sw h1 endpoint del o tenant red
is "what is in no subnet does not rest" "$(entries given_up)" "$was"
sw h1 tenant set red net fd00:a::/64
is "without the one that is full" "$(auto y ip auto)" fd00:a::7
sw h1 gateway del red
sw h1 tenant del red force on
is "a tenant's subnets go with it" "$(map_dump h1 nets | gojq -c 'map(.formatted.key)')" '[2]'

# ---- small ones, and the ends of large ones -----------------------------------------------------

# takes NET WANT: all that endpoints get of it, until there is no more
takes() {
	local i took=''

	sw h1 tenant add red id 1 net "$1"
	for i in {1..9}; do took+=" $(auto "e$i" ip auto 2>/dev/null | grep . || true)"; done
	is "$1: $2" "$(xargs <<<"$took")" "$2"
	sw h1 tenant del red force on
	rm_rest
}
rm_rest
takes 10.0.0.0/30 "10.0.0.1 10.0.0.2"
takes 10.0.0.0/31 "10.0.0.0 10.0.0.1"
takes 10.0.0.7/32 10.0.0.7
takes fd00::/126 "fd00::1 fd00::2 fd00::3"
takes fd00::/127 "fd00:: fd00::1"
takes fd00::7/128 fd00::7
takes fd00::/125 "fd00::1 fd00::2 fd00::3 fd00::4 fd00::5 fd00::6 fd00::7"
takes 10.0.0.248/29 "10.0.0.249 10.0.0.250 10.0.0.251 10.0.0.252 10.0.0.253 10.0.0.254"
sw h1 tenant add red id 1 net 10.255.255.252/30 net fd00::/64
for ip in 10.255.255.252 10.255.255.255 fd00::; do
	refused "$ip by name" 2 EINVAL "$ip is no address that a host can have in net" \
		endpoint add x tenant red mac auto host h2 ip $ip
done
sw h1 -q endpoint add x tenant red mac auto host h2 ip 10.1.0.255
sw h1 tenant set red net 10.255.255.252/30 net fd00::/64 net 10.1.0.0/24
check "one that is older than the net stays" \
	sw h1 -q endpoint set x tenant red ip 10.1.0.255 ip 10.1.0.254
sw h1 save >$WORK/older.json
sw h1 endpoint del x tenant red
sw h1 apply $WORK/older.json >/dev/null
is "and is what a file has" "$(sw h1 save)" "$(<$WORK/older.json)"
sw h1 endpoint del x tenant red
rm_rest
sw h1 tenant set red net 10.255.255.252/30 net fd00::/64
refused "too many with the others" 1 EOVERFLOW 'with one of each net it has 65' \
	endpoint add x tenant red mac auto host h2 ip auto $(printf 'ip 10.1.0.%d ' {1..63})
is "at most 64" "$(auto x ip auto $(printf 'ip 10.1.0.%d ' {1..62}) | wc -w)" 64
sw h1 tenant del red force on

# ---- a batch, and many at once ------------------------------------------------------------------

sw h1 tenant add red id 1 net 10.0.0.0/16 net fd00:a::/64
{
	printf 'endpoint add b%d tenant red mac auto ip auto host h2\n' {1..50}
	echo save
	printf 'endpoint add b%d tenant red mac auto ip auto host h2\n' {51..100}
	printf 'endpoint del b%d tenant red\n' {1..10}
	printf 'endpoint add c%d tenant red mac auto ip auto host h2\n' {1..10}
} >$WORK/batch
sw h1 -j -b $WORK/batch >$WORK/out
is "each of a batch is told, once" \
	"$(gojq -c 'select(type == "array") | .[0].ip[]' $WORK/out | sort -u | wc -l)" 220
is "what is saved in between has them" "$(gojq -cs '.[50].tenants[] | select(.name == "red") |
	[.endpoints[].ip[0]] | length' $WORK/out)" 50
is "it goes on behind the last" "$(ips c10)" "10.0.0.110 fd00:a::6e"
sw h1 save >$WORK/taken.json
sw h1 tenant del red force on
sw h1 apply $WORK/taken.json >/dev/null
is "what was taken is what a file has" "$(sw h1 save)" "$(<$WORK/taken.json)"
is "after apply it begins anew, with what is free and does not rest" "$(auto d ip auto)" \
	"10.0.0.111 fd00:a::6f"

each=20
for k in {1..20}; do
	for ((i = 0; i < each; i++)); do
		sw h1 endpoint add p$k-$i tenant red mac auto ip auto host h2
	done >>$WORK/parallel.$k & PIDS+=($!)
done
all_fine "20 at once: none fails"
is "each is told once, with what it has" "$(cat $WORK/parallel.* | sort)" \
	"$(sw h1 endpoint show tenant red | grep '^p' | sort)"
twice() { sw h1 -j endpoint show tenant red | gojq -r "$1" | sort | uniq -d | xargs; }
is "no address and no MAC is had twice" "$(twice '.[].ip[]')$(twice '.[].mac')" ""
is "and all are there" "$(js h1 endpoint show tenant red length)" $((101 + 20 * each))

# ---- killed -------------------------------------------------------------------------------------

step=${KILL_STEP:-1}
wrong=()
whole() { # WHERE: the same address twice, or anything wrong
	[ -z "$(twice '.[].ip[]')" ] || wrong+=("$1: twice")
	tried "$1" sw h1 -q switch repair
	tried "$1" sw h1 switch check
}
took=()
for ((n = 1;; n = AT + step)); do
	killed $n endpoint add k$n tenant red mac auto ip auto host h2 || break
	# What it had taken is not taken by another; given again it is finished, and told.
	auto j$n ip auto >/dev/null || wrong+=("another after $n")
	sw h1 endpoint replace k$n tenant red mac auto ip auto host h2 >$WORK/k ||
		wrong+=("again after $n")
	took+=("$(grep -o ' ip [^ ]*' $WORK/k | xargs)")
	whole "add $n"
done
note "endpoint add: $n calls, $KILLS kills"
check "there were calls to be killed at" test $n -gt 5
is "each has one of each subnet" "$(printf '%s\n' "${took[@]}" | awk 'NF != 4')" ""
for ((n = 1;; n = AT + step)); do
	sw h1 endpoint replace z tenant red mac auto ip auto host h2 >/dev/null
	was=$(ips z)
	killed $n endpoint del z tenant red || break
	sw h1 -q endpoint del z tenant red 2>/dev/null || true
	auto y$n ip auto >$WORK/y || wrong+=("after del $n")
	[ "$(<$WORK/y)" != "$was" ] || wrong+=("del $n: taken at once")
	whole "del $n"
done
note "endpoint del: $n calls"
for ((n = 1;; n = AT + step)); do
	later 61
	killed $n tenant add green id auto net 10.0.0.0/24 || break
	sw h1 tenant replace green id auto net 10.0.0.0/24 >$WORK/green || wrong+=("again: $n")
	[ "$(cut -d ' ' -f 1-3 $WORK/green)" = "green id 3" ] || wrong+=("$n: $(<$WORK/green)")
	sw h1 tenant del green
	whole "tenant $n"
done
note "tenant add: $n calls"
is "killed and not completed" "${wrong[*]}" ""
sw h1 tenant del green
# As a command that was killed may leave it.
# shellcheck disable=SC2046
bpftool map update pinned "$(map_pin h1 nets)" key 44 1 0 0 value $(printf '0 %.0s' {1..292})
sw h1 switch repair
is "subnets of nobody go with repair" \
	"$(map_dump h1 nets | gojq -c 'map(.formatted.key) | sort')" '[1,2]'

# ---- the switch's own addresses -----------------------------------------------------------------

sw h1 tenant add own id 50
for net in 169.254.169.252/31 fd00:ec2::252/127; do
	sw h1 tenant set own net $net
	is "of a net that has one the other is given" "$(js h1 endpoint add a tenant own mac auto ip auto host h2 \
		'.[0].ip[0]')" ${net%/*}
	refused "$net: and no more" 1 ENOSPC "no address of net" \
		endpoint add b tenant own mac auto ip auto host h2
	sw h1 endpoint del a tenant own
	rm_rest
done
sw h1 tenant del own force on

# ---- upgrade ------------------------------------------------------------------------------------

was=$(all)
sw h1 -f -q switch upgrade
is "switch upgrade keeps subnets, and what rests" "$(all)" "$was"

# More are given up than have room: the oldest go.
sw h2 switch down
sw h2 switch up dev eth0 name h2 max-endpoints 8
sw h2 host add h1 ip 192.0.2.1
sw h2 tenant add red id 1 net 10.0.0.0/24
for i in {1..30}; do
	printf 'endpoint add x tenant red mac auto ip auto host h1\nendpoint del x tenant red\n'
done >$WORK/batch
is "each gets another" "$(js h2 -b $WORK/batch '.[0].ip[0]' | uniq | wc -l)" 30
is "the map stays as small as it is" \
	"$(map_dump h2 given_up | gojq -c 'length <= 8, any(.[]; .formatted.key.addr.w[3] != 0)' |
		xargs)" "true true"
rests() { map_dump h2 given_up | gojq -r '.[].key[-1]' | sort; }
check "and has the last" grep -qx 0x1e <<<"$(rests)"

# ---- and frames pass ----------------------------------------------------------------------------

sw h1 tenant set red net 10.7.0.0/24 net fd00:7::/64
# plugged HOST OTHER NAME: as a script does that makes a container
plugged() {
	local words mac ip4 ip6

	netns "red-$3"
	ip -n "$1" link add "red-$3" mtu 1450 type veth peer name eth0 netns "red-$3" mtu 1450
	ip -n "$1" link set "red-$3" up
	read -r mac ip4 ip6 < <(js h1 endpoint add "$3" tenant red mac auto ip auto "${@:4}" \
		'.[0] | "\(.mac) \(.ip | join(" "))"')
	ip -n "red-$3" link set eth0 address "$mac"
	container_net "red-$3" off "$ip4/24" "$ip6/64"
	if [ "$1" = h1 ]; then words="host h1"; else words="dev red-$3"; fi
	# shellcheck disable=SC2086
	sw h2 endpoint add "$3" tenant red mac "$mac" ip "$ip4" ip "$ip6" $words
}
for name in a c; do sw h1 -q endpoint del $name tenant red 2>/dev/null || true; done
plugged h1 h2 a dev red-a
plugged h2 h1 c host h2
check "by IPv4" reach red-a 10.7.0.2
check "by IPv6" reach red-a fd00:7::2
is "and nothing was dropped as a wrong address" "$(drops h1 spoofed_ip) $(drops h1 spoofed_mac)" "0 0"
finish
