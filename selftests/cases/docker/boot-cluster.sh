#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: life/boot has plugins that wait; cluster/agent has an agent that begins
#
#   containers with --restart always ─ h1 192.0.2.1 ─── 192.0.2.2 h2     members of a cluster
#
# A member with Docker loses its power. When it boots, etcd comes late, or not for long.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_dockerd.sh"

dockerd_need
mount --make-rshared /run
cluster_up h1 h2
mkdir -m 700 $WORK/kept-h1
check "red" sw h1 -c tenant add red id 100 net 10.0.0.0/24
check "its gateway" sw h1 -c gateway add red ip 10.0.0.254/24 host h1
agent h2
# unit [WORD]...: as tsw-agent@h1 begins
unit() {
	manager
	"$TSW" -n h1 -i h1 switch up dev eth0 local "${VTEP[h1]}" name h1
	NOTIFY_SOCKET=$NOTIFY bg h1 "$TSW" -n h1 -w 10 agent "$@"
	AGENT[h1]=$BG AGENT_LOG[h1]=$BG_LOG
}
own() { js h1 endpoint show 'map(select(.dev) | .ip[0]) | sort'; }
records() { sw h1 -c -j endpoint show | gojq -c 'map(.ip[0]) | sort'; }
agree() { sw h1 -c check && [ "$(records)" = "$(own)" ]; }
cut() {
	agent_end h1 KILL
	power_cut h1
}
whole() { # DESC
	comes "$1: both containers run" "aa bb" running h1
	comes "$1: with their endpoints alone" '["10.0.0.40","10.0.0.50"]' own
	check "$1: they reach each other" retry 5 ping_of h1 aa 10.0.0.50
	is "$1: the port is published" "$(js h1 publish show 'map([.port, .to])')" '[[4080,"10.0.0.50:80"]]'
	is "$1: there are no other devices" "$(plugin_devices h1)" 2
	check "$1: no record of others stays" retry 60 agree
}

unit
check "the unit is active" retry 20 is_active
dockerd_on h1 --bridge=none --iptables=false --ip-forward=false
image h1
check "a network" tenant_network h1 red 10.0.0.0/24
check "a container" again h1 red aa --ip 10.0.0.40
check "another, with a port" again h1 red bb --ip 10.0.0.50 -p 4080:80
whole "before"

# ---- the units' order ---------------------------------------------------------------------------

cut
unit
check "the unit is active when it has the records" retry 20 is_active
dockerd_on h1 --bridge=none --iptables=false --ip-forward=false
whole "etcd is there"

# ---- etcd comes late ----------------------------------------------------------------------------

cut
member_end m1 KILL
unit
says() { grep -c "$1" "${AGENT_LOG[h1]}"; }
comes "the agent says what it waits for" 1 says "etcd does not answer"
check_fails "the unit is not active without etcd" is_active
member m1
check "and active when etcd has come" retry 40 is_active
dockerd_on h1 --bridge=none --iptables=false --ip-forward=false
whole "etcd came late"

# ---- etcd stays away ----------------------------------------------------------------------------

cut
member_end m1 KILL
unit wait 3
check "the unit is active after the wait" retry 20 is_active
dockerd_on h1 --bridge=none --iptables=false --ip-forward=false
is "no container runs without etcd" "$(running h1)" ""
is "nothing is left of the tries" "$(plugin_devices h1)" 0
member m1
check "etcd is back" in_step h1 60
start_dead h1 >/dev/null
whole "started by hand"
finish
