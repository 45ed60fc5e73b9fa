#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: migrate/bridge moves tenants in the same way
# alone: it measures how long Open vSwitch in userspace takes, too
# From Open vSwitch to tsw, tenant by tenant and host by host, with the same VNI and the same GRE
# key. Numbered datagrams run all the while. With its datapath in the kernel, where there is one,
# and in userspace, where both tenants have one encapsulation.
#
#   red-a  10.0.0.1 ┐                                                  ┌ red-c  10.0.0.3
#   red-b  10.0.0.2 ┼ br-red, br-blue ─ h1 192.0.2.1 ═══ .2 h2 ─ br-red, br-blue
#   blue-a 10.0.0.1 ┘ red: VXLAN 100, blue: GRE 200                    └ blue-c 10.0.0.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_foreign.sh"
. "$LIB/lib_migrate.sh"

declare -A ENCAP_OF=()
printf '192.0.2.1 h1\n192.0.2.2 h2\n' >$WORK/hosts
printf '02:00:00:00:00:0%s 10.0.0.%s\n' 1 1 2 2 3 3 >$WORK/leases

# old_cloud KIND RED BLUE: with these encapsulations; two hosts with Open vSwitch.
old_cloud() {
	local host other tenant

	KIND=$1 ENCAP_OF=([red]=$2 [blue]=$3) MTU=1450
	topo_hosts h1 h2
	for host in h1 h2; do
		[ $host = h1 ] && other=h2 || other=h1
		ovs_start $host
		[ $KIND = system ] || wire_as_usual $host
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
		past_ovs >$WORK/$host.run
	done
	migrate h1 merge $WORK/h1.json $WORK/h2.json >$WORK/all.json
	sed -i 's/"name":"br-/"name":"/' $WORK/all.json
	check "$KIND: the state fits the schema" fits <$WORK/all.json
	is "$KIND: it has all" "$(tenants_of <$WORK/all.json)" "$(cat <<-END
		blue 200 ${ENCAP_OF[blue]}
		  blue-a 02:00:00:00:00:01 10.0.0.1 h1 blue-a
		  blue-c 02:00:00:00:00:03 10.0.0.3 h2 blue-c
		red 100 ${ENCAP_OF[red]}
		  red-a 02:00:00:00:00:01 10.0.0.1 h1 red-a
		  red-b 02:00:00:00:00:02 10.0.0.2 h1 red-b
		  red-c 02:00:00:00:00:03 10.0.0.3 h2 red-c
	END
	)"
}

# ends_old HOST: the old side goes, and so does what it needed in userspace.
ends_old() {
	local host=$1 tenant rule

	for tenant in red blue; do vsctl $host del-br br-$tenant; done
	[ $KIND = netdev ] || return 0
	vsctl $host del-br br-wire
	ip -n $host addr add "${VTEP[$host]}/24" dev eth0
	for rule in 'udp dport 4789' gre; do
		# shellcheck disable=SC2086 # words
		ip -n $host rule del ipproto $rule table 4789
	done
	ip -n $host route flush table 4789
	ip -n $host link del old-4789
}
# asks_old: what red-c, of the switch, asks all, for an address that nobody has, comes to red-a.
asks_old() {
	bg red-a tcpdump -c 1 -nli eth0 arp and host 10.0.0.77
	retry 5 grep -q listening "$BG_LOG"
	on red-c ping -c 1 -W 1 10.0.0.77 >/dev/null || true
	retry 5 grep -q 'who-has 10.0.0.77' "$BG_LOG"
}
over() { # KIND RED BLUE
	local host red=red blue=blue

	old_cloud "$@"
	# Its datapath in userspace is a process, and loses frames while the machine is busy.
	[ $KIND = system ] || red=none blue=none
	look
	for host in h1 h2; do
		[ $KIND = system ] || check "$KIND: $host: the switch's way past it" \
			on $host sh -ec "$(<$WORK/$host.run)"
		check "$KIND: $host: switch up, beside it" sw $host switch up name $host \
			local "${VTEP[$host]}" \
			dev "$(gojq -r '.hosts[] | select(.switch).switch.dev[0]' $WORK/$host.json)"
		undo sw $host switch down
	done
	step "$KIND: h2: red moves" $blue state_to h2 red
	check "$KIND: its broadcasts reach h1" asks_old
	check "$KIND: h2: switch check, beside it" sw h2 switch check
	step "$KIND: h1: red moves" $blue state_to h1 red
	step "$KIND: h1: red goes back" $blue sw h1 tenant del red force on
	step "$KIND: h1: red moves again" $blue state_to h1 red
	step "$KIND: h1: blue moves" $red state_to h1 blue red
	step "$KIND: h2: blue moves" $red state_to h2 blue red
	flows_begin
	for host in h1 h2; do
		check "$KIND: $host: the old bridges go" ends_old $host
		sw $host switch repair 2>/dev/null || true
		check "$KIND: $host: switch check" sw $host switch check
	done
	flows_end "$KIND: the old bridges go" ''
	run_undo
}
# An emulated machine takes an hour for both.
lack=$(foreign_lacks system vxlan 4)
if [ -z "$lack" ]; then over system vxlan gre; else skip system "$lack"; fi
if [ -n "$lack" ] || [ "${TSW_SLOW:-1}" = 1 ]; then
	over netdev gre gre
	over netdev vxlan vxlan
fi
finish
