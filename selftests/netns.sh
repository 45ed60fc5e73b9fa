#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs selftests/cases/*.sh, each in a fresh topology of its own, and prints TAP: at once one more
# than there are processors, for they wait a quarter of the time, or TSW_JOBS. One that says
# `# long:` begins first, so that none is left running at the end; one that measures says `# alone:`
# and why, and runs so.
# Usage: netns.sh [CASE...]   a CASE is a name or number: `10-basic`, `basic`, `10`

set -u
here=$(dirname "$(readlink -f "$0")")
# No case may hang the whole run. The longest take a minute or two, and four where many others work.
limit=$((${CASE_SECONDS:-600} * ${TSW_SLOW:-1}))
jobs=${TSW_JOBS:-$(($(nproc) + 1))}
n=0 bad=0
declare -A running=() # pid -> case
declare -A began=()
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

wanted() { # FILE CASE...
	local name w

	name=$(basename "$1" .sh)
	shift
	[ $# != 0 ] || return 0
	for w in "$@"; do
		case $w in "$name" | "${name%%-*}" | "${name#*-}") return 0 ;; esac
	done
	return 1
}

start() { # FILE
	local name

	name=$(basename "$1" .sh)
	setpriv --pdeathsig TERM timeout -k 10 "$limit" bash "$1" >"$logs/$name" 2>&1 </dev/null &
	running[$!]=$name
	began[$!]=$SECONDS
}

# collect: waits for one that ends, and prints what it said.
collect() {
	local status=0 pid name before=$bad text

	wait -n -p pid "${!running[@]}" || status=$?
	name=${running[$pid]}
	while IFS= read -r text; do
		line "${name#*-}" "$text"
	done <"$logs/$name"
	[ $status != 124 ] || echo "# ${name#*-}: was ended after $limit s (CASE_SECONDS)"
	[ $status = 0 ] || [ $bad -gt "$before" ] ||
		line "${name#*-}" "not ok ended with status $status"
	echo "# ${name#*-}: $((SECONDS - began[$pid])) s"
	rm "$logs/$name"
	unset "running[$pid]"
}

# turn_of FILE: when it runs, long, short or alone; where one runs at a time all are short.
turn_of() {
	local turn=short

	[ "$jobs" = 1 ] || turn=$(sed -nE 's/^# (long|alone):.*/\1/p' "$1" | head -n 1)
	echo "${turn:-short}"
}

echo "TAP version 13"
for turn in long short alone; do
	if [ $turn = alone ]; then at_once=1; else at_once=$jobs; fi
	for file in "$here"/cases/*.sh; do
		wanted "$file" "$@" || continue
		[ "$(turn_of "$file")" = $turn ] || continue
		[ ${#running[@]} -lt "$at_once" ] || collect
		start "$file"
	done
	[ $turn = long ] || while [ ${#running[@]} != 0 ]; do collect; done
done
[ $n -gt 0 ] || line netns "not ok no case ran: $*"
echo "1..$n"
[ $bad = 0 ]
