#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The agent: each host's switch becomes what the cluster's records say and follows their changes. It
# stays as it is when the records are gone by mistake. This case writes the records by hand.
#
#   h1 192.0.2.1   h2 192.0.2.2   h3 192.0.2.3      etcd: see lib_cluster.sh
#   red: a .1        c .3           e .5            10.0.0.0/24, blue the same
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

cluster_up h1 h2 h3

# ---- once ------------------------------------------------------------------------
is "without records but hosts" "$(sw h1 -j agent once on | gojq -c 'map(.change + .object + .name)')" \
	'["addhosth2","addhosth3"]'
is "again there is nothing to do" "$(sw h1 -j agent once on)" '[]'
tenant red
tenant blue
lives red "a@h1 c@h2"
containers4 red e@h3 endpoint off
lives blue "c@h2 e@h3"
containers4 blue a@h1 endpoint off
for host in h1 h2 h3; do check "$host follows once" sw $host agent once on; done
is "h1 has red alone" "$(endpoints h1)" '["red/a","red/c"]'
is "h2 has both" "$(endpoints h2)" '["blue/c","blue/e","red/a","red/c"]'
check "red's reach each other" reach red-a 10.0.0.3
check "blue's, too" reach blue-c 10.0.0.5
check "equal addresses stay apart" no_reach red-a 10.0.0.5

# ---- on and on -------------------------------------------------------------------
agent h1 h2 h3
alive() { store read "$CLUSTER/alive/" | grep -c '"since"'; }
comes "all of them are alive" 3 alive
check "a second one is refused" grep -q "an agent already runs" <<<"$(sw h1 agent 2>&1)"
endpoint blue a h1 1
follows "an endpoint brings its tenant" h1 '["blue/a","blue/c","blue/e","red/a","red/c"]'
check "it is reached" reach blue-e 10.0.0.1
follows "who has none of red's knows none" h3 '["blue/a","blue/c","blue/e"]'
endpoint red e h3 5 nothere
comes "a device that is not there is told" 1 told_by h3 "endpoint red/e"
follows "and the endpoint waits" h3 '["blue/a","blue/c","blue/e","red/a","red/c"]'
ip -n h3 link set red-e down name nothere
ip -n h3 link set nothere up
follows "until it comes" h3 '["blue/a","blue/c","blue/e","red/a","red/c","red/e"]'
check "then it is reached" reach red-a 10.0.0.5
check "all are in step" sw h2 cluster wait
is "and shown so" "$(sw h2 -j cluster show | gojq -c '.hosts | map([.name, .alive, .endpoints,
	.behind, (.since | length), (.version | length > 0)])')" \
	'[["h1",true,2,0,20,true],["h2",true,2,0,20,true],["h3",true,2,0,20,true]]'

is "metrics tell how the agent is" "$(for m in up connected failed_changes held_deletions \
	missing_devices resyncs_total entries_refused_total; do metric h1 tsw_agent_$m; done |
	xargs)" "1 1 0 0 0 0 0"
is "which revision it knows" "$(($(metric h1 tsw_agent_revision) > 10))" 1
is "and of the last event" "$(($(metric h1 tsw_agent_last_event_seconds | cut -d. -f1) > \
	$(date +%s) - 60))" 1

# ---- what all share is changed for all -------------------------------------------
UNCHANGED="state h1"
refused() { refuses "here alone is refused: $1 ${2:-}" 1 "tsw -c $1" sw h1 "$@"; } # WORD...
refused tenant add green id 7
refused tenant del red force on
refused endpoint add z tenant red mac 02:00:00:00:00:99 host h2
refused endpoint set a tenant red ip 10.0.0.77
refused host del h2
state h1 >$WORK/h1.json
check "what is a host's own is not" sw h1 switch set xdp off
check "nor with -f" sw h1 -f endpoint add z tenant red mac 02:00:00:00:00:99 host h2
check "once, beside an agent, is refused" \
	grep -q "an agent already runs" <<<"$(sw h1 agent once on 2>&1)"
ip -n h1 link add news type veth peer name newer # any reason to look
comes "which lasts until its agent looks" "" eval 'sw h1 endpoint show | grep "^z "'

