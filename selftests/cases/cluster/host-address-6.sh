#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cluster/host-address has IPv4; unit_change has claims
# The same as cluster/host-address over IPv6: a new address while it runs, an old one that its
# network gives up (deprecated), and both families of which one changes. At last two hosts with one
# name: they do not write in turn for ever.
#
#   h1 2001:db8::1 ── h2 2001:db8::2      etcd: see lib_cluster.sh
#    red-a .1        red-c .3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

UNDERLAY=6
cluster_hosts h1 h2
for host in h1 h2; do
	check "$host comes up over IPv6" sw $host switch up dev eth0 name $host
	undo sw $host switch down
done
cluster_join h1 h2
tenant red
lives red "a@h1 c@h2"
agent h1 h2
check "all are in step" in_step h1
check "red is whole" reach red-a 10.0.0.3

recorded() { sw h1 -c -j host show h2 | gojq -c '.[0].ips | sort'; }
whole() { # DESC ADDRESSES
	comes "$1: h2's record" "$2" recorded
	check "$1: red is whole" reach red-a 10.0.0.3
	check "$1: in step" in_step h1
	check "$1: switch check" sw h2 switch check
}
ip -n h2 addr del 2001:db8::2/64 dev eth0
ip -n h2 addr add 2001:db8::77/64 dev eth0 nodad
whole "a new address" '["2001:db8::77"]'
ip -n h2 addr add 2001:db8::78/64 dev eth0 nodad
ip -n h2 addr change 2001:db8::77/64 dev eth0 preferred_lft 0
whole "an address that is given up" '["2001:db8::78"]'
ip -n h2 addr del 2001:db8::77/64 dev eth0

# ---- both families ------------------------------------------------------------------------------
for host in h1 h2; do
	ip -n $host addr add "192.0.2.${host#h}/24" dev eth0
	sw $host switch set local "192.0.2.${host#h}"
done
whole "both families" '["192.0.2.2","2001:db8::78"]'
agent_end h2
sw h2 switch down
sw h2 switch up dev eth0 name h2
agent h2
ip -n h2 addr del 192.0.2.2/24 dev eth0
ip -n h2 addr add 192.0.2.77/24 dev eth0
whole "one of them changes" '["192.0.2.77","2001:db8::78"]'

# ---- a clone -------------------------------------------------------------------------------------
revisions() { store read $CLUSTER/host/h2 | sed -n 's/^revision //p'; }
was=$(revisions)
end=$((EPOCHSECONDS + 12))
while [ $EPOCHSECONDS -lt $end ]; do # another h2 writes its address whenever it is not there
	[ "$(recorded)" = '["192.0.2.99"]' ] && sleep 0.2 && continue
	ctl txn >/dev/null <<-END

		put $CLUSTER/host/ {"by":"clone","nonce":"1"}
		put $CLUSTER/vtep/192.0.2.99 {"owner":"h2","nonce":"1","own":true}
		put $CLUSTER/host/h2 {"name":"h2","ip":["192.0.2.99"]}


	END
done
check "two hosts of one name write ever more rarely" test $(($(revisions) - was)) -le 16
comes "which is told" 1 told_by h2 "does another host have the same name?"
finish
