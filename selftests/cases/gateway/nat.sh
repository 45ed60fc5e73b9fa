#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Two tenants of equal addresses talk to one server outside through one host's gateways, at the
# same time and from the same ports.
#
#   red-a, blue-a 10.0.0.1 ─ h1 192.0.2.1 ═══ underlay ═══ 192.0.2.2 h2 ─ red-c, blue-c 10.0.0.3
#                            up0 203.0.113.1               203.0.113.2 up0 ─ later
#                                └──────── out 203.0.113.9 ─────┘
#   The gateways are 10.0.0.254 in both tenants; the same in IPv6: fd00::, 2001:db8:9::.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

ALL=(red-a blue-a red-c blue-c)
make_tenants() { # red and blue; their containers' MTU is what the tunnel leaves
	local tenant

	switch_up
	tenants
	for tenant in red blue; do
		container $tenant a h1 10.0.0.1/24 fd00::1/64 mtu "${MTU:-1450}"
		container $tenant c h2 10.0.0.3/24 fd00::3/64 mtu "${MTU:-1450}"
	done
	leave "${ALL[@]}"
}
seen_as() { # ADDRESS NS...: what exchange prints when the server sees all of them as that
	local ns

	for ns in "${@:2}"; do
		echo "$ns $1"
	done
}

# talk DESC [KIND...]: all four at once, from one port; the server sees h1.
talk() {
	local desc=$1 kind to at

	shift
	for kind in "${@:-tcp}"; do
		for to in $SERVER4 $SERVER6; do
			at=$H1_4
			[[ $to != *:* ]] || at=$H1_6
			is "$desc: $kind with $to" "$(exchange $to $kind "${ALL[@]}" 2>&1)" \
				"$(seen_as $at "${ALL[@]}")"
		done
	done
}
H1_4=203.0.113.1 H1_6=2001:db8:9::1

# pings DESC TO: all four send echo requests of one identifier at the same time.
pings() {
	local ns n=0 pids=() want=''

	for ns in "${ALL[@]}"; do
		n=$((n + 1)) want+="20 received, 0% packet loss"$'\n'
		on "$ns" ping -n -q -e 7450 -c 20 -i 0.02 -W 2 -p "0$n" -s 400 "$2" \
			>"$WORK/ping.$ns" 2>&1 &
		pids+=($!)
	done
	wait "${pids[@]}" || true
	is "$1: pings of one identifier to $2" \
		"$(grep -h -o '[0-9]* received.*loss' $WORK/ping.*)" \
		"${want%$'\n'}"
}

topo_hosts h1 h2
outside h1 h2
make_tenants
gateway red h1
gateway blue h1
for to in $SERVER4 $SERVER6; do
	for ns in "${ALL[@]}"; do
		check "$ns reaches $to" reach "$ns" "$to"
	done
done
capture up h1 up0
for to in $SERVER4 $SERVER6; do
	pings "VXLAN" $to
done
talk "VXLAN" tcp udp udpgso
capture_stop up
is "nothing of a tenant's own addresses leaves" \
	"$(captured up 'net 10.0.0.0/24 or net fd00::/64')" 0
check "and the rest does" test "$(captured up)" -gt 1000
check "h1 is in order" healthy h1 h2

every() { # DESC ARG...: what it says is shown in any case
	local desc=$1 status=0

	shift
	offload ${TSW_SLOW:+-s 5} -e -b 100000 -c 50 "$@" out $SERVER4 $SERVER6 \
		>$WORK/offload.out 2>&1 || status=$?
	note "$desc: $(<$WORK/offload.out)"
	is "$desc" $status 0
}
every "offloads of the uplink" -g h1:up0,out:h1 red-a,blue-a,red-c,blue-c
every "offloads of the uplink x of the containers" -s 19 -g h1:up0,out:h1,out:br0 \
	-g red-a:eth0,h1:red-a,blue-c:eth0,h2:blue-c red-a,blue-c
every "no scatter-gather, no segments of UDP" -w 'h1:up0,out:h1 sg off' \
	-w 'h1:up0,out:h1 tx-udp-segmentation off' \
	-w 'h1:up0,out:h1 sg off; h1:eth0,h2:eth0 sg off' \
	red-a,blue-c

# Addresses: several for a gateway, and those that a tenant leaves with.
for host in h1 h2; do
	sw $host gateway set red ip $GATEWAY4/24 ip $GATEWAY6/64 ip 10.1.0.254/24 ip fd01::fe/64
done
container red e h2 10.1.0.5/24 fd01::5/64
ip -n red-e route add default via 10.1.0.254
ip -n red-e -6 route add default via fd01::fe
for to in 10.1.0.254 fd01::fe $SERVER4 $SERVER6; do
	check "from a second network red reaches $to" reach red-e $to
done
# In IPv6 an address is also one to masquerade as, unless it is deprecated.
ip -n h1 addr add 203.0.113.71/24 dev up0
ip -n h1 addr add 2001:db8:9::71/64 dev up0 nodad preferred_lft 0
ip -n out route add 198.51.100.0/24 via 203.0.113.1
ip -n out route add 2001:db8:a::/64 via 2001:db8:9::1
for host in h1 h2; do
	sw $host gateway set red snat 203.0.113.71 snat 2001:db8:9::71
	sw $host gateway set blue snat 198.51.100.72 snat 2001:db8:a::72
