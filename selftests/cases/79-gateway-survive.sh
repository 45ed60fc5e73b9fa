#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# long: 200 connections go on while the gateway's hosts die, come back and are moved
# Connections survive the death of the host that serves, since its agent tells the next of them: by
# `snat`, and with `nat off`. Two tenants have equal addresses and ports; strangers tell lies.
#
#   red-c, blue-c 10.0.0.3 ─┬─ h3 ═ wire ╦═ h1 up0 203.0.113.1 ╮ out 203.0.113.9 routes 203.0.113.77
#   green-c       10.7.0.3 ─╯            ╠═ h2 up0 203.0.113.2 ╯ (red), .88 (blue) and 10.7.0.0/24
#                                        ╚═ liar                 (green) to the one that serves
. "$(dirname "$0")/../lib.sh"
. "$LIB/lib_etcd.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_outside.sh"

HOLD=13 RED6=2001:db8:9::77
cluster_up h1 h2 h3
outside h1 h2
tenants_begin() { # TENANT ID NET
	check "tenant $1" sw h1 -c tenant add "$1" id "$2"
	container "$1" c h3 "$3.0.3/24" fd00::3/64 endpoint off
	check "its endpoint" sw h3 -c endpoint add c tenant "$1" dev "$1-c" \
		mac "$(mac_of "$3.0.3")" ip "$3.0.3" ip fd00::3
	leave "$1-c"
}
tenants_begin red 100 10.0
tenants_begin blue 200 10.0
GATEWAY4=10.7.0.254 tenants_begin green 300 10.7
both=(ip $GATEWAY6/64 host h1 host h2)
check "red's gateway" sw h1 -c gateway add red ip $GATEWAY4/24 "${both[@]}" \
	snat 203.0.113.77 snat $RED6
check "blue's" sw h1 -c gateway add blue ip $GATEWAY4/24 "${both[@]}" snat 203.0.113.88
check "green's" sw h1 -c gateway add green ip 10.7.0.254/24 "${both[@]}" nat off
begins() { # HOST...
	local host

	# shellcheck disable=SC2004 # they are associative
	for host; do
		bg "$host" "$TSW" -n "$host" agent hold $HOLD
		AGENT[$host]=$BG AGENT_LOG[$host]=$BG_LOG
	done
}
begins h1 h2 h3
for host in h1 h2 h3; do check "$host is in step" in_step $host; done
routes_to() { # HOST: as a router learns it
	local n=${1#h} to

	for to in 203.0.113.77/32 203.0.113.88/32 10.7.0.0/24; do
		ip -n out route replace $to via 203.0.113.$n
	done
	ip -n out -6 route replace $RED6/128 via 2001:db8:9::$n
}
routes_to h1
at() { # WANT HOST...: all three are served there
	local want=$1 host

	for host in "${@:2}"; do
		[ "$(sw "$host" -j gateway show | gojq -c 'map(.host) | unique')" = "[\"$want\"]" ] ||
			return 1
	done
}
check "h1 serves" retry 10 at h1 h1 h2 h3

# ---- connections -------------------------------------------------------------------------------
bg out "$PY" "$TOOLS/survive.py" serve 7000
SERVER=$BG SERVER_LOG=$BG_LOG
listens() { on out ss -Htln "sport = 7000" | grep -q .; }
check "a server" retry 10 listens
declare -A SPEAKER=() LOG=() MANY=()
speaks() { # KEY NS ADDRESS SPORT TCP UDP
	bg "$2" "$PY" "$TOOLS/survive.py" ask "${2%-*}" "$3" 7000 "$4" "$5" "$6"
	# shellcheck disable=SC2004
	SPEAKER[$1]=$BG LOG[$1]=$BG_LOG MANY[$1]="[$5,$6]"
	check "$1 speaks" retry 10 test -s "$BG_LOG"
}
speaks red red-c $SERVER4 20000 200 20
speaks red6 red-c $SERVER6 21000 20 5
speaks blue blue-c $SERVER4 20000 100 20
speaks green green-c $SERVER4 20000 20 5
asked() { # PID LOG FILTER: what one tells now
	local lines

	lines=$(wc -l <"$2")
	kill -USR1 "$1"
	has_line() { [ "$(wc -l <"$1")" -gt "$2" ]; }
	retry 5 has_line "$2" "$lines" && tail -1 "$2" | gojq -c "$3"
}
told() { asked "${SPEAKER[$1]}" "${LOG[$1]}" "$2"; } # KEY FILTER
alive() { told "$1" '[.tcp, .udp]'; }
all_live() { # DESC: each connection has answers, none was reset, none hears another's
	local key

	for key in red red6 blue green; do
		comes "$1: $key has all of its connections" "${MANY[$key]}" alive $key
		is "$1: none ended, none hears another's" "$(told $key '[.tcp_ended, .wrong]')" "[0,0]"
	done
}
all_live "h1 serves"
has() { # HOST ADDRESS: assured connections whose answers go there
	on "$1" cat /proc/net/nf_conntrack | grep ASSURED | grep -c "dst=$2 .*dst=\|src=.*dst=$2 " || true
}
comes "h2 knows red's" 220 has h2 203.0.113.77
comes "h2 knows blue's" 120 has h2 203.0.113.88
comes "h2 knows red's by IPv6" 25 has h2 2001:0db8:0009:0000:0000:0000:0000:0077
comes "h2 knows green's" 25 has h2 10.7.0.3
is "h1 refuses nothing" "$(metric h1 tsw_agent_flows_refused_total)" 0
is "h2 refuses nothing" "$(metric h2 tsw_agent_flows_refused_total)" 0
check "h1 has sent them" test "$(metric h1 tsw_agent_flows_sent_total)" -ge 390
check "h2 has taken them" test "$(metric h2 tsw_agent_flows_received_total)" -ge 390

# ---- the host that serves dies ---------------------------------------------------------------------
survived() { # DESC: 99 of 100 at least
	local key

	for key in red red6 blue green; do
		note "$1: $key $(told $key .)"
	done
	all_live "$1"
}
for key in red red6 blue green; do told $key . >/dev/null; done
ip -n h1 link set eth0 down
ip -n h1 link set up0 down
check "h2 serves" retry 5 at h2 h2 h3
routes_to h2
for key in red red6 blue green; do
	note "$key: $(told $key .)"
done
sleep 1.2 # an interruption is over, or it is the end
gap=$(told red .tcp_gap)
note "red's were interrupted for $gap ms at most"
check "for 2 s at most" test "$gap" -le 2000
all_live "h1 is dead"
lies() { # WORDS...: a liar in the place of h1 tells h2
	on liar "$PY" "$TOOLS/flows.py" "${VTEP[h1]}" "${VTEP[h2]}" "$@"
}
all_live end
finish
