#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-web  10.0.0.1 ──┐                                  ┌── red-db   10.0.0.3
#   red-app  10.0.0.2 ──┤ h1 192.0.2.1 ══ 192.0.2.2 h2 ────┤
#   red-new  10.0.0.9 ──┘                                  └── red-free 10.0.0.4
#                                          etcd: see lib_cluster.sh
#
# Groups and policies as records. What two operators do at once stays one whole. Each host enforces
# what the records say while they change, and nothing is open meanwhile, also where the agent was
# away or was killed at any call.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_kill.sh"

step=${KILL_STEP:-24} # 1: at each call, which takes minutes
[ -z "${TSW_QUICK:-}" ] || step=$((step * 4))
cluster_switches h1 h2
# h1 has a policy before it joins.
sw h1 tenant add blue id 200 policy on default deny
container blue f h1 10.0.0.7/24 endpoint off
sw h1 -q -b - <<-END
	group add blue front back
	policy add blue in from group front to group back proto tcp port 80-81 priority 7 log on
	endpoint add f tenant blue mac $(mac_of 10.0.0.7) ip 10.0.0.7 dev blue-f group front
END
cluster_join h1 h2
# An operator's machine has no switch; devices that it names are h1's.
cp /etc/tsw/h1.cluster /etc/tsw/ops.cluster
ops() { nsenter --net=/run/netns/h2 "$TSW" -i ops -w 10 -c "$@"; }
shown() { ops -j "$@" | gojq -c .; }

refused() { # DESC STATUS TEXT CMD...
	local status=0 out before

	before=$(ops save)
	out=$("${@:4}" 2>&1) || status=$?
	case $status:$out in
	"$2":*"$3"*) is "$1" "$(ops save)" "$before" ;;
	*) not_ok "$1" && note "status $status: $out" ;;
	esac
}

# ---- what a switch has goes to the records ----------------------------------------
sw h1 save >$WORK/h1.json
check "what it had is imported" ops -q cluster import $WORK/h1.json
is "with groups, rules and members" \
	"$(ops save | gojq -c '.tenants[] | .groups, .policies, .endpoints[0].group')" \
	'["back","front"]
[{"action":"allow","from":"group:front","log":true,"name":"in","port":"80-81","priority":7,"proto":"tcp","to":"group:back"}]
["front"]'
is "and how it judges" "$(shown tenant show | gojq -c '.[] | [.policy, .default]')" '["on","deny"]'
is "then nothing is to be done here" "$(js h1 agent once on 'map(.object)')" '["host"]'
is "nor differs from what was saved" "$(ops -j diff <(ops save))" '[]'
ops save | gojq '.tenants[0].policies[0] += {"priority": 9, "proto": "udp", "to": "any"} |
	.tenants[0].groups = ["front", "side"]' >$WORK/other.json
check "another file is applied" ops -q apply $WORK/other.json
is "and is there" "$(ops policy show blue; ops group show)" \
	"blue name in from group:front to any proto udp port 80-81 action allow priority 9 log on
blue name front endpoints 1 rules 1
blue name side endpoints 0 rules 0"
gojq '.tenants[0].groups = ["side"]' $WORK/other.json >$WORK/wrong.json
refused "a group that is none" 2 'has no group "front"' ops apply $WORK/wrong.json
refused "its id has rules behind it" 1 "so its id stays 200" ops tenant set blue id 201
refused "a tenant with endpoints" 1 "still has endpoints" ops tenant del blue
check "a tenant goes with all" ops tenant del blue force on
is "and leaves nothing" "$(store read $CLUSTER/ | grep -cE '/policy/|/e/|/tenant/.* ' || true)" 1

# ---- three tiers, by commands ------------------------------------------------------
agent h1 h2
ops tenant add red id 100 >/dev/null
check "groups" ops group add red web app db
for ep in web,h1,1,web app,h1,2,app new,h1,9 db,h2,3,db free,h2,4,none; do
	IFS=, read -r name host n group <<<$ep
	container red $name $host 10.0.0.$n/24 endpoint off
	serve red-$name 8080 5432
	[ -z "$group" ] || check "endpoint $name" sw $host -c endpoint add $name tenant red \
		dev red-$name mac "$(mac_of 10.0.0.$n)" ip 10.0.0.$n group $group
done
check "rules" ops -q -b - <<-END
	policy add red app-sql from group app to group db proto tcp port 5432
	policy add red web-app from group web to group app proto tcp port 8080-8081
	policy add red out from group web to cidr 198.51.1.0/24
END
answers "rules, but off" red-web both 10.0.0.3 5432 "red-db 10.0.0.1"
check "on" ops tenant set red policy on
check "all follow" in_step h1
answers "app to db" red-app tcp 10.0.0.3 5432 "red-db 10.0.0.2"
answers "web to app" red-web tcp 10.0.0.2 8080 "red-app 10.0.0.1"
silent "web to db" red-web both 10.0.0.3 5432
silent "who is in no group" red-free tcp 10.0.0.3 5432
is "both hosts have the same" "$(js h1 policy show 'map(del(.packets, .bytes))')" \
	"$(js h2 policy show 'map(del(.packets, .bytes))')"
