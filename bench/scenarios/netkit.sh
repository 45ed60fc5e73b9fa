#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Containers behind netkit pairs beside veths
# Quick: no
#
#    h1 ── containers a, b         h2 ── container c        each peer is a tenant of its own
#
# The same switch, the same programs: what differs is the kind of the containers' devices. A kernel
# older than 6.7, or without CONFIG_NETKIT, has none; Debian's 6.12 has:
#
#    scripts/kernels.sh run 6.12 bench/run netkit
#    TSW_VM_COUNT=1 scripts/kernels.sh run 6.12 bench/run -r 1 -s 1 netkit
#
# By the first the machine is emulated, and ratios of frames a second are what can be had. By the
# second its clock counts instructions: so `program` tells how many tsw_from_port takes for a frame,
# helpers included, and a second is 10^9 of the frame's whole way.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"

PEERS=(veth netkit)
FRAMES=1000 # of a turn of `program`
PPS=${TSW%/*}/bench_pps

scenario netkit 'Containers behind netkit pairs beside veths'
[ -x "$PPS" ] || { echo "netkit: no $PPS: run make bench" >&2 && exit 1; }
netns try
why=$("$PY" "$TOOLS/netkit.py" n0 n1 /run/netns/try 2>&1) || {
	skip_peer netkit "this kernel has no netkit devices: $why"
	exit
}

boxes() { # PEER ID
	tenants $1 $2
	PAIR=$1 tsw_box $1 a h1 10.0.0.1/24
	PAIR=$1 tsw_box $1 b h1 10.0.0.2/24
	PAIR=$1 tsw_box $1 c h2 10.0.0.3/24
	reach $1-a 10.0.0.2
	reach $1-a 10.0.0.3
}
topo_hosts h1 h2
switch_up
boxes veth 100
boxes netkit 200

received() { # TO N PEER: frames a second, from a to TO, which has the address N
	"$PPS" from $3-a to $3-$1 ip 10.0.0.$2 mac 02:00:00:00:00:0$2 length 64 \
		threads 1 ms $((SECONDS_EACH * 1000)) | jq .received
}

# ran: nanoseconds of tsw_from_port and how often it has run, since the kernel counts.
ran() {
	bpftool -j prog show pinned /sys/fs/bpf/tsw/h1/progs/tsw_from_port |
		jq -r '"\(.run_time_ns // 0) \(.run_cnt // 0)"'
}

# program N PEER: what it takes for a TCP frame of X octets from a to the address N. That is a
# reset, since a reset has no answer, which would count, too.
program() {
	local ns count ns_then count_then

	read -r ns count <<<"$(ran)"
	inject $2-a -c $FRAMES eth0 eth src=02:00:00:00:00:01 dst=02:00:00:00:00:0$1 / \
		ip src=10.0.0.1 dst=10.0.0.$1 / tcp sport=40000 dport=5201 flags=R / \
		pad $((X - 54))
	retry 5 all_ran $((count + FRAMES))
	read -r ns_then count_then <<<"$(ran)"
	jq -n "($ns_then - $ns) / ($count_then - $count)"
}
all_ran() { # COUNT
	local count

	read -r _ count <<<"$(ran)"
	[ $count -ge $1 ]
}

figure hosts 'Frames of 64 octets to another host' 1/s more veth
goal netkit veth 1.0
rounds "${PEERS[@]}" -- received c 3
figure here 'Frames of 64 octets on one host' 1/s more veth
rounds "${PEERS[@]}" -- received b 2

"$TOOLS/count_runs.py" sleep infinity &
undo kill $!
for to in here:2 hosts:3; do
	figure program-${to%:*} "tsw_from_port for a TCP frame, $([ $to = here:2 ] &&
		echo on one host || echo to another host)" ns less veth octets
	[ -z "${TSW_VM_COUNT:-}" ] || remark 'a nanosecond is an instruction of the processor'
	for X in 64 1462; do
		rounds "${PEERS[@]}" -- program ${to#*:}
	done
done
