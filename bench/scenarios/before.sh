#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Today's switch beside one from before
# Quick: no
#
#    h1 ── containers a, b         h2 ── container c             tsw: this tree's
#    before-h1 ── a, b             before-h2 ── c                before: that of TSW_BEFORE
#
# What a change costs the frames that it does not concern. The older switch is built elsewhere:
#
#    git clone . /tmp/before && git -C /tmp/before checkout COMMIT && make -C /tmp/before all
#    TSW_BEFORE=/tmp/before/build/tsw bench/run before
#
# It has to know the commands that make a tenant and an endpoint.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"
APART=1

PEERS=(before tsw)
PPS=${TSW%/*}/bench_pps

scenario before "Today's switch beside one from before"
[ -x "${TSW_BEFORE:-}" ] || {
	skip_peer before 'TSW_BEFORE does not name the tsw of another tree'
	exit
}
needs iperf3 iperf3
needs sockperf sockperf
[ -x "$PPS" ] || { echo "before: no $PPS: run make bench" >&2 && exit 1; }

boxes() { # PEER: its containers, on $A and $B
	tenants $1 100
	tsw_box $1 a $A 10.0.0.1/24
	tsw_box $1 b $A 10.0.0.2/24
	tsw_box $1 c $B 10.0.0.3/24
	place 0 $1-b
	ends $1 $1-a $1-c 10.0.0.3
}
between_tsw() {
	peer_switch
	boxes tsw
}
between_before() {
	local TSW=$TSW_BEFORE HOSTS=("$A" "$B")

	switch_up
	boxes before
}

# To the container of the same host, in place of the other's.
here_flow() { gbits $1-a 10.0.0.2; } # PEER
here_trip() { trip $1-a 10.0.0.2 50.000; } # PEER

frames() { # IP NAME PEER: a second, that came to the container NAME
	ADDR[$3]=$1
	"$PPS" from $3-a to $3-$2 ip $1 mac "$(next_mac $3)" length 64 \
		threads 1 ms $((SECONDS_EACH * 1000)) | jq .received
}

# of ID TITLE UNIT more|less CMD...: a figure, which may be a thirtieth worse than before.
of() {
	figure "$1" "$2" "$3" $4 before
	goal tsw before "$([ $4 = more ] && echo 0.97 || echo 1.03)"
	rounds "${PEERS[@]}" -- "${@:5}"
}

topo_hosts h1 h2
peer_make "${PEERS[@]}"
peer_serve "${PEERS[@]}"
for peer in "${PEERS[@]}"; do
	reach $peer-a 10.0.0.2
	serve $peer-b
	answer $peer-b
done

for wire in offload frames; do
	peer_wire $wire
	of tcp-$wire "One TCP flow, wire: $wire" Gb/s more peer_flow
done
of rr 'TCP request and response, percentile 50' us less peer_trip 50.000
of frames 'Frames of 64 octets' 1/s more frames 10.0.0.3 c
of here-tcp 'One TCP flow on one host' Gb/s more here_flow
of here-rr 'TCP request and response on one host, percentile 50' us less here_trip
of here-frames 'Frames of 64 octets on one host' 1/s more frames 10.0.0.2 b
