# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Docker's own daemon, one for each host, as in a machine of its own. Each has its own /run/docker,
# in which it finds tsw-docker by its socket. It is the first `dockerd` of PATH, which may be newer
# than Debian's. Source this after lib.sh.

. "$LIB/lib_box.sh"
. "$LIB/lib_docker.sh"

DOCKERD=$WORK/dockerd
CGROUP=tsw-test-$$-$RANDOM
declare -A SERVED=() DAEMON=() WORDS=() # host -> pid, words

# dockerd_need: else the case ends here with a skip.
dockerd_need() {
	local why

	why=$(dockerd_ready) || { skip "Docker's daemon" "$why" && finish && exit; }
	mount -t tmpfs tmpfs /var/lib
}
dockerd_ready() { # can it run here? Prints why not.
	local dir tool

	for tool in dockerd docker containerd runc; do
		command -v $tool || { echo "there is no $tool"; return 1; }
	done
	for dir in /sys/fs/cgroup/devices /sys/fs/cgroup/cgroup.controllers; do
		[ ! -e $dir ] || return 0
	done
	echo "no cgroups are mounted"
	return 1
}

# Cgroups are the machine's. Those of containers are made below one that is removed when the case
# ends, together with containers that a failed case has left.
no_cgroups() {
	local pid

	find /sys/fs/cgroup -path "*/$CGROUP*" -name cgroup.procs -exec cat {} + |
		while read -r pid; do kill -KILL "$pid"; done
	find /sys/fs/cgroup -depth -type d -path "*/$CGROUP*" -exec rmdir {} +
}

# dockerd_on HOST [WORD]...: starts tsw-docker behind its socket, as systemd does, and the daemon
# with these words.
dockerd_on() {
	[ -n "${SERVED[*]}" ] || undo retry 5 no_cgroups
	mkdir -p /run/docker $DOCKERD/"$1"
	WORDS[$1]="${*:2}"
	# shellcheck disable=SC2016 # its own words
	STATE_DIRECTORY=$WORK/kept-$1 bg "$1" unshare --mount --propagation slave sh -c '
		mount -t tmpfs tmpfs /run/docker &&
			exec systemd-socket-activate --accept --inetd -E STATE_DIRECTORY \
			-l /run/docker/plugins/tsw.sock "$0"' "$PLUGIN"
	SERVED[$1]=$BG
	retry 5 nsenter -t $BG -m test -S /run/docker/plugins/tsw.sock
	daemon_begins "$1"
}

# Containers go on while the daemon is down.
daemon_begins() { # HOST
	local dir=$DOCKERD/$1

	# shellcheck disable=SC2086 # several words
	DOCKER_MIN_API_VERSION=1.24 nsenter -t "${SERVED[$1]}" -m -n -- dockerd --live-restore \
		--data-root $dir/data --exec-root $dir/exec -p $dir/pid -H unix://$dir/sock \
		--storage-driver vfs --cgroup-parent /$CGROUP ${WORDS[$1]} >>$dir/log 2>&1 &
	DAEMON[$1]=$!
	undo kill $!
	retry 20 dock "$1" version
}
daemon_ends() { # HOST SIGNAL
	stop "${DAEMON[$1]}" "$2"
	rm -f $DOCKERD/"$1"/pid
}

# Debian's client, which fits the daemon: a PATH may lead to another.
dock() { /usr/bin/docker -H unix://$DOCKERD/"$1"/sock "${@:2}"; } # HOST WORD...

# image HOST: `box`, of busybox alone
image() {
	box_root $DOCKERD/image
	tar -C $DOCKERD/image -c . | dock "$1" import - box >/dev/null
}

dump_dockerd() {
	local host

	for host in "${!DAEMON[@]}"; do
		echo "== the daemon on $host"
		grep -E 'level=(warning|error)' $DOCKERD/"$host"/log | tail -n 20
	done
	tail -n 20 $WORK/plugin.err
}
# shellcheck disable=SC2034 # lib.sh's
DUMP_ALSO=dump_dockerd

# ---- a host's life ------------------------------------------------------------------------------

# again HOST NETWORK NAME [WORD]...: a container that Docker starts again
again() {
	dock "$1" run -d --restart always --name "$3" --network "$2" "${@:4}" box \
		/bin/busybox sleep 1000 >/dev/null
}
# tenant_network HOST TENANT SUBNET: a network of that name
tenant_network() {
	dock "$1" network create -d tsw -o instance="$1" -o tenant="$2" --ipam-driver tsw \
		--ipam-opt instance="$1" --ipam-opt tenant="$2" --subnet "$3" "$2" >/dev/null
}
running() { dock "$1" ps --format '{{.Names}}' | sort | xargs; } # HOST
ip_of() { dock "$1" inspect "$2" | gojq -r '.[0].NetworkSettings.Networks[].IPAddress'; } # HOST NAME
ping_of() { dock "$1" exec "$2" /bin/busybox ping -c 1 -W 2 "$3"; } # HOST NAME IP
plugin_devices() { ip -n "$1" -br link show | grep -c '^ts[wx][a-z2-7]*@' || true; } # HOST

# power_cut HOST: nothing there can say goodbye, and /run, devices, pins and cgroups are gone.
power_cut() {
	local dir=$DOCKERD/$1 file

	kill -KILL "${DAEMON[$1]}" "${SERVED[$1]}"
	wait "${DAEMON[$1]}" "${SERVED[$1]}" 2>/dev/null || true
	for file in /proc/[0-9]*/cmdline; do # containerd and its shims
		{ tr '\0' ' ' <$file | grep -qF "$dir/"; } 2>/dev/null || continue
		file=${file%/cmdline}
		kill -KILL "${file#/proc/}" 2>/dev/null || true
	done
	retry 10 no_cgroups
	rm -rf $dir/exec $dir/pid $dir/sock
	sw "$1" switch down
	rm -rf /run/tsw/"$1"*
	comes "no device is left on $1 after a power cut" 0 plugin_devices "$1"
}
# what docs/containers.md says about containers that stayed dead
start_dead() { # HOST
	dock "$1" ps -aq -f status=exited -f status=created | xargs -r /usr/bin/docker \
		-H unix://$DOCKERD/"$1"/sock inspect \
		-f '{{if eq .HostConfig.RestartPolicy.Name "always"}}{{.Id}}{{end}}' |
		xargs -r /usr/bin/docker -H unix://$DOCKERD/"$1"/sock start
}
