#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: OVN: one more port, and a controller that starts again
# Quick: no
#
#    central ─┬─ h1: the new port      s1 … s7, where the hosts are ten: simulated, by a socket
#             ├─ h2
#             └─ h3
#
# N ports are there, in switches of 50. flows: from the command that adds the port until the last
# host has its flows, as each switch reports them. hv: until `ovn-nbctl --wait=hv` is back.
. "$(dirname "$0")/../lib.sh"
# It is checked by itself: beside lib.sh that takes shellcheck minutes and gigabytes.
# shellcheck source=/dev/null
. "$BENCH/ovn.sh"

read -ra PORTS <<<"${OVN_PORTS:-0 1000 5000}"
read -ra COUNTS <<<"${OVN_COUNTS:-3 10 20}"
[ -z "$QUICK" ] || PORTS=(0 500) COUNTS=(3)

scenario ovn 'OVN'
needs ovn-controller ovn-host || exit 0
needs ovn-northd ovn-central || exit 0
topo_hosts h1 h2 h3

hosts() { # N: their names
	seq -f h%g 3
	[ "$1" -le 3 ] || seq -f s%g $(($1 - 3))
}

one() { # PEER
	ovn_one
}
hv() { # PEER
	ovn_hv
}
restart() { # PEER
	ovn_restart h2
}

figure flows 'One more port: until all hosts have its flows' ms less ovn-3 ports
figure hv 'One more port: until ovn-nbctl --wait=hv is back' ms less ovn-3 ports
figure restart 'A controller starts again: until its flows are complete' ms less ovn-3 ports
for count in "${COUNTS[@]}"; do
	mapfile -t names < <(hosts "$count")
	ovn_start "${names[@]}"
	for X in "${PORTS[@]}"; do
		progress "$SCENARIO: $count hosts: $X ports: filling"
		begin=$SECONDS
		ovn_fill "$X"
		remark "$count hosts, $X ports: filled in $((SECONDS - begin)) s," \
			"$(ovn_flows h2) flows on h2"
		FIGURE=flows rounds "ovn-$count" -- one
		FIGURE=hv rounds "ovn-$count" -- hv
		FIGURE=restart rounds "ovn-$count" -- restart
	done
	ovn_stop
done
