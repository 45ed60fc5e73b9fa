#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tsw-migrate: several hosts' files as one, and what it says about things that one file cannot have.
#
#   h1 192.0.2.1 ═══ 192.0.2.2 h2: switches, or red-a and red-c in old bridges
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"
. "$LIB/lib_migrate.sh"

topo_hosts h1 h2

# ---- merge ---------------------------------------------------------------------------------

# What h1 and h2 know of each other: their devices alone, and neither the other's name.
cat >$WORK/h1.json <<-'END'
	{"format":1,"hosts":[{"name":"h1","ip":["192.0.2.1"],"switch":{"dev":["eth0"]}},
	{"name":"192.0.2.2","ip":["192.0.2.2"]}],
	"tenants":[{"name":"br-red","id":100,"encap":"gre","endpoints":[
	{"name":"red-a","mac":"02:00:00:00:00:01","host":"h1","dev":"red-a"},
	{"name":"02:00:00:00:00:03","mac":"02:00:00:00:00:03","host":"192.0.2.2"},
	{"name":"02:00:00:00:00:fe","mac":"02:00:00:00:00:fe","host":"192.0.2.2"},
	{"name":"web","mac":"02:00:00:00:00:04","host":"192.0.2.2"}]}],"peers":[]}
END
cat >$WORK/h2.json <<-'END'
	{"format":1,"hosts":[{"name":"h2","ip":["192.0.2.2"],"switch":{"dev":["eth1"]}},
	{"name":"192.0.2.1","ip":["192.0.2.1"]}],
	"tenants":[{"name":"br-9","id":9,"endpoints":[]},{"name":"br-100","id":100,"encap":"gre",
	"gateway":{"ip":["10.0.0.254/24"],"host":"h2","mac":"02:00:00:00:00:fe"},"endpoints":[
	{"name":"02:00:00:00:00:01","mac":"02:00:00:00:00:01","ip":["10.0.0.1"],"host":"192.0.2.1"},
	{"name":"veth3","mac":"02:00:00:00:00:03","ip":["10.0.0.3"],"host":"h2","dev":"veth3"},
	{"name":"veth4","mac":"02:00:00:00:00:04","ip":["10.0.0.4"],"host":"h2","dev":"veth4"},
	{"name":"red-a","mac":"02:00:00:00:00:05","ip":["10.0.0.1"],"host":"h2","dev":"veth5"}]}]}
END
migrate h1 merge $WORK/h1.json $WORK/h2.json >$WORK/all.json
want=$(cat <<-'END'
	br-red 100 gre gateway 10.0.0.254/24 at h2
	  red-a 02:00:00:00:00:01 10.0.0.1 h1 red-a
	  veth3 02:00:00:00:00:03 10.0.0.3 h2 veth3
	  web 02:00:00:00:00:04 10.0.0.4 h2 veth4
	  red-a-2 02:00:00:00:00:05  h2 veth5
	br-9 9 vxlan
	END
)
is "each host tells best of what lives there" "$(tenants_of <$WORK/all.json)" "$want"
is "the hosts have their names" "$(gojq -c '.hosts[] | [.name, .ip, .switch.dev]' $WORK/all.json |
	paste -sd ' ')" '["h1",["192.0.2.1"],["eth0"]] ["h2",["192.0.2.2"],["eth1"]]'
is "an address that two have stays the first's" "$(<$WORK/status) $(left_out)" \
	'1 address "10.0.0.1" of endpoint "red-a-2" of tenant "br-red": "red-a" has it, too'
check "the other names are told" grep -qF 'called "br-100"' $WORK/said
check "it fits the schema" fits <$WORK/all.json
migrate h1 merge $WORK/all.json >$WORK/again.json
is "merged once more it is the same" "$(<$WORK/again.json)" "$(<$WORK/all.json)"
jq '.tenants[0].endpoints[0].name = "web"' $WORK/h1.json >$WORK/other.json
is "a name that another has is not taken" "$(migrate h1 merge $WORK/other.json $WORK/h2.json |
	gojq -c '[.tenants[0].endpoints[].name]')" '["web","veth3","veth4","red-a"]'
is "one tenant of it" "$(migrate h1 merge --tenant br-9 $WORK/all.json | tenants_of)" "br-9 9 vxlan"
refused "a tenant that is not there" 1 'there is no tenant "blue", only ["br-red", "br-9"]' h1 \
	merge --tenant blue $WORK/all.json

