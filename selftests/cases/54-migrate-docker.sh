#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   web1, both ── br-… (web) ─┐
#   db1, both ─ docker7 (db) ─┴ h1 192.0.2.1
#
# Docker's own bridge networks: what a real daemon tells of them, and what tsw-migrate makes of it.
. "$(dirname "$0")/../lib.sh"
. "$LIB/lib_docker.sh"
. "$LIB/lib_dockerd.sh"
. "$LIB/lib_migrate.sh"

why=$(dockerd_ready) || { skip "Docker's daemon" "$why" && finish && exit; }
mount -t tmpfs tmpfs /var/lib
topo_hosts h1 h2
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
start web1 web
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
finish
