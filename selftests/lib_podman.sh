# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# podman, a store of its own for the case. Source this after lib.sh.

. "$LIB/lib_box.sh"

PODMAN=$WORK/podman
# podman_up PLUGIN_DIR: an image `box` of busybox alone; networks are read from $PODMAN/net.d.
podman_up() {
	# crun refuses a machine with both versions of cgroups, so no container has a cgroup here.
	[ ! -d /sys/fs/cgroup/unified ] || mount -t cgroup2 none /sys/fs/cgroup
	mkdir -p $PODMAN/net.d $PODMAN/tmp
	cat >$PODMAN/containers.conf <<-END
		[containers]
		cgroups = "disabled"
		log_driver = "k8s-file"
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "file"
		runtime = "crun"
		static_dir = "$PODMAN/static"
		tmp_dir = "$PODMAN/tmp"
		volume_path = "$PODMAN/volumes"
		[network]
		network_backend = "cni"
		cni_plugin_dirs = ["$1"]
		network_config_dir = "$PODMAN/net.d"
	END
	printf '[storage]\ndriver = "vfs"\nrunroot = "%s"\ngraphroot = "%s"\n' \
		$PODMAN/run $PODMAN/graph >$PODMAN/storage.conf
	box_root $PODMAN/image
	tar -C $PODMAN/image -c . | podman_on "${HOSTS[0]}" import -q - box >/dev/null
}

# podman_on HOST WORD...
podman_on() {
	CONTAINERS_CONF=$PODMAN/containers.conf CONTAINERS_STORAGE_CONF=$PODMAN/storage.conf \
		TMPDIR=$PODMAN/tmp on "$1" podman "${@:2}"
}

# podman_dies HOST: what a power cut takes: containers and their namespaces, the switch, /run. The
# case has mounted its own /dev/shm, where podman has locks.
podman_dies() {
	local conmon pid ns

	podman_on "$1" ps -q --no-trunc >$WORK/ids
	: >$WORK/running
	# shellcheck disable=SC2046 # several
	[ ! -s $WORK/ids ] || podman_on "$1" inspect $(<$WORK/ids) | gojq -r '.[] |
		[.State.ConmonPid, .State.Pid, .NetworkSettings.SandboxKey] | join(" ")' \
		>$WORK/running
	while read -r conmon pid ns; do
		kill -KILL "$conmon" "$pid" || true
		while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
		umount "$ns" && rm -f "$ns"
	done <$WORK/running
	sw "$1" switch down
	grep -oE " $PODMAN/[^ ]+ " /proc/self/mounts | tac | xargs -r umount
	rm -rf /run/tsw/"$1"* /run/crun $PODMAN/run $PODMAN/tmp /dev/shm/libpod*
	mkdir $PODMAN/tmp
}
