#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a, red-b, blue-a, blue-b ─ h1 ═══ h2 ─ red-c, blue-c      far: a namespace of nobody's
#
# Devices vanish, move, are renamed, or come back as others. What still forwards, what `switch
# check` says, and which command mends it. Both tenants have the same addresses. Red's pings are
# never heard in blue, nor by a new device that has the number of one that is gone.
. "$(dirname "$0")/../../lib.sh"
# shellcheck source-path=SCRIPTDIR/..
. "$LIB/lib_faults.sh"
. "$LIB/lib_kill.sh"

topo_standard
listen blue-a blue-b blue-c
# With tcx a link knows its device.
tcx=$(sw h1 -j switch show | gojq '.attach == "tcx"')

new_b() { # [INDEX]: red-b's veth anew
	ip -n h1 link add red-b ${1:+index $1} type veth peer name eth0 \
		address 02:00:00:00:00:02 netns red-b
	ip -n h1 link set red-b up
	container_net red-b off 10.0.0.2/24
}
again_b() { # the endpoint with that device
	sw h1 endpoint replace b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 dev red-b
}
finds "nothing is wrong at first" h1
is "JSON" "$(sw h1 -j switch check)" '{"ok":true,"problems":[],"warnings":[]}'

warned() { sw h1 -j switch check | jq -r '.warnings[] | "\(.what) \(.object)"' | sort | paste -sd ,; }
mtu=$(ip -n h1 -j link show red-b | gojq '.[0].mtu')
ip -n h1 link set red-b mtu 1400
is "a port with another MTU than its tenant" "$(warned)" "port_mtu red-b"
ip -n h1 link set red-b mtu "$mtu"
ip -n red-b link set eth0 mtu 9000
is "a container's end that is wider than the device" "$(warned)" \
	"container_mtu red-b,port_mtu red-b"
# The container names its end: what is told of it cannot write to the operator's terminal.
ip -n red-b link set eth0 down
ip -n red-b link set eth0 name $'e\e[31m'
ip -n red-b link set $'e\e[31m' up
is "  whatever its name is, it is told escaped" "$(sw h1 switch check |
	tee $WORK/told | grep -c 'x1b\[31m') $(grep -c $'\e' $WORK/told)" "1 0"
ip -n red-b link set $'e\e[31m' down
ip -n red-b link set $'e\e[31m' name eth0 mtu 1450
ip -n red-b link set eth0 down
is "a port whose other end is down" "$(warned)" "port_down red-b"
ip -n red-b link set eth0 up
is "its IPv6 address is lost then" "$(warned)" "container_address red-b"
ip -n red-b addr add fd00::2/64 dev eth0 nodad
ip -n h1 link set red-b down
is "a port that is down itself" "$(warned)" "port_down red-b"
ip -n h1 link set red-b up
retry 5 test -z "$(warned)" || true
is "and none of it is left" "$(warned)" ""
is "repair tells that nothing is wrong" "$(sw h1 switch repair 2>&1)" \
	"tsw: nothing is wrong with the switch now"
is "an option behind the command" "$(sw h1 switch repair -q 2>&1)" ""

# ---- a device that is gone -------------------------------------------------------------

n=$(port h1 red-b)
ip -n h1 link del red-b
finds "a deleted veth" h1 "orphan_endpoint red/b"
is "in the words of the contract" "$(sw h1 -j switch check || true)" \
	'{"ok":false,"problems":[{"what":"orphan_endpoint","object":"red/b",'\
'"detail":"device '"$n"' is gone"}],"warnings":[]}'
check "the others go on" loud red-a 10.0.0.3
check "nobody answers for it" no_loud red-a 10.0.0.2
is "endpoint show tells" "$(sw h1 -j endpoint show b tenant red |
	gojq -c '.[0] | [.dev, .attached]')" '[null,false]'
says "a change of it" 'the device of endpoint "b" is gone: give dev or host' \
	sw h1 endpoint set b tenant red ip 10.0.0.22
is "gc would delete it" "$(sw h1 -j switch gc dry-run on | jq -c '[.dry_run, .removed[].object]')" \
	'[true,"red/b"]'
finds "and has not" h1 "orphan_endpoint red/b"
is "gc tells what it does" "$(sw h1 -j switch gc | gojq -c '[.dry_run, .removed[].object]')" \
	'[false,"red/b"]'
finds "gc is the way back" h1
is "gc again has nothing to do" "$(sw h1 -j switch gc)" \
	'{"dry_run":false,"removed":[],"swept":0}'
new_b
check "and b can be added again" sw h1 endpoint add b tenant red mac 02:00:00:00:00:02 \
	ip 10.0.0.2 dev red-b