is "as the records say" "$(js h2 policy show 'map(del(.packets, .bytes))')" "$(shown policy show)"
check "and count by themselves" test "$(js h2 stats policy tenant red \
	'.[] | select(.name == "app-sql").packets')" -gt 0
is "an endpoint tells its groups" "$(ops endpoint show app)" \
	"app tenant red mac $(mac_of 10.0.0.2) ip 10.0.0.2 host h1 dev red-app group app"
is "in JSON also where it has none" "$(shown endpoint show free | gojq -c .[0].group)" '[]'

# ---- what is refused, here and there -----------------------------------------------
for words in "group add red x" "group del red web" "policy add red x from any to any" \
	"policy set red out action deny" "policy del red out" "tenant set red policy off"; do
	# shellcheck disable=SC2086
	refused "on a member alone: $words" 1 "tsw -c ${words%% red*}" sw h1 $words
done
refused "a group twice" 1 'tenant "red" already has a group "web"' ops group add red y web
refused "one that an endpoint is in" 1 'endpoint "app" is in it' ops group del red app
check "a group that a rule alone names" ops -q -b - <<-END
	group add red spare
	policy add red spare from any to group spare
END
refused "it stays" 1 'policy "spare" names it' ops group del red spare
check "until that goes" ops policy del red spare
check "then it goes" ops group del red spare
refused "which is not there" 1 'tenant "red" has no group "spare"' ops group del red spare
refused "nor for a rule" 1 'tenant "red" has no group "spare"' \
	ops policy add red x from group spare to any
refused "nor for an endpoint" 1 'tenant "red" has no group "spare"' \
	ops endpoint set app tenant red group spare
refused "a rule twice" 1 'tenant "red" already has a policy "out"' \
	ops policy add red out from any to any
refused "one that is none" 1 'tenant "red" has no policy "x"' ops policy set red x log on
refused "no tenant" 1 'there is no tenant "gray"' ops group add gray x
ops -q -b - <<-END
	policy add red n1 from cidr 10.0.0.0/8 to any
	policy add red n2 from cidr 10.1.0.0/16 to cidr 10.1.2.0/24
	policy add red n3 from cidr 10.1.2.128/25 to cidr 10.1.2.128/26
	policy add red n4 from cidr 10.1.2.128/27 to cidr 10.1.2.128/28
	policy add red n5 from cidr 10.1.2.128/29 to any
END
refused "networks too deep within one another" 1 "within one another" \
	ops policy add red n6 from cidr 10.1.2.128/30 to any
check "set keeps the rest" ops policy set red n5 action deny log on
is "as it is" "$(ops policy show red n5)" "red name n5 from cidr:10.1.2.128/29 to any proto any \
port any action deny priority 1000 log on"
check "replace does not" ops policy replace red n5 from any to any proto tcp port 1
is "as it is" "$(ops policy show red n5)" "red name n5 from any to any proto tcp port 1 \
action allow priority 1000 log off"
for n in 1 2 3 4 5; do ops policy del red n$n; done

# ---- two operators at once ---------------------------------------------------------
# Whoever is second is refused: no rule, and no endpoint, names a group that is gone.
race() { # N CMD...: beside `group del red spare`; both are told apart by what is there then
	local first=0 second=0

	ops group add red spare
	ops group del red spare 2>/dev/null &
	ops "${@:2}" 2>/dev/null || second=1
	wait $! || first=1
	ops -j check | gojq -e .ok >/dev/null || wrong+="inconsistent "
	[ $((first + second)) = 1 ] || wrong+="both $first $second "
	won[first]=$((won[first] + 1))
	[ $first = 0 ] || {
		ops policy del red spare 2>/dev/null || true
		ops -q endpoint set free tenant red group none
		ops group del red spare
	}
}
wrong='' won=(0 0)
for n in {1..6}; do
	race $n policy add red spare from group spare to any
	race $n endpoint set free tenant red group spare
done
is "twelve races, each with one winner" "$wrong" ""
note "of them the deletion won ${won[0]}"
# Groups and rules go with their tenant, without force, and none comes behind it.
wrong=''
for n in {1..6}; do
	ops tenant add gray id 300 >/dev/null
	ops group add gray x
	ops policy add gray x from group x to any
	ops tenant del gray &
	ops group add gray y 2>/dev/null || true
	wait $! || wrong+="$n not deleted "
	! store read $CLUSTER/policy/300/ | grep -q "$CLUSTER" || wrong+="$n left "
done
is "six more against a tenant's end" "$wrong" ""

