#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_command and unit_parse have bad words; cli/bad-files and cli/bad-names the rest
#
#   red-a 10.0.0.1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2     (h2 has no switch at first)
#
# Bad input gets one clear line that quotes it, exit status 1 or 2, JSON with -j, and has
# changed nothing. One word of each kind: tests/unit_parse.c, unit_command.c and unit_refused.c have
# the others.
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
switch_up h1
sw h1 tenant add red id 100
sw h1 tenant add blue id 200
container red a h1 10.0.0.1/24 endpoint off
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 dev red-a
sw h1 endpoint add far tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 host h2
ip -n h1 link add spare type veth peer name spare1
ip -n h2 link add other type veth peer name other1
state() {
	sw "${1:-h1}" -j switch show | gojq -c 'del(.map_bytes)'
	for object in tenant host endpoint; do sw "${1:-h1}" -j $object show; done
	on "${1:-h1}" bpftool net show 2>/dev/null | grep -v '^$'
}
before=$(state)

# refused STATUS QUOTE WORD...: what is wrong with how tsw refuses these words on h1.
refused() {
	local want=$1 quote=$2 status=0 wrong=()

	shift 2
	sw h1 "$@" >$WORK/out 2>$WORK/err || status=$?
	[[ $status =~ ^$want$ ]] || wrong+=("exit status $status, not $want")
	grep -qF -- "$quote" $WORK/err || wrong+=("the message does not quote <$quote>")
	[ "$(grep -c . $WORK/err)" = 1 ] || wrong+=("the message is not one line")
	[ ! -s $WORK/out ] || wrong+=("something is on stdout")
	sw h1 -j "$@" >$WORK/out 2>/dev/null || true
	gojq -e '.error and .code' $WORK/out >/dev/null 2>&1 || wrong+=("-j gives no error in JSON")
	[ "$(state)" = "$before" ] || wrong+=("the state has changed")
	is "refused: tsw ${*@Q}" "$(printf '%s\n' ${wrong[@]+"${wrong[@]}"} \
		${wrong[0]:+"$(<$WORK/err)"})" ""
}

refused 2 '' tenant add $'a\033[1mb' id 5
refused 2 a/b host add a/b ip 192.0.2.77
refused 2 'a b' endpoint add 'a b' tenant red mac 02:00:00:00:00:07 host h2

refused 2 0x10 tenant add green id 0x10
refused 1 100 tenant add green id 100
refused 1 red tenant add red id 101
refused 1 red tenant del red
refused 1 nobody tenant del nobody
refused 1 nobody tenant set nobody mtu 1400
refused 1 1451 tenant add green id 5 mtu 1451
refused 1 1459 tenant add green id 5 encap gre mtu 1459
refused 2 16777216 tenant set red id 16777216
sw h1 tenant add green id 4294967295 encap gre mtu 1458
before=$(state)
refused 1 4294967295 tenant set green encap vxlan mtu 0
refused 1 1458 tenant set green encap vxlan id 5
sw h1 tenant del green
before=$(state)

endpoint=(endpoint add b tenant red)
refused 2 01:00:5e:00:00:01 "${endpoint[@]}" mac 01:00:5e:00:00:01 host h2
refused 1 02:00:00:00:00:01 "${endpoint[@]}" mac 02:00:00:00:00:01 host h2
b=("${endpoint[@]}" mac 02:00:00:00:00:02)
refused 2 10.0.0.2/24 "${b[@]}" ip 10.0.0.2/24 host h2
refused 1 10.0.0.1 "${b[@]}" ip 10.0.0.1 host h2
refused 1 fd00::1 "${b[@]}" ip 10.0.0.2 ip FD00:0::1 host h2
refused 1 a endpoint add a tenant red mac 02:00:00:00:00:08 host h2
for dev in nodev lo eth0 red-a spare1234567890123 '' tsw-vx; do
	refused '[12]' "$dev" "${b[@]}" dev "$dev"
done
refused 1 other "${b[@]}" dev other # it is in another namespace
refused 1 nobody endpoint add b tenant nobody mac 02:00:00:00:00:02 host h2
refused 1 h9 "${b[@]}" host h9
refused 1 nobody endpoint del nobody tenant red
refused 1 nobody endpoint set nobody tenant red host h2
refused 1 h2 host add h2 ip 192.0.2.22
refused 1 192.0.2.2 host add h3 ip 192.0.2.2
refused 1 192.0.2.1 host add h3 ip 192.0.2.1
refused 1 h2 host del h2 # an endpoint lives there
refused 2 224.0.0.5 host add h3 ip 224.0.0.5
for object in 'host add h3' 'host replace h3' 'host set h2'; do
	# shellcheck disable=SC2086 # several words
	{
		refused 1 fd01::3 $object ip fd01::3 # no IPv6 here
		refused 1 192.0.2.1 $object ip fd01::3 ip 192.0.2.1
	}
done

