#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_rank decides, failover/alive-encaps hears hosts, failover/flip takes over
# Gateways stay alive when their host dies: each host's agent asks the ranked hosts through the
# tunnel. Where one is silent, the next host serves.
#
#   red-a 10.0.0.1 ── h1 ╮                    ╭ up0 203.0.113.1
#   red-b 10.0.0.2 ── h2 ├ underlay     h1-h3 ┤ up0 203.0.113.2   out 203.0.113.9
#   red-c 10.0.0.3 ── h3 ╯                    ╰ up0 203.0.113.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_failover.sh"

HOLD=6 AGENT_WORDS=()
cluster_up h1 h2 h3
outside h1 h2 h3
check "a tenant" sw h1 -c tenant add red id 100
lives red "a@h1 b@h2 c@h3"
for ns in red-a red-b red-c; do ip -n $ns route replace default via $GATEWAY4; done
# Their way on: a route for all.
for host in h1 h2 h3; do ip -n $host route add default via $SERVER4; done
check "its gateway" sw h1 -c gateway add red ip $GATEWAY4/24 host h1 host h2 host h3
agent h1 h2 h3
serves() { shown "$1" '.[0] | [.host, .flip, .down]'; } # for HOST
FIRST='["h1",null,null]' SECOND='["h2","silent",["h1"]]' HELD='["h2","hold",null]'
at() { # WANT HOST...
	local host

	for host in "${@:2}"; do [ "$(serves "$host")" = "$1" ] || return 1; done
}
at_all() { at "$1" h1 h2 h3; }
check "all know it" retry 10 at_all "$FIRST"
follows() { router h1 nft list chain inet tsw srcnat | grep -q ":$1 "; }
sysctl_in h1 net.ipv4.ip_local_port_range="12000 60999"
check "an agent chooses tenants' ports anew where the host's own move" retry 10 follows 10000-11999
is "and tells" "$(sw h1 -j switch show | gojq -r .nat_ports)" 10000-11999
sysctl_in h1 net.ipv4.ip_local_port_range="32768 60999"
inherits() { [ "$(router h1 cat /proc/sys/net/ipv4/icmp_ratelimit)" = "$1" ]; }
sysctl_in h1 net.ipv4.icmp_ratelimit=900
check "and brings settings of the host to the router" retry 10 inherits 900
sysctl_in h1 net.netfilter.nf_conntrack_udp_timeout_stream=77
kept() { [ "$(router h1 cat /proc/sys/net/netfilter/nf_conntrack_udp_timeout_stream)" = 77 ]; }
check "an agent brings the host's timeouts to the router" retry 10 kept
sysctl_in h1 net.netfilter.nf_conntrack_udp_timeout_stream=120
uplink_known() { router h1 ip -4 addr show dev tsw-up | grep -q 198.18.9.1; }
ip -n h1 addr add 198.18.9.1/24 dev up0
check "and the host's new addresses" retry 10 uplink_known
ip -n h1 addr del 198.18.9.1/24 dev up0
# Each mend ends all leases, so none may be in vain. Two looks find nothing; then comes an upgrade.
generation() { map_dump h1 config | gojq '.[0].formatted.value.generation'; }
retry 10 healthy h1
sleep 2.5
sw h1 -f -q switch upgrade
sleep 1
was=$(generation)
sleep 6
is "behind an upgrade it finds nothing to mend" "$(generation)" "$was"
probe() { # HOST: how many hosts have answered it
	map_dump "$1" probes | gojq '[.[] | select(.key[0] != "0x00" and
		(.value[:8] | map(. != "0x00") | any))] | length'
}
comes "h1 is answered by two" 2 probe h1
comes "h2 is answered by two" 2 probe h2
comes "h3 is answered by two" 2 probe h3

# Numbered datagrams of red-c's through the gateway, all the time.
bg out "$PY" "$TOOLS/survive.py" serve 7
asks "red-c asks" red-c
since() { # WHAT: of the flow, since the last time; in SINCE
	TOLD=$(($(wc -l <"$FLOW_LOG") + 1)) # `check` is a shell of its own
	SINCE=$(asked $FLOW "$FLOW_LOG" "$1")
}
flows() { since .back && [ "$SINCE" -gt 5 ]; }
is_short() { # what was told since TOLD
	local gap

	gap=$(tail -n +$((TOLD + 1)) "$FLOW_LOG" | gojq .gap | sort -n | tail -1)
	note "the flow was interrupted for $gap ms"
	check "for a second at most" test "$gap" -le 1000
}
check "a flow goes by the gateway" retry 10 flows
moves() { metric h3 tsw_agent_flips_total; }
counted() { echo "$(moves) $(metric h3 tsw_agent_silent_hosts)"; }
is "nothing is silent yet" "$(counted)" "0 0"
is "cluster show tells who serves" "$(sw h2 -j cluster show h1 | gojq -c '.hosts[0] |
	[.gateways, .down]')" "[1,false]"
