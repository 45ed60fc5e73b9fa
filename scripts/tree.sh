# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Fresh Debians to build and install packages in, for scripts that source this. A tree is made once,
# below build/, and stays as it is: what is done in it is in a layer above, which only the script
# sees, in a mount namespace of its own. No service starts there.

set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin LC_ALL=C DEBIAN_FRONTEND=noninteractive
TREES=${BUILD:-$PWD/build}

[ "$(id -u)" = 0 ] || { echo "$0: must be run as root" >&2; exit 1; }
if [ "${TSW_PRIVATE:-}" != "$0" ]; then
	TSW_PRIVATE=$0 exec unshare --mount --pid --fork --kill-child --mount-proc \
		--propagation private bash "$0" "$@"
fi

# bootstrap NAME SUITE: makes the tree NAME by debootstrap, unless it is there.
bootstrap() {
	local name=$1 suite=$2 at=$TREES/$1

	[ ! -e "$at" ] || return 0
	echo "# making a Debian: $name" >&2
	rm -rf "$at.new"
	# A killed one ends with status 0, but leaves its own directory.
	# shellcheck disable=SC2046 # no word without a mirror
	if ! debootstrap --variant=minbase "$suite" "$at.new" \
		$("$(dirname "$0")"/deps.sh mirror) >"$at.log" 2>&1 || [ -e "$at.new/debootstrap" ]; then
		tail -n 5 "$at.log" >&2
		exit 1
	fi
	mv "$at.new" "$at"
}

# devices DIR: its own, as programs there that are root may do with them what they like.
devices() {
	local name minor major

	mount -t tmpfs -o mode=755 dev "$1"
	while read -r name major minor; do
		mknod -m 666 "$1/$name" c "$major" "$minor"
	done <<-END
		null 1 3
		zero 1 5
		full 1 7
		random 1 8
		urandom 1 9
		tty 5 0
	END
	mkdir "$1"/{shm,pts}
	mount -t tmpfs -o mode=1777 shm "$1/shm"
	mount -t devpts -o newinstance,ptmxmode=666 devpts "$1/pts"
	ln -s pts/ptmx "$1/ptmx"
	ln -s /proc/self/fd "$1/fd"
	for name in 0:stdin 1:stdout 2:stderr; do
		ln -s "fd/${name%:*}" "$1/${name#*:}"
	done
}

# furnish ROOT: what a tree needs to be used.
furnish() {
	local root=$1

	mount -t proc proc "$root/proc"
	mount -t sysfs sysfs "$root/sys"
	mount -t bpf -o mode=700 bpf "$root/sys/fs/bpf"
	devices "$root/dev"
	mount -t tmpfs -o mode=755 run "$root/run"
	# How packages are reached is this machine's affair.
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
	cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
	# What a package would start it asks for here.
	# shellcheck disable=SC2016 # for that script to expand
	printf '#!/bin/sh\necho "$*" >>/run/asked\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
}

# enter NAME: a layer above the tree of that name; it is $tree, and beside it $layer has room.
enter() {
	layer=$(mktemp -d)
	tree=$layer/root
	mount -t tmpfs layer "$layer"
	mkdir "$layer"/{upper,work,root}
	mount -t overlay -o "lowerdir=$TREES/$1,upperdir=$layer/upper,workdir=$layer/work" tree \
		"$tree"
	furnish "$tree"
}

inside() { chroot "$tree" "$@"; }
fetch() { inside apt-get -qq -y -o Dpkg::Use-Pty=0 "$@" </dev/null; }
