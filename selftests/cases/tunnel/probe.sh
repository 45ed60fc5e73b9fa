#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A host is asked through the tunnel whether it is alive. Its program answers only hosts that it
# knows, octet by octet as docs/wire.md says. No container hears of it or can ask.
#
#   red-a ── h1 192.0.2.1 ══ wire ══ 192.0.2.2 h2 ── red-c
#               2001:db8::1   │       2001:db8::2
#              h3 192.0.2.3 ──┴── x 192.0.2.66, no host of it
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

UNDERLAY=46
topo_hosts h1 h2 h3
switch_up
tenants
containers "red blue" "a@h1 c@h2"
stranger x 192.0.2.66/24
check "red reaches red" reach red-a 10.0.0.3
check "red reaches red, IPv6" reach red-a fd00::3

BFD=00:00:5e:00:52:02
MAC1=$(mac_on h1 eth0) MAC2=$(mac_on h2 eth0)
MAC3=02:ff:00:00:00:01 # where the wire is not to learn it
TELLS=00030d40 # 200 ms, as who asks has it
declare -A DISCRIMINATOR=([4]=c0000201 [6]=20010db9)

probe_header() { tunnel_header "$@" | sed 's/geneve vni=0$/& o=1/'; }

# question FAMILY ENCAP ID [FROM]: from h2 to h1. The second word of BFD is who asks.
question() {
	local ip="ip src=${4:-192.0.2.2} dst=192.0.2.1 df=1 ttl=9"
	local in="ip src=${4:-192.0.2.2} dst=127.0.0.1 ttl=255"

	if [ "$1" = 6 ]; then
		ip="ip6 src=2001:db8::2 dst=2001:db8::1 hlim=9"
		in="ip6 src=2001:db8::2 dst=::ffff:127.0.0.1 hlim=255"
	fi
	echo "eth src=${MAC:-$MAC2} dst=$MAC1 / $ip / $(probe_header "$2" "$3") /" \
		"eth src=$MAC2 dst=$BFD / $in / udp sport=49200 dport=7784 /" \
		"hex 2042031801020304${ASKED:-${DISCRIMINATOR[$1]}}${TELLS}0000000000000000"
}
answer() { # FAMILY ENCAP
	local ip="ip src=192.0.2.1 dst=192.0.2.2 df=1" in="ip src=192.0.2.1 dst=192.0.2.2 ttl=255"

	if [ "$1" = 6 ]; then
		ip="ip6 src=2001:db8::1 dst=2001:db8::2"
		in="ip6 src=2001:db8::1 dst=2001:db8::2 hlim=255"
	fi
	echo "eth src=$MAC1 dst=$MAC2 / $ip / $(probe_header "$2" 0) /" \
		"eth src=$MAC2 dst=$BFD / $in / udp sport=7784 dport=49200 /" \
		"hex 20c80318${DISCRIMINATOR[$1]}01020304${TELLS}0000271000000000"
}
answers() { dissect wire "$1" eth.src="$MAC1" in.eth.dst=$BFD; }
answers_are() { [ "$(answers -x)" = "$1" ]; }

# ---- answered -------------------------------------------------------------------------------
quiet h1 h2
capture red-a red-a eth0
capture red-c red-c eth0
capture x x eth0
for xdp in off native generic; do
	check "xdp $xdp" sw h1 switch set xdp $xdp
	for family in 4 6; do
		for encap in vxlan gre geneve; do
			what="$encap over IPv$family, xdp $xdp"
			capture wire h2 eth0
			# shellcheck disable=SC2046 # words of a frame
			{
				want=$(inject h1 lo -p $(answer $family $encap))
				expect_drops "$what: nothing is dropped on h1" h1 0 \
					"null bad_probe from_tunnel" \
					inject h2 eth0 $(question $family $encap 0)
			}
			check "$what: answered, once" retry 5 answers_are "$want"
			capture_stop wire
		done
	done
done
check "xdp off" sw h1 switch set xdp off

# ---- not answered: packet_probe has more -----------------------------------------------------
bad="null bad_probe from_tunnel"
capture wire h2 eth0
# shellcheck disable=SC2046 # words of a frame
{
	for encap in vxlan gre geneve; do
		expect_drops "$encap: another discriminator" h1 1 "$bad" \
			inject h2 eth0 $(ASKED=c0000202 question 4 $encap 0)
		expect_drops "$encap: cut off" h1 20 "$bad" \
			inject h2 eth0 $(question 4 $encap 0) / within 46-65
		expect_drops "$encap: in a tenant's id it is a tenant's frame" h1 1 \
			"red wrong_host from_tunnel" inject h2 eth0 $(question 4 $encap 100)
	done
	expect_drops "h3 asks in h2's name" h1 1 "$bad" inject h3 eth0 eth src=$MAC3 dst=$MAC1 \
		/ ip src=192.0.2.3 dst=192.0.2.1 / $(question 4 vxlan 0 | cut -d / -f 3-)
	expect_drops "no host" h1 1 "null unknown_tenant from_tunnel" \
		inject x eth0 $(MAC=$MAC3 question 4 vxlan 0 192.0.2.66)
	expect_drops "an answer is not answered" h2 1 "$bad" inject h1 eth0 $(answer 4 vxlan)
}
check "red reaches red" reach red-a 10.0.0.3
capture_has red-a 1 icmp || note "no barrier"
is "no answer" "$(answers -C)" 1 # the one that was forged
capture_stop wire red-a red-c x
for name in red-a red-c x; do
	is "$name hears of no probe" "$(dissect $name -C "eth.src!=$(mac_on $name eth0)" \
		eth.dst=$BFD)$(dissect $name -C "in.eth.dst=$BFD" "eth.src!=$MAC3")" 00
done
finish
