#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A network namespace as an endpoint of a cluster's tenant.
#
#   container.sh add NAME TENANT [ADDRESS/LENGTH]...
#   container.sh del NAME TENANT
#
# `add` makes the namespace NAME with the device eth0, whose other end on this host is the device
# ve-NAME, and the endpoint NAME of the tenant. The cluster chooses its MAC and, where none is
# given, an address of each of the tenant's nets; eth0 gets them. `ip netns exec NAME CMD` runs
# something there. If a step fails, nothing is left. `del` takes all of it away, or what there is.
#
# TSW: the command, as `tsw -i INSTANCE`; without, `tsw`. Needs a switch that is a member of a
# cluster, the tenant (tsw -c tenant add TENANT net CIDR), and the packages iproute2 and jq.
set -eu
TSW=${TSW:-tsw}

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

del() {
	# The device first: while it is there without the endpoint, it is a device of the host.
	ip link del "ve-$name" 2>/dev/null || true
	$TSW -c endpoint del "$name" tenant "$tenant" 2>/dev/null || true
	ip netns del "$name" 2>/dev/null || true
}

add() { # [ADDRESS/LENGTH]...
	# What exists is not ours to undo.
	! ip link show dev "ve-$name" >/dev/null 2>&1 || die "the device ve-$name exists"
	nets=$($TSW -c -j tenant show "$tenant") || exit 1
	nets=$(echo "$nets" | jq -c '.[0].net // []')
	[ $# -gt 0 ] || [ "$nets" != '[]' ] || die "'$tenant' has no net: give an ADDRESS/LENGTH"
	! $TSW -c endpoint show "$name" tenant "$tenant" >/dev/null 2>&1 ||
		die "the endpoint '$name' of '$tenant' exists"
	ip netns add "$name"
	trap del EXIT
	trap 'exit 1' INT TERM HUP
	ip link add "ve-$name" type veth peer name eth0 netns "$name"
	# The host's own router solicitations would be dropped there, and counted.
	ip link set "ve-$name" addrgenmode none 2>/dev/null || true
	# shellcheck disable=SC2046 # several words
	got=$($TSW -c -j endpoint add "$name" tenant "$tenant" dev "ve-$name" $(printf 'ip %s ' \
		"$@" | sed 's|/[0-9]*||g; s|^ip *$||'))
	# Of one that the cluster chose, the length is that of its net: they come in the same order.
	# shellcheck disable=SC2046 # several words
	[ $# -gt 0 ] || set -- $(echo "$got" | jq -r --argjson net "$nets" \
		'[.[0].ip, $net] | transpose[] | .[0] + "/" + (.[1] | split("/")[1])')
	mtu=$($TSW -j tenant show "$tenant" | jq '.[0].mtu')
	ip link set "ve-$name" mtu "$mtu" up
	ip -n "$name" link set lo up
	ip -n "$name" link set eth0 mtu "$mtu" address "$(echo "$got" | jq -r '.[0].mac')"
	for address; do ip -n "$name" addr add "$address" dev eth0; done
	ip -n "$name" link set eth0 up
	echo "$name has $*"
	trap - EXIT
}

[ $# -ge 3 ] || die "usage: add NAME TENANT [ADDRESS/LENGTH]... | del NAME TENANT"
verb=$1 name=$2 tenant=$3
shift 3
[ ${#name} -le 12 ] || die "'$name' is too long for a device ve-$name"
case $verb in
add) add "$@" ;;
del) del ;;
*) die "'$verb' is not add or del" ;;
esac
