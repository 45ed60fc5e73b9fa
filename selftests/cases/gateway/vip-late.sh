#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A host comes back after a vip was announced last. It asks who has the vip as soon as a packet for
# it comes, from the world or from an endpoint in another network of the tenant.
# full: starts a switch anew six times; packet_vip has the questions and the answers
#
#   world ── up1 ─ h1 ═══ h2 ── red-a      vip: 10.0.0.100, fd00::100
#           red-e ─┘ ╚═══ h3 ── red-b, red-d
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

V4=10.0.0.100 V6=fd00::100 A=02:00:00:00:00:01 B=02:00:00:00:00:02 D=02:00:00:00:00:04
topo_hosts h1 h2 h3
switch_up
tenants red 100
sysctl_in h1 net.ipv6.conf.{all,default}.disable_ipv6=0
uplink h1 world 1
containers red "a@h2 b@h3 d@h3"
container red e h1 10.9.0.5/24 fd09::5/64
for host in h1 h2 h3; do
	at=$([ $host = h1 ] || echo "host h1")
	# shellcheck disable=SC2086
	sw $host gateway add red ip 10.9.0.254/24 ip 10.0.0.254/24 ip fd09::fe/64 ip fd00::fe/64 $at
done
for name in a b d; do way_out red-$name 10.0.0.254 fd00::fe; done
way_out red-e 10.9.0.254 fd09::fe
for name in a b; do
	sw_all endpoint set $name tenant red vip $V4 vip $V6
	ip -n red-$name addr add $V4/24 dev eth0
	ip -n red-$name addr add $V6/64 dev eth0 nodad preferred_lft 0
	serve red-$name 5000
done
for proto in tcp udp; do
	for to in "$V4:5000" "[$V6]:5000"; do
		sw h1 publish add red proto $proto port 5000 to "$to"
	done
done
announces() { # NAME MAC
	inject red-$1 eth0 eth src=$2 dst=ff:ff:ff:ff:ff:ff / arp sha=$2 spa=$V4 tpa=$V4
	inject red-$1 eth0 eth src=$2 dst=33:33:00:00:00:01 / ip6 src=$V6 dst=ff02::1 hlim=255 / \
		na target=$V6 lladdr=$2 flags=0x20000000
}
holder() { js "$1" endpoint show tenant red ".[] | select(.vip_held | index(\"$2\")) | .name"; }
# back HOST: it starts anew, with the same configuration.
back() {
	sw $1 save >$WORK/state
	sw $1 switch down
	# shellcheck disable=SC2046
	sw $1 switch up dev eth0 $(vteps local $1) name $1
	sw $1 apply $WORK/state
	is "$1 is back, and knows nobody who has the vips" "$(holder $1 $V4)$(holder $1 $V6)" ""
}

announces a $A
for broadcast in on off; do
	sw_all tenant set red broadcast $broadcast
	back h1
	for at in "198.51.1.1 $V4" "fd51:1::1 $V6"; do
		# shellcheck disable=SC2086 # two words
		set -- $at
		# The first SYN is lost, and the next one comes a second later.
		is "broadcast $broadcast: a connection from the world to $1 port 5000" \
			"$(ask world tcp $1 5000 wait=8)" "red-a ${1%1}2"
		is "broadcast $broadcast: h1 has learned that a has $2" "$(holder h1 $2)" a
	done
	# Another network of the tenant, by the gateway's MAC.
	back h1
	for ip in $V4 $V6; do
		check "broadcast $broadcast: an endpoint of another network reaches $ip" reach red-e $ip
		is "broadcast $broadcast: h1 has learned that a has $ip, too" "$(holder h1 $ip)" a
	done
done
# The answer goes to the gateway's MAC, which each host has.
sw_all gateway set red host none
back h1
for at in "198.51.1.1 $V4" "fd51:1::1 $V6"; do
	# shellcheck disable=SC2086 # two words
	set -- $at
	is "a gateway on all hosts: a connection from the world to $1 port 5000" \
		"$(ask world tcp $1 5000 wait=8)" "red-a ${1%1}2"
done

# ---- attacks ---------------------------------------------------------------------------------
# d has the addresses, too, but not the word. It answers each question.
back h1
ip -n red-d addr add $V4/24 dev eth0
ip -n red-d addr add $V6/64 dev eth0 nodad
ip -n red-a addr del $V4/24 dev eth0
ip -n red-b addr del $V4/24 dev eth0
silent "an endpoint without the word answers the question" world tcp 198.51.1.1 5000
is "it does not get the vip" "$(holder h1 $V4)" ""
check "its answers are dropped as spoofed_ip" test "$(drops h3 spoofed_ip red)" -ge 1
# d hears each question, and nothing else.
heard() { ip -n red-d -s -j link show dev eth0 | gojq '.[0].stats64.rx.packets'; }
before=$(heard) began=$SECONDS
lost=$(drops h1 unknown_destination red)
on world "$PY" - <<-END
	import socket, time
	sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	end = time.monotonic() + 3
	while time.monotonic() < end:
	    sock.sendto(b"x", ("198.51.1.1", 5000))
	    time.sleep(0.0001)
END
lost=$(($(drops h1 unknown_destination red) - lost)) asked=$(($(heard) - before))
check "$lost packets for a vip that nobody has" test $lost -gt 500
check "make $asked questions, one a second" test $asked -ge 2 -a $asked -le $((SECONDS - began + 2))
announces b $B
is "until somebody announces it" "$(ask world tcp fd51:1::1 5000 wait=8)" "red-b fd51:1::2"
for host in h1 h2 h3; do check "$host: switch check" sw $host switch check; done
finish
