#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: What a frame costs: CPU for each Gb, and nanoseconds of each program
# Quick: no
#
#   red-a red-b ── h1 192.0.2.1 ─── 192.0.2.2 h2 ── red-c       blue: the same with GRE
#
# CPU is what all of the machine was busy with during a flow (/proc/stat), both ends and the wire
# with it, against the octets that the receiver had. Nanoseconds are those of the pinned program on
# one frame of 98 octets by BPF_PROG_TEST_RUN, less what a program that does nothing takes there.
# What the kernel does with the frame afterwards (a redirection, a copy) is not in it.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"
APART=1

PEERS=(host tsw tsw-gre redirect bridge routed)
[ -z "$QUICK" ] || PEERS=(host tsw bridge)
RUNS=20000
PROGRUN=${TSW%/*}/bench_progrun

scenario cost 'What a frame costs'
needs iperf3 iperf3
topo_hosts h1 h2
peer_make "${PEERS[@]}"
tenants green 300 brown 400
container green a h1 10.8.0.1/24
container green b h1 10.8.0.2/24
container green c h2 10.8.0.3/24
sw h1 tenant set brown encap gre
sw h2 tenant set brown encap gre
container brown a h1 10.8.0.1/24
container brown c h2 10.8.0.3/24
for peer in "${PEERS[@]}"; do
	[ -n "${SKIPPED[$peer]:-}" ] || serve "${TO[$peer]}"
done

busy() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 }' /proc/stat; } # ticks of 10 ms

# cpu_per_gb PEER: CPU seconds for each Gb that came.
cpu_per_gb() {
	local before gb

	before=$(busy)
	gb=$(tcp_flow "${FROM[$1]}" "${ADDR[$1]}" -O 0 | jq '.end.sum_received.bytes * 8e-9')
	awk -v ticks=$(($(busy) - before)) -v gb="$gb" 'BEGIN { print ticks / 100 / gb }'
}

for wire in offload frames; do
	peer_wire $wire
	figure cpu-$wire "CPU seconds for a Gb, wire: $wire" 's/Gb' less host
	goal tsw host 1.05
	rounds "${PEERS[@]}" -- cpu_per_gb
done

# ---- programs -----------------------------------------------------------------------

hex() { "$PY" "$TOOLS/inject.py" -p none "$@"; } # LAYERS...
mac() { ip -n "$1" -j link show dev "$2" | jq -r '.[0].address'; } # NS DEV
program() { find /sys/fs/bpf/tsw/h1/progs -name "tsw_$1"; }

A=02:00:00:00:00:01 B=02:00:00:00:00:02 C=02:00:00:00:00:03
inner() { # FROM TO IP IP
	echo eth "src=$1" "dst=$2" / ip "src=$3" "dst=$4" / icmp / pad 56
}
outer() { # FROM PROTO WORD...
	echo eth "src=$(mac h2 eth0)" "dst=$(mac h1 eth0)" / ip "src=$1" dst=192.0.2.1 / "${@:2}"
}
# path NAME: program, device, frame
path() {
	case $1 in
	local) echo from_port green-a "$(inner $A $B 10.8.0.1 10.8.0.2)" ;;
	'VXLAN out') echo from_port green-a "$(inner $A $C 10.8.0.1 10.8.0.3)" ;;
	'GRE out') echo from_port brown-a "$(inner $A $C 10.8.0.1 10.8.0.3)" ;;
	'VXLAN in') echo from_wire eth0 "$(outer 192.0.2.2 udp sport=50000 dport=4789 \
		csum=0 / vxlan vni=300 / "$(inner $C $A 10.8.0.3 10.8.0.1)")" ;;
	'GRE in') echo from_wire eth0 "$(outer 192.0.2.2 gre key=400 / \
		"$(inner $C $A 10.8.0.3 10.8.0.1)")" ;;
	'ARP answer') echo from_port green-a eth src=$A dst=ff:ff:ff:ff:ff:ff / arp op=1 sha=$A \
		spa=10.8.0.1 tpa=10.8.0.3 ;;
	'drop at a port') echo from_port green-a "$(inner $B $A 10.8.0.2 10.8.0.1)" ;;
	'drop at the wire') echo from_wire eth0 "$(outer 192.0.2.77 udp sport=50000 dport=4789 \
		csum=0 / vxlan vni=300 / "$(inner $C $A 10.8.0.3 10.8.0.1)")" ;;
	esac
}

nanoseconds() { # PATH
	local words

	read -ra words <<<"$(path "$1")"
	on h1 "$PROGRUN" "$(program "${words[0]}")" "${words[1]}" $RUNS "$(hex "${words[@]:2}")" |
		jq '.ns - .nothing'
}

figure ns 'A program on one frame' ns less local
rounds local 'VXLAN out' 'VXLAN in' 'GRE out' 'GRE in' 'ARP answer' 'drop at a port' \
	'drop at the wire' -- nanoseconds
