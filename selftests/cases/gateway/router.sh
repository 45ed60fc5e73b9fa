#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# BIRD in containers: OSPF between a router, what is behind it, and a neighbour on another host. A
# VPN server in a container, which is dialled from the world by a published port.
# full: the packages of BIRD and socat; port/prefix and gateway/prefix have their frames
#
#   lan7 ┐                                                        ┌ red-b 10.0.0.2, with BIRD
#   lan8 ┴ core, with BIRD ─ red-r 10.0.0.9, with BIRD ─ h1 ═══ h2 ┴ red-v 10.0.0.8 ┄ tun0 10.8.0.1
#            red-a 10.0.0.1, blue-a, blue-r 10.0.0.9 ────┘ │ up1, up2
#                                          world 198.51.1.2, road 198.51.2.2 ┄ tun0 10.8.0.2
#   lanN has 192.168.N.2 and fd0N::2. The gateway is on h1.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"
needs "BIRD and a VPN" bird birdc socat

topo_hosts h1 h2
switch_up
tenants red 100 blue 200
uplink h1 world 1
uplink h1 road 2
containers red "a@h1 b@h2 r=9@h1 v=8@h2"
containers blue "a@h1 r=9@h1"
for host in h1 h2; do sysctl_in $host net.ipv4.ip_forward=0; done
sw_all gateway add red ip 10.0.0.254/24 ip fd00::fe/64 host h1
sw_all endpoint set r tenant red prefix 192.168.7.0/24 prefix 192.168.8.0/24 \
	prefix fd07::/64 prefix fd08::/64
sw_all endpoint set v tenant red prefix 10.8.0.0/24 prefix fd80::/64
for ns in red-a red-v; do way_out $ns 10.0.0.254 fd00::fe; done

# ---- routers ----------------------------------------------------------------------------------
link() { # ROUTER DEV NS DEV: joined by a cable, with IPv6
	ip -n "$1" link add "$2" type veth peer name "$4" netns "$3"
	sysctl_in "$1" "net.ipv6.conf.$2.disable_ipv6=0"
	sysctl_in "$3" "net.ipv6.conf.$4.disable_ipv6=0"
	ip -n "$1" link set "$2" up
	ip -n "$3" link set "$4" up
	retry 5 carrier "$3" "$4"
}
forwards() {
	for ns; do
		sysctl_in "$ns" net.ipv4.conf.{all,default}.rp_filter=0 net.ipv4.ip_forward=1 \
			net.ipv6.conf.all.forwarding=1
	done
}
netns core
forwards core red-r red-v
link red-r eth1 core eth0
ip -n red-r addr add 172.16.0.1/30 dev eth1
ip -n core addr add 172.16.0.2/30 dev eth0
for n in 7 8; do
	netns lan$n
	link core eth$n lan$n eth0
	ip -n core addr add 192.168.$n.1/24 dev eth$n
	ip -n core addr add fd0$n::1/64 dev eth$n nodad
	ip -n lan$n addr add 192.168.$n.2/24 dev eth0
	ip -n lan$n addr add fd0$n::2/64 dev eth0 nodad
	way_out lan$n 192.168.$n.1 fd0$n::1
done

