# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Who watches frames: `monitor` and `capture`. Source this after lib.sh.

# Slots' bits that are on: frames, drops.
watched() { map_dump "$1" watch | gojq -r '[.[0].value[0, 4] | ltrimstr("0x")] | join(",")'; } # HOST
# shellcheck disable=SC2053 # a pattern
is_watched() { [[ $(watched "$1") = $2 ]]; } # HOST BITS

# watcher NAME HOST BITS WORD...: `tsw -j` in the background; returns when the bits are on. Lines go
# to $WORK/NAME.log.
watcher() {
	bg "$2" "$TSW" -i "$2" -j "${@:4}"
	declare -g "PID_$1=$BG"
	ln -sf "$BG_LOG" "$WORK/$1.log"
	retry 5 is_watched "$2" "$3"
}
pid() { eval "echo \$PID_$1"; } # NAME

# ends DESC NAME SIGNAL STATUS: so it ends by that signal.
ends() {
	local status=0

	kill -"$3" "$(pid "$2")"
	wait "$(pid "$2")" 2>/dev/null || status=$?
	is "$1" $status "$4"
}
