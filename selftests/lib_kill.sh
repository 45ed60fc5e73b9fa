#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the cases that kill commands at their system calls. Source it after lib.sh.
# shellcheck disable=SC2034 # what is set here is used there

KILLAT=${BUILD:-$ROOT/build}/killat
[ -x "$KILLAT" ] || { echo "# $KILLAT is missing: run 'make tests' first" && exit 1; }
KILLS=0 # how many were killed

# killed N WORD...: `tsw` with these words on h1, killed at its Nth call that can change anything.
# Where up to the next such call only it would know, it is killed there: $AT is where. Fails where
# it ends before. killed_via N CMD...: the same of CMD, which runs what it runs by VIA.
killed() { is_killed "$KILLAT" "$1" "$TSW" -q -n h1 "${@:2}"; }
killed_via() { VIA="$KILLAT $1" is_killed "${@:2}"; }
is_killed() {
	local status=0

	AT=$("$@" 2>/dev/null) || status=$?
	[ $status = 0 ] || [ $status = 3 ] || not_ok "killat ends with status $status"
	[ $status = 0 ] && KILLS=$((KILLS + 1))
}

# tried WHAT CMD...: adds to `wrong` what CMD says where it fails.
tried() { "${@:2}" >$WORK/said 2>&1 || wrong+=("$1: $(<$WORK/said)"); }

# every K STEP: prints K times STEP; but 1, which means each call, stays 1.
every() { echo $(($1 * ($2 - 1) + 1)); }