# bird NS ID [DEV=KIND...]: OSPF of both families at these devices. The router of the tenant leads
# all others to the gateway.
bird() {
	local ns=$1 id=$2 at kind family version world

	{
		echo "router id $id; protocol device { scan time 1; }"
		for family in 4 6; do
			world='' version=v2
			[ $family = 4 ] || version=v3
			case $ns$family in
			red-r4) world='route 0.0.0.0/0 via 10.0.0.254;' ;;
			red-r6) world='route ::/0 via fd00::fe;' ;;
			esac
			echo "protocol kernel { ipv$family { export all; }; }"
			echo "protocol static { ipv$family; $world }"
			echo "protocol ospf $version ospf$family {"
			echo "ipv$family { export where source = RTS_STATIC; }; area 0 {"
			for at in "${@:3}"; do
				case $at in
				*=stub) kind='stub yes' ;;
				*) kind="type ${at#*=}; hello 1; dead 8; wait 2" ;;
				esac
				echo "interface \"${at%=*}\" { $kind; };"
			done
			echo "}; }"
		done
	} >$WORK/$ns.conf
	bg "$ns" bird -f -c $WORK/$ns.conf -s $WORK/$ns.ctl -P $WORK/$ns.pid
}
bird core 172.16.0.2 eth0=ptp eth7=stub eth8=stub
bird red-r 10.0.0.9 eth0=broadcast eth1=ptp
bird red-b 10.0.0.2 eth0=broadcast
by_ospf() { # NS: the networks that BIRD there has given to the kernel
	for family in 4 6; do
		ip -n "$1" -$family -j route show proto bird |
			gojq -r '.[] | select(.dst | test("^(192|fd0[78])|default")) | .dst'
	done | sort | xargs
}
BOTH="192.168.7.0/24 192.168.8.0/24 default default fd07::/64 fd08::/64"
DUMP_ALSO=protocols
protocols() {
	for ns in core red-r red-b; do
		echo "== $ns" && cat $WORK/$ns.conf
		on $ns birdc -s $WORK/$ns.ctl show route all
		on $ns birdc -s $WORK/$ns.ctl show ospf neighbors
		ip -n $ns route && ip -n $ns -6 route
	done
}
learns() { retry 15 printed "$2" by_ospf "$1"; }
is_learned() { # DESC NS ROUTES
	learns "$2" "$3" || true
	is "$1" "$(by_ospf "$2")" "$3"
}
is_learned "r learns by OSPF what is behind it" red-r "$BOTH"
is_learned "b learns it across hosts" red-b "$BOTH"
is_learned "core learns the way out" core "$BOTH"
gate_of() { ip -n red-b "$1" -j route get "$2" | gojq -r '.[0].gateway'; }
is "b has the router as its next hop" "$(gate_of -4 192.168.7.2)" 10.0.0.9
is "in IPv6" "$(gate_of -6 fd07::2)" fe80::ff:fe00:9
is "and the gateway for the world" "$(gate_of -4 198.51.1.2)" 10.0.0.254

# ---- a VPN ------------------------------------------------------------------------------------
# A datagram is a packet. The client gives all its traffic to the VPN, but for that to the server.
sw h1 publish add red proto udp port 1194 to 10.0.0.8:1194
# WireGuard is in the kernel, so the case has it where the kernel does, and socat otherwise.
by_wireguard() { # NS OTHER WORD...: of wg, for this end
	ip -n "$1" link add tun0 type wireguard
	on "$1" wg set tun0 private-key $WORK/$1.key "${@:3}" peer "$(wg pubkey <$WORK/$2.key)" \
		allowed-ips 0.0.0.0/0,::/0
}
by_socat() { # NS WHERE
	bg "$1" socat "TUN,tun-name=tun0,iff-no-pi" "$2"
	retry 5 ip -n "$1" link show tun0
}
vpn() { # NS N CMD...: which makes tun0
	"${@:3}"
	ip -n "$1" link set tun0 mtu 1360 up
	sysctl_in "$1" net.ipv6.conf.tun0.disable_ipv6=0
	ip -n "$1" addr add 10.8.0.$2/24 dev tun0
	ip -n "$1" addr add fd80::$2/64 dev tun0 nodad
}
if command -v wg >/dev/null && ip -n road link add tun0 type wireguard 2>/dev/null; then
	ip -n road link del tun0
	for ns in red-v road; do (umask 077 && wg genkey >$WORK/$ns.key); done
	vpn red-v 1 by_wireguard red-v road listen-port 1194
	vpn road 2 by_wireguard road red-v
	on road wg set tun0 peer "$(wg pubkey <$WORK/red-v.key)" endpoint 198.51.2.1:1194 \
		persistent-keepalive 1
	check "the VPN is WireGuard" retry 15 reach road 10.8.0.1
