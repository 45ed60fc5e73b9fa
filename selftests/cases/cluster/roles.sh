#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# h1 was taken over: the attacker has its certificate, and the roles that docs/cluster.md gives a
# host. etcd, with TLS, refuses each key that is another host's or the cluster's. About h2's devices
# h2's agent believes nothing of what etcd cannot refuse.
#
#   h1 192.0.2.1     h2 192.0.2.2                       etcd: see lib_cluster.sh
#   red: b .2         a .1, mgmt0 is h2's own           10.0.0.0/24
#   blue:             c .1                              10.1.0.0/24
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_roles.sh"

cluster_two

# ---- the cluster as it is meant to be --------------------------------------------
check "an operator makes tenants" ops -c tenant add red id 100 net 10.0.0.0/24
ops -c tenant add blue id 200 net 10.1.0.0/24
ops -c gateway add red ip 10.0.0.254/24 host h2 nat on
ops -c gateway add blue ip 10.1.0.254/24 host h2
ops -c peer add red with blue
ops -c group add red web
ops -c policy add red r1 from group web to any action allow
ops -c host add h9 ip 192.0.2.9
container blue c h2 10.1.0.1/24 endpoint off
check "a host adds endpoints of its own" add h2 red a 10.0.0.1
check "of two tenants" add h2 blue c 10.1.0.1
check "the other, too" add h1 red b 10.0.0.2
check_fails "but none at another" sw h1 -c endpoint add x tenant red host h2
check_fails "and no tenant" sw h1 -c tenant add green
check_fails "nor does it accept deletions" sw h1 cluster accept
is "a dry run of that is refused likewise" "$(sw h1 --dry-run cluster accept 2>&1 || true)" \
	"$(sw h1 cluster accept 2>&1 || true)"
check "an operator's is not" ops --dry-run cluster accept
check "a host may join again, by a dry run too" sw h1 --dry-run cluster join etcd $URL name campus \
	ca $PKI/ca.crt cert $PKI/h1.crt key $PKI/h1.key
check_fails "who may read writes nothing" on h1 "$TSW" -i reader -c tenant add green
check "but reads" on h1 "$TSW" -i reader -c tenant show red
check "a published port" ops -c publish add red proto tcp port 5080 to 10.0.0.1:80
check "all follow" in_step h1
check "they reach each other" reach red-b 10.0.0.1
ip -n h2 link add mgmt0 type veth peer name mgmt1
ip -n h2 link set mgmt0 up

# ---- each key, by h1 -------------------------------------------------------------
# What it may write is here, and in docs/cluster.md; all else is tried and has to be refused.
may='^(e|ip|mac|net|rest|answer|call/wait)/|^host/(h1)?$|^(alive/h1|vtep/192.0.2.1)$|^at/h1/'
more=(host/h2 host/h9 host/new vtep/192.0.2.2 vtep/192.0.2.66 vtep/192.0.2.10 alive/h2 alive/h9
	at/h2/ at/h2/100/a at/h2/100/new at/h9/100/a at/h10/100/a at/ tenant/red tenant/new vni/100
	vni/7 gateway/red gateway/new publish/red/tcp/5080/ipv4 publish/blue/tcp/1/ipv4/h2
	peer/red/blue peer/blue/red policy/100/ policy/100/group/web policy/100/rule/new
	policy/200/rule/new call/accept call/other)
only_may h1 "$may" 40 "${more[@]}"
for range in "" e ip host at call; do
	check "nor all below ${range:-campus}" denied h1 del "$CLUSTER/$range" \
		"$CLUSTER/zz"
done
check "nor another cluster's" denied h1 put /tsw/1/other/host/h1 '{}'
check "nor read" denied h1 get --prefix /tsw/1/other/
check "nor who may what" denied h1 role grant-permission tsw-h1 readwrite "$CLUSTER/at/h2/x"
check "nor that rights count" denied h1 auth disable
printf '\nput %s {}\nput %s {}\n\n\n' $CLUSTER/e/100/a $CLUSTER/at/h2/100/a >$WORK/txn
both() { as h1 txn <$WORK/txn; }
check_fails "nor in a transaction with what it may" both
is "all is as it was" "$(ops -j -c check | gojq -c .problems)" "[]"

# ---- what etcd cannot refuse -----------------------------------------------------
device() { # TENANT NAME: as h2's switch has it
	sw h2 -j endpoint show "$2" tenant "$1" 2>/dev/null | gojq -r '.[0].dev'
}
devices() { echo "$(device red a) $(device blue c)"; }
ports() { sw h2 -j endpoint show | gojq '[.[] | select(.dev == "mgmt0")] | length'; }
compare() { # all that there is, as for a device that comes
	ip -n h2 link add news type veth peer name newer
	ip -n h2 link del news
}
forge() { # TENANT NAME JSON: with the pulse, as tsw would
	as h1 put "$CLUSTER/e/${ID[$1]}/" '{"by":"h1"}' >/dev/null
	as h1 put "$CLUSTER/e/${ID[$1]}/$2" "$3" >/dev/null
}
a='"name":"a","mac":"02:00:00:00:00:01","ip":["10.0.0.1"]'
before=$(devices)
is "h2 has its own" "$before" "red-a blue-c"
is "in its own index" "$(store read $CLUSTER/at/h2/ | sed -n "s|^$CLUSTER/at/\([^ ]*[^/]\) \(.*\) [0-9]*$|\1 \2|p")" \
	'h2/100/a {"dev":"red-a"}
h2/200/c {"dev":"blue-c"}'
for dev in mgmt0 blue-c eth0; do
	forge red a "{$a,\"host\":\"h2\",\"dev\":\"$dev\"}"
	compare
	comes "h2 does not believe that $dev is red's, and tells it" 1 \
		told_by h2 "its device \"$dev\" is ignored, because at/h2/100/a does not name it"
	is "nothing has changed" "$(devices)" "$before"
