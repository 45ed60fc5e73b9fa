#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For cases and benches with an Open vSwitch of their own on a host, beside that of the machine,
# if it has one. Source it after lib.sh.

OVS_SCHEMA=/usr/share/openvswitch/vswitch.ovsschema

vsctl() { # HOST ARG...
	ovs-vsctl --timeout=$((20 * ${TSW_SLOW:-1})) --db="unix:$WORK/ovs-$1/db.sock" "${@:2}"
}

# daemon HOST PROGRAM ARG...: in the background on HOST, gone before the host is.
daemon() {
	nsenter --net="/run/netns/$1" -- env OVS_RUNDIR="$WORK/ovs-$1" "${@:2}" \
		>>"$WORK/ovs-$1/$2.log" 2>&1 &
	undo stop_daemon $!
}
stop_daemon() {
	kill "$1"
	wait "$1"
}

# ovs_daemons HOST [ARG...]: the daemons and a database of its own; ARGs are for the switch.
ovs_daemons() {
	local host=$1 dir=$WORK/ovs-$1

	undo rm -r "$dir"
	mkdir "$dir"
	ovsdb-tool create "$dir/conf.db" "$OVS_SCHEMA"
	daemon "$host" ovsdb-server --remote="punix:$dir/db.sock" --unixctl="$dir/db.ctl" \
		"$dir/conf.db"
	retry 20 vsctl "$host" --no-wait init
	daemon "$host" ovs-vswitchd "unix:$dir/db.sock" --unixctl="$dir/vswitchd.ctl" "${@:2}"
}

# ovs_knows_route HOST ADDRESS: Open vSwitch can send tunnel frames from ADDRESS. It notices routes
# late.
ovs_knows_route() {
	ovs-appctl -t "$WORK/ovs-$1/vswitchd.ctl" ovs/route/show | grep -qF "SRC $2"
}
