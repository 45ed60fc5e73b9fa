#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the interoperation cases: h2 has no switch, but a VTEP that others wrote. Source it after
# lib.sh. Both tenants have the same MACs and addresses:
#
#   red-a  10.0.0.1 ┐                                        ┌ br-red ─── red-c  10.0.0.3
#   red-b  10.0.0.2 ┼ h1 ── 192.0.2.1 ───── 192.0.2.2 ── h2 ─┤
#   blue-a 10.0.0.1 ┘ tsw   2001:db8::1     2001:db8::2      └ br-blue ── blue-c 10.0.0.3
#
# KIND is whose VTEP h2 has:
#   kernel   a vxlan, gretap, ip6gretap or geneve device and a bridge for each tenant
#   netdev   Open vSwitch with its userspace datapath, a bridge and a tunnel port for each tenant
#   system   the same with its datapath in the kernel

# shellcheck source-path=SCRIPTDIR
. "$LIB/lib_wire.sh"
# shellcheck source-path=SCRIPTDIR
. "$LIB/lib_ovs.sh"

declare -A TENANT_ID=([red]=100 [blue]=200)
KIND='' MTU=''
TUNNEL=()              # further words for a kernel's device
XFER=${TSW_XFER:-1G}   # what one of the big transfers carries
# shellcheck disable=SC2034 # lib.sh calls it
DUMP_ALSO=foreign_dump

# foreign_lacks KIND ENCAP FAMILY: prints why this machine cannot have it, or nothing.
foreign_lacks() {
	local type

	case $1-$2$3 in
	*-geneve4 | *-geneve6) modprobe -q geneve 2>/dev/null || true ;;
	esac
	case $1-$2$3 in
	system-*)
		modprobe -q openvswitch 2>/dev/null || true
		genl ctrl get name ovs_datapath >/dev/null 2>&1 ||
			echo "the kernel has no Open vSwitch datapath"
		return
		;;
	kernel-gre4) type=gretap ;;
	kernel-gre6) type=ip6gretap ;;
	kernel-geneve?) type=geneve ;;
	*) return 0 ;;
	esac
	modprobe -qa ip_gre ip6_gre 2>/dev/null || true
	ip link add probe type $type external 2>/dev/null || echo "the kernel has no $type device"
	ip link del probe 2>/dev/null || true
}

# foreign_up KIND ENCAP FAMILY [WORD...]: the topology above; WORDs go to the kernel's device.
foreign_up() {
	local tenant

	KIND=$1 ENCAP=$2 UNDERLAY=$3 TUNNEL=("${@:4}")
	MTU=$(mtu_left "${@:2}")
	topo_hosts h1 h2
	switch_up h1
	HOSTS=(h1)
	tenants
	# A datapath in user space reads what a device sends before its checksums are filled in.
	[ "$KIND" != netdev ] || on h1 ethtool -K eth0 tx off >/dev/null
	vtep start h2
	for tenant in red blue; do
		vtep tenant h2 h1 $tenant
		container $tenant a h1 10.0.0.1/24 fd00::1/64 mtu "$MTU"
		container $tenant c h2 10.0.0.3/24 fd00::3/64 mtu "$MTU"
		vtep port h2 $tenant c
	done
	container red b h1 10.0.0.2/24 fd00::2/64 mtu "$MTU"
}

