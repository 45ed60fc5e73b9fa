#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: migrate/bridge moves what Docker's networks are made of
#
#            world 198.51.1.2 ─┐
#   web1, both ── br-… (web) ─┐│
#   db1, both ─ docker7 (db) ─┴┴ h1 192.0.2.1 ═════ 192.0.2.2 h2 ─ far
#
# Docker's own bridge networks: what a real daemon tells of them, and what tsw-migrate makes of it.
# They move all at once, or one container after the other while both sides talk.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_dockerd.sh"
. "$LIB/lib_migrate.sh"

dockerd_need
topo_hosts h1 h2
uplink h1 world 1
dockerd_on h1
image h1

# start NAME NETWORK [WORD]...: a container, which is the namespace of that name, too
start() {
	dock h1 run -d --name "$1" --network "$2" "${@:3}" box /bin/busybox sleep 1000 >/dev/null
	ip netns attach "$1" "$(dock h1 inspect -f '{{.State.Pid}}' "$1")"
	undo ip netns del "$1"
}
# device NAME INTERFACE: its other end on the host
device() {
	local at

	at=$(on "$1" ip -j link show dev "$2" | gojq '.[0].link_index')
	ip -n h1 -j link | gojq -r ".[] | select(.ifindex == $at).ifname"
}
# truth NAME INTERFACE: what that container itself has there, as tenants_of prints an endpoint
truth() {
	echo "  $1 $(on "$1" ip -j addr show dev "$2" | gojq -r '.[0] | .address + " " +
		([.addr_info[] | select(.scope == "global").local] | join(","))') h1 $(device "$@")"
}
networks() { dock h1 network inspect "$@"; }
# bridge_of NETWORK: its device, as `docker network inspect` itself tells of it
bridge_of() { networks "$1" -f "br-{{printf \"%.12s\" .Id}}"; }
docker_is() { migrate h1 docker --host h1 --local 192.0.2.1 "$@"; }

# ---- what it tells ------------------------------------------------------------------------------

for net in 'web --subnet 172.18.0.0/24 --ipv6 --subnet fd00:18::/64' 'inner --internal' \
	'db --subnet 10.7.0.0/24 --gateway 10.7.0.254 -o com.docker.network.bridge.name=docker7'; do
	# shellcheck disable=SC2086 # several words
	dock h1 network create ${net#* } ${net%% *} >/dev/null
done
start web1 web -p 8080:80
start both web --ip 172.18.0.77 --mac-address 02:00:00:00:00:77
dock h1 network connect db both
start db1 db
networks web db | docker_is --id-base 600 - >$WORK/state
is "who has not spoken is left out" "$(left_out | sed 's/: .*//' | sort)" "$(printf \
	'container "%s" of network "db"\n' both db1)"
for at in 1 2; do check "db's container 10.7.0.$at answers" reach h1 10.7.0.$at; done
networks web db inner host none | docker_is --id-base 600 - >$WORK/state
is "all have spoken: nothing is left out" "$(<$WORK/status) $(left_out)" "0 "
is "networks, gateways and containers are those of Docker" "$(tenants_of <$WORK/state)" "$(
	echo 'db 601 vxlan gateway 10.7.0.254/24 at h1'
	truth both eth1
	truth db1 eth0
	echo 'inner 602 vxlan'
	echo 'web 603 vxlan gateway 172.18.0.1/24,fd00:18::1/64 at h1'
	truth both eth0
	truth web1 eth0)"
mac_on() { ip -n h1 -j link show dev "$1" | gojq -r '.[0].address'; }
is "nets, and the gateways' MACs" "$(gojq -c '.tenants[] | [.name, .net, .gateway.mac]' \
	$WORK/state | grep -v inner)" "$(printf '%s\n' \
	"[\"db\",[\"10.7.0.0/24\"],\"$(mac_on docker7)\"]" \
	"[\"web\",[\"172.18.0.0/24\",\"fd00:18::/64\"],\"$(mac_on "$(bridge_of web)")\"]")"
is "the containers' default routes lead to these gateways" \
	"$(for name in web1 db1; do ip -n $name route show default; done | awk '{ print $3 }' | xargs)" \
	"172.18.0.1 10.7.0.254"
check "it fits the schema" fits <$WORK/state
check "apply takes it" sw h1 -q apply $WORK/state
undo sw h1 switch down
is "and it is all there" "$(sw h1 diff $WORK/state)" ""
check "now tsw's: web1 reaches the other of its network" reach web1 172.18.0.77
check "by IPv6" reach web1 fd00:18::3
check "and db1 its other" reach db1 10.7.0.1
check "which the switch has counted" test "$(stat_of h1 web local)" -ge 4 -a \
	"$(stat_of h1 db local)" -ge 2
