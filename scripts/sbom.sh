#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What packages that were just built in this tree have in them, as SPDX 2.3 in JSON, on stdout. It
# names their files, and Debian's packages whose libraries their programs load or have linked in,
# and that built them.
# Usage: sbom.sh PACKAGE.deb...
#        sbom.sh check FILE       says what is wrong with such a list

set -euo pipefail
export LC_ALL=C
[ $# -gt 0 ] || { sed -n '3,7s/^# //p' "$0" >&2; exit 2; }
here=$(dirname "$(readlink -f "$0")")
if [ "$1" = check ]; then
	wrong=$(jq -r -f "$here/sbom_check.jq" "${2:?}")
	[ -z "$wrong" ] || { echo "$wrong" && exit 1; }
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "sbom: $*" >&2 && exit 1; }

# owner PATH...: Debian's package that has the first of these, as `NAME VERSION ARCH`.
owner() {
	local path name

	for path; do
		[ -e "$path" ] || continue
		path=$(realpath "$path")
		# dpkg may know a file below /usr by its name of old.
		name=$(dpkg-query -S "$path" 2>/dev/null || dpkg-query -S "${path#/usr}" 2>/dev/null) ||
			continue
		installed "${name%%: *}" && return
	done
	fail "no package has any of: $*"
}
installed() { dpkg-query -W -f '${Package} ${Version} ${Architecture}\n' "$1"; }

# loads FILE: what the dynamic linker brings it. A program for another processor has its libraries
# in that one's directory.
loads() {
	local name

	readelf -d "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r name; do
		owner {/usr,}/lib/"$multiarch/$name"
	done
}

# linked_in MAP...: what the linker took out of archives, and the C library's objects.
linked_in() {
	local path

	sed -nE 's/^(\/[^ ()]+\.a)\(.*/\1/p; s/^LOAD (\/[^ ]+\.o)$/\1/p' "$@" | sort -u |
		while read -r path; do owner "$path"; done
}

# names DEB FIELD...: packages that it only names.
names() {
	local deb=$1 field

	shift
	for field; do
		dpkg-deb -f "$deb" "$field" | tr ',|' '\n' | sed -nE 's/^ *([a-z0-9][a-z0-9+.-]*).*/\1/p'
	done | sort -u
}

# Lines of words, the first of which tells what the others are: see sbom.jq.
facts() {
	local deb name file sums at=$work/files

	for deb; do
		name=$(dpkg-deb -f "$deb" Package)
		rm -rf "$at" && dpkg-deb -x "$deb" "$at"
		multiarch=$(dpkg-architecture -a "$(dpkg-deb -f "$deb" Architecture)" \
			-q DEB_HOST_MULTIARCH 2>/dev/null)
		echo "deb $name $(dpkg-deb -f "$deb" Version) $(dpkg-deb -f "$deb" Architecture)" \
			"${deb##*/} $(sha256sum <"$deb" | cut -d ' ' -f 1)"
		# SPDX's own checksum of all checksums.
		echo "code $name $(find "$at" -type f -exec sha1sum {} + | cut -c 1-40 | sort |
			tr -d '\n' | sha1sum | cut -c 1-40)"
		(cd "$at" && find . -type f | sort) | while read -r file; do
			sums="$(sha1sum <"$at/$file") $(sha256sum <"$at/$file")"
			echo "file $name ${sums//  -/} $file"
			case $(head -c 4 "$at/$file" | tr -d '\0') in
			$'\x7fELF') case $name in *-dbgsym) ;; *) loads "$at/$file" ;; esac ;;
			esac | sed "s/^/loads $name /"
		done
		[ "$name" != tenant-switch ] || linked_in "${BUILD:-build}"/*.map | sed "s/^/links $name /"
		names "$deb" Depends | sed "s/^/needs $name /"
		names "$deb" Recommends Suggests | sed "s/^/may $name /"
	done
	for name in clang bpftool protobuf-c-compiler gcc; do
		installed $name | sed 's/^/tool /'
	done
}

facts "$@" >"$work/facts"
jq -Rn --arg version "$(<VERSION)" --arg commit "$(scripts/commit.sh)" \
	--arg epoch "$(scripts/commit.sh time)" -f "$here/sbom.jq" <"$work/facts"
