# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The examples of a document, run as they stand there. Source this after lib.sh.

declare -A MACHINE=() # host -> a process on it

# machines HOST...: each becomes a machine of its own: its /sys with a BPF filesystem, its /etc,
# /var/lib and /run/tsw. Its network is that of the namespace HOST.
machines() {
	local host

	for host; do
		mkdir -p $WORK/"$host"/cgroup /run/tsw
		cp -a /etc $WORK/"$host"/
		# shellcheck disable=SC2016 # the inner shell's
		bg "$host" unshare --mount --propagation private sh -c '
			mount --rbind /sys/fs/cgroup "$0/cgroup" &&
				mount -t sysfs sysfs /sys &&
				mount -t bpf -o mode=700 bpf /sys/fs/bpf &&
				mount --rbind "$0/cgroup" /sys/fs/cgroup &&
				mount --bind "$0/etc" /etc && rm -rf /etc/tsw && mkdir /etc/tsw &&
				mount -t tmpfs tmpfs /var/lib &&
				mount -t tmpfs -o mode=700 tmpfs /run/tsw &&
				touch "$0/is-ready" && exec sleep 100000' $WORK/"$host"
		MACHINE[$host]=$BG
		check "$host is ready" retry 10 test -e $WORK/"$host"/is-ready
	done
}
at() { nsenter -t "${MACHINE[$1]}" -m -n -- "${@:2}"; } # HOST CMD...

# runs PAGE HOST...: all blocks of the page, on these machines; the first one is that of `#`.
runs() {
	local page=$1 host words=()

	shift
	for host; do words+=("$host=${MACHINE[$host]}"); done
	mkdir -p $WORK/docs
	ln -sfn "$ROOT/examples" $WORK/docs/examples
	(cd "$ROOT" && PATH=${TSW%/*}:$ROOT/contrib/migrate:$PATH DOCS=$WORK/docs \
		"$PY" "$TOOLS/docs.py" run "$page" "${words[@]}") || FAILED=1
}
