#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: migrate/bridge reads bridges and vxlan devices; migrate/wrong has what is refused
# tsw-migrate alone: what it reads from bridges, from Open vSwitch's database and from Docker's
# networks, and what it says about things that it leaves out and about wrong files.
#
#   red-a red-b red-d blue-a ── br-red br-blue ─ h1 192.0.2.1 ═════ 192.0.2.2 h2
#               10.0.0.254 ── br-red            2001:db8::1       2001:db8::2
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_ovs.sh"
. "$LIB/lib_migrate.sh"

UNDERLAY=46
topo_hosts h1 h2
printf '192.0.2.1 h1\n192.0.2.2 h2 h2.example\n2001:db8::2 h2\n' >$WORK/hosts
HERE=(--host h1 --hosts "$WORK/hosts")

# taken DESC: the state in $WORK/state fits the schema, h1's switch becomes that, and goes again.
taken() {
	check "$1: it fits the schema" fits <$WORK/state
	check "$1: apply takes it" sw h1 -q apply $WORK/state
	is "$1: and it is all there" "$(sw h1 diff $WORK/state)" ""
	sw h1 switch down
}

# ---- bridges, as this kernel and iproute2 tell of them -----------------------------------------

old_tenant h1 red 100 h2
old_tenant h1 blue 200
ip -n h1 link del vx-blue
ip -n h1 link add vx-blue type vxlan id 200 dstport 4789 local 2001:db8::1 remote 2001:db8::2
ip -n h1 link set vx-blue master br-blue up
for name in a:1 b:2 d:4; do
	old_container red ${name%:*} h1 10.0.0.${name#*:}/24
done
old_container blue a h1 10.0.0.1/24 fd00::1/64
ip -n h1 addr add 10.0.0.254/24 dev br-red
for name in a b; do check "red-$name speaks" reach red-$name 10.0.0.254; done
on blue-a ping -n -c 1 -W 1 10.0.0.9 >/dev/null || true # its MAC is learned by that
# Who lives elsewhere: learned, or written by hand.
on h1 bridge fdb append 02:00:00:00:00:03 dev vx-red dst 192.0.2.2
on h1 bridge fdb append 02:00:00:00:00:03 dev vx-blue dst 2001:db8::2
# What cannot come along.
ip -n h1 link add br-own type bridge
container own a h1 10.9.0.1/24 endpoint off
ip -n h1 link set own-a master br-own
for mac in 71 72; do on h1 bridge fdb add 02:00:00:00:00:$mac dev own-a master static; done
ip -n h1 link add br-group type bridge
ip -n h1 link add vx-group type vxlan id 300 dstport 4789 group 239.1.1.1 dev eth0
ip -n h1 link set vx-group master br-group
ip -n h1 link add vx-alone type vxlan id 400 dstport 4789 remote 192.0.2.2
printf '%s\n' '# MAC IP NAME DEVICE' '02:00:00:00:00:04 10.0.0.4 - red-d' >$WORK/leases
printf '%s\n' '1790000000 02:00:00:00:00:01 10.0.0.1 web 01:02' 'duid 00:01' \
	'1790000000 7 fd00::9 nobody 00:01' >$WORK/dnsmasq

migrate h1 bridge "${HERE[@]}" >$WORK/state
is "what is left out" "$(left_out | sed 's/: let it send a frame.*//; s/, which tsw.*//' | sort)" \
	"$(cat <<-'END'
	port "red-d" of bridge "br-red": no MAC was heard there
	port "vx-group" of bridge "br-group": it sends broadcast to a multicast group
	tenant "br-own": it has no VNI or key of its own: --id br-own=N
	vxlan device "vx-alone": it is in no bridge
	END
)"
is "and the status says so" "$(<$WORK/status)" 1
is "the last line counts" "$(tail -n 1 $WORK/said)" "tsw-migrate: 4 left out, see above"
check "a note tells of a gateway" \
	grep -q 'note: gateway of tenant "br-red": "10.0.0.254/24" with NAT' $WORK/said
check "and that tunnels of both families are no one way" grep -q 'note: tunnels: some are over' \
	$WORK/said
check "and of addresses that nobody knows" grep -q 'note: tenant "br-blue": no address is known' \
	$WORK/said

