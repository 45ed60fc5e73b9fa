#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   this machine's files, a layer above them, and in it another dpkg and another apt, whose packages
#   are in /repo:
#     docker-ce, containerd.io     conflict with     docker.io, containerd, runc
#     other-iperf                  conflicts with    iperf3
#
# scripts/deps.sh says what it installs, installs that, and removes nothing. Only the packages are
# not real: they are empty.
. "$(dirname "$0")/../../lib.sh"

needs "packages of Debian" apt-get dpkg-deb dpkg-query
DEPS=$ROOT/scripts/deps.sh

# ---- the lists ----------------------------------------------------------------------------------

names() { "$DEPS" list "$@" | sed 's/[: ].*//'; }
is "the demo needs at most 16 packages" "$(($(names demo | wc -l) <= 16))" 1
is "none of them a runtime, a daemon, an emulator" "$(names demo |
	grep -E 'docker|containerd|runc|crun|podman|lxc|qemu|libvirt|etcd|openvswitch' || true)" ""
is "the tests need all that the build does" \
	"$(comm -23 <(names build | sort) <(names test | sort))" ""
is "all tests need all that those of make test do" \
	"$(comm -23 <(names test | sort) <(names test-all | sort))" ""
is "make test needs no runtime, no libvirt and no other switch" "$(names test |
	grep -E 'docker|containerd|runc|crun|podman|lxc|libvirt|openvswitch' || true)" ""
check_fails "a target that does not exist: refused" "$DEPS" list nonsense

# ---- the layer ----------------------------------------------------------------------------------

tree=$WORK/tree
mkdir $WORK/{upper,work} $tree
mount -t overlay -o "lowerdir=/,upperdir=$WORK/upper,workdir=$WORK/work" tree $tree
for dir in var/lib/dpkg var/lib/apt var/cache/apt etc/apt run; do
	mkdir -p $tree/$dir
	mount -t tmpfs tmpfs $tree/$dir
done
mkdir -p $tree/var/lib/dpkg/{info,updates,triggers} $tree/var/lib/apt/lists/partial \
	$tree/var/cache/apt/archives/partial $tree/etc/apt/{apt.conf.d,preferences.d} $tree/repo \
	"$tree$ROOT"
mount --rbind "$ROOT" "$tree$ROOT"
mount --rbind /dev $tree/dev
mount --rbind /proc $tree/proc
rm -f $tree/usr/sbin/policy-rc.d $tree/usr/{bin,sbin}/{dockerd,containerd,runc}
echo 'deb [trusted=yes] file:/repo ./' >$tree/etc/apt/sources.list
echo 'APT::Sandbox::User "root";' >$tree/etc/apt/apt.conf
inside() { chroot $tree "$@"; }

# deb NAME [FIELD]...: a package of the repository, with a file and the programs COMMANDS.
deb() {
	local dir=$WORK/deb/$1 command

	mkdir -p $dir/DEBIAN $dir/usr/bin
	: >$dir/usr/"$1"
	for command in ${COMMANDS:-}; do install /bin/true $dir/usr/bin/"$command"; done
	printf '%s\n' "Package: $1" 'Version: 2' 'Architecture: all' 'Maintainer: nobody' \
		'Description: empty' "${@:2}" >$dir/DEBIAN/control
	[ -z "${POSTINST:-}" ] || {
		echo "$POSTINST" >$dir/DEBIAN/postinst
		chmod 755 $dir/DEBIAN/postinst
	}
	dpkg-deb --root-owner-group -b $dir $tree/repo/"$1".deb >/dev/null
	{
		dpkg-deb -f $tree/repo/"$1".deb
		printf '%s\n' "Filename: $1.deb" "Size: $(stat -c %s $tree/repo/"$1".deb)" \
			"SHA256: $(sha256sum <$tree/repo/"$1".deb | cut -d ' ' -f 1)" ''
	} >>$tree/repo/Packages
}
# What it says at that time, and whether a service may start, is kept.
POSTINST='#!/bin/sh
cp /run/said /run/said-before
/usr/sbin/policy-rc.d jq start || echo $? >/run/policy' deb jq 'Depends: libjq1'
deb libjq1
deb iperf3
COMMANDS=dockerd deb docker.io 'Depends: containerd (>= 1)'
COMMANDS=containerd deb containerd 'Depends: runc'
COMMANDS=runc deb runc
COMMANDS=dockerd deb docker-ce 'Depends: containerd.io' 'Conflicts: docker.io'
COMMANDS='containerd runc' deb containerd.io 'Provides: containerd, runc' \
	'Conflicts: containerd, runc' 'Replaces: containerd, runc'
