# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the demos have in common: source this after lib.sh. A check that fails is reported, and the
# demo goes on.

ok() { echo "  OK    $*"; }
not_ok() {
	echo "  FAIL  $*"
	FAILED=1
}
title() { printf '\n\e[1m%s\e[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[01]m//g'; fi; }
shown() { # HOST WORD...: run it there, and show it; STATUS is its exit status
	echo "  $1\$ tsw ${*:2}"
	sw "$@" >$WORK/shown 2>&1
	STATUS=$?
	sed 's/^/    /' $WORK/shown
}
demo_end() {
	run_undo
	is "no namespace is left" "$(ip netns list)" ""
	echo
	[ $FAILED = 0 ] && echo "All was as it should be." || echo "Something was not: see FAIL."
	exit $FAILED
}
trap 'run_undo; exit 1' INT TERM
trap - EXIT ERR
set +e
