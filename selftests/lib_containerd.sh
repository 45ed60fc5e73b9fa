# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# containerd with a root of its own for the case, and ctr, its client. Source this after lib_cni.sh.

. "$LIB/lib_box.sh"

CONTAINERD=$WORK/containerd
mkdir -p $CONTAINERD/image
# runc makes a cgroup with a container's id, beside those of the machine.
MARK=$(mktemp -u tswXXXXXX)

# containerd_up: an image `box` of busybox alone; networks are read from $CONTAINERD/net.d.
containerd_up() {
	# The only places where ctr looks for plugins and networks.
	mount -t tmpfs tmpfs /opt
	mkdir /opt/cni && ln -s $PLUGINS /opt/cni/bin
	cp -a /etc $WORK/etc && mount --bind $WORK/etc /etc && mkdir -p /etc/cni/net.d
	config_head 'disabled_plugins = ["io.containerd.grpc.v1.cri"]' >$CONTAINERD/config.toml
	containerd --config $CONTAINERD/config.toml >$CONTAINERD/log 2>&1 &
	undo kill $!
	retry 10 ct version
	box_image
	ct image import --snapshotter native $CONTAINERD/image/box.tar >/dev/null
}

config_head() { # [LINE]
	cat <<-END
		version = 2
		root = "$CONTAINERD/root"
		state = "$CONTAINERD/state"
		${1:-}
		[grpc]
		address = "$CONTAINERD/sock"
	END
}
box_image() {
	box_root $CONTAINERD/image/root
	box_tar $CONTAINERD/image docker.io/library/box:latest
}

ct() { ctr --address $CONTAINERD/sock "$@"; }

# ct_run HOST NETWORK NAME [OPTION...]: a container that waits. ctr sees only this network; without
# `--detach` it stays with the container, and is $CTR. Do not call it in a subshell, as by `check`.
ct_run() {
	# shellcheck disable=SC2016
	bg "$1" unshare --mount sh -c 'mount -t tmpfs tmpfs /etc/cni/net.d &&
		cp "$0" /etc/cni/net.d/ && exec ctr "$@"' $CONTAINERD/net.d/"$2".conflist \
		--address $CONTAINERD/sock run --cni --cgroup '' --snapshotter native "${@:4}" \
		docker.io/library/box:latest "$MARK-$3" /bin/busybox sleep 1000
	CTR=$BG CTR_LOG=$BG_LOG
	undo ct task delete --force "$MARK-$3"
	retry 10 runs "$3" || { cat "$CTR_LOG" && return 1; }
}
# Its interface is there. It is made in the state CREATED, when the container can already be
# entered.
runs() { ct task ls | grep -qE "^$MARK-$1 .*RUNNING"; }
# inside NAME WORD...: runs it in the container. On a busy machine ctr may end before it has copied
# the output: then it runs again.
inside() {
	local said try

	for try in 1 2 3; do
		said=$(ct task exec --exec-id "$try-$((++EXECS))-$BASHPID" "$MARK-$1" \
			/bin/busybox "${@:2}") || return
		[ -z "$said" ] || break
	done
	echo "$said"
}
EXECS=0

# ---- the CRI, as the kubelet uses it --------------------------------------------------

CRI=${BUILD:-$ROOT/build}/tools/cri

# cri_need DESC: else the case ends here with a skip.
cri_need() {
	needs "$1" containerd ctr runc gojq
	[ -x "$CRI" ] || { skip "$1" "there is no client: scripts/deps.sh cri" && finish && exit; }
	[ -x /usr/lib/cni/loopback ] ||
		{ skip "$1" "there is no /usr/lib/cni/loopback" && finish && exit; }
}

# cri_config: once, before cri_up HOST, which begins containerd on that host, also again. Its one
# network is that in $CONTAINERD/nd.
cri_config() {
	mkdir -p $CONTAINERD/nd $CONTAINERD/logs
	ln -sf /usr/lib/cni/loopback $PLUGINS/
	{
		config_head
		cri_toml docker.io/library/box:latest $PLUGINS $CONTAINERD/nd
	} >$CONTAINERD/config.toml
	box_image
	undo cri_cut
}
cri_up() {
	nsenter --net="/run/netns/$1" containerd --config $CONTAINERD/config.toml >>$CONTAINERD/log 2>&1 &
	CRI_PID=$!
	retry 10 cri_ready
	ct -n k8s.io image ls -q | grep -q box ||
		ct -n k8s.io image import --snapshotter native $CONTAINERD/image/box.tar >/dev/null
}
cri() { "$CRI" $CONTAINERD/sock "$@"; }
cri_ready() {
	cri Status | gojq -e '[.status.conditions[].status] | all' >/dev/null &&
		ct -n k8s.io image ls -q >/dev/null
}

# cri_cut: as a power cut. Pods and containerd are gone with their namespaces, mounts and what is
# below /run; what is on the disk stays.
cri_cut() {
	local id dir

	{ kill -KILL "$CRI_PID" $(cri_shims) && wait "$CRI_PID"; } 2>/dev/null || true
	grep -ohE '\b[0-9a-f]{64}\b' $CONTAINERD/log | sort -u | while read -r id; do
		for dir in /sys/fs/cgroup/*/"$id"; do
			[ ! -d "$dir" ] || retry 5 cri_empty "$dir"
		done
	done
	grep -o " $CONTAINERD/[^ ]*\| /run/netns/cni-[^ ]*" /proc/self/mounts | sort -r | xargs -r umount -l
	rm -rf /run/netns/cni-* $CONTAINERD/state /run/containerd
}
cri_empty() { # CGROUP
	xargs -r kill -KILL <"$1/cgroup.procs" 2>/dev/null || true
	rmdir "$1"
}
cri_shims() { # in the case's own namespace of processes
	local dir

	for dir in /proc/[0-9]*; do
		! tr '\0' ' ' <"$dir/cmdline" 2>/dev/null | grep -q "^[^ ]*containerd-shim.* $CONTAINERD/sock" ||
			echo "${dir#/proc/}"
	done
}

# sandbox NAME [ATTEMPT [JSON]]: what the kubelet sends for a pod; JSON has more keys of its config.
sandbox() {
	printf '{"config":{"metadata":{"name":"%s","uid":"%s-uid","namespace":"%s","attempt":%d},%s' \
		"$1" "$1" "${POD_NAMESPACE:-default}" "${2:-0}" "${3:+$3,}"
	printf '"hostname":"%s","log_directory":"%s/logs","linux":{}}}' "$1" $CONTAINERD
}
# sandbox_run NAME [ATTEMPT [JSON]]: prints its id
sandbox_run() { cri RunPodSandbox "$(sandbox "$@")" | gojq -r .pod_sandbox_id; }
sandbox_stop() { cri StopPodSandbox "{\"pod_sandbox_id\":\"$1\"}" >/dev/null; }
sandbox_remove() { cri RemovePodSandbox "{\"pod_sandbox_id\":\"$1\"}" >/dev/null; }
sandboxes() { cri ListPodSandbox | gojq -r '.items[]?.id'; }
# sandbox_info ID JQ: of what containerd keeps of it; .status is what it tells the kubelet
sandbox_info() {
	cri PodSandboxStatus "{\"pod_sandbox_id\":\"$1\",\"verbose\":true}" |
		gojq -c "(.info.info | fromjson) + {status} | $2"
}
