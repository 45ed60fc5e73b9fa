#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a person types first: status, host probe.
#
#   h1 ── h2     and h3, which is down
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../../lib_gateway.sh"

topo_hosts h1 h2
switch_up
sw_all tenant add red id 100 net 10.0.0.0/24
sw_all gateway add red ip 10.0.0.254/24 host h2
sw h1 host add h3 ip 192.0.2.3

# ---- host probe ----------------------------------------------------------------------

probed() { js h1 host probe "$@" '.[] | "\(.name) \(.alive) \(.encap | join(","))"'; }
is 'a host is asked by each encapsulation' "$(probed h2)" 'h2 true vxlan,gre,geneve'
is 'a dead host does not answer' "$(probed || true)" $'h2 true vxlan,gre,geneve\nh3 false '
check 'status 0: all that were asked answer' sw h1 host probe h2
refuses 'status 1: one does not' 1 'h3 ip 192.0.2.3 alive off' sw h1 host probe
refuses 'an unknown host' 1 'there is no host "h9"' sw h1 host probe h9
is 'nothing is left in the map of probes' "$(map_dump h1 probes)" '[]'

# ---- status --------------------------------------------------------------------------

is 'a page' "$(sw h1 status | sed 's/ version .*//')" \
'switch h1 dev eth0 local 192.0.2.1 underlay-mtu 1500 endpoints 0 max-endpoints 65536
host h3 ip 192.0.2.3 mtu 1500 endpoints 0 alive off
host h2 ip 192.0.2.2 mtu 1500 endpoints 0 alive on
tenant red id 100 encap vxlan mtu 1450 endpoints 0 drops 0
gateway red ip 10.0.0.254/24 host h2 local off down off'
is 'its JSON' "$(js h1 status '[.switch.name, .agents, (.hosts | map(.alive)), .tenants[0].mtu,
	.gateways[0].host, .drops]')" '["h1",[],[true,false],1450,"h2",[]]'
for n in {4..20}; do echo "host add h$n ip 192.0.2.$n"; done | sw h1 -b -
is 'of twenty hosts it shows twelve, the dead ones first' \
	"$(sw h1 status | grep -c '^host h.* alive off$') $(sw h1 status | grep '^host \.')" \
	'12 host ... and 7 more'
refuses 'no switch' 1 'no switch "h3" is up' "$TSW" -i h3 status
refuses 'a word too many' 2 'unknown word "red"' sw h1 status red
for n in {4..20}; do echo "host del h$n"; done | sw h1 -b -

# ---- doctor --------------------------------------------------------------------------

