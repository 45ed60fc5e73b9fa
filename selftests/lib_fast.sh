#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the cases of the fast way: steady flows, whether the rules in h1's router see them, and when
# they stop. Source it after lib.sh.
# shellcheck disable=SC2034 # what is set here is used there

# shellcheck source-path=SCRIPTDIR
. "$LIB/lib_outside.sh"

PORT=4000
now() { "$PY" -c 'import time; print(int(time.monotonic() * 1000))'; }

# beat NAME NS KIND ADDRESS SPORT SECONDS [PORT]: starts a steady flow, whose pid is $BEAT and whose
# output is $BEAT_LOG; returns when it has an answer
beat() {
	bg "$2" "$PY" "$TOOLS/pulse.py" beat "$1" "$3" "$4" "${7:-$PORT}" "$5" "$6"
	BEAT=$BG BEAT_LOG=$BG_LOG
	retry 5 answered 3
}
answered() { [ "$(wc -l <"$BEAT_LOG")" -ge "$1" ]; }
still() { retry 4 answered $(($(wc -l <"$BEAT_LOG") + 40)); }
beat_end() { stop "$BEAT"; }

# An administrator's own rules count what the router forwards.
count() { # HOST
	router "$1" nft -f - <<-'END'
		table inet admin
		delete table inet admin
		table inet admin {
			chain forward {
				type filter hook forward priority 0; policy accept;
				meta l4proto { tcp, udp } counter
			}
		}
	END
}
forwarded() { # HOST
	router "$1" nft -j list chain inet admin forward |
		gojq '[.nftables[].rule.expr[]?.counter.packets? // empty] | add'
}

# way DESC fast|slow: checks which way the steady flow takes, by what the rules in h1's router see
way() {
	local desc=$1 want=$2 answers frames rules is=neither

	sleep 0.3
	answers=$(wc -l <"$BEAT_LOG") rules=$(forwarded h1)
	sleep 1.5
	answers=$(($(wc -l <"$BEAT_LOG") - answers)) rules=$(($(forwarded h1) - rules))
	frames=$((2 * answers))
	if [ $answers -ge 30 ]; then
		[ $((rules * 5)) -gt $frames ] || is=fast
		[ $((rules * 5)) -lt $((frames * 4)) ] || is=slow
	fi
	note "$desc: $answers answers, the router forwarded $rules frames"
	is "$desc" "$is" "$want"
}

# seen SPORT: frames of the flow to $PORT that conntrack in h1's router has counted
# (nf_conntrack_acct)
seen() {
	router h1 grep "sport=$1 dport=$PORT" /proc/net/nf_conntrack |
		grep -o 'packets=[0-9]*' | awk -F= '{ n += $2 } END { print n + 0 }'
}
LEASE=8.4 # seconds that the rules do not see a flow, at most

# is_fast DESC SPORT: the steady flow goes on, and conntrack sees a small part of it
is_fast() {
	local answers rules

	still || not_ok "$1: it does not go on"
	answers=$(wc -l <"$BEAT_LOG") rules=$(seen "$2")
	sleep 1.5
	answers=$(($(wc -l <"$BEAT_LOG") - answers)) rules=$(($(seen "$2") - rules))
	note "$1: $answers answers, conntrack saw $rules frames"
	check "$1: fast" test $((rules * 5)) -lt $((2 * answers))
}

# stops DESC MOST CMD...: after CMD answers come for at most MOST milliseconds
stops() {
	local desc=$1 most=$2 at last

	shift 2
	still || not_ok "$desc: it does not go on before"
	at=$(now)
	"$@"
	at=$(($(now) > at + 100 ? $(now) : at))
	awk "BEGIN { print $most / 1000 + 0.8 }" | xargs sleep
	last=$(tail -n 1 "$BEAT_LOG")
	note "$desc: the last answer $((last - at)) ms behind it"
	check "$desc: stops within $most ms" test $((last - at)) -le "$most"
	beat_end
}

serve() { # NS PORT
	bg "$1" "$PY" "$TOOLS/pulse.py" serve "$2"
	retry 5 grep -q ready "$BG_LOG"
}

# ---- the path, beyond the uplink -----------------------------------------------------------------

# path_to_far ADDRESS GATEWAY NET ROUTER: red-a on h1, which leaves by its gateway; far is in NET
path_to_far() {
	topo_hosts h1 h2
	outside h1
	HOSTS=(h1)
	beyond
	switch_up h1
	sw h1 tenant add red id 4711
	container red a h1 "$1" mtu 1450
	ip -n red-a route add default via "$2"
	gateway red h1
	ip -n h1 route add "$3" via "$4"
	sysctl_in tsw-gw.h1 net.netfilter.nf_conntrack_acct=1
}
# narrow_by_forgery FAR MTU ERROR...: a stranger's ICMP error, layers of frames.py, makes h1 believe
# that the path to FAR is narrow. That holds for h1's own packets; tenants' go the fast way.
narrow_by_forgery() {
	inject out br0 eth src="$(mac_on out br0)" dst="$(mac_on h1 up0)" / "${@:3}"
	check "a forged error makes the host believe in a narrow path" retry 5 believes "$1" "$2"
	bg far "$PY" "$TOOLS/who.py" serve far 81
	retry 5 grep -q ready "$BG_LOG"
	count h1
	is "8 MB go there" "$(on red-a "$PY" "$TOOLS/who.py" push "$1" 81 8000000 2>&1)" 8000000
	note "the router forwarded $(forwarded h1) frames"
	check "by the fast way" test "$(forwarded h1)" -le 60
	ip -n h1 route flush cache
	ip -n h1 -6 route flush cache
}
believes() { ip -n h1 route get "$1" | grep -q "mtu $2 "; }
# The sender out there is told, of its own packet.
nobody_listens() { # FAR
	local pusher

	bg far "$PY" "$TOOLS/pulse.py" push 4001
	pusher=$BG_LOG
	retry 5 grep -q ready "$pusher"
	on red-a "$PY" "$TOOLS/pulse.py" ask "$1" 4001 5006
	check "nobody listens where a fast answer goes: told" retry 5 grep -q refused "$pusher"
}
