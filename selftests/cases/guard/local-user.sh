#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# An unprivileged user of a host, and a container of another tool there, send tunnel frames
# themselves. They send to another host, which believes this one's address, and to this host's own
# tunnel device, with another host's address.
#
#   blue-a 10.0.0.1 ─┐                                        ┌─ blue-c 10.0.0.3
#   nobody, sendto() ┤ h1 192.0.2.1 ═════════════ 192.0.2.2 h2 ┤
#   other 172.16.0.2 ┘    2001:db8::1       2001:db8::2       └─ red-c 10.0.0.3
#     behind a masquerade
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

ATTACK=${BUILD:-$ROOT/build}/tests/attack.bpf.o
UNDERLAY=46
topo_standard
check "blue reaches blue" reach blue-a 10.0.0.3

netns other
sysctl_in other net.ipv6.conf.all.disable_ipv6=1
ip -n h1 link add other type veth peer name eth0 netns other
ip -n h1 addr add 172.16.0.1/24 dev other
ip -n h1 link set other up
ip -n other addr add 172.16.0.2/24 dev eth0
ip -n other link set eth0 up
ip -n other route add default via 172.16.0.1
sysctl_in h1 net.ipv4.ip_forward=1 net.ipv4.conf.{all,other}.rp_filter=0
on h1 nft 'table ip other { chain out { type nat hook postrouting priority srcnat
	oifname "eth0" ip saddr 172.16.0.0/24 masquerade; }; }'
retry 5 carrier other eth0
check "the other container reaches h2" reach other 192.0.2.2
quiet h1 h2
capture blue-c blue-c eth0
capture red-c red-c eth0
capture wire h2 eth0

inner="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 / ip src=10.0.0.1 dst=10.0.0.3 / udp"
# payload VNI TEXT: what a user would send as UDP, in hexadecimal; of the tunnel KIND
payload() {
	local frame

	# shellcheck disable=SC2086 # words of a frame
	frame=$(inject h1 lo -p eth / ip / udp dport=4789 / "${KIND:-vxlan}" vni="$1" / $inner \
		/ text "$2")
	echo "${frame:84}"
}
as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
# user_sends TO PORT VNI TEXT: as nobody, by a socket of his
user_sends() {
	on h1 "${as_nobody[@]}" "$PY" -c '
import socket, sys
to, port, data = sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3])
family = socket.AF_INET6 if ":" in to else socket.AF_INET
with socket.socket(family, socket.SOCK_DGRAM) as sock:
    try:
        sock.sendto(data, (to, port))
    except OSError as error: # dropped at the egress
        print(error)
' "$1" "$2" "$(payload "$3" "$4")"
}
other_sends() { # TEXT LAYERS...: of the tunnel, from the other container
	local text=$1

	shift
	# shellcheck disable=SC2086,SC2048
	inject other eth0 eth src="$(mac_on other eth0)" dst="$(mac_on h1 other)" \
		/ ip src=172.16.0.2 dst=192.0.2.2 / $* / $inner / text "$text"
}

# ---- out to h2 -----------------------------------------------------------------------------
foreign() { expect_drops "$1" h1 1 "$2 foreign_tunnel to_tunnel" "${@:3}"; } # DESC TENANT CMD...
free() { expect_drops "$1" h1 0 "null foreign_tunnel to_tunnel" "${@:2}"; }   # DESC CMD...
for to in "${VTEP4[h2]}" "${VTEP6[h2]}"; do
	foreign "a user sends VXLAN of blue to $to" blue user_sends "$to" 4789 200 user
	foreign "a user sends VXLAN of a tenant that h1 does not know to $to" null \
		user_sends "$to" 4789 999 user
	foreign "a user sends what has no VXLAN header to $to" null \
		on h1 "${as_nobody[@]}" bash -c "echo hi >/dev/udp/$to/4789 || true"
	foreign "a user tells of flows to $to" null user_sends "$to" 974 200 user
	# Where the socket is not the switch's, what is no tenant's is somebody else's.
	KIND=geneve foreign "a user sends Geneve of blue to $to" blue user_sends "$to" 6081 200 user