migrate h1 bridge "${HERE[@]}" --leases br-red=$WORK/leases --leases br-blue=$WORK/dnsmasq \
	--tenant br-red --tenant br-blue >$WORK/state
is "with leases, and these tenants alone, nothing is" "$(<$WORK/status) $(left_out)" "0 "
is "the state" "$(tenants_of <$WORK/state)" "$(cat <<-'END'
	br-blue 200 vxlan
	  web 02:00:00:00:00:01 10.0.0.1 h1 blue-a
	  02:00:00:00:00:03 02:00:00:00:00:03  h2 -
	br-red 100 vxlan gateway 10.0.0.254/24 at h1
	  red-a 02:00:00:00:00:01 10.0.0.1 h1 red-a
	  red-b 02:00:00:00:00:02 10.0.0.2 h1 red-b
	  02:00:00:00:00:03 02:00:00:00:00:03  h2 -
	  red-d 02:00:00:00:00:04 10.0.0.4 h1 red-d
	END
)"
is "the hosts have an address of each family" "$(gojq -c '.hosts[] | [.name, .ip, .switch.dev]' \
	$WORK/state | paste -sd ' ')" \
	'["h1",["192.0.2.1","2001:db8::1"],["eth0"]] ["h2",["192.0.2.2","2001:db8::2"],null]'
is "the gateway keeps its MAC" "$(gojq -r '.tenants[1].gateway.mac' $WORK/state)" \
	"$(ip -n h1 -j link show br-red | gojq -r '.[0].address')"
is "its network is the tenant's net" "$(gojq -c '.tenants[1].net' $WORK/state)" '["10.0.0.0/24"]'
for tenant in red blue; do ip -n h1 link set vx-$tenant down; done
taken bridges

migrate h1 bridge "${HERE[@]}" --tenant br-own --id br-own=77 --local 192.0.2.1 >$WORK/state
is "an id by --id; two MACs at a port" "$(tenants_of <$WORK/state); $(left_out)" \
	'br-own 77 vxlan; port "own-a" of bridge "br-own": 2 MACs send there, but an endpoint '`
	`'has one: 02:00:00:00:00:71, 02:00:00:00:00:72'
migrate h1 bridge "${HERE[@]}" --tenant br-red --id br-red=55 >/dev/null
check "an id that is not the wire's is told" grep -q 'do not have id 55 today' $WORK/said

# ---- what other kernels tell: VLANs, GRE ------------------------------------------------------

# selftests/migrate has what iproute2 6.1 printed on Linux 6.12, without what is not looked at; and
# a file in the form that Docker documents.
FILES=$LIB/migrate
migrate h1 bridge "${HERE[@]}" --from $FILES/vlans --id-base 5000 --id br0=9 >$WORK/state
is "a VLAN with a vxlan device of its own has its VNI, another --id-base" \
	"$(tenants_of <$WORK/state)" "$(cat <<-'END'
	br0 9 vxlan
	  v2 02:00:00:00:00:05  h1 v2
	br0-10 1010 vxlan gateway 10.1.0.254/24 at h1
	  v0 02:00:00:00:00:01 10.1.0.1 h1 v0
	  02:00:00:00:00:03 02:00:00:00:00:03 10.1.0.3 h2 -
	br0-20 5020 vxlan
	  v1 02:00:00:00:00:01  h1 v1
	brg 100000 gre
	  vg 02:00:00:00:00:01  h1 vg
	  02:00:00:00:00:03 02:00:00:00:00:03  h2 -
	END
)"
is "what is left out of VLANs and GRE" "$(left_out | cut -d: -f1-2 |
	sed 's/, and a device can.*//' | sort)" "$(cat <<-'END'
	port "eth1" of bridge "br0": a device of kind "physical" is not a container's
	port "g2" of bridge "brg": its keys for the two directions differ
	port "t0" of bridge "br0": it is a trunk of the VLANs [10, 11, 12]
	port "vxe" of bridge "br0": other programs choose its VNIs ("external")
	END
)"
is "the UDP port is the tunnels'" "$(gojq .hosts[0].switch.port $WORK/state)" 8472
check "it fits the schema" fits <$WORK/state

