#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Second half of case gateway/cli: kills, somebody else's flush, and scale. Uses the case's h1.

. "$LIB/lib_kill.sh"
# An index is another's when a command is given again.
settled() {
	sw h1 -j gateway show | gojq -c 'map(del(.index, .drain))'
	map_dump h1 marks | gojq length
	map_dump h1 fdb | gojq -c '.[].formatted | [.key, .value.place]' | sort
	map_dump h1 addrs | gojq -c '.[].formatted | del(.value.next)' | sort
	routes
	sw h1 -j switch check | gojq -c .
	sw h1 -j switch show | gojq -c '[.tenants, .hosts, .endpoints]'
}

# kill_case DESC STEP BEFORE CMD: from where the lines BEFORE lead, CMD is killed at every STEPth
# call; given again it ends where it would have ended.
kill_case() {
	local desc=$1 step=$2 before=$3 words after n wrong=()

	read -ra words <<<"$4"
	sw h1 -f -b - <<<"$before" 2>/dev/null || true
	check "$desc" sw h1 "${words[@]}"
	after=$(settled)
	for ((n = 1; ; n = AT + step)); do
		sw h1 -f -b - <<<"$before" 2>/dev/null || true
		killed $n "${words[@]}" || break
		# Any other command has put things in order before the same one comes again.
		[ $((KILLS % 3)) != 0 ] || sw h1 tenant set red mtu 0
		# Its end may be all that the kill took from it.
		sw h1 "${words[@]}" 2>$WORK/err ||
			grep -qE 'has no gateway|already has a gateway' $WORK/err ||
			wrong+=("$n: $(<$WORK/err)")
		[ "$(settled)" = "$after" ] || wrong+=("$n: $(settled | diff - <(cat <<<"$after") || true)")
	done
	is "$desc: killed at every ${step}th of $n calls and completed" \
		"$(printf '%s\n' ${wrong[@]+"${wrong[@]}"})" ""
	check "$desc: there were calls to be killed at" test "$n" -gt $((step + 1))
}
step=${KILL_STEP:-3} # 1: at each call
red="gateway del red"$'\n'"gateway add red ip 10.0.0.254/24 ip fd00::fe/64"
kill_case "the first gateway" "$(every 3 "$step")" "gateway del red" \
	"gateway add red ip 10.0.0.254/24 snat 203.0.113.9"
sw h1 gateway add blue ip 10.0.0.254/24
kill_case "add" $step "gateway del red" "gateway add red ip 10.0.0.254/24 snat 203.0.113.9"
kill_case "add elsewhere" $step "gateway del red" "gateway add red ip 10.0.0.254/24 host h2"
kill_case "addresses and MAC" $step "$red" \
	"gateway set red ip 10.0.0.253/24 ip fd00::fe/64 mac 02:00:00:00:00:fe"
kill_case "another snat" $step "$red snat 203.0.113.9" "gateway set red snat 203.0.113.10"
kill_case "another resolver" $step "$red resolver 203.0.113.9" \
	"gateway set red resolver 203.0.113.10 resolver fd01::9"
kill_case "nat off" $step "$red snat 203.0.113.9" "gateway set red nat off snat none"
kill_case "nat on" $step "$red nat off" "gateway set red nat on snat 203.0.113.9"
kill_case "moved away" $step "$red" "gateway set red host h2 drain 100"
kill_case "moved here" $step "$red host h2" "gateway set red host h1"
kill_case "del" $step "$red snat 203.0.113.9" "gateway del red"
sw h1 gateway del blue
kill_case "del of the last" "$(every 2 "$step")" "$red nat off" "gateway del red"
is "nothing is left" "$(state | sed 1d)" "$(sed 1d <<<"$clean")"

note "$KILLS kills"

# What is not there is not missed: a flushed ruleset.
sw h1 gateway add red ip 10.0.0.254/24
router h1 nft flush ruleset
check_fails "switch check sees that nftables was flushed" sw h1 switch check
check "repaired" sw h1 switch repair
check "switch check finds nothing" sw h1 switch check
router h1 nft flush ruleset
check "del without its table" sw h1 gateway del red
is "nothing is left" "$(state | sed 1d)" "$(sed 1d <<<"$clean")"

