# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Hosts that are members of a cluster: source this after lib.sh. The store is in the case's own
# namespace; each host reaches member mN as its own 127.0.0.N:2379, by a forwarder.

. "$LIB/lib_etcd.sh"

URL=http://127.0.0.1:2379
CLUSTER=/tsw/1/campus
declare -A AGENT=() AGENT_LOG=() # host -> pid, file

declare -A FORWARDER=() # HOST:MEMBER -> pid
forward() { # HOST N: a connection to its 127.0.0.N:2379 ends at the case's
	ip -n "$1" link set lo up
	bg "$1" "$PY" "$TOOLS/forward.py" "127.0.0.$2:2379" "$WORK/etcd$2.sock"
	FORWARDER[$1:m$2]=$BG
}
listening() { on "$1" ss -ltn | grep -q "127.0.0.$2:2379"; }

# cluster_hosts HOST...: hosts that reach a store of MEMBERS; /etc/tsw is this case's own.
cluster_hosts() {
	local host m n

	cp -a /etc $WORK/etc && mount --bind $WORK/etc /etc && rm -rf /etc/tsw
	topo_hosts "$@"
	# shellcheck disable=SC2086 # several
	store_up "a store" ${MEMBERS:-m1}
	for m in $STORE; do
		n=${m#m}
		"$PY" "$TOOLS/forward.py" "$WORK/etcd$n.sock" "127.0.0.$n:2379" &
		undo kill $!
	done
	for host; do
		for m in $STORE; do
			n=${m#m}
			forward "$host" "$n"
			check "$host reaches $m" retry 5 listening "$host" "$n"
		done
	done
}

# cluster_switches HOST...: the same, and their switches. cluster_join HOST...: they join the
# cluster. cluster_up HOST...: both.
cluster_switches() {
	local host

	cluster_hosts "$@"
	for host; do
		# shellcheck disable=SC2086
		sw "$host" switch up dev eth0 local "${VTEP[$host]}" name "$host" ${UP_ARGS:-}
		undo sw "$host" switch down
	done
}
cluster_join() {
	local host all

	# shellcheck disable=SC2086 # several
	all=$(urls $STORE)
	for host; do check "$host joins" sw "$host" cluster join etcd "$all" name campus; done
}
cluster_up() {
	cluster_switches "$@"
	cluster_join "$@"
}

# agent HOST...: an agent in the background; its pid is in AGENT, its output in AGENT_LOG. HOLD: how
# long a host that is back is held off.
agent() {
	local host

	for host; do
		bg "$host" "$TSW" -n "$host" "${AGENT_WORDS[@]}" agent ${HOLD:+hold "$HOLD"}
		AGENT[$host]=$BG AGENT_LOG[$host]=$BG_LOG
	done
}
AGENT_WORDS=(-w 10)
agent_end() { stop "${AGENT[$1]}" "${2:-TERM}"; } # HOST [SIGNAL]

# Records by hand, as tsw writes them: with the pulse of their prefix.
declare -A ID=([red]=100 [blue]=200)
put() { store put "$CLUSTER/$1" "$2" >/dev/null; }
tenant() { # NAME [JSON]
	put tenant/ '{"by":"test"}'
	put "vni/${ID[$1]}" "{\"owner\":\"$1\",\"nonce\":\"0\"}"
	put "tenant/$1" "{\"name\":\"$1\",\"id\":${ID[$1]},\"encap\":\"vxlan\",\"broadcast\":true${2:-}}"
}
# endpoint TENANT NAME HOST IP [DEV]; the IP may be the last part of 10.0.0.
endpoint() {
	local id=${ID[$1]} mac ip=$4

	[[ $ip = *.* ]] || ip=10.0.0.$ip
	mac=$(mac_of "$ip")
	put "e/$id/" '{"by":"test"}'
	put "e/$id/$2" "{\"name\":\"$2\",\"mac\":\"$mac\",\"ip\":[\"$ip\"],\"host\":\"$3\",\"dev\":\"${5:-$1-$2}\"}"
	put "at/$3/$id/$2" "{\"dev\":\"${5:-$1-$2}\"}"
	put "at/$3/" '{"by":"test"}' # tsw does both at once: first it would say that the rest went
}
# lives TENANT "NAME@HOST...": containers, and their records
lives() {
	local at

	containers4 "$1" "$2" endpoint off
	for at in $2; do
		endpoint "$1" "${at%@*}" "${at#*@}" $(($(printf %d "'$at") - 96))
	done
}
gone() { # KEY...: bare, as by etcdctl
	for key; do ctl del "$CLUSTER/$key" >/dev/null; done
}
state() { sw "$1" save; }
endpoints() { js "$1" endpoint show 'map(.tenant + "/" + .name) | sort'; }
follows() { # DESC HOST WANT: HOST comes to have the endpoints WANT
	comes "$1" "$3" endpoints "$2"
}
told_by() { ! grep -qF -- "$2" "${AGENT_LOG[$1]}" || echo 1; }
metric() { sw "$1" metrics | sed -n "s/^$2{switch=\"$1\"} //p"; } # HOST NAME
in_step() { retry "${2:-10}" sw "$1" -w 5 cluster wait timeout 5; } # HOST [SECONDS]

pings() { # NS IP: in the background
	bg "$1" ping -n -i 0.02 "$2"
	PING=$BG PING_LOG=$BG_LOG
}
lost_none() { # DESC
	local lost

	kill -INT $PING
	wait $PING || true
	lost=$(sed -n 's/.* \([0-9.]*\)% packet loss.*/\1/p' "$PING_LOG")
	is "$1: no frame lost" "$lost" 0
	[ "$lost" = 0 ] || note "$(tail -3 "$PING_LOG")"
}
