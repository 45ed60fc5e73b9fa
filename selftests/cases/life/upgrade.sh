#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: life/lost-pins upgrades a switch; unit_migrate and packet_migrate compare its maps
# alone: it counts what is lost
# `switch upgrade` again and again on both hosts, while every way through the switch is in use.
# Nothing is lost, comes twice, or is dropped. On a machine so busy that queues of the kernel
# overrun, as many frames may be lost as these queues refused.
#
#   red-a 10.0.0.1 ── h1 ╤═ underlay ═╤ h2 ── red-c 10.0.0.3     10,000 datagrams a second each
#                        │                                       way, TCP each way
#        out 203.0.113.9 ┴ up0, the gateway of red               as many from red-c, TCP, queries
#
# TSW_UPGRADES=N: that many in each place; TSW_RATE: datagrams a second, all else in proportion.
# With TSW_QUICK there is one place, where each host is attached another way; without, one for each.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

UPGRADES=${TSW_UPGRADES:-${TSW_QUICK:+3}} # on each host
UPGRADES=${UPGRADES:-100} RATE=${TSW_RATE:-10000}

# transfer NAME FROM TO ADDRESS: one after the other until $WORK/over is there, each compared by its
# hash. Paced, since what overruns the queue of a veth with XDP is the driver's loss.
transfer() {
	local n=0

	while [ ! -e $WORK/over ]; do
		"$PY" "$TOOLS/xfer.py" "${@:2}" bytes=$((RATE * 200)) wait=20 \
			pace=$((RATE * 4000)) || return 1
		n=$((n + 1))
	done >"$WORK/$1" 2>&1
	echo "$n transfers" >>"$WORK/$1"
}
transfer_start() {
	transfer "$@" &
	TRANSFERS[$1]=$!
	undo kill $!
}
declare -A TRANSFERS STREAMS
stream_start() { # NAME FROM TO ADDRESS [ARG...]
	bg h1 "$PY" "$TOOLS/stream.py" "${@:2}"
	STREAMS[$1]="$BG $BG_LOG"
	retry 5 grep -q ready "$BG_LOG"
}
upgrade() { # HOST: all of them; on stdout the numbers of those that failed
	local i

	for ((i = 1; i <= UPGRADES; i++)); do
		sw "$1" -q -f switch upgrade || echo $i
	done
}
# What the programs on this host are, by number.
programs() { bpftool -j prog show pinned /sys/fs/bpf/tsw/"$1"/progs/tsw_from_port | gojq .id; }

dropped() { # by the programs, and by nftables at the gateway
	all_drops h1
	all_drops h2
	router h1 nft -j list counters table inet tsw |
		gojq -c '.nftables[].counter | values | [.name, .packets]'
}

# few DESC N [EACH]: of what was sent N are missing: none, or no more than queues overran by, where
# each frame is up to EACH of them.
few() { check "$1" test "$2" -ge 0 -a "$2" -le $((OVERRAN * ${3:-1})); }

stream_ends() { # DESC PID LOG
	local status=0 told

	wait $2 || status=$?
	told=$(tail -n 1 "$3")
	case $status in
	0 | 3) few "$1: each datagram came, once" "$(grep -o '[0-9]* lost' <<<"$told" | cut -d' ' -f1)" ;;
	*) not_ok "$1: each datagram came, once" ;;
	esac
	note "$1: $told"
}

traffic_ends() { # DESC
	local name status

	touch $WORK/over
	kill $SERIES
	for name in "${!STREAMS[@]}"; do kill "${STREAMS[$name]% *}"; done
	for name in "${!TRANSFERS[@]}"; do
		status=0
		wait ${TRANSFERS[$name]} || status=$?
		is "$1: TCP $name arrives whole" $status 0
		note "$1: TCP $name: $(tail -n 1 "$WORK/$name")"
	done
	wait $SERIES || true
	OVERRAN=$(($(overran) - OVERRAN))
	[ $OVERRAN = 0 ] || note "$1: queues had no place for $OVERRAN frames"
	for name in "${!STREAMS[@]}"; do
		# shellcheck disable=SC2086 # two words
		stream_ends "$1: $name" ${STREAMS[$name]}
	done
	few "$1: by the gateway every ping and every query is answered" \
		"$(awk '$3 ~ /ping|udp|query/ { n += $7 } END { print n + 0 }' "$SERIES_LOG")"
	note "$1: by the gateway: $(grep ' got ' "$SERIES_LOG" | tr '\n' ';')"
}

