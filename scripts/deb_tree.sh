#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Installs the package in a fresh Debian, uses it, upgrades it with a switch up, removes and purges
# it; prints TAP.
# Usage: deb_tree.sh VERSION PACKAGE.deb       SUITE: of Debian (bookworm)
# shellcheck disable=SC2317 # functions that `check` calls

. "$(dirname "$0")/tree.sh"
. "$(dirname "$0")/tap.sh"
SUITE=${SUITE:-bookworm}
version=$1 package=$(readlink -e "$2")
bootstrap "debian-$SUITE" "$SUITE"
enter "debian-$SUITE"

same() { [ "$1" = "$2" ] || { printf '%s\n' "got:" "$1" "want:" "$2" && return 1; }; }
no() { ! "$@"; }
tsw_paths() { # what is named for the package, but for dpkg's own notes of the past
	inside find / /run -xdev \( -name '*tsw*' -o -name '*tenant-switch*' \) \
		! -path '/var/log/*' ! -path '/var/cache/*' ! -path '/mnt/*' | sort
}

# ---- install --------------------------------------------------------------------------------

fetch update
before=$(tsw_paths)
check "nothing of it is there" same "$before" ""
cp "$package" "$tree/mnt/"
deb=/mnt/${package##*/}
check "apt installs it with what it needs" fetch install --no-install-recommends "$deb"
check "tsw version" same "$(inside tsw -j version | sed 's/.*"tsw":"\([^"]*\)".*/\1/')" "$version"
fetch install --no-install-recommends man-db bash-completion iproute2 >/dev/null 2>&1
check "man tsw" grep -q 'endpoint add NAME' <(MANWIDTH=200 inside man tsw)
check "the shell completes it" same "$(inside bash -c '. /usr/share/bash-completion/bash_completion
	_completion_loader tsw; complete -p tsw' 2>&1)" "complete -F _tsw tsw"
check "nothing starts at boot" same "$(inside find /etc/systemd /etc/rc2.d -name '*tsw*')" ""
check "nor now" no grep -q tsw "$tree/run/asked"
check "all files are as they came" same "$(inside dpkg -V tenant-switch)" ""
examples=/usr/share/doc/tenant-switch/examples
check "the examples can be run" inside test -x $examples/container.sh

# ---- a switch that is up ---------------------------------------------------------------------

# In a network namespace of its own, as on a host.
inside ip netns add h1
inside ip -n h1 link add eth0 type veth peer name other
inside ip -n h1 addr add 192.0.2.1/24 dev eth0
inside ip -n h1 link set eth0 up
pins() { find "$tree/sys/fs/bpf/tsw" | sort; }
check "switch up" inside tsw -n h1 switch up dev eth0
inside tsw -n h1 tenant add red id 100
up=$(pins)

# ---- the library ------------------------------------------------------------------------------

cp "${package%/*}"/libtsw-dev_*.deb "$tree/mnt/libtsw-dev.deb"
check "apt installs the library with what it needs" \
	fetch install --no-install-recommends /mnt/libtsw-dev.deb gcc libc6-dev pkgconf
check "the example builds" inside sh -c "cc $examples/libtsw/endpoint.c -o /mnt/endpoint \
	\$(pkg-config --cflags --libs libtsw)"
inside ip -n h1 link add spare type veth peer name spare-peer
check "and adds an endpoint" inside /mnt/endpoint h1 red a 02:00:00:00:00:01 10.0.0.1 spare
check "which the command sees" inside tsw -n h1 endpoint show a
inside tsw -n h1 endpoint del a
check "the library can be purged" inside dpkg -P libtsw-dev

newer() { # the same package, as the next version
	dpkg-deb -R "$package" "$layer/next"
	sed -i "s/^Version: .*/Version: $version+next/" "$layer/next/DEBIAN/control"
	dpkg-deb --root-owner-group -b "$layer/next" "$tree/mnt/next.deb" >/dev/null
}
newer
check "upgrade" inside dpkg -i /mnt/next.deb
check "the switch has not been touched" same "$(pins)" "$up"
check "and does its work" inside tsw -n h1 tenant show red
echo '{}' | inside sh -c 'mkdir -p /etc/tsw && cat >/etc/tsw/h1.json'
inside mkdir -p /run/tsw /var/lib/tsw /var/lib/tsw-cni /var/lib/tsw-docker \
	/etc/systemd/system/multi-user.target.wants
inside touch /run/tsw/h1.agent
inside ln -s /lib/systemd/system/tsw@.service \
	/etc/systemd/system/multi-user.target.wants/tsw@h1.service
check "removing it tells that the switch stays up" \
	grep -q "the switch 'h1' stays up" <(inside dpkg -r tenant-switch 2>&1)
check "and it does" same "$(pins)" "$up"
check "the command is gone" no inside sh -c 'command -v tsw'
check "what was saved is not" inside test -s /etc/tsw/h1.json
check "purge" inside dpkg -P tenant-switch
check "nothing is left but the switch" same "$(tsw_paths)" ""
check "it can be installed again" inside dpkg -i "$deb"
check "and takes the switch down" inside tsw -n h1 switch down
check "purge again" inside dpkg -P tenant-switch
check "nothing at all is left" same "$(tsw_paths)$(pins 2>/dev/null)" ""
echo "1..$n"
exit $bad
