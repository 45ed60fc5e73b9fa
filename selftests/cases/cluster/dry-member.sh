#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cli/dry-switch has the same checks without a store, unit_etcd the transactions
# --dry-run of cluster join, leave, accept and agent: no record, file or device changes, and each
# tells what the command then does, or refuses what the command refuses.
#
#   h1 192.0.2.1   h2 192.0.2.2      etcd in the case's own namespace, which each host reaches as
#        └── 127.0.0.1:2379 ──┘      its own 127.0.0.1
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_dry.sh"

cluster_switches h1 h2
records() { store read /tsw/ 2>/dev/null || echo "the store does not answer"; }

would h1 cluster leave
would h1 cluster accept
would h1 agent once on
would h1 -w 1 cluster join etcd http://127.0.0.9:2379 name campus
would h1 cluster join etcd $URL name campus ca /nosuch
would h1 cluster join etcd $URL name campus
is "join: its records and its file" "$(lines)" \
	"add record $CLUSTER/host/,add record $CLUSTER/vtep/192.0.2.1,add record $CLUSTER/host/h1,add file /etc/tsw/h1.cluster"
would h1 cluster join etcd $URL name campus
is "again: nothing" "$SAID" "[]"
would h1 cluster join etcd $URL name other
would h1 switch set encrypt off
is "its record stays" "$SAID" "[]"
sw h2 switch down
sw h2 switch up dev eth0 local ${VTEP[h2]} name h1
would h2 cluster join etcd $URL name campus
sw h2 switch down
sw h2 switch up dev eth0 local ${VTEP[h2]} name h2
would h2 cluster join etcd $URL name campus
is "it is another host" "$(ls /etc/tsw)" "h1.cluster
h2.cluster"

# ---- the agent --------------------------------------------------------------------------

# agent_would HOST: as would, and it tells the same changes of objects. Of the switch's own address
# the agent only makes a note.
agent_would() {
	would "$1" agent once on
	is "... the same changes" "$(gojq -c 'map(select(.object | IN("record", "switch") | not))' \
		<<<"$SAID")" "$(gojq -c . $WORK/did)"
}
c() { sw h1 -c "$@"; }
agent_would h1
is "the other host" "$(lines)" "add host h2"
agent_would h1
is "nothing is to be done" "$SAID" "[]"
container red a h1 10.0.0.1/24 endpoint off
c tenant add red id 100 net 10.0.0.0/24
c endpoint add a tenant red ip 10.0.0.1 mac 02:00:00:00:00:01 dev red-a >/dev/null
c endpoint add b tenant red ip 10.0.0.2 mac 02:00:00:00:00:02 host h2 >/dev/null
agent_would h1
is "agent without once: the same dry run" "$(sw h1 -j --dry-run agent)" "[]"
c endpoint set a tenant red rate-out 10mbit
c endpoint del b tenant red
agent_would h1
# An address that its device has lost: the switch and the record follow.
ip -n h2 addr del ${VTEP[h2]}/24 dev eth0
ip -n h2 addr add 192.0.2.77/24 dev eth0
sw h2 switch down
sw h2 switch up dev eth0 name h2
ip -n h2 addr add 192.0.2.78/24 dev eth0
ip -n h2 addr del 192.0.2.77/24 dev eth0
ip -n h2 addr add 192.0.2.78/24 dev eth0 2>/dev/null || true
agent_would h2
is "the switch and its record" "$(lines)" \
	"set switch h2,add host h1,set record $CLUSTER/host/,add record $CLUSTER/vtep/192.0.2.78,del record $CLUSTER/vtep/192.0.2.2,set record $CLUSTER/host/h2"
store del $CLUSTER/tenant/red >/dev/null
before=$(whole h1)
sw h1 -j --dry-run agent >$WORK/said 2>/dev/null || true
is "deletions that are held: nothing changed" \
	"$(diff <(echo "$before") <(whole h1) || true)" ""
agent h1
check "an agent runs" retry 10 test -s /run/tsw/h1.agent
is "a dry run refuses as a second agent is refused" "$({ sw h1 --dry-run agent 2>&1 || true; } | tail -1)" \
	'tsw: agent: an agent already runs for switch "h1"'
agent_end h1

# ---- leaving ----------------------------------------------------------------------------

would h1 cluster accept
is "accept" "$(lines)" "add record $CLUSTER/call/accept"
would h1 cluster leave
sw h1 -c endpoint del a tenant red 2>/dev/null || true
would h2 cluster leave
member_end m1 KILL
would h1 -w 1 cluster leave
would h1 -w 1 cluster leave force on
is "with force: only the file" "$(lines)" "del file /etc/tsw/h1.cluster"
finish
