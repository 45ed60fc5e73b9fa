#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the cases of faults: what `switch check` says, and whether another tenant hears anything.
# Source it after lib.sh.
# shellcheck disable=SC2034,SC2153 # what is set here is used there

LOUD=777 # octets of red's pings, and of nobody else's

# problems HOST: "WHAT OBJECT" of each, sorted, one a line.
problems() {
	{ sw "$1" -j switch check || true; } | gojq -r '.problems[] | "\(.what) \(.object)"' | sort
}

# details HOST: the details in one line.
details() { { sw "$1" -j switch check || true; } | gojq -r '[.problems[].detail] | join("; ")'; }

# finds DESC HOST [PROBLEM]...: `switch check` finds exactly these, by its status and its JSON.
finds() {
	local desc=$1 host=$2 status=0 out

	shift 2
	out=$(sw "$host" -j switch check) || status=$?
	is "$desc" "$(gojq -r '.problems[] | "\(.what) \(.object)"' <<<"$out" | sort)" \
		"$(printf '%s\n' "$@" | sort)"
	is "$desc: ok and the exit status agree" "$(gojq .ok <<<"$out") $status" \
		"$([ $# = 0 ] && echo true 0 || echo false 1)"
}

# says DESC TEXT CMD...: CMD fails with status 1 and a message that has TEXT.
says() {
	local desc=$1 text=$2 status=0 out

	shift 2
	out=$("$@" 2>&1) || status=$?
	is "$desc: status" $status 1
	check "$desc: says so" grep -qF -- "$text" <<<"$out"
}

# loud NS ADDRESS / no_loud NS ADDRESS: red's pings, which no other tenant may hear.
loud() { retry 5 on "$1" ping -n -c 1 -W 1 -s $LOUD "$2"; }
no_loud() { ! on "$1" ping -n -c 2 -i 0.2 -W 0.3 -s $LOUD "$2" >/dev/null 2>&1; }

# listen NS...: for red's pings there. quiet_at NS... then checks that none came.
listen() {
	local ns

	for ns in "$@"; do
		capture "loud-$ns" "$ns" eth0 "icmp[icmptype] == icmp-echo and greater $LOUD"
	done
}
heard_nothing() { # DESC NS...
	local desc=$1 ns all=''

	shift
	for ns in "$@"; do
		all+=$(captured_text "loud-$ns")
	done
	is "$desc" "$all" ""
}

# port HOST DEV: its number.
port() { ip -n "$1" -j link show "$2" | gojq '.[0].ifindex'; }
