#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Message sizes, 1 octet to 64 KiB: what a flow carries, and what a message waits
# Quick: no
#
#    h1 192.0.2.1 ───────────── 192.0.2.2 h2     host: from h1 to h2, no container at all
#      ├ container               container ┤     each other peer: a container on either
#
# qperf's tcp_bw and tcp_lat, on the wire where super-frames cross.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"
APART=1

PEERS=(host tsw tsw-gre bridge routed macvlan tun)
SIZES=(1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536)
[ -z "$QUICK" ] || PEERS=(host tsw bridge) SIZES=(1 1024 65536)

scenario messages 'Message sizes'
needs qperf qperf
topo_hosts h1 h2
peer_make "${PEERS[@]}"
for peer in "${PEERS[@]}"; do
	[ -z "${SKIPPED[$peer]:-}" ] || continue
	at_bg "${TO[$peer]}" qperf
	retry 5 listens "${TO[$peer]}" 19765
done

# With -uu units do not change with the value: octets a second, and ns for half of the way there
# and back.
measure() { # tcp_bw|tcp_lat PEER
	at "${FROM[$2]}" qperf -uu -t "$SECONDS_EACH" -m "$X" "${ADDR[$2]}" "$1" |
		awk '$1 == "bw" { print $3 * 8e-9 } $1 == "latency" { print $3 * 1e-3 }'
}

figure bandwidth 'One flow by message size' Gb/s more host octets log
for X in "${SIZES[@]}"; do rounds "${PEERS[@]}" -- measure tcp_bw; done
figure latency 'A message there and back, half of it' us less host octets log
for X in "${SIZES[@]}"; do rounds "${PEERS[@]}" -- measure tcp_lat; done
