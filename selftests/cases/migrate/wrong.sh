#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tsw-migrate: files that are wrong, and wrong words.
#
#   h1 192.0.2.1: br-red, vx-red, red-a ═══ 192.0.2.2 h2
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_ovs.sh"
. "$LIB/lib_migrate.sh"

topo_hosts h1 h2

# Two hosts' files, the second of which knows more.
cat >$WORK/h1.json <<-'END'
	{"format":1,"hosts":[{"name":"h1","ip":["192.0.2.1"],"switch":{"dev":["eth0"]}}],
	"tenants":[{"name":"red","id":100,"net":["10.0.0.0/24"],"endpoints":[
	{"name":"a","mac":"02:00:00:00:00:01","host":"h1","dev":"a"}]}]}
END
cat >$WORK/h2.json <<-'END'
	{"format":1,"hosts":[{"name":"h2","ip":["192.0.2.2"],"zone":"z","switch":{"dev":["eth0"]}},
	{"name":"h1","ip":["192.0.2.1"],"mtu":1500}],
	"tenants":[{"name":"blue","id":9},{"name":"red","id":100,"net":["10.1.0.0/24"],
	"gateway":{"ip":["10.0.0.254/24"],"host":"h2","backup":["h1"],"snat":["192.0.2.9"]},
	"groups":["g"],"policies":[{"name":"r","from":"group:g","to":"any"}],
	"publish":[{"proto":"tcp","port":80,"to":"10.0.0.3:80","host":"h2"}],"endpoints":[
	{"name":"c","mac":"02:00:00:00:00:03","ip":["10.0.0.3"],"host":"h2","dev":"c","group":["g"],
	"rate_in":5000,"burst":9000,"to_host":"h1","to_dev":"d"}]}],
	"peers":[{"tenant":"red","with":"blue","proto":"tcp","port":80,"prefix":["10.0.0.0/25"]}]}
END

# ---- wrong files -------------------------------------------------------------------------------

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
migrate h1 docker --local 192.0.2.1 --host h1 $LIB/migrate/docker/docker.json >/dev/null
is "of a network of Docker that nobody uses nothing is told" \
	"$(grep -cE '"(web|inner)": it has no VNI' $WORK/said) $(grep -c '"inner"' $WORK/said || true)" \
	"1 0"
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
migrate h1 ovs --from $FILES/userspace --host h1 >$WORK/state
is "in userspace the switch goes past it" \
	"$(gojq -c '.hosts[0].switch' $WORK/state) $(past_ovs)" '{"dev":["eth0"]} ip link add '`
	`'old-4789 up type vxlan id 16777215 dstport 4789; '`
	`'ip link set eth0 address 02:ff:00:00:00:02; '`
	`'ip -4 route add 192.0.2.0/24 dev eth0 table 4789; '`
	`'ip -4 rule add ipproto udp dport 4789 table 4789; ip -4 rule add ipproto gre table 4789'
check "at its address" grep -qF 'switch up dev eth0 local 192.0.2.1`' $WORK/said
jq '.data[3][2] = "dpdk"' $FILES/userspace/ovs-interface.json >$WORK/dpdk.json
cp -r $FILES/userspace $WORK/dpdk && mv $WORK/dpdk.json $WORK/dpdk/ovs-interface.json
migrate h1 ovs --from $WORK/dpdk --host h1 >$WORK/state
is "without a device it is at the bridge, with a note" "$(gojq -c '.hosts[0].switch' \
	$WORK/state) $(grep -c 'there is no one device below it' $WORK/said)" '{"dev":["br-wire"]} 1'
bad "Open vSwitch in userspace" $FILES/userspace ovs --from $FILES/userspace --host h1
bad "Open vSwitch" $FILES/ovs ovs --from $FILES/ovs --host h1 --local 192.0.2.1
mkdir $WORK/states
cp $WORK/h2.json $WORK/states/
bad merge $WORK/states merge $WORK/h1.json $WORK/states/h2.json
finish