check "b is there again" loud red-a 10.0.0.2

# ---- its container's namespace is gone ---------------------------------------------------

ip netns del red-b
gone() { ! ip -n h1 link show red-b; }
retry 5 gone
finds "a vanished container" h1 "orphan_endpoint red/b"
ip netns add red-b
new_b
finds "a device of the same name is not the same" h1 "orphan_endpoint red/b"
check "nor gets its frames" no_loud red-a 10.0.0.2
again_b
finds "endpoint replace is the way back" h1
check "b is there again" loud red-a 10.0.0.2

# ---- another name -----------------------------------------------------------------------

ip -n h1 link set red-b down
ip -n h1 link set red-b name other up
finds "a renamed device is no fault" h1
check "frames pass" loud red-a 10.0.0.2
is "it is shown by its name" "$(sw h1 -j endpoint show b tenant red | gojq -r '.[0].dev')" other
ip -n h1 link set other down
ip -n h1 link set other name red-b up

# ---- in another namespace ------------------------------------------------------------------

# There it gets the number that blue-b has here, and the number of blue-a is a veth of `victim`.
# The MACs of both tenants are the same: all that a program could look at is right.
netns far
netns victim
is_number() { ip -n "$1" -o link | grep "^$2: " >/dev/null; } # NS N: of a device there
wanted=$(port h1 blue-b) victim=$(port h1 blue-a)
for i in {2..20}; do # all but these two are taken there, some by tunnels that the kernel makes
	[ $i = "$victim" ] || [ $i = "$wanted" ] || is_number far $i ||
		ip -n far link add "f$i" index $i type bridge
done
ip -n far link add f index "$victim" type veth peer name eth0 address 02:00:00:00:00:01 netns victim
ip -n far link set f up
ip -n victim addr add 10.0.0.1/24 dev eth0
ip -n victim link set eth0 up
listen victim
ip -n h1 link set red-b netns far
ip -n far link set red-b up
is "it has that number" "$(port far red-b)" "$wanted"
ip -n red-b neigh replace 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth0 nud permanent
finds "a device that was moved away" h1 "orphan_endpoint red/b"
retry 5 carrier red-b eth0
check "it reaches nobody" no_loud red-b 10.0.0.1
ping_victim() { on far ping -n -c 1 -W 1 -s $LOUD -I f 10.0.0.1; } # the barrier
ip -n far addr add 10.0.0.77/24 dev f
retry 5 ping_victim
is "victim has heard the barrier alone" \
	"$(captured_text loud-victim | grep -vc '10.0.0.77 > ' || true)" 0
ip -n far link set red-b netns h1
ip -n h1 link set red-b up
finds "back again it is not ours any more" h1 "orphan_endpoint red/b"
again_b
ip -n red-b neigh flush dev eth0 nud permanent
finds "endpoint replace is the way back" h1
check "b is there again" loud red-a 10.0.0.2

# ---- its number is another's ---------------------------------------------------------------

n=$(port h1 red-b)
ip -n h1 link del red-b
netns thief
ip -n h1 link add thief index "$n" type veth peer name eth0 address 02:00:00:00:00:02 netns thief
ip -n h1 link set thief up
ip -n thief addr add 10.0.0.2/24 dev eth0
ip -n thief link set eth0 up
retry 5 carrier thief eth0
listen thief
finds "a number that was given out anew" h1 "orphan_endpoint red/b"
is "says whose it is" "$(details h1)" "device $n is gone, and \"thief\" has its number"
ip -n red-a neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev eth0 nud permanent
check "the new one gets nothing" no_loud red-a 10.0.0.2
ip -n thief neigh replace 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth0 nud permanent
listen red-a
check "and reaches nobody" no_loud thief 10.0.0.1
says "repair does not put our programs on it" "left: " sw h1 switch repair
is "nor on its device" "$(on h1 bpftool net show dev thief 2>/dev/null | grep -c tsw_ || true)" 0
check "it may become blue's" sw h1 endpoint add t tenant blue mac 02:00:00:00:00:0a dev thief
finds "then b has no place" h1 "orphan_endpoint red/b"
check "still nothing" no_loud red-a 10.0.0.2
is "the new one heard nothing all the time" "$(captured_text loud-thief dst 10.0.0.2)" ""
is "red-a heard nothing from it" "$(captured_text loud-red-a src 10.0.0.2)" ""
capture_stop loud-red-a
sw h1 endpoint del t tenant blue
ip -n h1 link del thief
ip -n red-a neigh flush dev eth0 nud permanent
new_b "$n"
again_b
finds "endpoint replace is the way back" h1
check "b is there again" loud red-a 10.0.0.2

