#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cni/plugin makes the same calls
#
#   a, b ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ c        red and blue have equal subnets
#
# containerd's own client, ctr, calls tsw-cni for containers that runc starts: ADD when one starts,
# DEL when it ends. ctr can ask for no port, address or MAC.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_containerd.sh"

needs "containers of containerd" containerd ctr runc
cni_hosts
conflists $CONTAINERD/net.d h1-red h1-blue h2-red
containerd_up

ping_of() { inside "$1" ping -c 1 -W 2 "$2"; }
ip4_of() { inside "$1" ip -4 addr show dev eth0 | sed -nE 's/.* inet ([0-9.]+).*/\1/p'; }
endpoints() { js "$1" endpoint show 'map(.tenant + " " + .ip[0]) | sort'; }
left() { echo "$(endpoints h1) $(devices)"; }

# ---- ADD ----------------------------------------------------------------------------------------

ct_run h1 h1-red a --rm
A=$CTR
is "its interface" "$(inside a ip addr show dev eth0 | sed -nE 's/.* (mtu [0-9]+) .*/\1/p
	s/.* (inet6? [0-9a-f.:]+\/[0-9]+).* scope global.*/\1/p' | sort | xargs)" \
	"inet 10.0.0.1/24 inet6 fd00:a::1/64 mtu 1450"
is "its routes" "$(inside a ip route | xargs) $(inside a ip -6 route show default | xargs)" \
	"default via 10.0.0.254 dev eth0 10.0.0.0/24 dev eth0 scope link src 10.0.0.1$(
	) default via fd00:a::fe dev eth0 metric 1024"
tell h1 h2 10.0.0.1 red
ct_run h1 h1-blue b --rm
B=$CTR
is "blue has an equal address" "$(ip4_of b)" 10.0.0.1
ct_run h2 h2-red c --rm
tell h2 h1 10.0.0.2 red
is "on the other host it is the next" "$(ip4_of c)" 10.0.0.2
is "as h1 has them" "$(endpoints h1)" '["blue 10.0.0.1","red 10.0.0.1","red 10.0.0.2"]'

# ---- frames -------------------------------------------------------------------------------------

check "a reaches c, on the other host" retry 5 ping_of a 10.0.0.2
check "by IPv6" retry 5 ping_of a fd00:a::2
check "and back" retry 5 ping_of c 10.0.0.1
check_fails "blue's does not" ping_of b 10.0.0.2

# ---- DEL ----------------------------------------------------------------------------------------

check "a's task is killed" ct task kill -s KILL $MARK-a
wait "$A" || true
is "and leaves neither endpoint nor device" "$(left)" '["blue 10.0.0.1","red 10.0.0.2"] 1'
stop "$B" KILL # nobody is left who would call DEL
check "b's is deleted, without DEL" ct task delete --force $MARK-b
comes "its device goes with its namespace, its endpoint stays" \
	'["blue 10.0.0.1","red 10.0.0.2"] 0' left
ct_run h1 h1-red d --detach
check "so is d's, with which ctr did not stay" ct task delete --force $MARK-d
comes "and d's endpoint stays" '["blue 10.0.0.1","red 10.0.0.2","red 10.0.0.3"] 0' left
for tenant in red blue; do
	conf h1 $tenant | sed "s/net-$tenant/h1-$tenant/" | cni h1 GC
done
is "GC takes what is left" "$(endpoints h1)" '["red 10.0.0.2"]'
check "c's goes on" inside c true
finish
