#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Beside Open vSwitch in the kernel
# Quick: no
#
#    h1 ── containers a, b         h2 ── container c        each peer has hosts of its own
#
# ovs-vxlan, ovs-gre      Open vSwitch's kernel datapath as Docklet's layout has it: for each tenant
#                         a bridge that learns addresses, and a tunnel port with the tenant's key
# flows-vxlan, flows-gre  the same datapath as Neutron's layout has it: two bridges for all tenants
#                         with a VLAN for each, guards of addresses, and flows for the tunnels
# direct                  on one host: a veth pair between the containers, the limit there
#
# A machine without the module `openvswitch` runs this in Debian's Linux 6.12 (scripts/kernels.sh),
# which is emulated. Its clock counts instructions: a microsecond is a thousand of them. So load on
# the machine does not matter, and neither do caches, which an emulated processor does not have.
set -eu -o pipefail
here=$(dirname "$(readlink -f "$0")")
if [ -z "${TSW_VM:-}" ] && ! modprobe -qn openvswitch; then
	# A guest that waits for a disk is idle, and its clock leaps: no bound may be short.
	export TSW_VM_COUNT=1 TSW_SLOW=50
	"$here/../../scripts/kernels.sh" run 6.12 env BENCH_OUT=/dev/stdout QUICK="$QUICK" \
		ROUNDS="$ROUNDS" SECONDS_EACH="$SECONDS_EACH" bash "$0" |
		while IFS= read -r line; do
			[ "${line#\{}" != "$line" ] || { echo "$line" >&2 && continue; }
			echo "$line" >>"$BENCH_OUT"
		done
	exit
fi
. "$here/../lib.sh"
. "$BENCH/peers.sh"

