#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: 65,537 gateways; port/shares refuses what a switch has no room for
#
#   65,537 tenants ─ h1 192.0.2.1 ─── 192.0.2.2 h2     (h2 has no switch)
#
# Each gateway that a host serves has a conntrack zone, of which there are 65,535. One gateway more
# is refused with that reason and changes nothing. It is accepted when another one goes.
. "$(dirname "$0")/../../lib.sh"

MAX=65535
[ "${TSW_SLOW:-1}" = 1 ] || {
	skip "$MAX gateways" "an emulated machine is too slow"
	finish
	exit 0
}
UP_ARGS="$UP_ARGS max-tenants 70000"
topo_hosts h1 h2
switch_up h1
awk -v n=$((MAX + 1)) 'BEGIN { for (i = 1; i <= n; i++) print "tenant add t" i " id " i }' |
	sw h1 -b -
lines=$(awk -v n=$MAX 'BEGIN { for (i = 1; i <= n; i++)
	print "gateway add t" i " ip 10.0.0.254/24" }')
start=${EPOCHREALTIME/./}
check "$MAX gateways" sw h1 -b - <<<"$lines"
note "$(((${EPOCHREALTIME/./} - start) / 1000)) ms"
one_more() { sw h1 gateway add t$((MAX + 1)) ip 10.0.0.254/24 2>&1; }
state() { sw h1 -j gateway show | sha256sum; map_dump h1 marks | gojq length; }
before=$(state)
check_fails "one more is refused" one_more
check "with the reason" grep -q 'all 65535 indexes' <(one_more || true)
is "and has changed nothing" "$(state)" "$before"
check "served by another host it needs none" sw h1 gateway add t$((MAX + 1)) ip 10.0.0.254/24 \
	host h2
check_fails "but cannot be moved here" sw h1 gateway set t$((MAX + 1)) host h1
check "one of them goes" sw h1 gateway del t7
check "then it can" sw h1 gateway set t$((MAX + 1)) host h1
is "with the index that is free" \
	"$(sw h1 -j gateway show t$((MAX + 1)) | gojq '.[0].index')" 7
finish
