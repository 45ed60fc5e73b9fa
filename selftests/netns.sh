#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs selftests/cases/*.sh, each in a fresh topology of its own, and prints TAP: at once twice as
# many as there are processors, for they wait half of the time, or TSW_JOBS. One that says
# `# long:` begins first, so that none is left running at the end. One that measures says `# alone:`
# and why, and runs so; or `# pair:`, where it mostly waits: two of these run at once. Where one
# says that `it measures` and fails while the hypervisor keeps the processors for others, it
# measured those, and is run once more at the end; not what counts losses: a frame that is lost
# only on a busy machine is lost. Cases that measure wait until nobody has a lock on the file
# TSW_BESIDE. A case that says `# full:` is left out with TSW_QUICK, unless it is named, or TSW_ALL
# is set.
# Usage: netns.sh [CASE...]   a CASE is a name or number: `10-basic`, `basic`, `10`

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

is_left_out() { # FILE
	[ -n "${TSW_QUICK:-}" ] && [ -z "${TSW_ALL:-}" ] && grep -q '^# full:' "$1"
}

wanted() { # FILE CASE...
	local name=${1##*/} w

	name=${name%.sh}
	[ $# != 1 ] || is_left_out "$1" || return 0
	shift
	for w in "$@"; do
		case $w in "$name" | "${name%%-*}" | "${name#*-}") return 0 ;; esac
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
	grep -qE '^# (alone|pair): it measures' "$here/cases/$1.sh" || return
	[ "$2" != 0 ] || grep -q '^not ok' "$logs/$1" || return
	told[$1]=1 again+=("$1")
	echo "# ${1#*-}: the hypervisor took $3 % of the processors: once more at the end, for"
	grep '^not ok' "$logs/$1" | sed 's/^/#   /'
}

start() { # FILE
	local name=${1##*/}

	name=${name%.sh}
	setpriv --pdeathsig TERM timeout -k 10 "$limit" bash "$1" >"$logs/$name" 2>&1 </dev/null &
	running[$!]=$name
	began[$!]=$SECONDS taken[$!]=$(ticks)
}

# collect: waits for one that ends, and prints what it said.
collect() {
	local status=0 pid name before=$bad text spent

	spent=$(spent)
	wait -n -p pid "${!running[@]}" || status=$?
	name=${running[$pid]}
	unset "running[$pid]"
	spent=$((($(spent) - spent + 50) / 100))
	if is_for_nothing "$name" $status "$(percent_taken "${taken[$pid]}")"; then return; fi
	while IFS= read -r text; do
		line "${name#*-}" "$text"
	done <"$logs/$name"
	[ $status != 124 ] || echo "# ${name#*-}: was ended after $limit s (CASE_SECONDS)"
	[ $status = 0 ] || [ $bad -gt "$before" ] ||
		line "${name#*-}" "not ok ended with status $status"
	echo "# ${name#*-}: $((SECONDS - began[$pid])) s, $spent s of a processor"
	rm "$logs/$name"
}

# turn_of FILE: when it runs, long, short, pair or alone; where one runs at a time all are short.
turn_of() {
	local turn=short

	[ "$jobs" = 1 ] || turn=$(sed -nE 's/^# (long|pair|alone):.*/\1/p' "$1" | head -n 1)
	echo "${turn:-short}"
}

echo "TAP version 13"
for turn in long short pair alone; do
	case $turn in alone) at_once=1 ;; pair) at_once=2 ;; *) at_once=$jobs ;; esac
	for file in "$here"/cases/*.sh; do
		wanted "$file" "$@" || continue
		[ "$(turn_of "$file")" = $turn ] || continue
		[ ${#running[@]} -lt "$at_once" ] || collect
		case $turn in alone | pair) [ -z "${TSW_BESIDE:-}" ] || flock "$TSW_BESIDE" true ;; esac
		start "$file"
	done
	[ $turn = long ] || while [ ${#running[@]} != 0 ]; do collect; done
done
for name in ${again[@]+"${again[@]}"}; do
	start "$here/cases/$name.sh"
	collect
done
[ $n -gt 0 ] || line netns "not ok no case ran: $*"
echo "1..$n"
[ $bad = 0 ]
