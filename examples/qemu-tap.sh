#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A tap device as an endpoint of a tenant, and qemu's options for a VM on it.
#
#   qemu-tap.sh add NAME TENANT ADDRESS   before the VM is started
#   qemu-tap.sh options NAME TENANT       what qemu is to be called with
#   qemu-tap.sh del NAME TENANT           when the VM has ended
#
#   qemu-system-x86_64 ... $(qemu-tap.sh options web red)
#
# `add` makes the tap device tap-NAME, and the endpoint NAME of the tenant. ADDRESS may be `auto`.
# On a member of a cluster the records are changed; otherwise `add` prints the command that the
# other hosts need. If a step fails, nothing is left. `del` takes both away, or what there is of
# them. The guest gets its ADDRESS by DHCP where the tenant has `dhcp on`, or gives it to its device
# itself; it learns the MTU from qemu.
#
# TSW: the command, as `tsw -i INSTANCE`; without, `tsw`. OWNER: the user who may open the tap;
# without, root. Needs a switch that is up, the tenant, and the packages iproute2 and jq.
set -eu
TSW=" ${TSW:-tsw} "
case $TSW in
*' -c '*) TSW="${TSW%% -c *} ${TSW#* -c }" ;; # it is added below where it is due
esac

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

# Asks the cluster's records from now on where this is a member.
find_switch() {
	switch=$($TSW -j switch show)
	host=$(echo "$switch" | jq -r .name)
	member=
	[ ! -e "/etc/tsw/$(echo "$switch" | jq -r .instance).cluster" ] || member=yes
	[ -z "$member" ] || TSW="$TSW -c"
}

# The endpoint as JSON, or nothing if there is none. Fails if that is unknown.
show() {
	if shown=$($TSW -j endpoint show "$name" tenant "$tenant" 2>/dev/null); then
		echo "$shown"
	elif [ "$(echo "$shown" | jq -r .code)" != ENOENT ]; then
		die "$(echo "$shown" | jq -r .error)"
	fi
}

# Is the ENDPOINT this tap's? A switch alone does not know the name of a device that is gone.
is_ours() {
	echo "$endpoint" | jq -e --arg dev "tap-$name" --arg host "$host" '.[0] |
		(.host // $host) == $host and (.dev == $dev or .dev == .host)' >/dev/null
}

# The command for the other hosts.
tell() {
	[ -n "$member" ] || echo "tsw endpoint replace $name tenant $tenant mac $mac$(show |
		jq -r '.[0].ip[] | " ip " + .' | tr -d '\n') host $host"
}

del() {
	# The device first: while it is there without the endpoint, it is a device of the host.
	ip link del "tap-$name" 2>/dev/null || true
	endpoint=$(show)
	[ -n "$endpoint" ] || return 0
	is_ours || die "the endpoint '$name' of '$tenant' is not this tap's"
	$TSW endpoint del "$name" tenant "$tenant"
}

add() { # ADDRESS
	# What exists is not ours to undo.
	! ip link show dev "tap-$name" >/dev/null 2>&1 || die "the device tap-$name exists"
	endpoint=$(show)
	[ -z "$endpoint" ] || die "the endpoint '$name' of '$tenant' exists"
	mtu=$(mtu)
	trap del EXIT
	trap 'exit 1' INT TERM HUP
	ip tuntap add dev "tap-$name" mode tap vnet_hdr user "${OWNER:-root}"
	ip link set "tap-$name" mtu "$mtu"
	# The host's own router solicitations would be dropped there, and counted.
	ip link set "tap-$name" addrgenmode none 2>/dev/null || true
	$TSW endpoint add "$name" tenant "$tenant" mac "$mac" ip "$1" dev "tap-$name" >/dev/null
	ip link set "tap-$name" up
	tell
	trap - EXIT
}

[ $# -ge 3 ] || die "usage: add NAME TENANT ADDRESS | options NAME TENANT | del NAME TENANT"
verb=$1 name=$2 tenant=$3
[ ${#name} -le 11 ] || die "'$name' is too long for a device tap-$name"
mac=$(mac "$tenant" "$name")
find_switch
case $verb in
add) add "${4:?ADDRESS is missing}" ;;
options)
	echo "-netdev tap,id=tsw,ifname=tap-$name,script=no,downscript=no" \
		"-device virtio-net-pci,netdev=tsw,mac=$mac,host_mtu=$(mtu)"
	;;
del) del ;;
*) die "'$verb' is not add, options or del" ;;
esac
