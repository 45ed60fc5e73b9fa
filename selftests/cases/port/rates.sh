#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: packet_limit charges each frame; port/rate-super-frames
# pair: it measures rates
# Rate limits of tenants and endpoints, on what arrives.
#
#   red-a ┬ red-b   local, tunnel: one budget for both      red-c      the same for blue; what one
#         ├ h1 ════════════════════════════════════ h2 ┬    blue-c     tenant does, the other
#  blue-a ┴ blue-b                                     ┴               does not feel
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_wire.sh"

topo_standard
M=$((1000000 / ${TSW_SLOW:-1})) # a slower machine, lower rates

# flow NAME FROM TO KIND ADDRESS [KEY=VALUE...]: in the background; rates: wait for all of them, in
# $RATE[NAME] is then what came, bits a second.
declare -A RATE PID
flow() {
	"$PY" "$TOOLS/rate.py" "${@:2}" >"$WORK/rate.$1" 2>&1 &
	PID[$1]=$!
}
rates() {
	local name

	for name in "${!PID[@]}"; do
		wait "${PID[$name]}" || note "$name: $(<"$WORK/rate.$name")"
		RATE[$name]=$(<"$WORK/rate.$name")
	done
	PID=()
}
# near DESC GOT WANT PERCENT_BELOW PERCENT_ABOVE. An emulated machine may not come to send as much.
near() {
	local desc="$1: $(($2 * 100 / $3)) % of $(($3 / 1000)) kbit/s" least=$((100 - $4))

	[ "${TSW_SLOW:-1}" = 1 ] || least=1
	if [ $(($2 * 100)) -ge $(($3 * least)) ] && [ $(($2 * 100)) -le $(($3 * (100 + $5))) ]
	then ok "$desc"; else not_ok "$desc"; fi
}
# What TCP sends twice counts once here.
TCP='12 7' UDP='5 5'
FREE='40 8' # what a busy machine may not come to send

