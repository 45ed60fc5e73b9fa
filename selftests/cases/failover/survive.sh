#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: failover/flip keeps connections; unit_flow_report has what agents tell
# long: 200 connections go on while the gateway's hosts die, come back and are moved
# Connections survive the death of the host that serves, since its agent tells the next of them: by
# `snat`, and with `nat off`. Two tenants have equal addresses and ports; strangers tell lies.
#
#   red-c, blue-c 10.0.0.3 ─┬─ h3 ═ wire ╦═ h1 up0 203.0.113.1 ╮ out 203.0.113.9 routes 203.0.113.77
#   green-c       10.7.0.3 ─╯            ╠═ h2 up0 203.0.113.2 ╯ (red), .88 (blue) and 10.7.0.0/24
#                                        ╚═ liar                 (green) to the one that serves
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_failover.sh"

HOLD=13 AGENT_WORDS=() RED6=2001:db8:9::77
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
both=(ip "$GATEWAY6/64" host h1 host h2)
check "red's gateway" sw h1 -c gateway add red ip $GATEWAY4/24 "${both[@]}" \
	snat 203.0.113.77 snat $RED6
check "blue's" sw h1 -c gateway add blue ip $GATEWAY4/24 "${both[@]}" snat 203.0.113.88
check "green's" sw h1 -c gateway add green ip 10.7.0.254/24 "${both[@]}" nat off
agent h1 h2 h3
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
# shellcheck disable=SC2153 # lib_outside.sh's
speaks red red-c $SERVER4 20000 200 20
# shellcheck disable=SC2153
speaks red6 red-c $SERVER6 21000 20 5
speaks blue blue-c $SERVER4 20000 100 20
speaks green green-c $SERVER4 20000 20 5
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
	router "$1" cat /proc/net/nf_conntrack | grep ASSURED | grep -c "src=.*dst=$2 " || true
}
comes "h2 knows red's" 220 has h2 203.0.113.77
comes "h2 knows blue's" 120 has h2 203.0.113.88
comes "h2 knows red's by IPv6" 25 has h2 2001:0db8:0009:0000:0000:0000:0000:0077
comes "h2 knows green's" 25 has h2 10.7.0.3
is "h1 refuses nothing" "$(metric h1 tsw_agent_flows_refused_total)" 0
is "h2 refuses nothing" "$(metric h2 tsw_agent_flows_refused_total)" 0
taken() { [ "$(metric h1 tsw_agent_flows_sent_total)" -ge 390 ] &&
	[ "$(metric h2 tsw_agent_flows_received_total)" -ge 390 ]; }
check "h1 has sent them, h2 has taken them" retry 5 taken

# ---- the host that serves dies -----------------------------------------------------------------
clear_gaps() { for key in "${!SPEAKER[@]}"; do told $key . >/dev/null; done; }
# gaps DESC MS: no connection had to wait for longer
gaps() {
	local key gap most=0

	for key in "${!SPEAKER[@]}"; do
		gap=$(told $key '[.tcp_gap, .udp_gap] | max')
		[ "$gap" -le $most ] || most=$gap
	done
	note "$1: interrupted for $most ms at most"
	check "$1: for $2 ms at most" test $most -le $(($2 * ${TSW_SLOW:-1}))
}
clear_gaps
ip -n h1 link set eth0 down
ip -n out link set h1 down
check "h2 serves" retry 5 at h2 h2 h3
routes_to h2
sleep 1.2 # an interruption is over, or it is the end
gaps "h1 is dead" 2500
all_live "h1 is dead"
fast() { map_dump h2 fast | gojq length; }
check "by the fast way" test "$(fast)" -ge 700

# ---- lies --------------------------------------------------------------------------------------
# h1 is dead: somebody in its place, and with its address, tells h2 of flows.
netns liar
cable liar
ip -n liar addr add 192.0.2.99/24 dev eth0
ip -n liar addr add "${VTEP[h1]}/24" dev eth0
ip -n liar link set eth0 up
check "a liar" retry 5 carrier liar eth0
lie() { # FROM WORD...
	on liar "$PY" "$TOOLS/flows.py" "$1" "${VTEP[h2]}" "${@:2}"
}
believed() { router h2 cat /proc/net/nf_conntrack | grep -c " dst=203.0.113.9 sport=5555 " || true; }
refused() { metric h2 tsw_agent_flows_refused_total; }
lie "${VTEP[h1]}"
comes "what a host of the gateway tells is believed" 1 believed
lie "${VTEP[h1]}" flags=1 nport=30001
lie "${VTEP[h1]}" flags=1 sport=5556
sleep 0.3
is "the end of another is not its end" "$(believed)" 1
before=$(refused)
lie 192.0.2.99 sport=5557
lie "${VTEP[h1]}" port=975 sport=5557
wrong=(tenant=200 tenant=300 tenant=999 tenant=0 src=10.0.0.4 src=203.0.113.9 src=10.0.0.254
	nat=203.0.113.78 nat=203.0.113.2 nat=10.0.0.3 nport=0 proto=1
	proto=132 state=0 state=2 state=7 state=10 flags=2 flags=4 cut=1 cut=8 cut=39)
for word in "${wrong[@]}"; do
	lie "${VTEP[h1]}" sport=5557 "$word"
