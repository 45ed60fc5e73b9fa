#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Frames a second between two hosts
#
#    h1 192.0.2.1 ───────────── 192.0.2.2 h2     host: from h1 to h2, no container at all
#      ├ sends frames          a socket    ┤     each other peer: a container on either
#
# UDP in whole frames, as fast as they go (bench/pps.c); told is what came. Octets are those of the
# Ethernet frame, headers included, that the container sends. On a veth each frame goes all of its
# way, to the far socket, in the time of the CPU that sends it: a thread is a CPU.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"

PEERS=(host tsw tsw-gre redirect bridge routed macvlan)
LENGTHS=(64 512 1024 $((PEER_MTU + 14))) THREADS=(1 2)
[ -z "$QUICK" ] || PEERS=(host tsw bridge) LENGTHS=(64) THREADS=(1)
PPS=${TSW%/*}/bench_pps

scenario packets 'Frames a second'
[ -x "$PPS" ] || { echo "packets: no $PPS: run make bench" >&2 && exit 1; }
topo_hosts h1 h2
peer_make "${PEERS[@]}"

received() { # THREADS PEER
	"$PPS" from ${FROM[$2]} to ${TO[$2]} ip ${ADDR[$2]} mac "$(next_mac $2)" length $X \
		threads $1 ms $((SECONDS_EACH * 1000)) | jq .received
}

for threads in "${THREADS[@]}"; do
	figure threads-$threads "Frames a second, threads: $threads" 1/s more host octets log
	goal tsw host 0.95
	goal tsw bridge 1.5
	[ $threads = 1 ] || published 'pktgen' 121185 null 'pktgen, two threads' 1024
	for X in "${LENGTHS[@]}"; do
		rounds "${PEERS[@]}" -- received $threads
	done
done