done
behind="a container behind a masquerade"
geneve="udp sport=4242 dport=6081 / geneve vni=200"
foreign "$behind: Geneve" blue other_sends other "$geneve"
foreign "the same with an option" blue other_sends other "$geneve opts=0102030100000000"
foreign "$behind: VXLAN" blue other_sends other udp sport=4242 dport=4789 / vxlan vni=200
foreign "$behind: GRE" blue other_sends other gre key=200
foreign "the same with a checksum" blue other_sends other gre key=200 csum=1 seq=7
foreign "$behind tells of flows" null other_sends other udp sport=974 dport=974 / vxlan vni=200
# A probe, which has id 0: h2 would take the question, and the answer, for this host's.
inner="eth dst=00:00:5e:00:52:02 / ip src=192.0.2.1 dst=127.0.0.1 ttl=255 / udp"
foreign "a user sends a probe" null user_sends "${VTEP4[h2]}" 4789 0 probe
foreign "$behind: a probe by VXLAN" null \
	other_sends probe udp sport=4242 dport=4789 / vxlan vni=0
foreign "$behind: a probe by GRE" null other_sends probe gre key=0
# The priority of the agent's socket, which alone lets a question out: TSW_ASK_PRIORITY().
ask=$(ask_priority h1)
# asks NS PRIORITY: by a socket of root's there
asks() {
	on "$1" "$PY" -c '
import socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, struct.pack("I", int(sys.argv[1])))
    try:
        sock.sendto(bytes.fromhex(sys.argv[2]), ("192.0.2.2", 4789))
    except OSError as error: # dropped at the egress
        print(error)
' "$2" "$(payload 0 asked)"
}
foreign "with no priority" null asks h1 0
foreign "with the highest bit alone" null asks h1 $((1 << 31))
foreign "with all but one of its bits" null asks h1 $((ask ^ 1))
free "with its priority, as the agent" asks h1 $ask
foreign "a container that knows it: routing writes another" null asks other $ask
check_fails "a user may not set it" on h1 "${as_nobody[@]}" "$PY" -c "import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).setsockopt(socket.SOL_SOCKET, 12, 7)"
for lock in /run/tsw /run/tsw/h1; do
	check "root may hold the lock $lock" flock -n $lock true
	check_fails "a user may not" "${as_nobody[@]}" flock -n $lock true
done
inner="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 / ip src=10.0.0.1 dst=10.0.0.3 / udp"

# What is none of the switch's goes on: other ports, other keys, no key, other VTEPs.
free "UDP to another port" user_sends "${VTEP4[h2]}" 8472 200 port
check "arrives" dissect_has wire 1 has:port
free "UDP to another port, IPv6" user_sends "${VTEP6[h2]}" 8472 200 port6
check "arrives, IPv6" dissect_has wire 1 has:port6
free "GRE with a key that is no tenant's" other_sends foreignkey gre key=777
check "arrives" dissect_has wire 1 has:foreignkey
free "GRE without a key" other_sends nokey gre
check "arrives" dissect_has wire 1 has:nokey
ip -n h1 addr add 192.0.2.101/24 dev eth0
ip -n h2 addr add 192.0.2.102/24 dev eth0
free "VXLAN to an address that is no switch's" user_sends 192.0.2.102 4789 200 another
check "arrives" dissect_has wire 1 has:another
kernels_vxlan() { # PORT
	local n

	for n in 1 2; do
		ip -n h$n link add vx0 type vxlan id 5 dstport "$1" remote 192.0.2.$((3 - n)) \
			local 192.0.2.$n
		ip -n h$n addr add 198.51.100.$n/24 dev vx0
		ip -n h$n link set vx0 up
	done
}
kernels_vxlan 8472
check "the kernel's own VXLAN on another port" reach h1 198.51.100.2
check "blue reaches blue as before" reach blue-a 10.0.0.3

# ---- where the port is another device's, with VNIs of its own -----------------------------------
vxlan_gone() { for host in h1 h2; do sw $host switch down; ip -n $host link del vx0; done; }
anew() {
	switch_up 2>/dev/null
	tenants
	for tenant in red blue; do
		endpoint_add $tenant a h1 02:00:00:00:00:01 10.0.0.1
		endpoint_add $tenant c h2 02:00:00:00:00:03 10.0.0.3
	done
}
vxlan_gone
kernels_vxlan 4789
anew
check "blue reaches blue on a port that is shared" reach blue-a 10.0.0.3
check "so does the other device" reach h1 198.51.100.2
foreign "a user sends VXLAN of blue" blue user_sends "${VTEP4[h2]}" 4789 200 user
free "a user sends VXLAN of the other device" user_sends "${VTEP4[h2]}" 4789 5 sharing
check "arrives" dissect_has wire 1 has:sharing
vxlan_gone
anew
check "blue reaches blue once more" reach blue-a 10.0.0.3

