#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The addresses by which clouds give a host its credentials are closed to tenants until the operator
# opens them.
#
#   red-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9 out, which has these addresses, too
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

CLOUDS=(100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254 fd20:ce::254 fd00:c1::a9fe:a9fe)
topo_hosts h1 h2
outside h1
sysctl_in out net.ipv6.conf.lo.disable_ipv6=0
for ip in "${CLOUDS[@]}"; do
	case $ip in
	*:*)
		ip -n out -6 addr add "$ip/128" dev lo nodad
		ip -n h1 -6 route add "$ip" via $SERVER6
		;;
	*)
		ip -n out addr add "$ip/32" dev lo
		ip -n h1 route add "$ip" via $SERVER4
		;;
	esac
done
switch_up
tenants red 100
container red a h1 10.0.0.1/24 fd00::1/64
sw h1 gateway add red ip 10.0.0.254/24 ip fd00::fe/64
leave red-a
serve out 80
check "red reaches the world" reach red-a $SERVER4
check "red reaches the world, IPv6" reach red-a $SERVER6
for ip in "${CLOUDS[@]}"; do
	check "h1 itself reaches $ip" reach h1 "$ip"
	no_answer "closed: $ip" red-a both "$ip" 80
done
check "counted as host_address" test "$(drops h1 host_address red)" -ge 12
is "trace tells" "$(sw h1 -j trace from a to 168.63.129.16 tenant red |
	gojq -r '.[0] | "\(.verdict) \(.reason)"')" "dropped host_address"
is "it is not shown" "$(sw h1 -j gateway show red | gojq '.[0].metadata')" null
sw h1 save >$WORK/closed

sw h1 gateway set red metadata on
is "it is shown" "$(sw h1 -j gateway show red | gojq '.[0].metadata')" true
for ip in "${CLOUDS[@]}"; do
	check "open: $ip" reach red-a "$ip"
done
answers "open" red-a tcp 168.63.129.16 80 "out 203.0.113.1"
sw h1 save >$WORK/open
is "saved" "$(gojq -c '.tenants[0].gateway.metadata' $WORK/open)" true
check_fails "diff tells" sw h1 diff $WORK/closed
held red-a tcp 100.100.100.200 80
sw h1 apply $WORK/closed
check "closed again, a connection that is there, too" ended
is "applied" "$(sw h1 -j gateway show red | gojq '.[0].metadata')" null
sw h1 apply $WORK/open
check "and open again" reach red-a 100.100.100.200
sw h1 gateway replace red ip 10.0.0.254/24 ip fd00::fe/64
is "without the word it is closed" "$(sw h1 -j gateway show red | gojq '.[0].metadata')" null
finish
