# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
#   h1 podman  h2 podman  h3 Docker: 192.0.2.N on the bridge of `wire`, uplinks to `out`
#   etcd: 192.0.2.200, in the case's own namespace
#   red blue: the same addresses; green: others; still: no gateway, and nothing happens to it alone
#
# The mode `life` of soak.sh, which reads this file. tools/soak_machine.py is a machine,
# tools/soak_world.py has the events and tools/soak_life.py the checks.
# shellcheck source-path=SCRIPTDIR
. "$LIB/lib_etcd.sh"
. "$LIB/lib_docker.sh"
. "$LIB/lib_dockerd.sh"

why=$(dockerd_ready) || { skip "a soak of life" "$why" && return; }
cp -a /etc $WORK/etc && mount --bind $WORK/etc /etc && mkdir -p /etc/tsw && rm -rf /etc/tsw/*
outside
netns wire
sysctl_in wire net.ipv6.conf.{all,default}.disable_ipv6=1
ip -n wire link add br0 type bridge mcast_snooping 0
ip -n wire link set br0 up
ip link add eth0 type veth peer name etcd netns wire
ip -n wire link set etcd master br0 up
ip addr add 192.0.2.200/24 dev eth0
ip link set eth0 up
ETCD_FLAGS="--listen-client-urls http://127.0.0.1:2379,http://192.0.2.200:2379
	--advertise-client-urls http://192.0.2.200:2379"
store_up "a store" m1
disown -a # how etcd ends is soak_life.py's

# podman's network of a tenant is a file, its image one of busybox alone.
mkdir -p $WORK/plugins $WORK/net.d $WORK/image/bin
ln -s "${TSW%/*}/tsw-cni" $WORK/plugins/
for tenant in red blue green still; do
	cat >$WORK/net.d/$tenant.conflist <<-END
		{"cniVersion": "1.0.0", "name": "$tenant", "plugins": [{"type": "tsw-cni",
		 "tenant": "$tenant", "capabilities": {"ips": true, "mac": true, "portMappings": true}}]}
	END
done
cat >$WORK/containers.conf <<-END
	[containers]
	cgroups = "disabled"
	log_driver = "k8s-file"
	[engine]
	cgroup_manager = "cgroupfs"
	events_logger = "file"
	runtime = "crun"
	enable_port_reservation = false
	static_dir = "/var/lib/podman/static"
	tmp_dir = "/run/libpod"
	volume_path = "/var/lib/podman/volumes"
	[network]
	network_backend = "cni"
	cni_plugin_dirs = ["$WORK/plugins"]
	network_config_dir = "$WORK/net.d"
END
printf '[storage]\ndriver = "vfs"\nrunroot = "/run/containers"\ngraphroot = "/var/lib/podman/graph"\n' \
	>$WORK/storage.conf
cp /bin/busybox $WORK/image/bin/
ln -s busybox $WORK/image/bin/sh
tar -C $WORK/image -cf $WORK/box.tar .

DUMP_ALSO=: # what failed, soak_life.py shows itself
SOAK_MEMBERS=m1:${MEMBER[m1]} SOAK_CGROUP=$CGROUP
export SOAK_MEMBERS SOAK_CGROUP
undo retry 5 no_cgroups
"$PY" "$TOOLS/soak_life.py" "$(jq -n "$minutes * 60")" "$seed" "$log" || {
	not_ok "soak"
	note "again: $0 $minutes $seed life"$'\n'"$(tail -n 40 "$log")"
	return
}
ok "soak"
