#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Usage: deb.sh build             makes build/deb/*.deb from a copy of this tree, which stays as is
#        deb.sh source FILE.tar   that copy
#        deb.sh test              makes them in fresh Debians, twice; installs, uses, removes them.
#                                 Linux for arm64 loads the programs of those for arm64. TAP
# SUITES, ARCHS: for the test (bookworm trixie, amd64 arm64)

set -eu
cd "$(dirname "$0")/.." || exit 1
. scripts/tap.sh
export PATH=$PATH:/usr/sbin:/sbin LC_ALL=C
out=${BUILD:-$PWD/build}/deb
version=$(<VERSION)
SUITES=${SUITES:-bookworm trixie} ARCHS=${ARCHS:-amd64 arm64}

# All that git knows or would; without git, all but what was built.
sources() {
	if [ -e .git ]; then
		git -c safe.directory='*' ls-files -co -z --exclude-standard
	else
		find . -path ./build -prune -o \( -type f -o -type l \) -print0
	fi | while IFS= read -r -d '' f; do
		[ ! -f "$f" ] || printf '%s\0' "$f"
	done
}

source_tar() { # FILE.tar
	local copy

	copy=$(mktemp -d)
	mkdir "$copy/tenant-switch-$version"
	sources | tar -c --null -T - | tar -x -C "$copy/tenant-switch-$version"
	echo "$(scripts/commit.sh) $(scripts/commit.sh time)" >"$copy/tenant-switch-$version/COMMIT"
	tar -c -C "$copy" --sort=name --owner=0 --group=0 --numeric-owner -f "$1" \
		"tenant-switch-$version"
	rm -rf "$copy"
}

build() {
	scripts/deps.sh install deb
	rm -rf "$out"
	mkdir -p "$out"
	source_tar "$out/source.tar"
	tar -x -C "$out" -f "$out/source.tar"
	"$out/tenant-switch-$version/scripts/deb_build.sh" "$out"
	rm -rf "$out/tenant-switch-$version" "$out/source.tar"
	ls "$out"/*.deb
}

# ---- tests ------------------------------------------------------------------------------------

# Another processor's are made once, and used in an emulator.
test_packages() { # SUITE ARCH
	local name="$1 $2" at=$out/$1-$2

	rm -rf "$at" "$at.again"
	check "$name: the packages are built, their tests pass, lintian finds nothing" \
		scripts/deb_in_tree.sh "$1" "$2" "$out/source.tar" "$at"
	check "$name: their list of contents" scripts/sbom.sh check "$at"/*.spdx.json
	if [ "$2" != "$own" ]; then
		check "$name: its Linux loads their programs, which forward" \
			scripts/kernels.sh arm64 "$1" "$at"/tenant-switch_*.deb
		return
	fi
	check "$name: they are built again, elsewhere, by another user" \
		scripts/deb_in_tree.sh "$1" "$2" "$out/source.tar" "$at.again" again
	check "$name: both are equal in each octet" diff -r "$at" "$at.again"
	check "$name: they are installed, used and removed" use "$1" "$at"
}
use() { # SUITE DIRECTORY
	SUITE=$1 scripts/deb_tree.sh "$version" "$2"/tenant-switch_*.deb >"$2.tap" ||
		{ grep -A5 '^not ok' "$2.tap"; false; }
}

own=$(dpkg --print-architecture)
case ${1:-} in
build) build ;;
source) source_tar "${2:?}" ;;
test)
	mkdir -p "$out"
	source_tar "$out/source.tar"
	for suite in $SUITES; do
		for arch in $ARCHS; do
			test_packages "$suite" "$arch"
		done
	done
	echo "1..$n"
	exit $bad
	;;
*) sed -n '3,7s/^# //p' "$0" >&2 && exit 2 ;;
esac
