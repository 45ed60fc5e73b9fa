#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For cases with other managers of a host's network, as Debian packages them. Source it after
# lib.sh. deps.sh unpacks them into build/tools/managers; here they are at their own places, for
# this case alone. What they write is in memory.

# managers [WHAT COMMAND...]: the whole case is one skip without these.
managers() {
	local tree=${BUILD:-$ROOT/build}/tools/managers at

	for at in usr etc var; do
		mkdir -p $WORK/layer/$at $WORK/layer/work-$at
		[ ! -d "$tree/$at" ] || mount -t overlay -o \
			"lowerdir=$tree/$at:/$at,upperdir=$WORK/layer/$at,workdir=$WORK/layer/work-$at" \
			overlay /$at
	done
	[ $# = 0 ] || needs "$@"
}

# bus: a system bus of the case's own, which starts polkitd where somebody asks for it.
bus() {
	mkdir -p /run/dbus
	dbus-daemon --system --nofork --nopidfile &
	undo kill $!
	retry 10 test -S /run/dbus/system_bus_socket
}
