#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cluster/membership joins; unit_state and unit_records have names
#
#   one: h1 192.0.2.1 ═══ 192.0.2.2 h2: two, from an image of one      etcd: see lib_cluster.sh
#   red-a .1                        red-b .2                           10.0.0.0/24
#
# cloud-init itself makes a machine a member of the cluster. Its stages at a boot, and after
# `cloud-init clean`, leave the devices of a switch that is up alone. An image of the machine,
# without the files that docs/cluster.md lists, becomes another member.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_etcd.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_managers.sh"
managers cloud-init cloud-init

# These modules alone: others change disks, users and keys.
cat >/etc/cloud/cloud.cfg <<-'END'
	cloud_init_modules: [set_hostname, update_hostname]
	cloud_config_modules: [runcmd]
	cloud_final_modules: [scripts-user]
	datasource_list: [NoCloud]
	datasource: {NoCloud: {fs_label: null}}
	system_info: {distro: debian}
END

# seed DISK INSTANCE NAME: what its cloud tells it.
seed() {
	local to=$1/var/lib/cloud/seed/nocloud

	mkdir -p "$to"
	printf 'instance-id: %s\nlocal-hostname: %s\n' "$2" "$3" >"$to/meta-data"
	printf 'version: 2\nethernets: {eth0: {dhcp4: true}}\n' >"$to/network-config"
	cat >"$to/user-data" <<-END
		#cloud-config
		runcmd:
		- $TSW switch up dev eth0
		- $TSW cluster join etcd $URL name campus
	END
}

# machine NAME HOST DISK: it has HOST's network, and writes /etc and /var to DISK.
declare -A MACHINE=()
machine() {
	mkdir -p "$3"/{etc,var,work-etc,work-var}
	# shellcheck disable=SC2016 # the inner shell's
	bg "$2" unshare --mount --uts sh -c '
		for at in etc var; do
			mount -t overlay -o "lowerdir=/$at,upperdir=$0/$at,workdir=$0/work-$at" machine /$at
		done
		mount -t sysfs -o ro sys /sys && mount -t bpf -o mode=700 bpf /sys/fs/bpf &&
			mkdir -p /run/tsw /run/cloud-init &&
			mount -t tmpfs -o mode=700 run /run/tsw &&
			mount -t tmpfs run /run/cloud-init && hostname image && exec sleep inf' "$3"
	MACHINE[$1]=$BG
	retry 5 has_name "$1" image
}
has_name() { [ "$(in_ "$1" hostname)" = "$2" ]; }
in_() { nsenter -t "${MACHINE[$1]}" --mount --uts --net -- "${@:2}"; } # NAME CMD...
boots() { # NAME: the stages of cloud-init, as its units call them
	in_ "$1" sh -ec 'rm -rf /run/cloud-init/*
		cloud-init init --local
		cloud-init init
		cloud-init modules --mode=config
		cloud-init modules --mode=final'
}

have() { # HOST
	ip -n "$1" -o addr
	ip -n "$1" route show table all
	ip -n "$1" rule
	ip -n "$1" -o link 2>/dev/null # the other ends may be in namespaces without a number
	on "$1" sh -c 'grep -H . /proc/sys/net/ipv*/conf/tsw-*/forwarding'
}
members() { in_ one "$TSW" -c -j host show | gojq -c 'map([.name, .ip])'; }
joins() { # NAME HOST IP: it boots, joins, and its agent runs
	check "$1 boots" boots "$1"
	is "  and has its name" "$(in_ "$1" hostname)" "$1"
	check "  and is a member" in_ "$1" "$TSW" -c host show "$1"
	in_ "$1" "$TSW" -w 10 agent &>"$WORK/agent-$1" &
	undo kill $!
	container red "${4#red-}" "$2" "$3/24" endpoint off
	check "  with an endpoint" in_ "$1" "$TSW" -c endpoint add "${4#red-}" tenant red \
		mac "$(mac_of "$3")" ip "$3" dev "$4"
}

cluster_hosts h1 h2
seed $WORK/disk-one i-1 one
machine one h1 $WORK/disk-one
tenant red
joins one h1 10.0.0.1 red-a
check "a gateway" in_ one "$TSW" -c gateway add red ip 10.7.0.254/24 nat off host one
check "is there" in_ one "$TSW" -w 10 cluster wait timeout 10
before=$(have h1)

check "its stages run once more while the switch is up" boots one
is "  all is the same" "$(have h1)" "$before"
rm -rf $WORK/image
cp -a $WORK/disk-one $WORK/image # while it runs, as a cloud's snapshot
check "cloud-init clean" in_ one cloud-init clean --seed
seed $WORK/disk-one i-3 one
boots one &>/dev/null || true # it is a member already, says runcmd
is "  and all stages as a new machine: all is the same" "$(have h1)" "$before"
check "  nothing is wrong" in_ one "$TSW" switch check
is "  it wrote files of the network for eth0 alone" \
	"$(in_ one ls /etc/NetworkManager/system-connections)" cloud-init-eth0.nmconnection

# ---- an image of it ---------------------------------------------------------------------

# The table of docs/cluster.md, `Copies of a machine`.
removed() {
	sed -n '/^### Copies of a machine/,/^From such an image/s/^| .\(\/[^ ]*\)[`].*/\1/p' \
		"$ROOT/docs/cluster.md" | cut -d'`' -f1
}
is "the docs name what to remove" "$(removed | paste -sd ' ')" \
	"/etc/tsw/NAME.cluster /etc/tsw/NAME.json /etc/tsw/NAME.env /var/lib/tsw/ /var/lib/tsw-docker/"
rm -rf $WORK/image/etc/tsw/default.{cluster,json,env} $WORK/image/var/lib/{tsw,tsw-docker} \
	$WORK/image/work-*
echo 0123456789abcdef0123456789abcdef >$WORK/image/etc/machine-id
seed $WORK/image i-2 two
machine two h2 $WORK/image
joins two h2 10.0.0.2 red-b
is "both are members" "$(members)" '[["one","192.0.2.1"],["two","192.0.2.2"]]'
check "red reaches red" reach red-a 10.0.0.2
check_fails "no copy is told" grep 'another machine' $WORK/agent-one $WORK/agent-two
finish
