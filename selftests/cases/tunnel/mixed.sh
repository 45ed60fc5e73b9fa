#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: tunnel/encaps has both families; packet_tunnel has hosts of one or both
# Hosts of both families and tenants of both encapsulations, side by side.
#
#   h1 192.0.2.1, 2001:db8::1  red-a  blue-a  wide-a ─┐      h1 and h4 have both families, h1
#   h2 192.0.2.2               red-b  blue-b  wide-b ─┤      prefers IPv4 and h4 IPv6; h2 and h3
#   h3            2001:db8::3  red-c  blue-c  wide-c ─┤      have one each, and none in common
#   h4 192.0.2.4, 2001:db8::4  red-d  blue-d  wide-d ─┘
#   red 100 sends VXLAN, blue 200 GRE; wide is 2^32 - 1, which GRE alone has room for
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

UNDERLAY=46 FAMILIES=([h2]=4 [h3]=6 [h4]=64)
WIDE=4294967295
topo_hosts h1 h2 h3 h4
switch_up
tenants red 100
ENCAP=gre tenants blue 200 wide $WIDE
at=([1]=a [2]=b [3]=c [4]=d)
containers "red blue wide" "a@h1 b@h2 c@h3 d@h4" mtu 1430

# ---- who is sent to by which family, and what fits ---------------------------------------
hosts() { sw $1 -j host show | gojq -r '.[] | "\(.name) \(.ip)"' | sort | xargs; }
is "h1 sends to each as that one prefers, where it can" "$(hosts h1)" \
	"h2 192.0.2.2 h3 2001:db8::3 h4 2001:db8::4"
is "h4 does, too" "$(hosts h4)" "h1 192.0.2.1 h2 192.0.2.2 h3 2001:db8::3"
is "h2 has no way to h3" "$(hosts h2)" "h1 192.0.2.1 h4 192.0.2.4"
check_fails "and cannot be given one" sw h2 host add h3 ip 2001:db8::3
mtus() { sw $1 -j tenant show | gojq -r '.[] | "\(.name) \(.mtu)"' | sort | xargs; }
is "h1's MTU is that of IPv6" "$(mtus h1)" "blue 1438 red 1430 wide 1438"
is "h2's is that of IPv4" "$(mtus h2)" "blue 1458 red 1450 wide 1458"

