#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs selftests/cases/AREA/NAME.sh, each in a fresh topology of its own, and prints TAP.
# Usage: netns.sh [CASE...]   a CASE is `AREA`, `NAME` or `AREA/NAME`; default: all
#
# Cases run side by side, because they wait half of the time: twice as many as there are processors,
# or TSW_JOBS. The head of a case may say otherwise:
#   # long: WHY   it begins first, so that no case is left running alone at the end
#   # pair: WHY   it measures, but mostly waits: two of these run at once, after the others
#   # alone: WHY  it measures: it runs by itself, and when no other kernel runs, either. These hold
#                 a lock on the file TSW_BESIDE
#   # full: WHAT  TSW_QUICK leaves it out, unless it is named or TSW_ALL is set; WHAT covers it then
# A case that says `it measures` and fails while the hypervisor gives the processors to others runs
# once more at the end: its figures are the hypervisor's. A case that counts losses has one try.

set -u
here=$(dirname "$(readlink -f "$0")")
# No case may hang the whole run. The longest take a minute or two, and four where many others work.
limit=$((${CASE_SECONDS:-600} * ${TSW_SLOW:-1}))
jobs=${TSW_JOBS:-$(($(nproc) * 2))}
n=0 bad=0
declare -A running=() # pid -> case
declare -A began=() taken=() told=()
again=()
MOST_TAKEN=10 # percent of the processors' time
logs=$(mktemp -d)

at_exit() {
	[ ${#running[@]} = 0 ] || kill "${!running[@]}" 2>/dev/null
	wait
	rm -rf "$logs"
}
trap at_exit EXIT
trap 'exit 130' INT TERM

# line CASE TEXT: number the case's own TAP lines.
line() {
	case $2 in
	'ok '* | 'not ok '*)
		n=$((n + 1))
		[ "${2#not }" = "$2" ] || bad=$((bad + 1))
		local word=${2%%ok *}ok
		echo "$word $n - $1: ${2#"$word "}"
		;;
	*) echo "$2" ;;
	esac
}

file_of() { echo "$here/cases/$1.sh"; } # AREA/NAME
log_of() { echo "$logs/${1//\//.}"; }

is_left_out() { # AREA/NAME
	[ -n "${TSW_QUICK:-}" ] && [ -z "${TSW_ALL:-}" ] && grep -q '^# full:' "$(file_of "$1")"
}

# is_meant AREA/NAME WORD: a word that is an area means the area, also where a case has that name.
is_meant() {
	case $2 in
	"$1" | "${1%%/*}") return 0 ;;
	"${1#*/}") [ ! -d "$here/cases/$2" ] ;;
	*) return 1 ;;
	esac
}

# choose [WORD...]: the cases that are meant, one a line.
choose() {
	local name word

	for name in "${all[@]}"; do
		[ $# != 0 ] || is_left_out "$name" || echo "$name"
		for word in "$@"; do
			! is_meant "$name" "$word" || { echo "$name" && break; }
		done
	done
}

is_known() { # WORD
	local name

	for name in "${all[@]}"; do
		! is_meant "$name" "$1" || return 0
	done
	return 1
}

# What the hypervisor took of the processors' time since the start, and all of it; in ticks.
ticks() { awk '$1 == "cpu" { print $9, $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9 }' /proc/stat; }
percent_taken() { # SINCE, as ticks printed it
	local was now

	read -ra was <<<"$1"
	read -ra now <<<"$(ticks)"
	echo $(((now[0] - was[0]) * 100 / (now[1] - was[1] + 1)))
}

# Hundredths of a second that the processors spent on what ended so far, see proc_pid_stat(5). Of
# two cases that end in the same moment the first is told the other's, too.
spent() {
	local stat

	read -ra stat </proc/$$/stat
	echo $((stat[15] + stat[16]))
}

# is_for_nothing NAME STATUS PERCENT: one that measures failed, and not by what it measures.
is_for_nothing() {
	[ -z "${told[$1]:-}" ] && [ "$3" -ge $MOST_TAKEN ] || return
	grep -qE '^# (alone|pair): it measures' "$(file_of "$1")" || return
	[ "$2" != 0 ] || grep -q '^not ok' "$(log_of "$1")" || return
	told[$1]=1 again+=("$1")
	echo "# $1: the hypervisor took $3 % of the processors: once more at the end, for"
	grep '^not ok' "$(log_of "$1")" | sed 's/^/#   /'
}

start() { # AREA/NAME
	setpriv --pdeathsig TERM timeout -k 10 "$limit" bash "$(file_of "$1")" \
		>"$(log_of "$1")" 2>&1 </dev/null &
	running[$!]=$1
	began[$!]=$SECONDS taken[$!]=$(ticks)
}

# machine: what a daemon of a test could change: how names are found, which services start at boot,
# who may use /dev/null.
machine() {
	stat -c '%a %u %g' /dev/null
	cat /etc/resolv.conf /etc/hosts /etc/hostname 2>&1
	find /etc/systemd/system -path '*.wants/*' | sort
}

# collect: waits for one that ends, and prints what it said.
collect() {
	local status=0 pid name log before=$bad text spent changed

	spent=$(spent)
	wait -n -p pid "${!running[@]}" || status=$?
	name=${running[$pid]}
	log=$(log_of "$name")
	unset "running[$pid]"
	spent=$((($(spent) - spent + 50) / 100))
	if is_for_nothing "$name" $status "$(percent_taken "${taken[$pid]}")"; then return; fi
	while IFS= read -r text; do
		line "$name" "$text"
	done <"$log"
	[ $status != 124 ] || echo "# $name: was ended after $limit s (CASE_SECONDS)"
	[ $status = 0 ] || [ $bad -gt "$before" ] ||
		line "$name" "not ok ended with status $status"
	changed=$(diff <(echo "$machine") <(machine)) ||
		line "$name" "not ok it or one beside it changed the machine: ${changed//$'\n'/ }"
	machine=$(machine)
	echo "# $name: $((SECONDS - began[$pid])) s, $spent s of a processor"
	rm "$log"
}

# turn_of AREA/NAME: when it runs: long, short, pair or alone. With TSW_JOBS=1 all are short.
turn_of() {
	local turn=short

	[ "$jobs" = 1 ] || turn=$(sed -nE 's/^# (long|pair|alone):.*/\1/p' "$(file_of "$1")" |
		head -n 1)
	echo "${turn:-short}"
}

machine=$(machine)
declare -A turns=() # case -> turn
mapfile -t all < <(cd "$here/cases" && printf '%s\n' */*.sh | sed 's/\.sh$//')
mapfile -t chosen < <(choose "$@")
for name in "${chosen[@]}"; do turns[$name]=$(turn_of "$name"); done

echo "TAP version 13"
for word in "$@"; do
	is_known "$word" || line netns "not ok there is no case '$word'"
done
for turn in long short pair alone; do
	case $turn in alone) at_once=1 ;; pair) at_once=2 ;; *) at_once=$jobs ;; esac
	for name in "${chosen[@]}"; do
		[ "${turns[$name]}" = $turn ] || continue
		[ ${#running[@]} -lt "$at_once" ] || collect
		case $turn in alone | pair) [ -z "${TSW_BESIDE:-}" ] || flock "$TSW_BESIDE" true ;; esac
		start "$name"
	done
	[ $turn = long ] || while [ ${#running[@]} != 0 ]; do collect; done
done
for name in ${again[@]+"${again[@]}"}; do
	start "$name"
	collect
done
[ $n -gt 0 ] || line netns "not ok no case ran: $*"
echo "1..$n"
[ $bad = 0 ]
