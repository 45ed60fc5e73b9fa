#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A `show` command runs again and again, and each time another of its map look-ups fails. With -j
# the output is one JSON document each time, and the error is in it.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

topo_hosts h1
outside h1
switch_up h1
tenants red 100 blue 200
populate h1 red-a blue-a
sw h1 -q -b - <<-END
	gateway add red ip 10.0.0.254/24
	gateway add blue ip 10.1.0.254/24
	publish add red proto tcp port 80 to 10.0.0.1:80
	publish add red proto tcp port 81 to 10.0.0.1:80
	peer add red with blue
	peer add blue with red
END

# show N WORD...: with its Nth bpf() failing; from the one on that nobody asks for all is well.
show() {
	on h1 strace -qq -o /dev/null -e trace=bpf -e "inject=bpf:error=EIO:when=$1" \
		"$TSW" -n h1 -j "${@:2}" 2>/dev/null
}
calls() { # WORD...
	on h1 strace -qq -e trace=bpf "$TSW" -n h1 -j "$@" 2>&1 >/dev/null | grep -c '^bpf('
}

broken=0
for words in 'tenant show' '-s tenant show' '-s host show' '-s endpoint show' 'gateway show' \
	'publish show' 'peer show' 'stats show'; do
	wrong=() n=$(calls $words) # the maps are opened first; what fails there was before any list
	for ((i = n - 12; i <= n; i++)); do
		out=$(show $i $words) && continue # it did without
		case $(jq -cs '[length, (.[0] | type), (.[0] | arrays[-1] // . | .code)]' <<<"$out") in
		'[1,"object","EIO"]') ;;
		'[1,"array","EIO"]') broken=$((broken + 1)) ;;
		*) wrong+=("$i: $out") ;;
		esac
	done
	is "$words: JSON, whichever of its last calls fails" "${wrong[*]-}" ""
done
check "lists were broken off: $broken" test $broken -ge 8

# libnftables ends the process where it gets no socket: the command itself says so, before.
status=0
out=$(on h1 strace -qq -o /dev/null -e trace=socket -e inject=socket:error=EMFILE:when=1+ \
	"$TSW" -n h1 -j peer del red with blue 2>/dev/null) || status=$?
is "without a socket for nftables: the command's own error" \
	"$status $(jq -rs 'if length == 1 then .[0].error else "no" end' <<<"$out" |
		grep -o 'start libnftables')" "1 start libnftables"
check "and with one it is done" sw h1 peer del red with blue
finish
