#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#    red-a 10.0.0.1 ┐                               ┌ red-c 10.0.0.3
#    red-b 10.0.0.2 ┤                               │
#                   ├ h1 192.0.2.1 ─── 192.0.2.2 h2 ┤
#   blue-a 10.0.0.1 ┤                               │
#   blue-b 10.0.0.2 ┘                               └ blue-c 10.0.0.3
#
# `save`, `diff`, `apply`. `save` prints what is there, `apply` makes exactly that, and no frame
# reaches another tenant while endpoints swap.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_outside.sh"

topo_standard
S=$WORK/state.json
fits() { "$PY" "$TOOLS/schema.py" "$ROOT/docs/state.schema.json"; } # reads JSON

# edit JQ [FILE]: the saved state, changed, in $WORK/new.json
edit() { gojq "$1" "${2:-$S}" >$WORK/new.json; }
# changes FILE: in short, as `apply` or `diff` tells them
changes() { gojq -r 'map("\(.change) \(.object) \(.name)") | join("; ")'; }
# applies DESC CHANGES: $WORK/new.json is applied with these, and then there is nothing to do
applies() {
	local status=0

	sw h1 -j diff $WORK/new.json >$WORK/diff || status=$?
	is "$1: diff tells" "$status $(changes <$WORK/diff)" "1 $2"
	sw h1 -j apply $WORK/new.json >$WORK/out || true
	is "$1: apply does the same" "$(jq -c . $WORK/out)" "$(jq -c . $WORK/diff)"
	is "$1: and then nothing" "$(sw h1 diff $WORK/new.json; sw h1 apply $WORK/new.json)" ""
}
back() { sw h1 apply $S >/dev/null; }

# ---- save -----------------------------------------------------------------------------

sw h1 tenant add green id 4000000000 encap gre mtu 1300 broadcast off rate-out 10mbit burst 20k
sw h1 endpoint set a tenant red rate-in 50mbit
sw h1 gateway add red ip 10.0.0.254/24 ip fd00::254/64 host h1 snat 192.0.2.1
sw h1 gateway add blue ip 10.1.0.254/24 host h2
sw h1 gateway add green ip 10.2.0.254/24 nat off
sw h1 -q publish add red proto tcp port 80 to 10.0.0.1:8080
sw h1 -q publish add red proto udp port 80 to '[fd00::1]:53'
sw h1 peer add red with green proto tcp port 5 prefix 10.0.0.128/25
sw h1 peer add green with red
for host in h1 h2; do
	sw $host save >$WORK/$host.json
	check "save of $host fits the schema" fits <$WORK/$host.json
	is "save of $host is what is there" "$(sw $host diff $WORK/$host.json)" ""
	is "save of $host, applied, changes nothing" "$(sw $host -j apply $WORK/$host.json)" "[]"
	is "and is the same again" "$(sw $host save)" "$(<$WORK/$host.json)"
done
cp $WORK/h1.json $S
check "save -p is the same" test "$(sw h1 -p save | jq -cS .)" = "$(jq -cS . $S)"
check_fails "what is no state does not fit the schema" fits <<<'{"format":1,"hosts":[{}]}'
is "from standard input" "$(sw h1 apply - <$S)" ""
is "of the other host: what both share is the same but for what one of them has alone" \
	"$({ sw h2 -j diff $S || true; } | gojq -r '.[].name' | sort -u | paste -sd ' ')" \
	"blue blue/c green green/red red red/a red/c red/green"

is "in a batch" "$(printf 'tenant add x id 7\napply %s\ntenant add x id 8\napply %s\n' $S $S |
	js h1 -b - 'map(.name)' | paste -sd ' ')" '["x"] ["x"]'

# ---- from nothing -----------------------------------------------------------------------

sw h1 switch down
is "diff without a switch begins with it" \
	"$({ sw h1 -j diff $S || true; } | gojq -c '.[0] | [.change, .object, .name, .dev]')" \
	'["add","switch","h1",["eth0"]]'
edit '.tenants[2].mtu = 1500'
check_fails "refused, where it would bring a switch up" \
	eval "sw h1 apply $WORK/new.json 2>/dev/null"
check_fails "leaves none behind" sw h1 switch show
check_fails "nor its devices" ip -n h1 link show tsw-vx
check "apply brings all up again" sw h1 -q apply $S
is "and it is what was saved" "$(sw h1 save)" "$(<$S)"
for tenant in red blue; do
	check "$tenant: traffic on the host" reach $tenant-a 10.0.0.2
	check "$tenant: traffic across" reach $tenant-a 10.0.0.3
done
check "switch check" sw h1 switch check

