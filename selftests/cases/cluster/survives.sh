#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cluster/agent ends, kills and stops agents; cluster/claims stops members of etcd
# long: it waits until silent members are noticed
# What a cluster goes through, with three members of etcd. Members come, go, stand still and lag;
# the quorum is lost; a disk is full; the store is an old copy; leases end; agents are killed
# anywhere. Red's frames pass all the while, and afterwards each host is in step.
#
#   h1 192.0.2.1 ── h2 192.0.2.2      etcd: m1 m2 m3 in the case's own namespace, which hosts
#    red-a .1        red-c .3         reach as 127.0.0.1 to 127.0.0.3, by forwarders
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_cluster.sh"

MEMBERS="m1 m2 m3" cluster_up h1 h2
# Who is asked may be the one that stands still, or a leader be still to be found.
put() { retry 10 store put "$CLUSTER/$1" "$2"; }
endpoint() { # NAME HOST N [DEV]
	put e/100/ '{"by":"test"}'
	put "e/100/$1" "{\"name\":\"$1\",\"mac\":\"$(mac_of 10.0.0."$3")\",\"ip\":[\"10.0.0.$3\"],\"host\":\"$2\",\"dev\":\"${4:-red-$1}\"}"
	put "at/$2/" '{"by":"test"}'
	put "at/$2/100/$1" "{\"dev\":\"${4:-red-$1}\"}"
}
gone() { # NAME HOST: as by tsw, but not in one transaction: the pulse comes first
	ctl txn >/dev/null <<-END

		put $CLUSTER/e/100/ x
		del $CLUSTER/e/100/$1
		del $CLUSTER/at/$2/100/$1


	END
}
endpoints() { sw "$1" -j endpoint show | gojq -c 'map(.name) | sort'; }
knows() { endpoints "$1" | grep -q "\"$2\""; }
known() { ! knows "$@" || echo 1; }
compact() { # away with all that was before
	for i in {1..20}; do put noise $i; done
	retry 5 try_compact
}
try_compact() { ctl compact "$(ctl get noise -w json | gojq .header.revision)"; }

put tenant/ '{"by":"test"}'
put vni/100 '{"owner":"red","nonce":"0"}'
put tenant/red '{"name":"red","id":100,"encap":"vxlan","broadcast":true}'
containers4 red "a@h1 c@h2" endpoint off
endpoint a h1 1
endpoint c h2 3
agent h1 h2
check "all are in step" in_step h1
check "red is whole" reach red-a 10.0.0.3
pings red-a 10.0.0.3