deb other-iperf 'Conflicts: iperf3'

# installed_but NAME...: dpkg has all packages of the lists but these.
installed_but() {
	names | grep -vxF "$(printf '%s\n' "$@")" | while read -r name; do
		printf '%s\n' "Package: $name" 'Status: install ok installed' 'Architecture: all' \
			'Version: 1' 'Maintainer: nobody' 'Description: empty' ''
		: >$tree/var/lib/dpkg/info/"$name".list
	done >$tree/var/lib/dpkg/status
}
there() { # NAME...: those that are installed
	# shellcheck disable=SC2016 # dpkg-query's
	{ inside dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true; } |
		sed -n 's/ installed$//p' | sort | xargs
}
deps() { # FOR...: STATUS is its exit status
	STATUS=0
	inside "$DEPS" install "$@" >$tree/run/said 2>&1 || STATUS=$?
}
says() { check "it says so: $1" grep -qF -- "$1" $tree/run/said; }
dump_deps() { cat $tree/run/said; }
# shellcheck disable=SC2034 # lib.sh's
DUMP_ALSO=dump_deps

# ---- Docker CE is there -------------------------------------------------------------------------

RUNTIMES=(docker.io containerd runc docker-ce containerd.io)
installed_but jq "${RUNTIMES[@]}"
inside dpkg -i /repo/containerd.io.deb /repo/docker-ce.deb >/dev/null
deps test-all
is "what make test-all needs is installed beside Docker CE" $STATUS 0
is "which stays, and counts as Docker" "$(there "${RUNTIMES[@]}" jq)" "containerd.io docker-ce jq"
for line in 'for test-all, apt installs 1 packages: jq' 'what these need, 1 packages: libjq1'; do
	check "it said so first: $line" grep -qxF "deps: $line" $tree/run/said-before
done
is "no service may start meanwhile" "$(<$tree/run/policy)" 101
check_fails "and afterwards all may again" test -e $tree/usr/sbin/policy-rc.d
deps test-all
is "again: nothing is done" "$STATUS $(<$tree/run/said)" "0 "

# ---- containerd.io alone ------------------------------------------------------------------------

inside dpkg -P docker-ce jq >/dev/null
deps test-all
is "with containerd.io alone it is installed, too" $STATUS 0
is "and containerd.io stays" "$(there "${RUNTIMES[@]}" jq)" "containerd.io jq"
says 'left out, and its tests are skipped: docker.io: containerd.io : Conflicts: containerd'

# ---- nothing goes without it --------------------------------------------------------------------

inside dpkg -P containerd.io >/dev/null
deps test-all
is "where there is no Docker Debian's is installed" "$STATUS $(there "${RUNTIMES[@]}")" \
	"0 containerd docker.io runc"
installed_but iperf3 jq
inside dpkg -i /repo/other-iperf.deb >/dev/null
deps demo
is "a package in the way of one that is needed: an error" $STATUS 1
says 'iperf3 cannot be installed: apt would remove other-iperf'
says 'these targets do not need iperf3: build demo-cluster demo-podman demo-kubernetes deb'
says 'nothing was installed or removed'
is "and so it is" "$(there iperf3 other-iperf jq libjq1)" other-iperf
deps demo-cluster
is "demo-cluster goes without it" "$STATUS $(there iperf3 other-iperf jq)" "0 jq other-iperf"
rm $tree/repo/Packages
installed_but nfdump
deps test-all
is "a package that apt does not know: an error" $STATUS 1
says 'nfdump cannot be installed: E: Unable to locate package nfdump'
finish
