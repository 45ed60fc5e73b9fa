#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A network namespace as an endpoint of a tenant.
#
#   netns.sh add NAME TENANT ADDRESS/LENGTH [GATEWAY]
#   netns.sh del NAME TENANT
#
# `add` makes the namespace NAME with the device eth0, whose other end on this host is the device
# ve-NAME, and the endpoint NAME of the tenant; `ip netns exec NAME CMD` runs something there. It
# tells the command that the other hosts need. If a step fails, nothing is left. `del` takes all of
# it away, or what there is of it.
#
# TSW: the command, as `tsw -i INSTANCE`; without, `tsw`. Needs a switch that is up, the tenant, and
# the packages iproute2 and jq.
set -eu
TSW=${TSW:-tsw}

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# A MAC of one's own, the same for the same names: local, from their hash.
mac() { printf '%s' "$1/$2" | md5sum | sed -E 's/^(..)(..)(..)(..)(..).*/02:\1:\2:\3:\4:\5/'; }

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

del() {
	# The device first: while it is there without the endpoint, it is a device of the host.
	ip link del "ve-$name" 2>/dev/null || true
	$TSW endpoint del "$name" tenant "$tenant" 2>/dev/null || true
	ip netns del "$name" 2>/dev/null || true
}

add() { # ADDRESS/LENGTH [GATEWAY]
	mac=$(mac "$tenant" "$name")
	mtu=$(mtu)
	# What exists is not ours to undo.
	! ip link show dev "ve-$name" >/dev/null 2>&1 || die "the device ve-$name exists"
	! $TSW endpoint show "$name" tenant "$tenant" >/dev/null 2>&1 ||
		die "the endpoint '$name' of '$tenant' exists"
	ip netns add "$name"
	trap del EXIT
	trap 'exit 1' INT TERM HUP
	ip link add "ve-$name" mtu "$mtu" type veth \
		peer name eth0 address "$mac" mtu "$mtu" netns "$name"
	# The host's own router solicitations would be dropped there, and counted.
	ip link set "ve-$name" addrgenmode none 2>/dev/null || true
	$TSW endpoint add "$name" tenant "$tenant" mac "$mac" ip "${1%/*}" dev "ve-$name"
	ip link set "ve-$name" up
	ip -n "$name" link set lo up
	ip -n "$name" addr add "$1" dev eth0
	ip -n "$name" link set eth0 up
	[ -z "${2:-}" ] || ip -n "$name" route add default via "$2"
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