# ---- members ---------------------------------------------------------------------
for m in m1 m2 m3; do
	member_end $m
	endpoint r$m h2 1${m#m} none
	comes "without $m the others go on" 1 known h1 r$m
	member $m
	check "$m is back" retry 10 bash -c "'$ETCDCALL' -w 500 $(store_url $m) put /up $m"
done
check "in step behind a rolling restart" in_step h2
for m in m1 m2 m3; do
	kill -STOP "${MEMBER[$m]}"
	endpoint s$m h2 2${m#m} none
	comes "$m stands still, and the others are heard" 1 known h1 s$m
	kill -CONT "${MEMBER[$m]}"
done
check "in step" in_step h1
kill -STOP "${MEMBER[m1]}" "${MEMBER[m2]}"
comes "no quorum: it is told" 1 told_by h1 "etcd does not answer"
check_fails "nor does anybody wait for ever" sw h1 -w 2 cluster wait timeout 2
before=$(sw h1 save)
if [ -n "${TSW_QUICK:-}" ]; then sleep 2; else sleep 60; fi
is "what is here stays" "$(sw h1 save)" "$before"
kill -CONT "${MEMBER[m1]}" "${MEMBER[m2]}"
check "with a quorum it goes on" in_step h1 20
endpoint q h2 31 none
comes "and hears" 1 known h1 q

# ---- leases and agents -----------------------------------------------------------
alive() { sw h2 -j cluster show h1 | gojq -c '.hosts[0].alive'; }
lease() { ctl get $CLUSTER/alive/h1 -w json | gojq -r '.kvs[0].lease'; }
was=$(lease) before=$(endpoints h2)
ctl lease revoke "$(printf %x "$was")" >/dev/null
is "a lease that is lost marks the host" "$(alive)" false
is "and deletes nothing" "$(endpoints h2)" "$before"
comes "it is got again" true alive
kill -STOP "${AGENT[h1]}"
endpoint t h2 32 none
compact
kill -CONT "${AGENT[h1]}"
comes "an agent that stood still hears what it missed" 1 known h1 t
kill "${FORWARDER[h1:m1]}" "${FORWARDER[h1:m2]}" "${FORWARDER[h1:m3]}"
endpoint u h2 33 none
compact
for n in 1 2 3; do forward h1 $n; done
comes "behind a compaction all is read again" 1 known h1 u
check "in step" in_step h1

# ---- an address goes from one to another while nobody looks ----------------------
agent_end h1 KILL
gone u h2
endpoint v h2 33 none
agent h1
comes "who begins anew knows the new one" 1 known h1 v
is "alone" "$(endpoints h1 | grep -c '"u"' || true)" 0
is "by the address" "$(sw h1 -j endpoint show v | gojq -r '.[0].ip[0]')" 10.0.0.33

# ---- killed at each call ---------------------------------------------------------
agent_end h1
wrong=()
step=$([ -n "${TSW_QUICK:-}" ] && echo 7 || echo 1)
for ((n = 1;; n = AT + step)); do
	gone k$((1 - n % 2)) h2
	endpoint k$((n % 2)) h2 40 none
	killed $n agent once on || break
	sw h1 -q agent once on >/dev/null 2>&1 || wrong+=("again: $n")
	knows h1 k$((n % 2)) && ! knows h1 k$((1 - n % 2)) || wrong+=("differs: $n")
	sw h1 switch check >/dev/null || wrong+=("check: $n")
done
note "agent once: $n calls, $KILLS kills"
is "killed and completed" "${wrong[*]}" ""
agent h1
check "in step" in_step h1

# ---- a full disk -----------------------------------------------------------------
member_down() { for m in m1 m2 m3; do member_end $m; done; }
before=$(endpoints h1)
member_down
ETCD_FLAGS="--quota-backend-bytes 100000" member m1 m2 m3
check "etcd is back, with a small disk" retry 10 ctl get /up
fills() { ! store puts /full/ 3000 >/dev/null 2>&1; }
check "it is full" retry 10 fills
check_fails "who writes is told" sw h2 cluster accept
is "who runs goes on" "$(endpoints h1)" "$before"
member_down
member m1 m2 m3
check "with room again" retry 10 ctl alarm disarm
check "all go on" in_step h1 20

# ---- an old copy of the store ----------------------------------------------------
ctl snapshot save $WORK/backup >/dev/null 2>&1
for n in 1 2 3 4 5 6 7 8; do endpoint w$n h2 5$n none; done
check "in step" in_step h1
before=$(endpoints h1)
restore() { # all members, from $WORK/backup
	local peers n

	peers=m1=http://127.0.0.1:2380,m2=http://127.0.0.2:2380,m3=http://127.0.0.3:2380
	member_down
	for n in 1 2 3; do
		rm -r $WORK/m$n
		ETCDCTL_API=3 etcdctl snapshot restore $WORK/backup --data-dir $WORK/m$n --name m$n \
			--initial-cluster $peers --initial-cluster-token store \
			--initial-advertise-peer-urls http://127.0.0.$n:2380 >/dev/null 2>&1
	done
	member m1 m2 m3
	check "a backup is restored" retry 10 ctl get /up
}
restore
comes "it is found out" 1 told_by h1 "replaced or restored"
is "and what it does not have stays" "$(endpoints h1)" "$before"
endpoint x h2 61 none
comes "what is written now is heard" 1 known h1 x
check_fails "not all are in step" sw h1 -w 5 cluster wait timeout 10
check "until it was meant" retry 5 sw h2 cluster accept
check "then all are" in_step h1
is "and it is gone" "$(known h1 w1)" ""

# ---- one that went on by itself --------------------------------------------------
# Its revisions are used for others, so that it does not look older to who comes back.
revision() { ctl get / -w json | gojq .header.revision; }
others() { grep -c "replaced or restored" "${AGENT_LOG[h1]}" || true; }
comes_back() { # DESC HOW NAME N: h1's agent, which was away meanwhile
	local was before

	ctl del $CLUSTER/call/accept >/dev/null # or all would be meant for five minutes
	ctl snapshot save $WORK/backup >/dev/null 2>&1
	endpoint "$3" h2 "$4" none
	check "$1: in step" in_step h1
	before=$(revision)
	was=$(others)
	if [ "$2" = KILL ]; then
		agent_end h1 KILL
		was=0
	else
		kill -STOP "${AGENT[h1]}"
	fi
	restore
	while [ "$(revision)" -le $((before + 5)) ]; do put noise 1; done
	if [ "$2" = KILL ]; then agent h1; else kill -CONT "${AGENT[h1]}"; fi
	comes "$1: it is found out" $((was + 1)) others
	sleep 0.5
	is "$1: what it does not have stays" "$(known h1 "$3")" 1
	check "$1: until it was meant" retry 5 sw h2 cluster accept
	check "$1: then all are in step" in_step h1
	is "$1: and it is gone" "$(known h1 "$3")" ""
}
comes_back "an agent that stood still" STOP v1 71
comes_back "one that begins anew" KILL v2 72

# Who could not carry anything out has not got over its distrust.
ctl del $CLUSTER/call/accept >/dev/null
ctl snapshot save $WORK/backup >/dev/null 2>&1
endpoint v3 h2 73 none
check "in step" in_step h1
before=$(revision)
agent_end h1
restore
while [ "$(revision)" -le $((before + 5)) ]; do put noise 1; done
flock /run/tsw/h1 sleep 4 &
holder=$!
AGENT_WORDS=(-w 1)
agent h1
comes "another store, and a switch that somebody holds" 1 told_by h1 "this host"
agent_end h1 KILL
wait $holder || true
agent h1
comes "the next agent finds it out, too" 1 told_by h1 "replaced or restored"
sleep 0.5
is "and what it does not have stays" "$(known h1 v3)" 1
check "until it was meant" retry 5 sw h2 cluster accept
check "then all are in step" in_step h1
lost_none "all the while"
finish
