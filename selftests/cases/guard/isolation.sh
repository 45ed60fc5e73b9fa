#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Red tries every way into blue that begins in its own containers.
#
#   h1: red-a 10.0.0.1   blue-a 10.0.0.1        h2: red-c 10.0.0.3   blue-c 10.0.0.3
#       red-b 10.0.0.2                                               blue-d 10.0.0.13, only blue's
#       ╰── 192.0.2.1 ═══════════ capture `wire` ═══════════ 192.0.2.2 ──╯
#   Same MACs and addresses in both. Every blue container is captured: a frame without blue's word
#   in it has crossed.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_isolation.sh"

topo_isolation
watch_blue a c d
capture red-a red-a eth0
capture red-c red-c eth0
capture wire h2 eth0 udp port 4789

ip="ip src=10.0.0.1"
ip6="ip6 src=fd00::1"
all=ff:ff:ff:ff:ff:ff
only=02:00:00:00:00:0d # blue's alone
unknown="red unknown_destination from_endpoint"
# Each is a frame from red-a: DESC WORD...
stray() { expect_drops "$1" "${@:2:3}" inject red-a eth0 eth src=02:00:00:00:00:01 "${@:5}"; }
lost() { stray "$1" h1 1 "$unknown" "${@:2}"; }
passes() { stray "$1" h1 0 "$unknown" "${@:2}"; }

