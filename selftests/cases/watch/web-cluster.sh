#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: watch/web has the page of one switch; cluster/records what -c prints
#
#   h1 ── h2 ── h3, members of a cluster: `tsw web` and `tsw -c web` on h1
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_browser.sh"

cluster_up h1 h2 h3
for host in h1 h2 h3; do agent $host; done
check "a tenant" sw h1 -c tenant add red id 100 description shop
check "another" sw h1 -c tenant add far id 200
check "a gateway" sw h1 -c gateway add red ip 10.0.0.254/24 host h2 host h3
ip -n h1 link add red-a type veth peer name red-a-in
ip -n h2 link add far-b type veth peer name far-b-in
check "an endpoint here" sw h1 -c endpoint add a tenant red ip 10.0.0.1 dev red-a
check "one that concerns h2 alone" sw h2 -c endpoint add b tenant far ip 10.0.0.2 dev far-b
check "all are in step" sw h1 cluster wait

bg h1 "$TSW" -n h1 web
retry 5 grep -q '#' "$BG_LOG"
HERE=$(sed 's/^url //' "$BG_LOG")
bg h1 "$TSW" -n h1 -c web port 8481
retry 5 grep -q '#' "$BG_LOG"
ALL=$(sed 's/^url //' "$BG_LOG")

browse h1 "$HERE" 12000
check "a member: the agent" grep -q 'agent of cluster campus is connected' $WORK/dom
shows "this host" hosts '^h1 \| 192.0.2.1 \| this host \| ● alive \| ● all done '
shows "another" hosts '^h2 \| 192.0.2.2 \| ● answers \| ● alive \| ● all done '
shows "a gateway of several hosts" gateways '^red \| 10.0.0.254/24 \| h2, h3 \| h2 \| on'
browse h1 "$ALL" 12000
shows "the cluster's tenants" tenants '^far \| 200 '
shows "with descriptions" tenants '^red \| 100 .* \| shop$'
shows "its gateways" gateways '^red \| 10.0.0.254/24 \| h2, h3 \| h2 \| on'
browse h1 "$ALL/endpoints"
shows "an endpoint of another host alone" list '^b \| far \| 10.0.0.2 \| .* \| host h2, far-b '
shows "and this one's" list '^a \| red \| 10.0.0.1 \| .* \| host h1, red-a '
is "as by tsw -c -j endpoint show" "$(on h1 curl -s -H "Authorization: Bearer ${ALL#*#}" \
	http://127.0.0.1:8481/api/endpoints | gojq -c .endpoints)" \
	"$(sw h1 -c -j endpoint show | gojq -c .)"

ip -n h3 link set eth0 down
agent_end h3 KILL
dead() {
	browse h1 "$HERE" 12000
	shown hosts | grep '^h3 | 192.0.2.3 | ▲ does not answer | ▲ not alive'
}
check "a dead host" retry 60 dead
member_end m1 KILL
browse h1 "$ALL"
shows "etcd does not answer: it says so" tenants 'etcd|answer|connect'
shows "and shows what the switch knows" hosts '^h2 '
finish