# What a switch has, and a tenant more: nothing that was there changes.
sw h1 switch up dev eth0 name h1
undo sw h1 switch down
sw h1 host add far ip 192.0.2.9
sw h1 tenant add green id 300 net 10.3.0.0/24 description 'Größe "x"' rate-out 1mbit
sw h1 tenant add pink id 400
sw h1 endpoint add g tenant green mac 02:00:00:00:00:09 ip 10.3.0.9 host far
sw h1 gateway add green ip 10.3.0.254/24
sw h1 gateway add pink ip 10.4.0.254/24
sw h1 peer add green with pink
sw h1 save >$WORK/now.json
migrate h1 merge --tenant br-9 $WORK/all.json >$WORK/br-9.json
migrate h1 merge $WORK/now.json $WORK/br-9.json >$WORK/both.json
is "what a switch has, and a tenant more" "$({ sw h1 -j diff $WORK/both.json || true; } | gojq -c \
	'map([.change, .object, .name])')" '[["add","host","h2"],["add","tenant","br-9"]]'
for words in 'host h1 192.0.2.77:another host has the name "h1"' \
	'tenant br-red 7:the tenant "br-red" has id 7 here and 100 before'; do
	read -r what name value <<<"${words%%:*}"
	filter=".tenants[0].id = 7"
	[ "$what" = tenant ] || filter=".hosts[0].ip = [\"$value\"]"
	jq "$filter" $WORK/h1.json >$WORK/other.json
	refused "merge: another $what named $name" 2 "${words#*:}" h1 merge $WORK/all.json \
		$WORK/other.json
done
jq '.format = 2' $WORK/h1.json >$WORK/other.json
refused "merge: another format" 2 '"format" is 2, not 1' h1 merge $WORK/other.json
jq '.tenants[0].endpoints[0] += {"host":"192.0.2.2","dev":"x"}' $WORK/h1.json >$WORK/other.json
migrate h1 merge $WORK/h1.json $WORK/other.json >/dev/null
is "a MAC with a device on two hosts" "$(left_out)" 'endpoint "red-a" of tenant "br-red" on host '`
	`'"192.0.2.2": its MAC "02:00:00:00:00:01" lives on host "h1", too'


# ---- two switches that run ---------------------------------------------------------------------

# Each has what only its own file knows: ports, a zone, groups and rules.
sw h1 switch down
printf '192.0.2.%s h%s\n' 1 1 2 2 >$WORK/hosts
for n in 1 2; do
	sw h$n switch up dev eth0 name h$n
	undo sw h$n switch down
	sw h$n host add h$((3 - n)) ip 192.0.2.$((3 - n)) mtu 1$((3 - n))00
	sw h$n host add far ip 192.0.2.9 zone rack
	sw h$n tenant add red id 100 rate-out 1gbit policy on net 10.0.0.0/24
	sw h$n tenant add blue id 200
	sw h$n group add red g$n
	sw h$n policy add red r$n from group g$n to any
	ip -n h$n link add c$n type veth peer name p$n
	for m in 1 2; do
		place=(host "h$m")
		[ $m != $n ] || place=(dev "c$n")
		sw h$n endpoint add c$m tenant red mac 02:00:00:00:00:0$m ip 10.0.0.$m \
			rate-in 2mbit "${place[@]}"
	done
	sw h$n gateway add red ip 10.0.0.254/24 snat 198.51.100.7
	sw h$n endpoint add b tenant blue mac 02:00:00:00:00:01 ip 10.9.0.9 host far
	sw h$n gateway add blue ip 10.9.0.254/24
	sw h$n publish add red proto tcp port 80 to 10.0.0.$n:8080
	sw h$n publish add blue proto udp port 5$n to 10.9.0.9:53
	sw h$n peer add red with blue
	sw h$n peer add blue with red proto tcp port 80
	sw h$n save >$WORK/h$n.json
done
migrate h1 merge $WORK/h1.json $WORK/h2.json >$WORK/all.json
is "two that agree: nothing is left out" "$(<$WORK/status) $(left_out)" "0 "
check "it fits the schema" fits <$WORK/all.json
# shellcheck disable=SC2016 # gojq's names
is "each host's published ports are there" "$(gojq -r '.tenants[] | .name as $t | .publish[]? |
	"\($t) \(.proto) \(.port) \(.to) \(.host)"' $WORK/all.json | sort)" "$(cat <<-'END'
	blue udp 51 10.9.0.9:53 h1
	blue udp 52 10.9.0.9:53 h2
	red tcp 80 10.0.0.1:8080 h1
	red tcp 80 10.0.0.2:8080 h2
	END
)"
is "and the groups and rules of both" \
	"$(gojq -c '.tenants[] | select(.name == "red") | [.groups, [.policies[].name]]' \
		$WORK/all.json)" '[["g1","g2"],["r1","r2"]]'
