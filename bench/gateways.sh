#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Many tenants send to the world at once, each by its gateway, from four hosts: all gateways on
# one host, spread over the hosts, or everywhere. What each tenant gets, and how fair that is.
#
#   t1 10.0.0.1, t5 … ─ h1 192.0.2.1 ─╮          ╭─ h1 198.51.100.1 ─╮
#   t2 10.0.0.1, t6 … ─ h2 192.0.2.2 ─┤ underlay │  h2 198.51.100.2 ─┤ uplinks, ─ world
#   t3 10.0.0.1, t7 … ─ h3 192.0.2.3 ─┤          │  h3 198.51.100.3 ─┤ RATE each  198.51.100.254
#   t4 10.0.0.1, t8 … ─ h4 192.0.2.4 ─╯          ╰─ h4 198.51.100.4 ─╯
#
# The hosts of the published comparison had a NIC each. Here all of them share the CPUs of one
# machine, so each uplink is held to a fixed rate (tbf, frames of at most the MTU): four have four
# times the capacity of one, as four NICs have. What is measured is who gets how much of it, not how
# fast a host can be.
#
#   central     all gateways on h1
#   spread      where `tsw gateway place spread` puts them; a tenant's container is mostly elsewhere
#   everywhere  each host serves the tenants that it has containers of
#
# COUNTS (5 10 20 50 100 tenants), ROUNDS (3), SECONDS_EACH (5), RATE (80mbit) may be set, and
# WAYS (tsw): `tsw routed` measures also the same without tsw, containers with addresses of their
# own and routes to the host that masquerades. Figures are medians over the rounds, in which the
# placements take turns; the ratio is spread, or everywhere, to central. -j prints JSON instead.
# shellcheck disable=SC1091,SC2034,SC2046,SC2059,SC2086 # as in selftests/.shellcheckrc; words
. "$(dirname "$0")/../selftests/lib.sh"

COUNTS=${COUNTS:-5 10 20 50 100} ROUNDS=${ROUNDS:-3} SECONDS_EACH=${SECONDS_EACH:-5}
RATE=${RATE:-80mbit} WAYS=${WAYS:-tsw}
PLACEMENTS="central spread everywhere"
WORLD=198.51.100.254
declare -A PUBLISHED=([5]=1.98 [10]=2.72 [20]=2.68 [50]=4.03 [100]=4.44)
MOST=$(printf '%s\n' $COUNTS | sort -n | tail -1)
trap run_undo EXIT

need() { # TOOL PACKAGE
	command -v $1 >/dev/null || { echo "$0: $1 is missing: install $2" >&2; exit 1; }
}
host_of() { echo h$((($1 - 1) % 4 + 1)); } # TENANT'S NUMBER

# ---- the hosts -----------------------------------------------------------------------

uplink() { # N
	ip -n h$1 link add up0 type veth peer name h$1 netns world
	ip -n world link set h$1 master br0 up
	ip -n h$1 addr add 198.51.100.$1/24 dev up0
	ip -n h$1 link set up0 up
	on h$1 ethtool -K up0 tso off gso off >/dev/null
	on h$1 tc qdisc add dev up0 root tbf rate $RATE burst 16k limit 256k
}

topo() {
	local n

	topo_hosts h1 h2 h3 h4
	netns world
	ip -n world link add br0 type bridge mcast_snooping 0
	ip -n world addr add $WORLD/24 dev br0
	ip -n world link set br0 up
	for n in 1 2 3 4; do uplink $n; done
}

# ---- by tsw ----------------------------------------------------------------------------

on_all() { # FILE
	local host

	for host in "${HOSTS[@]}"; do sw $host -b $1; done
}

# The gateways of tenants FROM to TO, on h1, and where `place` would have so many of them.
gateways() { # FROM TO
	local n

	for ((n = $1; n <= $2; n++)); do echo "gateway add t$n ip 10.0.0.254/24 host h1"; done \
		>$WORK/add
	on_all $WORK/add
	for ((n = 1; n <= $2; n++)); do echo "gateway set t$n host h1"; done >$WORK/central.$2
	{
		cat $WORK/central.$2
		sw h1 gateway place spread | sed 's/^tsw //'
	} >$WORK/spread.$2
	for ((n = 1; n <= $2; n++)); do echo "gateway set t$n host none"; done >$WORK/everywhere.$2
}

setup_tsw() {
	local n from=1

	switch_up
	for ((n = 1; n <= MOST; n++)); do echo "tenant add t$n id $n"; done >$WORK/tenants
	on_all $WORK/tenants
	for ((n = 1; n <= MOST; n++)); do
		container t$n a $(host_of $n) 10.0.0.1/24
		ip -n t$n-a route add default via 10.0.0.254
	done
	for n in $(printf '%s\n' $COUNTS | sort -n); do # before any traffic: by number
		gateways $from $n
		from=$((n + 1))
	done
}

place_tsw() { on_all $WORK/$1.$2; } # PLACEMENT COUNT

