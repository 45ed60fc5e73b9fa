#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_records and unit_complaints have wrong records; cluster/roles has a taken host
# Somebody who may write records writes what no tsw would, by mistake or with intent. The agent
# refuses only that and reports it, and gives nobody what belongs to another. A host that cannot
# follow says so.
#
#   h1 192.0.2.1   h2 192.0.2.2   h3 192.0.2.3      etcd: see lib_cluster.sh
#   red: a .1        c .3                           10.0.0.0/24, blue the same
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

ID[green]=300 ID[gray]=400
cluster_up h1 h2 h3
tenant red
tenant blue
lives red "a@h1 c@h2"
lives blue c@h2
containers4 blue a@h1 endpoint off
agent h1 h2 h3
check "all follow" retry 5 sw h1 cluster wait
check "red's reach each other" reach red-a 10.0.0.3

# ---- what somebody writes who may not --------------------------------------------
before=$(endpoints h1)
ip -n h1 link add mgmt0 type veth peer name mgmt1
ip -n h1 link set mgmt0 up
put e/100/steal '{"name":"steal","mac":"02:00:00:00:00:66","host":"h1","dev":"mgmt0"}'
put tenant/aaa '{"name":"aaa","id":100,"encap":"vxlan","broadcast":true}'
put host/aaa '{"name":"aaa","ip":["192.0.2.2"]}'
put peer/blue/red '{"tenant":"red","with":"blue"}'
comes "a device is not taken without its host" 1 told_by h1 e/100/steal
comes "nor an id without its claim" 1 told_by h1 tenant/aaa
comes "nor an address" 1 told_by h1 host/aaa
comes "nor a peering by another's key" 1 told_by h1 peer/blue/red
is "nothing of it is here" "$(sw h1 -j peer show) $(sw h1 -j host show | gojq -c 'map(.name)') $(
	endpoints h1 | grep -c steal || true)" '[] ["h2","h3"] 0'
gone e/100/steal tenant/aaa host/aaa peer/blue/red
check "all is well again" sw h3 cluster wait

# ---- places of what is not there -------------------------------------------------
put at/h1/0100/z '{}' # of no record, but almost
check "a place of nothing is no trouble" sw h1 cluster wait
put at/h1/0100/a '{}'
check "all are in step" sw h1 cluster wait
is "nothing went" "$(endpoints h1)" "$before"
put at/h1/100/nobody '{}'
put at/h1/100/ '{}'
put at/h1/x '{}'
put at/h1/777/z '{}' # of a tenant that nobody claims
put e/777/z '{"name":"z","mac":"02:00:00:00:00:67","host":"h1","dev":"mgmt0"}'
check "places of what is nobody's are no trouble" sw h1 cluster wait
is "nothing came and nothing went" "$(endpoints h1)" "$before"
check "red's still reach each other" reach red-a 10.0.0.3
gone at/h1/0100/z at/h1/0100/a at/h1/100/nobody at/h1/100/ at/h1/x at/h1/777/z e/777/z

# ---- more endpoints than a tenant's share ------------------------------------------
has() { sw "$1" -j tenant show red | gojq -c '.[0] | [.endpoints, .max_endpoints]'; }
tenant red ',"max_endpoints":4'
for n in 0 1 2 3 4 5; do # "0" is before those that are there
	put "e/100/$n" "{\"name\":\"$n\",\"mac\":\"02:00:00:00:07:0$n\",\"host\":\"h3\"}"
	put "at/h3/100/$n" '{}'
done
comes "a host takes no more than the share" "[4,4]" has h1
comes "which it tells by the tenant's name" 1 told_by h1 \
	"tenant red: only 4 endpoints with 16 addresses fit into its share of this host"
is "those that were there stay" "$(endpoints h1 | gojq -c 'map(select(test("red/[a-z]")))')" \
	'["red/a","red/c"]'