# shellcheck disable=SC2046,SC2086 # words of a frame
{
	lost "unicast to a MAC that only blue has" dst=$only / $ip dst=10.0.0.13 / udp / text red-uni
	lost "the same over IPv6" dst=$only / $ip6 dst=fd00::d / udp / text red-uni
	lost "that MAC, another ethertype" dst=$only type=0x88b5 / text red-uni
	expect_drops "unicast with a mark set" h1 1 "$unknown" inject red-a eth0 -M 200 \
		eth src=02:00:00:00:00:01 dst=$only / $ip dst=10.0.0.13 / udp / text red-uni
	lost "the MAC of blue-a's host end" dst=$(mac_on h1 blue-a) / $ip dst=10.0.0.13 / udp \
		/ text red-uni
	lost "the underlay's MAC" dst=$(mac_on h1 eth0) / $ip dst=192.0.2.2 / udp / text red-uni

	# VXLAN of its own making, to every VTEP's address, with blue's VNI.
	vx="udp sport=50000 dport=4789 csum=0 / vxlan vni=200"
	in="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 / $ip dst=10.0.0.3 / udp / text red-vni"
	for vtep in 192.0.2.1 192.0.2.2; do
		lost "forged VNI to $vtep, its own host's MAC" dst=$(mac_on h1 red-a) \
			/ $ip dst=$vtep / $vx / $in
		passes "forged VNI to $vtep, broadcast" dst=$all / $ip dst=$vtep / $vx / $in
		stray "forged VNI to $vtep, to a red MAC" h2 0 "$unknown" \
			dst=02:00:00:00:00:03 / $ip dst=$vtep / $vx / $in
		stray "forged VNI to $vtep, from the other VTEP" h1 1 "red spoofed_ip from_endpoint" \
			dst=02:00:00:00:00:03 / ip src=192.0.2.2 dst=$vtep / $vx / $in
	done

	# What floods, floods to red alone; its MACs and addresses are blue's too.
	for dst in $all 01:00:5e:00:00:05 33:33:00:00:00:05 03:00:00:00:00:01; do
		passes "group address $dst" dst=$dst / $ip dst=10.0.0.255 / udp / text red-group
	done
	passes "a shared MAC" dst=02:00:00:00:00:03 / $ip dst=10.0.0.3 / udp / text red-shared

	# Neighbours: asked for, announced, answered.
	arp="arp sha=02:00:00:00:00:01 spa=10.0.0.1"
	passes "ARP for blue's 10.0.0.13" dst=$all / $arp tpa=10.0.0.13 / text red-arp
	passes "gratuitous ARP" dst=$all / $arp op=2 tpa=10.0.0.1 / text red-arp
	lost "an ARP answer to a MAC that only blue has" dst=$only \
		/ $arp op=2 tha=$only tpa=10.0.0.13 / text red-arp
	passes "ND for blue's fd00::d" dst=33:33:ff:00:00:0d \
		/ $ip6 dst=ff02::1:ff00:d hlim=255 / ns target=fd00::d lladdr=02:00:00:00:00:01
	passes "ND, unsolicited advertisement" dst=33:33:00:00:00:01 / $ip6 dst=ff02::1 hlim=255 \
		/ na target=fd00::1 lladdr=02:00:00:00:00:01
}
[ -z "${ISOLATION_WORDS:-}" ] || {
	for name in a c; do
		is "red's and blue's $name have shown the same address" \
			"$(for tenant in red blue; do js h1 endpoint show $name tenant $tenant \
				'.[0].link_local[]' | grep -c '^fe80::bad:'; done | xargs)" "1 1"
	done
	# shellcheck disable=SC2086 # words of a frame
	{
		lost "to a link-local address that only blue-d shows" dst=$only \
			/ ip6 src=fe80::bad:a dst=fe80::bad:d / udp / text red-uni
		passes "ND for it" dst=33:33:ff:ad:00:0d / ip6 src=fe80::bad:a \
			dst=ff02::1:ffad:d hlim=255 / ns target=fe80::bad:d lladdr=02:00:00:00:00:01
		passes "red takes the address that only blue-d shows" dst=33:33:00:00:00:01 \
			/ ip6 src=fe80::bad:d dst=ff02::1 hlim=255 / na target=fe80::bad:d \
			lladdr=02:00:00:00:00:01
	}
	for host in h1 h2; do
		is "$host: blue-d still has it" "$(js $host endpoint show d tenant blue \
			'.[0].link_local[]' | grep -c '^fe80::bad:d$')" 1
	done
	inner=02:00:00:00:01:01 # behind red-a's port
	# words DESC COUNT REASON SRC WORD...: as from that MAC
	words() {
		expect_drops "$1" h1 "$2" "red $3 from_endpoint" inject red-a eth0 eth src="$4" "${@:5}"
	}
	# shellcheck disable=SC2086 # words of a frame
	{
		words "from an inner MAC to a MAC that only blue has" 1 unknown_destination $inner \
			dst=$only / $ip dst=10.0.0.13 / udp / text red-uni
		words "ARP of an inner MAC to it" 1 unknown_destination $inner dst=$only \
			/ arp op=2 sha=$inner spa=10.0.0.1 tha=$only tpa=10.0.0.13 / text red-arp
		words "ARP of an inner MAC for blue's address" 0 unknown_destination $inner dst=$all \
			/ arp sha=$inner spa=10.0.0.1 tpa=10.0.0.13 / text red-arp
		words "an inner MAC that is blue-d's" 0 unknown_destination $only dst=$all \
			/ $ip dst=10.0.0.255 / udp / text red-inner
		words "and a third" 1 spoofed_mac 02:00:00:00:01:02 dst=$all \
			/ $ip dst=10.0.0.255 / udp / text red-inner
		lost "to blue's vip" dst=$only / $ip dst=10.0.0.60 / udp / text red-uni
		words "red takes the vip that only blue has" 1 spoofed_ip 02:00:00:00:00:01 dst=$all \
			/ arp op=2 sha=02:00:00:00:00:01 spa=10.0.0.60 tpa=10.0.0.60 / text red-arp
		passes "red-a takes the vip that both tenants have" dst=$all \
			/ arp op=2 sha=02:00:00:00:00:01 spa=10.0.0.50 tpa=10.0.0.50 / text red-arp
		lost "to a network that only blue has" dst=$only / $ip dst=172.16.13.9 / udp / text red-uni
		words "from a network that only blue has" 1 spoofed_ip 02:00:00:00:00:01 \
			dst=02:00:00:00:00:03 / ip src=172.16.13.9 dst=10.0.0.3 / udp / text red-uni
		words "from a network that is behind red-c" 1 spoofed_ip 02:00:00:00:00:01 \
			dst=02:00:00:00:00:02 / ip src=172.16.3.9 dst=10.0.0.2 / udp / text red-uni
		passes "to a network behind the c of both" dst=02:00:00:00:00:03 \
			/ $ip dst=172.16.3.9 / udp / text red-behind
	}
	# held TENANT NAME: which vip it has, as both hosts know
	held() {
		local host

		for host in h1 h2; do
			js $host endpoint show "$2" tenant "$1" '.[0].vip_held'
		done | xargs
	}
	is "red-a has red's vip" "$(held red a)" "[10.0.0.50] [10.0.0.50]"
	is "blue-c has blue's" "$(held blue c)" "[10.0.0.50] [10.0.0.50]"
	is "blue-d has its own" "$(held blue d)" "[10.0.0.60] [10.0.0.60]"
}
check_fails "red cannot resolve 10.0.0.13" on red-a ping -n -c 1 -W 1 10.0.0.13
check_fails "red cannot resolve fd00::d" on red-a ping -n -c 1 -W 1 fd00::d

blue_saw_nothing
capture_stop red-a red-c wire
is "nobody answered red's ARP for 10.0.0.13" "$(dissect red-a -C arp.spa=10.0.0.13)" 0
is "nobody answered red's ND for fd00::d" "$(dissect red-a -C icmp6.type=136 ip6.src=fd00::d)" 0
heard() { dissect red-c -C "has:red-$1" eth.src=02:00:00:00:00:01; }
is "red-c hears red: what floods, what is shared, what is nested" \
	"$(heard group) $(heard shared) $(heard vni)" "4 1 4"
is "on the wire nothing of red's is under blue's VNI" "$(dissect wire -C vxlan.vni=200 has:red-)" 0
check "and some of it under red's" dissect_at_least wire 9 vxlan.vni=100 has:red-
is "no drop of blue's, on either host" "$(all_drops h1 | grep ^blue || true
	all_drops h2 | grep ^blue || true)" ""
[ -z "${ISOLATION_WORDS:-}" ] || for at in 10.0.0.50 10.0.0.60 10.0.0.13; do
	check "blue still reaches its $at" reach blue-a $at
done
finish