# ---- changes ---------------------------------------------------------------------
put tenant/ '{"by":"test"}'
tenant red ',"mtu":1400'
comes "a tenant's setting" 1400 eval 'sw h1 -j tenant show red | gojq .[0].mtu'
put "e/100/" '{"by":"test"}'
gone e/100/e at/h3/100/e
follows "an endpoint goes, and with the last its tenant" h3 '["blue/a","blue/c","blue/e"]'
follows "for others it is gone, too" h1 '["blue/a","blue/c","blue/e","red/a","red/c"]'
endpoint red e h3 5 nothere
check "it comes again" sw h1 cluster wait
check "and is reached" reach red-a 10.0.0.5
put gateway/ '{"by":"test"}'
put gateway/red '{"ip":["10.0.0.254/24"],"host":"h2","nat":true}'
check "a gateway" sw h1 cluster wait
is "is known to all of the tenant's" \
	"$(for h in h1 h2 h3; do sw $h -j gateway show | gojq -c '.[] | [.host, .local]'; done | xargs)" \
	"[h2,false] [h2,true] [h2,false]"
check "and answers" reach red-a 10.0.0.254
metadata() { # on each host
	for h in h1 h2 h3; do
		sw $h cluster wait && sw $h -j gateway show red | gojq .[0].metadata
	done | xargs
}
check "metadata is opened" sw h1 -c gateway set red metadata on
is "on all hosts" "$(metadata)" "true true true"
check "and closed" sw h1 -c gateway set red metadata off
is "on all hosts" "$(metadata)" "null null null"
check "DHCP is turned on, with a boot server" \
	sw h1 -c tenant set red dhcp on boot-server 10.0.0.9 boot-file pxelinux.0
check "one may be a server" sw h1 -c endpoint set a tenant red server on
for host in h1 h2 h3; do check "$host has it" sw $host cluster wait; done
is "on all" "$(for h in h1 h2 h3; do sw $h -j tenant show red | gojq .[0].dhcp; done | xargs)" \
	"true true true"
is "on all: the boot file" "$(for h in h1 h2 h3; do
	sw $h -j tenant show red | gojq -r .[0].boot_file
done | xargs)" "pxelinux.0 pxelinux.0 pxelinux.0"
is "known where it is" "$(sw h1 -j endpoint show a tenant red | gojq .[0].server)" true
macs() { # WORD: in the record, in the switch, and what is behind the port there
	sw h1 -c endpoint set a tenant red macs "$1" && sw h1 cluster wait
	echo "$(sw h1 -c -j endpoint show a tenant red | gojq .[0].macs)" \
		"$(sw h1 -j endpoint show a tenant red | gojq .[0].macs)" \
		"$(map_dump h1 macs | gojq length)"
}
is "it may have MACs behind its port" "$(macs 2)" "2 2 1"
is "fewer" "$(macs 1)" "1 1 1"
is "and none" "$(macs none)" "null null 0"
check "and all is as it should be" sw h1 check

# ---- what cannot be done is told, and stops nobody -------------------------------
put e/100/bad 'no JSON'
put e/100/worse '{"name":"worse","mac":"02:00:00:00:00:77","ip":["10.0.0.1"],"host":"h2"}'
put e/100/far '{"name":"far","mac":"02:00:00:00:00:78","host":"h9"}'
put e/100/other '{"name":"another","mac":"02:00:00:00:00:79","host":"h2"}'
put tenant/wrong '{"name":"wrong","id":"x"}'
endpoint red b h1 2 red-a2
container red a2 h1 10.0.0.2/24 endpoint off
check_fails "wait tells that not all could be done" sw h1 cluster wait
check "what is right is done" reach red-c 10.0.0.2
for what in e/100/bad "endpoint red/worse" "e/100/far.host" e/100/other; do
	comes "told: $what" 1 told_by h1 "$what"
done
is "and why" "$(grep -c 'far.host: there is no host "h9"' "${AGENT_LOG[h1]}")" 1
is "once" "$(grep -c e/100/bad "${AGENT_LOG[h1]}")" 1
gone e/100/bad e/100/worse e/100/far e/100/other tenant/wrong
check "all is well again" sw h1 cluster wait

# ---- what is not understood stays ------------------------------------------------
before=$(endpoints h1)
host=$(store read $CLUSTER/host/h2 | sed -n "s|^$CLUSTER/host/h2 \(.*\) [0-9]*$|\1|p")
for key in tenant/red:'{"name":"red","id":100,"later":1}' e/100/a:'{"name":"a","later":1}' \
	host/h2:'{"name":"h2","ip":["192.0.2.2"],"later":1}'; do
	put "${key%%/*}/" '{"by":"test"}'
	put "${key%%:*}" "${key#*:}"
done
comes "a record of a newer version is told" 1 told_by h1 host/h2
is "and what is here of it stays" "$(endpoints h1)" "$before"
check_fails "wait tells that something is not understood" sw h3 cluster wait
put host/h2 "$host"
tenant red ',"mtu":1400'
endpoint red a h1 1
check "all is well again" sw h3 cluster wait

