#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: The steps of a frame's way, where its time goes
# Quick: no
#
#    h1 ── container, sends frames of 64 octets       h2 ── container, a socket
#
# What a frame takes from one socket to the other (bench/pps.c, one thread, so one CPU). It goes on
# the host itself; in a container by a program that only redirects, which is the least that a switch
# with programs can take; and by tsw. perf's samples of the kernel (cpu-clock, 4000 a second) take
# it apart. The samples cost all alike.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"

PEERS=(host redirect tsw)
PPS=${TSW%/*}/bench_pps

scenario steps "The steps of a frame's way"
needs perf linux-perf || exit 0
[ -x "$PPS" ] || { echo "steps: no $PPS: run make bench" >&2 && exit 1; }
topo_hosts h1 h2
peer_make "${PEERS[@]}"

# parts: of perf's stacks on its input, the samples in each step, and in all. A sample is the first
# step's that is anywhere in its stack.
parts() {
	awk 'BEGIN { RS = "" }
		/htab_|lookup_nulls_elem|dev_map_hash_lookup/ { n["look-ups in maps"]++; next }
		/bpf_get_hash_recalc|skb_get_hash/ { n["the flow hash"]++; next }
		/bpf_skb_adjust_room/ { n["room for headers"]++; next }
		/tsw_from_wire/ { n["the rest of tsw_from_wire"]++; next }
		/tsw_to_wire/ { n["tsw_to_wire"]++; next }
		/tsw_from_port/ && !/skb_do_redirect/ { n["the rest of tsw_from_port"]++; next }
		{ n["the kernel"]++ }
		END { for (part in n) printf "%s\t%.9f\n", part, n[part] / NR }'
}

# one PEER: nanoseconds of a frame, and what of them is in each step.
one() {
	local sent ns part share

	sent=$(perf record -q -F 4000 -e cpu-clock -g -o $WORK/perf.data -- "$PPS" \
		from ${FROM[$1]} to ${TO[$1]} ip ${ADDR[$1]} mac "$(next_mac $1)" length 64 \
		threads 1 ms $((SECONDS_EACH * 1000)))
	ns=$(jq '1e9 / .received' <<<"$sent")
	sample $1 $ns
	[ $1 = tsw ] || return 0
	perf script -i $WORK/perf.data -F comm,ip,sym 2>/dev/null | parts >$WORK/parts
	while IFS=$'\t' read -r part share; do
		sample "tsw: $part" "$(jq -n "$ns * $share")"
	done <$WORK/parts
}

figure frame 'A frame of 64 octets from socket to socket' ns less host
for ((ROUND = 1; ROUND <= ROUNDS; ROUND++)); do
	for peer in "${PEERS[@]}"; do
		progress "$SCENARIO: $FIGURE: round $ROUND of $ROUNDS: $peer"
		one $peer
	done
done