# found [HOST]: each row that is not OK, without its detail. status_of CMD...: its exit status.
found() {
	js "${1:-h1}" doctor '.checks[] | select(.state != "OK") | [.state, .check, .object, .mend] |
		map(. // "-") | join(" ")'
}
status_of() { local status=0 && { "$@" >/dev/null 2>&1 || status=$?; } && echo $status; }
is 'a dead host is told, with a command' "$(found || true)" \
	'FAIL host h3 tsw switch show; tsw host show (on h3), or tsw -n h1 host set h3 ip IP'
is 'status 1: a check failed' "$(status_of sw h1 doctor)" 1
sw h1 host del h3
is 'nothing is wrong' "$(found)" ''
is 'status 0' "$(status_of sw h1 doctor)" 0
is 'its rows' "$(sw h1 doctor | sed -n 's/^OK  *//p' | cut -d: -f1 | xargs)" \
	'kernel rights bpffs settings mtu cluster switch hosts'
check '... and what they say together' grep -q '^Nothing is wrong here. If A does not reach B' \
	<(sw h1 doctor)
is '... and the next command' "$(sw h1 doctor | tail -n 1 | cut -d: -f2)" \
	" tsw -n h1 trace from A to B, and on B's host tsw doctor"

# mended DESC ROW: doctor finds ROW, and the command that it names mends it.
mended() {
	local mend

	is "$1" "$(found || true)" "$2"
	mend=$(js h1 doctor 'first(.checks[] | select(.mend)).mend' || true)
	[ -z "$mend" ] || eval "on h1 ${mend/tsw/$TSW}" >/dev/null || true
	is "$1: mended" "$(found)" ''
}
echo 1 >/proc/sys/kernel/bpf_stats_enabled # of this case
mended 'a setting slows programs down' 'WARN settings - sysctl -w kernel.bpf_stats_enabled=0'
ip -n h1 link set tsw-vx down
mended 'a device of the switch is down' 'FAIL tunnel_device tsw-vx tsw -n h1 switch repair'
rm /sys/fs/bpf/tsw/h1/maps/tsw_fdb
mended 'a pin is gone' 'FAIL pin maps/tsw_fdb tsw -n h1 switch repair'
netns c && ip -n c link add eth0 address 02:00:00:00:00:01 mtu 1450 type veth peer name va netns h1
ip -n h1 link set va up
ip -n c addr add 10.0.0.1/24 dev eth0
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev va
ip -n c link set eth0 up
retry 5 carrier h1 va
is 'a container without a default route' "$(found)" \
	'WARN container_route va ip -n c route replace default via 10.0.0.254 dev eth0'
names() { printf "link property $1 dev eth0 altname $(printf 'x%.0s' {1..120})%s\n" {1..350} | ip -n c -b -; }
names add
is 'one whose device has 350 names, 45 KB in all' "$(found)" \
	'WARN container_route va ip -n c route replace default via 10.0.0.254 dev eth0'
names del
way_out c 10.0.0.254
ip -n h1 link set va down
mended 'a port is down' 'WARN port_down va ip link set va up'
ip -n c link set eth0 down
retry 5 eval '! carrier h1 va'
ip -n c link set eth0 name 'e;reboot'
is 'its other end is down, whose name the container has chosen' "$(found)" \
	'WARN port_down va ip -n c link set OTHER_END up'
ip -n c link set 'e;reboot' up
retry 5 carrier h1 va
is '... and its default route is lost' "$(found)" \
	'WARN container_route va ip -n c route replace default via 10.0.0.254 dev DEV'
ip -n c link set 'e;reboot' down
ip -n c link set 'e;reboot' name eth0
touch $WORK/c
mount --bind /run/netns/c $WORK/c && umount /run/netns/c
is 'its other end is down, in a container without a name' "$(found)" \
	'WARN port_down va ip link set eth0 up (in the container)'
mount --bind $WORK/c /run/netns/c && umount $WORK/c
is 'in one with a name' "$(found)" 'WARN port_down va ip -n c link set eth0 up'
on h1 ip -n c link set eth0 up
retry 5 carrier h1 va
way_out c 10.0.0.254
ip -n h1 link add vb type veth peer name vc address 02:00:00:00:00:02 mtu 1450
ip -n h1 addr add 10.0.0.2/32 dev vc
ip -n h1 link set vb up
sw h1 endpoint add b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 dev vb
mended 'its other end is down, beside it' 'WARN port_down vb ip link set vc up'
sw h1 endpoint del b
ip -n h1 link del vb
ip -n h1 tuntap add tap0 mode tap
ip -n h1 link set tap0 up
sw h1 endpoint add b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 dev tap0
is 'a VM does not run' "$(found)" \
	'WARN port_down tap0 tsw -n h1 endpoint show dev tap0 # start what is at its other end'
sw h1 endpoint del b
ip -n h1 link del tap0
ip -n c link del eth0
mended 'a device is gone' 'FAIL orphan_endpoint red/a tsw -n h1 switch gc'
# The underlay: of another host, here, and something between that drops VXLAN alone.
ip -n h2 link set eth0 mtu 1400
is 'long packets get lost' "$(found)" 'WARN host h2 tsw -n h1 test host h2'
ip -n h2 link set eth0 mtu 1500
ip -n h2 link set eth0 down
retry 5 eval '! carrier h1 eth0'
is 'no carrier is told before hosts that do not answer' "$(found || true)" \
'FAIL underlay_device eth0 ip link show eth0 # its cable, or what is at its other end
FAIL host h2 tsw switch show; tsw host show (on h2), or tsw -n h1 host set h2 ip IP'
ip -n h2 link set eth0 up
retry 5 carrier h1 eth0
ip -n h1 link set eth0 down
is 'the underlay is down' "$(found || true)" \
'FAIL underlay_device eth0 ip link set eth0 up # or tsw -n h1 switch set dev DEV
FAIL host h2 tsw switch show; tsw host show (on h2), or tsw -n h1 host set h2 ip IP'
on h1 sh -c "$(js h1 doctor 'first(.checks[] | select(.mend)).mend' || true)"
retry 5 carrier h1 eth0
retry 5 sw h1 doctor >/dev/null
is 'the underlay is down: mended' "$(found)" ''
on h1 nft 'add table netdev t; add chain netdev t c { type filter hook egress device eth0
	priority 0; }; add rule netdev t c udp dport 4789 drop' 2>/dev/null && {
	is 'VXLAN does not pass' "$(found || true)" \
		'FAIL encap h2 tsw -n h1 tenant set red encap gre|geneve'
	on h1 nft delete table netdev t
}
sw h1 tenant set red mtu 1450
ip -n h1 link set eth0 mtu 1400
is 'an MTU that does not fit any more' "$(found)" 'WARN mtu red tsw -n h1 tenant set red mtu N'
is 'a warning is no failure' "$(status_of sw h1 doctor)" 0
ip -n h1 link set eth0 mtu 1500
is 'doctor without a switch' "$({ "$TSW" -i h7 -j doctor || true; } |
	gojq -c '[.ok, (.checks[-1] | .check, .mend)]')" \
	'[false,"switch","tsw -i h7 switch up dev DEV"]'
refuses 'doctor takes no word' 2 'unknown word "red"' sw h1 doctor red
while umount /sys/fs/bpf 2>/dev/null; do :; done # an emulated machine has one below it
is 'no BPF filesystem' "$({ sw h1 -j doctor || true; } |
	gojq -r '.checks[] | select(.check == "bpffs").mend')" \
	'mount -t bpf -o mode=0700 bpf /sys/fs/bpf'
finish
