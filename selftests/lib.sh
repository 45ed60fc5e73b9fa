#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the cases: a private place to run in, TAP, waiting, counters, captures.
# lib_topo.sh, which this file reads at its end, makes hosts and containers.
#
# A case sources this file in its first line. It then runs as the first process of a
# new mount, network and process namespace, with a bpffs and a /run of its own. So
# names need not be unique on the machine, and when the case ends, even by SIGKILL,
# the kernel takes all of it away.

set -eEuo pipefail

LIB=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
ROOT=$(dirname "$LIB")
TOOLS=$LIB/tools
TSW=${TSW:-${BUILD:-$ROOT/build}/tsw}
PY=${PY:-/usr/bin/python3} # deps.sh installs it; a PATH may lead to another
export PATH=$PATH:/usr/sbin:/sbin LC_ALL=C
# The tools are compiled once, and not beside their sources.
export PYTHONPYCACHEPREFIX=${BUILD:-$ROOT/build}/python PYTHONDONTWRITEBYTECODE=

if [ "${TSW_PRIVATE:-}" != "$0" ]; then
	[ "$(id -u)" = 0 ] || { echo "$0: must be run as root" >&2; exit 1; }
	[ -x "$TSW" ] || { echo "$0: $TSW is missing: run 'make' first" >&2; exit 1; }
	TSW_PRIVATE=$0 exec unshare --mount --net --pid --fork --kill-child --mount-proc \
		--propagation private bash "$0" "$@"
fi
mount -t tmpfs -o mode=755 tmpfs /run
mount -t bpf -o mode=700 bpf /sys/fs/bpf
# Runtimes of containers change the owner and the mode of what they get as standard input.
mknod -m 666 /run/null c 1 3
mount --bind /run/null /dev/null
exec </dev/null
# `doctor` tells of this setting, and no case may change the machine's.
echo 0 >/run/bpf_stats_enabled
mount --bind /run/bpf_stats_enabled /proc/sys/kernel/bpf_stats_enabled
WORK=/run/work # scratch files of the case
mkdir -p $WORK /run/netns

# ---- life of a case ----------------------------------------------------------

UNDO=() FAILED=0 DUMPED=0 FINISHED=0

# undo CMD...: run this when the case ends, last one first.
undo() { UNDO+=("$(printf '%q ' "$@")"); }

run_undo() {
	local i

	for ((i = ${#UNDO[@]} - 1; i >= 0; i--)); do
		eval "${UNDO[i]}" >/dev/null 2>&1 || true
	done
	UNDO=()
}

at_exit() {
	local status=$?

	trap - EXIT INT TERM ERR
	exec >&5 # it may have happened where output goes elsewhere
	[ "$FINISHED" = 1 ] || not_ok "the case ended early, status $status"
	run_undo
	exit "$FAILED"
}
exec 5>&1
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'echo "# ${BASH_SOURCE[0]##*/}:$LINENO: failed: $BASH_COMMAND" >&5' ERR

# finish: last line of every case; without it the case counts as died.
finish() { FINISHED=1; }

# ---- TAP: netns.sh adds numbers and the case's name -----------------------------

ok() { echo "ok $*"; }
not_ok() {
	echo "not ok $*"
	FAILED=1
	[ "$DUMPED" = 1 ] || dump_state | sed 's/^/#   /'
	DUMPED=1
}
skip() { echo "ok $1 # SKIP ${2:-}"; } # skip DESC WHY
# needs WHAT COMMAND...: the whole case is one skip where a command is missing.
needs() {
	local command

	for command in "${@:2}"; do
		command -v "$command" >/dev/null || { skip "$1" "there is no $command" && finish && exit; }
	done
}
note() { echo "# ${*//$'\n'/$'\n'# }"; }

# check DESC CMD...: ok if CMD succeeds; its output is shown if not. 77: the kernel cannot do what
# CMD asks of it, whatever is tested; the output is why.
check() {
	local desc=$1 out status=0

	shift
	out=$("$@" 2>&1) || status=$?
	case $status in
	0) ok "$desc" ;;
	77) skip "$desc" "$out" ;;
	*)
		not_ok "$desc"
		note "command: $*"$'\n'"$out"
		;;
	esac
}

