#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#                  eth0 192.0.2.1, fd00:2::1        192.0.2.2, fd00:2::2 eth0
#   red-a ── h1 ══╡                                                     ╞══ h2 ── red-c
#                  eth1 198.51.100.1                  198.51.100.2 eth1
#
# Which devices and addresses the switch takes, and how they change while it is up.
. "$(dirname "$0")/../../lib.sh"

# Where the kernel cannot find modprobe by itself, as in a chroot of an initramfs.
modprobe -a ip_gre ip6_gre 2>/dev/null || true
topo_hosts h1 h2
ip -n h1 link add eth1 type veth peer name eth1 netns h2
for n in 1 2; do
	ip -n h$n addr add 198.51.100.$n/24 dev eth1
	ip -n h$n link set eth1 up
	for dev in eth0 eth1; do
		sysctl_in h$n net.ipv6.conf.$dev.disable_ipv6=0
	done
done
ip -n h2 addr add fd00:2::2/64 dev eth0 nodad
ip -n h2 addr add fd00:2::dead/64 dev eth0 nodad
container red a h1 10.0.0.1/24 endpoint off
container red c h2 10.0.0.3/24 endpoint off

show() { sw h1 -j switch show | jq -c "$1"; }
# runs PROGRAM DEV: is it on that device of h1, by a link or as a filter?
runs() {
	local n

	n=$(ip -n h1 -j link show "$2" | gojq '.[0].ifindex')
	[ -e "/sys/fs/bpf/tsw/h1/links/$1-$n" ] ||
		on h1 tc filter show dev "$2" ingress 2>&1 | grep -q "tsw_$1 "
}
# ways_in: devices of h1 by which tunnel frames come
ways_in() {
	local dev

	for dev in eth0 eth1; do
		! runs from_wire $dev || echo $dev
	done | xargs
}

# ---- which addresses it takes by itself --------------------------------------------------
ip -n h1 addr add fd00:2::dead/64 dev eth0
retry 5 eval 'ip -n h1 addr show dev eth0 | grep -q dadfailed'
sysctl_in h1 net.ipv6.conf.eth0.dad_transmits=1000
ip -n h1 addr add fd00:2::77/64 dev eth0
ip -n h1 addr add fd00:2::1/64 dev eth1 nodad
ip -n h1 addr add fd00:2::99/64 dev eth1 nodad preferred_lft 0
check "one device without local" sw h1 switch up dev eth0
is "takes no address that is tentative, or another's" "$(show .local)" '["192.0.2.1"]'
sw h1 switch down
check "two devices without local" sw h1 switch up dev eth0 dev eth1
is "the first of each family, none that is deprecated" "$(show .local)" '["192.0.2.1","fd00:2::1"]'
is "the devices" "$(show '[.dev, .xdp, .underlay_mtu, .devs]')" '["eth0","off",1500,'"$(
	)"'[{"dev":"eth0","xdp":"off","mtu":1500},{"dev":"eth1","xdp":"off","mtu":1500}]]'
is "a program on each" "$(ways_in)" "eth0 eth1"
check "as text" grep -qx '    devs dev eth1 xdp off mtu 1500' <(sw h1 switch show)
ip -n h1 addr del fd00:2::77/64 dev eth0
ip -n h1 addr del fd00:2::1/64 dev eth1
ip -n h1 addr add fd00:2::1/64 dev eth0 nodad
before=$(show .)
check "up again, the address has moved" sw h1 switch up dev eth0 dev eth1
is "and nothing has changed" "$(show .)" "$before"
check_fails "in another order they are other devices" sw h1 switch up dev eth1 dev eth0
sw h1 switch down
refuses "an address that another machine has is refused" 1 '"fd00:2::dead" is not an address' \
	sw h1 switch up dev eth0 local fd00:2::dead
ip -n h1 addr flush dev eth1
refuses "no address at all" 1 '"eth1" has no global IPv4 or IPv6' sw h1 switch up dev eth1
ip -n h1 addr add 198.51.100.1/24 dev eth1
ip -n h1 addr add 203.0.113.1/32 dev lo
check "an address of the loopback device" sw h1 switch up dev eth0 local 203.0.113.1
is "stands alone" "$(show .local)" '["203.0.113.1"]'
sw h1 switch down

# ---- hosts of two families, MTU ----------------------------------------------------------
check "up with one family" sw h1 switch up dev eth0 local 192.0.2.1 name h1
check "a host with two, the other first" sw h1 host add h2 ip fd00:2::2 ip 192.0.2.2
hosts() { sw h1 -j host show | gojq -c '[.[] | [.name, .ip, .ips]]'; }
mtus() { sw h1 -j tenant show | gojq -c 'map(.mtu)'; }
is "is sent to where it can be" "$(hosts)" '[["h2","192.0.2.2",["fd00:2::2","192.0.2.2"]]]'
is "and heard from both" "$(map_dump h1 vteps | gojq length)" 2
check_fails "a host of IPv6 alone is refused" sw h1 host add h3 ip fd00:2::3
sw h1 tenant add green id 7 encap gre
sw h1 tenant add red id 100
is "MTU of gre and vxlan over IPv4" "$(mtus)" "[1458,1450]"
sw h1 tenant set green mtu 1458
check_fails "an MTU that vxlan has not room for" sw h1 tenant set green encap vxlan
check "it takes less along" sw h1 tenant set green encap vxlan mtu 1450
check "and back" sw h1 tenant set green encap gre mtu 0
check "IPv6 comes" sw h1 switch set local fd00:2::1
is "the host is sent to where it is preferred" "$(hosts)" \
	'[["h2","fd00:2::2",["fd00:2::2","192.0.2.2"]]]'
