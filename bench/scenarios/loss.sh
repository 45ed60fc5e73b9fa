#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Loss against the host: one TCP flow and round trips between two hosts
#
#    h1 192.0.2.1 ───────────── 192.0.2.2 h2     host: from h1 to h2, no container at all
#      ├ container               container ┤     each other peer: a container on either
#
# On two wires: `offload`, a veth as it is, where super-frames cross; and `frames`, without
# segmentation offload, where frames of at most the MTU cross and the receiver's GRO works.
# routed is what a container costs by itself: no overlay can be expected above it.
#
# The last figures are those of a first try in a virtual machine: both hosts on the same CPUs, with
# nothing bound to one, and idle CPUs asleep or awake.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"
APART=1

PEERS=(host tsw tsw-gre redirect bridge routed macvlan tun ovs)
PERCENTILES=(50.000 99.000) WIRES=(offload frames)
[ -z "$QUICK" ] || PEERS=(host tsw bridge) PERCENTILES=(50.000) WIRES=(frames)
TRIPS=("${PEERS[@]}") # each of which takes sockperf two seconds beside its turn
[ -z "$QUICK" ] || TRIPS=(host tsw)
scenario loss 'Loss against the host'
needs iperf3 iperf3
needs sockperf sockperf
topo_hosts h1 h2
peer_make "${PEERS[@]}"
peer_serve "${PEERS[@]}"

# echoes PEER: milliseconds of an echo request and its answer, the mean, as iputils has it.
echoes() {
	at "${FROM[$1]}" ping -n -q -i 0.002 -c $((400 * SECONDS_EACH)) "${ADDR[$1]}" |
		sed -nE 's/^rtt.*= [0-9.]+\/([0-9.]+).*/\1/p'
}

for wire in "${WIRES[@]}"; do
	peer_wire $wire
	figure tcp-$wire "One TCP flow, wire: $wire" Gb/s more host
	for peer in tsw tsw-gre; do
		goal $peer host 0.98
		goal $peer bridge 1.10
	done
	published 'Docklet (OVS + GRE)' 0.911 0.943 'Docklet, table 1'
	published 'Docker overlay' 0.911 0.943 'Docklet, table 1'
	published 'flannel, vxlan' 0.312 null 'flannel'
	published 'flannel, udp' 0.108 null 'flannel'
	remark "longest frame on the wire $wire: $(longest "${FROM[tsw]}" "${ADDR[tsw]}" h1) octets"
	rounds "${PEERS[@]}" -- peer_flow
done
for percentile in "${PERCENTILES[@]}"; do
	short=${percentile%.*}
	figure rr-p$short "TCP request and response, percentile $short" us less host
	goal tsw host 1.05
	rounds "${TRIPS[@]}" -- peer_trip $percentile
done
[ -z "$QUICK" ] || exit 0
figure ping 'Echo request and answer, mean' ms less host
published 'Docklet (OVS + GRE)' 0.281 0.168 'Docklet, table 1'
published 'Docker overlay' 0.304 0.168 'Docklet, table 1'
rounds "${PEERS[@]}" -- echoes

# segments NS: sent there so far, and how many of them were sent again.
segments() { on "$1" nstat -asz TcpOutSegs TcpRetransSegs | awk 'NR > 1 { print $2 }' | xargs; }

# first PEER: one flow, and of a thousand of its segments those that were sent again.
first() {
	local sent again sent_then again_then

	read -r sent again <<<"$(segments "${FROM[$1]}")"
	peer_flow $1
	read -r sent_then again_then <<<"$(segments "${FROM[$1]}")"
	jq -nr "1000 * ($again_then - $again) / ($sent_then - $sent)" | sed "s/$/ again-$wire-$state/"
}

together "${PEER_HOSTS[@]}" "${TO[@]}"
for wire in offload frames; do
	peer_wire $wire
	for state in asleep awake; do
		idle $state
		figure again-$wire-$state "Of its segments, sent again: CPUs $state, wire: $wire" \
			'in a thousand' less host
		figure first-$wire-$state "One TCP flow, nothing bound, idle CPUs $state, wire: $wire" \
			Gb/s more host
		goal tsw host 0.85
		goal tsw bridge 1.10
		rounds host tsw redirect bridge routed -- first
	done
done
