#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Tests on other kernels than the one that runs: Debian's, booted by vm.sh. They are fetched once
# into build/kernels; remove that for newer ones.
# Usage: kernels.sh run KERNEL CMD...  a command in one, as `run 6.1 selftests/netns.sh guard`
#        kernels.sh tree KERNEL        where it is, as boot/ and lib/modules/
#        kernels.sh fetch              all that there are, beforehand; quietly
#        kernels.sh quick | full       packet tests and some, or all, selftests in each; TAP
#        kernels.sh arm64 SUITE DEB    that package for arm64 in that Debian's Linux
#        kernels.sh compilers          the programs as several compilers make them load in each
#        kernels.sh record             the same, and writes the counts into tests/verifier.txt

set -eu
here=$PWD
cd "$(dirname "$0")/.."
export PATH=$PATH:/usr/sbin:/sbin LC_ALL=C
export BUILD=${BUILD:-$PWD/build}
KERNELS=(6.1 6.12)
COMPILERS=(14 16 19) # versions of clang
# An emulated machine takes longer than a test would wait, and longer still beside the selftests.
[ "${1:-}" = quick ] && slow=8 || slow=4
export TSW_SLOW=${TSW_SLOW:-$slow}
export TSW_XFER=${TSW_XFER:-4M} TSW_JOBS=${TSW_JOBS:-1}
# Of life/upgrade, where one upgrade takes a minute.
export TSW_UPGRADES=${TSW_UPGRADES:-3} TSW_RATE=${TSW_RATE:-200}
# What `make test` runs in another kernel: Linux 6.1 has the strictest verifier and no tcx, so all
# programs are loaded there, and `basic/reach` runs by clsact.
LOOK='basic/reach' LOOK_ONLY='packet_verifier packet_guard'
# What `make test-all` runs. These run in 6.12 even if the machine's own kernel has no netkit or
# WireGuard. With TSW_QUICK the packet tests in 6.1 are those of helpers
# that differ between kernels, and `encrypt/wireguard` is shorter. `full` runs everything.
QUICK='port/netkit encrypt/wireguard encrypt/test docs/encryption'
ONLY='packet_verifier packet_guard packet_encap packet_decap packet_geneve packet_gre packet_mtu'
ONLY+=' packet_from_gateway packet_gateway packet_fast packet_limit packet_fuzz packet_xdp_native'
ONLY+=' packet_xdp'
top=$PWD store=$PWD/build/kernels

# package KERNEL: the newest of Debian's packages, by name.
package() {
	apt-cache search --names-only \
		"^linux-image-${1/./\\.}\.[0-9]+(-[0-9]+|\+deb[0-9]+)-amd64\$" |
		awk '{ print $1 }' | sort -V | tail -n 1
}

apt() { # into the directory where it is called
	apt-get -qq -o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o Dpkg::Use-Pty=0 \
		-o APT::Sandbox::User=root "$@" </dev/null >&2
}

# The lists may be absent or too old to be of use; then, and only then, they are fetched.
download() { # KERNEL
	local name

	for _ in once again; do
		name=$(package "$1")
		[ -z "$name" ] || ! apt download "$name" 2>/dev/null || return 0
		apt update || return 1
	done
	echo "no package of Linux $1 can be had" >&2
	return 1
}

