#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the cases with gateways: what is outside, and the tenants' ways there. Source it after
# lib.sh.
# shellcheck disable=SC2034,SC2153 # what is set here is used there; HOSTS is lib_topo.sh's

# shellcheck source-path=SCRIPTDIR
. "$LIB/lib_wire.sh"

SERVER4=203.0.113.9 SERVER6=2001:db8:9::9
GATEWAY4=10.0.0.254 GATEWAY6=fd00::fe

# outside HOST...: each gets an uplink `up0`, 203.0.113.N and 2001:db8:9::N with the N of hN, into
# the namespace `out`. There it is the device hN in the bridge br0, which has the server's
# addresses.
outside() {
	local host

	netns out
	ip -n out link add br0 type bridge mcast_snooping 0
	for host in "$@"; do
		ip -n "$host" link add up0 type veth peer name "$host" netns out
		ip -n out link set "$host" master br0 up
		ipv6_still "$host" up0
		ip -n "$host" addr add "203.0.113.${host#h}/24" dev up0
		ip -n "$host" addr add "2001:db8:9::${host#h}/64" dev up0 nodad
		ip -n "$host" link set up0 up
		sysctl_in out net.ipv6.conf."$host".disable_ipv6=1
	done
	ipv6_still out br0
	ip -n out addr add $SERVER4/24 dev br0
	ip -n out addr add $SERVER6/64 dev br0
	ip -n out link set br0 up
	for host in "$@"; do
		retry 5 carrier "$host" up0
	done
}

# ipv6_still NS DEV: turns IPv6 on there, with next to nothing sent of its own accord.
ipv6_still() {
	sysctl_in "$1" net.ipv6.conf."$2".disable_ipv6=0
	sysctl_in "$1" net.ipv6.conf."$2".{router_solicitations,dad_transmits,accept_dad}=0 \
		net.ipv6.conf."$2".mldv2_unsolicited_report_interval=10
}

# topo_on_wire h1 h2...: hosts whose underlay is the outside, too, with `out` as a neighbour.
topo_on_wire() {
	UNDERLAY=46
	topo_hosts "$@" out
	HOSTS=("$@")
	SERVER4=${VTEP4[out]} SERVER6=${VTEP6[out]}
}

# gateway TENANT HOST [WORD...]: `gateway add` on every host, served by HOST, or by each if HOST is
# `all`. The words may have other addresses than 10.0.0.254 and fd00::fe.
gateway() {
	local tenant=$1 at=$2 host words

	shift 2
	case " $* " in
	*' ip '*) ;;
	*) set -- ip $GATEWAY4/24 ip $GATEWAY6/64 "$@" ;;
	esac
	for host in "${HOSTS[@]}"; do
		[ "$at" = all ] && words=() || words=(host "$at")
		sw "$host" gateway add "$tenant" "$@" ${words[@]+"${words[@]}"}
	done
}

gateway_del() { # TENANT...
	local tenant host

	for tenant in "$@"; do
		for host in "${HOSTS[@]}"; do
			sw "$host" gateway del "$tenant"
		done
	done
}

# leave NS...: containers whose default routes are the gateways.
leave() {
	local ns

	for ns in "$@"; do
		ip -n "$ns" route replace default via $GATEWAY4
		ip -n "$ns" -6 route replace default via $GATEWAY6
	done
}

# beyond: behind the outside the router r (203.0.113.8, 2001:db8:9::8) leads to far, which has $FAR4
# and $FAR6. The router tells of errors as often as somebody makes one.
beyond() {
	local at ns

	FAR4=198.51.100.9 FAR6=2001:db8:b::9
	netns r
	netns far
	ip -n r link add eth0 type veth peer name r netns out
	ip -n out link set r master br0 up
	sysctl_in out net.ipv6.conf.r.disable_ipv6=1
	ip -n r link add eth1 type veth peer name eth0 netns far
	sysctl_in r net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	for at in 'r eth0' 'r eth1' 'far eth0'; do
		# shellcheck disable=SC2086 # words
		ipv6_still $at
		ip -n "${at% *}" link set "${at#* }" up
	done
	ip -n r addr add 203.0.113.8/24 dev eth0
	ip -n r addr add 2001:db8:9::8/64 dev eth0 nodad
	ip -n r addr add 198.51.100.8/24 dev eth1
	ip -n r addr add 2001:db8:b::8/64 dev eth1 nodad
	ip -n far addr add $FAR4/24 dev eth0
	ip -n far addr add $FAR6/64 dev eth0 nodad
	ip -n far route add default via 198.51.100.8
	ip -n far -6 route add default via 2001:db8:b::8
	retry 5 carrier far eth0
	for ns in "${HOSTS[@]}" r; do
		sysctl_in "$ns" net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0
	done
}

# two_gateways [CMD...]: red-a and blue-a, with equal addresses, on h1, which serves both gateways
# and has the outside behind up0. CMD runs before the switches are up.
two_gateways() {
	local tenant

	topo_hosts h1 h2
	outside h1
	"$@"
	switch_up
	tenants
	for tenant in red blue; do
		container $tenant a h1 10.0.0.1/24 fd00::1/64
		sw h1 gateway add $tenant ip $GATEWAY4/24 ip $GATEWAY6/64
	done
	leave red-a blue-a
}

# exchange ADDRESS KIND CLIENT... [KEY=VALUE...]: with the server in `out`, see tools/exchange.py.
exchange() { "$PY" "$TOOLS/exchange.py" out "$@"; }

# rules_count HOST NAME: packets in a counter of table inet tsw.
rules_count() {
	router "$1" nft -j list counter inet tsw "$2" | gojq '[.nftables[].counter.packets? // 0] | add'
}

# healthy HOST...: `switch check` finds nothing.
healthy() {
	local host

	for host in "$@"; do
		sw "$host" switch check
	done
}

dump_gateways() {
	local host

	for host in "${HOSTS[@]}"; do
		echo "== $host: gateways"
		sw "$host" gateway show
		router "$host" nft list counters table inet tsw
		router "$host" ip rule
	done
}
DUMP_ALSO=dump_gateways
