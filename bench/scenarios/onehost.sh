#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Two containers of one host
#
#    h1: container ── the peer's network ── container      h2: nothing of this
#
# direct is a veth pair from one container to the other, loopback a flow within one container:
# neither goes through anything.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"

PEERS=(direct loopback tsw redirect bridge docker routed macvlan)
[ -z "$QUICK" ] || PEERS=(direct tsw bridge)
TRIPS=("${PEERS[@]}") # each of which takes sockperf two seconds beside its turn
[ -z "$QUICK" ] || TRIPS=(direct tsw)

scenario onehost 'On one host'
needs iperf3 iperf3
needs sockperf sockperf
topo_hosts h1 h2
peer_make_local "${PEERS[@]}"
peer_serve "${PEERS[@]}"


figure tcp 'One TCP flow on one host' Gb/s more direct
goal tsw direct 1.0
goal tsw bridge 1.10
published 'loopback' 49.2 null 'comparison of container networks, iperf3'
published 'Docker, container to container' 45.8 null 'comparison of container networks, iperf3'
published 'Docker, port mapping' 34.9 null 'comparison of container networks, iperf3'
rounds "${PEERS[@]}" -- peer_flow
figure rr-p50 'TCP request and response, percentile 50' us less direct
rounds "${TRIPS[@]}" -- peer_trip 50.000
