#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cluster/gone has the same deletions, by an agent that nobody disturbs
#
#   containers ─ h1 192.0.2.1 ─── 192.0.2.2 h2, taken over      etcd with TLS and roles
#
# A host's least role is enough to delete records of its containers that are gone. Nothing that
# lives is deleted: not while etcd is away, not by what another host writes, not beside ADD.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_roles.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_gone.sh"

cluster_roles h1=192.0.2.1 h2=192.0.2.2
check "an operator makes red" ops -c tenant add red id 100 net 10.0.0.0/24
ops -c gateway add red ip 10.0.0.254/24 host h2 nat on
agent h1 h2
alive() { store read "$CLUSTER/alive/" | grep -c '"since"'; }
comes "both are alive" 2 alive
seen() { metric h1 tsw_agent_orphan_endpoints; }
deleted() { metric h1 tsw_agent_orphans_deleted_total; }

# ---- the least role, and what it may not withdraw ------------------------------------------------

for i in 1 2 3 4; do pod h1 red p$i; done
pod h1 red p5
ip=$(address 10.0.0.)
check "an operator publishes a port of p5" ops -c publish add red proto tcp port 5080 to "$ip:80"
check "h1 has it" in_step h1
is "and does not complain that h2 serves the gateway" "$(told_by h1 'does not serve')" ""
dies h1 p5
comes "the agent sees that it is gone" 1 seen
agent_end h1 KILL # before its second look
agent h1
comes "so does the next agent" 1 seen
check "which deletes it" retry 20 is_named red '["p1","p2","p3","p4"]'
check "and says what stays" grep -q "p5-eth0: deleted .*; this host may not withdraw" "${AGENT_LOG[h1]}"
check "the port is the operator's to withdraw" ops -c publish del red proto tcp port 5080

pod_again() { conf h1 red "$(given "$1")" | cni h1 ADD "$1"; } # its namespace is there

# ---- another host writes -------------------------------------------------------------------------

# What h2's role lets it write about p4, which lives on h1, and about a user's own endpoint there.
ip -n h1 link add web type veth peer name web1
check "a user's own" sw h1 -c endpoint add web tenant red dev web
ip -n h1 link del web
for name in $(sw h1 -c -j endpoint show tenant red | gojq -r '.[].name | select(test("-p4-|^web$"))'); do
	as h1 get --print-value-only "$CLUSTER/e/100/$name" |
		gojq -c '.dev = "tswaaaaaaaaaaaa"' >$WORK/forged
	check "h2 forges the device of $name" as h2 put "$CLUSTER/e/100/$name" "$(<$WORK/forged)"
	check_fails "it may not forge h1's index" as h2 put "$CLUSTER/at/h1/100/$name" \
		'{"dev":"tswaaaaaaaaaaaa"}'
done
is "gc goes by the index" "$(gc h1)" '[]'
sleep 40 # longer than the agent's two looks
is "so does the agent" "$(named red)" '["p1","p2","p3","p4","web"]'
is "it has deleted one in all" "$(deleted)" 1

# ---- etcd is away --------------------------------------------------------------------------------

dies h1 p1
comes "one is gone" 1 seen
kill -STOP "${MEMBER[m1]}"
took() { # DESC SECONDS COMMAND...
	local from=${EPOCHREALTIME/./} ms

	"${@:3}" >$WORK/took || true
	ms=$(((${EPOCHREALTIME/./} - from) / 1000))
	note "$1: $ms ms"
	check "$1: within $2 s" test $ms -lt $(($2 * 1000 * ${TSW_SLOW:-1}))
}
call() { conf h1 red | cni h1 "$@"; }
took "a DEL" 8 call DEL p2
is "says that etcd is away" "$(gojq -c .code $WORK/took)" 11
took "the next" 2 call DEL p2
took "another" 2 call DEL p3
netns new
took "an ADD" 2 call ADD new
is "says so, too" "$(gojq -c .code $WORK/took)" 11
took "STATUS" 2 call STATUS
sleep 40 # longer than the agent's grace
kill -CONT "${MEMBER[m1]}"
is "nothing was deleted meanwhile" "$(named red)" '["p1","p2","p3","p4","web"]'
check "an ADD, when etcd is back" pod h1 red p6
check "all that is gone is deleted" retry 20 is_named red '["p4","p6","web"]'

