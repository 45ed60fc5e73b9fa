#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   world 198.51.1.2 ── up1 ┐
#   red-a 10.0.0.1 ─────────┼─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─── red-c 10.0.0.3
#   red-b 10.0.0.2 ─────────┘
#
# An XDP program in a container (red-a) sees each frame that the endpoint gets, if the endpoint has
# `xdp on`. The frames come from the same host, from another, from the gateway and the world,
# unicast and broadcast. The program runs in the driver or in generic XDP.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1 h2 h3 # three: a bridge between them, as a NIC, makes frames forget their redirect
switch_up
tenants
uplink h1 world 1
containers red "a@h1 b@h1 c@h2"
for host in h1 h2; do sw $host gateway add red ip 10.0.0.254/24 host h1; done
way_out red-a 10.0.0.254
serve world 7000
modes='xdpdrv xdpgeneric'
compile() { # NAME [-D...]: the program $WORK/NAME.o
	clang -O2 -g -target bpf "-I/usr/include/$(gcc -print-multiarch)" "${@:2}" \
		-c "$TOOLS/xdp.bpf.c" -o "$WORK/$1.o"
}
xdp() { on red-a ip link set dev eth0 "$1" obj "$WORK/$2.o" sec xdp; } # MODE NAME
xdp_off() { on red-a ip link set dev eth0 "$1" off; }                 # MODE
compile drop

# all_reach: each way into red-a is open; none_reach: each is closed
ways=("red-b 10.0.0.1" "red-b fd00::1" "red-c 10.0.0.1" "red-c fd00::1")
each_way() { # DESC reach|no_reach
	local way

	for way in "${ways[@]}"; do
		# shellcheck disable=SC2086 # who, and whom
		check "$1: $way" $2 $way
	done
	check "$1: the gateway answers" $2 red-a 10.0.0.254
}
# broadcasts: how many the program at red-a's end has seen
broadcasts() {
	local prog maps

	prog=$(ip -n red-a -j link show eth0 | gojq '.[0].xdp.prog.id')
	maps=$(bpftool -j prog show id "$prog" | gojq '.map_ids[]')
	for map in $maps; do bpftool -j map dump id "$map"; done |
		gojq -s '[.. | .broadcasts? // empty] | add'
}
shout() { # NS ADDRESS MAC: ten broadcasts
	for _ in {1..10}; do
		inject "$1" eth0 eth "src=$3" dst=ff:ff:ff:ff:ff:ff / ip "src=$2" dst=10.0.0.255 \
			/ udp sport=9 dport=9
	done
}
all_reach() { # DESC
	each_way "$1" reach
	answers "$1: the world" red-a both 198.51.1.2 7000 "world 198.51.1.1"
}
none_reach() { # DESC
	each_way "$1" no_reach
	silent "$1: the world" red-a both 198.51.1.2 7000
}

program() { # what endpoint show says of a's program
	sw h1 -j endpoint show a tenant red | gojq -c '.[0].xdp_program'
}

all_reach "without a program"
is "endpoint show names no program" "$(program)" null
xdp xdpgeneric drop
is "a generic one" "$(program)" '"generic"'
xdp_off xdpgeneric
xdp xdpdrv drop
is "a driver's" "$(program)" '"driver"'
is "in text" "$(sw h1 endpoint show a tenant red | grep -o 'xdp-program.*')" "xdp-program driver"
check "without the word a neighbour comes past it" reach red-b 10.0.0.1
check "xdp on" sw h1 endpoint set a tenant red xdp on
xdp_off xdpdrv
for mode in $modes; do
	xdp $mode drop
	none_reach "$mode"
	shout red-b 10.0.0.2 02:00:00:00:00:02
	shout red-c 10.0.0.3 02:00:00:00:00:03
	comes "$mode: broadcasts" 20 broadcasts
	xdp_off $mode
done
all_reach "the program is gone"
check "xdp off" sw h1 endpoint set a tenant red xdp off
check "h1 is sound" sw h1 switch check

# The word is kept, shown, saved, and said in a file.
sw h1 endpoint set a tenant red xdp on
is "it is shown" "$(sw h1 -j endpoint show a tenant red | gojq -c '.[0] | [.xdp, .server]')" \
	"[true,null]"
sw h1 save >$WORK/state
is "it is saved" "$(gojq -c '[.tenants[] | select(.name == "red").endpoints[] |
	select(.name == "a").xdp]' $WORK/state)" "[true]"
check "a file that says the same changes nothing" sw h1 diff $WORK/state
sw h1 endpoint set a tenant red xdp off
check_fails "a file that says another thing does" sw h1 diff $WORK/state
sw h1 apply $WORK/state
is "it is applied" "$(sw h1 -j endpoint show a tenant red | gojq -c '.[0].xdp')" true
check "an upgrade keeps it" sw h1 switch upgrade
check "h1 is sound" sw h1 switch check
xdp xdpdrv drop
check "behind an upgrade" no_reach red-b 10.0.0.1
xdp_off xdpdrv
is "without the word it is off again" "$(sw h1 endpoint replace a tenant red \
	mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 dev red-a &&
	sw h1 -j endpoint show a tenant red | gojq -c '.[0].xdp')" null

# The guard looks at what the container sends, with the word or without.
quiet h1
sw h1 endpoint set a tenant red xdp on
expect_drops "the guard holds" h1 1 "red spoofed_ip from_endpoint" \
	inject red-a eth0 eth src=02:00:00:00:00:01 dst=02:00:00:00:00:02 \
	/ ip src=10.0.0.9 dst=10.0.0.2
finish