is "asking drops nothing" "$(sw h1 -j stats drops | gojq -c 'map(.reason) |
	map(select(. == "bad_probe" or . == "foreign_tunnel"))')" "[]"

# ---- the underlay of the one that serves goes ----------------------------------------------
since .back
ip -n h1 link set eth0 down
check "h2 serves" retry 5 at "$SECOND" h2 h3
check "the flow goes on" retry 5 flows
is_short
is "it is told" "$(told_by h3 'host "h1" does not answer')" 1
comes "and counted" "1 1" counted
cluster_shows() { sw h3 -j cluster show | gojq -c '.hosts | map([.name, .gateways, .down])'; }
is "cluster show tells" "$(cluster_shows)" '[["h1",0,true],["h2",1,false],["h3",0,false]]'
is "who is cut off serves itself" "$(serves h1)" '["h1",null,["h2","h3"]]'

# ---- the one that is back waits ---------------------------------------------------------------
since .back
ip -n h1 link set eth0 up
check "h1 is held off" retry 5 at "$HELD" h3
check "then it serves again" retry $((HOLD + 5)) at_all "$FIRST"
since .gap
check "the flow was not interrupted by that" test "$SINCE" -le 500
is "it is told" "$(told_by h3 'host "h1" answers again')" 1
comes "and counted" "2 0" counted

# ---- the one that serves lives, and its way to the world goes ------------------------------------
LAME='["h2","uplink",["h1"]]'
kill $FLOW
asks "red-c asks anew, by h1" red-c # the flow before stays at h2 for a minute
since .back
ip -n out link set h1 down # up0 of h1 has no carrier
check "all go by h2, also h1" retry 5 at_all "$LAME"
check "the flow goes on" retry 5 flows
is_short
is "h1 knows it" "$(told_by h1 'this host has no route to the internet')" 1
is "h3 is told" "$(told_by h3 'host "h1" has no route to the internet')" 1
comes "no host is silent" "3 0" counted
ip -n out link set h3 down
check "so does h3's" retry 5 at_all '["h2","uplink",["h1","h3"]]'
ip -n out link set h2 down
check "where none has one all stays" retry 5 at_all '["h2","uplink",null]'
ip -n out link set h2 up
check "h2 has one again" retry 5 at_all '["h2","uplink",["h1","h3"]]'
ip -n out link set h3 up
check "so has h3" retry 5 at_all "$LAME"
ip -n out link set h1 up
check "h1 serves when it has had one for a while" retry $((HOLD + 8)) at_all "$FIRST"
comes "that was one more move" "4 0" counted

# ---- a link that comes and goes ------------------------------------------------------------------
for _ in 1 2 3 4 5 6; do
	ip -n h1 link set eth0 down
	sleep 1
	ip -n h1 link set eth0 up
	sleep 0.5
done
comes "h3 has moved it once, and left it there" 5 moves
check "it is back at h1 behind the last" retry $((HOLD + 5)) at_all "$FIRST"
comes "by one more move" 6 moves

# ---- agents that end ---------------------------------------------------------------------------
since .back
agent_end h1 KILL
agent_end h2 KILL
for _ in $(seq 10); do
	sleep 0.2
	[ "$(serves h3)" = "$FIRST" ] || break
done
is "programs answer without agents: nothing moves" "$(serves h3)" "$FIRST"
since .gap
check "the flow goes on" test "$SINCE" -le 500
agent h2
ip -n h1 link set eth0 down
check "h2 serves" retry 5 at "$SECOND" h3
agent_end h3 KILL
is "what an agent has found out stays" "$(serves h3)" "$SECOND"
agent h3
comes "the next one is answered by h2" 1 probe h3
is "and finds the same" "$(serves h3)" "$SECOND"
agent_end h3
# As a host has it that boots.
sw h3 -f gateway set red host h1 host h2 host h3
is "h1 serves, as far as h3 knows" "$(serves h3)" "$FIRST"
agent h3
check "who was never heard is silent, too" retry 12 at "$SECOND" h3
ip -n h1 link set eth0 up
check "until h1 has lived for a while" retry $((HOLD + 8)) at "$FIRST" h3

# ---- etcd is gone, and two of three die ----------------------------------------------------------
member_end m1 KILL
ip -n h1 link set eth0 down
ip -n h2 link set eth0 down
check "h3 serves itself" retry 5 at '["h3","silent",["h1","h2"]]' h3
check "the flow goes on" retry 5 flows
ip -n h1 link set eth0 up
ip -n h2 link set eth0 up
agent_end h3
is "an agent that ends asks no more" "$(map_dump h3 probes | gojq -c 'map(.key[0])')" '["0x00"]'
finish