SWITCHES=(tsw tsw-gre bridge ovs-vxlan ovs-gre flows-vxlan flows-gre)
OVERLAYS=(redirect "${SWITCHES[@]}")
LENGTHS=(64 512 $((PEER_MTU + 14)))
OTHERS=99 # tenants, beside the one that is measured
PPS=${TSW%/*}/bench_pps
TURN=$((SECONDS_EACH * 1000)) # milliseconds
[ -z "${TSW_VM_COUNT:-}" ] || TURN=20 # which take the emulator a second or more

# ---- Open vSwitch in the kernel -----------------------------------------------------

ovs_start() { # HOST
	ovs_daemons $1
	vsctl $1 set open_vswitch . other_config:max-idle=100000
}

# ovs_port HOST BRIDGE DEV [TAG]
ovs_port() { vsctl $1 add-port $2 $3 ${4:+tag=$4}; }

# As Docklet: `ovs-vsctl add-br`, and a port of type gre with the tenant's key.
learning_bridge() { # HOST REMOTE TYPE N: for tenant N
	echo "-- add-br br$4 -- add-port br$4 t$4 -- set interface t$4 type=$3 options:key=$4" \
		"options:local_ip=${VTEP[$1]} options:remote_ip=${VTEP[$2]}"
}

learning_between() { # PEER TYPE NET
	ovs_start $A
	ovs_start $B
	vsctl $A $(learning_bridge $A $B $2 1)
	vsctl $B $(learning_bridge $B $A $2 1)
	learning_box $1-a $A 10.$3.0.1/24
	learning_box $1-b $A 10.$3.0.2/24
	learning_box $1-c $B 10.$3.0.3/24
	ends $1 $1-a $1-c 10.$3.0.3
}
learning_box() { # NS HOST ADDRESS/LENGTH
	box $1 $2 $3
	ovs_port $2 br1 $1
}
between_ovs-vxlan() { learning_between ovs-vxlan vxlan 21; }
between_ovs-gre() { learning_between ovs-gre gre 22; }

# As Neutron's agent: br-int learns within a tenant's VLAN once a port's guard has passed the
# frame; br-tun turns the VLAN into the tunnel's key, by a flow for each far MAC.
flow_bridges() { # HOST REMOTE TYPE
	vsctl $1 add-br br-int -- set bridge br-int fail_mode=secure -- \
		add-br br-tun -- set bridge br-tun fail_mode=secure -- \
		add-port br-int patch-tun -- set interface patch-tun type=patch \
		options:peer=patch-int ofport_request=1 -- \
		add-port br-tun patch-int -- set interface patch-int type=patch \
		options:peer=patch-tun ofport_request=1 -- \
		add-port br-tun far -- set interface far type=$3 options:key=flow \
		options:local_ip=${VTEP[$1]} options:remote_ip=${VTEP[$2]} ofport_request=2
	ofctl $1 br-int <<-END
		table=0,priority=0,actions=resubmit(,60)
		table=60,priority=0,actions=NORMAL
	END
	ofctl $1 br-tun <<-END
		table=0,priority=1,in_port=1,actions=resubmit(,2)
		table=0,priority=1,in_port=2,actions=resubmit(,4)
		table=2,priority=0,dl_dst=00:00:00:00:00:00/01:00:00:00:00:00,actions=resubmit(,20)
		table=2,priority=0,dl_dst=01:00:00:00:00:00/01:00:00:00:00:00,actions=resubmit(,22)
		table=4,priority=0,actions=drop
		table=20,priority=0,actions=resubmit(,22)
		table=22,priority=0,actions=drop
	END
}
ofctl() { # HOST BRIDGE, flows from stdin
	ovs-ofctl add-flows "unix:$WORK/ovs-$1/$2.mgmt" -
}

# tenant_flows MAC N...: of br-tun, for tenants that have the far MAC.
tenant_flows() {
	local mac=$1 n

	for n in "${@:2}"; do
		echo "table=4,priority=1,tun_id=$n,actions=mod_vlan_vid:$n,output:1"
		echo "table=20,priority=2,dl_vlan=$n,dl_dst=$mac,actions=strip_vlan,set_tunnel:$n,output:2"
		echo "table=22,priority=1,dl_vlan=$n,actions=strip_vlan,set_tunnel:$n,output:2"
	done
}

# guarded_box NS HOST ADDRESS: the port may send from its own MAC and address only.
guarded_box() {
	local port mac

	box $1 $2 $3/24
	ovs_port $2 br-int $1 1
	port=$(vsctl $2 get interface $1 ofport)
	mac=$(link_of $1 eth0 address)
	ofctl $2 br-int <<-END
		table=0,priority=10,arp,in_port=$port,actions=resubmit(,24)
		table=0,priority=9,in_port=$port,actions=resubmit(,25)
		table=24,priority=2,arp,in_port=$port,arp_spa=$3,actions=resubmit(,25)
		table=24,priority=0,actions=drop
		table=25,priority=2,in_port=$port,dl_src=$mac,actions=resubmit(,60)
	END
}

flows_between() { # PEER TYPE NET
	local host

	for host in $A $B; do ovs_start $host; done
	flow_bridges $A $B $2
	flow_bridges $B $A $2
	guarded_box $1-a $A 10.$3.0.1
	guarded_box $1-b $A 10.$3.0.2
	guarded_box $1-c $B 10.$3.0.3
	tenant_flows $(link_of $1-c eth0 address) 1 | ofctl $A br-tun
	tenant_flows $(link_of $1-a eth0 address) 1 | ofctl $B br-tun
	ends $1 $1-a $1-c 10.$3.0.3
}
between_flows-vxlan() { flows_between flows-vxlan vxlan 23; }
between_flows-gre() { flows_between flows-gre gre 24; }

# ---- the others' second container on h1, and further tenants ------------------------------

neighbour_bridge() { bridge_box bridge-b bridge-h1 10.1.0.2/24; }
neighbour_tsw() { tsw_box tsw b h1 10.0.0.2/24; }
neighbour_tsw-gre() { tsw_box tsw-gre b h1 10.0.0.2/24; }
neighbour_redirect() { # a's frames no longer go to the other host
	redirect_box redirect-b redirect-h1 10.6.0.2 10.6.0.1
	ip -n redirect-a neigh replace 10.6.0.2 lladdr 02:00:00:00:00:ff dev eth0 nud permanent
	redirect_way redirect-h1 redirect-a 0.0.0.0 redirect-b peer \
		"$(link_of redirect-b eth0 address)" "$(link_of redirect-a eth0 address)"
	redirect_way redirect-h1 redirect-b 0.0.0.0 redirect-a peer \
		"$(link_of redirect-a eth0 address)" "$(link_of redirect-b eth0 address)"
}

further_tenants() { # PEER: on its first host, each with its network and a far container
	local n encap=vxlan

	[ $1 != tsw-gre ] || encap=gre
	case $1 in
	tsw | tsw-gre)
		for ((n = 2; n <= OTHERS + 1; n++)); do
			echo "tenant add $1-$n id $((n + ${#1} * 1000)) encap $encap"
			echo "endpoint add c tenant $1-$n mac 02:00:00:00:00:03 ip 10.0.0.3 host h2"
		done | sw h1 -b -
		;;
	bridge)
		for ((n = 2; n <= OTHERS + 1; n++)); do
			echo "link add br$n type bridge"
			echo "link add vx$n type vxlan id $((300 + n)) dstport 8472 remote ${VTEP[bridge-h2]}"
			echo "link set vx$n master br$n up"
			echo "link set br$n up"
		done | ip -n bridge-h1 -batch -
		;;
	ovs-*)
		vsctl $1-h1 $(for ((n = 2; n <= OTHERS + 1; n++)); do
			learning_bridge $1-h1 $1-h2 ${1#ovs-} $n
		done)
		;;
	flows-*) tenant_flows 02:00:00:00:00:03 $(seq 2 $((OTHERS + 1))) | ofctl $1-h1 br-tun ;;
	esac
}

# ---- what is measured -----------------------------------------------------------------

scenario incumbents "Beside Open vSwitch in the kernel"
needs ovs-vswitchd openvswitch-switch || exit 0
[ -x "$PPS" ] || { echo "incumbents: no $PPS: run make bench" >&2 && exit 1; }
[ -n "${TSW_VM_COUNT:-}" ] && remark 'by a clock that counts instructions, in an emulated Linux 6.12'
modprobe openvswitch
topo_hosts h1 h2
peer_make host "${OVERLAYS[@]}"

received() { # PEER
	"$PPS" from ${FROM[$1]} to ${TO[$1]} ip ${ADDR[$1]} mac "$(next_mac $1)" length $X \
		threads 1 ms $TURN | jq .received
}
echoed() { # PEER: microseconds, the mean
	on ${FROM[$1]} ping -q -i 0.002 -c 50 ${ADDR[$1]} | awk -F/ '/^rtt/ { print $5 * 1000 }'
}

measure() { # PLACE TITLE BASE PEER...
	local peer

	for peer in "${@:4}"; do reach ${FROM[$peer]} ${ADDR[$peer]}; done # so next_mac is known
	figure $1 "Frames a second $2" 1/s more $3 octets log
	goal tsw ovs-vxlan 1.2
	goal tsw-gre ovs-gre 1.2
	for X in "${LENGTHS[@]}"; do rounds "${@:4}" -- received; done
	unset X
	figure $1-echo "Echo request and answer $2" us less $3
	goal tsw ovs-vxlan 0.9
	goal tsw-gre ovs-gre 0.9
	rounds "${@:4}" -- echoed
}

# to_containers LETTER N PEER...: from now on TO[PEER] is that container, its address ends with N.
to_containers() {
	local peer

	for peer in "${@:3}"; do
		TO["$peer"]=$peer-$1 ADDR["$peer"]=${ADDR[$peer]%.*}.$2
		reach ${FROM[$peer]} ${ADDR[$peer]} || {
			echo "incumbents: $peer: no answer from ${ADDR[$peer]}" >&2
			return 1
		}
	done
}

measure hosts 'between two hosts' host host "${OVERLAYS[@]}"
for peer in bridge tsw tsw-gre redirect; do neighbour_$peer; done
peer_make_local direct
to_containers b 2 "${OVERLAYS[@]}"
measure here 'on one host' direct direct "${OVERLAYS[@]}"
for peer in "${SWITCHES[@]}"; do further_tenants $peer; done
measure here-100 'on one host, with 100 tenants' direct direct "${SWITCHES[@]}"
to_containers c 3 "${SWITCHES[@]}"
measure hosts-100 'between two hosts, with 100 tenants' host host "${SWITCHES[@]}"