done
# At a port of their own: what conntrack knows yet of an earlier one goes on as it was.
for kind in tcp udp; do
	is "an address of its own for each: $kind" \
		"$(exchange $SERVER4 $kind red-a blue-c red-e blue-a port=5300)" "$(
			seen_as 203.0.113.71 red-a; seen_as 198.51.100.72 blue-c
			seen_as 203.0.113.71 red-e; seen_as 198.51.100.72 blue-a)"
	is "an address of its own for each: $kind, IPv6" \
		"$(exchange $SERVER6 $kind red-c blue-c port=5300)" \
		"$(seen_as 2001:db8:9::71 red-c; seen_as 2001:db8:a::72 blue-c)"
done
for host in h1 h2; do
	sw $host gateway set red snat none
	sw $host gateway set blue snat none
done
talk "without it again"

# Routed: the world sees the tenant's own addresses, where somebody told it the way.
routes() { ip -n "$1" "-$2" route show proto 116 | awk '{ print $1, $2, $3 }' | sort; }
tenants green 300
container green a h1 10.9.0.1/24 fd09::1/64
container green c h2 10.9.0.3/24 fd09::3/64
for ns in green-a green-c; do
	ip -n $ns route add default via 10.9.0.254
	ip -n $ns -6 route add default via fd09::fe
done
gateway green h1 ip 10.9.0.254/24 ip fd09::fe/64 nat off
is "without NAT its network is a route of the host" "$(routes h1 4; routes h1 6)" \
	"10.9.0.0/24 dev tsw-gw"$'\n'"fd09::/64 dev tsw-gw"
is "of the serving one" "$(routes h2 4; routes h2 6)" ""
ip -n out route add 10.9.0.0/24 via 203.0.113.1
ip -n out route add fd09::/64 via 2001:db8:9::1
is "the server sees the endpoints themselves" "$(exchange $SERVER4 tcp green-a green-c)" \
	"green-a 10.9.0.1"$'\n'"green-c 10.9.0.3"
is "the same in IPv6, UDP" "$(exchange $SERVER6 udp green-a green-c)" \
	"green-a fd09::1"$'\n'"green-c fd09::3"
talk "and the others' NAT beside it"
check "red can be routed" sw h1 gateway set red nat off
check_fails "but not blue too, which has the same network" sw h1 gateway set blue nat off
sw h1 gateway set red nat on
gateway_del green
is "the routes go with the gateway" "$(routes h1 4; routes h1 6)" ""

# Everywhere: each host serves its own.
gateway_del red blue
gateway red all
gateway blue all
for to in $SERVER4 $SERVER6; do
	for ns in "${ALL[@]}"; do
		check "everywhere: $ns reaches $to" reach "$ns" "$to"
	done
done
for kind in tcp udp udpgso; do
	is "everywhere: $kind, each by its own host" "$(exchange $SERVER4 $kind "${ALL[@]}")" \
		"$(seen_as 203.0.113.1 red-a blue-a; seen_as 203.0.113.2 red-c blue-c)"
	is "everywhere: $kind, each by its own host, IPv6" \
		"$(exchange $SERVER6 $kind "${ALL[@]}")" \
		"$(seen_as 2001:db8:9::1 red-a blue-a; seen_as 2001:db8:9::2 red-c blue-c)"
done
check "everywhere: all in order" healthy h1 h2
is "no drop but of what was never stamped" "$(all_drops h1 | grep -v not_stamped || true
	all_drops h2 | grep -v not_stamped || true)" ""
gateway_del red blue
is "the last gateway takes its rules along" "$(on h1 nft list tables; on h2 nft list tables)" ""
run_undo

# Other tunnels, and the outside where the underlay is: the uplink is eth0 itself.
for way in "4 gre 1458" "6 vxlan 1430" "6 gre 1438"; do
	read -r UNDERLAY ENCAP MTU <<<"$way"
	topo_hosts h1 h2
	outside h1
	make_tenants
	gateway red h1
	gateway blue h1
	check "IPv$UNDERLAY, $ENCAP: reachable" reach red-c $SERVER4
	check "IPv$UNDERLAY, $ENCAP: reachable, IPv6" reach blue-c $SERVER6
	talk "IPv$UNDERLAY, $ENCAP" tcp udpgso
	run_undo
done
ENCAP='' MTU=1430
topo_on_wire h1 h2
make_tenants
gateway red h1
gateway blue h1
H1_4=${VTEP4[h1]} H1_6=${VTEP6[h1]}
check "on the wire: reachable" reach red-c $SERVER4
check "on the wire: reachable, IPv6" reach blue-c $SERVER6
capture wire out eth0
talk "on the wire" tcp udp udpgso
pings "on the wire" $SERVER4
every "on the wire: offloads" -s 3 -g h1:eth0,h2:eth0 red-a,blue-a,red-c,blue-c
capture_stop wire
is "on the wire: nothing of a tenant's own addresses comes to the server" \
	"$(captured wire 'net 10.0.0.0/24 or net fd00::/64')" 0
check "on the wire: all in order" healthy h1 h2
finish