# The underlay of a switch that is up, and of one that is to be. spare has an address; under0 is
# another name of eth0.
ip -n h1 link property add dev eth0 altname under0
ip -n h1 addr add 198.51.100.1/24 dev spare
for verb in 'switch set' '-i three switch up'; do
	# shellcheck disable=SC2086 # several words
	{
		refused 1 nodev $verb dev spare dev nodev
		refused 1 192.0.2.99 $verb dev spare local 192.0.2.99
		refused 1 fd01::99 $verb dev spare local fd01::99
	}
	for dev in lo red-a tsw-vx other; do
		# shellcheck disable=SC2086
		refused 1 $dev $verb dev spare dev $dev local 198.51.100.1
	done
done
refused 1 under0 switch set dev eth0 dev under0
refused 1 eth0 -i three switch up dev eth0
refused 1 192.0.2.2 switch set local 192.0.2.2 # it is h2's
refused 1 nothing -i nothing switch set xdp off
ip -n h1 link property del dev eth0 altname under0

refused 2 sw1tch sw1tch show
refused 2 '../x' -i ../x switch show
refused 1 nowhere -n nowhere switch show
refused 1 nothing -i nothing switch show
refused 1 '-i nothing switch up' -i nothing tenant show
refused 2 -h host add h3 ip -h
refused 2 --he --he
refused 2 --version=3 --version=3
refused 2 -x -x tenant show
is "an option's error is told in JSON, too, with -j behind it" \
	"$({ sw h1 -x -j tenant show 2>/dev/null || true; } | gojq -r .code)" EINVAL

# Another switch, or the same from another namespace.
on h1 ip link add second type veth peer name second1
on h1 ip addr add 192.0.3.1/24 dev second
sw h1 -i two switch up dev second name two 2>/dev/null
sw h1 -i two tenant add blue id 200
before=$(state)
for dev in red-a eth0 tsw-vx; do
	check_fails "$dev, the other switch's, becomes no endpoint" sw h1 -i two endpoint add x \
		tenant blue mac 02:00:00:00:00:09 dev $dev 2>/dev/null
	check_fails "and no underlay" sw h1 -i three switch up dev $dev local 192.0.3.1 2>/dev/null
done
sw h1 -i two switch down
on h1 ip link del second
before=$(state)
for words in "endpoint del a" "endpoint set a mac 02:00:00:00:00:0b" "tenant add green id 5" \
	"switch down"; do
	# shellcheck disable=SC2086 # several words
	check_fails "not from another namespace: $words" sw h2 -i h1 $words 2>/dev/null
done
is "and nothing has changed" "$(state)" "$before"
check "help is no error" sw h1 help

# What the options that only print do.
is "-p is the same JSON, in lines" "$(sw h1 -p tenant show | jq -c .)" "$(sw h1 -j tenant show)"
check "and more than one of them" test "$(sw h1 -p tenant show | wc -l)" -gt 4
is "-v tells what is done" "$(sw h1 -v endpoint set a dev spare 2>&1 >/dev/null |
	grep -oE 'attached tsw_[a-z_]+' | sort | paste -sd' ')" \
	"attached tsw_from_port attached tsw_to_port"
is "without it nothing is told" "$(sw h1 endpoint set a dev red-a 2>&1)" ""
sw h2 -vv switch up dev eth0 local 192.0.2.2 >$WORK/out 2>&1
check "-vv has libbpf's words, too" grep -q libbpf $WORK/out
sw h2 switch down
on h2 ip link add held type vxlan id 5 dstport 4789
ip -n h2 link set held up
is "a note, and none with -q" "$(for quiet in '' -q; do
	# shellcheck disable=SC2086 # none, or one
	sw h2 $quiet switch up dev eth0 local 192.0.2.2 2>&1 | grep -c . || true
	sw h2 switch down
done | paste -sd' ')" "1 0"
ip -n h2 link del held
is "version, in JSON" "$(js h1 version '.kernel, .abi')" \
	"$(uname -r)"$'\n'"$(sed -nE 's/^#define TSW_ABI_VERSION +//p' "$ROOT/include/tsw/abi.h")"
is "-V and --version say the same" "$(sw h1 -V; sw h1 --version)" "$(sw h1 version; sw h1 version)"
is "features are what up chose by" "$(sw h1 -j features | gojq -r \
	'.supported, .bpffs, if .tcx then "tcx" else "clsact" end')" \
	$'true\ntrue\n'"$(js h1 switch show .attach)"
# What cannot be written is told, once.
unwritten() { # SHELL-WORDS
	local status=0

	eval "$1" 2>$WORK/err || status=$?
	echo "$status $(wc -l <$WORK/err)" \
		"$(grep -o 'cannot write the output: .*' $WORK/err || true)"
}
is "a full disk" "$(unwritten 'sw h1 save >/dev/full')" \
	"1 1 cannot write the output: No space left on device"
for what in save metrics 'tenant show' '-j switch show'; do
	is "standard output is closed: $what" "$(unwritten "sw h1 $what >&-")" \
		"1 1 cannot write the output: Bad file descriptor"
done
is "all three are closed" "$(unwritten "sw h1 tenant show <&- >&- 2>&-")" "1 0 "
is "what prints nothing needs none" "$(unwritten "sw h1 tenant set red mtu 1400 <&- >&- 2>&-")" \
	"0 0 "
sw h1 tenant set red mtu 0
is "the switch still forwards" "$(state)" "$before"

. "$(dirname "$0")/../../cli_machine.sh"
finish