# check_fails DESC CMD...: ok if CMD fails.
check_fails() {
	local desc=$1 out

	shift
	if out=$("$@" 2>&1); then
		not_ok "$desc"
		note "succeeded, should not have: $*"$'\n'"$out"
	else ok "$desc"; fi
}

# is DESC GOT WANT: ok if equal.
is() {
	if [ "$2" = "$3" ]; then ok "$1"; else
		not_ok "$1"
		note "got:"$'\n'"$2"$'\n'"want:"$'\n'"$3"
	fi
}

# refuses DESC STATUS TEXT CMD...: CMD fails with STATUS, says TEXT, and what UNCHANGED prints is as
# it was.
UNCHANGED=:
refuses() {
	local status=0 out before

	before=$($UNCHANGED)
	out=$("${@:4}" 2>&1) || status=$?
	case $status:$out in
	"$2":*"$3"*) is "$1" "$($UNCHANGED)" "$before" ;;
	*) not_ok "$1" && note "status $status: $out" ;;
	esac
}

# ---- running and waiting ----------------------------------------------------------

# on NS CMD...: in a namespace of `ip netns`, but with this mount namespace, unlike
# `ip netns exec`, whose private /sys hides the bpffs.
on() {
	local ns=$1

	shift
	nsenter --net="/run/netns/$ns" -- "$@"
}

# bg NS CMD...: in the background, ended with the case; its pid is in $BG, its output in $BG_LOG.
bg() {
	BG_LOG=$(mktemp $WORK/bg.XXXXXX)
	nsenter --net="/run/netns/$1" -- "${@:2}" >"$BG_LOG" 2>&1 & # not by on: $! is a shell then
	BG=$!
	undo kill $BG
}

# ends_well DESC: what bg started last has succeeded; its output is shown if not.
ends_well() {
	local status=0

	wait $BG || status=$?
	is "$1" $status 0
	[ $status = 0 ] || note "$(<"$BG_LOG")"
}

# all_ended: the processes PIDS have ended, FAILURES of them not well. all_fine DESC: FAILURES is 0.
PIDS=()
all_ended() {
	local pid

	FAILURES=0
	for pid in "${PIDS[@]}"; do wait "$pid" || FAILURES=$((FAILURES + 1)); done
	PIDS=()
}
all_fine() {
	all_ended
	is "$1" "$FAILURES of them failed" "0 of them failed"
}

# stop PID [SIGNAL]: it ends by that, and has ended.
stop() {
	kill -"${2:-TERM}" "$1" 2>/dev/null || true
	wait "$1" 2>/dev/null || true
}

# sw HOST ARG...: tsw on that host.
sw() {
	local host=$1

	shift
	"$TSW" -n "$host" "$@"
}

# sw_all ARG...: tsw on each of HOSTS.
sw_all() {
	local host

	for host in "${HOSTS[@]}"; do sw "$host" "$@" || return; done
}

# js HOST WORD... FILTER: what gojq makes of the JSON that tsw prints there; texts without quotes.
js() { sw "$1" -j "${@:2:$#-2}" | gojq -cr "${@: -1}"; }

# router HOST CMD...: where the gateways of that host's switch forward.
router() { on "tsw-gw.$1" "${@:2}"; }

# retry SECONDS CMD...: until CMD succeeds, at most so many seconds of this case's own: four times
# that, since others may have the CPUs, and TSW_SLOW times where the machine is an emulated one.
retry() {
	local end=$((${EPOCHREALTIME/./} + $1 * 4 * ${TSW_SLOW:-1} * 1000000))

	shift
	until "$@" >/dev/null 2>&1; do
		[ "${EPOCHREALTIME/./}" -lt $end ] || return 1
		sleep 0.05
	done
}

# comes DESC WANT CMD...: ok as soon as CMD prints WANT. For errors by ICMP, which a kernel need not
# send each time: net.ipv4.icmp_ratelimit and net.ipv6.icmp.ratelimit for each receiver,
# net.ipv4.icmp_msgs_per_sec for all, before Linux 6.12 in all namespaces together.
comes() {
	local desc=$1 want=$2

	shift 2
	retry 10 printed "$want" "$@" || true
	is "$desc" "$(<$WORK/printed)" "$want"
}
printed() { # WANT CMD...
	"${@:2}" >$WORK/printed 2>&1 || true
	[ "$(<$WORK/printed)" = "$1" ]
}

