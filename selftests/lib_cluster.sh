# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Hosts that are members of a cluster: source this after lib.sh and lib_etcd.sh. The store is in the
# case's own namespace; each host reaches it as its own 127.0.0.1:2379, by a forwarder.

URL=http://127.0.0.1:2379
CLUSTER=/tsw/1/campus
declare -A AGENT=() AGENT_LOG=() # host -> pid, file

forward() { # HOST: a connection to its 127.0.0.1:2379 ends at the case's
	ip -n "$1" link set lo up
	bg "$1" "$PY" "$TOOLS/forward.py" 127.0.0.1:2379 $WORK/etcd.sock
}
listening() { on "$1" ss -ltn | grep -q 127.0.0.1:2379; }

# cluster_up HOST...: /etc/tsw is this case's own; a store, and the switches, which join.
cluster_up() {
	local host

	cp -a /etc $WORK/etc && mount --bind $WORK/etc /etc && rm -rf /etc/tsw
	topo_hosts "$@"
	store_up "a store" m1
	"$PY" "$TOOLS/forward.py" $WORK/etcd.sock 127.0.0.1:2379 &
	undo kill $!
	for host; do
		forward "$host"
		check "$host reaches etcd" retry 5 listening "$host"
		# shellcheck disable=SC2086
		sw "$host" switch up dev eth0 local "${VTEP[$host]}" name "$host" ${UP_ARGS:-}
		undo sw "$host" switch down
		check "$host joins" sw "$host" cluster join etcd $URL name campus
	done
}

# agent HOST...: in the background; its pid is in AGENT, what it says in AGENT_LOG.
agent() {
	local host

	for host; do
		bg "$host" "$TSW" -n "$host" "${AGENT_WORDS[@]}" agent
		AGENT[$host]=$BG AGENT_LOG[$host]=$BG_LOG
	done
}
AGENT_WORDS=(-w 10)
agent_end() { # HOST [SIGNAL]
	kill -"${2:-TERM}" "${AGENT[$1]}"
	wait "${AGENT[$1]}" 2>/dev/null || true
}
