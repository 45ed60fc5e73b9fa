#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An LXC container as an endpoint of a tenant.
#
#   lxc.sh add NAME TENANT ADDRESS/LENGTH [GATEWAY]   before `lxc-start`; the container exists
#   lxc.sh del NAME TENANT                            the container has no such device any more
#
# `add` gives the container NAME a device: the file tsw.conf beside its configuration, which then
# includes it. LXC makes the veth at each start and calls this script, which makes the endpoint,
# and calls it again at each stop. `add` tells the command that the other hosts need. If a step
# fails, nothing is left; `del` takes all of it away, or what there is of it.
#
# TSW: the command, as `tsw -i INSTANCE`; without, `tsw`. LXC_PATH: where the containers are;
# without, what LXC says. Needs a switch that is up, the tenant, and the packages lxc and jq. Remove
# other lines lxc.net.0 from the container's configuration, as those of lxcbr0.
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

# LXC calls: hook TENANT MAC ADDRESS NAME net up|down veth DEVICE
hook() {
	case $6 in
	up) $TSW endpoint replace "$4" tenant "$1" mac "$2" ip "$3" dev "$8" ;;
	down) $TSW endpoint del "$4" tenant "$1" ;;
	esac
}

settings() { # ADDRESS/LENGTH [GATEWAY]
	hook="$(command -v env) TSW='$TSW' $(readlink -f "$0") hook $tenant $mac ${1%/*}"
	cat <<-END
		lxc.net.0.type = veth
		lxc.net.0.veth.pair = ve-$name
		lxc.net.0.name = eth0
		lxc.net.0.hwaddr = $mac
		lxc.net.0.mtu = $mtu
		lxc.net.0.ipv4.address = $1
		lxc.net.0.flags = up
		lxc.net.0.script.up = $hook
		lxc.net.0.script.down = $hook
	END
	[ -z "${2:-}" ] || echo "lxc.net.0.ipv4.gateway = $2"
}

del() {
	[ ! -f "$dir/config" ] || sed -i "\\|^lxc.include = $dir/tsw.conf\$|d" "$dir/config"
	rm -f "$dir/tsw.conf"
	ip link del "ve-$name" 2>/dev/null || true
	$TSW endpoint del "$name" tenant "$tenant" 2>/dev/null || true
}

add() { # ADDRESS/LENGTH [GATEWAY]
	[ -f "$dir/config" ] || die "there is no container '$name' in $path"
	[ ! -e "$dir/tsw.conf" ] || die "'$name' is one already: $dir/tsw.conf exists"
	! $TSW endpoint show "$name" tenant "$tenant" >/dev/null 2>&1 ||
		die "the endpoint '$name' of '$tenant' exists"
	mac=$(mac "$tenant" "$name")
	mtu=$(mtu)
	trap del EXIT
	trap 'exit 1' INT TERM HUP
	settings "$@" >"$dir/tsw.conf"
	echo "lxc.include = $dir/tsw.conf" >>"$dir/config"
	tell "${1%/*}"
	trap - EXIT
}

[ $# -ge 3 ] || die "usage: add NAME TENANT ADDRESS/LENGTH [GATEWAY] | del NAME TENANT"
verb=$1
shift
[ "$verb" != hook ] || { hook "$@" && exit; }
name=$1 tenant=$2
# They become part of a command that LXC gives to a shell.
case $name$tenant in
*[!A-Za-z0-9._-]*) die "'$name' of '$tenant': letters, digits, . _ - only" ;;
esac
[ ${#name} -le 12 ] || die "'$name' is too long for a device ve-$name"
path=${LXC_PATH:-$(lxc-config lxc.lxcpath)}
dir=$path/$name
case $verb in
add) add "${3:?ADDRESS/LENGTH is missing}" "${4:-}" ;;
del) del ;;
*) die "'$verb' is not add or del" ;;
esac
