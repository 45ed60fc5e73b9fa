#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: life/boot has apply, and tsw-cni that waits for a switch
#
#   containers with --restart always ─ h1 192.0.2.1
#
# A host with Docker loses its power and boots, with the units' order and with others.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_dockerd.sh"

dockerd_need
F=$WORK/h1.json
mount --make-rshared /run # tsw-docker sees a router that is made later, as in a unit of systemd
topo h1 h2
uplink h1 world 1
mkdir -m 700 $WORK/kept-h1
sw h1 tenant add red id 100 net 10.0.0.0/24
sw h1 gateway add red ip 10.0.0.254/24
dockerd_on h1
image h1
check "a network" tenant_network h1 red 10.0.0.0/24
check "a container" again h1 red aa
check "another, with a port" again h1 red bb --ip 10.0.0.50 -p 4080:80
own() { js h1 endpoint show 'map(.ip[0] // .name) | sort'; }
dev() { js h1 endpoint show '.[] | select(.ip[0] == "10.0.0.50") | .dev'; }

# boots [SECONDS]: applies what was saved, as the unit does, until the switch is up
boots() {
	"$TSW" -n h1 apply $F wait "${1:-60}" missing skip >$WORK/applied 2>&1 &
	APPLY=$!
	undo kill $APPLY
}
up() { sw h1 -w 0 switch show; }
# whole DESC: both containers are back, and nothing else
whole() {
	comes "$1: both containers run" "aa bb" running h1
	comes "$1: with their endpoints alone" '["10.0.0.1","10.0.0.50"]' own
	check "$1: they reach each other" retry 5 ping_of h1 aa 10.0.0.50
	check "$1: and the gateway" retry 5 ping_of h1 bb 10.0.0.254
	is "$1: the port is published" "$(js h1 publish show 'map([.port, .to])')" '[[4080,"10.0.0.50:80"]]'
	is "$1: there are no other devices" "$(plugin_devices h1)" 2
	check "$1: nothing is wrong" sw h1 switch check
}
sw h1 switch repair >/dev/null 2>&1 # dockerd has made docker0, and there is no agent
whole "before"
# One of LXC, whose device comes later than all others.
sw h1 save | gojq '.tenants[0].endpoints += [{"name": "late", "mac": "02:00:00:00:00:07",
	"ip": ["10.0.0.7"], "host": "h1", "dev": "lxc-late"}]' >$F

# ---- the units' order ---------------------------------------------------------------------------

old=$(dev)
power_cut h1
boots 600
check "the switch comes up" retry 20 up
dockerd_on h1
whole "the switch first"
is "they are other devices" "$([ "$old" != "$(dev)" ] && echo yes)" yes
check "apply still waits" kill -0 $APPLY
ip -n h1 link add lxc-late type veth peer name late
wait $APPLY && status=0 || status=$?
is "for the last one" "$status $(own)" '0 ["10.0.0.1","10.0.0.50","10.0.0.7"]'
is "and has told what it left out" "$(grep -c 'left out: ' $WORK/applied)" 1
sw h1 endpoint del late
ip -n h1 link del lxc-late

# ---- Docker first -------------------------------------------------------------------------------

# It asks while apply waits for the underlay, and all is there in time.
asked() { grep -- '->' /proc/locks | grep -q ":$(stat -c %i /run/tsw/h1) "; }
power_cut h1
ip -n h1 link set eth0 down
ip -n h1 link set eth0 name slow
boots
coming() { up 2>&1 | grep -c 'is coming up'; }
comes "the switch is coming" 1 coming
(
	retry 30 asked
	ip -n h1 link set slow name eth0
	ip -n h1 link set eth0 up
) &
undo kill $!
dockerd_on h1
whole "the switch is coming"

# Nothing is coming: Docker is told at once, and does not try again by itself.
power_cut h1
dockerd_on h1
is "without a switch nothing runs" "$(running h1)" ""
check "which the log tells" grep -q 'no switch .*h1.* is up' $DOCKERD/h1/log
is "nothing is left of the tries" "$(plugin_devices h1)" 0
boots 0
check "the switch comes up, too late" retry 20 up
start_dead h1 >/dev/null
whole "started by hand"

# ---- containers that went on --------------------------------------------------------------------

old=$(dev)
sw h1 save >$F
sw h1 switch down
check "the switch is made anew" "$TSW" -n h1 apply $F wait 60 missing skip
whole "the switch alone was gone"
is "they have their devices" "$(dev)" "$old"
finish