# ---- all reach all -----------------------------------------------------------------------
pairs="1:2 1:3 1:4 2:1 2:4 3:1 3:4 4:1 4:2 4:3"
for tenant in red blue wide; do
	for pair in $pairs; do
		from=$tenant-${at[${pair%:*}]}
		check "$from reaches $tenant-${at[${pair#*:}]}" reach $from 10.0.0.${pair#*:}
		check "$from reaches $tenant-${at[${pair#*:}]}, IPv6" reach $from fd00::${pair#*:}
	done
done
# A path with more room than the least of all has is used: between h1 and h2 IPv4 leaves 1458. Who
# receives must have the room, too: before Linux 6.3 IPv4 out of IPv6 comes by the veth's host end,
# where the kernel compares it with the other end's MTU (docs/operations.md, MTU).
mtu_of_blue() { for name in a b c; do ip -n blue-$name link set eth0 mtu $1; done; }
mtu_of_blue 1500
fill() { on blue-a ping -n -c 1 -W 2 -M 'do' -s "$1" "$2"; }
check "1458 octets to h2" retry 5 fill 1430 10.0.0.2
check "1438 octets to h3" retry 5 fill 1410 10.0.0.3
check_fails "1439 octets to h3" fill 1411 10.0.0.3
check "1458 octets to h2 still" retry 5 fill 1430 10.0.0.2
mtu_of_blue 1430
for kind in tcp udpgso; do
	check "red: $kind over IPv4" xfer red-a red-b $kind 10.0.0.2
	check "red: $kind over IPv6" xfer red-a red-c $kind 10.0.0.3
	check "blue: $kind over IPv4" xfer blue-a blue-b $kind fd00::2
	check "blue: $kind over IPv6" xfer blue-a blue-c $kind fd00::3
	check "wide: $kind there over IPv6, back over IPv4" xfer wide-a wide-d $kind 10.0.0.4
	check "wide: $kind there over IPv4, back over IPv6" xfer wide-d wide-a $kind 10.0.0.1
done
quiet h1 h2 h3 h4

# ---- broadcast: everybody once, of the same tenant alone ---------------------------------
is "nothing was dropped so far but what was too big" \
	"$(for n in 1 2 3 4; do all_drops h$n; done)" "blue too_big from_endpoint 1"
for n in 1 2 3 4; do
	for tenant in red blue wide; do
		capture $tenant-$n $tenant-${at[n]} eth0
	done
	capture wire-$n wire h$n ether src "$(mac_on h$n eth0)" # what this host sends
done
# all NUMBER TENANT: from that host's container of the tenant, IP and not IP.
all() {
	local src=02:00:00:00:00:0$1 ALL=ff:ff:ff:ff:ff:ff

	inject "$2-${at[$1]}" eth0 - <<-EOT
		eth src=$src dst=$ALL / ip src=10.0.0.$1 dst=10.0.0.255 / udp / text all-$1-$2
		eth src=$src dst=$ALL type=0x88b5 / text all-$1-$2 / pad 40
		eth src=$src dst=33:33:00:00:00:99 / ip6 src=fd00::$1 dst=ff02::99 / udp $(
			) / text all-$1-$2
	EOT
}
for n in 1 2 3 4; do
	for tenant in red blue wide; do
		all $n $tenant
	done
done
# who NAME: whom it heard, and how often
who() {
	grep -aoE 'all-[0-9]-(red|blue|wide)' $WORK/$1.pcap | sort | uniq -c |
		awk '{ print $2 "x" $1 }' | xargs
}
everyone() { # TENANT NUMBER...
	local n

	for n in "${@:2}"; do
		echo "all-$n-${1}x3"
	done | xargs
}
hears() { [ "$(who "$1")" = "$2" ]; }
for tenant in red blue wide; do
	for n in 1 4; do
		retry 5 hears $tenant-$n "$(everyone $tenant 1 2 3 4)" || true
		is "$tenant-${at[n]} hears everybody three times" \
			"$(who $tenant-$n)" "$(everyone $tenant 1 2 3 4)"
	done
	is "$tenant-b hears all but the one of h3" "$(who $tenant-2)" "$(everyone $tenant 1 2 4)"
	is "$tenant-c hears all but the one of h2" "$(who $tenant-3)" "$(everyone $tenant 1 3 4)"
done
sends() { # NUMBER [CONDITION...]: how many frames with such a word
	local n=$1

	shift
	echo "$(dissect wire-$n -C has:all- ip.ttl=64 "$@") $(
		)$(dissect wire-$n -C has:all- ip6.hlim=64 "$@")"
}
for n in 1:27 2:18 3:18 4:27; do
	dissect_has wire-${n%:*} ${n#*:} has:all- || true
done
is "h1 sends 3 x 3 x 1 copies over IPv4, 3 x 3 x 2 over IPv6" "$(sends 1)" "9 18"
is "h4 sends 3 x 3 x 2 and 3 x 3 x 1" "$(sends 4)" "18 9"
is "h2 and h3 send 3 x 3 x 2" "$(sends 2) $(sends 3)" "18 0 0 18"
is "of h1's red's go by VXLAN" "$(sends 1 vxlan.vni=100)" "3 6"
is "of h1's blue's go by GRE" "$(sends 1 gre.key=200)" "3 6"
is "of h1's wide's go by GRE, the key whole" "$(sends 1 gre.key=$WIDE)" "3 6"

# ---- a receiver takes both ---------------------------------------------------------------
check "h1 alone changes red to GRE" sw h1 tenant set red encap gre
check "and blue to VXLAN" sw h1 tenant set blue encap vxlan
refuses "wide cannot" 1 $WIDE sw h1 tenant set wide encap vxlan
capture_stop wire-{1,2,3,4}
capture both wire h1
for n in 2 3 4; do
	check "red still reaches h$n" reach red-a 10.0.0.$n
	check "blue still reaches h$n" reach blue-a fd00::$n
done
check "red: TCP" xfer red-a red-b tcp 10.0.0.2 bytes=300000
check "blue: TCP" xfer blue-c blue-a tcp fd00::1 bytes=300000
capture_stop both
h1_mac=$(mac_on h1 eth0)
is "h1 sends red by GRE alone, others by VXLAN alone" \
	"$(dissect both -C eth.src=$h1_mac vxlan.vni=100) $(
	)$(dissect both -C eth.src!=$h1_mac gre.key=100)" "0 0"
is "h1 sends blue by VXLAN alone, others by GRE alone" \
	"$(dissect both -C eth.src=$h1_mac gre.key=200) $(
	)$(dissect both -C eth.src!=$h1_mac vxlan.vni=200)" "0 0"
for what in eth.src=$h1_mac@gre.key=100 eth.src!=$h1_mac@vxlan.vni=100 \
	eth.src=$h1_mac@vxlan.vni=200 eth.src!=$h1_mac@gre.key=200; do
	check "frames were seen: $what" dissect_at_least both 3 "${what%@*}" "${what#*@}"
done
is "nothing was dropped but what was too big" \
	"$(for n in 1 2 3 4; do all_drops h$n; done)" "blue too_big from_endpoint 1"
finish
