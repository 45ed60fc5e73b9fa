#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Many tenants at once, on four hosts: out to the world, and between their containers
# Quick: no
#
#   t1-a, t5-a … t4-b ─ h1 192.0.2.1 ─╮          ╭─ h1 198.51.100.1 ─╮
#   t2-a, t6-a … t1-b ─ h2 192.0.2.2 ─┤ underlay │  h2 198.51.100.2 ─┤ uplinks, ─ world
#   t3-a, t7-a … t2-b ─ h3 192.0.2.3 ─┤          │  h3 198.51.100.3 ─┤ RATE each  198.51.100.254
#   t4-a, t8-a … t3-b ─ h4 192.0.2.4 ─╯          ╰─ h4 198.51.100.4 ─╯
#
# What each tenant gets, and how fair that is (Jain's index), both of one measurement.
#
# Out: from a, 10.0.0.1, by its tenant's gateway. The hosts of the published comparison had a NIC
# each. Here all of them share the CPUs of one machine, so each uplink is held to a fixed rate (tbf,
# frames of at most the MTU). Four have four times the capacity of one, as four NICs have. What is
# measured is who gets how much of it, not how fast a host can be.
#
#   central     all gateways on h1
#   spread      where `tsw gateway place spread` puts them; mostly not where the container is
#   everywhere  each host serves the tenants that it has containers of
#
# Between: a and b, 10.0.0.2 on the next host, send to each other, by tsw. Or they do so through a
# second device (10.1.0.1 and .2), by a bridge and a vxlan device for each tenant and host, as
# flannel or Docker's overlay have it. Nothing is held to a rate: it is the CPUs that all share.
#
# COUNTS (of tenants) and RATE may be set.
. "$(dirname "$0")/../lib.sh"