done
all_refused() { [ $(($(refused) - before)) = $((${#wrong[@]} + 2)) ]; }
check "a stranger, another port, each wrong word: all are refused" retry 5 all_refused
others() { router h2 cat /proc/net/nf_conntrack | grep -c " dport=5555 .*ASSURED" || true; }
is "nothing of it is believed" "$(others)" 1
before=$(refused)
lie "${VTEP[h1]}" sport=5557 garbage 10000
grown() { [ $(($(refused) - before)) -gt 9000 ]; }
check "garbage is refused" retry 5 grown
is "nothing of it is believed" "$(others)" 1
# h3 is no host of the gateways. Without the priority of an agent's socket nothing leaves it.
count_stays() { # of the garbage, some may still wait in the agent's socket
	local was

	was=$(refused)
	sleep 0.5
	[ "$(refused)" = "$was" ]
}
check "all of it is counted" retry 5 count_stays
before=$(refused)
as_h3=("${VTEP[h3]}" "${VTEP[h2]}" sport=5557)
on h3 "$PY" "$TOOLS/flows.py" "${as_h3[@]}" priority="$(ask_priority h3)"
more() { [ $(($(refused) - before)) = 1 ]; }
check "so is what a host tells that is none of the gateway's" retry 5 more
on h3 "$PY" "$TOOLS/flows.py" "${as_h3[@]}" 2>/dev/null || true
is "without the priority it does not leave h3" "$(drops h3 foreign_tunnel null)" 1
# Any user may see the priority of a socket. It tells nothing of what proves the way of a frame.
shown=$(on h1 setpriv --reuid 65534 --regid 65534 --clear-groups \
	ss -Huan --tos 'sport = 974' | grep -oE 'class_id:0x[0-9a-f]+' | sort -u)
is "a user sees the priority of the agent's socket" $((${shown#*:})) "$(ask_priority h1)"
pass=$(map_dump h1 config | gojq -r '.[0].value[232:240] | map(.[2:]) | reverse | join("")')
for bits in ${pass:0:8} ${pass:4:8} ${pass:8:8}; do
	check_fails "these are no bits of the pass" \
		test $((${shown#*:} & 0x7fffffff)) = $((16#$bits & 0x7fffffff))
done
is "nothing of it is believed" "$(others)" 1
# A tenant has a share of h2's table, also of what others tell.
shares() { sw h2 -j tenant show green | gojq '.[0].connections'; }
check "a share" sw h1 -c tenant set green connections 40
comes "h2 knows it" 40 shares
greens() {
	router h2 cat /proc/net/nf_conntrack | grep -c "src=10.7.0.3 dst=203.0.113.9 sport=6" || true
}
has_share() { [ "$(greens)" -ge 10 ] && [ "$(greens)" -le 40 ]; }
for n in $(seq 60); do
	lie "${VTEP[h1]}" tenant=300 src=10.7.0.3 nat=10.7.0.3 sport=$((6000 + n)) \
		nport=$((6000 + n))
done
check "it has no more of what others tell" retry 5 has_share
note "$(greens) of 60 were taken, and $(($(refused) - before)) refused"
all_live "lies"
ip -n liar link set eth0 down

# ---- it is back, without memory ----------------------------------------------------------------
flush_conntrack() { # HOST
	router "$1" "$PY" -c 'import socket, struct
with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12) as s: # ctnetlink: delete, of all
    s.send(struct.pack("=IHHIIBBH", 20, 0x102, 5, 1, 0, 0, 0, 0))
    s.recv(4096)'
}
flush_conntrack h1
is "h1 knows nothing" "$(has h1 203.0.113.77)" 0
clear_gaps
ip -n out link set h1 up
ip -n h1 link set eth0 up
hears() { [ "$(has h1 203.0.113.77)" -ge 220 ]; }
check "h1 hears of red's" retry 15 hears
check "h1 serves again" retry $((HOLD + 8)) at h1 h1 h2 h3
routes_to h1
sleep 1.2
gaps "h1 is back" 2500
all_live "h1 is back"

# ---- planned moves -----------------------------------------------------------------------------
move() { # HOST OTHER
	local tenant

	for tenant in red blue green; do
		sw h1 -c gateway set $tenant host "$1" host "$2"
	done
}
clear_gaps
check "they are moved" move h2 h1
check "h2 serves" retry 10 at h2 h1 h2 h3
routes_to h2
sleep 1.2
gaps "moved" 2500
all_live "moved"

# ---- cut off for a moment: what it remembers is old --------------------------------------------
ip -n h2 link set eth0 down
ip -n out link set h2 down
check "h1 serves" retry 5 at h1 h1 h3
routes_to h1
sleep 5
all_live "h2 is cut off"
ip -n out link set h2 up
ip -n h2 link set eth0 up
check "h2 serves again" retry $((HOLD + 8)) at h2 h1 h2 h3
routes_to h2
sleep 1.2
all_live "h2 is back"

# ---- the end -----------------------------------------------------------------------------------
server() { asked $SERVER "$SERVER_LOG" "$1"; }
is "no connection of the server's had two speakers" "$(server .wrong)" 0
is "each tenant came from its own address alone" "$(server '.speakers | keys')" \
	'["blue 203.0.113.88","green 10.7.0.3","red 2001:db8:9::77","red 203.0.113.77"]'
finish
