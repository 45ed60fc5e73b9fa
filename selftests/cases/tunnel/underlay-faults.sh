#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a, blue-a ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-c, blue-c
#   g: a switch whose namespace goes
#
# The underlay's device goes down, loses its address, is made anew, and another device gets its
# number. The switch's namespace goes. What `switch check` says, and which command mends it.
. "$(dirname "$0")/../../lib.sh"
# shellcheck source-path=SCRIPTDIR/..
. "$LIB/lib_faults.sh"

topo_hosts h1 h2
switch_up
tenants
containers4 "red blue" "a@h1 c@h2"
listen blue-a blue-c
tcx=$(sw h1 -j switch show | gojq '.attach == "tcx"')
finds "nothing is wrong at first" h1
check "frames pass" loud red-a 10.0.0.3

# ---- down, and its address ---------------------------------------------------------------

ip -n h1 link set eth0 down
finds "the underlay is down" h1 "underlay_device eth0"
ip -n h1 link set eth0 up
retry 5 carrier h1 eth0
finds "and up: nothing else to do" h1
check "frames pass again" loud red-a 10.0.0.3
ip -n h2 link set eth0 down
without_carrier() { [ "$(problems h1)" = "underlay_device eth0" ]; }
retry 5 without_carrier
finds "no carrier" h1 "underlay_device eth0"
ip -n h2 link set eth0 up
retry 5 carrier h1 eth0
ip -n h1 addr del 192.0.2.1/24 dev eth0
finds "the local address is gone" h1 "underlay_address 192.0.2.1"
ip -n h1 addr add 192.0.2.9/24 dev eth0
finds "another came" h1 "underlay_address 192.0.2.1"
says "repair leaves that to the operator" "left: " sw h1 switch repair
check "switch set local is the way back" sw h1 switch set local 192.0.2.9
finds "it knows its address" h1
check "the other host does not yet" no_loud red-a 10.0.0.3
check "it is told" sw h2 host set h1 ip 192.0.2.9
check "frames pass again" loud red-a 10.0.0.3
ip -n h1 link set eth0 down
ip -n h1 link set eth0 name wan0 up
retry 5 carrier h1 wan0
finds "another name is no fault" h1
check "frames pass" loud red-a 10.0.0.3
ip -n h1 link set wan0 down
ip -n h1 link set wan0 name eth0 up
retry 5 carrier h1 eth0

# ---- gone, and made anew -------------------------------------------------------------------

n=$(port h1 eth0)
ip -n h1 link del eth0
finds "the underlay is gone" h1 "underlay_address 192.0.2.9" "underlay_device $n"
check "it says what to do" grep -q 'switch set dev DEV' <<<"$(details h1)"
check "switch show still works" test "$(sw h1 -j switch show | gojq -c .dev)" = null
check "endpoints can be changed meanwhile" sw h1 endpoint add x tenant red \
	mac 02:00:00:00:00:09 host h2
says "repair cannot know which it is now" 'tsw switch set dev DEV' sw h1 switch repair
# A container's device gets the number: the switch must not take it for the underlay.
ip -n h1 link add stranger index "$n" type veth peer name eth1 netns red-a
ip -n h1 link set stranger up
if [ "$tcx" = true ]; then
	finds "another has its number" h1 "underlay_address 192.0.2.9" "underlay_device $n"
	check "and is named" grep -q '"stranger" has its number' <<<"$(details h1)"
	says "repair" 'tsw switch set dev DEV' sw h1 switch repair
	is "keeps its programs off it" \
		"$(on h1 bpftool net show dev stranger 2>/dev/null | grep -c tsw_ || true)" 0
else
	skip "another has its number" "a clsact filter does not know its device"
fi
ip -n h1 link del stranger
ip -n h1 link add eth0 type veth peer name eth0 netns h2
ip -n h1 addr add 192.0.2.9/24 dev eth0
ip -n h2 addr add 192.0.2.2/24 dev eth0
ip -n h1 link set eth0 up
ip -n h2 link set eth0 up
retry 5 carrier h1 eth0
finds "a device of the same name is not the same" h1 "underlay_device $n"
finds "on the other host too" h2 "$(problems h2 | grep underlay_device)"
says "switch up with the same words" 'is up with other settings (dev' \
	sw h1 switch up dev eth0 local 192.0.2.9 name h1
check "switch set dev is the way back" sw h1 switch set dev eth0
check "on the other host too" sw h2 switch set dev eth0
finds "nothing is wrong" h1
finds "nothing is wrong there" h2
check "frames pass again" loud red-a 10.0.0.3
heard_nothing "blue heard nothing of red in all that" blue-a blue-c
check "and was there all the time" reach blue-a 10.0.0.3

# ---- the tunnel device ------------------------------------------------------------------------

ip -n h1 link del tsw-vx
finds "the tunnel device is gone" h1 "tunnel_device h1"
says "an endpoint here" 'repair the switch with switch up' \
	sw h1 endpoint add y tenant red mac 02:00:00:00:00:08 dev blue-a
check "repair is the way back" sw h1 switch repair
ip -n h1 link set tsw-vx down
finds "the tunnel device is down" h1 "tunnel_device tsw-vx"
sysctl_in h1 net.ipv4.conf.tsw-vx.forwarding=0
check "repair is the way back" sw h1 switch repair
finds "nothing is wrong" h1

# ---- the switch's namespace ---------------------------------------------------------------------

lone() { # a namespace g with a veth
	ip netns add g
	ip -n g link add eth0 type veth peer name eth1
	ip -n g addr add 192.0.4.1/24 dev eth0
	ip -n g link set eth0 up
	ip -n g link set eth1 up
}
lone
undo ip netns del g
sw g switch up dev eth0
sw g tenant add red id 100
finds "a switch in a namespace" g
ip netns del g
says "its namespace is gone" 'cannot open /run/netns/g' sw g switch check
says "from elsewhere" '-f switch down' "$TSW" -i g switch check
says "nor can it be changed" '-f switch down' "$TSW" -i g tenant add blue id 200
check "it can be looked at" test "$("$TSW" -i g -j tenant show | gojq length)" = 1
lone
check_fails "another namespace of that name is found out" sw g switch check
is "and nothing is put there" \
	"$(on g bpftool net show dev eth0 2>/dev/null | grep -c tsw_ || true)" 0
check "down -f is the way back" "$TSW" -i g -f switch down
check "then it can be up again" sw g switch up dev eth0
finds "and is well" g
sw g switch down
finish
