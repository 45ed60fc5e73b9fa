#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A member's underlay address changes: at boot, while it runs, to another's and back, by a command.
# Its switch follows its device, its record follows the switch, and traffic comes back by itself.
# What forbids that is told, and an address that an operator wrote stays.
#
#   h1 192.0.2.1 ── h2 192.0.2.2 ── h3 192.0.2.3      etcd: see lib_cluster.sh
#    red-a .1        red-c .3        red-e .5
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

up() { sw "$1" switch up dev eth0 name "$1"; } # as the unit does
cluster_hosts h1 h2 h3
for host in h1 h2 h3; do
	up $host
	undo sw $host switch down
done
# h2 and h3 reach etcd by the addresses that change.
bg h1 "$PY" "$TOOLS/forward.py" 192.0.2.1:2379 "$WORK/etcd1.sock"
reached() { on h1 ss -ltn | grep -q 192.0.2.1:2379; }
check "h2 and h3 reach etcd at h1" retry 5 reached
cluster_join h1
for host in h2 h3; do
	check "$host joins" sw $host cluster join etcd http://192.0.2.1:2379 name campus
done
tenant red
lives red "a@h1 c@h2 e@h3"
agent h1 h2 h3
check "all are in step" in_step h1

declare -A AT=([h1]=192.0.2.1 [h2]=192.0.2.2 [h3]=192.0.2.3)
moves() { # HOST IP: as by DHCP
	ip -n "$1" addr del "${AT[$1]}/24" dev eth0
	ip -n "$1" addr add "$2/24" dev eth0
	AT[$1]=$2
}
recorded() { sw h1 -c -j host show "$1" | gojq -c '.[0].ips'; }
claims() {
	store read $CLUSTER/vtep/ | sed -n "s|$CLUSTER/vtep/\([^ ]*\) .*\"owner\":\"$1\".*|\1|p"
}
wrong() { # records of hosts; the test writes others without all of their claims
	{ sw h1 -j -c check || true; } | gojq -c '[.problems[].object | select(test("^(host|vtep)/"))]'
}
# whole DESC [HOST...]: these hosts have their addresses in the records, and red is whole
whole() {
	local host began=$EPOCHSECONDS

	for host in "${@:2}"; do
		comes "$1: $host's record" "[\"${AT[$host]}\"]" recorded $host
		comes "$1: and no other claim" "${AT[$host]}" claims $host
	done
	check "$1: h1 reaches h2" reach red-a 10.0.0.3
	check "$1: h1 reaches h3" reach red-a 10.0.0.5
	check "$1: h3 reaches h2" reach red-e 10.0.0.3
	note "$1: after $((EPOCHSECONDS - began)) s"
	check "$1: in step" in_step h1
	is "$1: no claim is wrong" "$(wrong)" "[]"
}
whole "at first" h1 h2 h3

agent_end h2
sw h2 switch down
moves h2 192.0.2.77
up h2
agent h2
whole "a new address at boot" h2
check "its switch is right" sw h2 switch check

moves h2 192.0.2.78
whole "a new one while it runs" h2
is "which is logged once" "$(grep -c '192.0.2.77 of this host is gone' "${AGENT_LOG[h2]}")" 1
moves h2 192.0.2.2
whole "and back" h2

# h1 knows the former owners, and gets no ARP request from the new ones, which know h1. So etcd's
# answers come only after the new ones have told h1.
mac() { ip -n "$1" -j link show dev eth0 | gojq -r '.[0].address'; }
knows() { ip -n "$1" neigh replace "$2" lladdr "$(mac "$3")" dev eth0 nud "$4"; } # HOST IP HOST NUD
sends_to() { ip -n h1 -j neigh show to "$1" dev eth0 | gojq -r '.[0].lladdr // "none"'; }
on h1 sysctl -qw net.ipv4.neigh.eth0.base_reachable_time_ms=600000
for host in h2 h3; do
	knows h1 "${AT[$host]}" $host reachable
	ip -n $host addr del "${AT[$host]}/24" dev eth0
	knows $host 192.0.2.1 h1 permanent
done
for host in h2 h3; do comes "no address: $host tells" 1 told_by $host "${AT[$host]}"; done
ip -n h2 addr add 192.0.2.3/24 dev eth0
ip -n h3 addr add 192.0.2.2/24 dev eth0
AT[h2]=192.0.2.3 AT[h3]=192.0.2.2
for host in h2 h3; do
	comes "two hosts swap theirs: h1 sends to $host" "$(mac $host)" sends_to "${AT[$host]}"
done
whole "two hosts swap theirs" h2 h3

# ---- an address that another host has ------------------------------------------------------
moves h2 192.0.2.2
comes "another's address is told" 1 told_by h2 '192.0.2.2 is already host "h3"'
is "and not taken" "$(claims h3)" 192.0.2.2
moves h3 192.0.2.3
whole "until the other one gives it up" h2 h3

# ---- words of commands -----------------------------------------------------------------------
ip -n h2 addr add 192.0.2.40/24 dev eth0
check "a command chooses another" sw h2 switch set local 192.0.2.40
AT[h2]=192.0.2.40
whole "the record follows" h2
ip -n h2 addr del 192.0.2.40/24 dev eth0
AT[h2]=192.0.2.2
comes "a chosen address that is gone is told" 1 told_by h2 \
	"no device has the switch's address 192.0.2.40"
check_fails "by check, too" sw h2 switch check
check "and another one is chosen" sw h2 switch set local 192.0.2.2
whole "then all is well" h2
check "an operator writes another one, in front of a NAT" sw h1 -c host set h2 ip 198.51.100.9
comes "the agent tells" 1 told_by h2 "198.51.100.9, which an operator wrote"
agent_end h2
agent h2
sleep 1.5
is "and lets it be" "$(recorded h2)" '["198.51.100.9"]'
check "until it joins again" sw h2 cluster join etcd http://192.0.2.1:2379 name campus
whole "by its own word" h2
finish