# manager: what a service tells systemd by $NOTIFY_SOCKET comes to the file $MANAGER_TOLD.
manager() {
	NOTIFY=$WORK/notify MANAGER_TOLD=$WORK/manager-told
	rm -f $NOTIFY
	"$PY" -c 'import socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
while True:
    print(manager.recv(999).decode(), flush=True)' $NOTIFY >$MANAGER_TOLD &
	undo kill $!
	retry 5 test -S $NOTIFY
}
is_active() { grep -qx READY=1 $MANAGER_TOLD; } # whether its unit would be

# reach NS IP / no_reach NS IP: does an echo request get its answer?
reach() { retry 5 on "$1" ping -n -c 1 -W 1 "$2"; }
no_reach() { ! on "$1" ping -n -c 2 -i 0.2 -W 1 "$2" >/dev/null 2>&1; }

# ---- counters ---------------------------------------------------------------------

# stat_of HOST TENANT FIELD [packets|bytes]: one of `stats show`; FIELD as in JSON, or `drops`.
stat_of() {
	# shellcheck disable=SC2016 # it knows jq, and not gojq
	sw "$1" -j stats show | gojq --arg t "$2" --arg f "$3" --arg u "${4:-packets}" '
		[.[] | select(.tenant == $t)][0][$f] // 0 |
		if type == "object" then .[$u] else . end'
}

