#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: What one more tenant costs where many are
#
#    h1: the peer's tenants, N of them, each with a network to h2 and a container's port in it
#    red-a ── h1 ════ h2 ── red-c   for tsw also: what a flow has with so many tenants beside it
#
# A turn adds one tenant's network and its first port, and deletes it again; only the adding is
# timed, by the clock and with the start of each process. tsw: `tenant add` and `endpoint add` by
# one `tsw -b`. clsact: the same where the switch attaches by `attach clsact` (h3), since the kernel
# waits for an RCU grace period for each of tcx' two links. bridge: a bridge, a vxlan device, both
# joined to it and up. ovs: a bridge and a VXLAN port, by one ovs-vsctl, as a management plane with
# a bridge for each tenant does it. The veth pair is made before: everybody needs it.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"

PEERS=(tsw clsact bridge ovs)
STEPS=(0 100 200 300 400 500)
FURTHER=(1000 10000 100000) # tsw alone: the others' would take hours
[ -z "$QUICK" ] || STEPS=(0 50) FURTHER=()

scenario management 'One more tenant'
needs iperf3 iperf3
topo_hosts h1 h2 h3
UP_ARGS="max-tenants 131072 max-endpoints 262144" switch_up h1 h2
UP_ARGS="max-tenants 131072 max-endpoints 262144 attach clsact" switch_up h3
tenants red 16000000
container red a h1 10.0.0.1/24
container red c h2 10.0.0.3/24
for host in h1 h3; do
	ip -n $host link add new type veth peer name newp
	ip -n $host link set new up
done
if needs ovs-vsctl openvswitch-switch ovs; then ovs_daemons h1 --disable-system; fi

# ---- filling ------------------------------------------------------------------------

# Tenants FROM to TO - 1, each with an endpoint at h2.
fill_tsw() { fill_switch h1 "$@"; }    # FROM TO
fill_clsact() { fill_switch h3 "$@"; } # FROM TO
fill_switch() { # HOST FROM TO
	awk -v from="$2" -v to="$3" 'BEGIN { for (i = from; i < to; i++) {
		printf "tenant add t%d id %d\n", i, i + 1000
		printf "endpoint add e tenant t%d mac 02:00:00:00:00:01 ip 10.0.0.1 host h2\n", i
	} }' | sw "$1" -b -
}
fill_bridge() { # FROM TO
	local i

	for ((i = $1; i < $2; i++)); do
		echo "link add b$i type bridge"
		echo "link add x$i type vxlan id $((i + 1000)) dstport 8472 remote ${VTEP[h2]}"
		echo "link set x$i master b$i up"
		echo "link set b$i up"
	done | ip -n h1 -batch -
}
fill_ovs() { # FROM TO
	local i words=()

	for ((i = $1; i < $2; i++)); do
		words+=(-- add-br "o$i" -- set bridge "o$i" datapath_type=netdev
			-- add-port "o$i" "p$i" -- set interface "p$i" type=vxlan
			"options:remote_ip=${VTEP[h2]}" "options:key=$((i + 1000))")
		# The words of one command have an end.
		if [ ${#words[@]} -gt 2000 ] || [ $((i + 1)) = "$2" ]; then
			vsctl h1 "${words[@]:1}"
			words=()
		fi
	done
}

# ---- one more -----------------------------------------------------------------------

ONE=$'tenant add more id 15000000
endpoint add e tenant more mac 02:00:00:00:00:01 ip 10.0.0.1 dev new'
one_tsw() { sw h1 -b - <<<"$ONE"; }
less_tsw() { sw h1 tenant del more force on; }
one_clsact() { sw h3 -b - <<<"$ONE"; }
less_clsact() { sw h3 tenant del more force on; }
one_bridge() {
	ip -n h1 -batch - <<-END
		link add more type bridge
		link add morex type vxlan id 15000000 dstport 8472 remote ${VTEP[h2]}
		link set morex master more up
		link set new master more
		link set more up
	END
}
less_bridge() {
	ip -n h1 link del more
	ip -n h1 link del morex
}
one_ovs() {
	vsctl h1 add-br more -- set bridge more datapath_type=netdev \
		-- add-port more morex -- set interface morex type=vxlan options:key=15000000 \
		"options:remote_ip=${VTEP[h2]}" -- add-port more new
}
less_ovs() { vsctl h1 del-br more; }

one() { # PEER: milliseconds
	local begin end

	begin=${EPOCHREALTIME/./}
	"one_$1" >/dev/null
	end=${EPOCHREALTIME/./}
	"less_$1" >/dev/null
	echo "$((end - begin))" | awk '{ print $1 / 1000 }'
}

HAS=0 # tenants that each has already
steps() { # PEER... -- N...
	local peers=() peer

	while [ "$1" != -- ]; do
		[ -n "${SKIPPED[$1]:-}" ] || peers+=("$1")
		shift
	done
	shift
	for X in "$@"; do
		for peer in "${peers[@]}"; do
			progress "$SCENARIO: $X tenants: filling $peer"
			"fill_$peer" $HAS "$X"
		done
		HAS=$X
		rounds "${peers[@]}" -- one
	done
}

figure add 'One more tenant with its first endpoint' ms less tsw tenants
goal_value tsw 5
goal_value clsact 5
published 'Docklet, a bridge' 80 null 'Docklet, table 3' 0
published 'Docklet, a bridge' 963 null 'Docklet, table 3' 500
published 'Docklet, a GRE port' 41 null 'Docklet, table 3' 0
published 'Docklet, a GRE port' 881 null 'Docklet, table 3' 500
steps "${PEERS[@]}" -- "${STEPS[@]}"
steps tsw clsact -- "${FURTHER[@]}"
unset X

serve red-c
figure flow 'One TCP flow with so many tenants beside it' Gb/s more tsw
flow() { gbits red-a 10.0.0.3; }
rounds tsw -- flow
