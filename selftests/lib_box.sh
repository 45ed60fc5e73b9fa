# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# An image of busybox alone, for podman, Docker and containerd. They source this.

# box_root DIR: its files
box_root() {
	mkdir -p "$1/bin"
	cp /bin/busybox "$1/bin/"
	ln -sf busybox "$1/bin/sh"
}

# box_tar DIR NAME: packs the files in DIR/root into DIR/box.tar, as `docker save` does. The image
# waits, which is enough for the container that keeps a pod's namespace.
box_tar() {
	local sum

	tar -C "$1/root" -cf "$1/layer.tar" .
	sum=$(sha256sum <"$1/layer.tar")
	cat >"$1/config.json" <<-END
		{"architecture": "$(dpkg --print-architecture)", "os": "linux",
		 "config": {"Entrypoint": ["/bin/busybox", "sleep", "1000000"]},
		 "rootfs": {"type": "layers", "diff_ids": ["sha256:${sum%% *}"]}}
	END
	echo "[{\"Config\": \"config.json\", \"RepoTags\": [\"$2\"], \"Layers\": [\"layer.tar\"]}]" \
		>"$1/manifest.json"
	tar -C "$1" -cf "$1/box.tar" manifest.json config.json layer.tar
}

# cri_toml IMAGE PLUGINS NETWORKS: the tables of a containerd for pods. Containers may not set
# limits here, where a machine may be a container itself.
cri_toml() {
	cat <<-END
		[plugins."io.containerd.grpc.v1.cri"]
		sandbox_image = "$1"
		disable_cgroup = true
		disable_apparmor = true
		restrict_oom_score_adj = true
		disable_hugetlb_controller = true
		tolerate_missing_hugetlb_controller = true
		[plugins."io.containerd.grpc.v1.cri".containerd]
		snapshotter = "native"
		[plugins."io.containerd.grpc.v1.cri".cni]
		bin_dir = "$2"
		conf_dir = "$3"
		[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
		runtime_type = "io.containerd.runc.v2"
	END
}
