#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: failover/flip moves what is connected; packet_gateway_drain has each frame
# alone: it counts what is lost by the millisecond
# A gateway moves from host to host while its tenant talks to a server outside. `gateway set` is
# given on one host after the other, and the traffic goes on in between.
#
#   red-a 10.0.0.1 ── h1 ╮                    ╭ up0 203.0.113.1
#   red-b 10.0.0.2 ── h2 ├ underlay     h1-h3 ┤ up0 203.0.113.2   out 203.0.113.9
#   red-c 10.0.0.3 ── h3 ╯                    ╰ up0 203.0.113.3
#   Each container has, in IPv4 and in IPv6: a ping series, datagrams of one flow, queries from new
#   ports, new TCP connections all the time, a download.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_failover.sh"

# Till all series have gone on; where they have fewer requests and later answers, as much longer.
[ "${TSW_SLOW:-1}" = 1 ] && LONG=4 || LONG=$((15 * TSW_SLOW))
DRAIN=$LONG
three_outside
gateway red h1

# What the switches dropped of red's: on a machine where any answer may take a second that tells
# more of a SYN than its time does.
red_drops() {
	local host

	for host in h1 h2 h3; do
		all_drops $host | sed -n "s/^red /$host /p"
	done
}
series_start() { # [ARG...]
	OVERRAN=$(overran) DROPS=$(red_drops)
	bg h1 "$PY" "$TOOLS/series.py" out red-a,red-b,red-c $SERVER4 $SERVER6 "$@"
	SERIES=$BG SERIES_LOG=$BG_LOG STEPS=0
	retry 10 grep -q ready "$SERIES_LOG"
}
series_on() { # SIGNAL: wait until all have gone on
	STEPS=$((STEPS + 1))
	kill "-$1" $SERIES
	retry 4 grep -qx "on $STEPS" "$SERIES_LOG" || note "after step $STEPS some do not go on"
}
series_end() {
	kill $SERIES
	wait $SERIES || true
	grep ' got ' "$SERIES_LOG" >$WORK/series || true
	OVERRAN=$(($(overran) - OVERRAN))
}
# of KIND FIELD: the sum, or with slowest the greatest, over all series of that kind
of() {
	awk -v kind="$1" -v field="$2" '$3 == kind {
		for (i = 4; i < NF; i++) if ($i == field) {
			sum += $(i + 1)
			if ($(i + 1) > max) max = $(i + 1)
		} } END { print field == "slowest" ? max + 0 : sum + 0 }' \
		$WORK/series
}
most_lost() { awk -v k="$1" '$3 == k && $7 > max { max = $7 } END { print max + 0 }' $WORK/series; }
figures() {
	local kind host

	for kind in ping udp query new load; do
		note "$1: $kind: $(of $kind got) answered, $(of $kind lost) lost, at most $(
			most_lost $kind) in one series, slowest $(of $kind slowest) ms"
	done
	for host in h1 h2 h3; do
		note "$1: drops of $host since the start: $(all_drops $host | tr '\n' ';')"
	done
	[ $OVERRAN = 0 ] || note "$1: queues had no place for $OVERRAN frames"
	awk '$7 > 0' $WORK/series | while read -r line; do note "$line"; done
}

# What a server sends into connections that broke before is dropped beside blue's flood.
no_second_syn() { # DESC
	local desc="$1: and none waits for a second SYN"

	if [ "${TSW_SLOW:-1}" = 1 ]; then
		check "$desc" test "$(of new slowest)" -lt $((OVERRAN > 0 ? 5000 : 1000))
	elif [[ $1 = *'beside that'* ]]; then
		skip "$desc" "too slow here to tell one that is late from one that is lost"
	else
		is "$desc: nothing is dropped" "$(red_drops)" "$DROPS"
	fi
}

# goes_on DESC: what is asked of every move that drains. Where the old host is told first, what
# begins before the new one knows of it is lost, and TCP's SYN comes again after a second. What the
# kernel's queues had no place for, where others have the processors, is nobody's fault here.
goes_on() {
	figures "$1"
	is "$1: not one new connection fails" "$(of new lost)" 0
	if [[ $1 != *'old one first'* ]]; then
		no_second_syn "$1"
		check "$1: no query from a new port is lost" test "$(of query lost)" -le $OVERRAN
	fi
	check "$1: at most one ping of a series is lost" test "$(most_lost ping)" -le $((1 + OVERRAN))
	check "$1: at most one datagram of a flow is lost" test "$(most_lost udp)" -le $((1 + OVERRAN))
	is "$1: the downloads go on" "$(of load lost)" 0
	check "$1: and are what was sent" test "$(of load got)" -gt 300
}

