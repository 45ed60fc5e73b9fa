#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Containers behind netkit devices: tsw_from_port runs where they transmit. Linux 6.7 has it.
#
#   red-a, blue-a 10.0.0.1 ┐                            ┌ red-c, blue-c 10.0.0.3
#    x0 ── x1 ──►eth0      ├ h1 192.0.2.1 ═ 192.0.2.2 h2 ┤
#   red-b, blue-b 10.0.0.2 ┘                            └ red-v 10.0.0.4, by a veth
. "$(dirname "$0")/../lib.sh"
. "$LIB/lib_wire.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_cni.sh"

PAIR=netkit STEP=${KILL_STEP:-5}
ATTACK=${BUILD:-$ROOT/build}/tests/attack.bpf.o
netns try
netkit() { on try "$PY" "$TOOLS/netkit.py" "$@"; } # DEV PEER NETNS WORD...
if ! why=$(netkit n0 n1 /run/netns/try); then
	skip "netkit devices" "$why"
	finish
	exit
fi
topo_standard
PAIR=veth container red v h1 10.0.0.4/24
dev() { ip -n h1 -j link show dev "$1" | gojq '.[0].ifindex'; }
links() { # DEV
	find /sys/fs/bpf/tsw/h1/links -name "port-$(dev "$1")-*" -printf '%f\n' | sort | paste -sd' '
}

# ---- function -----------------------------------------------------------------------------------

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
	"port-$(dev red-a)-in port-$(dev red-a)-out port-$(dev red-a)-peer"
check "switch check is content" sw h1 switch check

# ---- what a container may not -------------------------------------------------------------------

capture red-b red-b eth0
capture blue-b blue-b eth0
to_b="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:02" own="ip src=10.0.0.1 dst=10.0.0.2"
spoof="ip src=10.0.0.77 dst=10.0.0.2" data="udp dport=9 / text FORGED"
# forged DESC REASON WORD...: from red-a.
forged() { expect_drops "$1" h1 1 "red $2 from_endpoint" inject red-a eth0 "${@:3}"; }
program() { # DEV HOOK NAME: what the container's root has there
	on red-a tc qdisc del dev "$1" clsact 2>/dev/null || true
	on red-a tc qdisc add dev "$1" clsact
	on red-a tc filter add dev "$1" "$2" bpf direct-action obj "$ATTACK" sec "tc/$3"
}
# shellcheck disable=SC2086 # words of a frame
{
	forged "a neighbour's MAC" spoofed_mac ${to_b/:01/:03} / $own / $data
	forged "nobody's IP" spoofed_ip $to_b / $spoof / $data
	forged "nobody's IP, with a mark" spoofed_ip -M $((0x10001)) $to_b / $spoof / $data
	program eth0 egress beside
	expect_drops "in good faith, with cb, priority and tc_index" h1 0 x inject red-a eth0 \
		$to_b / $own / udp dport=9 / text HONEST
	forged "nobody's IP, with these" spoofed_ip $to_b / $spoof / $data
	for type in 0x88b5 0x0806; do
		forged "other octets than the kernel noted: $type" forged_metadata \
			-M $((type << 16)) $to_b / $spoof / $data
	done
	on red-a tc qdisc del dev eth0 clsact
	ip -n red-a link add x0 type veth peer name x1
	ip -n red-a link set x0 up
	ip -n red-a link set x1 up
	retry 5 carrier red-a x0
	quiet h1
	program x1 ingress plain
	to=$(ip -n red-a -j link show dev eth0 | gojq '.[0].ifindex')
	expect_drops "nobody's IP, past the place where netkit's programs run" h1 1 \
		"red spoofed_ip from_endpoint" inject red-a x0 -M "$to" $to_b / $spoof / $data
	expect_drops "in good faith by that way" h1 0 x inject red-a x0 -M "$to" \
		$to_b / $own / udp dport=9 / text HONEST
}
check "red-b hears what is honest" capture_has red-b 2 'udp port 9'
is "and nothing else" "$(captured red-b 'src host 10.0.0.77 or ether src 02:00:00:00:00:03')" 0
is "blue-b hears nothing of red" "$(captured blue-b 'udp port 9')" 0
on blue-a ping -n -c 1 -W 2 10.0.0.2 >/dev/null 2>&1 || true
check "but blue" capture_has blue-b 1 icmp
# shellcheck disable=SC2086 # words of a frame
expect_drops "the host's own frames do not enter" h1 1 "red not_stamped to_endpoint" \
	inject h1 red-b eth dst=02:00:00:00:00:02 type=0x88b5 / text HOST

