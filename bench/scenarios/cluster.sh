#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: A cluster: many hosts that know of each other by etcd
# Quick: no
#
#    etcd m1 m2 m3 ══ h1 h2 h3: real switches with agents, and containers that ping each other
#                  ══ sim0 sim1 ...: what an agent has but the switch: bench/agents.c
#                     h4: a member without an agent, which has the many endpoints
#
# commit: an endpoint is written; until the last host that wants it knows. herd: etcd is killed and
# comes back after 2 s; from then until a new endpoint is known to all. restart: `tsw agent once`
# of a host whose switch has all endpoints already: read, compared, nothing to do. idle: what an
# agent uses that has them all while nothing changes. claim: one `tsw -c endpoint add` for another
# host, MAC and address by auto, from the process's start to its end, in a tenant that no agent
# here wants. All of it on one machine: hosts share its processors with each other and with etcd.
. "$(dirname "$0")/../lib.sh"
. "$LIB/lib_etcd.sh"
. "$LIB/lib_cluster.sh"

read -ra HOSTS_AT <<<"${CLUSTER_HOSTS:-10 100 1000}"
read -ra AT <<<"${CLUSTER_AT:-0 10000 100000 1000000}"
COMMITS=200 EACH=1000 IDLE=60
[ -z "$QUICK" ] || HOSTS_AT=(10 100) COMMITS=50 AT=(0 10000) IDLE=10

scenario cluster 'A cluster'
needs etcd etcd-server
needs etcdctl etcd-client
ulimit -n "$(ulimit -Hn)"
ETCD_FLAGS="--max-txn-ops 10000 --quota-backend-bytes 8000000000"
UP_ARGS="max-endpoints 1048576 max-tenants 65536"
MEMBERS="m1 m2 m3" cluster_up h1 h2 h3 h4 >/dev/null
load() { "$PY" "$BENCH/store.py" "$(store_url m1)" campus "$@"; }

