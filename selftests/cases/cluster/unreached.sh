#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cluster/host-address has addresses that change, and what is told of them
# long: a host counts as silent after a while, and as dead after another
# A member's address changes and its role does not let it write the new one, or something drops its
# tunnel frames: no command says that all is well, on any host. A host that is dead, or behind a
# NAT, is no problem.
#
#   h1 192.0.2.1     h2 192.0.2.2      etcd with TLS and roles: see lib_roles.sh
#    red-b .2         red-a .1
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_roles.sh"

cluster_two
check "an operator makes a tenant" ops -c tenant add red id 100 net 10.0.0.0/24
check "h2 adds an endpoint" add h2 red a 10.0.0.1
check "h1, too" add h1 red b 10.0.0.2
check "all are in step" in_step h1
check "red is whole" reach red-b 10.0.0.1
problems() { { on h1 "$TSW" -i "$1" -j "${@:2}" || true; } | gojq -c '[.problems[].what] | unique'; }
reached() { sw h1 -j cluster show | gojq -c '[.hosts[] | [.name, .alive, .reached]]'; }
is "all are reached" "$(reached)" '[["h1",true,true],["h2",true,true]]'
is "nothing is wrong" "$(problems h1 switch check)$(problems h1 -c check)" '[][]'

told() { # DESC: of h2, which h1 does not reach
	comes "$1: h1's agent tells" 1 told_by h1 "host h2: does not answer at 192.0.2.2"
	is "$1: switch check" "$(problems h1 switch check)" '["unreached_host"]'
	is "$1: -c check" "$(problems ops -c check)" '["unreached_host"]'
	is "$1: metrics" "$(metric h1 tsw_agent_unreached_hosts)" 1
	is "$1: cluster show" "$(reached | gojq -c '.[1]')" '["h2",true,false]'
	check "$1: cluster wait" grep -q 'host "h2" does not answer host "h1"' \
		<<<"$({ sw h1 -w 5 cluster wait timeout 5 || true; } 2>&1)"
	check_fails "$1: cluster wait fails" sw h1 -w 5 cluster wait timeout 5
}
# well DESC: whole again
well() {
	check "$1: red is whole" reach red-b 10.0.0.1
	comes "$1: nothing is wrong" '[]' problems h1 switch check
	comes "$1: all are reached" '[["h1",true,true],["h2",true,true]]' reached
	check "$1: cluster wait" in_step h1
}

# ---- a role without the right ----------------------------------------------------------------
agent_end h2
sw h2 switch down
ip -n h2 addr del 192.0.2.2/24 dev eth0
ip -n h2 addr add 192.0.2.77/24 dev eth0
check "h2 boots with another address" sw h2 switch up dev eth0 name h2
agent h2
comes "its agent tells what forbids it" 1 told_by h2 "permission denied"
comes "so does its switch check" 1 bash -c \
	"nsenter --net=/run/netns/h2 '$TSW' -i h2 switch check | grep -c 'permission denied'"
is "and its metrics" "$(metric h2 tsw_agent_own_address_wrong)" 1
check_fails "it is not in step" sw h1 -w 5 cluster wait host h2 timeout 5
on h2 ping -c 1 192.0.2.1 >/dev/null # neighbours know each other
on red-a ping -c 3 -i 0.2 -W 1 10.0.0.2 >/dev/null || true
told "no right"
comes "frames from h2 are told" 1 bash -c \
	"nsenter --net=/run/netns/h1 '$TSW' -i h1 switch check | grep -c 'what unknown_host'"
check "with the right" roles h1=192.0.2.1 h2=192.0.2.77
well "with the right"

# ---- tunnel frames are dropped -----------------------------------------------------------------
roles h1=192.0.2.1 h2=192.0.2.2 >/dev/null 2>&1
ip -n h2 addr del 192.0.2.77/24 dev eth0
ip -n h2 addr add 192.0.2.2/24 dev eth0
well "back"
: >"${AGENT_LOG[h1]}"
on h1 nft -f - <<-'END'
	table ip drops {
		chain out {
			type filter hook output priority 0
			udp dport { 4789, 6081 } drop
			ip protocol gre drop
		}
	}
END
told "frames are dropped"
on h1 nft delete table ip drops
well "no frames are dropped"

# ---- dead, or behind a NAT ----------------------------------------------------------------------
check "an operator gives h2 another address" ops -c host set h2 ip 198.51.100.9
comes "h2's agent tells" 1 told_by h2 "198.51.100.9, which an operator wrote"
agent_end h2 KILL
sleep 22
is "h2 is no problem of h1's" "$(problems h1 switch check)" '[]'
finish