# moves PACE TO HOST...: `gateway set` on these hosts in that order; slowly, all series go on after
# each.
moves() {
	local pace=$1 to=$2 host begin=${EPOCHREALTIME/./}

	shift 2
	for host in "$@"; do
		sw "$host" gateway set red host "$to" ${DRAIN:+drain $DRAIN}
		TOOK=$(((${EPOCHREALTIME/./} - begin) / 1000)) # ms
		[ "$pace" = quickly ] || series_on USR2
	done
	series_on USR1
}

drained() { ! sw "$1" -j gateway show red | grep -q drain; } # HOST

# move_to DESC PACE TO HOST...: all of it, and the time of draining over.
move_to() {
	local desc="$1, $2" host

	series_start
	series_on USR2
	moves "${@:2}"
	check "$desc: the drain is still on" test "$(
		sw "${!#}" -j gateway show red | gojq '.[0].drain // 0')" -gt 0
	series_end
	goes_on "$desc"
	for host in h1 h2 h3; do
		check "$desc: the drain ends on $host" retry 6 drained $host
	done
}
# serves DESC HOST: it alone, for who begins now.
serves() {
	local desc=$1 at=$2 host

	for host in h1 h2 h3; do
		capture up-$host $host up0 port 5000
	done
	is "$desc: the server sees ${at}" \
		"$(exchange $SERVER4 tcp red-a red-b red-c sport=0 port=5000)" \
		"$(for ns in red-a red-b red-c; do echo "$ns 203.0.113.${at#h}"; done)"
	check "$desc: and in IPv6" exchange $SERVER6 udp red-a red-b red-c sport=0 port=5000
	capture_has up-$at 600 || true
	for host in h1 h2 h3; do
		capture_stop up-$host
		[ $host = "$at" ] || is "$desc: nothing of it by $host" "$(captured up-$host)" 0
	done
}

serves "at first" h1
move_to "h1 to h2, the old one last" quickly h2 h2 h3 h1
serves "h1 to h2" h2
move_to "h2 to h1, the old one first" quickly h1 h2 h3 h1
serves "h2 to h1" h1
move_to "h1 to h3, the old one last" slowly h3 h3 h2 h1
serves "h1 to h3" h3
move_to "h3 to everywhere" quickly none h1 h2 h3
is "everywhere: each by its own" "$(exchange $SERVER4 tcp red-a red-b red-c)" \
	"red-a 203.0.113.1"$'\n'"red-b 203.0.113.2"$'\n'"red-c 203.0.113.3"
move_to "everywhere to h2" quickly h2 h2 h3 h1
serves "everywhere to h2" h2

# Without a drain: what has begun is lost, for another host has another address; the rest goes on.
# Pings, 20 a second, or in TSW_SLOW, are lost from one host's command to another's: there is
# time for more than one where a command takes as long as on an emulated machine.
DRAIN=''
series_start
series_on USR2
moves quickly h1 h1 h2 h3
series_end
figures "h2 to h1 without drain"
check "without drain: new connections go on, at most the one that was just begun is lost" \
	test "$(most_lost new)" -le 1
is "without drain: each download breaks" "$(of load lost)" 6
lost=1
[ "${TSW_SLOW:-1}" = 1 ] || lost=$((1 + TOOK * 20 / TSW_SLOW / 1000))
check "without drain: ping goes on, at most $lost lost" test "$(most_lost ping)" -le $lost
serves "without drain" h1

# Where new flows are noted is one table for all tenants. Blue's gateway moves as well, and its
# endpoints fill that table on both hosts, again and again.
for host in h1 h2 h3; do sw $host tenant add blue id 200; done
containers blue "a@h1 b@h2"
leave blue-a blue-b
gateway blue h1
for host in h2 h3 h1; do sw $host gateway set blue host h2 drain 600; done
to_gateway="eth dst=$(sw h1 -j gateway show blue | gojq -r '.[0].mac')"
for end in a:1 b:2; do
	bg h1 "$PY" "$TOOLS/spray.py" blue-${end%:*} eth0 100000000 $to_gateway \
		src=02:00:00:00:00:0${end#*:} / ip src=10.0.0.${end#*:} dst=198.18.0.1 / \
		tcp sport=1 dport=9 flags=S +sport +dst
done
full() { # HOST
	[ "$(sw "$1" metrics | awk '/^tsw_map_entries.*tsw_flows/ { print $NF }')" -gt 60000 ]
}
for host in h1 h2; do check "blue fills the table on $host" retry 60 full $host; done
DRAIN=$LONG
move_to "h1 to h2 beside that" quickly h2 h2 h3 h1
for host in h1 h2 h3; do
	check "$host is in order" healthy $host
done
finish