# An endpoint goes and its published port stays: what is saved then can be had again.
sw h1 save >$WORK/whole
sw h1 endpoint set a tenant red ip none
sw h1 save >$WORK/early
sw h1 apply $WORK/whole >/dev/null
sw h1 switch down
check "a port published for nobody comes back, too" sw h1 -q apply $WORK/early
is "as it was" "$(sw h1 save)" "$(<$WORK/early)"
sw h1 apply $WORK/whole >/dev/null

# ---- changes ----------------------------------------------------------------------------

edit '(.tenants[] | select(.name == "red")) |= (.mtu = 1400 | .endpoints[0].ip = ["10.0.0.7"] |
	.publish = [] | del(.gateway.snat))'
applies "a tenant, an endpoint, a gateway" "del publish red/tcp/80; del publish red/udp/80/ipv6; \
set endpoint red/a; set gateway red; set tenant red"
is "with what it was before" "$(gojq -c '.[2] | [.ip, .was.ip]' $WORK/diff)" \
	'[["10.0.0.7"],["10.0.0.1","fd00::1"]]'
back
# Each word of an endpoint, which the switch keeps in a place of its own.
while read -r word value; do
	edit "(.tenants[] | select(.name == \"red\").endpoints[0]).$word = $value"
	applies "$word" "set endpoint red/a"
	is "$word: it is saved" "$(sw h1 save | gojq -c ".tenants[] | select(.name == \"red\").endpoints[0].$word")" \
		"$value"
	back
done <<'END'
server true
xdp true
vip ["10.0.0.9"]
prefix ["10.8.0.0/24"]
macs 4
END
edit 'del(.tenants[] | select(.name == "red")) | .peers = []'
applies "a tenant goes" "del peer green/red; del peer red/green; del publish red/tcp/80; \
del publish red/udp/80/ipv6; del gateway red; del endpoint red/a; del endpoint red/b; \
del endpoint red/c; del tenant red"
back
is "and comes back" "$(sw h1 save)" "$(<$S)"
edit '(.tenants[] | select(.name == "red").endpoints[]) |= (.name += "2")'
sw h1 -j apply $WORK/new.json >/dev/null
check "traffic of endpoints with other names" reach red-a 10.0.0.3
back

# ---- refused ----------------------------------------------------------------------------

before=$(sw h1 save)
# refused DESC STATUS PATTERN WORD...: apply of $WORK/new.json
refused() {
	local desc=$1 want=$2 pattern=$3 status=0

	shift 3
	sw h1 -j apply $WORK/new.json "$@" >$WORK/out 2>$WORK/err || status=$?
	is "$desc: exit status" $status "$want"
	check "$desc: the message says why" grep -qE "$pattern" $WORK/err
	check "$desc: as JSON too" gojq -e '.error and .code' $WORK/out
	is "$desc: nothing was changed" "$(sw h1 save)" "$before"
}
edit '.tenants[0].endpoints[0].host = "h9"'
refused "a host that is not there" 2 'tenants\[0\]\.endpoints\[0\]\.host: there is no host "h9"'
head -c 700 $S >$WORK/new.json
refused "half a file" 2 'line [0-9]+, column'
: >$WORK/new.json
refused "an empty file" 2 'line'
edit '.tenants[2].id = 7 | .tenants[2].endpoints[0].dev = "nodev"'
refused "no such device" 1 'tenants\[2\]\.endpoints\[0\]: there is no device "nodev"'
edit '.tenants[2].id = 7 | .tenants[2].endpoints[0].dev = "tsw-vx"'
refused "a device that cannot be one" 1 'endpoint red/a: .*tunnel device'
edit '.tenants[2].id = 7 | .hosts[0].switch.port = 4790'
refused "a setting that is fixed" 1 'other settings \(port\)'
edit '.hosts[0].name = "h7" | (.tenants[].endpoints[] | select(.host == "h1").host) = "h7" |
	(.tenants[].gateway.host | select(. == "h1")) = "h7" | (.tenants[].publish[]?.host) = "h7"'
refused "this host is not in it" 2 '"h1", is not in the list'
refused "nor is it another" 1 'is up as host "h1", not as "h7"' name h7
edit '.tenants[2].id = 7 | .tenants[2].mtu = 1500'
refused "frames too long" 1 'mtu 1500 is more'
bg h1 "$PY" "$TOOLS/who.py" serve h1 99
retry 5 grep -q ready "$BG_LOG"
edit '.tenants[2].id = 7 | .tenants[2].publish += [{"proto":"tcp","port":99,"to":"10.0.0.1:9"}]'
refused "a port that somebody waits at" 1 'publish red/tcp/99: .*in use'
edit '.tenants[2].id = 7 | .hosts[0].switch.dev = ["eth0", "nodev"]'
refused "no such underlay" 1 'switch h1: there is no device "nodev"'
check "diff tells what apply would refuse" \
	grep -qF 'tsw: apply would refuse this: switch h1: there is no device "nodev"' \
	<<<"$(sw h1 -j diff $WORK/new.json 2>&1 >/dev/null || true)"