unpack() { # KERNEL, from the package in the working directory
	local version

	dpkg-deb -x linux-image-*.deb tree
	version=$(basename tree/lib/modules/*)
	depmod -b tree "$version"
	[ -s "tree/boot/vmlinuz-$version" ]
}

# fetch KERNEL: to be in the store; on stdout why it is not.
fetch() {
	local why

	mkdir -p "$store"
	exec 9>"$store/lock"
	flock 9
	[ ! -e "$store/$1" ] || return 0
	rm -rf "$store/new"
	mkdir "$store/new"
	echo "# fetching Linux $1" >&2
	why=$(cd "$store/new" && { download "$1" && unpack; } 2>&1) || {
		echo "${why##*$'\n'}"
		return 1
	}
	mv "$store/new/tree" "$store/$1"
	rm -rf "$store/new"
}

# ---- running in several kernels at once ------------------------------------------------

NAMES=() PIDS=() WORK=''

# start NAME CMD...: in the background, until `collect`.
start() {
	mkdir -p "$store"
	[ -n "$WORK" ] || WORK=$(mktemp -d "$store/run.XXXXXX")
	: >"$WORK/$1"
	"${@:2}" >"$WORK/$1" 2>&1 </dev/null &
	NAMES+=("$1") PIDS+=($!)
}

stop() {
	[ ${#PIDS[@]} = 0 ] || kill "${PIDS[@]}" 2>/dev/null || true
	wait
	rm -rf "$WORK"
}
trap '[ -z "$WORK" ] || stop' EXIT
trap 'exit 143' INT TERM PIPE

# Prints what was started, one after the other, as it comes.
collect() {
	local i status bad

	for i in "${!NAMES[@]}"; do
		bad=0 status=0
		tail -n +1 -f -s 0.2 --pid="${PIDS[i]}" "$WORK/${NAMES[i]}" |
			tap "${NAMES[i]}" || bad=1
		wait "${PIDS[i]}" || status=$?
		[ $status = 0 ] || [ $bad = 1 ] ||
			echo "not ok - ${NAMES[i]} ends with status $status"
	done
	NAMES=() PIDS=()
}

# tap NAME: TAP from stdin, of run-tests.sh or one program; its lines then tell where they come
# from. Fails if one of them does.
tap() {
	local part='' line word bad=0

	while IFS= read -r line; do
		case $line in
		'# == '*) part=" ${line#\# == }:" ;;
		*' passed, '*' failed'*) echo "# $1: $line" ;;
		'ok '* | 'not ok '*)
			[[ $line =~ ^(not )?ok( [0-9]+)?( -)?( .*)$ ]]
			word="${BASH_REMATCH[1]}ok" line=${BASH_REMATCH[4]# }
			case $line in '# SKIP'*) word=ok ;; esac
			[ "$word" = ok ] || bad=1
			echo "$word - $1$part $line"
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done
	return $bad
}

# in_one KERNEL CMD...: if there is a way to have it.
in_one() {
	local why

	if why=$(fetch "$1"); then
		start "$1" scripts/vm.sh "$store/$1" "${@:2}"
	else
		echo "ok - $1 # SKIP ${why:-cannot be unpacked}"
		echo 1..1
	fi
}

in_each() { # CMD...
	local kernel

	for kernel in "${KERNELS[@]}"; do
		in_one "$kernel" "$@"
	done
}

# ---- another processor -------------------------------------------------------------------

# A Debian of it is unpacked, with its kernel and what a package DEPENDS on: nothing of it can run
# before the emulator does.
fetch_arm64() { # SUITE DEPENDS
	local at=$store/$1-arm64 deb

	mkdir -p "$store"
	exec 9>"$store/lock"
	flock 9
	[ ! -e "$at" ] || return 0
	rm -rf "$at.new"
	# shellcheck disable=SC2046 # no word without a mirror
	debootstrap --foreign --arch=arm64 --variant=minbase \
		--include="linux-image-arm64,kmod,iproute2,iputils-ping,busybox-static,$2" \
		"$1" "$at.new" $(scripts/deps.sh mirror) >"$at.log" 2>&1 ||
		{ tail -n 5 "$at.log" >&2 && return 1; }
	for deb in "$at.new"/var/cache/apt/archives/*.deb; do
		dpkg-deb -x "$deb" "$at.new"
		rm "$deb"
	done
	mkdir -p "$at.new/mnt"
	depmod -b "$at.new" "$(basename "$at.new"/lib/modules/*)"
	mv "$at.new" "$at"
}

# The whole of it there: loads the programs, and two endpoints of a tenant reach each other.
arm64_test() {
	cat <<-'END'
		set -eux
		dpkg-deb -x /mnt/package.deb /
		tsw -j version
		tsw features
		ip netns add h1
		ip -n h1 link add eth0 type veth peer name far
		ip -n h1 addr add 192.0.2.1/24 dev eth0
		ip -n h1 link set eth0 up
		ip -n h1 link set far up
		tsw -n h1 switch up dev eth0
		tsw -n h1 tenant add red id 100
		for n in 1 2; do
			ip netns add c$n
			ip -n h1 link add e$n type veth peer name eth0 netns c$n
			ip -n h1 link set e$n up
			ip -n c$n link set eth0 address 02:00:00:00:00:0$n up
			ip -n c$n addr add 10.0.0.$n/24 dev eth0
			tsw -n h1 endpoint add c$n tenant red dev e$n \
				mac 02:00:00:00:00:0$n ip 10.0.0.$n
		done
		ip netns exec c1 ping -c 3 -W 20 10.0.0.2
		tsw -n h1 switch check
		tsw -n h1 switch down
		echo 'loaded by'; uname -srm
	END
}

arm64() { # SUITE DEB
	local at=$store/$1-arm64 needs

	needs=$(dpkg-deb -f "$2" Depends | tr ',' '\n' | sed -nE 's/^ *([a-z0-9.+-]+).*/\1/p' |
		paste -sd,)
	fetch_arm64 "$1" "$needs"
	cp "$2" "$at/mnt/package.deb"
	arm64_test >"$at/mnt/test"
	TSW_VM_ROOT=$at scripts/vm.sh "$at" bash /mnt/test
}

