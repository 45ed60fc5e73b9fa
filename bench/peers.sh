#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The peers: ways for two containers to reach each other. Sourced by a scenario behind lib.sh.
#
#   peer_make PEER...        a container of each on two hosts
#   peer_make_local PEER...  both on h1
#
# tsw and tsw-gre are on h1 and h2, which topo_hosts has made. Every other peer between hosts has
# two hosts of its own, joined alike. So no peer meets the programs, tunnel sockets and hooks of
# another: with a second VXLAN socket the kernel looks for the right one for each segment.
#
# Afterwards FROM[PEER] and TO[PEER] are namespaces and ADDR[PEER] is the address of TO; an echo
# request has crossed. A peer whose tools are missing is in SKIPPED. A scenario has one of the two
# kinds. Every container but those of host, docker and loopback has the MTU that an overlay leaves,
# since the way is compared and not the size of frames.
#
#   between hosts                                on one host
#   host     the hosts themselves                loopback  one namespace
#   routed   plain routes                        direct    a veth pair, nothing between
#   redirect a tc program that only sends on: what the way costs, the floor of any such switch
#   macvlan  on the hosts' eth0                  macvlan   on h1's eth0, bridge mode
#   bridge   Linux bridge and vxlan device       bridge    Linux bridge
#   tun      TUN and UDP by socat, in userspace  docker    what `docker0` is
#   ovs      Open vSwitch, userspace datapath, VXLAN, on a wire of its own
#   tsw, tsw-gre
# shellcheck shell=bash disable=SC1091,SC2034,SC2086 # as in selftests/.shellcheckrc

. "$LIB/lib_ovs.sh"

declare -A FROM=() TO=() ADDR=()
APART='' # set by a scenario: hosts have a CPU each (place and nic of lib.sh), where FROM's is 0
PEER_HOSTS=(h1 h2)
A=h1 B=h2 # the hosts of the peer that is being made
PEER_MTU=$((UNDERLAY_MTU - 50)) # VXLAN over IPv4

peer_make() { peers_make between "$@"; }
peer_make_local() { peers_make local "$@"; }

peers_make() { # between|local PEER...
	local kind=$1 peer

	shift
	for peer in "$@"; do
		peer_tools $peer || continue
		[ "$(type -t ${kind}_$peer)" = function ] || {
			echo "peers: no peer '$peer' $kind hosts" >&2
			return 1
		}
		[ $kind = local ] || peer_hosts $peer
		${kind}_$peer
		[ -z "$APART" ] || {
			place 0 ${FROM[$peer]}
			place 1 ${TO[$peer]}
		}
		reach ${FROM[$peer]} ${ADDR[$peer]} || {
			echo "peers: $peer: no answer from ${ADDR[$peer]}" >&2
			return 1
		}
	done
}

peer_hosts() { # PEER
	local HOSTS # topo_hosts sets it

	A=h1 B=h2
	case $1 in
	tsw | tsw-gre) ;;
	*)
		A=$1-h1 B=$1-h2
		topo_hosts $A $B
		PEER_HOSTS+=("$A" "$B")
		;;
	esac
	[ -n "$APART" ] || return 0
	place 0 $A
	place 1 $B
	nic 0 $A eth0
	nic 1 $B eth0
}

peer_wire() { wire $1 "${PEER_HOSTS[@]}"; } # offload|frames

peer_tools() { # PEER
	case $1 in
	docker) needs nft nftables docker ;;
	ovs) needs ovs-vswitchd openvswitch-switch ovs ;;
	tun) needs socat socat tun ;;
	esac
}

ends() { # PEER FROM TO ADDRESS
	FROM[$1]=$2 TO[$1]=$3 ADDR[$1]=$4
}

# box NS HOST ADDRESS/LENGTH [MTU]: a container there, whose other end is the device NS.
box() {
	local ns=$1 host=$2 mtu=${4:-$PEER_MTU}

	netns $ns
	ip -n $host link add $ns mtu $mtu type veth peer name eth0 mtu $mtu netns $ns
	ip -n $host link set $ns up
	container_net $ns off $3
}