# foreign_down: removes all of it, for the next KIND.
foreign_down() {
	run_undo
	rm -f "$WORK"/*.pcap
}

# vtep start HOST; vtep tenant HOST PEER TENANT; vtep port HOST TENANT NAME
vtep() {
	case $KIND in
	kernel) "kernel_$1" "${@:2}" ;;
	*) "ovs_$1" "${@:2}" ;;
	esac
}

# ---- the kernel's devices -------------------------------------------------------------

kernel_start() { :; }

kernel_tenant() {
	local type host=$1 peer=$2 tenant=$3 id=${TENANT_ID[$3]} from="local ${VTEP[$1]}"

	case $ENCAP$UNDERLAY in
	vxlan4) type="vxlan id $id dstport 4789" ;;
	vxlan6) type="vxlan id $id dstport 4789 udp6zerocsumrx" ;;
	gre4) type="gretap key $id" ;;
	gre6) type="ip6gretap key $id" ;;
	geneve4) type="geneve id $id" from='' ;;
	geneve6) type="geneve id $id udp6zerocsumrx udp6zerocsumtx" from='' ;;
	esac
	ip -n "$host" link add "br-$tenant" mtu "$MTU" type bridge mcast_snooping 0 forward_delay 0
	# shellcheck disable=SC2086
	ip -n "$host" link add "tun-$tenant" mtu "$MTU" type $type $from \
		remote "${VTEP[$peer]}" "${TUNNEL[@]}"
	ip -n "$host" link set "tun-$tenant" up master "br-$tenant"
	ip -n "$host" link set "br-$tenant" up
}

kernel_port() { ip -n "$1" link set "$2-$3" master "br-$2"; }

# ---- Open vSwitch ---------------------------------------------------------------------

ovs_start() { # HOST
	ovs_daemons "$1"
	[ "$KIND" != netdev ] || ovs_underlay "$1"
}

# ovs_underlay HOST: the userspace datapath takes part in the wire by a bridge that has the host's
# device for a port and bears its address. The device's own stack is kept out of it.
ovs_underlay() {
	local host=$1 at="${VTEP[$1]}/24"

	[ "$UNDERLAY" = 4 ] || at="${VTEP[$1]}/64 nodad"
	ip -n "$host" addr flush dev eth0
	ip -n "$host" link set eth0 arp off
	sysctl_in "$host" net.ipv6.conf.eth0.disable_ipv6=1
	vsctl "$host" add-br br-wire -- set bridge br-wire datapath_type=netdev \
		other-config:hwaddr="\"02:ff:00:00:00:0${VTEP[$host]##*[.:]}\"" -- \
		add-port br-wire eth0
	[ "$UNDERLAY" = 4 ] || sysctl_in "$host" net.ipv6.conf.br-wire.disable_ipv6=0
	ip -n "$host" link set br-wire up
	# shellcheck disable=SC2086 # words
	ip -n "$host" addr add $at dev br-wire
	retry 20 ovs_knows_route "$host" "${VTEP[$host]}"
}

ovs_tenant() {
	local host=$1 peer=$2 tenant=$3 type=$ENCAP

	[ "$KIND$ENCAP$UNDERLAY" != systemgre6 ] || type=ip6gre
	vsctl "$host" add-br "br-$tenant" -- \
		set bridge "br-$tenant" datapath_type="$KIND" fail_mode=standalone -- \
		add-port "br-$tenant" "tun-$tenant" -- \
		set interface "tun-$tenant" type="$type" options:key="${TENANT_ID[$tenant]}" \
		options:local_ip="\"${VTEP[$host]}\"" options:remote_ip="\"${VTEP[$peer]}\""
}

# ovs_port HOST TENANT NAME. The userspace datapath wants checksums filled in and whole frames,
# and has room for few at a time: a window that it can hold makes TCP twice as fast.
ovs_port() {
	local ns

	vsctl "$1" add-port "br-$2" "$2-$3"
	[ "$KIND" = netdev ] || return 0
	on "$2-$3" ethtool -K eth0 tx off >/dev/null
	for ns in "$2-$3" "$2-a"; do
		sysctl_in "$ns" net.ipv4.tcp_wmem='4096 16384 131072'
	done
}

# ---- what a failure shows ---------------------------------------------------------

foreign_dump() {
	local file

	echo "== h2, $KIND"
	ip -n h2 -br link
	for file in "$WORK"/ovs-*/*.log; do
		[ ! -e "$file" ] || tail -n 20 "$file"
	done
}