# ---- compilers -----------------------------------------------------------------------

build_all() {
	local clang dir

	scripts/deps.sh install compilers >&2
	for clang in "${COMPILERS[@]}"; do
		dir=build/clang-$clang
		MAKEFLAGS='' make -s "-j$(nproc)" B="$dir" CLANG="clang-$clang" \
			"$dir/test_packet_verifier" >&2
	done
}

# In whichever kernel runs.
load() {
	local clang bad=0

	for clang in "${COMPILERS[@]}"; do
		CMOCKA_MESSAGE_OUTPUT=TAP "build/clang-$clang/test_packet_verifier" 2>&1 |
			tap "clang-$clang" || bad=1
	done
	return $bad
}

compilers() {
	build_all || { echo "not ok - the programs are not built"; echo 1..1; return; }
	start "$(uname -r | cut -d. -f1-2)" load
	TSW_VM_COUNT=1 in_each scripts/kernels.sh load
	collect
}

# What was not measured this time stays as it was: so it fails where a program was not loaded.
record() {
	local file=tests/verifier.txt
	local said=build/record.log

	{
		printf '# %-18s %-7s %-6s %s\n' program kernel clang instructions
		{
			compilers | tee $said /dev/stderr | sed -n 's/^# verified //p'
			grep -v '^#' $file
		} | awk '!seen[$1, $2, $3]++ { printf "%-20s %-7s %-6s %s\n", $1, $2, $3, $4 }' |
			sort -V
	} >$file.new
	mv $file.new $file
	! grep 'cannot be loaded' $said
}

# one KERNEL: of those we know, to be in the store.
one() {
	local why

	case " ${KERNELS[*]} " in
	*" $1 "*) ;;
	*) echo "kernels: '$1' is none of: ${KERNELS[*]}" >&2 && exit 2 ;;
	esac
	why=$(fetch "$1") || { echo "kernels: Linux $1: $why" >&2; exit 1; }
}

case ${1:-} in
run)
	[ $# -ge 3 ] || { echo "kernels: no command given for '${2:-}'" >&2; exit 2; }
	one "$2"
	cd "$here"
	exec "$top/scripts/vm.sh" "$store/$2" "${@:3}"
	;;
tree)
	one "${2:-}"
	echo "$store/$2"
	;;
fetch)
	for kernel in "${KERNELS[@]}"; do
		fetch "$kernel" >/dev/null 2>&1 || true # who needs it tries again, and tells why
	done
	;;
quick)
	export TSW_LAB=/sys/fs/bpf/lab # to load the programs takes longer than most packet tests
	export TSW_FUZZ_FRAMES=${TSW_FUZZ_FRAMES:-10000}
	export TSW_POLICY_FRAMES=${TSW_POLICY_FRAMES:-10000}
	if [ -z "${TSW_ALL:-}" ]; then
		in_one 6.1 env TSW_CASES="$LOOK" TSW_ONLY="$LOOK_ONLY" \
			scripts/run-tests.sh packet netns
	else
		packets=packet
		if [ -n "${TSW_QUICK:-}" ]; then
			export TSW_ONLY=${TSW_ONLY:-$ONLY} TSW_BRIEF=1
			packets=
		else QUICK="basic/reach $QUICK"; fi
		# One of each at once: the older kernel has the stricter verifier and fewer helpers.
		in_one 6.1 env TSW_CASES="${TSW_CASES:-$LOOK}" scripts/run-tests.sh packet netns
		in_one 6.12 env TSW_CASES="${TSW_CASES:-$QUICK}" scripts/run-tests.sh $packets netns
	fi
	collect
	;;
full)
	export TSW_VM_SECONDS=${TSW_VM_SECONDS:-21600} # some sixty cases, most of them minutes long
	export TSW_ALL=1 TSW_QUICK=1 KILL_STEP=${KILL_STEP:-13}
	in_each scripts/run-tests.sh packet netns
	collect
	;;
arm64)
	[ $# = 3 ] || { echo "kernels: arm64 takes a suite and a package" >&2; exit 2; }
	arm64 "$2" "$(cd "$here" && readlink -e "$3")"
	;;
compilers) compilers ;;
load) load ;; # for compilers, in another kernel
record) record ;;
*)
	sed -n '3,11s/^# //p' "$0" >&2
	exit 2
	;;
esac
