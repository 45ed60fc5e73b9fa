#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One TCP flow between two hosts: tsw and Linux' bridge + vxlan beside the host itself, turn by
# turn in one run, since a machine's speed drifts. Prints medians, spread, and ratios.
#
#    h1 192.0.2.1 ───────────── 192.0.2.2 h2     host: from h1 to h2
#      ├ red-a 10.0.0.1         red-c 10.0.0.3 ┤ tsw
#      ├ lin-a 10.1.0.1 br0 vx0 lin-c 10.1.0.3 ┤ bridge: bridge + vxlan device
#      └ rt-a  10.2.1.2         rt-c  10.2.2.2 ┘ routed: no overlay at all, the hosts route
#
# routed is what a container costs by itself: no overlay can be expected above it.
#
# On two wires: `offload`, a veth as it is, where super-frames cross; and `frames`, without
# segmentation offload, where frames of at most the MTU cross and the receiver's GRO works.
# ROUNDS (5) and SECONDS_EACH (2) may be set.
# shellcheck disable=SC1091,SC2034,SC2086 # as in selftests/.shellcheckrc
. "$(dirname "$0")/../selftests/lib.sh"
. "$(dirname "$0")/lib.sh"
trap run_undo EXIT

peer_bridge() { # HOST REMOTE NAME ADDRESS
	local host=$1 ns=lin-$3

	netns "$ns"
	ip -n "$host" link add br0 mtu 1450 type bridge
	ip -n "$host" link add vx0 mtu 1450 type vxlan id 300 dstport 8472 local "${VTEP[$host]}" \
		remote "$2"
	ip -n "$host" link add "$ns" mtu 1450 type veth peer name eth0 mtu 1450 netns "$ns"
	ip -n "$host" link set vx0 master br0 up
	ip -n "$host" link set "$ns" master br0 up
	ip -n "$host" link set br0 up
	ip -n "$ns" addr add "$4/24" dev eth0
	ip -n "$ns" link set eth0 up
}

peer_routed() { # HOST REMOTE NAME NET REMOTE_NET
	local host=$1 ns=rt-$3

	netns "$ns"
	ip -n "$host" link add "$ns" mtu 1450 type veth peer name eth0 mtu 1450 netns "$ns"
	ip -n "$host" addr add "10.2.$4.1/24" dev "$ns"
	ip -n "$host" link set "$ns" up
	ip -n "$ns" addr add "10.2.$4.2/24" dev eth0
	ip -n "$ns" link set eth0 up
	ip -n "$ns" route add default via "10.2.$4.1"
	ip -n "$host" route add "10.2.$5.0/24" via "$2"
	sysctl_in "$host" net.ipv4.ip_forward=1
}

topo_hosts h1 h2
switch_up
tenants red 100
container red a h1 10.0.0.1/24
container red c h2 10.0.0.3/24
peer_bridge h1 192.0.2.2 a 10.1.0.1
peer_bridge h2 192.0.2.1 c 10.1.0.3
peer_routed h1 192.0.2.2 a 1 2
peer_routed h2 192.0.2.1 c 2 1
serve h2 red-c lin-c rt-c
reach h1 192.0.2.2 && reach red-a 10.0.0.3 && reach lin-a 10.1.0.3 &&
	reach rt-a 10.2.2.2

longest() { # of the frames that leave h1 for red-c, as a proof of what the wire is
	capture wire h1 eth0 -Q out udp port 4789
	on red-a iperf3 -c 10.0.0.3 -n 2M >/dev/null
	capture_stop wire
	tcpdump -Z root -e -n -t -r $WORK/wire.pcap 2>/dev/null |
		sed -nE 's/.*, length ([0-9]+): 192\..*/\1/p' | sort -n | tail -1
}
for wire in offload frames; do
	offloads eth0 "$([ $wire = offload ] && echo on || echo off)" h1 h2
	echo "wire $wire: longest frame on it $(longest) octets"
	: >$WORK/runs
	for ((round = 0; round < ROUNDS; round++)); do
		echo "host $(gbits h1 192.0.2.2)
			tsw $(gbits red-a 10.0.0.3)
			bridge $(gbits lin-a 10.1.0.3)
			routed $(gbits rt-a 10.2.2.2)" >>$WORK/runs
	done
	summary $WORK/runs host tsw bridge routed
done
FINISHED=1