# upgrades DESC: with all that traffic
upgrades() {
	local desc=$1 before after drops began host

	reach red-a 10.0.0.3
	reach red-c $SERVER4
	quiet h1 h2
	drops=$(dropped)
	for host in h1 h2; do before+=" $(programs $host)"; done
	OVERRAN=$(overran)
	rm -f $WORK/over
	bg h1 "$PY" "$TOOLS/series.py" out red-c $SERVER4 rate=$((RATE / 100)) \
		kinds=ping,udp,query
	SERIES=$BG SERIES_LOG=$BG_LOG
	retry 10 grep -q ready "$SERIES_LOG"
	stream_start "a to c" red-a red-c 10.0.0.3 rate="$RATE"
	stream_start "c to a" red-c red-a 10.0.0.1 rate="$RATE"
	stream_start "c to the world" red-c out $SERVER4 rate="$RATE"
	transfer_start "c to a" red-c red-a tcp 10.0.0.1
	transfer_start "a to c" red-a red-c tcp fd00::3
	transfer_start "c to the world" red-c out tcp $SERVER4
	began=${EPOCHREALTIME/./}
	upgrade h1 >$WORK/up.h1 2>&1 &
	upgrade h2 >$WORK/up.h2 2>&1
	wait $!
	note "$desc: $UPGRADES times on each host in $(((${EPOCHREALTIME/./} - began) / 1000)) ms"
	traffic_ends "$desc"
	is "$desc: no upgrade failed" "$(cat $WORK/up.h1 $WORK/up.h2)" ""
	is "$desc: nothing was dropped" "$(dropped)" "$drops"
	for host in h1 h2; do after+=" $(programs $host)"; done
	check "$desc: the programs are others" test "${before% *}" != "${after% *}" -a \
		"${before##* }" != "${after##* }"
	quiet h1 h2
	few "$desc: h2 has counted the packets of h1" \
		$(($(stat_of h1 red tunnel_tx) - $(stat_of h2 red tunnel_rx))) 64
	few "$desc: and its octets" \
		$(($(stat_of h1 red tunnel_tx bytes) - $(stat_of h2 red tunnel_rx bytes))) 65536
	few "$desc: and h1 the packets of h2" \
		$(($(stat_of h2 red tunnel_tx) - $(stat_of h1 red tunnel_rx))) 64
	check "$desc: h1 and h2 are in order" healthy h1 h2
}

# place DESC WORDS1 WORDS2: h1 is up with the first words, h2 with the others
place() {
	topo_hosts h1 h2
	outside h1
	UP_ARGS=$2 switch_up h1
	UP_ARGS=$3 switch_up h2
	tenants red 100
	container red a h1 10.0.0.1/24 fd00::1/64
	container red c h2 10.0.0.3/24 fd00::3/64
	gateway red h1
	leave red-c
	upgrades "$1"
	run_undo
}

tcx=tcx
[ "$("$TSW" -j features | gojq .tcx)" = true ] || tcx=clsact
if [ -n "${TSW_QUICK:-}" ]; then
	place "$tcx with XDP in the driver, clsact with generic XDP" \
		"attach $tcx xdp native" "attach clsact xdp generic"
else
	for words in "attach $tcx xdp off" "attach clsact xdp off" "attach $tcx xdp generic" \
		"attach $tcx xdp native"; do
		place "$words" "$words" "$words"
	done
fi
finish
