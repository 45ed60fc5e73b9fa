#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ red-c 10.0.0.3
#          172.16.0.1 vx0 ┘                   └ vx0 172.16.0.2   a kernel tunnel, VNI 500
#
# What `switch up` makes stays without a process and goes with `switch down`. Devices, qdiscs,
# filters and tunnels of others stay.
. "$(dirname "$0")/../../lib.sh"

# Loaded by `up`, these would make devices of their own in each namespace.
modprobe -a ip_gre ip6_gre 2>/dev/null || true
topo_hosts h1 h2
container red a h1 10.0.0.1/24 endpoint off
container red c h2 10.0.0.3/24 endpoint off

# Everything in reach of the switch, without what counts by itself.
state() {
	ip -n $1 -d link show | sed -E 's/ state [A-Z]+//'
	ip -n $1 -d addr show
	ip -n $1 route show table all
	ip -n $1 rule show
	on $1 tc qdisc show
	for dev in eth0 red-a red-c; do
		on $1 tc filter show dev $dev ingress 2>/dev/null || true
		on $1 tc filter show dev $dev egress 2>/dev/null || true
	done
	on $1 bpftool net show 2>/dev/null
	find /sys/fs/bpf /run/tsw -mindepth 1 -path "*$1*" 2>/dev/null | sort || true
}
connect() {
	switch_up
	tenants
	endpoint_add red a h1 02:00:00:00:00:01 10.0.0.1
	endpoint_add red c h2 02:00:00:00:00:03 10.0.0.3
}
tear_down() { # and compare with what was before
	local host

	for host in h1 h2; do
		check "$1: down on $host" sw $host switch down
		is "$1: $host is as it was" "$(state $host)" "$(<$WORK/before.$host)"
	done
}
remember() { for host in h1 h2; do state $host >$WORK/before.$host; done; }

remember
connect
check "traffic after the loader is gone" reach red-a 10.0.0.3
is "no process stays" "$(pgrep -l tsw || true)" ""
check "the kernel's tunnel device was made" ip -n h1 link show tsw-vx
is "every tsw pin is root's alone" \
	"$(find /sys/fs/bpf/tsw -type d \( ! -user root -o -perm /077 \))" ""
tear_down "with endpoints"
check "the containers' devices stay" ip -n h1 link show red-a
check_fails "and no traffic passes" on red-a ping -n -c 1 -W 1 10.0.0.3
check_fails "down of what is not up is refused" sw h1 switch down
connect
check "up again after down" reach red-a 10.0.0.3
is "and it began empty" "$(sw h1 -j stats show | gojq '.[0].tunnel_tx.packets < 5')" true

# Other settings: refused, and nothing changed.
before=$(sw h1 -j switch show; state h1)
for words in "port 4790" "local 192.0.2.9" "name other" "max-endpoints 77" "max-tenants 77"; do
	settings=(dev eth0 local 192.0.2.1 name h1)
	status=0
	# shellcheck disable=SC2086 # the later word replaces or adds
	sw h1 switch up "${settings[@]/%${words%% *}/ignored}" $words 2>$WORK/err || status=$?
	check "up with '$words' is refused" test $status != 0
done
check_fails "up on another device is refused" sw h1 switch up dev lo local 192.0.2.1 name h1
status=0
sw h1 switch up dev eth0 local 192.0.2.1 name h1 port 4790 2>/dev/null || status=$?
is "its exit status is 1" $status 1
is "and nothing changed" "$(sw h1 -j switch show; state h1)" "$before"
check "traffic goes on" reach red-a 10.0.0.3

# What others took away is put back by the same words.
# shellcheck disable=SC2119
again() { sw h1 switch up dev eth0 local 192.0.2.1 name h1 ${1:+attach $1}; }
ip -n h1 link set tsw-vx down
on h1 sysctl -qw net.ipv4.conf.tsw-vx.forwarding=0
check "up again mends the tunnel device" again
is "which is up" "$(ip -n h1 -j link show tsw-vx | gojq '.[0].flags | any(. == "UP")')" true
is "and forwards" "$(on h1 sysctl -n net.ipv4.conf.tsw-vx.forwarding)" 1
tear_down "after refusals"
check "up with clsact" again clsact
sw h1 tenant add red id 100
endpoint_add red a h1 02:00:00:00:00:01 10.0.0.1 2>/dev/null || true # h2 has no switch
for dev in eth0 red-a; do on h1 tc qdisc del dev $dev clsact; done
check "up again puts back qdiscs" again clsact
is "and programs" "$(on h1 tc filter show dev red-a egress | grep -c tsw_to_port)" 1
sw h1 switch down

# Its namespace is gone: -f takes the pins and the router away.
netns gone
ip -n gone link add eth0 type veth peer name eth1
ip -n gone addr add 192.0.4.1/24 dev eth0
check "a switch in a namespace that goes" sw gone switch up dev eth0
check "with a gateway" sw gone -b - <<<$'tenant add red id 100\ngateway add red ip 10.0.0.254/24'
check "has a router" test -e /run/netns/tsw-gw.gone
ip netns del gone
check_fails "down from elsewhere is refused" "$TSW" -i gone switch down
check "but not with -f" "$TSW" -i gone -f switch down
check_fails "and no pin is left" test -e /sys/fs/bpf/tsw/gone
check_fails "and no router" test -e /run/netns/tsw-gw.gone
rmdir /run/tsw 2>/dev/null || true # of the other host, which has no switch now
ln -s -T /nonexistent /run/tsw
status=0
timeout 5 "$TSW" -n h1 switch up dev eth0 local 192.0.2.1 2>$WORK/err || status=$?
is "a lock that cannot be made is told" "$status $(grep -c 'cannot open the lock' $WORK/err)" "1 1"
rm /run/tsw
connect
tear_down "after all that"

# Filters of others on the same devices.
for dev in eth0 red-a; do
	on h1 tc qdisc add dev $dev clsact
	for hook in ingress egress; do # a classic program that matches nothing
		on h1 tc filter add dev $dev $hook prio 7 protocol ip bpf bytecode '1,6 0 0 0' \
			flowid 1:1
	done
done
remember
connect
check "works beside others' filters" reach red-a 10.0.0.3
tear_down "beside others' filters"

# A tunnel of others on the same port, there before the switch.
foreign() { # HOST LOCAL REMOTE ADDRESS
	ip -n $1 link add vx0 type vxlan id 500 dstport 4789 local $2 remote $3
	ip -n $1 addr add $4/24 dev vx0
	ip -n $1 link set vx0 up
}
foreign h1 192.0.2.1 192.0.2.2 172.16.0.1
foreign h2 192.0.2.2 192.0.2.1 172.16.0.2
check "a foreign tunnel works before up" reach h1 172.16.0.2
remember
connect
check "the switch works beside a foreign tunnel" reach red-a 10.0.0.3
check "switch show tells who has the port" grep -qi 'slow.path' <(sw h1 switch show)
check "an unknown VNI is handed to the foreign tunnel" reach h1 172.16.0.2
is "and is no drop" "$(all_drops h1; all_drops h2)" ""
tear_down "beside a foreign tunnel"
check "the foreign tunnel works after down" reach h1 172.16.0.2
finish
