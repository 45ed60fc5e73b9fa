#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: port/xdp-in-container has each way into a container, port/xdp-sends the ways out
#
#   world 198.51.1.2 ── up1 ┐                      red-in
#   red-b 10.0.0.2 ─────────┼─ h1 192.0.2.1 ─ eth0 red-a 10.0.0.1 in0 ─┘
#                           ╚═ 192.0.2.2 h2 ─── red-c 10.0.0.3
#
# Where an XDP program of a container (red-a) may send what an endpoint with `xdp on` gets. It goes
# to an AF_XDP socket, to another processor, to another device of the container, or by XDP_TX back
# through the gateway's NAT. In the driver and in generic XDP.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1 h2 h3 # three: a bridge between them, as a NIC, makes frames forget their redirect
switch_up
tenants red 100
uplink h1 world 1
containers red "a@h1 b@h1 c@h2"
for host in h1 h2; do sw $host gateway add red ip 10.0.0.254/24 ip fd00::fe/64 host h1; done
way_out red-a 10.0.0.254 fd00::fe
sw h1 endpoint set a tenant red xdp on
sw h1 publish add red proto udp port 7 to 10.0.0.1:7
serve world 7000
compile() { # NAME [-D...]: the program $WORK/NAME.o
	clang -O2 -g -target bpf "-I/usr/include/$(gcc -print-multiarch)" "${@:2}" \
		-c "$TOOLS/xdp.bpf.c" -o "$WORK/$1.o"
}
attach() { # NS DEV MODE NAME
	on "$1" ip link set dev "$2" "$3" obj "$WORK/$4.o" sec xdp
}
detach() { on "$1" ip link set dev "$2" "$3" off; } # NS DEV MODE
entries() { # the map of red-a's program
	local prog

	prog=$(ip -n red-a -j link show eth0 | gojq '.[0].xdp.prog.id')
	bpftool -j prog show id "$prog" | gojq '.map_ids[0]'
}
# A veth leaves checksums to be written later, and XDP sends a frame as it is.
for ns in red-b red-c world; do on $ns ethtool -K eth0 tx off >/dev/null; done
echoed() { [ "$(on "$1" "$PY" "$TOOLS/who.py" ask udp "$2" 7 2>&1)" = who ]; } # NS ADDRESS
ways=("red-b 10.0.0.1" "red-b fd00::1" "red-c 10.0.0.1" "red-c fd00::1" "red-a 10.0.0.254"
	"red-a fd00::fe")
each_way() { # DESC reach|no_reach
	local way

	# shellcheck disable=SC2086 # who, and whom
	for way in "${ways[@]}"; do check "$1: $way" $2 $way; done
}

# ---- AF_XDP ------------------------------------------------------------------------------------