else
	skip "the VPN is WireGuard" "the kernel or wireguard-tools lack it"
	vpn red-v 1 by_socat red-v UDP4-LISTEN:1194
	retry 5 on red-v grep -q ':04AA ' /proc/self/net/udp
	vpn road 2 by_socat road UDP4:198.51.2.1:1194
fi
ip -n road route add default dev tun0
ip -n road -6 route add default dev tun0

# ---- who reaches whom -------------------------------------------------------------------------
for ns in world red-a red-b lan7 lan8 road; do serve $ns 80; done
ways() { # ENCAP
	local n

	for n in 7 8; do
		answers "$1: lan$n to a neighbour of its router" lan$n both 10.0.0.1 80 \
			"red-a 192.168.$n.2"
		answers "in IPv6" lan$n both fd00::1 80 "red-a fd0$n::2"
		answers "$1: lan$n to another host" lan$n both 10.0.0.2 80 "red-b 192.168.$n.2"
		answers "in IPv6" lan$n both fd00::2 80 "red-b fd0$n::2"
		answers "$1: a to lan$n by the gateway" red-a both 192.168.$n.2 80 "lan$n 10.0.0.1"
		answers "in IPv6" red-a both fd0$n::2 80 "lan$n fd00::1"
		answers "$1: b to lan$n by its route" red-b both 192.168.$n.2 80 "lan$n 10.0.0.2"
		answers "in IPv6" red-b both fd0$n::2 80 "lan$n fd00::2"
		check "$1: lan$n to the gateway" reach lan$n 10.0.0.254
		check "in IPv6" reach lan$n fd00::fe
		answers "$1: lan$n to the world" lan$n both 198.51.1.2 80 "world 198.51.1.1"
		answers "in IPv6" lan$n both fd51:1::2 80 "world fd51:1::1"
	done
	answers "$1: the VPN's client to another host" road both 10.0.0.1 80 "red-a 10.8.0.2"
	answers "in IPv6" road both fd00::1 80 "red-a fd80::2"
	answers "$1: to a neighbour of its server" road both 10.0.0.2 80 "red-b 10.8.0.2"
	answers "in IPv6" road both fd00::2 80 "red-b fd80::2"
	answers "$1: to a network behind BIRD" road both 192.168.7.2 80 "lan7 10.8.0.2"
	answers "in IPv6" road both fd08::2 80 "lan8 fd80::2"
	answers "$1: back" lan8 both 10.8.0.2 80 "road 192.168.8.2"
	answers "in IPv6" lan7 both fd80::2 80 "road fd07::2"
	check "$1: to the gateway" reach road 10.0.0.254
	answers "$1: to the world" road both 198.51.1.2 80 "world 198.51.1.1"
	answers "in IPv6" road both fd51:1::2 80 "world fd51:1::1"
	pushes "$1: a megabyte from a network behind BIRD" lan7 10.0.0.2 80
	pushes "$1: into it, in IPv6" red-b fd08::2 80
	pushes "$1: to the world" lan8 198.51.1.2 80
	pushes "$1: from the VPN's client behind BIRD" road 192.168.8.2 80
	for host in h1 h2; do check "$1: $host is right" sw $host switch check; done
}
ways VXLAN

# ---- routes go and come -----------------------------------------------------------------------
ip -n core link set eth8 down
ONE="192.168.7.0/24 default default fd07::/64"
is_learned "a network is lost: r forgets it" red-r "$ONE"
is_learned "and b" red-b "$ONE"
check "nobody reaches it" no_reach red-a 192.168.8.2
check "the other one is reached" reach red-b 192.168.7.2
ip -n core link set eth8 up
ip -n core addr replace fd08::1/64 dev eth8 nodad # the kernel took it with the link
is_learned "it is back: r learns it" red-r "$BOTH"
is_learned "and b" red-b "$BOTH"