# The same from this kernel, where it has such.
real_vlans() {
	local dev

	ip -n h2 link add vlans type bridge vlan_filtering 1 || return
	ip -n h2 link add link vlans name vlans.10 type vlan id 10 || return
	ip -n h2 link add gre type gretap key 100000 local 192.0.2.2 remote 192.0.2.1 || return
	ip -n h2 link add bg type bridge
	ip -n h2 link set gre master bg
	for dev in va vg; do ip -n h2 link add $dev type veth peer name p-$dev; done
	ip -n h2 link set vg master bg
	ip -n h2 link add vx10 type vxlan id 1010 dstport 4789 local 192.0.2.2 remote 192.0.2.1
	for dev in va vx10; do
		ip -n h2 link set $dev master vlans
		on h2 bridge vlan add vid 10 pvid untagged dev $dev
		on h2 bridge vlan del vid 1 dev $dev
	done
	on h2 bridge vlan add vid 10 dev vlans self
	ip -n h2 addr add 10.1.0.254/24 dev vlans.10
	on h2 bridge fdb add 02:00:00:00:00:01 dev va master static vlan 10
	on h2 bridge fdb add 02:00:00:00:00:03 dev vx10 master static vlan 10
	on h2 bridge fdb append 02:00:00:00:00:03 dev vx10 dst 192.0.2.1
	on h2 bridge fdb add 02:00:00:00:00:01 dev vg master static
	on h2 bridge fdb add 02:00:00:00:00:03 dev gre master static
}
if real_vlans 2>$WORK/err; then
	migrate h2 bridge --hosts $WORK/hosts --host h2 >$WORK/state
	is "VLANs and GRE of this kernel" "$(tenants_of <$WORK/state)" "$(cat <<-'END'
		bg 100000 gre
		  vg 02:00:00:00:00:01  h2 vg
		  02:00:00:00:00:03 02:00:00:00:00:03  h1 -
		vlans-10 1010 vxlan gateway 10.1.0.254/24 at h2
		  va 02:00:00:00:00:01  h2 va
		  02:00:00:00:00:03 02:00:00:00:00:03  h1 -
	END
	)"
	is "nothing of them is left out" "$(left_out)" ""
else
	skip "VLANs and GRE of this kernel" "$(tail -n 1 $WORK/err)"
fi

# ---- Open vSwitch: a real database -----------------------------------------------------------

dir=$WORK/ovs-h1
mkdir $dir
ovsdb-tool create $dir/conf.db $OVS_SCHEMA
daemon h1 ovsdb-server --remote=punix:$dir/db.sock --unixctl=$dir/db.ctl $dir/conf.db
retry 20 vsctl h1 --no-wait init
vs() { vsctl h1 --no-wait "$@"; }
for name in c1 c2 c3 c4 c5 up1; do
	ip -n h1 link add $name type veth peer name p-$name
done
for name in alice bob; do # stand for its internal ports, which have the gateways' addresses
	ip -n h1 link add $name type veth peer name p-$name
	ip -n h1 addr add 172.16.$([ $name = alice ] && echo 1 || echo 2).1/24 dev $name
done
ip -n h1 neigh add 172.16.1.2 lladdr 02:00:00:00:00:01 dev alice
ip -n h1 neigh add 172.16.1.3 lladdr 02:00:00:00:00:03 dev alice

# A bridge for each user, with GRE: the user's number is the key; a port to each worker.
vs add-br docklet-br-5 -- add-port docklet-br-5 alice -- set interface alice type=internal \
	ofport=10 ingress_policing_rate=5000 -- \
	add-port docklet-br-5 c1 -- set interface c1 ofport=1 ingress_policing_rate=20000 \
	ingress_policing_burst=2000 external_ids:iface-id=node-1/eth0
for peer in 2 3; do
	vs add-port docklet-br-5 gre-5-192.0.2.$peer -- set interface gre-5-192.0.2.$peer type=gre \
		options:remote_ip=192.0.2.$peer options:key=5 ofport=2$peer
