#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the cases: hosts, switches, tenants and containers. Read by lib.sh.
# shellcheck disable=SC2034 # what is set here is used there

HOSTS=()
declare -A VTEP            # host -> its underlay address, the preferred one
declare -A VTEP4 VTEP6     # host -> that of a family
declare -A FAMILIES        # host -> its families, where they are not UNDERLAY
UNDERLAY=${UNDERLAY:-4}    # 4, 6, 46, 64: families of the underlay, preferred one first
ENCAP=${ENCAP:-}           # of the tenants; empty: as `tenant add` has it
UNDERLAY_MTU=${UNDERLAY_MTU:-1500}
PAIR=${PAIR:-veth}         # what joins containers to their hosts: veth, netkit
UP_ARGS=${UP_ARGS:-}       # further words of `switch up`, as "attach clsact"
UP_DEVS='dev eth0'         # the underlay's devices

# netns NAME: a namespace with lo up.
netns() {
	ip netns add "$1"
	undo ip netns del "$1"
	ip -n "$1" link set lo up
}

# netns_del NS...: deletes them, and their devices first. Otherwise the kernel deletes the devices
# some time after the namespace, and until then their other ends keep their names.
netns_del() {
	local ns dev

	for ns in "$@"; do
		for dev in $(ip -n "$ns" -j link | gojq -r '.[].ifname'); do
			ip -n "$ns" link del "$dev" 2>/dev/null || true # lo stays
		done
		ip netns del "$ns"
	done
}

sysctl_in() { # NS KEY=VALUE...: as `sysctl -w`, which a bare Debian lacks
	local one

	for one in "${@:2}"; do
		# shellcheck disable=SC2016 # the inner shell's
		on "$1" sh -c 'echo "$1" >"/proc/sys/$0"' "$(tr ./ /. <<<"${one%%=*}")" \
			"${one#*=}" || return
	done
}

# topo_hosts h1 h2 [h3...]: namespaces with an underlay device eth0, 192.0.2.1/24 or 2001:db8::1/64
# or both, and so on. Two hosts are joined by one veth pair; more by a bridge in the namespace
# `wire`, where host H's cable is the device H, and where a case may put devices of its own.
topo_hosts() {
	local n=0 host

	HOSTS=("$@")
	[ $# = 2 ] || {
		netns wire
		# A wire reads no frame: it has no IPv6, and no netfilter that refuses bad IP.
		sysctl_in wire net.ipv6.conf.{all,default}.disable_ipv6=1
		sysctl_in wire net.bridge.bridge-nf-call-{ip,ip6,arp}tables=0 2>/dev/null || true
		ip -n wire link add br0 mtu "$UNDERLAY_MTU" type bridge mcast_snooping 0
		ip -n wire link set br0 up
	}
	for host in "$@"; do
		n=$((n + 1))
		addresses "$host" $n
		netns "$host"
		# The host's own IPv6 chatter would only be noise in counters and captures.
		sysctl_in "$host" net.ipv6.conf.{all,default}.disable_ipv6=1
		[ $# = 2 ] || cable "$host"
	done
	[ $# != 2 ] || ip -n "$1" link add eth0 mtu "$UNDERLAY_MTU" type veth \
		peer name eth0 netns "$2" mtu "$UNDERLAY_MTU"
	for host in "$@"; do
		underlay_net "$host"
	done
	for host in "$@"; do
		retry 5 carrier "$host" eth0
	done
}

families() { echo "${FAMILIES[$1]:-$UNDERLAY}"; } # HOST

# addresses HOST N: what it has on the underlay, as its families are.
addresses() {
	local families

	families=$(families "$1")
	unset "VTEP4[$1]" "VTEP6[$1]"
	case $families in *4*) VTEP4[$1]=192.0.2.$2 ;; esac
	case $families in *6*) VTEP6[$1]=2001:db8::$2 ;; esac
	case $families in 4*) VTEP[$1]=${VTEP4[$1]} ;; *) VTEP[$1]=${VTEP6[$1]} ;; esac
}