IP=()
# ---- real traffic, all the while ----------------------------------------------------
sw h1 -c tenant add red id 900 net 10.0.0.0/24 >/dev/null
agent h1 h2 h3
for host in h1 h2 h3; do
	netns red-$host
	ip -n $host link add red-$host type veth peer name eth0 netns red-$host
	ip -n $host link set red-$host up
	read -r mac ip < <(sw $host -c -j endpoint add $host tenant red dev red-$host |
		jq -r '.[0] | .mac + " " + .ip[0]')
	ip -n red-$host link set eth0 address "$mac" up mtu 1450
	ip -n red-$host addr add "$ip/24" dev eth0
	IP[${host#h}]=$ip
done
sw h1 cluster wait
bg red-h1 ping -q -n -i 0.01 "${IP[2]}"
PING=$BG PING_LOG=$BG_LOG

# ---- many hosts ---------------------------------------------------------------------
SIM='' SIM_OUT=$WORK/sim.out
sim_up() { # HOSTS
	rm -f $WORK/sim.in $SIM_OUT
	mkfifo $WORK/sim.in
	"$BUILD/bench_agents" "$(urls $STORE)" campus "$1" 1000 0 <$WORK/sim.in >$SIM_OUT &
	SIM=$!
	undo kill $SIM
	exec 7>$WORK/sim.in
	until grep -q ready $SIM_OUT; do sleep 0.1 && kill -0 $SIM; done
}
sim_down() { # not by the end of its input: others have the pipe open, too
	kill $SIM
	wait $SIM || true
}
sim_commit() { # milliseconds of each, at the end of SIM_OUT
	local had

	had=$(wc -l <$SIM_OUT)
	echo >&7
	until [ "$(wc -l <$SIM_OUT)" -gt "$had" ]; do sleep 0.01 && kill -0 $SIM; done
	tail -n 1 $SIM_OUT | cut -d ' ' -f 3
}
of_all() { # PERCENT: of the numbers that come
	sort -n | awk -v p="$1" '{ a[NR] = $1 } END { i = int(NR * p / 100); print a[i < 1 ? 1 : i] }'
}
commits() {
	local i

	for ((i = 0; i < COMMITS / ROUNDS; i++)); do sim_commit; done >$WORK/commits
	echo "$(of_all 50 <$WORK/commits) commit"
	echo "$(of_all 99 <$WORK/commits) commit99"
}
herd() { # not in a shell of its own, which would keep what it starts
	local begin m

	progress "$SCENARIO: herd of $X: round $ROUND of $ROUNDS"

	for m in $STORE; do member_end "$m" KILL; done
	sleep 2
	member $STORE
	begin=${EPOCHREALTIME/./}
	sim_commit >/dev/null
	FIGURE=herd sample tsw "$(awk -v us=$((${EPOCHREALTIME/./} - begin)) 'BEGIN { print us / 1e6 }')" "$X"
}
figure commit99 'One endpoint: until the last host knows, of 100 the slowest' ms less tsw hosts log
goal_value tsw 100 1000
figure herd 'etcd comes back, and all hosts at once' s less tsw hosts log
goal_value tsw 60 1000
figure commit 'One endpoint: until the last host knows, the median' ms less tsw hosts log
goal_value tsw 20 1000
published 'OVN, 3,000 hosts, from its database on' 400 null \
	'mail.openvswitch.org/pipermail/ovs-dev/2020-September/374543.html' 1000
load tenants 0 100 h4 10
for X in "${HOSTS_AT[@]}"; do
	mapfile -t sims < <(seq -f sim%g 0 $((X - 1)))
	load interest 0 100 "${sims[@]}"
	sim_up "$X"
	FIGURE=commit rounds tsw -- commits
	for ((ROUND = 1; ROUND <= ROUNDS; ROUND++)); do herd; done
	sim_down
done
unset X

# A member beside etcd, with no forwarder between them.
cp /etc/tsw/h1.cluster /etc/tsw/near.cluster

# ---- one host, many endpoints -------------------------------------------------------
figure restart 'An agent begins: all read and compared, nothing to do' s less tsw endpoints
goal_value tsw 1.5 100000
figure memory "An agent's memory at that, at most" MiB less tsw endpoints
goal_value tsw 64 100000
figure claim 'tsw -c endpoint add, MAC and address by auto' ms less tsw endpoints
goal_value tsw 15
figure idle 'An agent that has them all while nothing changes' '% of a CPU' less tsw endpoints
goal_value tsw 0.1 100000
restart() {
	/usr/bin/time -o $WORK/time -f '%e %M' "$TSW" -n h3 -q agent once on >/dev/null
	awk '{ print $1, "restart"; print $2 / 1024, "memory" }' $WORK/time
}
claim() {
	local begin end

	begin=${EPOCHREALTIME/./}
	"$TSW" -i near -c endpoint add more tenant t0 host h4 >/dev/null
	end=${EPOCHREALTIME/./}
	"$TSW" -i near -c endpoint del more tenant t0
	echo "$((end - begin))" | awk '{ print $1 / 1000 }'
}
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; } # of 10 ms
idle() {
	local before

	agent h3
	sleep 2
	until before=$(ticks "${AGENT[h3]}") && sleep 3 && [ "$(ticks "${AGENT[h3]}")" = "$before" ]; do
		kill -0 "${AGENT[h3]}" # all is read and compared, however long that takes
	done
	before=$(ticks "${AGENT[h3]}")
	sleep $IDLE
	echo "$before $(ticks "${AGENT[h3]}") $IDLE" | awk '{ print ($2 - $1) / $3 }'
	agent_end h3
}
agent_end h3
HAS=1000
for X in "${AT[@]}"; do
	progress "$SCENARIO: $X endpoints: filling"
	load tenants $HAS $((1000 + X / EACH)) h4 $EACH
	load interest $HAS $((1000 + X / EACH)) h3
	HAS=$((1000 + X / EACH))
	sw h3 -q agent once on >/dev/null || true
	FIGURE=restart rounds tsw -- restart
	FIGURE=claim rounds tsw -- claim
	FIGURE=idle ROUNDS=1 rounds tsw -- idle
done
unset X

kill -INT $PING
wait $PING || true
remark "pings meanwhile: $(grep -o '[0-9]* packets.*loss' "$PING_LOG")"
