#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Out to the world and back by a gateway, beside Docker's default network
#
#    red-a 10.0.0.1 ───────────────── h1 ── up0 203.0.113.0/24 ── out, the server
#    red-c 10.0.0.3 ── h2 ─ underlay ─┘
#    docker 172.17.0.2 ── docker0 ── d1 ── the same ── outd
#                                    p1 ── the same ── outp     host: nothing else is there
#
# None meets the hooks of another. The servers' hosts have one CPU, all others the other. On two
# uplinks: `offload`, a veth as it is, where super-frames cross; and `frames`, without segmentation
# offload. docker1450 is Docker's with the MTU that a tenant has. tsw is the container on the
# gateway's own host, tsw-far the one on the other: both by the fast way, TCP too.
# tsw-slow is the first with `fast off`: all goes by conntrack and nftables.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"

PEERS=(docker docker1450 host tsw tsw-slow tsw-far)
WIRES=(offload frames)
[ -z "$QUICK" ] || PEERS=(docker host tsw) WIRES=(frames)
TRIPS=("${PEERS[@]}") # each of which takes sockperf two seconds beside its turn
[ -z "$QUICK" ] || TRIPS=(host tsw)
PPS=${TSW%/*}/bench_pps
declare -A SERVER=([docker]=outd [host]=outp [tsw]=out [tsw-slow]=out [tsw-far]=out)
FROM=([docker]=docker [docker1450]=docker1450 [host]=p1
	[tsw]=red-a [tsw-slow]=red-a [tsw-far]=red-c)

uplink() { # offload|frames
	local word=off

	[ "$1" != offload ] || word=on
	offloads up0 $word h1 d1 p1
	offloads eth0 $word out outd outp h1 h2
}

uplink_make() { # HOST OUT
	netns $2
	ip -n $1 link add up0 type veth peer name eth0 netns $2
	ip -n $1 addr add 203.0.113.1/24 dev up0
	ip -n $1 link set up0 up
	ip -n $2 addr add 203.0.113.9/24 dev eth0
	ip -n $2 link set eth0 up
	nic 0 $1 up0
	nic 1 $2 eth0
}

way() { # PEER
	local word=on

	[ "$1" != tsw-slow ] || word=off
	sw h1 gateway set red fast $word
}

flow() { # [iperf3 option...] PEER
	way "${!#}"
	gbits "${FROM[${!#}]}" 203.0.113.9 "${@:1:$#-1}"
}

there_and_back() { # PERCENTILE PEER
	way "$2"
	trip "${FROM[$2]}" 203.0.113.9 "$1"
}

hop_of() { on "${FROM[$1]}" ip -j route get 203.0.113.9 | jq -r ".[0] | .$2"; } # PEER FIELD
hop_mac() { # PEER: of the next hop on its way out
	on "${FROM[$1]}" ip -j neigh show "$(hop_of $1 'gateway // .dst')" | jq -r '.[0].lladdr'
}

connections() { # PEER: a second, each for one page
	way "$1"
	at "${FROM[$1]}" wrk -t 16 -c 16 -d "$SECONDS_EACH" -s "$WORK/wrk.lua" \
		-H 'Connection: close' http://203.0.113.9/ |
		sed -nE 's/^Requests\/sec: *([0-9.]+).*/\1/p'
}

scenario egress 'Out to the world by the gateway'
needs iperf3 iperf3
needs sockperf sockperf
needs apache2 apache2-bin
needs wrk wrk
topo_hosts h1 h2
netns d1
netns p1
uplink_make h1 out
uplink_make d1 outd
uplink_make p1 outp
switch_up
tenants red 100
sw h1 tenant set red connections none half-open none
container red a h1 10.0.0.1/24
container red c h2 10.0.0.3/24
docker_bridge d1
docker_box docker d1 172.17.0.2/16
docker_box docker1450 d1 172.17.0.3/16 $PEER_MTU
sw h1 gateway add red ip 10.0.0.254/24
sw h2 gateway add red ip 10.0.0.254/24 host h1
for ns in red-a red-c; do
	ip -n $ns route add default via 10.0.0.254
done
nic 0 h1 eth0
nic 0 h2 eth0
place 0 h1 h2 d1 p1 red-a red-c docker docker1450
place 1 out outd outp
serve out outd outp
answer out outd outp
[ -n "$QUICK" ] || for ns in out outd outp; do page_server $ns; done
cat >"$WORK/wrk.lua" <<-END
	local n = 0
	function setup(thread)
		thread.addr = wrk.lookup("203.0.113." .. 9 + n, "80")[1]
		n = n + 1
	end
END
for peer in "${PEERS[@]}"; do
	reach "${FROM[$peer]}" 203.0.113.9
done

for wire in "${WIRES[@]}"; do
	uplink $wire
	figure out-$wire "Out, uplink: $wire" Gb/s more host
	goal tsw docker $([ $wire = offload ] && echo 1.25 || echo 1.05)
	goal tsw-far host 0.75
	published 'Docklet (OVS + GRE)' 0.995 1 'Docklet, table 1'
	rounds "${PEERS[@]}" -- flow
	figure rr-$wire "A request out and its answer, percentile 50, uplink: $wire" us less host
	goal tsw host 1.12
	rounds "${TRIPS[@]}" -- there_and_back 50.000
	[ -z "$QUICK" ] || continue
	figure in-$wire "The way back, uplink: $wire" Gb/s more host
	goal tsw docker $([ $wire = offload ] && echo 1.25 || echo 1.05)
	rounds "${PEERS[@]}" -- flow -R
done
[ -z "$QUICK" ] || exit 0
# To 16 addresses of the server: conntrack keeps what is closed for two minutes, and to one address
# there are 28,000 ports to leave by.
for ns in out outd outp; do
	for ((i = 10; i < 25; i++)); do ip -n $ns addr add 203.0.113.$i/24 dev eth0; done
done
# pps FLOWS PEER: frames of 64 octets a second that come, of so many flows in turn. Each has had an
# answer before, so conntrack has seen both ways of it.
pps() {
	local addresses=16

	way "$2"
	at "${FROM[$2]}" "$PPS" from "${FROM[$2]}" to "${SERVER[$2]}" ip 203.0.113.9 \
		dev "$(hop_of "$2" dev)" mac "$(hop_mac "$2")" length 64 ms $((SECONDS_EACH * 1000)) \
		ports $(($1 / addresses)) addresses $addresses | jq .received
}
for flows in 10000 100000; do
	figure flows-$flows "Frames of 64 octets out, flows at once: $flows" '1/s' more host
	rounds docker host tsw tsw-slow tsw-far -- pps $flows
done
figure connections 'New connections, one page each' '1/s' more host
goal tsw docker 1.0
rounds docker host tsw tsw-far -- connections
