#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a, red-b ─ h1 192.0.2.1 ═══ 192.0.2.2 h2
#
# Names with invisible characters, or with characters that change how others are shown, are refused.
# Such a name from an older version is shown escaped, and commands accept it.
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
switch_up h1
sw h1 tenant add red id 100
HOSTS=(h1)
sw h1 host add h2xxx ip 192.0.2.3

# ---- none gets in ------------------------------------------------------------------

# tests/unit_hidden.c has all of them.

bad=$'r\xe2\x80\xaed'
refused() { # DESC PATTERN CMD...: exit 2, and the name is quoted so that it is seen
	local desc=$1 pattern=$2 status=0 out

	shift 2
	out=$("$@" 2>&1) || status=$?
	is "$desc" "$status $(grep -cF "$pattern" <<<"$out" || true)" "2 1"
}
said='"r\xe2\x80\xaed" cannot be a name, it has the invisible character U+202E'
refused "tenant" "$said" sw h1 tenant add $bad id 1
refused "tenant replace" "$said" sw h1 tenant replace $bad id 1
refused "host" "$said" sw h1 host add $bad ip 192.0.2.9
refused "endpoint" "$said" sw h1 endpoint add $bad tenant red mac 02:00:00:00:00:01 host h2xxx
refused "the host's own" "$said" sw h2 switch up dev eth0 name $bad
refused "the switch's" "$said" on h2 "$TSW" -i $bad switch up dev eth0
name=$'\xffx' # a device may be called so
ip -n h1 link add "$name" type veth peer name plain
refused "an endpoint's device that no file could name" 'device name "\xffx" is not UTF-8' \
	sw h1 endpoint add x tenant red mac 02:00:00:00:00:01 dev "$name"
refused "an underlay's" 'device name "\xffx" is not UTF-8' sw h2 switch up dev "$name"
ip -n h1 link del plain
check_fails "of which nothing is there" test -e /sys/fs/bpf/tsw/$bad
printf 'tenant add %s id 9\n' $bad >$WORK/batch
refused "in a batch" "line 1: tenant add \"r\\xe2\\x80\\xaed\" id \"9\": $said" sw h1 -b $WORK/batch
out=$(sw h1 -j tenant add $bad id 1 2>/dev/null || true)
check "as JSON" grep -qF "$said" <(gojq -r .error <<<"$out")
printf '{"format":1,"hosts":[{"name":"h1","ip":["192.0.2.1"]}],
	"tenants":[{"name":"r\\u202ed","id":100}]}' >$WORK/state
refused "in a state" "tenants[0].name: $said" sw h1 apply $WORK/state
check "what is seen is taken" sw h1 -b - <<-END
	tenant add grün id 11
	tenant add 红色 id 12
	tenant add أحمر id 13
	tenant add 🐧 id 14
	tenant del grün
	tenant del 红色
	tenant del أحمر
	tenant del 🐧
END

# ---- one that is there already -----------------------------------------------------

container red a h1 10.0.0.1/24
container red b h1 10.0.0.2/24
sw h1 endpoint add cxxx tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 host h2xxx
sw h1 tenant add xxxred id 200
sw h1 gateway add xxxred ip 10.9.0.254/24 host h2xxx
is "no warning" "$(js h1 switch check '[.warnings[].what]')" '[]'
pins() { for map; do map_pin h1 "$map"; done; }
mapfile -t pinned < <(pins tenants tenant_ids hosts host_ids endpoints)
"$PY" "$TOOLS/rename.py" xxxred '\u202ered' "${pinned[@]}"
"$PY" "$TOOLS/rename.py" h2xxx 'h2\u200b' "${pinned[@]}"
"$PY" "$TOOLS/rename.py" cxxx 'c\ufeff' "${pinned[@]}"
tenant=$'\xe2\x80\xaered' host=$'h2\xe2\x80\x8b' ep=$'c\xef\xbb\xbf'
is "check warns of each" "$(sw h1 -j switch check | gojq -c '[.warnings[] |
	select(.what == "hidden_name").object | explode[-4:]]')" \
	'[[8238,114,101,100],[104,50,8203],[100,47,99,65279]]'
