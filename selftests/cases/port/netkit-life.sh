#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: port/netkit has frames; life/lost-devices and life/lost-pins have the rest by veth
# Containers behind netkit devices: where frames go, and super-frames. What upgrade, repair,
# replace, kills, gc and down do to their programs, with tcx and with clsact. What is refused, and
# tsw-cni.
#
#   red-a, blue-a 10.0.0.1 ┐                            ┌ red-c, blue-c 10.0.0.3
#   red-b, blue-b 10.0.0.2 ┴ h1 192.0.2.1 ═ 192.0.2.2 h2 ┘
#   red-v 10.0.0.4, by a veth ╯
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_netkit.sh"
. "$LIB/lib_wire.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_cni.sh"

STEP=${KILL_STEP:-5}
topo_standard
PAIR=veth container red v h1 10.0.0.4/24

# ---- ways ---------------------------------------------------------------------------------------

check "to the other host" reach red-a 10.0.0.3
check "to the other host, IPv6" reach red-a fd00::3
check "on this host" reach red-a 10.0.0.2
check "from a veth" reach red-v 10.0.0.1
check "to a veth" reach red-a 10.0.0.4
check "back from the other host" reach red-c 10.0.0.1
check "TCP in super-frames, to the other host" xfer red-a red-c tcp 10.0.0.3
check "TCP in super-frames, on this host" xfer red-a red-b tcp 10.0.0.2
check "TCP in super-frames, to a veth" xfer red-a red-v tcp 10.0.0.4
check "TCP in super-frames, from a veth" xfer red-v red-a tcp 10.0.0.1
check "UDP_SEGMENT, to the other host" xfer red-a red-c udpgso 10.0.0.3
check "UDP_SEGMENT, on this host, IPv6" xfer red-a red-b udpgso fd00::2
quiet h1 h2
is "nothing was dropped" "$(all_drops h1)$(all_drops h2)" ""
is "three links of an endpoint" "$(links red-a)" \
	"$(printf "port-$(index h1 red-a)-%s\n" in out peer | xargs)"

# ---- places -------------------------------------------------------------------------------------

mac=02:00:00:00:00:01
words="a tenant red mac $mac ip 10.0.0.1 ip fd00::1 dev red-a"
sw h1 endpoint set a tenant red rate-out 1gbit
check "set without its device: a frame to another netkit here" reach red-a 10.0.0.2
container red m h1 10.0.0.1/24 mac $mac endpoint off
sw h1 endpoint set a tenant red to-dev red-m
is "told where it moves: three links there, too" "$(links red-m | wc -w)" 3
inject red-m eth0 eth src=$mac dst=ff:ff:ff:ff:ff:ff / arp op=1 sha=$mac spa=10.0.0.1 tpa=10.0.0.1
check "it says that it is there, and lives there" reach red-m 10.0.0.2
# shellcheck disable=SC2086 # several words
sw h1 endpoint replace $words
is "back again: no link is left there" "$(links red-m)" ""
# A device that is moved away takes its link along, which lives on; another one gets its index.
container red k h1 10.0.0.5/24
n=$(index h1 red-k)
netns away
ip -n h1 link set red-k netns away
netns red-l
netkit h1 red-l eth0 /run/netns/red-l --index "$n" --mac 02:00:00:00:00:05
ip -n h1 link set red-l up
container_net red-l off 10.0.0.5/24
sw h1 endpoint replace k tenant red mac 02:00:00:00:00:05 ip 10.0.0.5 dev red-l
check "another device with the index of one that was moved away" reach red-l 10.0.0.2
sw h1 endpoint del k tenant red

# ---- life ---------------------------------------------------------------------------------------

detail() { # what switch check says of red-a
	{ sw h1 -j switch check 2>/dev/null || true; } |
		gojq -r '.problems[] | select(.object == "red-a").detail'
}
silent() { no_reach red-a 10.0.0.3 && echo yes || echo no; }
# How many there are where red-a's other end sends.
programs() { on h1 "$PY" "$TOOLS/netkit_root.py" -c red-a; }

