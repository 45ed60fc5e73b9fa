#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Usage: soak.sh MINUTES [SEED [cluster|life]]
#
#   h1, h2, h3: 192.0.2.N and 2001:db8::N on the bridge of `wire`, uplinks to `out`
#   red blue green amber: the same MACs and addresses, VXLAN and GRE, up to 5 containers each
#   left right: networks of their own, now and then peers        still: is left alone
#
# Endpoints, tenants, hosts' addresses, gateways, published ports, peerings, limits come, change,
# move and go at random; commands are killed and repeated; devices vanish. All the while every frame
# says whose it is, and is checked wherever it arrives. Each minute the switches are compared with
# what they were told. In the end all is as before. SOAK_LOG keeps the log.
#
# cluster: the same with a cluster's members. Commands are given once, with -c; agents carry them
# out, and these and the three members of etcd are killed, stopped and restored.
#
# life: the hosts are machines that boot, whose podman and Docker run the containers. Power is cut,
# runtimes are killed, etcd is lost, addresses change, rules are flushed: soak_life.sh.
. "$(dirname "$0")/lib.sh"
. "$LIB/lib_outside.sh"

minutes=${1:?usage: soak.sh MINUTES [SEED [cluster|life]]} seed=${2:-$((RANDOM * 32768 + RANDOM))}
cluster=${3:-}
log=${SOAK_LOG:-$WORK/soak.log}
note "seed $seed, log $log"
export TSW
if [ "$cluster" = life ]; then
	. "$LIB/soak_life.sh"
	finish
	exit
fi

UNDERLAY=46
if [ "$cluster" ]; then
	. "$LIB/lib_etcd.sh"
	. "$LIB/lib_cluster.sh"
	MEMBERS="m1 m2 m3"
	cluster_hosts h1 h2 h3
	disown -a # how members of etcd end is soak.py's
else
	topo_hosts h1 h2 h3
fi
outside h1 h2 h3
for host in "${HOSTS[@]}"; do # the second of the addresses that a host may have
	ip -n "$host" addr add "192.0.2.10${host#h}/24" dev eth0
done
for container in red-e{1..5} blue-e{1..5} green-e{1..4} amber-e{1..4} left-e{1..3} \
	right-e{1..3} still-e{1..3}; do
	netns "$container"
	sysctl_in "$container" net.ipv6.conf.default.{accept_dad,dad_transmits}=0
done

# state: what a switch could leave behind, of all hosts.
state() {
	local host

	for host in "${HOSTS[@]}"; do
		echo "== $host"
		ip -n "$host" -j link show | jq -r '.[] | "\(.ifname) \(.flags) \(.mtu)"'
		on "$host" tc qdisc show
		for family in -4 -6; do
			ip -n "$host" $family rule show
			ip -n "$host" $family route show table all
		done
		on "$host" nft list ruleset
		on "$host" sysctl -a -r \
			'^net.ipv[46].conf\..*\.(forwarding|accept_ra|rp_filter|force_forwarding)$'
		find /run/tsw/"$host" 2>/dev/null || true
		for dev in eth0 up0; do on "$host" tc filter show dev $dev ingress; done
	done
	find /sys/fs/bpf -mindepth 1
}
known() { # ids of all that is pinned, KIND DIRECTORY
	find /sys/fs/bpf -path "*/$2/*" | while read -r pin; do
		bpftool -j "$1" show pinned "$pin" | jq .id
	done
}
gone() { # KIND ID...: none of these is there
	local kind=$1 id

	shift
	for id in "$@"; do
		! bpftool "$kind" show id "$id" >/dev/null 2>&1 || return 1
	done
}
tracked() { # entries of conntrack that are a tenant's: with a mark or a zone
	local host

	for host in "${HOSTS[@]}"; do
		on "$host" cat /proc/net/nf_conntrack | grep -E 'mark=[1-9]|zone=[1-9]' |
			sed "s/^/$host: /" || true
	done
}

before=$(state)
switch_up
if [ "$cluster" ]; then
	SOAK_MEMBERS=$(for m in $STORE; do echo "$m:${MEMBER[$m]}"; done)
	export SOAK_MEMBERS
	for host in "${HOSTS[@]}"; do
		# shellcheck disable=SC2086 # several
		check "$host joins" sw "$host" cluster join etcd "$(urls $STORE)" name campus
	done
fi
mapfile -t ids < <(known map maps)
"$PY" "$TOOLS/soak.py" "$(jq -n "$minutes * 60")" "$seed" "$log" || {
	not_ok "soak"
	note "again: $0 $minutes $seed $cluster"$'\n'"$(tail -n 40 "$log")"
	finish
	exit
}
ok "soak"
is "no connection of a tenant is left in conntrack" "$(tracked)" ""
mapfile -t programs < <(known prog progs)
mapfile -t links < <(known link links)
for host in "${HOSTS[@]}"; do
	sw "$host" switch down || not_ok "$host: switch down"
done
is "the machine is as before" "$(state)" "$before"
check "no map is left" retry 10 gone map "${ids[@]}"
check "no program is left" retry 10 gone prog "${programs[@]}"
check "no link is left" retry 10 gone link "${links[@]}"
is "no process of the command is left" "$(pgrep -c -x tsw || true)" 0
finish