# Its root attaches a program of its own where it transmits (BPF_NETKIT_PRIMARY, _PEER), in place of
# the switch's or before it: the kernel lets only who has the host's end do so.
own_program() {
	on red-a "$PY" - <<-'END'
		import ctypes, errno, socket, struct
		libc = ctypes.CDLL(None, use_errno=True)
		def bpf(command, attr):
		    attr = ctypes.create_string_buffer(attr, 128)
		    done = libc.syscall(321, command, attr, 128)
		    return done if done >= 0 else -ctypes.get_errno()
		code = ctypes.create_string_buffer(bytes.fromhex("b700000000000000" "9500000000000000"))
		gpl = ctypes.create_string_buffer(b"GPL")
		load = struct.pack("IIQQ", 3, 2, ctypes.addressof(code), ctypes.addressof(gpl))
		program = bpf(5, load)
		assert program >= 0, program
		for type in (54, 55):
		    link = bpf(28, struct.pack("IIII", program, socket.if_nametoindex("eth0"), type, 0))
		    print(errno.errorcode.get(-link, link))
	END
}
[ "$(uname -m)" != x86_64 ] ||
	is "its root attaches nothing there" "$(own_program | paste -sd' ')" "EACCES EACCES"

# ---- life ---------------------------------------------------------------------------------------

bg red-a ping -n -c 40 -i 0.05 -W 5 10.0.0.3
check "an upgrade" sw h1 -f switch upgrade
ends_well "pings meanwhile"
grep -q ' 0% packet loss' "$BG_LOG" && lost=none || lost=$(<"$BG_LOG")
is "and none of them is lost" "$lost" none
check "check is content with it" sw h1 switch check
new=$(bpftool -j prog show pinned /sys/fs/bpf/tsw/h1/progs/tsw_from_port | gojq .id)
pin=/sys/fs/bpf/tsw/h1/links/port-$(dev red-a)-peer
is "its link has the new program" "$(bpftool -j link show pinned "$pin" | gojq .prog_id)" "$new"

bpftool link detach pinned "$pin"
is "without its link check says so" "$({ sw h1 -j switch check 2>/dev/null || true; } | gojq -r '
	.problems[] | select(.object == "red-a").detail')" \
	"tsw_from_port is not attached where its other end transmits"
is "and endpoint show" "$(sw h1 -j endpoint show a tenant red | gojq -r '.[].attached')" false
no_reach red-a 10.0.0.3 && silent=yes || silent=no
is "and nothing of the container comes out" $silent yes
sw h1 switch repair >/dev/null
check "repair brings it back" reach red-a 10.0.0.3

n=0 kills=0
while KILLS=0 && n=$((n + STEP)) && killed $n endpoint replace a tenant red mac 02:00:00:00:00:01 \
	ip 10.0.0.1 ip fd00::1 server on dev red-a && [ "$KILLS" = 1 ]; do
	kills=$((kills + 1))
	sw h1 endpoint replace a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 dev red-a
done
check "replace, killed $kills times: it reaches the others" reach red-a 10.0.0.3
check "and check is content" sw h1 switch check
sw h1 endpoint del a tenant red
is "del leaves no link" "$(links red-a)" ""
n=0 kills=0
while KILLS=0 && n=$((n + STEP)) && killed $n endpoint add a tenant red mac 02:00:00:00:00:01 \
	ip 10.0.0.1 ip fd00::1 dev red-a && [ "$KILLS" = 1 ]; do
	kills=$((kills + 1))
	sw h1 endpoint del a tenant red 2>/dev/null || true
	[ -z "$(links red-a)" ] || not_ok "killed at call $n of add: links are left"
done
check "add, killed $kills times: it reaches the others" reach red-a 10.0.0.3
check "and check is content" sw h1 switch check
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
on h1 "$PY" "$TOOLS/netkit.py" l0 l1 /run/netns/h1 --mode l3
on h1 "$PY" "$TOOLS/netkit.py" k0 k1 /run/netns/h1
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
bpftool link detach pinned "/sys/fs/bpf/tsw/h1/links/port-$(dev "$own")-peer"
no_reach p-netkit 10.0.0.4 && silent=yes || silent=no
is "without its link nothing of it comes out, not even to tc's program" $silent yes
conf h1 red | cni h1 DEL p-netkit
check_fails "DEL takes it away" ip -n p-netkit link show dev eth0
finish
