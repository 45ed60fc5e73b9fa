#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An agent that writes the devices of its switch into an index of tsw 0.2.0 is killed at its calls.
# The index then has either no device or all, and the next agent completes it.
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2      etcd: see lib_cluster.sh
#   red: a .1, b .2
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_kill.sh"

cluster_up h1 h2
tenant red
lives red "a@h1 b@h1"
check "h1 has two endpoints" sw h1 agent once on
before=$(endpoints h1)
index() {
	store read "$CLUSTER/at/h1/100/" | sed -n "s|^$CLUSTER/at/h1/100/\(.*\) [0-9]*$|\1|p"
}
want=$(index)
none=$'a {}\nb {}'
is "both have a device in the index" "$want" $'a {"dev":"red-a"}\nb {"dev":"red-b"}'
wrong=() step=${KILL_STEP:-3}
[ "$step" -lt 4 ] || step=4 # most calls are reads, at which nothing can be left
for ((n = 1;; n = AT + step)); do
	put at/h1/100/a '{}'
	put at/h1/100/b '{}'
	killed $n agent once on || break
	case $(index) in "$want" | "$none") ;; *) wrong+=("half at $AT: $(index)") ;; esac
	sw h1 -q agent once on || wrong+=("the next one after $AT")
	[ "$(index)" = "$want" ] || wrong+=("after $AT: $(index)")
	[ "$(endpoints h1)" = "$before" ] || wrong+=("endpoints after $AT")
done
note "$n calls, $KILLS kills"
check "there were calls to be killed at" test $KILLS -gt 5
is "no kill leaves half of it" "${wrong[*]}" ""
is "a whole one writes it" "$(index)" "$want"
finish
