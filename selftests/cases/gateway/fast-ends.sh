#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: packet_fast ends flows; gateway/fast-kinds has whole connections
# Connections of the fast way end as they do without it: half-closed, closed from both sides at
# once, reset in and out of the window. They go on after a pause, and their ports are used again.
#
#   red-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ── out 203.0.113.9
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

topo_hosts h1 h2
outside h1
HOSTS=(h1)
switch_up h1
sw h1 tenant add red id 4711
container red a h1 10.0.0.1/24 fd00::1/64
leave red-a
gateway red h1
sysctl_in tsw-gw.h1 net.netfilter.nf_conntrack_acct=1
"$PY" "$TOOLS/ends.py" red-a out tsw-gw.h1 $SERVER4 >$WORK/ends 2>$WORK/ends.error || true
for way in half_closed simultaneous aborted reset_by_server beyond_window before_window idle \
	lives_on used_again; do
	is "${way//_/ }" "$(grep "^$way: " $WORK/ends || cat $WORK/ends.error)" "$way: ok"
done
is "lost, and at once the host's own: nothing goes astray" \
	"$("$PY" "$TOOLS/lost.py" red-a out h1 tsw-gw.h1 $SERVER4 2>&1)" 'served 1280 strays 0'
is "and nothing went wrong besides" "$(<$WORK/ends.error)" ''
finish
