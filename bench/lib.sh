#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the scenarios: figures, peers turn by turn, samples. A scenario sources this file in its first
# line, and so runs in namespaces of its own (selftests/lib.sh), which go when it ends.
#
# BENCH_OUT (a file to which records are added, JSON, one a line, as report/records.py has them),
# ROUNDS (5), SECONDS_EACH (2) and QUICK (empty) are set by bench/run.

BENCH=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
. "$BENCH/../selftests/lib.sh"

ROUNDS=${ROUNDS:-5} SECONDS_EACH=${SECONDS_EACH:-2} QUICK=${QUICK:-}
BENCH_OUT=${BENCH_OUT:-/dev/stdout}
SCENARIO='' FIGURE='' ROUND=0
declare -A SKIPPED=() # peer -> why it cannot take part

# ---- records ------------------------------------------------------------------------

# record TYPE KEY=TEXT KEY:=JSON...: of this scenario and figure.
record() {
	jq -cn '[$ARGS.positional[] | capture("^(?<key>[a-z]+)(?<json>:?)=(?<value>.*)$"; "s") |
		{(.key): (if .json == ":" then .value | fromjson else .value end)}] | add' \
		--args "type=$1" "scenario=$SCENARIO" "figure=$FIGURE" "${@:2}" >>"$BENCH_OUT"
}

scenario() { # NAME TITLE
	SCENARIO=$1
	record scenario "name=$1" "title=$2"
}

# figure ID TITLE UNIT more|less BASE [AXIS [log]]: the samples that follow are of this one. BASE is
# the peer to which ratios are; AXIS the name of x, where samples have one.
figure() {
	local axis=${6:+x=$6} log=false

	[ "${7:-}" != log ] || log=true
	FIGURE=$1
	record figure "title=$2" "unit=$3" "better=$4" "base=$5" "${axis:-x:=null}" "log:=$log"
}

# goal PEER TO RATIO [X]: wanted of the medians, at least or, where less is better, at most; at X
# alone if given.
goal() { record goal "peer=$1" "to=$2" "ratio:=$3" ${4:+"x:=$4"}; }

# goal_value PEER VALUE [X]: the same, in the figure's unit.
goal_value() { record goal "peer=$1" "value:=$2" ${3:+"x:=$3"}; }

# published PEER VALUE BASE SOURCE [X]: BASE is what the same table has for the host, or null.
published() {
	record published "peer=$1" "value:=$2" "base:=$3" "source=$4" "x:=${5:-null}"
}

remark() { record note "text=$*"; }

sample() { # PEER VALUE [X]
	record sample "peer=$1" "value:=$2" "x:=${3:-null}" "round:=$ROUND"
}

# skip_peer PEER WHY: the rest is measured without it.
skip_peer() {
	SKIPPED[$1]=$2
	record skip "peer=$1" "why=$2"
	echo "skipped: $1: $2" >&2
}

# needs TOOL PACKAGE [PEER]: without the tool that peer, or the whole scenario, is skipped.
needs() {
	command -v "$1" >/dev/null && return
	skip_peer "${3:-$SCENARIO}" "no $1: apt install $2"
	return 1
}

# ---- rounds -------------------------------------------------------------------------

progress() { # TEXT: where the runner is; each line replaces the last one on a terminal
	if [ -t 2 ]; then printf '\r\033[K%s' "$*" >&2; else echo "$*" >&2; fi
}

# turn CMD ARG... PEER: the samples of that peer that CMD prints, a line each: VALUE [FIGURE [X]],
# of this figure and at $X, if set, unless it names others.
turn() {
	local out value figure x

	progress "$SCENARIO: $FIGURE: round $ROUND of $ROUNDS: ${!#}"
	out=$("$@") || { echo "$SCENARIO: $FIGURE: ${!#} has no result: $*" >&2; return 1; }
	while read -r value figure x; do
		FIGURE=${figure:-$FIGURE} sample "${!#}" "$value" "${x:-${X:-null}}"
	done <<<"$out"
}

# rounds PEER... -- CMD ARG...: all peers' turns, as often as there are rounds: a machine's speed
# drifts, and so they drift together. CMD has the peer as its last argument. In a quick run only
# those in PEERS have been made, and only they take turns.
rounds() {
	local peers=() peer

	while [ "$1" != -- ]; do
		case ${SKIPPED[$1]:+skipped}${QUICK:+${PEERS+ ${PEERS[*]} }} in
		'' | *" $1 "*) peers+=("$1") ;;
		esac
		shift
	done
	shift
	for ((ROUND = 1; ROUND <= ROUNDS; ROUND++)); do
		for peer in "${peers[@]}"; do
			turn "$@" "$peer"
		done
	done
	[ ! -t 2 ] || printf '\r\033[K' >&2
}

# ---- hosts apart --------------------------------------------------------------------

# Namespaces share what hosts do not. A flow's frames come in on the CPU that sent them. That CPU
# changes when the scheduler moves the sender, or when an acknowledgement lets the kernel send. So
# frames overtake each other, and TCP takes that for loss (TCPOldData, a thousand segments a
# second). The host's own flow is then anywhere from 18 to 80 Gb/s. And a veth pair drops what its
# ring of 256 frames does not hold, four super-frames. So a host gets a CPU and a NIC's manners.
declare -A PIN=() # NS -> the command that keeps a program on its host's CPU, where it has one

cpu_of() { echo $(($1 % $(nproc))); } # HOST'S NUMBER

# place N NS...: hosts and containers of host N.
place() {
	local ns cpu

	cpu=$(cpu_of $1)
	for ns in "${@:2}"; do PIN[$ns]="taskset -c $cpu"; done
}

