# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# containerd with a root of its own for the case, and ctr, its client. Source this after lib_cni.sh.

CONTAINERD=$WORK/containerd
# runc makes a cgroup with a container's id, beside those of the machine.
MARK=$(mktemp -u tswXXXXXX)

# containerd_up: an image `box` of busybox alone; networks are read from $CONTAINERD/net.d.
containerd_up() {
	# The only places where ctr looks for plugins and networks.
	mount -t tmpfs tmpfs /opt
	mkdir /opt/cni && ln -s $PLUGINS /opt/cni/bin
	cp -a /etc $WORK/etc && mount --bind $WORK/etc /etc && mkdir -p /etc/cni/net.d
	mkdir -p $CONTAINERD/image/bin
	cat >$CONTAINERD/config.toml <<-END
		version = 2
		root = "$CONTAINERD/root"
		state = "$CONTAINERD/state"
		disabled_plugins = ["io.containerd.grpc.v1.cri"]
		[grpc]
		address = "$CONTAINERD/sock"
	END
	containerd --config $CONTAINERD/config.toml >$CONTAINERD/log 2>&1 &
	undo kill $!
	retry 10 ct version
	box_image
	ct image import --snapshotter native $CONTAINERD/box.tar >/dev/null
}

# As `docker save` writes them.
box_image() {
	local sum

	cp /bin/busybox $CONTAINERD/image/bin/
	tar -C $CONTAINERD/image -cf $CONTAINERD/layer.tar .
	sum=$(sha256sum <$CONTAINERD/layer.tar)
	cat >$CONTAINERD/config.json <<-END
		{"architecture": "$(dpkg --print-architecture)", "os": "linux", "config": {},
		 "rootfs": {"type": "layers", "diff_ids": ["sha256:${sum%% *}"]}}
	END
	echo '[{"Config": "config.json", "RepoTags": ["box:latest"], "Layers": ["layer.tar"]}]' \
		>$CONTAINERD/manifest.json
	tar -C $CONTAINERD -cf $CONTAINERD/box.tar manifest.json config.json layer.tar
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
