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
# `add` makes the tap device tap-NAME, and the endpoint NAME of the tenant. It tells the command
# that the other hosts need. If a step fails, nothing is left. `del` takes both away, or what there
# is of them. The guest gets its ADDRESS by DHCP where the tenant has `dhcp on`, or gives it to
# its device itself; it learns the MTU from qemu.
#
# TSW: the command, as `tsw -i INSTANCE`; without, `tsw`. OWNER: the user who may open the tap;
# without, root. Needs a switch that is up, the tenant, and the packages iproute2 and jq.
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
	ip link del "tap-$name" 2>/dev/null || true
	$TSW endpoint del "$name" tenant "$tenant" 2>/dev/null || true
}

add() { # ADDRESS
	# What exists is not ours to undo.
	! ip link show dev "tap-$name" >/dev/null 2>&1 || die "the device tap-$name exists"
	! $TSW endpoint show "$name" tenant "$tenant" >/dev/null 2>&1 ||
		die "the endpoint '$name' of '$tenant' exists"
	mtu=$(mtu)
	trap del EXIT
	trap 'exit 1' INT TERM HUP
	ip tuntap add dev "tap-$name" mode tap vnet_hdr user "${OWNER:-root}"
	ip link set "tap-$name" mtu "$mtu"
	# The host's own router solicitations would be dropped there, and counted.
	ip link set "tap-$name" addrgenmode none 2>/dev/null || true
	$TSW endpoint add "$name" tenant "$tenant" mac "$mac" ip "$1" dev "tap-$name"
	ip link set "tap-$name" up
	tell "$1"
	trap - EXIT
}

[ $# -ge 3 ] || die "usage: add NAME TENANT ADDRESS | options NAME TENANT | del NAME TENANT"
verb=$1 name=$2 tenant=$3
[ ${#name} -le 11 ] || die "'$name' is too long for a device tap-$name"
mac=$(mac "$tenant" "$name")
case $verb in
add) add "${4:?ADDRESS is missing}" ;;
options)
	echo "-netdev tap,id=tsw,ifname=tap-$name,script=no,downscript=no" \
		"-device virtio-net-pci,netdev=tsw,mac=$mac,host_mtu=$(mtu)"
	;;
del) del ;;
*) die "'$verb' is not add, options or del" ;;
esac
