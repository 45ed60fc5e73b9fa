#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A container as an endpoint of a tenant, whoever made it: LXC, systemd-nspawn, ip netns.
#
#   container.sh add NAME TENANT NETNS [ADDRESS/LENGTH]...
#   container.sh del NAME TENANT
#
# NETNS is the container's network namespace: a name of `ip netns`, a path, or the id of a process
# there. `add` makes a veth, whose end there is eth0, and the endpoint NAME. If no ADDRESS is given,
# it has a free one of each of the tenant's nets. eth0 gets them, the tenant's MTU and, if there is
# none yet, a default route by the tenant's gateway. Its MAC is the same at each start, so that
# neighbours find it at once. If a step fails, nothing is left. `del` removes device and endpoint,
# or what there is of them, also when the container is gone.
#
# On a member of a cluster the records are changed, and all hosts follow. Otherwise `add` prints the
# command that the other hosts need. An endpoint that a killed container left keeps its addresses.
#
# TSW: the command, as `tsw -i INSTANCE`; without, `tsw`. Needs a switch that is up, the tenant, and
# the packages iproute2, util-linux and jq.
set -eu
TSW=" ${TSW:-tsw} "
case $TSW in
*' -c '*) TSW="${TSW%% -c *} ${TSW#* -c }" ;; # it is added below where it is due
esac

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# show OBJECT NAME...: the object as JSON, or nothing if there is none. Fails if that is unknown.
show() {
	if shown=$($TSW -j "$1" show "$2" ${3+tenant "$3"} 2>/dev/null); then
		echo "$shown"
	elif [ "$(echo "$shown" | jq -r .code)" != ENOENT ]; then
		die "$(echo "$shown" | jq -r .error)"
	fi
}

# Is the ENDPOINT this container's? A switch alone does not know the name of a device that is gone.
is_ours() {
	echo "$endpoint" | jq -e --arg dev "$dev" --arg host "$host" '.[0] |
		(.host // $host) == $host and (.dev == $dev or .dev == .host)' >/dev/null
}

there_is_dev() { ip link show dev "$dev" >/dev/null 2>&1; }
inside() { nsenter --net="$path" ip "$@"; }

# Sets `host`, and asks the cluster's records from now on where this is a member.
find_switch() {
	switch=$($TSW -j switch show)
	host=$(echo "$switch" | jq -r .name)
	member=
	[ ! -e "/etc/tsw/$(echo "$switch" | jq -r .instance).cluster" ] || member=yes
	[ -z "$member" ] || TSW="$TSW -c"
}

# The device first: while it is there without the endpoint, it is a device of the host.
remove() {
	ip link del "$dev" 2>/dev/null || ! there_is_dev || die "cannot remove the device $dev"
	[ -n "$host" ] || find_switch
	endpoint=$(show endpoint "$name" "$tenant")
	if [ -n "$endpoint" ] && is_ours; then
		$TSW endpoint del "$name" tenant "$tenant"
		endpoint=
	fi
}

del() {
	remove
	[ -z "$endpoint" ] || die "the endpoint '$name' of '$tenant' is not this container's"
}

undo() { [ -z "$made" ] || remove; }

# Makes the device and its other end in the container, or neither.
make_device() {
	# The device of a container that was killed a moment ago may still be there.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		there_is_dev || break
		sleep 0.1
	done
	! there_is_dev || die "'$name' of '$tenant' is there already, with the device $dev"
	made=
	trap undo EXIT
	trap '' INT TERM HUP # until undo knows of the device
	ip link add "$dev" mtu "$mtu" type veth peer name eth0 \
		address "$mac" mtu "$mtu" netns "$path"
	made=yes
	trap 'exit 1' INT TERM HUP
	# The host's own router solicitations would be dropped there, and counted.
	ip link set "$dev" addrgenmode none 2>/dev/null || true
}

# Prints the endpoint as JSON.
make_endpoint() { # [ADDRESS/LENGTH]...
	verb=add
	endpoint=$(show endpoint "$name" "$tenant")
	if [ -n "$endpoint" ]; then
		is_ours || die "the endpoint '$name' of '$tenant' exists"
		verb=replace
	fi
	for address; do set -- "$@" ip "${address%/*}" && shift; done
	[ $# != 0 ] || set -- ip auto
	$TSW endpoint $verb "$name" tenant "$tenant" mac "$mac" "$@" dev "$dev" >/dev/null
	show endpoint "$name" "$tenant"
}

# Gives eth0 a default route by each gateway on its network, unless the container has one.
add_routes() {
	gateways=$(show gateway "$tenant")
	for gateway in $(echo "${gateways:-[]}" | jq -r '.[].ip[]'); do
		gateway=${gateway%/*} family=-4
		case $gateway in *:*) family=-6 ;; esac
		[ -z "$(inside $family route show default)" ] || continue
		inside $family route get "$gateway" oif eth0 >/dev/null 2>&1 || continue
		inside $family route add default via "$gateway" dev eth0
	done
}

add() { # [ADDRESS/LENGTH]...
	for address; do
		case $address in */*) ;; *) die "'$address' is not ADDRESS/LENGTH" ;; esac
	done
	[ -e "$path" ] || die "there is no network namespace '$netns'"
	[ "$(stat -Lc %i "$path")" != "$(stat -Lc %i /proc/self/ns/net)" ] ||
		die "'$netns' is the host's own network namespace"
	find_switch
	shown=$($TSW -j tenant show "$tenant")
	mtu=$(echo "$shown" | jq '.[0].mtu')
	nets=$(echo "$shown" | jq -c '.[0].net // []')
	[ $# != 0 ] || [ "$nets" != '[]' ] || die "'$tenant' has no net: give an ADDRESS/LENGTH"
	make_device
	got=$(make_endpoint "$@")
	# An address that was chosen has the length of its net: both are in one order.
	# shellcheck disable=SC2046 # several words
	[ $# != 0 ] || set -- $(echo "$got" | jq -r --argjson nets "$nets" \
		'[.[0].ip, $nets] | transpose[] | .[0] + "/" + (.[1] | split("/")[1])')
	for address; do inside addr add "$address" dev eth0; done
	ip link set "$dev" up
	inside link set eth0 up
	add_routes
	if [ -n "$member" ]; then
		echo "$name has $*"
	else
		echo "tsw endpoint replace $name tenant $tenant mac $mac$(
			printf ' ip %s' "$@" | sed 's|/[0-9]*||g') host $host"
	fi
	trap - EXIT
}

usage="usage: add NAME TENANT NETNS [ADDRESS/LENGTH]... | del NAME TENANT"
[ $# -ge 3 ] || die "$usage"
verb=$1 name=$2 tenant=$3
shift 3
case $name$tenant in
*[!A-Za-z0-9._-]*) die "'$name' of '$tenant': letters, digits, . _ - only" ;; # for the command
esac
hash=$(printf %s "$tenant/$name" | md5sum)
dev=ep-$(echo "$hash" | cut -c 1-12)
mac=$(echo "$hash" | sed -E 's/^(..)(..)(..)(..)(..).*/02:\1:\2:\3:\4:\5/')
host=
case $verb in
add)
	netns=${1:?$usage}
	shift
	case $netns in
	*/*) path=$netns ;;
	*[!0-9]*) path=/run/netns/$netns ;;
	*) path=/proc/$netns/ns/net ;;
	esac
	add "$@"
	;;
del) del ;;
*) die "'$verb' is not add or del" ;;
esac
