#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Usage: deb.sh build   makes build/deb/*.deb from a copy of this tree, which stays as it is
#        deb.sh test    installs it in a fresh Debian tree, uses it, removes it; prints TAP
# SUITE: of Debian, for the test (bookworm).

set -eu
cd "$(dirname "$0")/.." || exit 1
export PATH=$PATH:/usr/sbin:/sbin LC_ALL=C
out=${BUILD:-$PWD/build}/deb
version=$(<VERSION)

# All that git knows or would; without git, all but what was built.
sources() {
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git ls-files -co -z --exclude-standard
	else
		find . -path ./build -prune -o \( -type f -o -type l \) -print0
	fi
}

build() {
	local copy=$out/tenant-switch-$version

	scripts/deps.sh install deb
	rm -rf "$out"
	mkdir -p "$copy"
	sources | while IFS= read -r -d '' f; do
		[ ! -f "$f" ] || printf '%s\0' "$f"
	done | tar -c --null -T - | tar -x -C "$copy"
	# Without what this make told its children.
	(cd "$copy" && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u BUILD -u CFLAGS \
		dpkg-buildpackage -b -us -uc -j"$(nproc)" >../build.log 2>&1) || {
		tail -n 30 "$out/build.log" >&2
		exit 1
	}
	rm -rf "$copy"
	ls "$out"/*.deb
}

case ${1:-} in
build) build ;;
test) exec scripts/deb_tree.sh "$version" "$out"/tenant-switch_*.deb ;;
*) sed -n '3,5s/^# //p' "$0" >&2 && exit 2 ;;
esac