edit '.tenants[0].endpoints += [range(65536) | {name: "e\(.)", host: "h2", mac: ("02:00:01:" +
	([. / 4096, . / 256 % 16, . / 16 % 16, . % 16] | map(floor | "0123456789abcdef"[.:. + 1]) |
	"\(.[0])\(.[1]):\(.[2])\(.[3]):00"))}] | .tenants[2].id = 7'
refused "more than there is room for" 1 'endpoints are more than .* 65536'
check_fails "no such file" sw h1 apply $WORK/none.json
check_fails "a directory" sw h1 apply $WORK

# What fails half-way says so, and the next time does the rest.
router h1 nft flush ruleset
edit '.tenants[2].mtu = 1400 | .tenants[2].endpoints[1].ip = ["10.0.0.12"] |
	.tenants[2].publish += [{"proto":"tcp","port":98,"to":"10.0.0.1:9"}]'
check_fails "failed half-way" eval "sw h1 -j apply $WORK/new.json >$WORK/out 2>$WORK/err"
is "half-way: what was done and what was not" \
	"$(gojq -c '[(.done, .not_done) | map("\(.object) \(.name)")]' $WORK/out)" \
	'[["endpoint red/b","tenant red"],["publish red/tcp/98"]]'
check "half-way: the message counts" grep -q '2 of 3 changes were made' $WORK/err
check "half-way: repaired" sw h1 switch repair
is "half-way: then the rest is done" "$(sw h1 -j apply $WORK/new.json | changes)" \
	"add publish red/tcp/98"
back

# ---- devices ----------------------------------------------------------------------------

ip -n h1 link del red-b
check_fails "a device is gone" eval "sw h1 apply $S 2>/dev/null"
is "left out, with what is left" "$(sw h1 -j apply $S missing skip 2>$WORK/err | changes)" \
	"del endpoint red/b"
check "and told of" grep -q 'left out: endpoint "b" of tenant "red".*"red-b"' $WORK/err
bg h1 "$TSW" -n h1 -j apply $S wait 20
ip -n h1 link add other type veth peer name other2
ip -n h1 link add red-b type veth peer name eth0 address 02:00:00:00:00:02 mtu 1450 netns red-b
ends_well "waited for"
is "waited for: it is there" "$(changes <"$BG_LOG")" "add endpoint red/b"
ip -n h1 link set red-b up
container_net red-b off 10.0.0.2/24
check "waited for: traffic" reach red-a 10.0.0.2
ip -n h1 link del other
check "nothing to wait for" timeout $((5 * ${TSW_SLOW:-1})) "$TSW" -n h1 apply $S wait 60
# Another device of the same name.
ip -n h1 link del red-b
ip -n h1 link add red-b type veth peer name eth0 address 02:00:00:00:00:02 mtu 1450 netns red-b
ip -n h1 link set red-b up
container_net red-b off 10.0.0.2/24
is "another device of that name" "$(sw h1 -j apply $S | changes)" "set endpoint red/b"
check "it is the endpoint's now" reach red-a 10.0.0.2

# ---- swaps, with traffic -------------------------------------------------------------------

# talk NS BYTE: echo requests with that octet to b, in the background
talk() { bg "$1" ping -q -n -i 0.002 -W 1 -c 100000 -p "$2" 10.0.0.2; }
heard() { captured "$1" "icmp[0] == 8 and icmp[24] == 0x$2"; } # NAME BYTE
# runs NAME: how often another one was heard than before
runs() {
	tcpdump -Z root -n -t -x -r $WORK/"$1".pcap 'icmp[0] == 8' 2>/dev/null |
		awk '/0x0030:/ { print substr($3, 1, 2) }' | uniq | wc -l
}
sides() { # FILE1 FILE2: applied in turn, six times
	local i

	for i in {1..3}; do
		sw h1 -q apply "$2" >/dev/null
		sw h1 -q apply "$1" >/dev/null
	done
}
for b in red blue; do capture $b $b-b eth0 icmp; done
talk red-a a1 && talk blue-a b2
for b in red blue; do capture_has $b 20; done
edit '(.tenants[] | select(.name == "red").id) = 200 |
	(.tenants[] | select(.name == "blue").id) = 100'