# sent FROM MAC IP IP6 FIRST: frames to red-a, of UDP from ports FIRST and on
A=02:00:00:00:00:01 ALL=ff:ff:ff:ff:ff:ff
sent() {
	local n=$5 to

	for to in $A "$ALL" 01:00:5e:00:00:05; do
		for _ in {1..5}; do
			inject "$1" eth0 eth src="$2" dst=$to / ip src="$3" dst=10.0.0.1 \
				/ udp sport=$n dport=9
		done
		n=$((n + 1))
	done
	for _ in {1..5}; do
		inject "$1" eth0 eth src="$2" dst=$A / ip6 src="$4" dst=fd00::1 / udp sport=$n dport=9
	done
	inject "$1" eth0 eth src="$2" dst=$A / ip src="$3" dst=10.0.0.1 / tcp sport=$n dport=9
	inject "$1" eth0 eth src="$2" dst=$A type=0x88b5 / pad 60
	inject "$1" eth0 eth src="$2" dst=$ALL / arp sha="$2" spa="$3" tpa="$3"
}
# seen FILTER: how many of those the socket has got, without tcpdump's lines of octets
seen() { captured_text xsk "$1" | grep -c '^..:..:'; }
seen_of() { # NS MAC FIRST
	local n=$3

	for to in unicast broadcast multicast; do
		comes "$mode: the socket sees $1's $to" 5 seen "ether src $2 and udp src port $n and ip"
		n=$((n + 1))
	done
	comes "$mode: and IPv6" 5 seen "ether src $2 and ip6 and udp src port $n"
	comes "$mode: and TCP" 1 seen "ether src $2 and tcp src port $n"
	comes "$mode: and another ethertype" 1 seen "ether src $2 and ether proto 0x88b5"
	comes "$mode: and ARP" 1 seen "ether src $2 and ether broadcast and arp"
}
xsk() { bg red-a "$PY" "$TOOLS/xsk.py" -r "$(entries)" -e eth0 $WORK/xsk.pcap; }
compile socket -DMAP=BPF_MAP_TYPE_XSKMAP
for mode in xdpdrv xdpgeneric; do
	attach red-a eth0 $mode socket
	each_way "$mode: without a socket frames pass" reach
	xsk
	check "$mode: a socket" retry 5 grep -q ready "$BG_LOG"
	sent red-b 02:00:00:00:00:02 10.0.0.2 fd00::2 1000
	sent red-c 02:00:00:00:00:03 10.0.0.3 fd00::3 1000
	seen_of red-b 02:00:00:00:00:02 1000
	seen_of red-c 02:00:00:00:00:03 1000
	each_way "$mode: nothing comes past it" no_reach
	silent "$mode: nor what the world answers" red-a udp 198.51.1.2 7000
	comes "$mode: the socket has it" 1 seen "udp and src host 198.51.1.2 and src port 7000"
	check "$mode: the gateway's answer" capture_has xsk 1 "icmp and src host 10.0.0.254"
	check "$mode: it answers a neighbour" retry 5 echoed red-b 10.0.0.1
	check "$mode: it answers another host" retry 5 echoed red-c 10.0.0.1
	check "$mode: it answers the world, by NAT" retry 5 echoed world 198.51.1.1
	stop $BG
	each_way "$mode: the socket is gone" reach
	detach red-a eth0 $mode
done
quiet h1
expect_drops "the guard holds for what a socket sends" h1 1 "red spoofed_ip from_endpoint" \
	on red-a "$PY" "$TOOLS/xsk.py" eth0 eth src=$A dst=02:00:00:00:00:02 \
	/ ip src=10.0.0.9 dst=10.0.0.2

# ---- another processor, another device -----------------------------------------------------------

compile cpu -DMAP=BPF_MAP_TYPE_CPUMAP
for mode in xdpdrv xdpgeneric; do
	attach red-a eth0 $mode cpu
	bpftool map update id "$(entries)" key 0 0 0 0 value hex 00 08 00 00
	each_way "$mode: by another processor" reach
	answers "$mode: by another processor" red-a both 198.51.1.2 7000 "world 198.51.1.1"
	detach red-a eth0 $mode
done

ip netns add red-in
undo ip netns del red-in
ip -n red-a link add in0 type veth peer name eth0 netns red-in
ip -n red-a link set in0 up
ip -n red-in link set eth0 up
compile out -DACT=XDP_REDIRECT "-DTO=$(ip -n red-a -j link show in0 | gojq '.[0].ifindex')"
compile pass -DACT=XDP_PASS
compile echo -DACT=XDP_TX
attach red-in eth0 xdpdrv pass # a veth takes such frames if its other end has a program, too
capture in red-in eth0 udp dst port 7
asked() { on "$1" "$PY" "$TOOLS/who.py" ask udp "$2" 7 wait=0.1 >/dev/null 2>&1 || true; }
for mode in xdpdrv xdpgeneric; do
	attach red-a eth0 $mode out
	for from in "red-b 10.0.0.1 10.0.0.2" "red-c 10.0.0.1 10.0.0.3" \
		"world 198.51.1.1 198.51.1.2"; do
		read -r ns to source <<<"$from"
		before=$(captured in "src host $source")
		asked "$ns" "$to"
		check "$mode: $ns's comes to another device" \
			capture_has in $((before + 1)) "src host $source"
	done
	each_way "$mode: the rest passes" reach
	detach red-a eth0 $mode
done
capture_stop in

# ---- XDP_TX by NAT -------------------------------------------------------------------------------

for mode in xdpdrv xdpgeneric; do
	attach red-a eth0 $mode echo
	check "$mode: XDP_TX answers the world" retry 5 echoed world 198.51.1.1
	detach red-a eth0 $mode
done
check "h1 is sound" sw h1 switch check
finish
