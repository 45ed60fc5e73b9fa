# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For cases of gateways that change their host: source this after lib.sh.

. "$LIB/lib_outside.sh"

# three_outside: hosts with uplinks, and red-a, red-b, red-c on them, which leave by red's gateway.
three_outside() {
	topo_hosts h1 h2 h3
	outside h1 h2 h3
	switch_up
	tenants red 100
	containers red "a@h1 b@h2 c@h3"
	leave red-a red-b red-c
}

shown() { sw "$1" -j gateway show red | gojq -c "$2"; } # HOST WHAT
# leaves_by NS: the host that is seen outside of a new connection
leaves_by() { exchange "$SERVER4" tcp "$1" sport=0 port=5000 | sed 's/.* 203.0.113./h/'; }
sent_on() { # HOST: connections with a mark 0x7457....
	router "$1" cat /proc/net/nf_conntrack | awk '{ for (i = 1; i <= NF; i++)
		if (sub(/^mark=/, "", $i) && int($i / 65536) == 29783) n++ } END { print n + 0 }'
}

# asked PID LOG FILTER: what a tool tells at SIGUSR1, about the time since the last line
asked() {
	local lines

	lines=$(($(wc -l <"$2") + 1))
	kill -USR1 "$1"
	retry 5 has_lines "$2" $lines && tail -n 1 "$2" | gojq -c "$3"
}
has_lines() { [ "$(wc -l <"$1")" -ge "$2" ]; }
# asks DESC NS: a datagram each 5 ms to the server outside, which sends it back; `since` tells of it
asks() {
	bg "$2" "$PY" "$TOOLS/survive.py" ask "$2" "$SERVER4" 7 0 0 1 5
	FLOW=$BG FLOW_LOG=$BG_LOG
	check "$1" retry 5 test -s "$FLOW_LOG"
}
