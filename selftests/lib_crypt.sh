# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For cases of `encrypt wireguard`: source this after lib.sh.
# shellcheck disable=SC2034 # what is set here is used there

KEYS=/var/lib/tsw
RATE=100 # datagrams a second of a stream
declare -A UP

up() { # HOST [WORD...]: with the switch's addresses
	# shellcheck disable=SC2046
	sw "$1" switch up dev eth0 $(vteps local "$1") name "$@"
	undo sw "$1" switch down
}
key() { sw "$1" -j switch show | gojq -r ".${2:-public_key}"; }
problems() { { sw "$1" -j switch check || true; } | gojq -c '[.problems[].what] | unique'; }
refused() { # DESC MESSAGE CMD...: exit status 1, and that in its message
	local status=0

	"${@:3}" >$WORK/refused 2>&1 || status=$?
	is "$1" "$status" 1
	check "$1: it says why" grep -qF "$2" $WORK/refused
}

stream() { # NAME FROM TO ADDRESS
	bg h1 "$PY" "$TOOLS/stream.py" "$2" "$3" "$4" rate=$RATE wait=10
	UP[$1]="$BG $BG_LOG"
	retry 5 grep -q ready "$BG_LOG"
}
streamed() { # NAME DESC: none is missing
	local pid=${UP[$1]% *} log=${UP[$1]#* } status=0

	kill "$pid"
	wait "$pid" || status=$?
	is "$2: nothing is lost" "$status" 0
	note "$(tail -n 1 "$log")"
}
