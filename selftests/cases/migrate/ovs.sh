#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: migrate/bridge moves tenants in the same way
# alone: it measures how long Open vSwitch in userspace takes, too
# From Open vSwitch to tsw, tenant by tenant and host by host, with the same VNI and the same GRE
# key. Numbered datagrams run all the while. With its datapath in the kernel, where there is one,
# and in userspace.
#
#   red-a  10.0.0.1 ┐                                                  ┌ red-c  10.0.0.3
#   red-b  10.0.0.2 ┼ br-red, br-blue ─ h1 192.0.2.1 ═══ .2 h2 ─ br-red, br-blue
#   blue-a 10.0.0.1 ┘ red: VXLAN 100, blue: GRE 200                    └ blue-c 10.0.0.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_foreign.sh"
. "$LIB/lib_migrate.sh"

declare -A ENCAP_OF=([red]=vxlan [blue]=gre)
printf '192.0.2.1 h1\n192.0.2.2 h2\n' >$WORK/hosts
printf '02:00:00:00:00:0%s 10.0.0.%s\n' 1 1 2 2 3 3 >$WORK/leases

# old_cloud KIND: two hosts with Open vSwitch.
old_cloud() {
	local host other tenant

	KIND=$1 MTU=1450
	topo_hosts h1 h2
	for host in h1 h2; do
		[ $host = h1 ] && other=h2 || other=h1
		ovs_start $host
		for tenant in red blue; do
			ENCAP=${ENCAP_OF[$tenant]} ovs_tenant $host $other $tenant
		done
	done
	for tenant in red blue; do
		container $tenant a h1 10.0.0.1/24 endpoint off
		container $tenant c h2 10.0.0.3/24 endpoint off
		ovs_port h1 $tenant a
		ovs_port h2 $tenant c
	done
	container red b h1 10.0.0.2/24 endpoint off
	ovs_port h1 red b
	for tenant in red blue; do
		check "$KIND: old: $tenant-a reaches $tenant-c" reach $tenant-a 10.0.0.3
	done
	check "$KIND: old: red-b reaches red-a" reach red-b 10.0.0.1
}

# look: one state for both hosts, of what the daemons tell.
look() {
	local host dir

	for host in h1 h2; do
		dir=$WORK/ovs-$host
		migrate $host ovs --host $host --db unix:$dir/db.sock --ctl $dir/vswitchd.ctl \
			--hosts $WORK/hosts --leases $WORK/leases --tenant br-red --tenant br-blue \
			>$WORK/$host.json
		is "$KIND: $host: nothing was left out" "$(<$WORK/status) $(left_out)" "0 "
	done
	migrate h1 merge $WORK/h1.json $WORK/h2.json >$WORK/all.json
	sed -i 's/"name":"br-/"name":"/' $WORK/all.json
	check "$KIND: the state fits the schema" fits <$WORK/all.json
	is "$KIND: it has all" "$(tenants_of <$WORK/all.json)" "$(cat <<-'END'
		blue 200 gre
		  blue-a 02:00:00:00:00:01 10.0.0.1 h1 blue-a
		  blue-c 02:00:00:00:00:03 10.0.0.3 h2 blue-c
		red 100 vxlan
		  red-a 02:00:00:00:00:01 10.0.0.1 h1 red-a
		  red-b 02:00:00:00:00:02 10.0.0.2 h1 red-b
		  red-c 02:00:00:00:00:03 10.0.0.3 h2 red-c
	END
	)"
}

# moves HOST TENANT TENANT...: the first one moves, all of these are the switch's then. A datapath
# in userspace takes the frames of a tunnel from the wire as long as it has a port for such.
moves() {
	part_of_all "${@:2}"
	[ $KIND = system ] || vsctl "$1" del-port "tun-$2"
	sw "$1" -q apply $WORK/step.json
}
over() { # KIND
	local host tenant still

	old_cloud "$1"
	look
	for host in h1 h2; do
		check "$KIND: $host: switch up, beside it" sw $host switch up name $host \
			dev "$(gojq -r '.hosts[] | select(.switch).switch.dev[0]' $WORK/$host.json)"
		undo sw $host switch down
	done
	# Open vSwitch in userspace stands still for a moment when a port goes.
	[ $KIND = system ] && still=blue || still=none
	step "$KIND: h2: red moves" $still moves h2 red
	step "$KIND: h1: red moves" $still moves h1 red
	if [ $KIND = system ]; then
		step "$KIND: h1: red goes back" blue sw h1 tenant del red force on
		step "$KIND: h1: red moves again" blue moves h1 red
	fi
	[ $KIND = system ] && still=red || still=none
	step "$KIND: h1: blue moves" $still moves h1 blue red
	step "$KIND: h2: blue moves" $still moves h2 blue red
	flows_begin
	for host in h1 h2; do
		for tenant in red blue; do
			check "$KIND: $host: del-br br-$tenant" vsctl $host del-br br-$tenant
		done
		sw $host switch repair 2>/dev/null || true
		check "$KIND: $host: switch check" sw $host switch check
	done
	[ $KIND = system ] && still= || still=none
	flows_end "$KIND: the old bridges go" "$still"
	run_undo
}
# An emulated machine takes an hour for both.
kinds='netdev system'
[ -n "$(foreign_lacks system vxlan 4)" ] || [ "${TSW_SLOW:-1}" = 1 ] || kinds=system
for kind in $kinds; do
	lack=$(foreign_lacks $kind vxlan 4)
	if [ -z "$lack" ]; then over $kind; else skip "$kind" "$lack"; fi
done
finish
