#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cluster/gone loses containers of tsw-cni without a runtime
#
#   c0 ... c9 ─ h1 192.0.2.1 ─── 192.0.2.2 h2       members; red's net has 13 addresses
#
# Docker's daemon on a member of a cluster: h1 reboots twice, and etcd is late. Whatever Docker is
# told meanwhile, the records are in the end those of what lives, and addresses are free again.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_dockerd.sh"

dockerd_need
cluster_up h1 h2
mkdir -m 700 $WORK/kept-h1
check "red" sw h1 -c tenant add red id 100 net 10.0.0.0/28
check "its gateway" sw h1 -c gateway add red ip 10.0.0.14/28 host h1
records() { store read $CLUSTER/ | grep -E "$CLUSTER/(e|at|ip|mac|publish)/" | grep -v '"by"' || true; }
count() { sw h1 -c -j endpoint show tenant red | gojq length; }
runs() { [ "$(running h1)" = "$1" ]; }
have() { retry 25 eval "[ \"\$(count)\" = $1 ]"; } # N: the agent has time to delete the others
clean=$(records)
agent h1 h2
daemon() { dockerd_on h1 --bridge=none --iptables=false --ip-forward=false; }
daemon
image h1
check "a network" tenant_network h1 red 10.0.0.0/28
start() { # NAME [WORD]...
	dock h1 run -d --name "$1" --network red "${@:2}" box /bin/busybox sleep 1000 2>&1
}

reboot() {
	agent_end h1 KILL
	power_cut h1
	sw h1 switch up dev eth0 local "${VTEP[h1]}" name h1
	agent h1
}
daemon_takes() { # DESC SECONDS: the daemon is there within
	local from=$SECONDS

	daemon
	note "$1: $((SECONDS - from)) s"
	check "$1" test $((SECONDS - from)) -le $(($2 * ${TSW_SLOW:-1}))
}

check "one that always runs" start c0 --restart always --ip 10.0.0.1
check "another" start c1 --restart always -l x
for i in {2..9}; do start c$i >/dev/null; done
is "each has a record" "$(count)" 10

# ---- live-restore: the daemon is away, and all live ----------------------------------------------

daemon_ends h1 KILL
before=$(records)
sleep 40 # longer than the agent's two looks
is "what lives while the daemon is away keeps its records" "$(records)" "$before"
daemon_begins h1
is "all run" "$(running h1)" "c0 c1 c2 c3 c4 c5 c6 c7 c8 c9"

# ---- a reboot with etcd away ---------------------------------------------------------------------

kill -STOP "${MEMBER[m1]}"
reboot
daemon_takes "the daemon begins without etcd, with ten containers" 40
check "and rm -f" dock h1 rm -f c2 c3
is "nothing was deleted" "$(kill -CONT "${MEMBER[m1]}"; count)" 10
for c in c0 c1; do retry 10 dock h1 start $c; done
check "the agent deletes what is dead" have 2
is "what runs has its records" "$(running h1) $(js h1 endpoint show 'map(select(.dev)) | length')" "c0 c1 2"
# What was given up a minute ago or less is nobody's yet.
again() { dock h1 rm -f "$1" && start "$1"; } # NAME
for i in 10 11 12 13 14 15 16 17 18 19; do retry 70 again c$i; done
is "the net has room for others" "$(count)" 12

# ---- and one with etcd ---------------------------------------------------------------------------

reboot
check "h1 is in step, as its unit waits for" in_step h1 60
daemon_takes "the daemon begins" 40
check "what always runs is back, with its fixed address" retry 10 runs "c0 c1"
is "the fixed one" "$(ip_of h1 c0)" 10.0.0.1
check "records are those of what lives" have 2
is "-c check finds nothing" "$(sw h1 -c -j check | gojq .ok)" true
comes "nor does switch check" true js h1 switch check .ok

# ---- the end, without etcd -----------------------------------------------------------------------

check "one more, when what Docker asked for a minute ago rests no more" retry 70 again more
kill -STOP "${MEMBER[m1]}"
dock h1 rm -f more c0 c1 >/dev/null 2>&1 || true
dock h1 container prune -f >/dev/null 2>&1 || true
comes "rm -f and prune take the devices" 0 plugin_devices h1
kill -CONT "${MEMBER[m1]}"
check "the agent the records" have 0
check "the network goes" dock h1 network rm red
is "nothing is left" "$(records)$(kept h1)" "$clean"
daemon_ends h1 TERM
finish
