#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red vm 10.0.0.1, first here ─ h1 ┐
#                                    ├─ h3 ─ red p 10.0.0.3, blue p 10.0.0.3
#   red vm 10.0.0.1, then here ── h2 ┘
#
# An endpoint with two places lives at the first until it announces itself at the second. Then it
# lives there, on all hosts that know both places, without a command. Nobody else can make it move.
. "$(dirname "$0")/../../lib.sh"

topo h1 h2 h3
tenants
VM=02:00:00:00:00:01
container red vm h1 10.0.0.1/24 fd00::1/64
container red new h2 10.0.0.1/24 fd00::1/64 mac $VM endpoint off
container red q h1 10.0.0.2/24
for tenant in red blue; do container $tenant p h3 10.0.0.3/24 fd00::3/64; done
container blue vm h1 10.0.0.1/24
quiet h1 h2 h3

clean() { # DESC
	local host

	for host in h1 h2 h3; do
		is "$1: $host" "$(js $host switch check .problems)" "[]"
	done
}
place() { # HOST: of red's vm
	js "$1" endpoint show vm tenant red \
		'.[0] | [.dev, .host, .to_dev, .to_host, .moved] | map(select(. != null))'
}
echoes() { on red-"$1" nstat -asz IcmpInEchos | awk '/IcmpInEchos/ { print $2 }'; }
lives_at() { # DESC NS
	local vm new

	vm=$(echoes vm) new=$(echoes new)
	check "$1: p reaches it" reach red-p 10.0.0.1
	check "$1: q reaches it" reach red-q 10.0.0.1
	vm=$(($(echoes vm) - vm)) new=$(($(echoes new) - new))
	is "$1: of both it is the $2 one" "$((vm > 0)) $((new > 0))" \
		"$([ "$2" = vm ] && echo 1 0 || echo 0 1)"
}
# announce NS KIND: as the VM there does
RARP=0001080006040003020000000001000000000200000000010000000000
NA=(ip6 src=fd00::1 dst=ff02::1 hlim=255 / na target=fd00::1 "lladdr=$VM")
announce() {
	local frame=(eth "src=$VM" dst=ff:ff:ff:ff:ff:ff)

	case $2 in
	arp) frame+=(/ arp op=1 "sha=$VM" spa=10.0.0.1 tpa=10.0.0.1) ;;
	rarp) frame+=(type=0x8035 / hex "$RARP") ;;
	na) frame=(eth "src=$VM" dst=33:33:00:00:00:01 / "${NA[@]}" flags=0x20000000) ;;
	answer) frame=(eth "src=$VM" dst=33:33:00:00:00:01 / "${NA[@]}" flags=0x60000000) ;;
	esac
	inject "$1" eth0 "${frame[@]}"
}
told() { # all hosts of both places
	sw h2 endpoint set vm tenant red host h1 to-dev red-new
	sw h1 endpoint set vm tenant red to-host h2
	sw h3 endpoint set vm tenant red host h1 host h2
}

# ---- refused --------------------------------------------------------------------------------

before=$(sw h1 save)
code() { { sw h1 -j endpoint set vm tenant red "$@" 2>/dev/null || true; } | gojq -r .code; }
is "to a host that is not there" "$(code to-host h9)" ENOENT
is "to a device that is not there" "$(code to-dev none)" ENODEV
is "to two places" "$(code to-host h2 to-dev red-q)" EINVAL
is "three hosts" "$(code host h2 host h3 host h2)" EINVAL
is "to another's device" "$(code to-dev red-q)" EEXIST
is "to where it is" "$(code to-dev red-vm)" EINVAL
is "to the host where it is" "$(code host h2 host h2)" EINVAL
is "nothing has changed" "$(sw h1 save)" "$before"
saved_place='.tenants[] | select(.name == "red").endpoints[] | select(.name == "vm") |
	[.dev, .host, .to_dev, .to_host]'
ip -n h1 link add red-r type veth peer name red-rp
sw h1 endpoint set vm tenant red to-dev red-r
is "from a device here to another: a file has the first" \
	"$(sw h1 save | gojq -c "$saved_place")" '["red-vm","h1",null,null]'
sw h1 endpoint set vm tenant red dev red-vm
ip -n h1 link del red-r

# ---- it moves -------------------------------------------------------------------------------