sides $S $WORK/new.json
is "ids swapped: red heard itself alone" "$(($(heard red a1) > 100)) $(heard red b2)" "1 0"
is "ids swapped: blue heard itself alone" "$(($(heard blue b2) > 100)) $(heard blue a1)" "1 0"
edit '(.tenants[] | select(.name == "red").endpoints[0].dev) = "blue-a" |
	(.tenants[] | select(.name == "blue").endpoints[0].dev) = "red-a"'
sides $S $WORK/new.json
capture_stop red blue
# Each of six times the other one: never both in turn.
is "devices swapped: red heard one, then the other" "$(($(runs red) <= 7))" 1
is "devices swapped: blue heard one, then the other" "$(($(runs blue) <= 7))" 1
is "devices swapped: it heard both" "$(($(heard red b2) > 0 && $(heard blue a1) > 0))" 1
is "all is as it was" "$(sw h1 save)" "$(<$S)"

# ---- several at once, and killed --------------------------------------------------------------

edit '(.tenants[] | select(.name == "red").id) = 101 | .peers = []'
for i in {1..4}; do
	sw h1 -q apply $S >/dev/null & PIDS+=($!)
	sw h1 -q apply $WORK/new.json >/dev/null & PIDS+=($!)
done
all_fine "eight at once: none failed"
is "eight at once: it is one of both" \
	"$(sw h1 -j diff $S >/dev/null || sw h1 diff $WORK/new.json)" ""
check "eight at once: nothing is wrong" sw h1 switch check

step=$(every 6 "${KILL_STEP:-5}") wrong=() # each call with KILL_STEP=1
edit '(.tenants[] | select(.name == "red").id) = 101 |
	(.tenants[] | select(.name == "blue").endpoints[0].dev) = "red-b" |
	(.tenants[] | select(.name == "red").endpoints) |= map(select(.name != "b")) |
	(.tenants[] | select(.name == "green").mtu) = 1200'
back
cp $WORK/new.json $WORK/there.json
# goes FILE N: apply of it is killed at its Nth call, and completed. Fails where it has fewer.
goes() {
	killed "$2" apply "$1" || return 1
	sw h1 -q apply "$1" >/dev/null || wrong+=("${1##*/} $2")
	sw h1 diff "$1" >/dev/null || wrong+=("not ${1##*/} $2")
	[ "$(js h1 switch check .ok)" = true ] || wrong+=("${1##*/} $2: check")
}
for ((n = (step + 1) / 2;; n = AT + step)); do
	goes $WORK/there.json $n || break
	sw h1 -q apply $S >/dev/null || wrong+=("back $n")
done
note "$n calls, $KILLS kills"
check "there were calls to be killed at" test $n -gt 50
for ((n = (step + 1) / 2;; n = AT + step)); do
	goes $S $n || break
	[ "$(sw h1 save)" = "$(<$S)" ] || wrong+=("not back $n")
	sw h1 -q apply $WORK/there.json >/dev/null || wrong+=("there again $n")
done
note "and back: $n calls, $KILLS kills"
check "there were calls on the way back, too" test $n -gt 50
is "killed at and not completed" "${wrong[*]}" ""
back
check "traffic after all that" reach red-a 10.0.0.3

# ---- in one batch with commands that write ------------------------------------------------
# `diff` and `gc dry-run on` only read, and what comes behind them still counts what it changes.

run_undo
topo_hosts h1 h2
outside h1
switch_up
sw h1 tenant add red id 100
sw h1 save >$S
batch() { # LINE...
	printf '%s\n' "$@" | sw h1 -b - >/dev/null
}
batch "switch gc dry-run on" "gateway add red ip 10.0.0.254/24"
check "gc dry-run, then a gateway: it is counted" healthy h1
sw h1 tenant add blue id 200
sw h1 gateway add blue ip 10.0.0.254/24
sw h1 gateway del blue
check "and stays when another goes" healthy h1
is "red's gateway is served" "$(js h1 gateway show red '.[0].local')" true
sw h1 tenant del blue
batch "tenant add x id 9" "diff $S" "endpoint add a tenant x mac 02:00:00:00:00:01 host h2" || true
is "diff, then an endpoint: it is counted" "$(js h1 tenant show x '.[0].endpoints')" 1
check "and all else" healthy h1
is "its tenant does not go without force" "$(sw h1 tenant del x 2>&1 >/dev/null | grep -c endpoint)" 1
sw h1 tenant del x force on
printf '%s\n' "apply $WORK/none.json" "tenant add y id 10" \
	"endpoint add a tenant y mac 02:00:00:00:00:01 host h2" |
	sw h1 -f -b - >/dev/null 2>&1 || true
is "an apply that fails, then an endpoint: it is counted" \
	"$(js h1 tenant show y '.[0].endpoints')" 1
check "and nothing is wrong" healthy h1
finish