# ---- scale ------------------------------------------------------------------------------------

N=10000
lines() { # TEXT: N times, with each number for %
	seq $N | awk -v text="$1" '{ line = text; gsub("%", $1, line); print line }'
}
took() { # CMD...: its milliseconds, the least of three runs, in $MS; undone by $UNDO_CMD
	local start try

	MS=
	for try in 1 2 3; do
		start=${EPOCHREALTIME/./}
		sw h1 "$@"
		start=$(((${EPOCHREALTIME/./} - start) / 1000))
		[ -n "$MS" ] && [ "$MS" -le $start ] || MS=$start
		[ $try = 3 ] || sw h1 gateway del last
	done
}
{ lines "tenant add t% id 2%"; echo "tenant add last id 7"; } >$WORK/tenants
sw h1 -b $WORK/tenants
sw h1 gateway add blue ip 10.0.0.254/24
took gateway add last ip 10.0.0.254/24 ip fd00::fe/64
first=$MS
sw h1 gateway del last
start=${EPOCHREALTIME/./}
lines "gateway add t% ip 10.0.0.254/24 ip fd00::1/64" >$WORK/gateways
check "$N gateways in one batch" sw h1 -b $WORK/gateways
note "$(((${EPOCHREALTIME/./} - start) / 1000)) ms"
is "all are shown" "$(sw h1 -j gateway show | gojq 'map(select(.local)) | length')" $((N + 1))
is "each in nftables" "$(router h1 nft -j list map inet tsw zones |
	gojq '[.nftables[].map.elem | select(.)] | add | length')" $((N + 1))
took gateway add last ip 10.0.0.254/24 ip fd00::fe/64
note "one more: $first ms as the second gateway, $MS ms as the $((N + 2))th"
check "one more costs as much as the second" test "$MS" -le $((3 * first + 20))
check "switch check finds nothing" sw h1 switch check
is "still one device" "$(ip -n h1 -br link | grep -c tsw-gw@)" 1
start=${EPOCHREALTIME/./}
lines "gateway del t%" >$WORK/gateways
check "all of them deleted in one batch" sw h1 -b $WORK/gateways
note "$(((${EPOCHREALTIME/./} - start) / 1000)) ms"
sw h1 gateway del last
sw h1 gateway del blue
is "nothing is left of them" "$(sw h1 -j gateway show; map_dump h1 marks; map_dump h1 addrs |
	gojq length; ip -n h1 -br link | grep -c tsw-gw || true)" $'[]\n[]\n2\n0'

# ---- connections ------------------------------------------------------------------------------

# An index is some other tenant's later: nothing that conntrack knew of it may be left.
netns world
ip -n h1 link set lan1 netns world
ip -n world addr add 198.51.100.2/24 dev lan1
ip -n world link set lan1 up
HOSTS=(h1)
sw h1 tenant del last
sw h1 gateway add blue ip 10.0.0.254/24
sw h1 gateway add red ip 10.0.0.254/24
for tenant in red blue; do
	container $tenant a h1 10.0.0.1/24
	ip -n $tenant-a route add default via 10.0.0.254
	check "$tenant reaches the world by its gateway" reach $tenant-a 198.51.100.2
done
connections() { router h1 sysctl -n net.netfilter.nf_conntrack_count; }
is "conntrack knows both" "$(connections)" 2
sw h1 gateway del blue
is "del forgets that tenant's connections, and no other's" "$(connections)" 1
check "the other still reaches the world" reach red-a 198.51.100.2
before=$(connections)
check "there are connections" test "$before" -gt 0
sw h1 switch down
is "switch down leaves no gateway" "$(ip -n h1 -br link | grep -c tsw-gw || true)" 0
switch_up h1
sw h1 tenant add blue id 4660
sw h1 gateway add blue ip 10.0.0.254/24
is "the first gateway of another switch finds none of the last one's" "$(connections)" 0