check "and reach each other" reach red-a 10.0.0.3
check_fails "who waits is told" sw h3 -w 5 cluster wait timeout 5
gone e/100/5 e/100/4 e/100/3 e/100/2
comes "what fits comes, and no more" "[4,4]" has h1
tenant red
for n in 0 1; do gone e/100/$n; done
for n in 0 1 2 3 4 5; do gone at/h3/100/$n; done
check "all is well behind that" in_step h1
is "nothing is left of it" "$(endpoints h1)" "$before"

# ---- calls without an end --------------------------------------------------------
for i in {1..50}; do put "call/wait/$i" '{}'; done
check "who asks rightly is answered" sw h1 cluster wait timeout 5
is "others are not" "$(store read "$CLUSTER/answer/" | grep -c 'answer/[0-9]*/' || true)" 0
ctl del --prefix $CLUSTER/call/ >/dev/null
# With a lease, as tsw's own have it, each is answered: 16 in a turn, and no turn waits meanwhile.
lease=$(ctl lease grant 600 | awk '{ print $2 }')
kill -STOP "${AGENT[h1]}" # so that all are there at once
seq 320 | xargs -P 4 -I{} env ETCDCTL_API=3 etcdctl --endpoints "$(store_url m1)" \
	put --lease "$lease" $CLUSTER/call/wait/{} '{"by":"h3"}' >/dev/null
kill -CONT "${AGENT[h1]}"
check "who asks behind 320 of another host is answered" sw h1 cluster wait host h1 timeout 5
is "and so are these" "$(store read "$CLUSTER/answer/" | grep -c 'answer/[0-9]*/h1 ' || true)" 320
ctl lease revoke "$lease" >/dev/null

# ---- what a host says of itself -----------------------------------------------------
put vtep/192.0.2.9 '{"owner":"h9","nonce":"0"}'
put host/h9 '{"name":"h9","ip":["192.0.2.9"]}'
shown() { sw h1 -j cluster show h9 | gojq -c '.hosts[0] | [.alive, .since, .version]'; }
for since in 9223372036854775807 -1 253402300800 1e300; do
	put alive/h9 "{\"since\":$since,\"version\":\"\\u001b[2J\\n9\"}"
	is "since $since" "$(shown)" '[true,null,"\u001b[2J\n9"]'
done
check "no control character is printed" \
	bash -c "! grep -q $'\e' <<<\"\$('$TSW' -n h1 cluster show h9)\""
put alive/h9 "$(printf '[%.0s' {1..100000})"
is "100,000 brackets" "$(shown)" '[true,null,""]'
gone alive/h9
put $'alive/h9\n\e[2J' '{}'
sw h1 -w 3 cluster wait timeout 1 >$WORK/said 2>&1 || true
is "a host that is waited for is told escaped" "$(grep -o 'host "h9.*"' $WORK/said)" \
	'host "h9\x0a\x1b[2J"'
gone $'alive/h9\n\e[2J'
put alive/h9 '{"since":253402300799}'
is "the last second that has a name" "$(shown)" '[true,"9999-12-31T23:59:59Z",""]'
put host/ '{"by":"test"}'
gone alive/h9 host/h9 vtep/192.0.2.9

# ---- an id that is another's now -------------------------------------------------
# red's records go by hand, so red stays here; whoever gets its id does not get its endpoints' LAN.
ctl del --prefix $CLUSTER/tenant/ >/dev/null
comes "a tenant that is gone by mistake stays" 1 told_by h1 "tsw cluster accept"
ID[green]=100
tenant green
container green g h1 10.0.0.7/24 endpoint off
endpoint green g h1 7
comes "who has its id now cannot be made" 1 told_by h1 "tenant green"
check_fails "which hosts say" sw h3 cluster wait
is "its endpoints are in no other's" "$(endpoints h1)" "$before"
check "they reach nobody" no_reach green-g 10.0.0.1
check "red's still reach each other" reach red-a 10.0.0.3
gone tenant/green e/100/g at/h1/100/g
tenant red
tenant blue
check "red is back" retry 5 sw h3 cluster wait
is "as it was" "$(endpoints h1)" "$before"