# lives ATTACH LINKS: with so many links of an endpoint's.
lives() {
	local new lost n kills

	check "$1: switch check is content" sw h1 switch check
	bg red-a ping -n -c 40 -i 0.05 -W 5 10.0.0.3
	check "$1: an upgrade" sw h1 -f switch upgrade
	ends_well "$1: pings meanwhile"
	grep -q ' 0% packet loss' "$BG_LOG" && lost=none || lost=$(<"$BG_LOG")
	is "$1: and none of them is lost" "$lost" none
	check "$1: check is content with it" sw h1 switch check
	new=$(bpftool -j prog show pinned /sys/fs/bpf/tsw/h1/progs/tsw_from_port | gojq .id)
	is "$1: its link has the new program" \
		"$(bpftool -j link show pinned "$(peer_pin red-a)" | gojq .prog_id)" "$new"

	bpftool link detach pinned "$(peer_pin red-a)"
	is "$1: without its link check says so" "$(detail)" \
		"tsw_from_port is not attached to the other end of the netkit pair"
	is "$1: and endpoint show" "$(sw h1 -j endpoint show a tenant red | gojq '.[].attached')" false
	is "$1: and nothing of the container comes out" "$(silent)" yes
	sw h1 -q switch repair
	check "$1: repair brings it back" reach red-a 10.0.0.3
	bpftool link detach pinned "$(peer_pin red-a)"
	# shellcheck disable=SC2086 # several words
	sw h1 endpoint replace $words
	check "$1: and so does replace" reach red-a 10.0.0.3

	n=0 kills=0
	# shellcheck disable=SC2086 # several words
	while KILLS=0 && n=$((n + STEP)) && killed $n endpoint replace $words server on &&
		[ "$KILLS" = 1 ]; do
		kills=$((kills + 1))
		sw h1 endpoint replace $words
	done
	check "$1: replace, killed $kills times: it reaches the others" reach red-a 10.0.0.3
	check "$1: and check is content" sw h1 switch check
	sw h1 endpoint del a tenant red
	is "$1: del leaves no link" "$(links red-a)" ""
	is "$1: no program and no qdisc" "$(programs) $(tc -n h1 qdisc show dev red-a clsact)" "0 "
	n=0 kills=0
	# shellcheck disable=SC2086 # several words
	while KILLS=0 && n=$((n + STEP)) && killed $n endpoint add $words && [ "$KILLS" = 1 ]; do
		kills=$((kills + 1))
		sw h1 endpoint del a tenant red 2>/dev/null || true
		[ -z "$(links red-a)" ] || not_ok "$1: killed at call $n of add: links are left"
	done
	check "$1: add, killed $kills times: it reaches the others" reach red-a 10.0.0.3
	check "$1: and check is content" sw h1 switch check
	is "$1: links" "$(links red-a | wc -w)" "$2"
	is "$1: programs" "$(programs)" 1
}
lives tcx 3
sw h1 save >$WORK/state
sw h1 switch down
is "down leaves no program" "$(programs)" 0
sw h1 -q switch up dev eth0 local 192.0.2.1 name h1 attach clsact
sed -i 's/"attach": "tcx"/"attach": "clsact"/' $WORK/state
sw h1 -q apply $WORK/state
lives clsact 1
for hook in ingress egress; do
	check "clsact: a filter at $hook" grep -q 'handle 0x1 tsw_' \
		<<<"$(on h1 tc filter show dev red-a $hook)"
done
expect_drops "clsact: nobody's IP" h1 1 "red spoofed_ip from_endpoint" inject red-a eth0 \
	eth src=02:00:00:00:00:01 dst=02:00:00:00:00:02 / ip src=10.0.0.77 dst=10.0.0.2 / udp
ip -n red-b link del eth0
check "the container takes its device away: gc" sw h1 switch gc
is "takes its endpoint" "$(sw h1 -j endpoint show tenant red | gojq -c 'map(.name) | sort')" \
	'["a","c","v"]'

# ---- refused ------------------------------------------------------------------------------------

refused() { # DESC SAID DEV
	local out

	out=$(sw h1 endpoint add z tenant red mac 02:00:00:00:00:09 dev "$3" 2>&1) && out=taken
	check "$1" grep -qF -- "$2" <<<"$out"
}
netkit h1 l0 l1 /run/netns/h1 --mode l3
netkit h1 k0 k1 /run/netns/h1
refused "L3 mode is refused" "is a netkit device in L3 mode, without Ethernet" l0
refused "the container's end is refused" "is the container's end of a netkit pair" k1

# ---- tsw-cni ------------------------------------------------------------------------------------

sw h1 tenant set red net 10.0.0.0/24
for kind in netkit auto veth; do
	pod h1 red "p-$kind" "\"device\":\"$kind\""
	is "device $kind: is one" "$(on "p-$kind" ip -j -d link show dev eth0 |
		gojq -r '.[0].linkinfo.info_kind')" "${kind/auto/netkit}"
	check "device $kind: reaches the others" reach "p-$kind" 10.0.0.4
done
own=$(sw h1 -j endpoint show | gojq -r '.[] | select(.name | contains("-p-netkit-")).dev')
bpftool link detach pinned "$(peer_pin "$own")"
no_reach p-netkit 10.0.0.4 && silent=yes || silent=no
is "without its link nothing of it comes out, not even to tc's program" $silent yes
conf h1 red | cni h1 DEL p-netkit
check_fails "DEL takes it away" ip -n p-netkit link show dev eth0
sw h1 switch down
is "clsact: down leaves no program" "$(programs)" 0
finish
