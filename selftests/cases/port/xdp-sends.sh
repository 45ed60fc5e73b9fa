#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#                    red-b 10.0.0.2 ─────────────┐
#   red-in ── in0 ┤ red-a 10.0.0.1 ├ eth0 ─── h1 192.0.2.1 ═══ h2 ─── red-c 10.0.0.3
#
# What an XDP program in a container (red-a) sends by XDP_TX and XDP_REDIRECT arrives, in the driver
# and in generic XDP, if the endpoint has `xdp on`. The guard looks at it as at any other frame.
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
switch_up
tenants
containers4 red "a@h1 b@h1 c@h2"
sw h1 endpoint set a tenant red xdp on
compile() { # NAME [-D...]: the program $WORK/NAME.o
	clang -O2 -g -target bpf "-I/usr/include/$(gcc -print-multiarch)" "${@:2}" \
		-c "$TOOLS/xdp.bpf.c" -o "$WORK/$1.o"
}
host_program() { # the name of the program at the host's end of red-a
	local prog

	prog=$(ip -n h1 -j link show red-a | gojq '.[0].xdp.prog.id // empty')
	[ -z "$prog" ] || bpftool -j prog show id "$prog" | gojq -r .name
}
problems() { { sw h1 -j switch check || true; } | gojq -c '[.problems[].what] | unique'; }

# A veth leaves checksums to be written later, and XDP sends a frame as it is.
for ns in red-b red-c; do on $ns ethtool -K eth0 tx off >/dev/null; done
echoed() { [ "$(on "$1" "$PY" "$TOOLS/who.py" ask udp 10.0.0.1 7 2>&1)" = who ]; }
compile echo -DACT=XDP_TX
for mode in xdpdrv xdpgeneric; do
	on red-a ip link set dev eth0 $mode obj "$WORK/echo.o" sec xdp
	check "$mode: XDP_TX to a neighbour" retry 5 echoed red-b
	check "$mode: XDP_TX to another host" retry 5 echoed red-c
	check "$mode: other frames pass" reach red-b 10.0.0.1
	on red-a ip link set dev eth0 $mode off
done

# Frames of another device of the container, which its program redirects to eth0.
ip netns add red-in
undo ip netns del red-in
ip -n red-a link add in0 type veth peer name in1 netns red-in
ip -n red-a link set in0 up
ip -n red-in link set in1 up
compile out -DACT=XDP_REDIRECT "-DTO=$(ip -n red-a -j link show eth0 | gojq '.[0].ifindex')"
capture b red-b eth0 udp port 7
from_in() { # SOURCE-IP
	inject red-in in1 eth src=02:00:00:00:00:01 dst=02:00:00:00:00:02 \
		/ ip "src=$1" dst=10.0.0.2 / udp sport=9 dport=7
}
quiet h1
for mode in xdpdrv xdpgeneric; do
	on red-a ip link set dev in0 $mode obj "$WORK/out.o" sec xdp
	before=$(captured b)
	from_in 10.0.0.1
	check "$mode: XDP_REDIRECT to a neighbour" capture_has b $((before + 1))
	expect_drops "$mode: the guard holds" h1 1 "red spoofed_ip from_endpoint" from_in 10.0.0.9
	on red-a ip link set dev in0 $mode off
done
capture_stop b

# The program at the host's end comes and goes with the word.
is "the host's end has a program" "$(host_program)" tsw_xdp_pass
check "h1 is sound" sw h1 switch check
rm "$(find /sys/fs/bpf/tsw/h1 -name 'port-*-xdp')"
comes "it is lost" "" host_program
is "check tells" "$(problems)" '["program"]'
sw h1 switch repair >/dev/null
is "repair attaches it" "$(host_program)" tsw_xdp_pass
check "h1 is sound again" sw h1 switch check
check "an upgrade" sw h1 switch upgrade
is "keeps it" "$(host_program)" tsw_xdp_pass
sw h1 endpoint set a tenant red xdp off
comes "without the word it is gone" "" host_program
compile other -DACT=XDP_PASS
ip -n h1 link set dev red-a xdpdrv obj "$WORK/other.o" sec xdp
sw h1 endpoint set a tenant red xdp on
is "another's program stays" "$(host_program)" act
check "h1 is sound with it" sw h1 switch check
sw h1 endpoint set a tenant red xdp off
is "also without the word" "$(host_program)" act
ip -n h1 link set dev red-a xdpdrv off
sw h1 endpoint set a tenant red xdp on
check "the endpoint goes" sw h1 endpoint del a tenant red
comes "and the program" "" host_program
check "reach remains" reach red-b 10.0.0.3
finish
