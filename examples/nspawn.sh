#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A container of `systemd-nspawn --network-veth` as an endpoint of a tenant.
#
#   nspawn.sh add NAME TENANT ADDRESS/LENGTH [GATEWAY]   while it runs, as `-M NAME`
#   nspawn.sh del NAME TENANT                            also when it runs no more
#
# systemd-nspawn has made a veth: ve-NAME here, and host0 in the container. `add` makes the endpoint
# NAME of the tenant with the MAC that host0 has, and gives host0 the address, the route and the
# tenant's MTU. It tells the command that the other hosts need. If a step fails it is as before.
# `del` takes the endpoint and the address away, or what there is of it.
#
# TSW: the command, as `tsw -i INSTANCE`; without, `tsw`. Needs a switch that is up, the tenant, and
# the packages iproute2, util-linux and jq. Where systemd-networkd runs on this host it must leave
# ve-NAME alone, or it would give it an address and a DHCP server. docs/containers.md has the file
# for that, and the lines of a unit that call this script.
set -eu
TSW=${TSW:-tsw}

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# The MTU that the tenant's endpoints must use.
mtu() {
	shown=$($TSW -j tenant show "$tenant") || exit 1
	echo "$shown" | jq '.[0].mtu'
}

# The command for the other hosts.
tell() { # ADDRESS
	host=$($TSW -j switch show | jq -r .name)
	echo "tsw endpoint replace $name tenant $tenant mac $mac ip $1 host $host"
}

# The container has no name here but its processes': one of them, and the MAC of host0. machinectl
# tells it only of registered ones. Two ends of a veth are each other's link.
find_it() {
	want=$(ip -j link show dev "ve-$name" 2>/dev/null |
		jq -r '.[0] | "\(.link_index) \(.ifindex)"') || want=
	[ -n "$want" ] || return 1
	for pid in $(lsns -n -t net -o PID); do
		found=$(nsenter -t "$pid" -n ip -j link show dev host0 2>/dev/null |
			jq -r '.[0] | "\(.ifindex) \(.link_index) \(.address)"') || continue
		mac=${found##* }
		[ "$found" != "$want $mac" ] || return 0
	done
	return 1
}

inside() { nsenter -t "$pid" -n ip "$@"; }

del() {
	# The device first: while it is up without the endpoint, it is a device of the host.
	ip link set "ve-$name" down 2>/dev/null || true
	$TSW endpoint del "$name" tenant "$tenant" 2>/dev/null || true
	! find_it || inside addr flush dev host0 || true
}

add() { # ADDRESS/LENGTH [GATEWAY]
	find_it || die "no container '$name' with ve-$name and host0: does it run, with --network-veth?"
	mtu=$(mtu)
	# What exists is not ours to undo.
	! $TSW endpoint show "$name" tenant "$tenant" >/dev/null 2>&1 ||
		die "the endpoint '$name' of '$tenant' exists"
	trap del EXIT
	trap 'exit 1' INT TERM HUP
	# The host's own router solicitations would be dropped there, and counted.
	ip link set "ve-$name" addrgenmode none 2>/dev/null || true
	$TSW endpoint add "$name" tenant "$tenant" mac "$mac" ip "${1%/*}" dev "ve-$name"
	inside link set host0 mtu "$mtu"
	inside addr add "$1" dev host0
	inside link set host0 up
	ip link set "ve-$name" up
	[ -z "${2:-}" ] || inside route add default via "$2"
	tell "${1%/*}"
	trap - EXIT
}

[ $# -ge 3 ] || die "usage: add NAME TENANT ADDRESS/LENGTH [GATEWAY] | del NAME TENANT"
verb=$1 name=$2 tenant=$3
[ ${#name} -le 12 ] || die "'$name' is too long for a device ve-$name"
case $verb in
add) add "${4:?ADDRESS/LENGTH is missing}" "${5:-}" ;;
del) del ;;
*) die "'$verb' is not add or del" ;;
esac