# ---- an endpoint changes its group under a connection ------------------------------
check "all follow" in_step h1
held red-app tcp 10.0.0.3 5432
check "it goes on" goes_on
check "out of its group" sw h1 -c endpoint set app tenant red group none
check "it has ended" ended
silent "and no new one begins" red-app tcp 10.0.0.3 5432
check "another group" sw h1 -c endpoint set app tenant red group web app
answers "which is one more" red-app tcp 10.0.0.3 5432 "red-db 10.0.0.2"
check "and back" sw h1 -c endpoint set app tenant red group app
held red-app tcp 10.0.0.3 5432
check "its rule goes" ops policy del red app-sql
check "it has ended" ended
check "and comes again" ops policy add red app-sql from group app to group db proto tcp port 5432

# ---- who was away catches up --------------------------------------------------------
agent_end h2 KILL
check "meanwhile a rule and a group go, others come" ops -q -b - <<-END
	policy del red web-app
	group add red late
	policy add red web-late from group web to group late proto tcp port 5432
	endpoint set db tenant red group late
END
comes "h1 follows" 3 eval 'sw h1 -j policy show | gojq length'
agent h2
check "h2 is back" in_step h1
is "both have the same" "$(sw h1 save | gojq -c '.tenants | map([.groups, .policies])')" \
	"$(sw h2 save | gojq -c '.tenants | map([.groups, .policies])')"
answers "web to db" red-web tcp 10.0.0.3 5432 "red-db 10.0.0.1"
silent "no more app to db" red-app tcp 10.0.0.3 5432

# ---- a host starts anew ---------------------------------------------------------------
agent_end h2
check "down" sw h2 switch down
# shellcheck disable=SC2086
check "and up" sw h2 switch up dev eth0 local "${VTEP[h2]}" name h2 $UP_ARGS
agent h2
check "it is back" in_step h1
answers "with what is allowed" red-web tcp 10.0.0.3 5432 "red-db 10.0.0.1"
silent "and no more" red-app tcp 10.0.0.3 5432

# ---- what somebody changes here is put right ---------------------------------------------
check "here alone" sw h1 -f policy set red web-late action deny
ip -n h1 link add news type veth peer name newer # any reason to look
comes "it is as it was" allow eval 'sw h1 -j policy show red web-late | gojq -r .[0].action'

# ---- gone by mistake ------------------------------------------------------------------------
before=$(js h1 policy show 'map(.name)')
ctl del --prefix $CLUSTER/policy/ >/dev/null
comes "told" 1 told_by h1 "tsw cluster accept"
is "rules stay" "$(js h1 policy show 'map(.name)')" "$before"
silent "and count" red-app tcp 10.0.0.3 5432
sw h2 save >$WORK/h2.json
check "they are brought back" ops -q cluster import $WORK/h2.json
check "all is well again" retry 5 sw h1 cluster wait

# ---- not understood ---------------------------------------------------------------------------
store put $CLUSTER/policy/100/rule/web-late '{"name":"web-late","later":1}' >/dev/null
store put $CLUSTER/policy/100/group/late '{"name":"other"}' >/dev/null
comes "a rule of a newer version is told" 1 told_by h1 policy/100/rule/web-late
comes "a group with another's name, too" 1 told_by h1 policy/100/group/late
answers "what is here of them stays" red-web tcp 10.0.0.3 5432 "red-db 10.0.0.1"
check_fails "check tells it" ops check
ops group add red spare
refused "which may name any group" 1 "policies are invalid here, and may name it: 1" ops group del red spare
is "for all of them" "$(shown check | gojq -c '[.problems[].object] | unique')" \
	'["e/100/db","policy/100/rule/web-late"]'
for key in rule/web-late group/late; do ctl del $CLUSTER/policy/100/$key >/dev/null; done
check "mended" ops -q cluster import $WORK/h2.json
check "now that goes" ops group del red spare

# ---- killed at any call -------------------------------------------------------------------------
agent_end h1
cat >$WORK/there <<-END
	group add red more
	policy add red web-more from group more to group db proto tcp port 8080
	endpoint add new tenant red dev red-new mac $(mac_of 10.0.0.9) ip 10.0.0.9 group web more
	endpoint set app tenant red group app more
	policy set red web-late log on
END
cat >$WORK/back <<-END
	endpoint del new tenant red
	endpoint set app tenant red group app
	policy del red web-more
	group del red more
	policy set red web-late log off
END
follow() { sw h1 -q agent once on >/dev/null; }
now() { ops -q -b "$WORK/$1" && follow; } # FILE
here() { sw h1 save | gojq -c .tenants; }
now there
there=$(here)
now back
# Without its groups it could talk to who is in none.
capture open red-free eth0 icmp and src host 10.0.0.9
pings red-new 10.0.0.4
wrong=()
for ((n = 1; ; n = AT + step)); do
	ops -q -b $WORK/there
	killed $n -w 5 agent once on || break
	follow
	[ "$(here)" = "$there" ] || wrong+=("$n")
	now back
done
is "the next one puts it right, $KILLS times" "${wrong[*]}" ""
check "and it was killed at some" test $KILLS -ge 2
is "nothing was open meanwhile" "$(captured open)" 0
check "nor is anything left" sw h1 switch check
check "in no group it is open" sw h1 -c endpoint set new tenant red group none
check "which the wire shows" capture_has open 1
finish