is "both local addresses" "$(show .local)" '["192.0.2.1","fd00:2::1"]'
is "MTU of gre and vxlan over IPv6" "$(mtus)" "[1438,1430]"
check "now a host of IPv6 alone" sw h1 host add h3 ip fd00:2::3
sw h1 host set h2 ip 192.0.2.2
is "one host of IPv6 is enough for the MTU" "$(mtus)" "[1438,1430]"
sw h1 host del h3
is "without it" "$(mtus)" "[1458,1450]"
is "addresses that went are not heard" "$(map_dump h1 vteps | gojq length)" 1
sw h1 host del h2
sw h1 switch down
sw h1 switch up dev eth0 local fd00:2::1 name h1
sw h1 tenant add red id 100
is "MTU where only IPv6 is" "$(mtus)" "[1430]"
check_fails "and no host of IPv4" sw h1 host add h2 ip 192.0.2.2
sw h1 switch down

# ---- the tunnel device and IPv6 routes ---------------------------------------------------
ip -n h2 addr add fe80::2/64 dev eth0 nodad
inject h2 eth0 eth src=02:00:00:00:00:99 dst=33:33:00:00:00:01 \
	/ ip6 src=fe80::2 dst=ff02::1 hlim=255 / icmp6 type=134 body=400007080000000000000000
learned() { ip -n h1 -6 route show default proto ra dev eth0 | grep -c via; }
check "the host has learned a route" retry 5 learned
sw h1 switch up dev eth0 local 192.0.2.1 local fd00:2::1 name h1
forwards() { on h1 sysctl -n net.ipv6.conf.tsw-vx.forwarding; }
is "tsw-vx forwards IPv6" "$(forwards)" 1
is "nobody else does" \
	"$(on h1 sysctl -n net.ipv6.conf.{eth0,all,default}.forwarding | xargs)" "0 0 0"
is "the host still has the route" "$(learned)" 1
is "and goes on to learn as it did" "$(on h1 sysctl -n net.ipv6.conf.eth0.accept_ra)" 1
sysctl_in h1 net.ipv6.conf.tsw-vx.forwarding=0
check "up again" sw h1 switch up dev eth0 local 192.0.2.1 local fd00:2::1 name h1
is "mends it" "$(forwards)" 1
is "tsw-vx has no address" "$(ip -n h1 -j addr show tsw-vx | gojq -c '.[0].addr_info')" "[]"

# ---- the kernel's GRE devices, where it has them ------------------------------------------
if [ "$(sw h1 -j features | gojq .gre_dev)" = true ]; then
	is "GRE devices of both families" "$(show .gre_dev)" '["tsw-gre","tsw-gre6"]'
	for dev in tsw-gre tsw-gre6; do
		is "$dev is up, takes all keys, has no address" \
			"$(ip -n h1 -j -d addr show $dev | gojq -c '.[0] | [.ifalias, .addr_info,
				(.flags | any(. == "UP")), .linkinfo.info_data.external]')" \
			'["tenant-switch h1",[],true,true]'
	done
	check "with a program on both" eval 'runs from_tunnel tsw-gre && runs from_tunnel tsw-gre6'
	sw h1 -i two switch up dev eth1 port 4790 local 198.51.100.1 name two
	is "another switch does without" "$(sw h1 -i two -j switch show | gojq -c .gre_dev)" "[]"
	sw h1 -i two switch down
	is "and leaves them" "$(show .gre_dev)" '["tsw-gre","tsw-gre6"]'
	ip -n h1 link del tsw-gre
	check "up again" sw h1 switch up dev eth0 local 192.0.2.1 local fd00:2::1 name h1
	is "makes it again" "$(show .gre_dev)" '["tsw-gre","tsw-gre6"]'
	sw h1 switch down
	check_fails "down removes them" eval 'ip -n h1 -br link | grep tsw-'
	sw h1 switch up dev eth0 local fd00:2::1 name h1
	is "only what there are addresses for" "$(show .gre_dev)" '["tsw-gre6"]'
	sw h1 switch down
	sw h1 switch up dev eth0 local 192.0.2.1 local fd00:2::1 name h1
else
	is "this kernel has no GRE devices" "$(show .gre_dev)" "[]"
fi

# ---- other devices, under traffic ----------------------------------------------------------
sw h2 switch up dev eth0 dev eth1 local 192.0.2.2 name h2
sw h1 host add h2 ip 192.0.2.2
sw h2 host add h1 ip 192.0.2.1
for host in h1 h2; do sw $host tenant add red id 100; done
endpoint_add red a h1 02:00:00:00:00:01 10.0.0.1
endpoint_add red c h2 02:00:00:00:00:03 10.0.0.3
check "traffic" reach red-a 10.0.0.3
bg red-a ping -n -i 0.005 10.0.0.3
for words in "dev eth0 dev eth1" "xdp generic" "dev eth0" "xdp auto"; do
	# shellcheck disable=SC2086 # several words
	check "set $words" sw h1 switch set $words
done
kill -INT $BG
wait $BG || true
is "no echo was lost" "$(grep -o ' 0% packet loss' $BG_LOG)" " 0% packet loss"
sw h1 switch set dev eth1 local 198.51.100.1
sw h2 switch set dev eth1 local 198.51.100.2
sw h1 host set h2 ip 198.51.100.2
sw h2 host set h1 ip 198.51.100.1
capture moved h1 eth1 udp port 4789
check "all moved to the other device" reach red-a 10.0.0.3
check "and went by it" capture_has moved 2
capture_stop moved
is "no program is left on the first" "$(ways_in)" eth1
finish