done
qos=$(vs set port c1 qos=@q -- --id=@q create qos type=linux-htb other_config:max-rate=30000000)
note "made $qos"
# One for all, with a VLAN for each user, GRE without a key.
vs add-br docklet-br -- add-port docklet-br bob tag=7 -- set interface bob type=internal \
	ofport=10 -- add-port docklet-br c2 tag=7 -- set interface c2 ofport=1 \
	external_ids:attached-mac='"02:00:00:00:00:02"' -- \
	add-port docklet-br gre-192.0.2.2 trunks=7,9 -- set interface gre-192.0.2.2 type=gre \
	options:remote_ip=192.0.2.2 ofport=22 -- \
	add-port docklet-br trunk trunks=7,8 -- add-port docklet-br up1 vlan_mode=trunk
# There VLAN 8 has got a tunnel of its own.
vs add-port docklet-br c5 tag=8 -- set interface c5 ofport=5 -- add-port docklet-br u8 tag=8 -- \
	set interface u8 type=vxlan options:remote_ip=192.0.2.2 options:key=1008 ofport=28
# One for many users, with a VXLAN key for all of them.
vs add-br docklet-br-1 -- add-port docklet-br-1 c3 tag=2 -- set interface c3 ofport=1 -- \
	add-port docklet-br-1 vxlan-1-192.0.2.2 -- set interface vxlan-1-192.0.2.2 type=vxlan \
	options:remote_ip=192.0.2.2 options:key=1 options:local_ip=192.0.2.1
# And what tsw has no place for.
vs add-br br-x -- add-port br-x c4 -- \
	add-port br-x gnv -- set interface gnv type=geneve options:remote_ip=192.0.2.2 -- \
	add-port br-x flow -- set interface flow type=vxlan options:remote_ip=flow \
	options:key=flow -- \
	add-port br-x k1 -- set interface k1 type=vxlan options:remote_ip=192.0.2.2 options:key=9 -- \
	add-port br-x k2 -- set interface k2 type=vxlan options:remote_ip=192.0.2.3 options:key=8 -- \
	add-port br-x patch -- set interface patch type=patch options:peer=other -- \
	add-bond br-x bond0 e1 e2 -- set-controller br-x tcp:127.0.0.1:6653

OVS=(ovs "${HERE[@]}" --db "unix:$dir/db.sock")
migrate h1 "${OVS[@]}" --tenant docklet-br-5 >$WORK/state
check "without a daemon that forwards a note tells what is not known" \
	grep -q 'note: not read: "ovs-appctl fdb/show docklet-br-5"' $WORK/said
migrate h1 collect $WORK/facts --db unix:$dir/db.sock
learned() { # BRIDGE LINE...: as the daemon would have printed it
	printf '%s\n' ' port  VLAN  MAC                Age' "${@:2}" >$WORK/facts/ovs-fdb-"$1"
}
learned docklet-br-5 '    1     0  02:00:00:00:00:01    3' '   22     0  02:00:00:00:00:03   12' \
	'   23     0  02:00:00:00:00:04  static' 'LOCAL     0  02:00:00:00:00:99    1'
learned docklet-br '   22     7  02:00:00:00:00:03    1' \
	'    5     8  02:00:00:00:00:05    3' '   28     8  02:00:00:00:00:06    1'
learned docklet-br-1 '    1     2  02:00:00:00:00:07    3'
learned br-x
FACTS=(ovs "${HERE[@]}" --from "$WORK/facts")
migrate h1 "${FACTS[@]}" --id-base 1000 >$WORK/state
is "each of the published cloud's layouts" "$(tenants_of <$WORK/state)" "$(cat <<-'END'
	docklet-br-7 1007 gre gateway 172.16.2.1/24 at h1
	  c2 02:00:00:00:00:02  h1 c2
	  02:00:00:00:00:03 02:00:00:00:00:03  h2 -
	docklet-br-8 1008 vxlan
	  c5 02:00:00:00:00:05  h1 c5
	  02:00:00:00:00:06 02:00:00:00:00:06  h2 -
	docklet-br-1-2 1002 vxlan
	  c3 02:00:00:00:00:07  h1 c3
	docklet-br-5 5 gre gateway 172.16.1.1/24 at h1
	  node-1_eth0 02:00:00:00:00:01 172.16.1.2 h1 c1
	  02:00:00:00:00:03 02:00:00:00:00:03 172.16.1.3 h2 -
	  02:00:00:00:00:04 02:00:00:00:00:04  192.0.2.3 -
	END
)"
is "what is left out of Open vSwitch" "$(left_out | cut -d: -f1-2 |
	sed 's/, and a device can.*//' | sort)" "$(cat <<-'END'
	limits of port "alice" of bridge "docklet-br-5": tsw limits tenants and endpoints, not gateways
	port "bond0" of bridge "br-x": it is a bond of 2, so an uplink
	port "flow" of bridge "br-x": its key ["flow"] is not one number
	port "gnv" of bridge "br-x": tsw has no counterpart of type "geneve"
	port "patch" of bridge "br-x": tsw has no counterpart of type "patch"
	port "trunk" of bridge "docklet-br": it is a trunk of the VLANs [7, 8]
	port "up1" of bridge "docklet-br": it is a trunk of the VLANs all
	tenant "br-x": its tunnels have the keys 8, 9, but a tenant has one id
	END
)"
is "rates of a port are its endpoint's" "$(gojq -c '.tenants[] | select(.id == 5).endpoints[] |
	select(.dev) | [.rate_out, .rate_in, .burst]' $WORK/state)" '[20000000,30000000,250000]'