# ---- hosts, and what needs no switch ------------------------------------------------

between_host() { ends host $A $B ${VTEP[$B]}; }

local_loopback() {
	netns loopback
	ends loopback loopback loopback 127.0.0.1
}

local_direct() {
	netns direct-a
	netns direct-b
	ip -n direct-a link add eth0 mtu $PEER_MTU type veth \
		peer name eth0 mtu $PEER_MTU netns direct-b
	ip -n direct-b link set eth0 up
	container_net direct-a off 10.5.0.1/24
	container_net direct-b off 10.5.0.2/24
	ends direct direct-a direct-b 10.5.0.2
}

routed_box() { # NS HOST NET: its network is NET.0/24, the host's address there NET.1
	box $1 $2 $3.2/24
	ip -n $2 addr add $3.1/24 dev $1
	ip -n $1 route add default via $3.1
	sysctl_in $2 net.ipv4.ip_forward=1
}

between_routed() {
	routed_box routed-a $A 10.2.1
	routed_box routed-c $B 10.2.2
	ip -n $A route add 10.2.2.0/24 via ${VTEP[$B]}
	ip -n $B route add 10.2.1.0/24 via ${VTEP[$A]}
	ends routed routed-a routed-c 10.2.2.2
}

local_routed() {
	routed_box routed-a h1 10.2.1
	routed_box routed-b h1 10.2.2
	ends routed routed-a routed-b 10.2.2.2
}

# ---- the floor ----------------------------------------------------------------------

octets() { # NUMBER: its four, in the machine's order
	"$PY" -c 'import sys; print(*int(sys.argv[1]).to_bytes(4, sys.byteorder))' $1
}