is "hosts keep their zones and MTUs" "$(gojq -c '[.hosts[] | [.name, .zone, .mtu]] | sort' \
	$WORK/all.json)" '[["far","rack",null],["h1",null,1100],["h2",null,1200]]'
for n in 1 2; do
	before=$(sw h$n publish show)
	# The other host's group and rule come, and nothing goes.
	is "h$n: what apply would change" "$({ sw h$n -j diff $WORK/all.json || true; } | gojq -r \
		'.[] | "\(.change) \(.object) \(.name)"' | sort | paste -sd,)" \
		"add group red/g$((3 - n)),add policy red/r$((3 - n))"
	check "h$n: apply" sw h$n -q apply $WORK/all.json
	is "h$n: its ports are as before" "$(sw h$n publish show)" "$before"
	check "h$n: switch check" sw h$n switch check
done
is "one tenant of it: notes tell of the peerings that go" "$(migrate h1 merge --tenant red \
	$WORK/all.json | gojq -c .peers) $(grep -c 'note: peering of ".*" with ".*": one of' \
	$WORK/said)" "[] 2"

migrate h1 merge --through h1 h2 $WORK/all.json >$WORK/state
is "the view of h2 by h1 has h2's ports, and notes tell of the others" "$(gojq -c \
	'[.tenants[].publish[].host] | unique' $WORK/state) $(grep -c \
	'port {.*"h1"}.*of no use on host' $WORK/said)" '["h2"] 2'

# differs STATUS TEXT JQ: h2's file is changed, and merge says so: it cannot keep that, or status 0:
# all hosts get it.
differs() {
	gojq -c "$3" $WORK/h2.json >$WORK/other.json
	migrate h1 merge $WORK/h1.json $WORK/other.json >$WORK/state
	is "$3: tells $2" "$(<$WORK/status) $(sed -nE "s|, in $WORK/other.json[^:]*||
		s/^tsw-migrate: (left out|note): //p" $WORK/said)" "$1 $2"
}
red='(.tenants[] | select(.name == "red"))' other='in another file' gateway='gateway of tenant "red"'
rule='{"name": "r1", "from": "group:g1", "to": "any", "proto": "any", "port": "any", "action": '`
	`'"allow"..."'
web='{"proto": "tcp", "port": 80, "to": "10.0.0.1:8080", "host": "h1"}'
dns='{"proto": "udp", "port": 51, "to": "10.9.0.9:53", "host": "h1"}'
half='{"tenant": "blue", "with": "red", "proto": "tcp", "port": 80, "prefix": []}'
apart='not every file has it, but every host gets it'
differs 1 "snat [\"198.51.100.8\"] of $gateway: it is [\"198.51.100.7\"] $other" \
	"$red.gateway.snat = [\"198.51.100.8\"]"
differs 1 "nat false of $gateway: it is true $other" "$red.gateway.nat = false"
differs 1 'gateway ["10.0.0.253/24"] of tenant "red": it has ["10.0.0.254/24"]' \
	"$red.gateway.ip = [\"10.0.0.253/24\"]"