sw h1 switch down
check "and without tsw they are Docker's again" reach web1 172.18.0.77

# ---- one container after the other --------------------------------------------------------------

# As docs/migrate.md has it: the bridge is a host of its own to the switch, behind a vxlan device
# whose tunnel ends in another namespace. What goes there would not leave this host otherwise.
netns old
ip -n h1 link add old0 mtu 1600 type veth peer name eth0 netns old mtu 1600
ip -n h1 addr add 198.18.0.1/30 dev old0
ip -n h1 link set old0 up
ip -n old addr add 198.18.0.2/30 dev eth0
ip -n old link set eth0 up
ip -n old route add 192.0.2.1 via 198.18.0.1
ip -n old link add vx-web mtu 1500 type vxlan id 603 dstport 4789 local 198.18.0.2 remote 192.0.2.1
ip -n old link set vx-web netns h1
ip -n h1 link set vx-web master "$(bridge_of web)" up
check "h1 is up, with a way to the old side" sw h1 switch up dev eth0 dev old0 local 192.0.2.1 name h1
sw h2 switch up dev eth0 name h2
undo sw h2 switch down
networks web | docker_is --id web=603 - >$WORK/end.json
networks web | migrate h1 docker --host docker --local 198.18.0.2 --id web=603 - >$WORK/old.json
sw h1 save >$WORK/now.json
migrate h1 merge $WORK/now.json $WORK/old.json >$WORK/begin.json
check "all of web is known, at the old side" sw h1 -q apply $WORK/begin.json
sw h1 host add h2 ip 192.0.2.2
sw h2 host add h1 ip 192.0.2.1
sw h2 tenant add web id 603
container web far h2 172.18.0.200/24
for name in web1 both; do
	# shellcheck disable=SC2046 # several words
	sw h2 endpoint add $name tenant web host h1 $(sw h1 -j endpoint show $name tenant web |
		gojq -r '.[0] | "mac \(.mac) " + (.ip | map("ip " + .) | join(" "))')
done
dock h1 exec web1 /bin/busybox httpd -p 80 -h /
large() { retry 5 on "$1" ping -n -c 1 -W 1 -M "do" -s 1472 "$2"; }
works() { # DESC: whoever has moved or has not
	check "$1: they reach each other" large web1 172.18.0.77
	check "$1: by IPv6" reach both "$WEB1_6"
	for name in web1 both; do
		check "$1: $name reaches Docker's gateway" reach $name 172.18.0.1
		check "$1: $name reaches the world by it" reach $name 198.51.1.2
	done
	is "$1: a published port answers" "$(ask world tcp 198.51.1.1 8080 |
		sed -n '1s/^\(HTTP\/1.1\) .*/\1/p')" HTTP/1.1
}
WEB1_6=$(dock h1 inspect -f '{{.NetworkSettings.Networks.web.GlobalIPv6Address}}' web1)
# moves NAME: to tsw's; goes_back NAME: to Docker's bridge
moves() {
	sw h1 endpoint set "$1" tenant web dev "$2"
	ip -n h1 link set "$2" nomaster
}
goes_back() {
	ip -n h1 link set "$2" master "$(bridge_of web)"
	sw h1 endpoint set "$1" tenant web host docker
}
works "before"
flow web1-to-both web1 both 172.18.0.77
flow both-to-web1 both web1 172.18.0.2
check "web1 moves" moves web1 "$(device web1 eth0)"
sleep 0.5
flows_end "web1 moves" none
works "web1 has moved"
check "web1 has neighbours on other hosts now" reach web1 172.18.0.200
check "who has not moved has not" no_reach both 172.18.0.200
flow web1-to-both web1 both 172.18.0.77
flow both-to-web1 both web1 172.18.0.2
check "web1 goes back" goes_back web1 "$(device web1 eth0)"
sleep 0.5
check "and moves again" moves web1 "$(device web1 eth0)"
check "both moves" moves both "$(device both eth0)"
sleep 0.5
flows_end "back, and both move" none
works "all have moved"
check "both has neighbours on other hosts, too" reach both 172.18.0.200
expect_drops "they talk by the switch, and nothing is lost" h1 0 "web not_stamped to_endpoint" \
	on web1 ping -n -c 3 -i 0.1 172.18.0.77

# The gateway comes last; then the way to the old side has gone.
flow web1-to-both web1 both 172.18.0.77
check "the gateway moves" sw h1 gateway set web host h1
check "the old side goes" sw h1 host del docker
ip -n h1 link del old0 # at once, and not when the kernel has cleaned up
ip netns del old
check "and its underlay" sw h1 switch set dev eth0
sleep 0.5
flows_end "the gateway moves" web
check "web1 reaches the world by it" reach web1 198.51.1.2
check "switch check finds nothing" sw h1 switch check
finish