set_both() { sw h1 tenant set red "$@" && sw h1 tenant set blue "$@"; }
of() { sw h1 -j "$1" show | jq -c --arg n "$2" '.[] | select(.name == $n and
	(.tenant // "red") == "red") | [.rate_out, .rate_in, .burst]'; }

# ---- what is set is shown, and what is refused changes nothing ----------------------------------

check "tenant set" sw h1 tenant set red rate-out 100mbit rate-in 50mbit burst 256k
is "tenant show" "$(of tenant red)" "[100000000,50000000,262144]"
check "endpoint set" sw h1 endpoint set a tenant red rate-out 10mbps
is "endpoint show" "$(of endpoint a)" "[80000000,null,null]"
check "tenant set of one of them" sw h1 tenant set red rate-in none mtu 1400
is "leaves the other" "$(of tenant red)" "[100000000,null,262144]"
refuses "refused: burst 1000" 1 '"1000"' sw h1 tenant set red burst 1000
check_fails "burst without a rate" sw h1 tenant set blue burst 256k
is "nothing has changed" "$(of tenant red)$(of endpoint a)" \
	"[100000000,null,262144][80000000,null,null]"
check "endpoint replace without" sw h1 endpoint replace a tenant red mac 02:00:00:00:00:01 \
	ip 10.0.0.1 ip fd00::1 dev red-a
is "takes them off" "$(of endpoint a)" "[null,null,null]"
check "tenant set none" sw h1 tenant set red rate-out none mtu 0
is "nothing is left" "$(of tenant red)" "[null,null,null]"
is "nor in the map" "$(map_dump h1 limits)" "[]"

# ---- the rate -----------------------------------------------------------------------------------

sw h1 tenant set red rate-out $((20 * M))
sw h1 tenant set blue rate-in $((50 * M))
flow red red-a red-b tcp 10.0.0.2 seconds=8 cc=cubic
flow blue blue-c blue-a tcp 10.0.0.1 seconds=8
rates
near "TCP out, local" "${RATE[red]}" $((20 * M)) $TCP
near "TCP in, from the tunnel, at the same time" "${RATE[blue]}" $((50 * M)) $TCP
sw h1 tenant set blue rate-in none rate-out $((40 * M))
flow red red-a red-b udp 10.0.0.2 skip=1 seconds=4 offer=$((60 * M))
flow blue blue-a blue-c tcp 10.0.0.3 seconds=5 flows=4
rates
near "UDP out, local" "${RATE[red]}" $((20 * M)) $UDP
near "4 flows of TCP out, into the tunnel" "${RATE[blue]}" $((40 * M)) $TCP
# What a busy machine cannot always do.
[ -n "${TSW_QUICK:-}" ] || {
	set_both rate-out none rate-in $((500 * M))
	flow red red-c red-a tcp 10.0.0.1 seconds=8 cc=cubic
	rates
	near "TCP in, from the tunnel" "${RATE[red]}" $((500 * M)) $TCP
}
set_both rate-out none rate-in none

sw h1 tenant set red rate-out $((30 * M))
flow local red-a red-b udp 10.0.0.2 skip=1 seconds=4 offer=$((40 * M))
flow tunnel red-b red-c udp 10.0.0.3 skip=1 seconds=4 offer=$((40 * M))
rates
near "local and tunnel, all endpoints: one budget" $((RATE[local] + RATE[tunnel])) $((30 * M)) $UDP

# ---- whose it is --------------------------------------------------------------------------------

set_both rate-out $((30 * M))
before=$(drops h1 rate_limited blue)
flow red red-a red-c udp 10.0.0.3 skip=1 seconds=4 offer=$((200 * M))
flow blue blue-a blue-c udp 10.0.0.3 skip=1 seconds=4 offer=$((25 * M))
rates
near "a tenant that floods gets its rate" "${RATE[red]}" $((30 * M)) $UDP
near "and another all that it sends" "${RATE[blue]}" $((25 * M)) 15 5
is "of which nothing is dropped" "$(drops h1 rate_limited blue)" "$before"
flow red red-a red-c tcp 10.0.0.3 seconds=6 cc=cubic
flow blue blue-a blue-c tcp 10.0.0.3 seconds=6 cc=cubic
rates
[ "${TSW_SLOW:-1}" != 1 ] ||
	near "equal limits, equal shares" "${RATE[red]}" "${RATE[blue]}" 12 12
set_both rate-out none

# While the tenant's refuses it, its own saves up: with this burst 3.5 % of what is measured.
sw h1 tenant set red rate-out $((30 * M))
sw h1 endpoint set a tenant red rate-out $((10 * M)) burst 128k
flow a red-a red-b udp 10.0.0.2 skip=1 seconds=4 offer=$((40 * M))
flow b red-b red-c udp 10.0.0.3 skip=1 seconds=4 offer=$((40 * M))
rates
near "an endpoint's own limit within its tenant's" "${RATE[a]}" $((10 * M)) 50 5
near "and the tenant's over all" $((RATE[a] + RATE[b])) $((30 * M)) $UDP
sw h1 tenant set red rate-out none
sw h1 endpoint set a tenant red rate-out $((10 * M)) burst none
flow a red-a red-b udp 10.0.0.2 skip=1 seconds=4 offer=$((40 * M))
rates
near "an endpoint's own limit alone" "${RATE[a]}" $((10 * M)) $UDP
sw h1 endpoint set a tenant red rate-out none

# ---- while traffic runs, and what is counted ----------------------------------------------------

octets() { stat_of h1 red local bytes; }
# measured SECONDS: what comes meanwhile, bits a second
measured() {
	local t0=${EPOCHREALTIME/./} o0 t1 o1

	o0=$(octets)
	sleep "$1" # the measure itself, not a wait for anything
	t1=${EPOCHREALTIME/./} o1=$(octets)
	echo $(((o1 - o0) * 8 * 1000000 / (t1 - t0)))
}
"$PY" "$TOOLS/rate.py" red-a red-b udp 10.0.0.2 seconds=60 offer=$((50 * M)) >/dev/null &
undo kill $!
flowing() { [ "$(octets)" -gt "$1" ]; }
check "a stream runs" retry 5 flowing "$(octets)"
near "without a limit" "$(measured 2)" $((50 * M)) $FREE
check "a limit on it" sw h1 tenant set red rate-out $((10 * M))
near "holds at once" "$(measured 3)" $((10 * M)) 6 6
check "another" sw h1 tenant set red rate-out $((25 * M))
near "holds at once" "$(measured 3)" $((25 * M)) 6 6
check "the same of the receiver's" sw h1 tenant set red rate-out none
sw h1 endpoint set b tenant red rate-in $((10 * M))
near "holds at once" "$(measured 3)" $((10 * M)) 6 6
check "none" sw h1 endpoint set b tenant red rate-in none
stop=$(drops h1 rate_limited)
near "is none" "$(measured 2)" $((50 * M)) $FREE
is "and nothing more is dropped" "$(drops h1 rate_limited)" "$stop"
kill $!
wait $! 2>/dev/null || true

quiet h1 h2
# Nobody answers to that address: an answer would be limited as well.
send() { # NS DST N
	inject "$1" eth0 -c "$3" eth src=02:00:00:00:00:01 dst="$2" / ip src=10.0.0.1 dst=10.0.0.9 \
		/ udp dport=9 / pad 958
}
sw h1 tenant set red rate-out 1kbit burst 4500
expect_drops "sent too fast: counted" h1 5 "red rate_limited from_endpoint" \
	send red-a 02:00:00:00:00:02 10
sw h1 tenant set red rate-out none rate-in 1kbit burst 4500
expect_drops "to be delivered too fast: counted" h1 5 "red rate_limited to_endpoint" \
	send red-a 02:00:00:00:00:02 10
expect_drops "broadcast: for each that would get it" h1 10 "red rate_limited to_endpoint" \
	send red-a ff:ff:ff:ff:ff:ff 10
check "another tenant gets all" reach blue-a 10.0.0.2
sw h1 tenant set red rate-in none

# ---- killed at any call, the same words complete it; and what is deleted is gone ----------------

flags() { map_dump h1 ports | gojq -c '[.[] | .formatted | [.key, .value.flags]] | sort'; }
entries() { map_dump h1 limits | jq -c '[.[] | .formatted | [.key, .value.bucket[].rate]] | sort'; }
state() { flags; entries; of tenant red; of endpoint a; }
completes() { # SET... -- UNSET...
	local set=() after n wrong=() begin

	while [ "$1" != -- ]; do set+=("$1") && shift; done
	shift
	begin=$(state)
	sw h1 "${set[@]}"
	after=$(state)
	for ((n = 1; ; n = AT + ${KILL_STEP:-1})); do
		sw h1 "$@"
		[ "$(state)" = "$begin" ] || wrong+=("undo $n")
		killed "$n" "${set[@]}" || break
		# Whoever writes next settles it: either way, and nothing in between.
		sw h1 host set h2 ip 192.0.2.2
		case $(state) in "$begin" | "$after") ;; *) wrong+=("settle $n") ;; esac
		sw h1 "${set[@]}"
		[ "$(state)" = "$after" ] || wrong+=("again $n")
	done
	is "killed at any of $n calls: ${set[*]}" "${wrong[*]-}" ""
	sw h1 "$@"
}
completes tenant set red rate-out 10mbit rate-in 20mbit -- \
	tenant set red rate-out none rate-in none
completes endpoint set a tenant red rate-out 10mbit -- endpoint set a tenant red rate-out none

note "$KILLS kills"

sw h1 tenant set red rate-out 10mbit
sw h1 endpoint set a tenant red rate-in 10mbit
sw h1 endpoint set a tenant red mac 02:00:00:00:00:11
is "limits go with the MAC" "$(of endpoint a) $(map_dump h1 limits | gojq length)" \
	"[null,10000000,null] 2"
sw h1 endpoint del a tenant red
is "endpoint del takes them along" "$(map_dump h1 limits | gojq length)" 1
sw h1 tenant del red force on
is "tenant del too" "$(map_dump h1 limits)" "[]"
finish
