#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cni/plugin has the same calls on one host; cni/groups runs on members, too
#
#   p1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ p2, blue-1      members of a cluster, with agents
#
# tsw-cni on members of a cluster. The other host reaches what ADD makes on one, without a command
# there. DEL, GC and kills leave no record, and GC keeps the other host's records.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_cni.sh"

cluster_up h1 h2
check "red" sw h1 -c tenant add red id 100 net 10.0.0.0/24 net fd00:a::/64
check "its gateway" sw h1 -c gateway add red ip 10.0.0.254/24 host h1
check "blue" sw h1 -c tenant add blue id 200 net 10.0.0.0/24
records() {
	store read $CLUSTER/ >$WORK/all || echo "the store does not answer"
	grep -E "$CLUSTER/(e|at|ip|mac|publish)/" $WORK/all | grep -v '"by"' || true
}
# The same network on both hosts, whose switches have other names: that of each is the instance.
both() { conf "$1" red "${2:-}"; }
clean=$(records)

# ---- without agents -----------------------------------------------------------------------------

pod h1 red p0
is "ADD without an agent" "$(gojq '.ips | length' <<<"$RESULT") $(endpoints h1 | grep -c -- -p0-)" "2 1"
is "CHECK" "$(both h1 "\"prevResult\":$(gojq -c . <<<"$RESULT")" | cni h1 CHECK p0)" ""
is "DEL" "$(both h1 | cni h1 DEL p0) $(endpoints h1)" " []"
is "leaves no record" "$(records)" "$clean"

# ---- with agents --------------------------------------------------------------------------------

agent h1 h2
alive() { store read "$CLUSTER/alive/" | grep -c '"since"'; }
comes "both are alive" 2 alive
from=$(date +%s%N)
pod h1 red p1
note "ADD took $((($(date +%s%N) - from) / 1000000)) ms, with what calls it"
first=$(address 10.0.0.) first6=$(address fd00)
pod h2 red p2 '"runtimeConfig":{"mac":"02:00:00:00:00:02"}'
second=$(address 10.0.0.)
is "another address" "$([ "$first" != "$second" ] && echo yes)" yes
is "the gateway's route" "$(gojq -c .routes <<<"$RESULT")" '[{"dst":"0.0.0.0/0","gw":"10.0.0.254"}]'
check "the other host's is reached" reach p2 "$first"
check "by IPv6" reach p2 "$first6"
check "and back" reach p1 "$second"
RESULT=$(netns b1 && conf h2 blue "\"runtimeConfig\":{\"ips\":[\"$first\"]}" | cni h2 ADD b1)
is "blue has an equal address" "$(address 10.0.0.)" "$first"
check "which leads nowhere in red" no_reach b1 "$second"
code() { { cni "$@" || true; } | gojq -c .code; }
netns c
before=$(records)
is "an address that is the other host's" \
	"$(conf h1 red "\"runtimeConfig\":{\"ips\":[\"$second\"]}" | code h1 ADD c)" 100
is 10.0.0.255 "$(conf h1 red '"runtimeConfig":{"ips":["10.0.0.255"]}' | code h1 ADD c)" 100
is "a MAC that is" "$(conf h1 red '"runtimeConfig":{"mac":"02:00:00:00:00:02"}' | code h1 ADD c)" 100
is "an unknown tenant" "$(conf h1 green | code h1 ADD c)" 7
is "have left nothing" "$(records)$(ip -n c -br link show type veth)" "$before"
is "STATUS" "$(both h1 | cni h1 STATUS)" ""

# ---- GC -----------------------------------------------------------------------------------------

# One instance's name on both hosts would make the same names: records alone tell whose they are.
valid='"cni.dev/valid-attachments":[{"containerID":"p1","ifname":"eth0"}]'
pod h1 red p3
both h1 "$valid" | cni h1 GC
is "GC takes what is not listed" "$(records)" "$before"
check "what is listed works" reach p2 "$first"

# The same container's name by another host: by hand here, as one instance's name would make it.
pod h1 red p4
name=$(js h1 endpoint show tenant red '.[].name | select(contains("-p4-"))')
both h1 | cni h1 DEL p4
check "its name at another host" sw h2 -c endpoint add "$name" tenant red host h2
check "all know" sw h2 cluster wait
others=$(records)
is "ADD is refused" "$(both h1 | code h1 ADD p4)" 100
is "DEL is not about that one" "$(both h1 | cni h1 DEL p4)" ""
both h1 "$valid" | cni h1 GC
is "nor is GC" "$(records)" "$others"
check "which goes where it is" sw h2 -c endpoint del "$name" tenant red
is "and nothing is left" "$(records)" "$before"

# ---- many at once -------------------------------------------------------------------------------

for i in {1..20}; do
	ip netns add m$i
	host=h$((i % 2 + 1))
	conf $host red | cni $host ADD m$i >$WORK/m.$i & PIDS+=($!)
done
all_fine "20 at once on two hosts: none fails"
is "each has its own address" "$(cat $WORK/m.* | gojq -r '.ips[0].address' | sort -u | wc -l)" 20
for i in {1..20}; do conf h$((i % 2 + 1)) red | cni h$((i % 2 + 1)) DEL m$i; done
is "all are gone" "$(records)" "$before"

# ---- killed -------------------------------------------------------------------------------------

step=${KILL_STEP:-5}
wrong=()
port='"runtimeConfig":{"portMappings":[{"hostPort":8080,"containerPort":80}]}'
both h1 "$port" >$WORK/conf
both h1 "$valid" >$WORK/gc
taken_away() { # WHAT: what was killed is taken away, by DEL and GC in turn
	if [ $((KILLS % 2)) = 1 ]; then verb=DEL file=conf; else verb=GC file=gc; fi
	tried "$verb after $1" cni h1 $verb c <$WORK/$file
	[ "$(records)" = "$before" ] || wrong+=("$1 ($AT): a record")
	[ -z "$(ip -n c -br link show type veth)" ] || wrong+=("$1 ($AT): a device")
}
for ((n = 1;; n = AT + step)); do
	killed_via $n cni h1 ADD c <$WORK/conf || break
	taken_away "$n"
done
note "ADD: $n calls, $KILLS kills"
check "there were calls to be killed at" test $n -gt 20
is "killed and not taken away" "${wrong[*]}" ""
is "it has published its port" "$(sw h1 -c -j publish show | gojq -c 'map([.tenant, .port])')" '[["red",8080]]'
cni h1 DEL c <$WORK/conf
is "DEL takes that, too" "$(records)" "$before"
KILLS=0
for ((n = 1;; n = AT + $(every 2 $step))); do
	tried "ADD before GC $n" cni h1 ADD c <$WORK/conf
	killed_via $n cni h1 GC <$WORK/gc || break
	taken_away "GC $n"
done
note "GC: $n calls, $KILLS kills"
is "a GC that is killed leaves nothing for the next, or DEL" "${wrong[*]}" ""
check "there were calls to be killed at" test $KILLS -gt 3
is "a whole one succeeds" "$AT" ""
is "and has taken all" "$(records)" "$before"

# ---- etcd does not answer -----------------------------------------------------------------------

agent_end h1
kill -STOP "${MEMBER[m1]}"
SECONDS=0
is "STATUS tells it" "$(both h1 | code h1 STATUS)" 50
check "the containers go on" reach p2 "$first"
kill -CONT "${MEMBER[m1]}"
both h1 | cni h1 DEL p1
conf h2 red | cni h2 DEL p2
conf h2 blue | cni h2 DEL b1
is "nothing is left" "$(records)" "$clean"
finish
