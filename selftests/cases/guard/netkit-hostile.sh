#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a container's root, who has CAP_NET_ADMIN and CAP_BPF, does with its end of a netkit pair. It
# has programs on it, at its ingress by XDP, past it, and at the host's end. It sends frames by
# sockets that tell the kernel nothing of them, and changes MAC, MTU and namespace.
#
#   red-a, blue-a 10.0.0.1 ┐                            ┌ red-c, blue-c 10.0.0.3
#    x0 ── x1 ──►eth0      ├ h1 192.0.2.1 ═ 192.0.2.2 h2 ┘
#   red-b, blue-b 10.0.0.2 ┤
#   red-v 10.0.0.4, a veth ┘
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_netkit.sh"

topo_standard
PAIR=veth container red v h1 10.0.0.4/24
for ns in red-b blue-b; do ip -n $ns link set dev eth0 promisc on; done
capture red-b red-b eth0
capture blue-b blue-b eth0
quiet h1 h2
to_b="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:02" own="ip src=10.0.0.1 dst=10.0.0.2"
spoof="ip src=10.0.0.77 dst=10.0.0.2" data="udp dport=9 / text FORGED"
arp="eth src=02:00:00:00:00:01 dst=ff:ff:ff:ff:ff:ff / arp op=2 sha=02:00:00:00:00:01 spa=10.0.0.2"
# forged DESC REASON COMMAND...: of red's, counted so.
forged() { expect_drops "$1" h1 1 "red $2 from_endpoint" "${@:3}"; }
send() { inject red-a eth0 "$@"; }

# ---- its frames: port/netkit has those of its sockets and of its program there ------------------

# shellcheck disable=SC2086 # words of a frame
{
	program red-a eth0 egress beside
	forged "other octets than the kernel noted: 0x88b5" forged_metadata \
		send -M $((0x88b5 << 16)) $to_b / $spoof / $data
	on red-a tc qdisc del dev eth0 clsact
	send $to_b / $own / udp dport=9 / text HONEST
	ip -n red-a link add x0 type veth peer name x1
	ip -n red-a link set x0 up
	ip -n red-a link set x1 up
	retry 5 carrier red-a x0
	quiet h1
	program red-a x1 ingress plain
	to=$(index red-a eth0)
	forged "nobody's IP, past the place where netkit's programs run" spoofed_ip \
		inject red-a x0 -M "$to" $to_b / $spoof / $data
	expect_drops "in good faith by that way" h1 0 x inject red-a x0 -M "$to" $to_b / $own / \
		udp dport=9 / text HONEST
	ip -n red-a link del x0
	xsk() { on red-a "$PY" "$TOOLS/xsk.py" eth0 "$@"; }
	forged "nobody's IP, by AF_XDP" forged_metadata xsk $to_b / $spoof / $data
	forged "a neighbour's ARP, by AF_XDP" forged_metadata xsk $arp tpa=10.0.0.2
	forged "IPv4 as a length, by AF_XDP" forged_metadata xsk $to_b type=40 / pad 60
}

# What comes by redirect_peer, of veths and of the wire, XDP sends back into the pair.
xdp() { ip -n red-b link set dev eth0 xdpgeneric "$@"; } # WORD...
for from in v:4 c:3; do
	name=${from%:*} last=${from#*:}
	sent() {
		inject "red-$name" eth0 eth src="02:00:00:00:00:0$last" dst=02:00:00:00:00:02 / \
			ip src="10.0.0.$last" dst=10.0.0.2 / udp dport=9 / text BACK
	}
	xdp obj "$ATTACK" sec xdp/back
	forged "sent back by XDP as it came, from red-$name" spoofed_mac sent
	xdp off
	xdp obj "$ATTACK" sec xdp/answer
	capture "red-$name" "red-$name" eth0 udp port 9
	expect_drops "and as its own" h1 0 x sent
	check "it comes back" capture_has "red-$name" 1 src host 10.0.0.2
	xdp off
done
check "red-b hears what is honest" capture_has red-b 2 'udp port 9 and src host 10.0.0.1'
is "and nothing else" "$(captured red-b 'src host 10.0.0.77 or (ether src 02:00:00:00:00:03 and
	not src host 10.0.0.3) or
	(arp src host 10.0.0.2 and ether src 02:00:00:00:00:01)')" 0
is "blue-b hears nothing of red" "$(captured blue-b 'udp port 9')" 0
on blue-a ping -n -c 1 -W 2 10.0.0.2 >/dev/null 2>&1 || true
check "but blue" capture_has blue-b 1 icmp

# ---- its device ---------------------------------------------------------------------------------

netns other
netkit h1 k0 k1 /run/netns/other
is "who has the host's end has the pair" "$(on h1 "$PY" "$TOOLS/netkit_root.py" k0 |
	grep -E 'link|query|policy' | sort | xargs)" \
	"$(printf '%s done\n' link-{peer,primary} peer-policy policy query-{peer,primary} | xargs)"
link=$(link_id red-a)
is "who has the container's has nothing of it" "$(root_of red-a "$link" | xargs)" \
	"$(for place in primary peer; do
		printf "%s-$place EACCES\n" link attach detach query
	done | xargs) mode EACCES policy EACCES peer-policy EACCES its-link EPERM"
check "its program is there, and check is content" sw h1 switch check
ip -n red-a link set eth0 address 02:00:00:00:00:02
FAILS=any forged "another MAC" spoofed_mac send "${to_b/:01/:02}" / $own / $data
ip -n red-a link set eth0 address 02:00:00:00:00:01
ip -n red-a link set eth0 mtu 9000
long() { on red-a ping -n -c 1 -W 1 -s 8000 -M "do" "$1"; }
check "longer than any MTU: a netkit here gets it" retry 5 long 10.0.0.2
check_fails "a veth does not" long 10.0.0.4
FAILS=any forged "another host does not" too_big long 10.0.0.3
is "and check says no other" "$(sw h1 -j switch check | gojq -c '.warnings')" '[]'
ip -n red-a link set eth0 netns other
ip -n other addr add 10.0.0.1/24 dev eth0
ip -n other link set eth0 up
check "in another namespace it is who it was" reach other 10.0.0.2
# shellcheck disable=SC2086 # words of a frame
forged "and may no more" spoofed_ip inject other eth0 $to_b / $spoof / $data
ip -n other link del eth0
is "its root takes it away: endpoint show says so" \
	"$(sw h1 -j endpoint show a tenant red | gojq -c '.[0] | [.dev, .attached]')" '[null,false]'
finish