mac_octets() { printf '%d ' 0x${1//:/ 0x}; } # MAC

link_of() { ip -n $1 -j link show dev $2 | jq -r ".[0].$3"; } # NS DEV FIELD

# redirect_way HOST DEV IP TO peer|plain DST SRC: bench/redirect.bpf.c takes there what comes in by
# DEV for IP (0.0.0.0: for all), with those Ethernet addresses.
redirect_way() {
	local pin=/sys/fs/bpf/redirect-$1 peer=0

	if [ ! -e $pin ]; then
		mkdir $pin
		bpftool prog load "${TSW%/*}/bench/redirect.bpf.o" $pin/prog type tc pinmaps $pin
	fi
	[ $5 = plain ] || peer=1
	bpftool map update pinned $pin/ways key $(octets $(link_of $1 $2 ifindex)) \
		value ${3//./ } $(octets $(link_of $1 $4 ifindex)) $(octets $peer) \
		$(mac_octets $6) $(mac_octets $7)
	on $1 tc qdisc add dev $2 clsact 2>/dev/null || true
	on $1 tc filter add dev $2 ingress prio 7 bpf direct-action object-pinned $pin/prog
}

redirect_box() { # NS HOST ADDRESS OTHER
	box $1 $2 $3/24
	ip -n $1 neigh replace $4 lladdr 02:00:00:00:00:ff dev eth0 nud permanent
}

redirect_end() { # NS HOST ADDRESS OTHER-HOST OTHER
	redirect_box $1 $2 $3 $5
	redirect_way $2 $1 0.0.0.0 eth0 plain $(link_of $4 eth0 address) $(link_of $2 eth0 address)
	redirect_way $2 eth0 $3 $1 peer $(link_of $1 eth0 address) $(link_of $2 eth0 address)
}

between_redirect() {
	redirect_end redirect-a $A 10.6.0.1 $B 10.6.0.3
	redirect_end redirect-c $B 10.6.0.3 $A 10.6.0.1
	ends redirect redirect-a redirect-c 10.6.0.3
}

local_redirect() {
	redirect_box redirect-a h1 10.6.0.1 10.6.0.2
	redirect_box redirect-b h1 10.6.0.2 10.6.0.1
	redirect_way h1 redirect-a 0.0.0.0 redirect-b peer \
		$(link_of redirect-b eth0 address) $(link_of redirect-a eth0 address)
	redirect_way h1 redirect-b 0.0.0.0 redirect-a peer \
		$(link_of redirect-a eth0 address) $(link_of redirect-b eth0 address)
	ends redirect redirect-a redirect-b 10.6.0.2
}

# ---- macvlan ------------------------------------------------------------------------

macvlan_box() { # NS HOST ADDRESS/LENGTH
	netns $1
	ip -n $2 link add link eth0 name eth0 mtu $PEER_MTU netns $1 type macvlan mode bridge
	container_net $1 off $3
}

# Its containers are neighbours of the hosts, in their network.
between_macvlan() {
	macvlan_box macvlan-a $A 192.0.2.101/24
	macvlan_box macvlan-c $B 192.0.2.103/24
	ends macvlan macvlan-a macvlan-c 192.0.2.103
}

local_macvlan() {
	macvlan_box macvlan-a h1 192.0.2.101/24
	macvlan_box macvlan-b h1 192.0.2.102/24
	ends macvlan macvlan-a macvlan-b 192.0.2.102
}

# ---- tsw ----------------------------------------------------------------------------

# A switch on either host, unless the scenario or another peer has made them.
peer_switch() { sw h1 switch show >/dev/null 2>&1 || switch_up; }

tsw_box() { # TENANT NAME HOST ADDRESS/LENGTH
	container $1 $2 $3 $4 mtu "$(sw $3 -j tenant show $1 | jq '.[0].mtu')"
}

tsw_between() { # PEER ID ENCAP
	peer_switch
	ENCAP=$3 tenants $1 $2
	tsw_box $1 a h1 10.0.0.1/24
	tsw_box $1 c h2 10.0.0.3/24
	ends $1 $1-a $1-c 10.0.0.3
}
between_tsw() { tsw_between tsw 100 vxlan; }
between_tsw-gre() { tsw_between tsw-gre 200 gre; }

local_tsw() {
	peer_switch
	tenants tsw 100
	tsw_box tsw a h1 10.0.0.1/24
	tsw_box tsw b h1 10.0.0.2/24
	ends tsw tsw-a tsw-b 10.0.0.2
}

# ---- Linux bridge -------------------------------------------------------------------

bridge_box() { # NS HOST ADDRESS/LENGTH
	box $1 $2 $3
	ip -n $2 link set $1 master br0
}

bridge_make() { # HOST
	ip -n $1 link add br0 mtu $PEER_MTU type bridge
	ip -n $1 link set br0 up
}

bridge_vxlan() { # HOST REMOTE
	bridge_make $1
	ip -n $1 link add vx0 mtu $PEER_MTU type vxlan id 300 dstport 8472 local ${VTEP[$1]} \
		remote ${VTEP[$2]}
	ip -n $1 link set vx0 master br0 up
}

between_bridge() {
	bridge_vxlan $A $B
	bridge_vxlan $B $A
	bridge_box bridge-a $A 10.1.0.1/24
	bridge_box bridge-c $B 10.1.0.3/24
	ends bridge bridge-a bridge-c 10.1.0.3
}

local_bridge() {
	bridge_make h1
	bridge_box bridge-a h1 10.1.0.1/24
	bridge_box bridge-b h1 10.1.0.2/24
	ends bridge bridge-a bridge-b 10.1.0.2
}

docker_box() { # NS HOST ADDRESS/LENGTH [MTU]
	box $1 $2 $3 ${4:-1500}
	ip -n $2 link set $1 master docker0
	ip -n $1 route add default via 172.17.0.1
}

# docker_bridge HOST: what Docker's default network is: the host is its router and masquerades.
docker_bridge() {
	ip -n $1 link add docker0 type bridge
	ip -n $1 addr add 172.17.0.1/16 dev docker0
	ip -n $1 link set docker0 up
	sysctl_in $1 net.ipv4.ip_forward=1
	on $1 nft -f - <<-END
		table ip nat {
			chain postrouting {
				type nat hook postrouting priority srcnat;
				ip saddr 172.17.0.0/16 oifname != "docker0" masquerade
			}
		}
	END
}

local_docker() {
	docker_bridge h1
	docker_box docker-a h1 172.17.0.2/16
	docker_box docker-b h1 172.17.0.3/16
	ends docker docker-a docker-b 172.17.0.3
}

# ---- userspace ----------------------------------------------------------------------

tun_end() { # HOST REMOTE N
	at_bg $1 socat TUN:10.3.0.$3/24,tun-name=tun0,tun-type=tun,iff-no-pi,iff-up \
		UDP:${VTEP[$2]}:9000,bind=${VTEP[$1]}:9000
	retry 5 ip -n $1 link set tun0 mtu $PEER_MTU
	retry 5 ip -n $1 route get 10.3.0.9 oif tun0
}

between_tun() {
	tun_end $A $B 1
	tun_end $B $A 2
	routed_box tun-a $A 10.3.1
	routed_box tun-c $B 10.3.2
	ip -n $A route add 10.3.2.0/24 dev tun0
	ip -n $B route add 10.3.1.0/24 dev tun0
	ends tun tun-a tun-c 10.3.2.2
}

# ovs_box NS HOST ADDRESS/LENGTH: the userspace datapath wants checksums filled in and whole frames,
# and has room for few at a time: a window that it can hold makes TCP twice as fast.
ovs_box() {
	box $1 $2 $3
	vsctl $2 add-port br-ovs $1
	on $1 ethtool -K eth0 tx off >/dev/null
	sysctl_in $1 net.ipv4.tcp_wmem='4096 16384 131072'
}

ovs_make() { # HOST
	ovs_daemons $1 --disable-system
	vsctl $1 add-br br-ovs -- set bridge br-ovs datapath_type=netdev fail_mode=standalone
}

# ovs_wire HOST N: a userspace datapath that tunnels has the underlay's device for itself, and its
# address on a bridge. So these have a wire of their own, beside eth0.
ovs_wire() {
	sysctl_in $1 net.ipv6.conf.ovs0.disable_ipv6=1
	ip -n $1 link set ovs0 arp off up
	vsctl $1 add-br br-wire -- set bridge br-wire datapath_type=netdev \
		other-config:hwaddr=02:ff:00:00:00:0$2 -- add-port br-wire ovs0
	ip -n $1 link set br-wire up
	ip -n $1 addr add 198.51.100.$2/24 dev br-wire
	retry 20 ovs_knows_route $1 198.51.100.$2
	vsctl $1 add-port br-ovs vxlan -- set interface vxlan type=vxlan options:key=300 \
		options:local_ip=198.51.100.$2 options:remote_ip=198.51.100.$((3 - $2))
}

between_ovs() {
	ovs_make $A
	ovs_make $B
	ip -n $A link add ovs0 mtu $UNDERLAY_MTU type veth \
		peer name ovs0 mtu $UNDERLAY_MTU netns $B
	ovs_wire $A 1
	ovs_wire $B 2
	ovs_box ovs-a $A 10.4.0.1/24
	ovs_box ovs-c $B 10.4.0.3/24
	ends ovs ovs-a ovs-c 10.4.0.3
}

local_ovs() {
	ovs_make h1
	ovs_box ovs-a h1 10.4.0.1/24
	ovs_box ovs-b h1 10.4.0.2/24
	ends ovs ovs-a ovs-b 10.4.0.2
}

# ---- of a peer ----------------------------------------------------------------------

# next_mac PEER: where FROM's frames to ADDR go first; it has been reached, so that is known.
next_mac() {
	local ns=${FROM[$1]} hop

	hop=$(ip -n $ns -j route get ${ADDR[$1]} | jq -r '.[0] | .gateway // .dst')
	ip -n $ns -j neigh show to $hop dev eth0 | jq -r '.[0].lladdr'
}

# peer_serve PEER...: an iperf3 and a sockperf at the far end of each.
peer_serve() {
	local peer

	for peer in "$@"; do
		[ -z "${SKIPPED[$peer]:-}" ] || continue
		serve ${TO[$peer]}
		answer ${TO[$peer]}
	done
}

peer_flow() { gbits ${FROM[$1]} ${ADDR[$1]}; }      # PEER
peer_trip() { trip ${FROM[$2]} ${ADDR[$2]} "$1"; } # PERCENTILE PEER
