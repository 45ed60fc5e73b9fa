#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: migrate/bridge moves tenants in the same way
# alone: it measures how long Open vSwitch in userspace takes, too
# The published cloud's layout: Open vSwitch, a bridge for each user with the user's number as GRE
# key, tunnels from each worker to the gateway's host alone, which forwards from one to the other.
# Workers move first and see all others behind h1; then each sees each; h1 is the last. With a
# datapath in userspace the switch goes past it on h1 and h2; on h3 tunnel ports are deleted right
# before.
#
#   alice 10.0.0.254 (internal port) ┐              ┌═ h2 192.0.2.2 ── alice-b 10.0.0.2
#                  alice-a 10.0.0.1 ─┴ 192.0.2.1 h1 ┤
#                                                   └═ h3 192.0.2.3 ── alice-c 10.0.0.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_foreign.sh"
. "$LIB/lib_migrate.sh"

KIND=system MTU=1458
[ -z "$(foreign_lacks system gre 4)" ] || KIND=netdev
BR=docklet-br-5
topo_hosts h1 h2 h3
for host in h1 h2 h3; do
	ovs_start $host
	[ $KIND = system ] || wire_as_usual $host
	vsctl $host add-br $BR -- set bridge $BR datapath_type=$KIND
done
gre_port() { # HOST PEER
	vsctl "$1" add-port $BR "gre-5-${VTEP[$2]}" -- set interface "gre-5-${VTEP[$2]}" type=gre \
		options:remote_ip="${VTEP[$2]}" options:key=5
}
for host in h2 h3; do
	gre_port h1 $host
	gre_port $host h1
done
port() { # NAME HOST IP: a container in that bridge
	container alice "$1" "$2" "$3/24" endpoint off
	vsctl "$2" add-port $BR "alice-$1"
	[ $KIND = system ] || on "alice-$1" ethtool -K eth0 tx off >/dev/null
}
port a h1 10.0.0.1
port b h2 10.0.0.2
port c h3 10.0.0.3
vsctl h1 add-port $BR alice -- set interface alice type=internal
ip -n h1 addr add 10.0.0.254/24 dev alice
ip -n h1 link set alice up
for name in a b c; do
	ip -n alice-$name route add default via 10.0.0.254
	check "old: alice-$name reaches the gateway" reach alice-$name 10.0.0.254
done
check "old: worker to worker, by h1" reach alice-b 10.0.0.3
check "old: worker to h1" reach alice-b 10.0.0.1

# ---- look ------------------------------------------------------------------------------------

printf '192.0.2.%s h%s\n' 1 1 2 2 3 3 >$WORK/hosts
printf '02:00:00:00:00:0%s 10.0.0.%s\n' 1 1 2 2 3 3 >$WORK/leases
for host in h1 h2 h3; do
	dir=$WORK/ovs-$host
	migrate $host ovs --host $host --db unix:$dir/db.sock --ctl $dir/vswitchd.ctl --tenant $BR \
		--hosts $WORK/hosts --leases $WORK/leases >$WORK/$host.json
	is "$host: nothing was left out" "$(<$WORK/status) $(left_out)" "0 "
	past_ovs >$WORK/$host.run
done
gateway_mac=$(mac_on h1 alice)
is "h2 sees all others behind h1" "$(tenants_of <$WORK/h2.json | grep -v "$gateway_mac")" "$(cat <<-END
	$BR 5 gre
	  02:00:00:00:00:01 02:00:00:00:00:01 10.0.0.1 h1 -
	  alice-b 02:00:00:00:00:02 10.0.0.2 h2 alice-b
	  02:00:00:00:00:03 02:00:00:00:00:03 10.0.0.3 h1 -
	END
)"
migrate h1 merge $WORK/h[123].json >$WORK/all.json
is "merged each is where it lives, and the gateway no endpoint" "$(tenants_of <$WORK/all.json)" \
	"$(cat <<-END
	$BR 5 gre gateway 10.0.0.254/24 at h1
	  alice-a 02:00:00:00:00:01 10.0.0.1 h1 alice-a
	  alice-b 02:00:00:00:00:02 10.0.0.2 h2 alice-b
	  alice-c 02:00:00:00:00:03 10.0.0.3 h3 alice-c
	END
)"
for host in h2 h3; do
	migrate h1 merge --through h1 $host $WORK/all.json >$WORK/$host.json
done
is "for h3 all others are behind h1" "$(tenants_of <$WORK/h3.json)" "$(cat <<-END
	$BR 5 gre gateway 10.0.0.254/24 at h1
	  alice-a 02:00:00:00:00:01 10.0.0.1 h1 -
	  alice-b 02:00:00:00:00:02 10.0.0.2 h1 -
	  alice-c 02:00:00:00:00:03 10.0.0.3 h3 alice-c
	END
)"
refused "a hub that is none" 1 'there is no host "h9", only' h1 merge --through h9 h1 $WORK/all.json

# ---- one after the other ------------------------------------------------------------------------

# moves HOST FILE
moves() {
	local port

	if [ $KIND$1 = netdevh3 ]; then
		for port in $(vsctl "$1" list-ports $BR | grep ^gre); do vsctl "$1" del-port "$port"; done
	fi
	sw "$1" -q apply "$2"
}
step() { # DESC CMD...
	flow a-to-b alice-a alice-b 10.0.0.2
	flow b-to-a alice-b alice-a 10.0.0.1
	flow b-to-c alice-b alice-c 10.0.0.3
	flow c-to-b alice-c alice-b 10.0.0.2
	check "$1" "${@:2}"
	sleep 1 # datagrams that are seen to arrive behind it
	flows_end "$1" none
	for name in a b c; do
		check "$1: alice-$name reaches the gateway" reach alice-$name 10.0.0.254
	done
}
for host in h1 h2 h3; do
	dev=$(gojq -r ".hosts[] | select(.name == \"$host\").switch.dev[0]" $WORK/all.json)
	if [ $KIND$host = netdevh3 ]; then
		dev=br-wire
		for file in h3 all; do
			jq '(.hosts[] | select(.name == "h3")).switch.dev = ["br-wire"]' \
				$WORK/$file.json >$WORK/other.json
			mv $WORK/other.json $WORK/$file.json
		done
	elif [ $KIND = netdev ]; then
		check "$host: the switch's way past Open vSwitch" on $host sh -ec "$(<$WORK/$host.run)"
	fi
	check "$host: switch up" sw $host switch up name $host local "${VTEP[$host]}" dev $dev
	undo sw $host switch down
done
step "h2 moves, h1 forwards" moves h2 $WORK/h2.json
step "h3 moves, h1 forwards" moves h3 $WORK/h3.json
both() { sw h2 -q apply $WORK/all.json && sw h3 -q apply $WORK/all.json; }
step "the workers see each other" both
step "h1 moves" moves h1 $WORK/all.json
for host in h1 h2 h3; do
	check "$host: del-br" vsctl $host del-br $BR
	sw $host switch repair 2>/dev/null || true
	check "$host: switch check" sw $host switch check
done
step "without the old bridges" true
finish