underlay_net() { # HOST
	[ -z "${VTEP4[$1]:-}" ] || ip -n "$1" addr add "${VTEP4[$1]}/24" dev eth0
	if [ -n "${VTEP6[$1]:-}" ]; then
		sysctl_in "$1" net.ipv6.conf.eth0.disable_ipv6=0
		ipv6_calm "$1"
		ip -n "$1" addr add "${VTEP6[$1]}/64" dev eth0
	fi
	ip -n "$1" link set eth0 up
}

# ipv6_calm NS: eth0 there sends next to nothing of its own. An unsolicited report each second
# would move counters long after the start.
ipv6_calm() {
	sysctl_in "$1" net.ipv6.conf.eth0.{router_solicitations,dad_transmits,accept_dad}=0 \
		net.ipv6.conf.eth0.mldv2_unsolicited_report_interval=10
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
		# shellcheck disable=SC2046,SC2086
		sw "$host" switch up $UP_DEVS $(vteps local "$host") name "$host" $UP_ARGS
		undo sw "$host" switch down
		for other in "${HOSTS[@]}"; do
			if [ "$other" = "$host" ] || ! joined "$host" "$other"; then continue; fi
			# shellcheck disable=SC2046
			sw "$host" host add "$other" $(vteps ip "$other")
		done
	done
}

# vteps WORD HOST: `WORD ADDRESS` for each of its addresses, the preferred one first.
vteps() {
	local host=$2 at

	at="${VTEP4[$host]:+$1 ${VTEP4[$host]}} ${VTEP6[$host]:+$1 ${VTEP6[$host]}}"
	case $(families "$host") in 64) at="$1 ${VTEP6[$host]} $1 ${VTEP4[$host]}" ;; esac
	echo "$at"
}

# joined HOST OTHER: whether they have a family in common. A host that topo_hosts did not make
# counts as joined.
joined() {
	[ -z "${VTEP[$2]:-}" ] ||
		[ -n "${VTEP4[$1]:+${VTEP4[$2]:-}}${VTEP6[$1]:+${VTEP6[$2]:-}}" ]
}

# tenants [NAME ID]...: on every host; default red 100 and blue 200. With the encapsulation ENCAP.
tenants() {
	local host

	[ $# != 0 ] || set -- red 100 blue 200
	while [ $# -ge 2 ]; do
		for host in "${HOSTS[@]}"; do
			# shellcheck disable=SC2086
			sw "$host" tenant add "$1" id "$2" ${ENCAP:+encap $ENCAP}
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
	pair "$host" "$dev" $((mtu > 1500 ? mtu : 1500)) "$ns" "$mac" "$mtu"
	ip -n "$host" link set "$dev" up
	[ "$endpoint" = off ] || endpoint_add "$tenant" "$name" "$host" "$mac" "${ips[@]%/*}"
	container_net "$ns" "$dad" "${ips[@]}"
}

# pair HOST DEV MTU NS MAC MTU: DEV, whose other end is eth0 there, of the kind PAIR.
pair() {
	case $PAIR in
	netkit)
		on "$1" "$PY" "$TOOLS/netkit.py" "$2" eth0 "/run/netns/$4" --mtu "$3" \
			--mac "$5" --peer-mtu "$6"
		;;
	*)
		ip -n "$1" link add "$2" mtu "$3" type veth \
			peer name eth0 address "$5" mtu "$6" netns "$4"
		;;
	esac
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
		ipv6_calm "$ns"
		[ "$dad" = off ] || sysctl_in "$ns" net.ipv6.conf.eth0.{dad_transmits,accept_dad}=1
		;;
	*) sysctl_in "$ns" net.ipv6.conf.eth0.disable_ipv6=1 ;;
	esac
	for ip in "$@"; do
		ip -n "$ns" addr add "$ip" dev eth0
	done
	ip -n "$ns" link set eth0 up
	retry 5 carrier "$ns" eth0
}

