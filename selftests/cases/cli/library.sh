#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a blue-a 10.0.0.1 ─┐
#   red-b blue-b 10.0.0.2 ─┴ h1 192.0.2.1 ──────── 192.0.2.2 h2 ─ 10.0.0.3 red-c blue-c
#
# libtsw: a program that has only the headers and the library makes, by two threads, what the
# command makes. What it may not do is refused in the command's words. The library prints nothing
# and exports nothing else.
. "$(dirname "$0")/../../lib.sh"

B=${BUILD:-$ROOT/build}
LIBRARY=$B/library

# says WORD...: each of its lines is a point.
says() {
	local word rest

	while read -r word rest; do
		check "$rest" test "$word" = ok
	done < <("$LIBRARY" "$@" 2>&1 || echo "no $* ends with $?")
}

topo_hosts h1 h2
populate bare h1 red-a red-b blue-a blue-b h2 red-c blue-c

# ---- two switches, by two threads of one process ------------------------------------------------

undo sw h1 switch down
undo sw h2 switch down
says make h1 "${VTEP[h1]}" h2 "${VTEP[h2]}"
for tenant in red blue; do
	check "$tenant: a reaches b" reach $tenant-a 10.0.0.2
	check "$tenant: a reaches c" reach $tenant-a 10.0.0.3
done
is "nothing is wrong on h1" "$(js h1 switch check '[.ok, .problems]')" '[true,[]]'
is "nor on h2" "$(js h2 switch check '[.ok, .problems]')" '[true,[]]'
by_library=$(sw h1 save)

says refuse h1
is "what was refused changed nothing" "$(sw h1 save)" "$by_library"
says state h1
says lock h1
events() {
	local lines

	lines=$("$LIBRARY" watch h1 & while kill -0 $! 2>/dev/null; do reach red-a 10.0.0.3; done)
	[ "$(grep -c '"tenant":"red"' <<<"$lines")" = 3 ] && grep -q '^ok three events' <<<"$lines"
}
check "three events of red are told" events
sysctl_in h1 net.ipv6.conf.eth0.disable_ipv6=0
ip -n h1 addr add 2001:db8::1/64 dev eth0 nodad
sw h1 switch set local "${VTEP[h1]}" local 2001:db8::1
LIBRARY=$B/library_wider says h1
sw h1 switch set local "${VTEP[h1]}"
says down h1 "${VTEP[h1]}" h2 "${VTEP[h2]}"
is "nothing is left" "$(find /sys/fs/bpf/tsw -maxdepth 1 -name "h[12]" 2>/dev/null || true)" ""

# ---- the same by commands -----------------------------------------------------------------------

switch_up
sw_all tenant add red id 100 rate-in 900mbit
sw_all tenant add blue id 200 rate-in 900mbit
for tenant in red blue; do
	for n in 1 2 3; do
		name=$(printf '%x' $((9 + n)))
		endpoint_add $tenant "$name" h$((n / 3 + 1)) 02:00:00:00:00:0$n 10.0.0.$n
	done
done
sw h1 gateway add red ip 10.0.0.254/24
sw h1 publish add red proto tcp port 5080 to 10.0.0.1:80
is "the command makes what the library made" "$(sw h1 save)" "$by_library"

# ---- the library as it is installed -------------------------------------------------------------

dest=$WORK/usr
make -s -C "$ROOT" BUILD="$B" install prefix="$dest" unitdir="$dest/units"
export PKG_CONFIG_PATH=$dest/lib/pkgconfig
# shellcheck disable=SC2046
check "the example builds by what pkg-config says" \
	cc -Wall -Wextra -Werror "$ROOT/examples/libtsw/endpoint.c" -o $WORK/endpoint \
	$(pkg-config --cflags --libs libtsw)
is "its version is the command's" "$(pkg-config --modversion libtsw)" "$(<"$ROOT/VERSION")"
for header in "$dest"/include/tsw/*.h; do
	check "${header##*/} is complete" \
		cc -Wall -Wextra -Werror -fsyntax-only -x c -I"$dest/include" "$header"
	check "${header##*/} is good for C++" \
		clang -Wall -Wextra -Werror -fsyntax-only -x c++ -I"$dest/include" "$header"
done
ip -n h1 link add spare type veth peer name spare-peer
ip -n h1 link set spare up
example() { $WORK/endpoint h1 "$@" 2>$WORK/said; }
is "it adds an endpoint and prints counters" \
	"$(example red d 02:00:00:00:00:04 10.0.0.4 spare | cut -d, -f1)" "red: local 0"
is "which is there" "$(js h1 endpoint show d '.[0] | [.tenant, .mac, .ip, .dev]')" \
	'["red","02:00:00:00:00:04",["10.0.0.4"],"spare"]'
# refuses STATUS SAID WORD...: SAID begins the message, and nothing is printed elsewhere.
refuses() {
	local status=$1 said=$2 got=0 out

	shift 2
	out=$(example "$@") || got=$?
	out=$got:$out:$(<$WORK/said)
	is "$*: refused" "${out::${#status}+${#said}+2}" "$status::$said"
}
refuses 2 "$WORK/endpoint: \"02:00\" is not a MAC like" red d 02:00 10.0.0.4 spare
refuses 1 "$WORK/endpoint: there is no tenant \"green\"" green d 02:00:00:00:00:04 10.0.0.4 spare
refuses 1 "$WORK/endpoint: there is no device \"none\"" red d 02:00:00:00:00:04 10.0.0.4 none

# ---- what it exports ----------------------------------------------------------------------------

exported=$(nm -g --defined-only "$dest/lib/libtsw.a" | awk 'NF == 3 { print $3 }' | sort)
declared=$(cat "$dest"/include/tsw/{switch,object,state,watch}.h |
	grep -oE '\btsw_[a-z_]+\(' | tr -d '(' | sort -u)
is "it exports what its headers declare, and nothing else" "$exported" "$declared"
finish
