#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Builds the packages in a fresh Debian, whose tree with all that it takes is made once.
# Usage: deb_in_tree.sh SUITE ARCH SOURCE.tar OUT [again]
# again: as another user, elsewhere, by another clock, with another umask, and without tests

. "$(dirname "$0")/tree.sh"
suite=$1 arch=$2 source=$3 out=$4 again=${5:-}
name=debian-$suite-build
cross=() profile=()
if [ "$arch" != "$(dpkg --print-architecture)" ]; then
	name+=-$arch
	cross=("crossbuild-essential-$arch") profile=(-Pcross)
fi

# unpacked AT: the sources there in $tree; SRC is their directory.
unpacked() {
	mkdir -p "$tree$1/out"
	tar -x --no-same-permissions --no-same-owner -C "$tree$1" -f "$source"
	SRC=$1/$(cd "$tree$1" && echo tenant-switch-*)
}

# required: what debian/control asks for.
required() { fetch build-dep --no-install-recommends -a "$arch" "${profile[@]}" "$SRC/"; }

furnished() {
	local tree=$TREES/$name.new

	[ ! -e "$TREES/$name" ] || return 0
	bootstrap "debian-$suite" "$suite"
	echo "# making a Debian to build in: $name" >&2
	rm -rf "$tree"
	cp -a "$TREES/debian-$suite" "$tree"
	furnish "$tree"
	{
		[ ${#cross[@]} = 0 ] || inside dpkg --add-architecture "$arch"
		fetch update
		unpacked /build
		fetch install --no-install-recommends build-essential lintian "${cross[@]}"
		required
		fetch clean
	} >"$TREES/$name.log" 2>&1 || { tail -n 20 "$TREES/$name.log" >&2 && exit 1; }
	rm -rf "$tree/build"
	umount -R "$tree"/{run,dev,sys,proc}
	mv "$tree" "$TREES/$name"
}

furnished
enter "$name"
at=/build user=0
if [ -n "$again" ]; then
	export TZ=XYZ-13:30 LANG=C.UTF-8 DEB_BUILD_OPTIONS=nocheck USER=other
	at=/srv/else/where user=65534
	mkdir -p "$tree$at"
	umask 077
fi
unpacked $at
chown -R $user "$tree$at"
(umask 022 && required) >/dev/null # of these sources, should they ask for more
version=$(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' "$tree/etc/os-release")
inside setpriv --reuid $user --regid $user --clear-groups env HOME=$at \
	"$SRC/scripts/deb_build.sh" $at/out "$arch" "~deb$version" || {
	cp "$tree$at/build.log" "$TREES/$name.build.log"
	exit 1
}
mkdir -p "$out"
cp "$tree$at"/out/* "$out"
[ -n "$again" ] || inside sh -c "lintian --allow-root --fail-on error,warning -- $at/out/*.deb"
