#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Makes the Debian packages of the tree that this script is in, and their list of contents. It
# writes into the tree and beside it, so give it a copy. The same sources give the same octets
# wherever, whenever and by whomever they are built, with the same packages of Debian installed.
# Usage: deb_build.sh OUT [ARCH [SUFFIX]]    SUFFIX: behind the version

set -eu
cd "$(dirname "$0")/.."
out=$(readlink -f "$1") own=$(dpkg --print-architecture)
arch=${2:-$own} version=$(<VERSION)
epoch=$(scripts/commit.sh time)
umask 022
unset BUILD # of the tree that this is a copy of
[ -z "$epoch" ] || export SOURCE_DATE_EPOCH=$epoch
sed -i "1s/($version)/($version${3:-})/" debian/changelog
options=(-b -us -uc "-j$(nproc)")
if [ "$arch" != "$own" ]; then
	options+=(-a "$arch" -Pcross)
	export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-} nocheck"
fi
# Without what this make told its children.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CFLAGS \
	dpkg-buildpackage "${options[@]}" >../build.log 2>&1 || {
	tail -n 30 ../build.log >&2
	exit 1
}
mkdir -p "$out"
mv ../*.deb "$out"
scripts/sbom.sh "$out"/tenant-switch_*.deb "$out"/libtsw-dev_*.deb \
	>"$out/tenant-switch_$version${3:-}_$arch.spdx.json"