lives_at "before" vm
told
is "h1 knows" "$(place h1)" '["red-vm","h2",false]'
is "h2 knows" "$(place h2)" '["h1","red-new",false]'
is "h3 knows" "$(place h3)" '["h1","h2",false]'
clean "told of both"
before=$(sw h1 save)
told
is "told again: the same" "$(sw h1 save)" "$before"
sw h1 save >$WORK/saved
sw h1 -q apply $WORK/saved
is "a state file of the same changes nothing" "$(place h1)" '["red-vm","h2",false]'
saves() { # HOST WANT
	sw "$1" save >$WORK/saved
	is "$1 saves both" "$(gojq -c "$saved_place" $WORK/saved)" "$2"
	is "$1: that is as it is" "$(js "$1" diff $WORK/saved .)" "[]"
}
saves h1 '["red-vm","h1",null,"h2"]'
saves h2 '[null,"h1","red-new","h2"]'
saves h3 '[null,"h1",null,"h2"]'
sw h2 save >$WORK/both
gojq 'del(.tenants[].endpoints[] | .to_host, .to_dev)' $WORK/both >$WORK/one
sw h2 -q apply $WORK/one
is "a file of one place ends it" "$(place h2)" '["h1"]'
sw h2 -q apply $WORK/both
is "one of both begins it again" "$(place h2)" '["h1","red-new",false]'
is "its MAC stays" "$(code mac 02:00:00:00:00:77)" EBUSY
lives_at "told of both" vm
sends() { # NS: to p
	inject "$1" eth0 eth src=$VM dst=02:00:00:00:00:03 / ip src=10.0.0.1 dst=10.0.0.3 / udp
}
expect_drops "the new one sends too early: held back" h2 1 "red not_here_yet from_endpoint" sends red-new
check "upgraded meanwhile" sw h2 switch upgrade
is "h2 still knows" "$(place h2)" '["h1","red-new",false]'
# The others cannot make it move, nor announce it.
announce red-q rarp
lives_at "a neighbour announces it" vm
announce blue-vm rarp
lives_at "blue's of the same MAC announces itself" vm

announce red-new rarp
moved() { [ "$(place "$1" | gojq -c '.[-1]')" = true ]; }
for host in h1 h2 h3; do check "$host has followed" retry 5 moved $host; done
lives_at "announced" new
check "blue's is where it was" reach blue-p 10.0.0.1
expect_drops "the old one sends nothing more" h1 1 "red not_here_yet from_endpoint" sends red-vm
announce red-vm arp
lives_at "nor brings itself back" new
clean "moved"
told
lives_at "told again, it stays where it has come to" new
# Back and here again by IPv6 alone, and by ARP alone.
by() { # KIND FROM NS TO: from that host to NS on another
	sw "$2" endpoint set vm tenant red dev "red-$([ "$3" = vm ] && echo new || echo vm)" to-host "$4"
	sw "$4" endpoint set vm tenant red host "$2" to-dev red-"$3"
	sw h3 endpoint set vm tenant red host "$2" host "$4"
	announce red-"$3" answer
	is "$1: an answer to a question announces nothing" "$(place h3)" "[\"$2\",\"$4\",false]"
	announce red-"$3" "$1"
	for host in h1 h2 h3; do check "$1: $host has followed" retry 5 moved $host; done
	lives_at "$1" "$3"
	check "$1: p reaches it by IPv6" reach red-p fd00::1
}
by na h2 vm h1
by arp h1 new h2
told
ip -n h1 link del red-vm
is "the old device goes: nothing to collect" "$(js h1 switch gc .removed)" "[]"
clean "without the old device"

# ---- settled, and back ----------------------------------------------------------------------

sw h1 endpoint set vm tenant red host h2
sw h2 endpoint set vm tenant red dev red-new
sw h3 endpoint set vm tenant red host h2
is "one place again" "$(place h1) $(place h2) $(place h3)" '["h2"] ["red-new"] ["h2"]'
clean "settled"
check "and reached" reach red-p 10.0.0.1

sw h2 endpoint set vm tenant red to-host h3
is "about to move" "$(place h2)" '["red-new","h3",false]'
sw h2 endpoint set vm tenant red dev red-new
is "a migration that failed: back to one place" "$(place h2)" '["red-new"]'
check "and reached" reach red-p 10.0.0.1
ip -n h2 link add late type veth peer name late1
sw h3 endpoint set vm tenant red host h2
sw h2 endpoint set vm tenant red to-dev late
clean "to another device here"
sw h2 save >$WORK/saved
gojq '(.tenants[].endpoints[] | select(.dev == "red-new")).rate_out = 1000000' $WORK/saved >$WORK/rate
sw h2 -q apply $WORK/rate
is "no file tells that, nor does one end it" "$(place h2)" '["red-new","late",false]'
ip -n h2 link del late
is "that is gone: check says so" \
	"$({ sw h2 -j switch check || true; } | gojq -r '.problems[] | .object + ": " + .detail')" \
	"red/vm: the device to which it moves is gone: set its place with dev or host"
check "it is where it was" reach red-p 10.0.0.1
sw h2 endpoint set vm tenant red dev red-new
clean "told"
sw h2 endpoint set vm tenant red to-host h3
sw h2 endpoint del vm tenant red
clean "deleted while it moves"
is "nothing is left of it" "$(map_dump h2 moves)" "[]"
finish