COUNTS=${COUNTS:-5 10 20 50 100} RATE=${RATE:-80mbit}
[ -z "$QUICK" ] || COUNTS=10
COUNTS=$(printf '%s\n' $COUNTS | sort -n)
MOST=${COUNTS##*$'\n'}
PLACEMENTS=(central spread everywhere) PEERS=(tsw bridge)
WORLD=198.51.100.254
# The published figures, by tenants: one gateway host or relay for all, and many.
declare -A OUT_SMALL=([5]=3.47 [10]=1.85 [20]=0.94 [50]=0.33 [100]=0.16)
declare -A OUT_LARGE=([5]=6.88 [10]=5.04 [20]=2.52 [50]=1.33 [100]=0.71)
declare -A IN_SMALL=([5]=307 [10]=116 [20]=55)
declare -A IN_LARGE=([5]=533 [10]=246 [20]=167 [50]=130 [100]=114)

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

world() {
	local n

	netns world
	ip -n world link add br0 type bridge mcast_snooping 0
	ip -n world addr add $WORLD/24 dev br0
	ip -n world link set br0 up
	for n in 1 2 3 4; do uplink $n; done
}

# ---- tenants ---------------------------------------------------------------------------

on_all() { # FILE
	local host

	for host in "${HOSTS[@]}"; do sw $host -b $1 || return; done
}

containers() {
	local n

	for ((n = 1; n <= MOST; n++)); do echo "tenant add t$n id $n"; done >$WORK/tenants
	on_all $WORK/tenants
	for ((n = 1; n <= MOST; n++)); do
		container t$n a $(host_of $n) 10.0.0.1/24
		container t$n b $(host_of $((n + 1))) 10.0.0.2/24
		ip -n t$n-a route add default via 10.0.0.254
	done
}

# gateways FROM TO: theirs, on h1, and files of commands that put those of 1 to TO elsewhere.
gateways() {
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

# bridge_end N NAME ADDRESS HOST OTHER: a second device of container NAME of tenant N, by HOST's
# bridge and vxlan device for that tenant to the host OTHER.
bridge_end() {
	ip -n $4 -batch - <<-END
		link add b$1 mtu 1450 type bridge
		link add x$1 mtu 1450 type vxlan id $1 dstport 8472 local ${VTEP[$4]} \
			remote ${VTEP[$5]}
		link add c$1 mtu 1450 type veth peer name eth1 mtu 1450 netns t$1-$2
		link set x$1 master b$1 up
		link set c$1 master b$1 up
		link set b$1 up
	END
	sysctl_in t$1-$2 net.ipv6.conf.eth1.disable_ipv6=1
	ip -n t$1-$2 addr add $3/24 dev eth1
	ip -n t$1-$2 link set eth1 up
}

bridges() {
	local n here there

	for ((n = 1; n <= MOST; n++)); do
		here=$(host_of $n) there=$(host_of $((n + 1)))
		bridge_end $n a 10.1.0.1 $here $there
		bridge_end $n b 10.1.0.2 $there $here
	done
}

# ---- measuring -------------------------------------------------------------------------

# means FIGURE FLOWS: from bits a second of each flow, as many of them a tenant's: the mean of the
# tenants in Mb/s, and for that figure, how fair it was.
means() {
	jq -r --argjson flows $2 --arg figure $1 '
		[_nwise($flows) | add / 1e6] |
		"\(add / length)\n\((add * add) / (length * (map(. * .) | add))) \($figure)"'
}

# Reno's flows share one queue evenly within seconds; cubic's need longer.
egress() { # PLACEMENT
	local n senders=()

	for ((n = 1; n <= X; n++)); do senders+=("t$n-a"); done
	on_all $WORK/$1.$X &&
		"$PY" $TOOLS/crowd.py --server world --address $WORLD --congestion reno \
			--seconds $((SECONDS_EACH * 5)) "${senders[@]}" |
		means egress-fairness 1
}

internal() { # PEER
	local n net=10.0.0 flows=()

	[ $1 = tsw ] || net=10.1.0
	for ((n = 1; n <= X; n++)); do
		flows+=("t$n-a@t$n-b/$net.2" "t$n-b@t$n-a/$net.1")
	done
	"$PY" $TOOLS/crowd.py --seconds $SECONDS_EACH "${flows[@]}" | means internal-fairness 2
}

# beside X SMALL LARGE: what was published for so many, if anything was.
beside() {
	[ -z "$2" ] || published 'Docklet, small (one for all)' $2 null 'Docklet, table 2' $1
	[ -z "$3" ] || published 'Docklet, large (distributed)' $3 ${2:-null} 'Docklet, table 2' $1
}

scenario many 'Many tenants at once'
needs "$PY" python3
needs ethtool ethtool
topo_hosts h1 h2 h3 h4
world
switch_up
progress "$SCENARIO: making $MOST tenants"
containers
bridges
from=1
for X in $COUNTS; do # before any traffic, so that `place` goes by number
	gateways $from $X
	from=$((X + 1))
done

figure egress-fairness "Out to the world: Jain's index" index more central tenants log
for placement in spread everywhere; do goal_value $placement 0.95 $MOST; done
remark 'With 5 tenants one of the four uplinks has two of them: no index can be above 0.91. In' \
	'central all flows meet in one queue; how evenly TCP shares that has little to do with tsw.'
figure internal-fairness "Between containers: Jain's index" index more bridge tenants log
goal_value tsw 0.95
figure internal 'Between containers: mean of the tenants' Mb/s more bridge tenants log
goal tsw bridge 1.10
remark 'Nothing but the CPUs limits this, and one program sends and receives for all containers.' \
	'The published hosts had a NIC of 1 Gb/s each; their small design failed with 50 and 100.'
figure egress 'Out to the world: mean of the tenants' Mb/s more central tenants log
for placement in spread everywhere; do goal $placement central 3; done
remark "Four uplinks of $RATE (tbf), each standing for a host's NIC: a ratio of 4 is the most."

for X in $COUNTS; do
	FIGURE=egress beside $X "${OUT_SMALL[$X]:-}" "${OUT_LARGE[$X]:-}"
	FIGURE=internal beside $X "${IN_SMALL[$X]:-}" "${IN_LARGE[$X]:-}"
	FIGURE=egress && rounds "${PLACEMENTS[@]}" -- egress
	FIGURE=internal && rounds "${PEERS[@]}" -- internal
done
