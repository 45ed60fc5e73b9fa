#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Usage: install.sh install|uninstall   what `make install` and `make uninstall` do
# Installs what was built and builds nothing. Where to: the Makefile's variables, by environment:
# DESTDIR, bindir, sbindir, libdir, includedir, libexecdir, mandir, docdir, completionsdir, unitdir,
# CNIDIR. PURGE=yes: uninstall also removes what tsw keeps in /etc/tsw, /run/tsw and /var/lib.

set -eu
cd "$(dirname "$0")/.." || exit 1
B=${BUILD:-build}
: "${bindir:?}" "${sbindir:?}" "${libexecdir:?}" "${libdir:?}" "${includedir:?}" "${mandir:?}" "${docdir:?}" "${completionsdir:?}" "${unitdir:?}" "${CNIDIR:?}"

# MODE SOURCE TARGET, one a line; with "link" for MODE the SOURCE is a TARGET, too. Programs are
# copied; what is read has the paths of this installation written into it.
list() {
	local f

	echo "755 $B/tsw $sbindir/tsw"
	echo "755 $B/tsw-cni $CNIDIR/tsw-cni"
	echo "755 $B/tsw-docker $libexecdir/tsw/tsw-docker"
	echo "644 $B/tsw.8 $mandir/man8/tsw.8"
	echo "644 $B/tsw-cni.8 $mandir/man8/tsw-cni.8"
	echo "644 $B/tsw-docker.8 $mandir/man8/tsw-docker.8"
	echo "644 $B/tsw-migrate.8 $mandir/man8/tsw-migrate.8"
	echo "644 $B/tsw.bash $completionsdir/tsw"
	echo "644 $B/libtsw.a $libdir/libtsw.a"
	echo "644 user/lib/libtsw.pc.in $libdir/pkgconfig/libtsw.pc"
	for f in include/tsw/*.h include/tsw/LICENSE; do
		echo "644 $f $includedir/tsw/${f##*/}"
	done
	find README.md CHANGELOG.md SECURITY.md docs -type f | sort | while read -r f; do
		echo "644 $f $docdir/${f#docs/}"
	done
	for f in contrib/systemd/*; do
		case $f in
		*'*') ;;
		*.service | *.socket | *.timer) echo "644 $f $unitdir/${f##*/}" ;;
		*) echo "755 $f $libexecdir/tsw/${f##*/}" ;; # what the services call
		esac
	done
	# Where other programs of the host look for what concerns them.
	echo "644 contrib/networkd/05-tsw.network $libexecdir/systemd/network/05-tsw.network"
	echo "644 contrib/NetworkManager/tsw.conf $libexecdir/NetworkManager/conf.d/tsw.conf"
	for f in contrib/migrate/*; do
		case $f in
		*'*') ;;
		*.*) echo "644 $f $libexecdir/tsw/migrate/${f##*/}" ;; # what the program is made of
		*) echo "755 $f $libexecdir/tsw/migrate/${f##*/}" ;;
		esac
	done
	echo "link $libexecdir/tsw/migrate/tsw-migrate $bindir/tsw-migrate"
	find examples contrib -type f ! -path 'contrib/systemd/*' ! -path 'contrib/migrate/*' \
		-printf '%m %p\n' 2>/dev/null |
		sort -k 2 | while read -r mode f; do
		case $mode in *[1357]*) mode=755 ;; *) mode=644 ;; esac
		echo "$mode $f $docdir/$f"
	done
}

with_paths() {
	sed "s|/usr/sbin/tsw\>|$sbindir/tsw|g; s|/usr/lib/tsw/|$libexecdir/tsw/|g
		s|/usr/lib/cni/tsw|$CNIDIR/tsw|g; s|CNI_PATH=/usr/lib/cni|CNI_PATH=$CNIDIR|g
		s|/usr/share/doc/tenant-switch|$docdir|g
		s|@includedir@|$includedir|; s|@libdir@|$libdir|; s|@version@|$(<VERSION)|"
}

put() { # MODE SOURCE TARGET
	local to=${DESTDIR:-}$3

	if [ "$1" = link ]; then
		[ -d "${to%/*}" ] || install -d -m 755 "${to%/*}"
		ln -srf "${DESTDIR:-}$2" "$to"
		return
	fi
	case $2 in
	"$B"/tsw | "$B"/tsw-cni | "$B"/tsw-docker | "$B"/libtsw.a) install -D -m "$1" "$2" "$to" ;;
	*) with_paths <"$2" | install -D -m "$1" /dev/stdin "$to" ;;
	esac
}

take() { # MODE SOURCE TARGET
	rm -f "${DESTDIR:-}$3"
}

case ${1:-} in
install) step=put ;;
uninstall) step=take ;;
*) sed -n '3,6s/^# //p' "$0" >&2 && exit 2 ;;
esac
list | while read -r mode source target; do
	$step "$mode" "$source" "$target"
done
# These directories are ours alone; all others may have been there before.
[ "$step" = take ] || exit 0
[ "${PURGE:-}" != yes ] || [ -n "${DESTDIR:-}" ] || sh debian/tenant-switch.postrm purge
for ours in "$docdir" "$libexecdir/tsw" "$includedir/tsw"; do
	find "${DESTDIR:-}$ours" -depth -type d -empty -delete 2>/dev/null || true
done
