#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tsw-migrate: several hosts' files as one; files that are wrong, and wrong words.
#
#   h1 192.0.2.1: br-red, vx-red, red-a ═══ 192.0.2.2 h2
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_ovs.sh"
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

# ---- wrong files -------------------------------------------------------------------------------

sw h1 switch down
old_tenant h1 red 100 h2
old_container red a h1 10.0.0.1/24
ip -n h1 addr add 10.0.0.254/24 dev br-red
check "red-a speaks" reach red-a 10.0.0.254
migrate h1 collect $WORK/facts
echo '[]' >$WORK/facts/vlan.json
wrong() { # DESC FILE TEXT CONTENT
	rm -rf $WORK/wrong
	cp -r $WORK/facts $WORK/wrong
	printf '%s' "$4" >$WORK/wrong/"$2"
	refused "$1" 2 "$3" h1 bridge --from $WORK/wrong
}
wrong "an empty file" link.json "\"$WORK/wrong/link.json\" is empty" ''
wrong "no JSON" fdb.json "is not JSON: Expecting value: line 1 column 7" '[{"a":nul}]'
wrong "no list" link.json 'link.json: a list is expected, not {"a": 1}' '{"a": 1}'
wrong "two documents" link.json 'has 2 documents, not one' '[] []'
wrong "links without details" link.json 'no device has "linkinfo": is it what' \
	'[{"ifname":"br-red","link_type":"ether","address":"02:00:00:00:00:01"}]'
wrong "no MAC" fdb.json 'fdb.json[0].mac: "zz" is not a MAC' \
	'[{"mac":"zz","ifname":"red-a","master":"br-red","state":""}]'
wrong "no address" neigh.json 'neigh.json[0].dst: "10.0.0.x" is not an IP address' \
	'[{"dst":"10.0.0.x","dev":"br-red","lladdr":"02:00:00:00:00:01"}]'
wrong "no UTF-8" addr.json 'is not UTF-8' $'[{"ifname":"\xff"}]'
jq -c 'map(if .ifname == "vx-red" then .linkinfo.info_data.port = 65536 else . end)' \
	$WORK/facts/link.json >$WORK/link
wrong "no UDP port" link.json 'linkinfo.info_data.port: 65536 is not a UDP port' "$(<$WORK/link)"
refused "no such directory" 2 'cannot read "/nowhere/link.json"' h1 bridge --from /nowhere
refused "a number that is none" 2 '--id: "x" is not a number' h1 bridge --id br-red=x
refused "no name" 2 '--id: "7" is not TENANT=N' h1 bridge --id 7
refused "a name that tsw refuses" 2 '--host: "a b" is not a valid name' h1 bridge --host 'a b'
refused "no local address" 2 '--local: "h1" is not an IP address' h1 bridge --local h1
refused "a lease" 2 ':2": "x y z 1 2" is not a line' h1 bridge --leases \
	<(printf '\n%s\n' 'x y z 1 2')
refused "a hosts file" 2 '"lonely" is not a line' h1 bridge --hosts <(echo lonely)
check_fails "a verb that is none" eval "migrate h1 nonsense; [ $(<$WORK/status) != 2 ]"
refused "no Open vSwitch" 1 'database connection failed' h1 ovs --db unix:/nowhere
refused "nothing to migrate" 1 'no tenant was found' h2 bridge

# Numbers and names that tsw refuses.
far() { # JQ: of link.json
	rm -rf $WORK/wrong
	cp -r $WORK/facts $WORK/wrong
	jq "map($1)" $WORK/facts/link.json >$WORK/wrong/link.json
	migrate h1 bridge --from $WORK/wrong --host h1 >$WORK/state || true
}
far 'if .ifname == "vx-red" then .linkinfo.info_data.id = 0 else . end'
is "VNI 0 is no tenant's id" "$(left_out | cut -d: -f1-2)" \
	'tenant "br-red": it has no VNI or key of its own'
far 'if .ifname == "vx-red" then .linkinfo.info_data.id = 16777216 else . end'
is "nor is one of 25 bits" "$(left_out)" \
	'tenant "br-red": id 16777216 is not from 1 to 16777215, as vxlan has'

# Each value of each file in turn is another, and each file is cut.
FILES=$LIB/migrate each=1
[ -z "${TSW_QUICK:-}" ] || each=5
bad() { # DESC DIRECTORY WORD...
	check "$1: nothing breaks it" "$PY" "$TOOLS/migrate_bad.py" $each "$MIGRATE" \
		"$ROOT/docs/state.schema.json" "${@:2}"
}
for file in "$WORK"/facts/*; do # what nobody looks at
	case ${file##*/} in
	link.json) jq -c 'map({ifname, link_type, address, master, linkinfo: {
		info_kind: .linkinfo.info_kind, info_data: (.linkinfo.info_data | {id, local, port,
		vlan_filtering}?)}})' "$file" >$WORK/link && mv $WORK/link "$file" ;;
	ovs-* | docker.json) rm "$file" ;;
	esac
done
bad bridges $WORK/facts bridge --from $WORK/facts --host h1
bad Docker $FILES/docker docker --from $FILES/docker --host h1 --local 192.0.2.1 --id-base 5
is "this database is whole" "$(migrate h1 ovs --from $FILES/ovs --host h1 --local 192.0.2.1 |
	tenants_of)" "br-r 7 vxlan
  w 02:00:00:00:00:01  h1 c1
  02:00:00:00:00:03 02:00:00:00:00:03  192.0.2.2 -"
bad "Open vSwitch" $FILES/ovs ovs --from $FILES/ovs --host h1 --local 192.0.2.1
mkdir $WORK/states
cp $WORK/h2.json $WORK/states/
bad merge $WORK/states merge $WORK/h1.json $WORK/states/h2.json
finish
