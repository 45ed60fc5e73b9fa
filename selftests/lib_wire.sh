#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For cases that look at the wire octet by octet: source it after lib.sh.
# shellcheck disable=SC2153 # VTEP and HOSTS are lib_topo.sh's

# dissect NAME [ARG...]: the frames of a capture, see tools/dissect.py --help.
dissect() {
	local name=$1

	shift
	"$PY" "$TOOLS/dissect.py" "$WORK/$name.pcap" "$@"
}

# dissect_has NAME N [CONDITION...]: wait until at least N such frames are there.
dissect_has() { retry 5 dissect_at_least "$@"; }
dissect_at_least() {
	local name=$1 n=$2

	shift 2
	[ "$(dissect "$name" -C "$@")" -ge "$n" ]
}

# xfer FROM TO KIND ADDRESS [KEY=VALUE...]: content compared, see tools/xfer.py --help.
xfer() { "$PY" "$TOOLS/xfer.py" "$@"; }

# red_pair WHAT MTU: tenant red with a on h1 and c on h2, and traffic of each kind between them.
red_pair() {
	local kind

	tenants red 100
	containers red "a@h1 c@h2" mtu "$2"
	check "$1: red reaches red" reach red-a 10.0.0.3
	check "$1: red reaches red, IPv6" reach red-a fd00::3
	for kind in tcp udp udpgso; do
		check "$1: $kind" xfer red-a red-c $kind 10.0.0.3
	done
}

# Removes it.
red_pair_gone() {
	local end

	for end in h1 h2; do
		sw $end tenant del red force on
	done
	netns_del red-a red-c
}

# offload ARG...: the combinations of offload, see tools/offload.py --help.
offload() { "$PY" "$TOOLS/offload.py" "$@"; }

mac_on() { ip -n "$1" -j link show dev "$2" | gojq -r '.[0].address'; } # NS DEV

# tunnel FROM TO ID [KEY=VALUE...]: words for inject.py, the outer headers of a tunnel frame from
# the address FROM to the host TO, in the encapsulation ENCAP. The words KEY=VALUE go to the outer
# IP header; words in the same argument as ID go to the tunnel's header.
tunnel() {
	local from=$1 to=$2 id=$3 ip

	shift 3
	ip="ip src=$from dst=${VTEP4[$to]:-} df=1"
	case $from in *:*) ip="ip6 src=$from dst=${VTEP6[$to]:-}" ;; esac
	echo "eth src=02:ff:00:00:00:01 dst=$(mac_on "$to" eth0) / $ip $* /" \
		"$(tunnel_header "${ENCAP:-vxlan}" "$id") /"
}
tunnel_header() { # ENCAP ID
	case $1 in
	gre) echo "gre key=$2" ;;
	geneve) echo "udp sport=50000 dport=6081 csum=0 / geneve vni=$2" ;;
	*) echo "udp sport=50000 dport=4789 csum=0 / vxlan vni=$2" ;;
	esac
}

# fate HOST NS DEV [ARG...]: reads a table of frames, see tools/fate.py --help.
fate() {
	local host=$1 ns=$2 dev=$3 line

	shift 3
	while IFS= read -r line; do
		case $line in
		'ok '*) ok "${line#ok }" ;;
		'not ok '*) not_ok "${line#not ok }" ;;
		*) note "${line#\# }" ;;
		esac
	done < <("$PY" "$TOOLS/fate.py" -t "$TSW" "$@" "$host" "$ns:$dev" 2>&1 ||
		echo "not ok fate.py, status $?")
}

# guest TENANT NAME HOST IP/LEN... [offload on]: as `container`, but a virtual machine: HOST has the
# tap TENANT-NAME, tools/tap.py carries its frames to eth0 in the namespace TENANT-NAME.
guest() {
	local tenant=$1 name=$2 host=$3 ns=$1-$2 words=() ips=() ip mac log

	shift 3
	while [ $# -gt 0 ]; do
		case $1 in
		offload) words=(-o) && shift ;;
		*) ips+=("$1") ;;
		esac
		shift
	done
	mac=$(mac_of "${ips[0]}")
	netns "$ns"
	log=$(mktemp "$WORK/tap.XXXXXX")
	"$PY" "$TOOLS/tap.py" ${words[@]+"${words[@]}"} -m "$mac" "$host:$ns" "$ns:eth0" \
		>"$log" 2>&1 &
	GUEST=$!
	undo kill $GUEST
	retry 5 grep -q ready "$log"
	ip -n "$host" link set "$ns" up
	ip -n "$ns" link set eth0 mtu 1450
	endpoint_add "$tenant" "$name" "$host" "$mac" "${ips[@]%/*}"
	sysctl_in "$ns" net.ipv6.conf.eth0.router_solicitations=0 \
		net.ipv6.conf.eth0.mldv2_unsolicited_report_interval=10 \
		net.ipv6.conf.eth0.dad_transmits=0 net.ipv6.conf.eth0.accept_dad=0
	for ip in "${ips[@]}"; do
		ip -n "$ns" addr add "$ip" dev eth0
	done
	ip -n "$ns" link set eth0 up
}

# red_line NAMES [WORD...]: two hosts with switches, tenant red with these containers, of which a
# and c reach each other. WHAT begins each description.
red_line() {
	topo_hosts h1 h2
	switch_up
	tenants red 100
	containers red "$@"
	check "${WHAT:+$WHAT: }reachable" reach red-a 10.0.0.3
	check "${WHAT:+$WHAT: }reachable, IPv6" reach red-a fd00::3
	quiet h1 h2
}

# mtu_left ENCAP FAMILY [WORD...]: what the underlay leaves the tenants, with words of a GRE device.
mtu_left() {
	local left=$UNDERLAY_MTU word

	case $1 in gre) left=$((left - 42)) ;; *) left=$((left - 50)) ;; esac
	[ "$2" = 4 ] || left=$((left - 20))
	for word in "${@:3}"; do
		case $word in ocsum | oseq) left=$((left - 4)) ;; esac
	done
	echo $left
}

# What red-a's kernel knows of the way: a packet that may not be cut, and what it learns by one.
ping_df() { on red-a ping -n -c 1 -W 2 -M 'do' -s "$1" "$2"; } # PAYLOAD IP
learns() { # IP PAYLOAD MTU
	! ping_df "$2" "$1" >/dev/null 2>&1 && on red-a ip route get "$1" | grep -qw "mtu $3"
}
forget_paths() { # NS: what it has learned
	ip -n "$1" route flush cache
	ip -n "$1" -6 route flush cache
}

prefer() { # FAMILY: h1 sends to h2 by that
	case $1 in
	4) sw h1 host set h2 ip "${VTEP4[h2]}" ip "${VTEP6[h2]}" ;;
	6) sw h1 host set h2 ip "${VTEP6[h2]}" ip "${VTEP4[h2]}" ;;
	esac
}
