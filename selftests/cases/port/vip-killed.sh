#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Commands about vips that are killed: the next command that writes completes or undoes them, and
# the address can be announced by whom the endpoints' records name.
# full: many kills; port/vip has what the commands do
#
#   red-a, red-b ─ h1
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"

V=10.0.0.100 OTHER=10.0.0.101
topo h1 h2
tenants red 100
containers4 red "a@h1 b@h1"
garp() { # NAME N
	inject red-$1 eth0 eth src=02:00:00:00:00:0$2 dst=ff:ff:ff:ff:ff:ff / \
		arp sha=02:00:00:00:00:0$2 spa=$V tpa=$V
}
holder() { js h1 endpoint show tenant red ".[] | select(.vip_held | index(\"$V\")) | .name"; }
add_a() { sw h1 endpoint replace a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a vip $V; }
# sound N: after the next command that writes. What a contest is, is no damage.
sound() {
	tried "$1: a command" sw h1 tenant set red description "x$1"
	[ "$(js h1 switch check '.problems | length')" = 0 ] || wrong+=("$1: $(sw h1 switch check)")
}
# killed_at DESC WORD...: `endpoint` with these words, killed at each STEP-th call. `before` and
# `after` are the case's.
killed_at() {
	local n=1

	wrong=()
	before
	while killed $n endpoint "${@:2}"; do
		sound $n
		after
		[ "$(holder)" = b ] || wrong+=("$n: b does not get it")
		before
		n=$((n + STEP))
	done
	is "$1: killed at any of $n calls" "${wrong[*]}" ""
}
STEP=${KILL_STEP:-3}
before() { sw h1 endpoint set a tenant red vip none; }
after() { garp b 2; }
sw h1 endpoint set b tenant red vip $V vip $OTHER
killed_at "vips are given" set a tenant red vip $V vip 10.0.0.102
before() { sw h1 endpoint set a tenant red vip $V && garp a 1; }
after() { sw h1 endpoint set a tenant red vip none && garp b 2; }
killed_at "vips are taken away" set a tenant red vip none
before() { add_a && garp a 1; }
after() { sw h1 endpoint del a tenant red 2>/dev/null || true; garp b 2; }
killed_at "who has one is deleted" del a tenant red
is "a new MAC keeps it" "$(add_a && garp a 1 &&
	sw h1 endpoint set a tenant red mac 02:00:00:00:00:0a && holder)" a
sw h1 save >$WORK/state
sw h1 endpoint set a tenant red vip none
check "a state file gives it back" sw h1 apply $WORK/state
is "and is as the switch then" "$(sw h1 diff $WORK/state)" ""
check "an upgrade" sw h1 switch upgrade
garp b 2
is "b gets it afterwards" "$(holder)" b
finish