# ---- a peering, and one of the two not understood ---------------------------------
# red - green - gray: h1 has red, so green, but not gray.
ID[green]=300
put gateway/ '{"by":"test"}'
put peer/ '{"by":"test"}'
n=0
for tenant in red green gray; do
	tenant $tenant
	put gateway/$tenant "{\"ip\":[\"10.0.$n.254/24\"],\"host\":\"h2\"}"
	n=$((n + 1))
done
endpoint green x h2 10.0.1.8 nodevice
endpoint gray y h2 10.0.2.8 nodevice
put peer/green/red '{"tenant":"green","with":"red"}'
put peer/gray/green '{"tenant":"gray","with":"green"}'
peers() { sw "$1" -j peer show | gojq -c 'map([.tenant, .with]) | sort'; }
comes "a peering" '[["green","red"]]' peers h1
is "and who is at its other end" "$(endpoints h1)" '["green/x","red/a","red/c"]'
tenant red ',"later":1'
comes "one of the two is not understood" 1 told_by h1 tenant/red
is "their peering stays" "$(peers h1)" '[["green","red"]]'
tenant red
check "it is understood again" retry 5 sw h3 cluster wait
endpoint green g h1 10.0.1.7
comes "peers of what became our own come, too" '[["gray","green"],["green","red"]]' peers h1
is "with what they have" "$(endpoints h1)" '["gray/y","green/g","green/x","red/a","red/c"]'
check "all are in step" sw h3 cluster wait
put peer/ '{"by":"test"}'
gone peer/green/red peer/gray/green
comes "and it goes" '[]' peers h1

# ---- more at once than is taken ---------------------------------------------------
head -c 1400000 /dev/zero | tr '\0' x >$WORK/large
for i in {1..24}; do
	for prefix in gateway host; do ctl put "$CLUSTER/$prefix/z$i" <$WORK/large >/dev/null; done
done
agent_end h1 KILL
agent h1
comes "67 MB of it are read" 1 told_by h1 "host/z1"
is "and what is right is done" "$(endpoints h1)" '["green/g","green/x","red/a","red/c"]'
for prefix in gateway host; do ctl del --prefix $CLUSTER/$prefix/z >/dev/null; done
check "all is well again" retry 5 sw h3 cluster wait

# ---- hosts that cannot follow -----------------------------------------------------
check "a switch goes down under its agent" sw h3 switch down
tenant red ',"mtu":1300'
check_fails "its host does not say that it follows" sw h1 cluster wait
comes "which is told" 1 told_by h3 "this host"
check "others do" sw h1 cluster wait host h2
# shellcheck disable=SC2086
check "it comes up" sw h3 switch up dev eth0 local "${VTEP[h3]}" name h3
check "and follows" retry 5 sw h1 cluster wait

# ---- once, by turns and not for ever ----------------------------------------------
agent_end h1
kill -STOP "${MEMBER[m1]}"
began=$(date +%s%N)
check_fails "etcd does not answer" sw h1 -w 2 agent once on
took=$((($(date +%s%N) - began) / 1000000))
check "which takes as long as it may" test $took -ge 1900 -a $took -lt 4000
sw h1 -w 10 agent once on >"$WORK/first" 2>&1 &
first=$!
sleep 0.3
check_fails "another one waits for its turn" sw h1 -w 1 agent once on
kill -CONT "${MEMBER[m1]}"
all=0
wait $first || all=1
is "the first is done" $all 0
check "then the next is" sw h1 -w 5 agent once on
tenant red
pids=()
for i in {1..8}; do
	sw h1 -w 10 agent once on >"$WORK/once$i" 2>&1 &
	pids+=($!)
done
all=0
for pid in "${pids[@]}"; do wait "$pid" || all=1; done
is "eight at once take turns" $all 0
is "and one of them had something to do" "$(grep -l 'red' "$WORK"/once[1-8] | wc -l)" 1
finish