seen() { # DESC CMD...: nothing of it is printed as it is, in text or JSON, and all is there
	local desc=$1 text json

	shift
	text=$(sw h1 -s "$@" 2>&1 || true)
	json=$(sw h1 -s -j "$@" 2>&1 || true)
	check "$desc: text, escaped" grep -qP '(\\+x(e2|80|ae|8b|ef|bb|bf)){3}' <<<"$text"
	check "$desc: JSON, escaped" grep -qP '\\u(202e|200b|feff)' <<<"$json"
	check_fails "$desc: nothing else" grep -P '[^\x00-\x7f]' <<<"$text$json"
}
for words in "tenant show" "host show" "endpoint show" "gateway show" "stats show" "switch check" \
	metrics "gateway place central host h1"; do
	# shellcheck disable=SC2086
	seen "$words" $words
done
seen "trace" trace from a to "$ep"
for words in graph save; do
	out=$(sw h1 $words 2>$WORK/err)
	check_fails "$words" grep -qP '[^\x00-\x7f]' <<<"$out"
	check "$words: it is there" grep -qP '\\\\xe2|\\u202e' <<<"$out"
done
is "save tells of them" "$(grep -cF '3 names have invisible characters, for example "h2\xe2\x80\x8b"' \
	$WORK/err)" 1
out=$(sw h1 top interval 1 2>&1)
check_fails "top" grep -qP '[^\x00-\x7f]' <<<"$out"
is "JSON is the name itself" "$(js h1 tenant show '.[1].name')" "$tenant"
is "save, too" "$(sw h1 save 2>/dev/null | gojq -r '.tenants[1].name')" "$tenant"
eval "name=$(sw h1 gateway place central host h1 | grep -oP "(?<=gateway set )\S+")"
is "a shell reads what place prints" "$name" "$tenant"

bg h1 "$TSW" -i h1 monitor tenant red
bg_monitor=$BG_LOG
is_watched() { map_dump h1 watch | gojq -e '.[0].value[4] != "0x00"'; }
retry 5 is_watched
bg red-a ping -n -q -i 0.1 -W 1 10.0.0.3
check "monitor" retry 5 grep -qF 'host h2\xe2\x80\x8b' $bg_monitor
timeout $((10 * ${TSW_SLOW:-1})) "$TSW" -n h1 -q capture tenant red count 4 >$WORK/pcap
check "capture's comments" grep -qaF 'host h2\xe2\x80\x8b' $WORK/pcap
check_fails "have nothing else" grep -qaF $'\xe2\x80\x8b' $WORK/pcap

# ---- and is worked with ------------------------------------------------------------

check "shown by its name" sw h1 endpoint show "$ep" tenant red
check "set" sw h1 tenant set "$tenant" broadcast off
check "moved" sw h1 gateway set "$tenant" host h1
check "deleted: gateway" sw h1 gateway del "$tenant"
sw h1 save 2>/dev/null | sed 's/\\u202ered/green/; s/\\u200b/new/g; s/\\ufeff/new/' >$WORK/state
check_fails "the saved state is refused as it is" sw h1 apply <(sw h1 save 2>/dev/null)
check "renamed by a state with other names" sw h1 apply $WORK/state
is "all of them" "$(js h1 switch check '[.warnings[].what]') $(js h1 endpoint show \
	'.[] | select(.host).name') $(js h1 tenant show '[.[].name]')" '[] cnew ["green","red"]'
"$PY" "$TOOLS/rename.py" green 're\u200b' "${pinned[@]}"
check "deleted by its name" sw h1 tenant del $'re\xe2\x80\x8b'
finish
