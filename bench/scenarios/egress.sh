#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Out to the world and back by a gateway, beside Docker's default network
#
#    red-a 10.0.0.1 ───────────┐
#    docker 172.17.0.2 ─ br ── h1 ── up0 203.0.113.0/24 ── out, the server
#    red-c 10.0.0.3 ── h2 ─────┘ underlay
#
# On two uplinks: `offload`, a veth as it is, where super-frames cross; and `frames`, without
# segmentation offload. docker1450 is Docker's with the MTU that a tenant has. tsw is the container
# on the gateway's own host, tsw-far the one on the other.
. "$(dirname "$0")/../lib.sh"

PEERS=(docker docker1450 host tsw tsw-far)
WIRES=(offload frames)
[ -z "$QUICK" ] || PEERS=(docker host tsw) WIRES=(frames)
declare -A FROM=([docker]=docker [docker1450]=docker1450 [host]=h1 [tsw]=red-a [tsw-far]=red-c)

docker_bridge() { # what `docker0` is, with its MTU, and with that of a tenant
	local ns n=1 mtu=1500

	ip -n h1 link add docker0 type bridge
	ip -n h1 addr add 172.17.0.1/16 dev docker0
	ip -n h1 link set docker0 up
	for ns in docker docker1450; do
		n=$((n + 1))
		netns $ns
		ip -n h1 link add v$ns type veth peer name eth0 netns $ns
		ip -n h1 link set v$ns master docker0 up
		ip -n $ns addr add 172.17.0.$n/16 dev eth0
		ip -n $ns link set eth0 mtu $mtu up
		ip -n $ns route add default via 172.17.0.1
		mtu=1450
	done
	sysctl_in h1 net.ipv4.ip_forward=1
	on h1 nft -f - <<-END
		table ip nat {
			chain postrouting {
				type nat hook postrouting priority srcnat;
				ip saddr 172.17.0.0/16 oifname != "docker0" masquerade
			}
		}
	END
}

uplink() { # offload|frames
	local word=off

	[ "$1" != offload ] || word=on
	offloads up0 $word h1
	offloads eth0 $word out h1 h2
}

flow() { # [iperf3 option...] PEER
	gbits "${FROM[${!#}]}" 203.0.113.9 "${@:1:$#-1}"
}

scenario egress 'Out to the world by the gateway'
needs iperf3 iperf3
topo_hosts h1 h2
netns out
ip -n h1 link add up0 type veth peer name eth0 netns out
ip -n h1 addr add 203.0.113.1/24 dev up0
ip -n h1 link set up0 up
ip -n out addr add 203.0.113.9/24 dev eth0
ip -n out link set eth0 up
switch_up
tenants red 100
container red a h1 10.0.0.1/24
container red c h2 10.0.0.3/24
docker_bridge
sw h1 gateway add red ip 10.0.0.254/24
sw h2 gateway add red ip 10.0.0.254/24 host h1
for ns in red-a red-c; do
	ip -n $ns route add default via 10.0.0.254
done
serve out
for peer in "${PEERS[@]}"; do
	reach "${FROM[$peer]}" 203.0.113.9
done

for wire in "${WIRES[@]}"; do
	uplink $wire
	figure out-$wire "Out, uplink: $wire" Gb/s more host
	goal tsw docker 1.0
	published 'Docklet (OVS + GRE)' 0.995 1 'Docklet, table 1'
	rounds "${PEERS[@]}" -- flow
	figure in-$wire "The way back, uplink: $wire" Gb/s more host
	goal tsw docker 1.0
	rounds "${PEERS[@]}" -- flow -R
done
