#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cluster/roles tries the keys that a host's role may write; unit_own_device
# h2 has a role for red alone, by its id. Its commands about red work. etcd refuses those about
# blue, and nothing has changed. Then h2 is taken over, and still cannot reach into blue.
#
#   h1 192.0.2.1     h2 192.0.2.2                       etcd: see lib_cluster.sh
#   red: b .2         a .1                              10.0.0.0/24, id 100
#   blue: c .1 d .2                                     10.1.0.0/24, id 1000
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_wire.sh"
. "$LIB/lib_roles.sh"

cluster_two
check "h2 gets a role for red alone" roles h2=192.0.2.2@100
is "and has no other" "$(as root user get h2 | awk '/^Roles/ { $1 = ""; print }')" " tsw-h2"
ops -c tenant add red id 100 net 10.0.0.0/24
ops -c tenant add blue id 1000 net 10.1.0.0/24 # the key of 100 is a beginning of it
ops -c gateway add red ip 10.0.0.254/24 host h1
container blue c h1 10.1.0.1/24 endpoint off
container blue d h1 10.1.0.2/24 endpoint off
check "an endpoint of red at h2" add h2 red a 10.0.0.1
for one in "red b 10.0.0.2" "blue c 10.1.0.1" "blue d 10.1.0.2"; do
	# shellcheck disable=SC2086 # three words
	check "and at h1: $one" add h1 $one
done
check "all follow" in_step h1
check "they reach each other" reach red-b 10.0.0.1

# ---- its own tenant: each command ------------------------------------------------------
ip -n h2 link add spare type veth peer name spare1
check "one with what the cluster chooses" sw h2 -c endpoint add x tenant red dev spare
check "it is changed" sw h2 -c endpoint set x tenant red ip 10.0.0.77
check "without the tenant" sw h2 -c endpoint set x rate-out 10mbit
check "made anew" sw h2 -c endpoint replace x tenant red mac auto ip auto dev spare
check "given another MAC, which is a claim" sw h2 -c endpoint set x mac 02:00:00:00:00:99
check "deleted, which gives its addresses up" sw h2 -c endpoint del x
check "where it rests" grep -q rest/100/ <<<"$(store read $CLUSTER/rest/100/)"
pod h2 red p
is "a container, by CNI" "$(gojq '.ips | length' <<<"$RESULT")" 1
is "and away" "$(conf h2 red | cni h2 DEL p)" ""
for words in "endpoint show" "tenant show" "host show" "gateway show" "check" "save"; do
	# shellcheck disable=SC2086 # words
	check "-c $words" sw h2 -c $words
done
check "cluster show" sw h2 cluster show
check "cluster wait" sw h2 cluster wait
sw h2 -c save >$WORK/whole
check "diff of the whole" sw h2 -c diff $WORK/whole
check "apply of what is so already" sw h2 -c apply $WORK/whole
is "of a tenant that is as it was nothing has changed" "$(ops -j -c check | gojq -c .problems)" "[]"

# ---- another tenant: each is refused, told, and has changed nothing ----------------------
# The revision, too, counts what an agent says of itself.
all() { store read $CLUSTER/ | grep -vE "^revision |$CLUSTER/(alive|call|answer|rest)/" >$WORK/$1; }
refused() { # DESC WORD...: by h2
	local status=0

	all before
	sw h2 -w 5 "${@:2}" >$WORK/out 2>&1 || status=$?
	is "$1: status" $status 1
	check "$1: says why" grep -q 'permission denied' $WORK/out
	is "$1: one message" "$(grep -c . $WORK/out)" 1
	all after
	is "$1: nothing has changed" "$(diff $WORK/before $WORK/after)" ""
}
refused "an endpoint" -c endpoint add x tenant blue dev spare
refused "with all told" -c endpoint add x tenant blue mac 02:00:00:00:00:77 ip 10.1.0.77 dev spare
refused "in place of another" -c endpoint replace c tenant blue dev spare
refused "an address" -c endpoint set c tenant blue ip 10.1.0.78
refused "a limit" -c endpoint set c rate-out 1mbit
refused "taken to h2" -c endpoint set c tenant blue dev spare
refused "to be moved there" -c endpoint set c tenant blue to-dev spare
refused "away" -c endpoint del c
refused "its tenant" -c tenant set blue mtu 1300
sed 's/"10.1.0.1"/"10.1.0.79"/' $WORK/whole >$WORK/other
refused "by a file" -c apply $WORK/other
status=0
netns q
conf h2 blue | cni h2 ADD q >$WORK/said || status=$?
is "a container of blue, by CNI" "$status $(gojq .code $WORK/said)" "1 100"
check "says why" grep -q 'permission denied' $WORK/said
is "and leaves nothing" "$(ip -n q -br link show type veth)" ""
is "the records are whole" "$(ops -j -c check | gojq -c .problems)" "[]"

# ---- taken over ----------------------------------------------------------------------------
may='^(e|ip|mac|net|rest)/100/|^(answer|call/wait)/|^host/(h2)?$'
may+='|^(alive/h2|vtep/192.0.2.2)$|^at/h2/'
more=(e/1000/new e/10/x e/1/x e/ e/1000/ ip/1000/10.1.0.9 ip/10/10.0.0.9 mac/1000/02:00:00:00:00:99
	net/1000/10.1.0.0/24 rest/1000/10.1.0.9 e/1001/x at/h1/1000/c at/h1/100/b vni/1000 host/h1
	alive/h1)
only_may h2 "$may" 25 "${more[@]}"

# Its own index names blue, and its own tenant's records say what is blue's.
endpoints_of() { sw h1 -j endpoint show tenant "$1" | gojq -c 'map([.name, .dev, .host, .ip])'; }
before="$(endpoints_of blue)"
as h2 put $CLUSTER/at/h2/1000/c '{"dev":"spare"}' >/dev/null
as h2 put $CLUSTER/at/h2/1000/new '{"dev":"spare"}' >/dev/null
for value in '{"name":"z","tenant":"blue","mac":"02:00:0a:01:00:01","ip":["10.1.0.1"],"host":"h2","dev":"spare"}' \
	'{"name":"../1000/c","mac":"02:00:0a:01:00:01","ip":["10.1.0.1"],"host":"h2","dev":"spare"}'; do
	as h2 put $CLUSTER/e/100/z "$value" >/dev/null
	comes "h1 tells what is no record of red: ${value:0:28}" 1 told_by h1 e/100/z
done
is "blue is as it was" "$(endpoints_of blue)" "$before"
check "its own reach each other" reach blue-c 10.1.0.2
as h2 del $CLUSTER/e/100/z >/dev/null
for key in c new; do as h2 del $CLUSTER/at/h2/1000/$key >/dev/null; done
# shellcheck disable=SC2046 # words of a frame
blue_frame() { # what h2's own root can send: under blue's VNI, from one that its index names
	inject h2 eth0 $(tunnel 192.0.2.2 h1 1000) eth src=02:00:0a:01:00:09 \
		dst="$(mac_of 10.1.0.1/24)" / ip src=10.1.0.9 dst=10.1.0.1 / udp / text forged
}
expect_drops "h2's own root cannot send as blue's" h1 1 "blue wrong_host from_tunnel" blue_frame
check "red goes on" reach red-b 10.0.0.1
finish