differs 1 "$gateway: several hosts have it: each serves its own
backup [\"far\"] of $gateway: several hosts have it" \
	"$red.gateway += {\"host\": \"h2\", \"backup\": [\"far\"]}"
differs 1 "rate_out 5000000 of tenant \"red\": it is 1000000000 $other" "$red.rate_out = 5000000"
differs 0 "dhcp true of tenant \"red\": $apart" "$red.dhcp = true"
differs 1 "policy \"audit\" of tenant \"red\": it is \"on\" $other" "$red.policy = \"audit\""
differs 1 "policies {\"from\": \"any\", \"name\": \"r1\", \"to\": \"any\"} of tenant \"red\": it is $rule $other" \
	"$red.policies[0] |= {name: \"r1\", from: \"any\", to}"
differs 1 'net "10.0.0.0/16" of tenant "red": it overlaps with "10.0.0.0/24"' \
	"$red.net = [\"10.0.0.0/16\"]"
published() { # PORT WHAT WHY
	differs 1 "$2 $1 of tenant \"red\": $3" "$red.publish[0] = $1"
}
published '{"host": "h1", "port": 80, "proto": "tcp", "to": "10.0.0.2:1"}' publish \
	"it is $web $other"
published '{"port": 80, "proto": "tcp", "to": "10.0.0.2:1"}' 'published port' \
	"tenant \"red\" has $web there"
published '{"host": "h1", "port": 51, "proto": "udp", "to": "10.0.0.2:1"}' 'published port' \
	"tenant \"blue\" has $dns there"
differs 1 'rate_out 7000 of endpoint "c1" of tenant "red": the file of its host does not have it' \
	"$red.endpoints[0].rate_out = 7000"
differs 1 "dev \"c9\" of endpoint \"c1\" of tenant \"red\": it is \"c1\" $other" \
	"$red.endpoints[0].dev = \"c9\""
differs 1 "peering {\"tenant\": \"blue\", \"with\": \"red\"}: it is $half $other" \
	"(.peers[] | select(.tenant == \"blue\")) |= {tenant, with}"
differs 1 "zone \"rack9\" of host \"far\": it is \"rack\" $other" ".hosts[0].zone = \"rack9\""
differs 1 "encap \"geneve\" of tenant \"red\": it is \"vxlan\" $other" "$red.encap = \"geneve\""
differs 0 "switch {\"max_endpoints\": 9} of the file: $apart" ".switch = {\"max_endpoints\": 9}"

# ---- MACs of the hosts themselves --------------------------------------------------------------

# A bridge and its ports speak, too, for example IPv6 neighbour discovery. The other host's bridge
# learns their MACs as it learns those of containers.
run_undo
topo_hosts h1 h2
old_tenant h1 red 100 h2
old_tenant h2 red 100 h1
old_container red a h1 10.0.0.1/24
old_container red c h2 10.0.0.3/24
check "red-a reaches red-c" reach red-a 10.0.0.3
for dev in br-red vx-red; do
	for host in h1 h2; do
		inject $host $dev -c 1 eth src="$(mac_on $host $dev)" dst=ff:ff:ff:ff:ff:ff / arp
	done
done
own=$(mac_on h2 vx-red)
check "h1 has heard h2's device" retry 5 eval "on h1 bridge fdb show dev vx-red | grep -q '^$own'"
# A device of the host itself that is a member by a veth is an endpoint like a container.
ip -n h1 link add own0 type veth peer name own1
ip -n h1 link set own0 master br-red up
ip -n h1 link set own1 up
inject h1 own1 -c 1 eth src="$(mac_on h1 own1)" dst=ff:ff:ff:ff:ff:ff / arp
# As if a frame of h1's own had come back by the tunnel.
on h1 bridge fdb replace "$(mac_on h1 eth0)" dev vx-red master static
mkdir $WORK/bin $WORK/h1.facts
ln -s "$(command -v ip)" "$(command -v bridge)" $WORK/bin
echo old >$WORK/h1.facts/ovs-fdb-br0
for host in h1 h2; do
	is "$host: collect tells nothing of commands that are not there" "$(on $host env \
		PATH=$WORK/bin "$(command -v "$PY")" "$MIGRATE" collect $WORK/$host.facts 2>&1)" ""
	is "$host: and leaves nothing of an earlier time" "$(find $WORK/$host.facts -type f -printf '%f\n' | sort | xargs)" \
		"addr.json fdb.json link.json neigh.json vlan.json"
	migrate h1 bridge --from $WORK/$host.facts --host $host --hosts $WORK/hosts \
		>$WORK/$host.json
done
check "h1's file has it, since a container could be there" grep -qF "\"$own\"" $WORK/h1.json
check_fails "but no device of h1 itself" grep -F "$(mac_on h1 eth0)" $WORK/h1.json
migrate h1 merge $WORK/h1.json $WORK/h2.json >$WORK/all.json
is "merged it is gone" "$(<$WORK/status) $(tenants_of <$WORK/all.json | grep -v own0)" "$(cat <<-'END'
	0 br-red 100 vxlan
	  red-a 02:00:00:00:00:01  h1 red-a
	  red-c 02:00:00:00:00:03  h2 red-c
	END
)"
is "and so is the host's end of a veth" "$(gojq -r ".tenants[0].endpoints[] |
	select(.mac == \"$(mac_on h1 own1)\") | .dev" $WORK/all.json)" own0
check "and a note tells so" grep -q "note: endpoint \"$own\" of tenant \"br-red\": the file of host" \
	$WORK/said
for host in h1 h2; do
	undo sw $host switch down
	check "$host: apply takes it" sw $host -q apply $WORK/all.json
done
finish
