#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: watch/doctor and watch/test have the commands on switches without a cluster
# status, doctor, test and sysdump beside agents: they disturb no agent, and tell what one knows.
#
#   h1 192.0.2.1     h2 192.0.2.2      etcd with TLS and roles: see lib_roles.sh
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_roles.sh"

cluster_two
check "an operator makes a tenant" ops -c tenant add red id 100 net 10.0.0.0/24
check "all are in step" in_step h1
agent_row() { js h1 status '.agents[0] | [.runs, .cluster, .connected, .failed] | map(tostring) |
	join(" ")'; }
found() { js h1 doctor '.checks[] | select(.state != "OK") | [.state, .check, .mend] | join(" ")'; }
is "status has the agent" "$(agent_row)" "true campus true 0"
is "doctor finds nothing" "$(found || true)" ''
check "doctor asks etcd" grep -q 'etcd: all 1 members are healthy' <<<"$(sw h1 doctor)"

# Beside the agents' own questions, which are answered all the time.
probes() { map_dump h1 probes | gojq -c '[.[].formatted | [.key, .value.mine]]'; }
asks() { [ "$(probes)" != '[]' ]; }
check "the agent asks h2" retry 10 asks
before=$(probes)
for i in 1 2 3; do
	check "test $i, beside agents" sw h1 test
done
is "the agent's questions go on" "$(probes)" "$before"
ip -n h2 link set eth0 mtu 1400
check "a narrower way is measured, beside agents" grep -q 'the longest that pass have 1404' \
	<<<"$(sw h1 test || true)"
ip -n h2 link set eth0 mtu 1500
check "the agent has not seen h2 silent" test -z "$(told_by h1 'does not answer')"
retry 10 sw h1 test host h2
is "the agents have deleted nothing, and hold nothing" "$(agent_row)" "true campus true 0"

ip -n h2 link set eth0 down
check "doctor names the command for the records" grep -qxF \
	"FAIL host tsw switch show; tsw host show (on h2), or tsw -n h1 -c host set h2 ip IP" \
	<<<"$(found || true)"
ip -n h2 link set eth0 up
retry 10 sw h1 test host h2

sw h1 sysdump $WORK/dump.tar 2>/dev/null
mkdir $WORK/dump && tar -C $WORK/dump -xf $WORK/dump.tar
check "sysdump has the cluster" grep -rq '"cluster": "campus"' $WORK/dump
for file in "$PKI"/{h1,root,ca}.key; do
	check_fails "${file##*/} is not in it" grep -rqFf <(grep -v -- --- "$file") $WORK/dump
done

agent_end h1 KILL
is "a dead agent" "$(found || true)" "FAIL agent systemctl start tsw-agent@h1"
is "status: a dead agent" "$(agent_row)" "false campus false 0"
check "test works without the agent" sw h1 test
finish
