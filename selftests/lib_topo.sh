#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the cases: hosts, switches, tenants and containers. Read by lib.sh.
# shellcheck disable=SC2034 # what is set here is used there

HOSTS=()
declare -A VTEP            # host -> its underlay address
UNDERLAY_MTU=${UNDERLAY_MTU:-1500}
UP_ARGS=${UP_ARGS:-}       # further words of `switch up`, as "attach clsact"

# netns NAME: a namespace with lo up.
netns() {
	ip netns add "$1"
	undo ip netns del "$1"
	ip -n "$1" link set lo up
}

sysctl_in() { # NS KEY=VALUE...
	local ns=$1

	shift
	on "$ns" sysctl -qw "$@"
}

# topo_hosts h1 h2 [h3...]: namespaces with an underlay device eth0, 192.0.2.1/24 and so on.
# Two hosts are joined by one veth pair; more by a bridge in the namespace `wire`, where host
# H's cable is the device H, and where a case may put devices of its own.
topo_hosts() {
	local n=0 host

	HOSTS=("$@")
	[ $# = 2 ] || {
		netns wire
		ip -n wire link add br0 mtu "$UNDERLAY_MTU" type bridge mcast_snooping 0
		ip -n wire link set br0 up
	}
	for host in "$@"; do
		n=$((n + 1))
		VTEP[$host]=192.0.2.$n
		netns "$host"
		# The host's own IPv6 chatter would only be noise in counters and captures.
		sysctl_in "$host" net.ipv6.conf.{all,default}.disable_ipv6=1
		[ $# = 2 ] || cable "$host"
	done
	[ $# != 2 ] || ip -n "$1" link add eth0 mtu "$UNDERLAY_MTU" type veth \
		peer name eth0 netns "$2" mtu "$UNDERLAY_MTU"
	for host in "$@"; do
		ip -n "$host" addr add "${VTEP[$host]}/24" dev eth0
		ip -n "$host" link set eth0 up
	done
	for host in "$@"; do
		retry 5 carrier "$host" eth0
	done
}

carrier() { ip -n "$1" link show dev "$2" | grep -q 'state UP'; } # NS DEV

# cable NS: an eth0 there, plugged into the bridge of `wire`.
cable() {
	ip -n "$1" link add eth0 mtu "$UNDERLAY_MTU" type veth \
		peer name "$1" netns wire mtu "$UNDERLAY_MTU"
	ip -n wire link set "$1" master br0 up
}

# switch_up [HOST...]: `switch up` there, default all, and tell it of the other hosts.
switch_up() {
	local host other

	[ $# != 0 ] || set -- "${HOSTS[@]}"
	for host in "$@"; do
		# shellcheck disable=SC2086
		sw "$host" switch up dev eth0 local "${VTEP[$host]}" name "$host" $UP_ARGS
		undo sw "$host" switch down
		for other in "${HOSTS[@]}"; do
			[ "$other" = "$host" ] || sw "$host" host add "$other" ip "${VTEP[$other]}"
		done
	done
}

# tenants [NAME ID]...: on every host; default red 100 and blue 200.
tenants() {
	local host

	[ $# != 0 ] || set -- red 100 blue 200
	while [ $# -ge 2 ]; do
		for host in "${HOSTS[@]}"; do
			sw "$host" tenant add "$1" id "$2"
		done
		shift 2
	done
}

# container TENANT NAME HOST [IP/LEN...] [mac MAC] [mtu N] [dad on] [endpoint off]
# Makes the namespace TENANT-NAME with eth0, whose other end is the device TENANT-NAME on HOST,
# and the endpoint NAME on every host. MAC: 02:00:00:00:00:0N with N from the last octet of the
# first address, so both tenants' containers use the same ones. IPv6 is off without an IPv6
# address; with one, duplicate address detection is off unless asked for.
container() {
	local tenant=$1 name=$2 host=$3 mac='' mtu=1450 dad=off endpoint=on ips=() ns dev ip

	ns=$tenant-$name dev=$tenant-$name
	shift 3
	while [ $# -gt 0 ]; do
		case $1 in
		mac) mac=$2 && shift ;;
		mtu) mtu=$2 && shift ;;
		dad) dad=$2 && shift ;;
		endpoint) endpoint=$2 && shift ;;
		*) ips+=("$1") ;;
		esac
		shift
	done
	[ -n "$mac" ] || mac=$(mac_of "${ips[0]}")
	netns "$ns"
	ip -n "$host" link add "$dev" mtu $((mtu > 1500 ? mtu : 1500)) type veth \
		peer name eth0 address "$mac" mtu "$mtu" netns "$ns"
	ip -n "$host" link set "$dev" up
	[ "$endpoint" = off ] || endpoint_add "$tenant" "$name" "$host" "$mac" "${ips[@]%/*}"
	container_net "$ns" "$dad" "${ips[@]}"
}

# mac_of IP/LEN: 10.0.0.7/24 -> 02:00:00:00:00:07
mac_of() {
	local ip=${1%/*}

	printf '02:00:00:00:00:%02x' "${ip##*[.:]}"
}

container_net() { # NS DAD IP/LEN...
	local ns=$1 dad=$2 ip

	shift 2
	case "$*" in
	*:*)
		# An unsolicited report each second would move counters long after the start.
		sysctl_in "$ns" net.ipv6.conf.eth0.router_solicitations=0 \
			net.ipv6.conf.eth0.mldv2_unsolicited_report_interval=10
		[ "$dad" = on ] || sysctl_in "$ns" net.ipv6.conf.eth0.dad_transmits=0 \
			net.ipv6.conf.eth0.accept_dad=0
		;;
	*) sysctl_in "$ns" net.ipv6.conf.eth0.disable_ipv6=1 ;;
	esac
	for ip in "$@"; do
		ip -n "$ns" addr add "$ip" dev eth0
	done
	ip -n "$ns" link set eth0 up
	retry 5 carrier "$ns" eth0
}

# endpoint_add TENANT NAME HOST MAC [IP...]: on HOST with the device TENANT-NAME, on all other
# hosts that have a switch as one that lives on HOST.
endpoint_add() {
	local tenant=$1 name=$2 host=$3 mac=$4 words=() ip other

	shift 4
	for ip in "$@"; do words+=(ip "$ip"); done
	for other in "${HOSTS[@]}"; do
		if [ "$other" = "$host" ]; then
			sw "$other" endpoint add "$name" tenant "$tenant" mac "$mac" "${words[@]}" \
				dev "$tenant-$name"
		else
			sw "$other" endpoint add "$name" tenant "$tenant" mac "$mac" "${words[@]}" \
				host "$host"
		fi
	done
}

# topo_standard: two hosts, red and blue with the same MACs and addresses:
#   h1: a (10.0.0.1, fd00::1)  b (10.0.0.2, fd00::2)     h2: c (10.0.0.3, fd00::3)
topo_standard() {
	local tenant

	topo_hosts h1 h2
	switch_up
	tenants
	for tenant in red blue; do
		container "$tenant" a h1 10.0.0.1/24 fd00::1/64
		container "$tenant" b h1 10.0.0.2/24 fd00::2/64
		container "$tenant" c h2 10.0.0.3/24 fd00::3/64
	done
}