# endpoint_add TENANT NAME HOST MAC [IP...]: on HOST with the device TENANT-NAME, on all other hosts
# that have a switch and know HOST as an endpoint of HOST.
endpoint_add() {
	local tenant=$1 name=$2 host=$3 mac=$4 words=() ip other

	shift 4
	for ip in "$@"; do words+=(ip "$ip"); done
	for other in "${HOSTS[@]}"; do
		if [ "$other" = "$host" ]; then
			sw "$other" endpoint add "$name" tenant "$tenant" mac "$mac" "${words[@]}" \
				dev "$tenant-$name"
		elif joined "$other" "$host"; then
			sw "$other" endpoint add "$name" tenant "$tenant" mac "$mac" "${words[@]}" \
				host "$host"
		fi
	done
}

# containers "TENANT..." "NAME@HOST..." [WORD...]: each NAME in each TENANT, by `container` with the
# words. NAME=N has 10.0.0.N and fd00::N; without =N it is 1 for a, 2 for b and so on. containers4:
# IPv4 alone.
containers() { containers_of 46 "$@"; }
containers4() { containers_of 4 "$@"; }
containers_of() { # FAMILIES, and these
	local tenant at name n ips

	for tenant in $2; do
		for at in $3; do
			name=${at%@*} n=${name#*=}
			[[ $name = *=* ]] || n=$(($(printf %d "'$name") - 96))
			ips=("10.0.0.$n/24")
			[ "$1" = 4 ] || ips+=("fd00::$n/64")
			container "$tenant" "${name%=*}" "${at#*@}" "${ips[@]}" "${@:4}"
		done
	done
}

# stranger NS [ADDRESS/LEN...]: plugged into the wire of three hosts or more, and no host.
stranger() {
	local at

	netns "$1"
	sysctl_in "$1" net.ipv6.conf.{all,default}.disable_ipv6=1
	cable "$1"
	for at in "${@:2}"; do ip -n "$1" addr add "$at" dev eth0; done
	ip -n "$1" link set eth0 up
}

# tell_of FILTER HOST OTHER [TENANT]: OTHER learns of HOST's endpoints, of red or TENANT, that
# gojq's FILTER takes.
tell_of() {
	local words

	js "$2" endpoint show tenant "${4:-red}" ".[] | select($1) |
		[.name, \"tenant\", .tenant, \"mac\", .mac, (.ip[] | \"ip\", .)] | join(\" \")" |
		while read -ra words; do sw "$3" endpoint add "${words[@]}" host "$2"; done
}

# populate [v6] [bare] HOST CONTAINER... [HOST CONTAINER...]...: a CONTAINER is TENANT-NAME=N, with
# the addresses that `containers` gives: IPv4 alone, or with v6 both. With bare it is no endpoint.
populate() {
	local word host families=4 bare=()

	for word; do
		case $word in
		v6) families=46 ;;
		bare) bare=(endpoint off) ;;
		*-*) containers_of $families "${word%%-*}" "${word#*-}@$host" "${bare[@]}" ;;
		*) host=$word ;;
		esac
	done
}

# topo [v6] [bare] HOST [CONTAINER]... [HOST [CONTAINER]...]...: these hosts, their switches, the
# tenants of the containers, and the containers.
topo() {
	local hosts tenants tenant
	local -A vni=([red]=100 [blue]=200 [green]=300)

	mapfile -t hosts < <(printf '%s\n' "$@" | grep -vE -- '-|^(v6|bare)$')
	mapfile -t tenants < <(printf '%s\n' "$@" | sed -n 's/-.*//p' | awk '!seen[$0]++')
	topo_hosts "${hosts[@]}"
	switch_up
	for tenant in "${tenants[@]}"; do tenants "$tenant" "${vni[$tenant]}"; done
	populate "$@"
}

# topo_standard: two hosts, red and blue with the same MACs and addresses:
#   h1: a (10.0.0.1, fd00::1)  b (10.0.0.2, fd00::2)     h2: c (10.0.0.3, fd00::3)
topo_standard() { topo v6 h1 red-a red-b blue-a blue-b h2 red-c blue-c; }