# ---- who guards the underlay ----------------------------------------------------------------
case $(sw h1 -j switch show | gojq -r .attach) in
tcx) rm "$(find /sys/fs/bpf/tsw/h1/links -name 'to_wire-*')" ;;
*) on h1 tc filter del dev eth0 egress ;;
esac
checked() { { sw h1 -j switch check || true; } | gojq -r '.problems[].what'; }
unguarded() { [ "$(checked)" = unguarded_underlay ]; }
check "switch check tells that the underlay is not guarded" retry 5 unguarded
check "it forwards nevertheless" reach blue-a 10.0.0.3
user_sends "${VTEP4[h2]}" 4789 200 unguarded
check "a user's frame gets to blue-c then" dissect_has blue-c 1 has:unguarded
check "repair" sw h1 switch repair
is "nothing is left to tell" "$(checked)" ""
foreign "and a user's frames are dropped" blue user_sends "${VTEP4[h2]}" 4789 200 user

# ---- up to h1's own tunnel device, as if from h2 -----------------------------------------------
# The pass as the switch has it: 8 octets in front of the zone, the end of its configuration.
read -ra pass < <(bpftool -j map dump pinned "$(map_pin h1 config)" |
	gojq -r '.[0].value[232:240] | map(.[2:]) | join(" ")')
ip -n other link add x0 type veth peer name x1
ip -n other link set x0 up
ip -n other link set x1 up
retry 5 carrier other x0
on other tc qdisc add dev x1 clsact
on other tc filter add dev x1 ingress bpf direct-action obj "$ATTACK" sec tc/pass
to=$(ip -n other -j link show dev eth0 | gojq '.[0].ifindex')
# guess TEXT HEX: HEX are the octets of priority and tc_index
guess() {
	# shellcheck disable=SC2086
	inject other x0 -M "$to" eth src="$(mac_on other eth0)" dst="$(mac_on h1 other)" \
		/ ip src=192.0.2.2 dst=192.0.2.1 / udp sport=50000 dport=4789 csum=0 / vxlan vni=200 \
		/ eth src=02:00:00:00:00:03 dst=02:00:00:00:00:01 \
		/ ip src=10.0.0.3 dst=10.0.0.1 / udp / text "$1" / hex "$2"
}
up=${pass[2]}${pass[3]}${pass[4]}${pass[5]}${pass[6]}${pass[7]}
wrong="blue unverified_tunnel from_tunnel"
flip() { # BIT: of `up`
	local octet=$(($1 / 8)) at

	at=$((octet * 2))
	printf '%s%02x%s' "${up:0:at}" $((0x${up:at:2} ^ (1 << $1 % 8))) "${up:at+2}"
}
capture blue-a blue-a eth0
expect_drops "no pass" h1 1 "$wrong" guess forged 000000000000
for bit in 0 7 8 15 16 23 24 31 32 39 40 47; do
	expect_drops "a pass of which bit $bit is wrong" h1 1 "$wrong" guess forged "$(flip $bit)"
done
down=${pass[4]}${pass[5]}${pass[6]}${pass[7]}${pass[0]}${pass[1]}
expect_drops "the pass of the way down" h1 1 "$wrong" guess forged "$down"
expect_drops "who knows it is let in, so that these were right" h1 0 "$wrong" guess known "$up"
check "it arrives" dissect_has blue-a 1 has:known
is "and nothing else did" "$(dissect blue-a -C has:forged)" 0

# ---- out to h2, with the priority of the agent's socket, by routing that leaves it ---------------
# Who forwards IPv4 sets the priority anew; IPv6 keeps it.
sysctl_in h1 net.ipv6.conf.other.disable_ipv6=0 net.ipv6.conf.all.forwarding=1
ip -n h1 addr add fd33::1/64 dev other nodad
on h1 nft 'table ip6 other { chain out { type nat hook postrouting priority srcnat
	oifname "eth0" ip6 saddr fd33::/64 masquerade; }; }'
octets() { printf '%08x' "$1" | sed -E 's/(..)(..)(..)(..)/\4\3\2\1/'; } # as the machine has them
probes() { # PRIORITY
	inject other x0 -M "$to" eth src="$(mac_on other eth0)" dst="$(mac_on h1 other)" \
		/ ip6 src=fd33::2 dst="${VTEP6[h2]}" / udp sport=4242 dport=4789 csum=0 / vxlan vni=0 \
		/ eth dst=00:00:5e:00:52:02 / ip src=192.0.2.1 dst=127.0.0.1 ttl=255 / udp \
		/ text asked / hex "$(octets "$1")0000"
}
foreign "a container that forwards IPv6: a probe" null probes 0
foreign "the same, with the priority of the agent's socket" null probes "$(ask_priority h1)"

for name in blue-c red-c; do
	is "$name got nothing else that was not the switch's" \
		"$(($(dissect $name -C has:user) + $(dissect $name -C has:other)))" 0
done
finish