# The network between r and core is not yet a network of r: core's errors are not let out.
expires() { FAILS=any expect_drops "$@" on red-b ping -n -c 1 -W 1 -t 2 192.168.7.2; }
expires "an error of the second router, from its own address" h1 1 "red spoofed_ip from_endpoint"
sw_all endpoint set r tenant red prefix 192.168.7.0/24 prefix 192.168.8.0/24 \
	prefix fd07::/64 prefix fd08::/64 prefix 172.16.0.0/30
has_expired() { on red-b ping -n -c 1 -W 1 -t 2 192.168.7.2 | grep -o 'From .*exceeded'; }
comes "with its network it arrives" "From 172.16.0.2 icmp_seq=1 Time to live exceeded" has_expired
ip -n core link set eth8 mtu 1300
pushes "a narrower network behind it" red-b 192.168.8.2 80
pushes "in IPv6" red-b fd08::2 80
pushes "by the gateway" red-a 192.168.8.2 80
pushes "in IPv6" red-a fd08::2 80
path_mtu() { ip -n "$1" route get "$2" | grep -o 'mtu [0-9]*'; }
for ns in red-a red-b; do
	is "$ns knows it" "$(path_mtu $ns 192.168.8.2) $(path_mtu $ns fd08::2)" "mtu 1300 mtu 1300"
done
ip -n core link set eth8 mtu 1500

sw_all tenant set red broadcast off
is_learned "without broadcast OSPF does not reach b" red-b ""
is_learned "but core, which is behind r" core "$BOTH"
sw_all tenant set red broadcast on
is_learned "with it b learns again" red-b "$BOTH"

sw_all tenant set red encap gre
capture wire h2 eth0
ways GRE
is "nothing of it is in VXLAN" "$(captured wire udp port 4789)" 0
check "but in GRE" capture_has wire 500 'proto gre'
capture_stop wire

# ---- attacks ----------------------------------------------------------------------------------
quiet h1 h2
ip -n road addr add 10.8.1.66/32 dev tun0
ip -n road addr add fd81::66/128 dev tun0 nodad
ip -n road addr add 192.168.7.66/32 dev tun0
from() { # DESC IP TO
	FAILS=any expect_drops "the VPN's client sends $1" h2 2 "red spoofed_ip from_endpoint" \
		on road ping -n -c 2 -i 0.2 -W 1 -I "$2" "$3"
}
from "from outside of its network" 10.8.1.66 10.0.0.2
from "in IPv6" fd81::66 fd00::2
from "to another host" 10.8.1.66 10.0.0.1
from "to the world" 10.8.1.66 198.51.1.2
from "from a network behind BIRD" 192.168.7.66 10.0.0.2
# The server translates its neighbours' addresses. What is behind the client answers by its own.
ip -n road addr add 10.99.0.1/32 dev lo
ip -n red-v route add 10.99.0.0/24 via 10.8.0.2
ip -n red-a route add 10.99.0.0/24 via 10.0.0.8
on red-v nft 'add table ip t; add chain ip t post { type nat hook postrouting priority 100; }
	add rule ip t post oifname "tun0" masquerade'
FAILS=any expect_drops "a private network behind the VPN, by NAT alone" h2 2 \
	"red spoofed_ip from_endpoint" on red-a ping -n -c 2 -i 0.2 -W 1 10.99.0.1
sw_all endpoint set v tenant red prefix 10.8.0.0/24 prefix fd80::/64 prefix 10.99.0.0/24
answers "with its network" red-a tcp 10.99.0.1 80 "road 10.8.0.1"
ip -n core addr add 10.8.0.66/32 dev lo
FAILS=any expect_drops "what is behind BIRD sends from the VPN's network" h1 2 \
	"red spoofed_ip from_endpoint" on core ping -n -c 2 -i 0.2 -W 1 -I 10.8.0.66 10.0.0.1
ip -n blue-a route add 192.168.7.0/24 via 10.0.0.9
check "blue reaches nothing behind red's router" no_reach blue-a 192.168.7.2
finish
