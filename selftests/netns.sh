#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs selftests/cases/*.sh, each in a fresh topology of its own, and prints TAP.
# Usage: netns.sh [CASE...]   a CASE is a name or number: `10-basic`, `basic`, `10`

set -u
here=$(dirname "$(readlink -f "$0")")
limit=$((${CASE_SECONDS:-300} * ${TSW_SLOW:-1})) # no case may hang the whole run
n=0 bad=0

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

echo "TAP version 13"
for file in "$here"/cases/*.sh; do
	wanted "$file" "$@" || continue
	name=$(basename "$file" .sh)
	name=${name#*-}
	before=$bad
	start=$SECONDS
	exec 3< <(timeout -k 10 "$limit" bash "$file" 2>&1 </dev/null; echo "status $?")
	status=unknown
	while IFS= read -r text <&3; do
		case $text in
		'status '*) status=${text#status } ;;
		*) line "$name" "$text" ;;
		esac
	done
	exec 3<&-
	[ "$status" = 0 ] || [ $bad -gt $before ] || line "$name" "not ok ended with status $status"
	echo "# $name: $((SECONDS - start)) s"
done
[ $n -gt 0 ] || line netns "not ok no case ran: $*"
echo "1..$n"
[ $bad = 0 ]