# ---- records that it may not delete --------------------------------------------------------------

# The agent deletes 50 at once. Fifty that are refused come first each time, by their tenant's id.
check "an operator makes blue" ops -c tenant add blue id 200 net 10.0.0.0/24
many=()
for i in {1..50}; do pod h1 red "many$i" && many+=("many$i"); done
pod h1 blue last
roles h1=192.0.2.1@200 >$WORK/roles 2>&1
dies h1 "${many[@]}" last
check "another is deleted, though fifty are refused" retry 20 is_named blue '[]'
is "these are still there" "$(named red | gojq '[.[] | select(startswith("many"))] | length')" 50
check "and the agent says so" grep -q "cannot delete the record of endpoint red/.*many" \
	"${AGENT_LOG[h1]}"
roles h1=192.0.2.1 >$WORK/roles 2>&1
check "they are deleted as soon as it may" retry 20 is_named red '["p4","p6","web"]'

# ---- beside ADD and DEL --------------------------------------------------------------------------

agent_end h1
stop=$WORK/stop
gcs() { until [ -e $stop ]; do sw h1 -c gc || echo failed; done; }
gcs >$WORK/gc.1 2>&1 & PIDS+=($!)
gcs >$WORK/gc.2 2>&1 & PIDS+=($!)
wrong=()
for i in 1 2 3 4 5 6 7 8; do
	call ADD new >$WORK/added || wrong+=("ADD $i: $(<$WORK/added)")
	conf h1 red "\"prevResult\":$(gojq -c . $WORK/added)" | cni h1 CHECK new >$WORK/checked ||
		wrong+=("CHECK $i: $(<$WORK/checked)")
	# Without DEL: the next ADD is of the same container, whose device goes a moment later.
	[ $((i % 2)) = 1 ] && dies h1 new && ip netns add new
	[ $((i % 2)) = 1 ] || call DEL new >$WORK/deleted || wrong+=("DEL $i: $(<$WORK/deleted)")
done
touch $stop
all_ended
is "two gc at once take nothing that ADD makes" "${wrong[*]}" ""
is "and do not fail" "$(cat $WORK/gc.*  | grep -A1 -e failed -e ^tsw: || true)" ""

# An ADD of a container writes the file with its name anew, before gc hears that it has deleted the
# record of the container before.
bg h1 "$PY" "$TOOLS/forward.py" 127.0.0.1:2380 127.0.0.1:2379 0.6
check "answers that come late" retry 5 on h1 \
	sh -c 'ss -Htln "sport = 2380" | grep -q .'
pod h1 red slow "$(given slow)"
dies h1 slow
ip netns add slow
cp /etc/tsw/h1.cluster $WORK/member
sed 's/:2379/:2380/' $WORK/member >/etc/tsw/h1.cluster
sw h1 -w 30 -c gc >$WORK/gc.late 2>&1 & LATE=$!
late() { [ -n "$(on h1 ss -Htn state established "dport = 2380")" ]; }
check "a gc hears late" retry 5 late
cp $WORK/member /etc/tsw/h1.cluster
no_record() { ! store read "$CLUSTER/e/100/slow" | grep -q "/slow "; }
check "it deletes the record" retry 10 no_record
check "an ADD of the next" pod_again slow
check "comes before gc hears of it" kill -0 $LATE
wait $LATE || not_ok "gc fails: $(<$WORK/gc.late)"
is "the file of the next is there" "$(kept | grep -c -- '-slow-')" 1
check "so DEL finds its endpoint" call DEL slow
is "and nothing is left" "$(named red) $(kept)" '["p4","p6","web"] '
check "without an agent gc is enough" sw h1 -c gc
is "nothing is left of it" "$(named red)" '["p4","p6","web"]'
check "the records agree" grep -qx '\["wrong_device"\]' <<<"$({ sw h1 -c -j check || true; } |
	gojq -c '[.problems[].what] | unique')"
finish