at() { on "$1" ${PIN[$1]:-} "${@:2}"; }    # NS CMD...
at_bg() { bg "$1" ${PIN[$1]:-} "${@:2}"; } # NS CMD...

# nic N NS DEV: host N's CPU handles what comes in there, as by a NIC's RSS. Only GRO is the work of
# the sender's CPU, where a veth's NAPI runs. What goes out waits in a queue for room, since Linux
# 6.16, where veth says when its ring is full.
nic() {
	on $2 tc qdisc replace dev $3 root pfifo limit 1000
	# With a /sys of that namespace.
	ip netns exec $2 tee /sys/class/net/$3/queues/rx-0/rps_cpus >/dev/null \
		<<<"$(printf %x $((1 << $(cpu_of $1))))"
}

# together NS...: no longer. Programs run where the scheduler wants, and a device has the queue that
# it is made with, as on anybody's machine.
together() {
	local ns pid

	PIN=()
	for ns in "$@"; do
		on $ns tc qdisc del dev eth0 root 2>/dev/null || true
		ip netns exec $ns tee /sys/class/net/eth0/queues/rx-0/rps_cpus >/dev/null <<<0
		for pid in $(ip netns pids $ns); do
			taskset -apc 0-$(($(nproc) - 1)) $pid >/dev/null
		done
	done
}

# idle asleep|awake: what CPUs do that have nothing to do; bench/run has them awake.
idle() {
	local -A us=([asleep]='\xff\xff\xff\x7f' [awake]='\0\0\0\0')

	[ -z "${BENCH_LATENCY:-}" ] || printf '%b' "${us[$1]}" >&$BENCH_LATENCY
}

# ---- tools --------------------------------------------------------------------------

listens() { on "$1" ss -Hltn "sport = $2" | grep -q .; } # NS PORT

serve() { # NS...: an iperf3 in each
	local ns

	for ns in "$@"; do
		at_bg "$ns" iperf3 -s
		retry 5 listens "$ns" 5201
	done
}

# tcp_flow FROM ADDRESS [OPTION...]: iperf3's report of one TCP flow. Blocks of 1 MiB: what of one
# does not fill a super-frame goes as a short one, or waits for the next block where it is less than
# an MSS. Of iperf3's usual 128 KiB that is less at an MSS of 1448 octets, and more at 1398: so a
# fifth of the speed would hang on the MTU. Cubic, as Linux has it, whatever the machine has: BBR
# would measure its own pacing.
tcp_flow() {
	local ns=$1 to=$2

	shift 2
	at "$ns" iperf3 -c "$to" -t "$SECONDS_EACH" -O 0.5 -l 1M -C cubic -J "$@"
}

gbits() { # FROM ADDRESS [OPTION...]: what the receiver had of it
	tcp_flow "$@" | jq -e '.end.sum_received.bits_per_second / 1e9'
}

answer() { # NS...: a sockperf for TCP in each
	local ns

	for ns in "$@"; do
		at_bg "$ns" sockperf server --tcp -p 5300
		retry 5 listens "$ns" 5300
	done
}

# trip FROM ADDRESS PERCENTILE: microseconds of a TCP request of 64 octets and its answer.
trip() {
	at "$1" sockperf ping-pong --tcp -i "$2" -p 5300 -m 64 --full-rtt \
		-t "$SECONDS_EACH" 2>&1 | sed -nE "s/.*percentile $3 *= *([0-9.]+).*/\1/p"
}

# A server of its own in each namespace, with nothing but a page of 10 KiB.
page_server() { # NS
	local dir=$WORK/apache-$1 modules=/usr/lib/apache2/modules

	mkdir -p "$dir/htdocs"
	chmod -R a+rX $WORK "$dir"
	head -c 10240 /dev/zero | tr '\0' x >"$dir/htdocs/index.html"
	cat >"$dir/conf" <<-END
		ServerRoot $dir
		ServerName page
		PidFile $dir/pid
		ErrorLog $dir/errors
		DefaultRuntimeDir $dir
		LoadModule mpm_event_module $modules/mod_mpm_event.so
		LoadModule authz_core_module $modules/mod_authz_core.so
		LoadModule dir_module $modules/mod_dir.so
		User www-data
		Group www-data
		Listen 80
		DocumentRoot $dir/htdocs
		DirectoryIndex index.html
		MaxKeepAliveRequests 0
	END
	at_bg "$1" apache2 -f "$dir/conf" -X
	retry 10 listens "$1" 80
}

# ---- wires --------------------------------------------------------------------------

# offloads DEV on|off HOST...: super-frames cross that wire, or frames of at most the MTU, which
# the receiver's GRO puts together.
offloads() {
	local dev=$1 word=$2 host

	shift 2
	for host in "$@"; do
		on "$host" ethtool -K "$dev" tso $word gso $word tx-udp_tnl-segmentation $word \
			tx-udp_tnl-csum-segmentation $word gro on >/dev/null
	done
}

# wire offload|frames HOST...: what their eth0 is.
wire() {
	WIRE=$1
	offloads eth0 "$([ $1 = offload ] && echo on || echo off)" "${@:2}"
}

# longest FROM ADDRESS HOST: of the frames that leave HOST while FROM sends to ADDRESS, where an
# iperf3 is: proof of what the wire is.
longest() {
	capture wire "$3" eth0 -s 64 -Q out
	on "$1" iperf3 -c "$2" -n 2M >/dev/null
	capture_stop wire
	captured_text wire | sed -nE 's/.*[^a-z]length ([0-9]+): .*/\1/p' | sort -n | tail -n 1
}

bench_exit() {
	local status=$?

	trap - EXIT INT TERM ERR
	run_undo
	exit $status
}
trap bench_exit EXIT