# ---- the other end in the host's own namespace ----------------------------------------------

ip -n red-b link set eth0 netns h1 name inner
finds "the other end came here" h1 "port_device red-b"
ip -n h1 link set inner netns red-b name eth0
container_net red-b off 10.0.0.2/24
finds "and went away" h1

# ---- a device with an endpoint is nobody else's ------------------------------------------------

rm -f /sys/fs/bpf/tsw/h1/links/port-"$(port h1 red-b)"-*
on h1 tc qdisc del dev red-b clsact 2>/dev/null || true
finds "programs that somebody took off" h1 "program red-b" "program red-b"
says "its device is red's also then" \
	'device "red-b" is already the device of endpoint "b" in tenant "red"' \
	sw h1 endpoint add t tenant blue mac 02:00:00:00:00:0a dev red-b
check "repair is the way back" sw h1 switch repair
finds "nothing is wrong" h1
check "b is there again" loud red-a 10.0.0.2

# ---- a list of addresses that leads back to itself ---------------------------------------------

# As an older version made it of an address that was asked for twice.
had=$(sw h1 -j endpoint show a tenant red | gojq -r '.[0].ip | sort | join(" ")')
key=$(map_dump h1 addrs | gojq -r '.[] | select(.formatted.key.tenant == 100) | .key |
	select(.[-4:] == ["0x0a", "0x00", "0x00", "0x01"]) | join(" ")')
# shellcheck disable=SC2086
bpftool map update pinned "$(map_pin h1 addrs)" key $key \
	value 2 0 0 0 0 1 0 0 $(cut -d ' ' -f 5- <<<"$key")
finds "a list that leads back to itself" h1 "endpoint_entry red/a"
is "each of its addresses is shown once" \
	"$(sw h1 -j endpoint show a tenant red | gojq -r '.[0].ip | sort | join(" ")')" "$had"
sw h1 save >$WORK/ring.json
check "and saved once: the file can be applied" sw h1 -q apply $WORK/ring.json
check "repair mends it" sw h1 switch repair
finds "nothing is wrong" h1
# shellcheck disable=SC2086
bpftool map update pinned "$(map_pin h1 addrs)" key $key \
	value 2 0 0 0 0 1 0 0 $(cut -d ' ' -f 5- <<<"$key")
was=$(sw h1 -j switch show | gojq .endpoints)
check "del takes it away" sw h1 endpoint del a tenant red
check "and counts right: there is room for others" sw h1 endpoint add a tenant red \
	mac 02:00:00:00:00:01 ip ${had// / ip } dev red-a
is "  as many as before" "$(sw h1 -j switch show | gojq .endpoints)" "$was"
finds "nothing is wrong" h1

# ---- killed at its work ---------------------------------------------------------------------

orphans() { # two endpoints without their devices
	ip -n h1 link add k1 type veth peer name k2
	sw h1 endpoint add k1 tenant red mac 02:00:00:00:00:11 ip 10.0.0.17 dev k1
	sw h1 endpoint add k2 tenant red mac 02:00:00:00:00:12 ip 10.0.0.18 dev k2
	ip -n h1 link del k1
}
unpin() { rm /sys/fs/bpf/tsw/h1/maps/tsw_{fdb,endpoints} /sys/fs/bpf/tsw/h1/progs/tsw_xdp_generic; }
was=$(sw h1 -j endpoint show)
for verb in gc repair; do
	wrong=() step=$(every 2 "${KILL_STEP:-3}") # 1: at each call
	[ $verb = gc ] || step=$(every 8 "$step")
	for ((n = 1;; n = AT + step)); do
		if [ $verb = gc ]; then orphans; else unpin; fi
		killed $n switch $verb || break
		[ $verb = repair ] || sw h1 -j switch show >/dev/null || wrong+=("$n: show")
		sw h1 -q switch $verb >/dev/null || wrong+=("$n: again")
		[ -z "$(problems h1)" ] || wrong+=("$n: $(problems h1)")
		[ "$(sw h1 -j endpoint show)" = "$was" ] || wrong+=("$n: endpoints")
	done
	note "$verb: $n calls, $KILLS kills"
	is "$verb, killed anywhere, is completed by $verb" "${wrong[*]}" ""
	check "$verb: there were calls to be killed at" test "$n" -gt 20
done
check "frames pass" loud red-a 10.0.0.2

heard_nothing "blue heard nothing of red in all that" blue-a blue-b blue-c
check "and was there all the time" reach blue-a 10.0.0.3
finish