senders_tsw() { for ((n = 1; n <= $1; n++)); do echo t$n-a; done; } # COUNT

# ---- by routes -------------------------------------------------------------------------

setup_routed() {
	local n host other

	for host in "${HOSTS[@]}"; do
		sysctl_in $host net.ipv4.ip_forward=1
		on $host nft add table ip nat
		on $host nft add chain ip nat out '{ type nat hook postrouting priority 100; }'
		on $host nft add rule ip nat out oifname up0 ip saddr 10.8.0.0/16 masquerade
	done
	for ((n = 1; n <= MOST; n++)); do
		host=$(host_of $n)
		netns r$n
		ip -n $host link add r$n mtu 1450 type veth peer name eth0 mtu 1450 netns r$n
		ip -n $host addr add 10.8.$n.1/24 dev r$n
		ip -n $host link set r$n up
		ip -n r$n addr add 10.8.$n.2/24 dev eth0
		ip -n r$n link set eth0 up
		ip -n r$n route add default via 10.8.$n.1
		ip -n $host rule add from 10.8.$n.0/24 lookup $((1000 + n))
		for other in "${HOSTS[@]}"; do
			[ $other = $host ] || ip -n $other route add 10.8.$n.0/24 via ${VTEP[$host]}
		done
	done
}

# spread: each tenant's at the host behind its own, so that none is at home.
place_routed() { # PLACEMENT COUNT
	local n host to

	for ((n = 1; n <= $2; n++)); do
		host=$(host_of $n)
		case $1 in
		central) to=h1 ;;
		spread) to=$(host_of $((n + 1))) ;;
		everywhere) to=$host ;;
		esac
		[ $to = $host ] && to="dev up0" || to="via ${VTEP[$to]}"
		ip -n $host route replace 198.51.100.0/24 $to table $((1000 + n))
	done
}

senders_routed() { for ((n = 1; n <= $1; n++)); do echo r$n; done; } # COUNT

# ---- measuring -------------------------------------------------------------------------

# Reno's flows share one queue evenly within seconds; cubic's need longer.
measure() { # WAY PLACEMENT COUNT
	place_$1 $2 $3
	"$PY" $TOOLS/crowd.py --server world --address $WORLD --seconds $SECONDS_EACH \
		--congestion reno $(senders_$1 $3) |
		jq -c "{way: \"$1\", placement: \"$2\", tenants: $3, rates: map(. / 1e6)}"
}

run() {
	local round count way placement

	for count in $COUNTS; do
		for ((round = 0; round < ROUNDS; round++)); do
			for way in $WAYS; do
				for placement in $PLACEMENTS; do
					measure $way $placement $count
				done
			done
		done
	done
}

# One object for each way, number of tenants and placement.
summary() {
	jq -s '
		def median: sort | .[length / 2 | floor];
		def jain: (add * add) / (length * (map(. * .) | add));
		map(.mean = (.rates | add / length) | .least = (.rates | min) |
			.jain = (.rates | jain)) |
		group_by([.way, .tenants]) | map(
			(map(select(.placement == "central").mean) | median) as $central |
			group_by(.placement)[] | {
				way: .[0].way, tenants: .[0].tenants, placement: .[0].placement,
				mbit: map(.mean) | median, mbit_min: map(.mean) | min,
				mbit_max: map(.mean) | max, least: map(.least) | median,
				jain: map(.jain) | median, ratio: ((map(.mean) | median) / $central)
			})' $WORK/runs
}

# The cells of one line: Mb/s (ratio, index).
cells() { # WAY COUNT
	jq -r --arg way $1 --argjson count $2 '
		def two: . * 100 | round / 100;
		def cell: if .placement == "central" then "\(.mbit | two) (\(.jain | two))"
			else "\(.mbit | two) (\(.ratio | two), \(.jain | two))" end;
		map(select(.way == $way and .tenants == $count) | {key: .placement, value: cell}) |
		from_entries | [.central, .spread, .everywhere] | @tsv' $WORK/summary
}
table() {
	local way count format='  %7s %18s %22s %22s %10s\n'

	echo "four uplinks of $RATE (tbf), each standing for a host's NIC; median of $ROUNDS rounds"
	for way in $WAYS; do
		echo "$way, Mb/s of each tenant (ratio to central, Jain's index)"
		printf "$format" tenants central spread everywhere published
		for count in $COUNTS; do
			cells $way $count | awk -F'\t' -v f="$format" -v n=$count \
				-v p="${PUBLISHED[$count]:--}" '{ printf f, n, $1, $2, $3, p }'
		done
	done
}

need "$PY" python3
need tc iproute2
need ethtool ethtool
need jq jq
case $WAYS in *routed*) need nft nftables ;; esac
topo
# routed first: devices that tsw makes forward do so for its tenants alone.
for way in $(printf '%s\n' $WAYS | sort); do setup_$way; done
run >$WORK/runs
summary >$WORK/summary
if [ "${1:-}" = -j ]; then jq . $WORK/summary; else table; fi
FINISHED=1