# drops HOST REASON [TENANT|null] [packets|bytes]: sum over directions; 0 if never seen.
drops() {
	# shellcheck disable=SC2016 # it knows jq, and not gojq
	sw "$1" -j stats drops | gojq --arg r "$2" --arg t "${3:-}" --arg u "${4:-packets}" '[
		.[] | select(.reason == $r and ($t == "" or (.tenant // "null") == $t))[$u]] |
		add // 0'
}

# all_drops HOST: every drop counter that is not 0, one a line, to compare.
all_drops() {
	sw "$1" -j stats drops | gojq -r '.[] | select(.packets > 0) |
		"\(.tenant) \(.reason) \(.direction) \(.packets)"' | sort
}

# expect_drops DESC HOST N "TENANT REASON DIRECTION" CMD...: CMD moves this counter by N
# and no other drop counter on HOST by anything.
expect_drops() {
	local desc=$1 host=$2 n=$3 key=$4 before want status=0

	shift 4
	before=$(all_drops "$host")
	want=$(awk -v k="$key" -v n="$n" '{ d[$1 " " $2 " " $3] = $4 }
		END { d[k] += n; for (l in d) if (d[l]) print l, d[l] }' <<<"${before:-$key 0}" |
		sort)
	"$@" >$WORK/cmd.out 2>&1 || status=$?
	retry 2 drops_are "$host" "$want" || true
	# What was never sent is not dropped either; FAILS=any: a command that may fail, as a ping.
	if [ $status != 0 ] && [ "${FAILS:-}" != any ]; then
		not_ok "$desc"
		note "status $status of: $*"$'\n'"$(tail -n 5 $WORK/cmd.out)"
		return
	fi
	is "$desc" "$(all_drops "$host")" "$want"
}
drops_are() { [ "$(all_drops "$1")" = "$2" ]; }

# quiet HOST...: wait until no counter moves any more (MLD and ND of devices just made).
quiet() {
	local host last now tries

	for host in "$@"; do
		last=
		for tries in {1..40}; do
			now=$(sw "$host" -j stats show; sw "$host" -j stats drops)
			[ "$now" != "$last" ] || break
			last=$now
			sleep 0.25
		done
		[ "$tries" -lt 40 ] || note "counters of $host do not come to rest"
	done
}

# overran: how many frames the kernel's own queues had no place for, in this case's namespaces. The
# queue of a veth with XDP has 256 places; the sender counts. The processors' queues
# (net.core.netdev_max_backlog) count for the whole machine. On a busy machine such losses say
# nothing about the switch, whose own drops are not counted there.
overran() {
	local ns lost sum=0

	while read -r _ lost _; do
		sum=$((sum + 16#$lost))
	done </proc/net/softnet_stat
	for ns in /run/netns/*; do
		lost=$(ip -n "${ns##*/}" -s -j link | gojq 'map(.stats64.tx.dropped) | add')
		sum=$((sum + lost))
	done
	echo $sum
}

# map_pin HOST MAP: where it is pinned. map_dump HOST MAP: as bpftool prints it, in JSON.
map_pin() { find /sys/fs/bpf/tsw/"$1" -name "tsw_$2"; }
map_dump() { bpftool -j map dump pinned "$(map_pin "$@")"; }

# ask_priority HOST: that of its agent's sockets, TSW_ASK_PRIORITY().
ask_priority() {
	local config

	config=$(map_dump "$1" config | gojq -r '.[0].value | map(.[2:]) |
		(.[8:16], .[232:240]) | join("")')
	# shellcheck disable=SC2086 # two words
	"$PY" "$TOOLS/ask_priority.py" $config
}

# ---- captures ---------------------------------------------------------------------

# capture NAME NS DEV [FILTER]: start; returns when it runs. Frames go to $WORK/NAME.pcap.
capture() {
	local name=$1 ns=$2 dev=$3

	shift 3
	rm -f "$WORK/$name".{pcap,err} # of one with this name before
	nsenter --net="/run/netns/$ns" -- tcpdump -Z root -p -U --immediate-mode -s 0 -B 8192 \
		-i "$dev" -w "$WORK/$name.pcap" "$@" 2>"$WORK/$name.err" &
	echo $! >"$WORK/$name.pid"
	undo kill $!
	retry 5 grep -q 'listening on' "$WORK/$name.err"
}

# captured NAME [FILTER]: number of frames; captured_text NAME [FILTER]: one line each with
# link-level header and no names.
captured() { captured_text "$@" | wc -l; }
captured_text() {
	local name=$1

	shift
	tcpdump -Z root -e -n -t -r "$WORK/$name.pcap" "$@" 2>/dev/null
}

# capture_has NAME N [FILTER]: wait until at least N frames are there. The barrier before a
# `nothing arrived`: send something allowed behind what is not, wait for it, then count.
capture_has() {
	local name=$1 n=$2

	shift 2
	retry 5 capture_at_least "$name" "$n" "$@"
}
capture_at_least() {
	local name=$1 n=$2

	shift 2
	[ "$(captured "$name" "$@")" -ge "$n" ]
}

# capture_stop NAME...
capture_stop() {
	local name

	for name in "$@"; do stop "$(<"$WORK/$name.pid")"; done
}

# ---- frames -----------------------------------------------------------------------

# inject NS DEV LAYER...: put a frame on a device, see tools/inject.py --help. On a host's underlay
# it is as if somebody else on the wire had sent it.
inject() {
	local ns=$1 as_wire=()

	shift
	[[ " ${HOSTS[*]:-} " != *" $ns "* || $1 != eth0 ]] || as_wire=(-w)
	"$PY" "$TOOLS/inject.py" -n "$ns" ${as_wire[@]+"${as_wire[@]}"} "$@"
}

# ---- what a failure shows ---------------------------------------------------------

dump_state() {
	local host file

	for host in ${HOSTS[@]+"${HOSTS[@]}"}; do
		echo "== $host"
		ip -n "$host" -br -d link 2>&1 || true
		for what in 'switch show' 'tenant show' 'host show' 'endpoint show' 'stats show' \
			'stats drops'; do
			# shellcheck disable=SC2086
			sw "$host" $what 2>&1 | head -n 40 || true
		done
	done
	"${DUMP_ALSO:-:}" 2>&1 || true
	for file in "$WORK"/*.pcap; do
		[ -e "$file" ] || continue
		echo "== ${file##*/}"
		tcpdump -Z root -e -n -t -r "$file" 2>/dev/null | tail -n 10 || true
	done
}

. "$LIB/lib_topo.sh"