# ---- a container starts anew -----------------------------------------------------
netns_del red-a2
comes "its device is gone" 1 eval 'metric h1 tsw_agent_missing_devices'
container red a2 h1 10.0.0.2/24 endpoint off
comes "and back by the same name" 0 eval 'metric h1 tsw_agent_missing_devices'
check "it is reached" reach red-c 10.0.0.2

# ---- agents and etcd come and go, frames do not notice ---------------------------
pings red-a 10.0.0.5
endpoint red x h2 44 none
endpoint red y h2 45 none
check "all are in step" in_step h2
# What an agent knows may be newer than the last answer that it had.
put e/100/ '{"by":"test"}'
endpoint red y h2 46 none
kill "${FORWARDER[h1:m1]}"
check "a change while a host is cut off" sw h2 -c endpoint del x tenant red
forward h1 1
check "it follows when it is back" in_step h2
member_end m1
member m1
check "and when etcd is" in_step h2
is "nobody takes that for another store" "$(cat "${AGENT_LOG[@]}" | grep -c 'replaced or restored' || true)" 0
is "nor holds what it has to delete" "$(endpoints h1 | grep -c red/x) $(metric h1 \
	tsw_agent_held_deletions)" "0 0"
put e/100/ '{"by":"test"}'
gone e/100/y at/h2/100/y
before=$(state h1)
agent_end h1 KILL
agent h1
check "an agent that was killed is back" sw h2 cluster wait host h1
agent_end h1
is "without an agent" "$(metric h1 tsw_agent_up) $(metric h1 tsw_agent_connected)" "0 "
comes "one that ends says so" false eval 'sw h2 -j cluster show h1 | gojq .hosts[0].alive'
agent h1
check "and is back" sw h2 cluster wait host h1
is "neither has changed anything" "$(state h1)" "$before"
kill -STOP "${MEMBER[m1]}"
status=0
sw h1 -w 2 cluster wait 2>/dev/null || status=$?
is "etcd does not answer" $status 1
comes "which is told" 1 told_by h1 "etcd does not answer"
kill -CONT "${MEMBER[m1]}"
check "until it does again" retry 10 sw h1 -w 5 cluster wait timeout 5
member_end m1 KILL
endpoints h1 >/dev/null
agent_end h3
manager
NOTIFY_SOCKET=$NOTIFY agent h3
comes "an agent that begins without etcd says so" 1 told_by h3 "etcd does not answer"
check_fails "and its unit is not active, so nothing that needs the records begins" is_active
member m1
check "killed, and back" retry 10 sw h1 -w 5 cluster wait timeout 5
check "the unit is active when its switch has the records" retry 10 is_active
endpoint red b h1 2 red-a2
for i in {1..30}; do put "noise" $i; done
ctl compact "$(ctl get / -w json | gojq .header.revision)" >/dev/null
endpoint blue b h1 9 nodevice
follows "behind a compaction it goes on" h3 \
	'["blue/a","blue/b","blue/c","blue/e","red/a","red/b","red/c","red/e"]'
lost_none "all the while"

# ---- what is gone by mistake -----------------------------------------------------
pings red-a 10.0.0.5
want='["blue/a","blue/c","blue/e","red/a","red/b","red/c","red/e"]' # blue/b has no device yet
ctl del --prefix $CLUSTER/e/100/ >/dev/null
comes "told" 1 told_by h1 "tsw cluster accept"
is "all of a tenant's: they stay" "$(endpoints h1)" "$want"
ctl del --prefix $CLUSTER/tenant/ >/dev/null
ctl del --prefix $CLUSTER/at/ >/dev/null
is "metrics tell it, too" "$(($(metric h1 tsw_agent_held_deletions) > 0))" 1
check_fails "hosts do not say that they are in step" sw h2 cluster wait
is "tenants: they stay" "$(endpoints h1)" "$want"
ctl del --prefix $CLUSTER/host/ >/dev/null
sleep 0.5
is "hosts: they stay" "$(endpoints h1) $(sw h1 -j host show | gojq length)" "$want 2"
agent_end h1 KILL
agent h1
comes "also for an agent that begins with it" 1 told_by h1 "no record of this host"
is "nothing is gone" "$(endpoints h1)" "$want"
lost_none "by mistakes"
for host in h1 h2 h3; do sw $host cluster join etcd $URL name campus; done
tenant red
endpoint red a h1 1
endpoint red c h2 3
check_fails "half of it is back" sw h1 cluster wait
is "and the rest stays" "$(endpoints h1)" "$want"
check "until somebody says that it was meant" sw h3 cluster accept
follows "then it goes" h1 '["red/a","red/c"]'
check "and all are in step" sw h1 cluster wait
check "what is left goes on" reach red-a 10.0.0.3
finish