for text in 'tenant "docklet-br-7": its frames do not have id 1007 today' \
	'tenant "docklet-br-1-2": its frames do not have id 1002 today' \
	'bridge "br-x": a controller' 'endpoint "node-1/eth0" of tenant "docklet-br-5": tsw '`
	`'refuses that name: "node-1_eth0"'; do
	check "a note: $text" grep -qF "note: $text" $WORK/said
done
check_fails "but not of the VLAN that has a tunnel of its own" grep 'note: tenant "docklet-br-8"' \
	<(grep -v 'no address' $WORK/said)
taken "Open vSwitch"
migrate h1 "${FACTS[@]}" --id-base 1000 --tenant docklet-br-7 >$WORK/state
is "one tenant alone: of others nothing is told" "$(<$WORK/status) $(left_out)" '1 '"$(
	left_out | grep 'bridge "docklet-br":')"

# ---- Docker --------------------------------------------------------------------------------

DOCK=br-9f0b6c1d2e3f # as Docker calls it: by the network's id
ip -n h1 link add $DOCK type bridge
for n in 2 3; do
	ip -n h1 link add vethd$n type veth peer name p-vethd$n
	ip -n h1 link set vethd$n master $DOCK
done
on h1 bridge fdb add 02:42:ac:12:00:02 dev vethd2 master static
migrate h1 docker "${HERE[@]}" --id-base 600 --leases web=<(echo 02:42:ac:12:00:03 - - vethd3) \
	$FILES/docker/docker.json >$WORK/state
is "Docker's networks" "$(tenants_of <$WORK/state)" "$(cat <<-'END'
	inner 601 vxlan
	swarm 4097 vxlan gateway 10.0.9.1/24 at h1
	web 603 vxlan gateway 172.18.0.1/16,fd00:18::1/64 at h1
	  web1 02:42:ac:12:00:02 172.18.0.2,fd00:18::2 h1 vethd2
	  web2 02:42:ac:12:00:03 172.18.0.3 h1 vethd3
	END
)"
own="Docker has it in a namespace of its own"
is "what is left out of Docker" "$(left_out | sort)" "$(cat <<-END
	container "db" of network "swarm": its device on this host is not known: $own
	network "lan": tsw has no counterpart of its driver "macvlan"
	END
)"
is "nets, and the MAC of the gateway that is" \
	"$(gojq -c '.tenants[2] | [.net, .gateway.mac]' $WORK/state)" \
	"[[\"172.18.0.0/16\",\"fd00:18::/64\"],\"$(ip -n h1 -j link show $DOCK |
		gojq -r '.[0].address')\"]"
taken Docker
is "from standard input it is the same" "$(migrate h1 docker "${HERE[@]}" --id-base 600 \
	--leases web=<(echo 02:42:ac:12:00:03 - - vethd3) - <$FILES/docker/docker.json)" \
	"$(<$WORK/state)"
migrate h1 docker "${HERE[@]}" --tenant web --id web=9 --local 192.0.2.1 $FILES/docker/docker.json \
	>$WORK/state
is "a container that was not heard" "$(left_out)" "container \"web2\" of network \"web\": its \
device on this host is not known: bridge \"$DOCK\" has not heard \"02:42:ac:12:00:03\"; \
let it send a frame, or give a line of --leases with its device"
finish