done
check "nor does it count as what could not be done" in_step h1
is "check tells it" "$({ ops -j -c check || true; } | gojq -c '[.problems[] | [.what, .object]]')" \
	'[["wrong_device","at/h2/100/a"]]'
check "frames go on" reach red-b 10.0.0.1
agent_end h2
check "nor an agent that runs once" sw h2 agent once on
agent h2
check "nor one that begins anew" in_step h1
is "nothing has changed" "$(devices)" "$before"
for to in '"host":"h2","dev":"mgmt0"' '"host":"h1","to_host":"h2","to_dev":"mgmt0"'; do
	forge red new "{\"name\":\"new\",\"mac\":\"02:00:00:00:00:66\",$to}"
	forge blue new "{\"name\":\"new\",\"mac\":\"02:00:00:00:00:66\",$to}"
	compare
	comes "h2 takes none that its index has not: $to" 1 told_by h2 e/200/new
	check_fails "and says that it does not" in_step h1 1
	is "mgmt0 is no port" "$(ports)" 0
	as h1 del $CLUSTER/e/100/new >/dev/null
	as h1 del $CLUSTER/e/200/new >/dev/null
done
forge red a "{$a,\"host\":\"h2\",\"dev\":\"red-a\"}"
check "all is well again" in_step h1
check "one is reserved for h2" ops -c endpoint add r tenant red host h2 mac 02:00:00:00:00:09 ip 10.0.0.9
forge red r '{"name":"r","mac":"02:00:00:00:00:09","ip":["10.0.0.9"],"host":"h2","dev":"mgmt0"}'
compare
comes "it gets no device by another" 1 told_by h2 'its device "mgmt0" is ignored, because at/h2/100/r does not name it'
is "mgmt0 is no port" "$(ports)" 0
container red r h2 10.0.0.9/24 endpoint off
check "but by h2" sw h2 -c endpoint set r tenant red dev red-r
check "then it is reached" reach red-b 10.0.0.9
is "the records are whole" "$(ops -j -c check | gojq -c .problems)" "[]"

# ---- a live migration, by two hosts that each say what is theirs -------------------
container red v h1 10.0.0.20/24 endpoint off
container red w h2 10.0.0.20/24 mac "$(mac_of 10.0.0.20/24)" endpoint off
check "one lives at h1" add h1 red v 10.0.0.20
check "h2 awaits it" sw h2 -c endpoint set v tenant red to-dev red-w
check "and takes that back" sw h2 -c endpoint set v tenant red host h1
check_fails "it does not take what lives at h1" sw h2 -c endpoint set v tenant red dev red-w
check_fails "nor delete it" sw h2 -c endpoint del v tenant red
check "h2 awaits it again" sw h2 -c endpoint set v tenant red to-dev red-w
check "h1 does not say by which device" denied h1 put $CLUSTER/at/h2/100/v '{"dev":"mgmt0"}'
check "h1 gives it to h2" sw h1 -c endpoint set v tenant red host h2
check "all follow" in_step h1
is "there it is" "$(device red v)" red-w
check "and is reached" reach red-b 10.0.0.20
is "the records are whole" "$(ops -j -c check | gojq -c .problems)" "[]"

# ---- records of tsw 0.2.0, whose indices have no devices --------------------------
pings red-b 10.0.0.1
agent_end h2
for key in 100/a 100/r 100/v 200/c; do as root put $CLUSTER/at/h2/$key '{}' >/dev/null; done
forge red r '{"name":"r","mac":"02:00:00:00:00:09","ip":["10.0.0.9"],"host":"h2","dev":"mgmt0"}'
agent h2
index() { store read "$CLUSTER/at/h2/$1" | sed -n 's/^[^ ]* \(.*\) [0-9]*$/\1/p'; }
comes "what the switch has is h2's own word" '{"dev":"red-a"}' index 100/a
comes "of each endpoint" '{"dev":"red-w"}' index 100/v
comes "of each tenant" '{"dev":"blue-c"}' index 200/c
comes "another device than that is not" 1 told_by h2 'its device "mgmt0" is ignored, because at/h2/100/r does not name it'
is "and is not written" "$(index 100/r)" '{}'
is "mgmt0 is no port" "$(ports)" 0
is "what is there of it stays" "$(device red r)" red-r
check "h2 says it" sw h2 -c endpoint set r tenant red dev red-r
is "then it is in its index" "$(index 100/r)" '{"dev":"red-r"}'
lost_none "through all of it"
for host in h1 h2; do check "$host: all is well" sw $host check; done
is "the records are whole" "$(ops -j -c check | gojq -c .problems)" "[]"

# ---- by the index alone, as after a boot ------------------------------------------
agent_end h2
sw h2 switch down
check "h2's switch is new" sw h2 switch up dev eth0 local "${VTEP[h2]}" name h2
as root put $CLUSTER/at/h2/200/c '{}' >/dev/null
agent h2
follows "it has what its index says, and no more" h2 '["red/a","red/b","red/r","red/v"]'
comes "of the rest it tells what is to be said" 1 told_by h2 'at/h2/200/c does not name it'
check "which is said" sw h2 -c endpoint set c tenant blue dev blue-c
check "all follow" in_step h1
is "all are back" "$(devices) $(device red r)" "red-a blue-c red-r"
agent_end h1
check "h1 takes away what it has" sw h1 -c endpoint del b tenant red
check "and leaves, as itself" sw h1 cluster leave
is "its records are gone" "$(store read $CLUSTER/ | grep -oE '/campus/(host|at|alive)/h1.*' || true)" ""
finish
