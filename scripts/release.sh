#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Makes build/release: the sources of this commit as a tar, Debian packages made from that, their
# lists of contents, SHA256SUMS, and with SIGN its signature. The same commit gives the same octets.
# SIGN=KEY       of gpg, for SHA256SUMS.asc
# SUITES, ARCHS  packages for these Debians, each made in a fresh one (needs root), as in
#                SUITES='bookworm trixie' ARCHS='amd64 arm64'. Without SUITES: for this machine's.
# PACKAGES=none  only the tar

set -euo pipefail
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
umask 022
version=$(<VERSION)
name=tenant-switch-$version
to=${BUILD:-$PWD/build}/release
new=$to.new
fail() { echo "release: $*" >&2 && exit 1; }
in_git() { git -c safe.directory='*' "$@"; }

# ---- what is wrong is said before anything is made ---------------------------------------------

[ -e .git ] || fail "this tree is no repository of git, so it has no commit to release"
changed=$(in_git status --porcelain -uno | sed -n '1,3s/^...//p' | xargs)
[ -z "$changed" ] || fail "commit these changes first: $changed"
grep -q "^## $version - 20" CHANGELOG.md || fail "CHANGELOG.md has no part \"## $version - DATE\""
head -n 1 debian/changelog | grep -qF " ($version) " ||
	fail "the first line of debian/changelog is not of version $version"
if [ -n "${SIGN:-}" ]; then
	gpg --batch --list-secret-keys -- "$SIGN" >/dev/null 2>&1 ||
		fail "gpg has no secret key \"$SIGN\""
fi
for suite in ${SUITES:-}; do
	[ "$(id -u)" = 0 ] || fail "SUITES needs root, for a Debian of its own"
	[[ $suite =~ ^[a-z]+$ ]] || fail "\"$suite\" is no suite of Debian"
done
for arch in ${ARCHS:-}; do
	[[ $arch =~ ^[a-z0-9]+$ ]] || fail "\"$arch\" is no architecture of Debian"
done

# ---- the files --------------------------------------------------------------------------------

rm -rf "$new"
mkdir -p "$new"
trap 'rm -rf "$new"' EXIT
# git gives each file the commit's time, the owner root, and this mode.
in_git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -n9 >"$new/$name.tar.gz"
if [ -n "${SUITES:-}" ]; then
	scripts/deps.sh install test-deb
	for suite in $SUITES; do
		for arch in ${ARCHS:-$(dpkg --print-architecture)}; do
			scripts/deb_in_tree.sh "$suite" "$arch" "$new/$name.tar.gz" "$new"
		done
	done
elif [ "${PACKAGES:-}" != none ]; then
	scripts/deps.sh install deb
	mkdir "$new/build"
	tar -xz -C "$new/build" -f "$new/$name.tar.gz"
	"$new/build/$name/scripts/deb_build.sh" "$new"
	rm -rf "$new/build"
fi
shopt -s nullglob
(cd "$new" && sha256sum -- *.tar.gz *.deb *.json >SHA256SUMS)
[ -z "${SIGN:-}" ] || gpg --batch --yes --armor --local-user "$SIGN" \
	--output "$new/SHA256SUMS.asc" --detach-sign "$new/SHA256SUMS"
rm -rf "$to"
mv "$new" "$to"
trap - EXIT
ls -l "$to"
