#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The wanted flow, one TCP flow between two containers, while somebody on the underlay floods
# the receiving host with tunnel frames that nobody wants, by where these are dropped.
#
#   h1       192.0.2.1  10.0.0.1 ─╮   the flow's sender
#   tc       192.0.2.2  10.0.0.2 ─┤   XDP off: tsw drops in tc
#   generic  192.0.2.3  10.0.0.3 ─┤   tsw drops in XDP, generic or native
#   native   192.0.2.4  10.0.0.4 ─┼─  bridge in the namespace `wire`: the flood comes in by
#   netdev   192.0.2.5  10.0.0.5 ─┤   the cable of the host that has its turn
#   raw      192.0.2.6  10.0.0.6 ─┤   netdev, raw: XDP off, and a rule of nftables, at the
#                                 │   ingress of eth0 or in prerouting before conntrack
#   watched  192.0.2.7  10.0.0.7 ─╯   as tc, while `tsw monitor drops` tells of the drops
#
# The flood has CPU 0 for itself and sends live frames (bench/flood.c): to the host they are what
# a NIC has just received. All of the hosts runs on CPU 1: both ends of the flow, the wire, and the
# receiving device's NAPI, which is a thread (/sys/class/net/eth0/threaded), since a veth's runs
# on the CPU of whoever sends otherwise, and the flood would pay for its own end. So each
# host has one receive queue, of 256 frames: what dropping costs is what the flow lacks, and
# what the queue cannot hold is lost, the flow's frames with the flood's. Overloaded, the thread
# gets its fair share of the CPU, as ksoftirqd would. The wire carries single frames, since
# native XDP on a veth takes no super-frames, and the flow's window is such that it does not
# fill the queue by itself.
#
# Kinds of flood, both from random source addresses in 198.18.0.0/15, which are no host's:
#   source   with a tenant's id
#   id       with ids that are no tenant's. GRE keys tsw lets pass, since another VTEP of the host
#            may want them; VNIs end in it, for the port is its own. Linux' tc ingress comes
#            before the hooks of nftables, so GRE keys are the only kind that a rule gets to see.
#
# ROUNDS (5), SECONDS_EACH (2), RATES (250000 1000000 full; frames a second), LENGTH (110
# octets), ENCAPS (vxlan, and gre where tsw has it), RECEIVERS (some of the above) may be set.
# Ratios are medians over the
# rounds of flow under flood to flow without, on the same host. `alone` is the flood at full
# rate and no flow: what a frame costs the thread, and so the flow. -j prints JSON instead.
# shellcheck disable=SC1091,SC2034,SC2046,SC2086 # as in selftests/.shellcheckrc; words

# As lib.sh does, but without a namespace of processes: threads of the kernel are to be placed.
[ "${TSW_PRIVATE:-}" = "$0" ] ||
	TSW_PRIVATE=$0 exec unshare --mount --net --propagation private bash "$0" "$@"
. "$(dirname "$0")/../selftests/lib.sh"

ROUNDS=${ROUNDS:-5} SECONDS_EACH=${SECONDS_EACH:-2}
RATES=${RATES:-250000 1000000 full} LENGTH=${LENGTH:-110} ENCAPS=${ENCAPS:-vxlan gre}
RECEIVERS=${RECEIVERS:-tc generic native netdev raw watched}
FLOOD=${TSW%/*}/bench_flood
declare -A ID=([vxlan]=100 [gre]=200) NET=([vxlan]=10.0.0 [gre]=10.1.0) # tenants: one an encap
declare -A NAPI                                                         # host -> its thread
trap run_undo EXIT

# ---- hosts --------------------------------------------------------------------------

napi_threads() { ps -e -o pid= -o comm= | awk '$2 ~ /^napi\// { print $1 }' | sort; }

# What comes in by its eth0 is processed by a thread, on the CPU of the hosts.
receive_by_thread() { # HOST
	local host=$1 before

	on $host ethtool -K eth0 gro on # NAPI, with and without a program at XDP
	# GRO is what live frames ask of the device that sends them.
	on wire ethtool -K $host gro on tso off gso off tx-udp_tnl-segmentation off \
		tx-udp_tnl-csum-segmentation off
	before=$(napi_threads)
	ip netns exec $host sh -c 'echo 1 >/sys/class/net/eth0/threaded'
	NAPI[$host]=$(comm -13 <(echo "$before") <(napi_threads))
	taskset -p -c 1 ${NAPI[$host]} >/dev/null
	renice -n "$(nice)" -p ${NAPI[$host]} >/dev/null
}

# What an operator would write: tunnel frames from the hosts alone.
nft_rule() { # HOST FAMILY CHAIN
	on $1 nft -f - <<-END
		table $2 guard {
			set hosts { type ipv4_addr; elements = { $(IFS=,; echo "${VTEP[*]}") } }
			counter unwanted { }
			chain guard {
				type filter hook $3; policy accept;
				udp dport 4789 ip saddr != @hosts counter name unwanted drop
				ip protocol gre ip saddr != @hosts counter name unwanted drop
			}
		}
	END
}

topo_tenant() { # ENCAP
	local encap=$1 host ip

	for host in "${HOSTS[@]}"; do
		sw $host tenant add $encap id ${ID[$encap]} encap $encap
	done
	for host in "${HOSTS[@]}"; do
		ip=${NET[$encap]}.${VTEP[$host]##*.}
		container $encap $host $host $ip/24
		[ $host != h1 ] || continue
		bg $encap-$host setpriv --pdeathsig KILL iperf3 -s
		retry 5 listens $encap-$host
		reach $encap-h1 $ip
	done
}
listens() { on "$1" ss -Hltn 'sport = 5201' | grep -q .; }

topo() {
	local host encap

	topo_hosts h1 $RECEIVERS
	UP_ARGS="xdp off" switch_up h1
	for host in $RECEIVERS; do
		case $host in generic | native) UP_ARGS="xdp $host" ;; *) UP_ARGS="xdp off" ;; esac
		switch_up $host
	done
	for host in $RECEIVERS; do
		receive_by_thread $host
	done
	for host in $RECEIVERS; do
		case $host in
		netdev) nft_rule netdev netdev 'ingress device eth0 priority 0' ;;
		raw) nft_rule raw ip 'prerouting priority raw' ;;
		watched) bg watched $TSW -i watched -j monitor drops ;;
		esac
	done
	for encap in $ENCAPS; do
		if sw h1 tenant add $encap id ${ID[$encap]} encap $encap 2>$WORK/refused; then
			sw h1 tenant del $encap
			topo_tenant $encap
		else
			echo "without $encap: $(<$WORK/refused)" >&2
			ENCAPS=${ENCAPS/$encap/}
		fi
	done
}

# ---- measuring ----------------------------------------------------------------------

gbits() { # ENCAP HOST
	on $1-h1 iperf3 -c ${NET[$1]}.${VTEP[$2]##*.} -t $SECONDS_EACH -O 0.5 -w 256K -J |
		jq '.end.sum_received.bits_per_second / 1e9'
}

mac_of_host() { ip -n "$1" -j link show dev eth0 | jq -r '.[0].address'; }

flood_words() { # ENCAP HOST KIND RATE
	local id=${ID[$1]}

	[ $3 = source ] || id=100000-16000000
	echo dev $2 mac "$(mac_of_host $2)" to ${VTEP[$2]} from 198.18.0.0/15 id $id \
		encap $1 length $LENGTH cpu 0
	[ $4 = full ] || echo rate $4
}

# Live frames that HOST took in, that it was offered, nanoseconds its thread has run, time of day.
count() { # HOST
	on wire ethtool -S $1 | awk '$1 == "tx_queue_0_xdp_xmit:" { taken = $2 }
		$1 == "tx_queue_0_xdp_xmit_errors:" { lost = $2 }
		END { printf "%d %d ", taken, taken + lost }'
	echo "$(cut -d ' ' -f 1 /proc/${NAPI[$1]}/schedstat) ${EPOCHREALTIME/./}"
}
took_more() { [ "$(count $1 | cut -d ' ' -f 1)" -gt $2 ]; } # HOST COUNT

# flooded ENCAP HOST KIND RATE CMD...: CMD under a flood; what it prints goes to $WORK/gb, the
# flood's rates to $WORK/rates.
flooded() {
	local host=$2 before after

	before=$(count $host)
	bg wire setpriv --pdeathsig KILL $FLOOD $(flood_words $1 $2 $3 $4) seconds 60
	retry 5 took_more $host ${before%% *}
	before=$(count $host)
	"${@:5}" >$WORK/gb
	after=$(count $host)
	kill $BG
	wait $BG
	echo $before $after | awk '{ us = $8 - $4
		printf "\"taken\":%.0f,\"offered\":%.0f,\"ns\":%.1f\n", ($5 - $1) / us * 1e6,
			($6 - $2) / us * 1e6, ($7 - $3) / ($5 - $1) }' >$WORK/rates
}

# Who counts the drop, as a proof that it is where it should be.
counted_by() { # ENCAP HOST KIND
	counters $2 >$WORK/before
	on wire $FLOOD $(flood_words $1 $2 $3 20000) count 1000 >/dev/null
	retry 2 counted $2 || echo - >$WORK/who # the host's stack, uncounted
	cat $WORK/who
}
counted() { # HOST: whose counter has moved by most of them
	counters $1 | awk 'NR == FNR { n[$1] = $2; next } $2 - n[$1] >= 900 { print $1 }' \
		$WORK/before - | paste -sd , >$WORK/who
	grep -q . $WORK/who
}
counters() { # HOST
	echo none 0 # awk knows the first file by its having a line
	sw $1 -j stats drops | jq -r 'group_by(.reason)[] |
		"\(.[0].reason) \(map(.packets) | add)"'
	on $1 nft -j list counters | jq -r '.nftables[].counter // empty | "nft \(.packets)"'
}

row() { # ENCAP HOST KIND RATE GB
	echo "{\"encap\":\"$1\",\"by\":\"$2\",\"kind\":\"$3\",\"rate\":\"$4\",\"gb\":$5," \
		"\"round\":$round,$(cat $WORK/rates)}" >>$WORK/runs
}

measure() { # ENCAP HOST KIND
	local rate gb

	for rate in $RATES; do
		flooded $1 $2 $3 $rate gbits $1 $2
		row $1 $2 $3 $rate "$(<$WORK/gb)"
	done
	flooded $1 $2 $3 full sleep 1 # nothing else: what a frame costs
	row $1 $2 $3 alone null
}

kinds() { # HOST ENCAP: those that differ by what is on this host
	case $1 in
	netdev | raw) [ $2 != gre ] || echo id ;;
	*) echo source id ;;
	esac
}

run() {
	local round encap host kind

	for ((round = 0; round < ROUNDS; round++)); do
		for encap in $ENCAPS; do
			for host in $RECEIVERS; do
				echo '"taken":0,"offered":0,"ns":null' >$WORK/rates
				row $encap $host none 0 "$(gbits $encap $host)"
				for kind in $(kinds $host $encap); do
					measure $encap $host $kind
				done
			done
		done
	done
}

proofs() {
	local encap host kind

	for encap in $ENCAPS; do
		for host in $RECEIVERS; do
			for kind in $(kinds $host $encap); do
				echo "\"$encap $host $kind\" \"$(counted_by $encap $host $kind)\""
			done
		done
	done | jq -s '[_nwise(2) | {key: .[0], value: .[1]}] | from_entries' >$WORK/proofs
}

# One object for each encap, host, kind and rate, with medians over the rounds.
summary() {
	jq -s --slurpfile proofs $WORK/proofs '
		def median: sort | .[length / 2 | floor];
		def host: "\(.encap) \(.by) \(.round)";
		(map(select(.kind == "none") | {key: host, value: .gb}) | from_entries) as $none |
		map(.ratio = if .gb then .gb / $none[host] else null end) |
		group_by([.encap, .by, .kind, .rate]) | map(.[0] + {
			gb: map(.gb) | median, least: map(.gb) | min, most: map(.gb) | max,
			ratio: map(.ratio) | median,
			ns: (if .[0].rate == "alone" then map(.ns) | median else null end),
			taken: map(.taken) | median, offered: map(.offered) | median,
			counted: $proofs[0]["\(.[0].encap) \(.[0].by) \(.[0].kind)"]
		} | del(.round)) | sort_by(.rate | tonumber? // infinite)' $WORK/runs
}

table() {
	local encap kind

	for encap in $ENCAPS; do
		for kind in none source id; do
			echo "$encap, flood: $kind"
			jq -r --arg encap $encap --arg kind $kind '
				def two: if . then . * 100 | round / 100 else "-" end;
				("tc watched generic native netdev raw" / " " | .[]) as $by | .[] |
				select(.encap == $encap and .kind == $kind and .by == $by) |
				[$by, .rate, (.offered / 1000 | round), (.taken / 1000 | round),
				(.gb | two), "\(.least | two) - \(.most | two)", (.ratio | two),
				(if .ns then .ns | round else "-" end),
				.counted // "-"] | @tsv' $WORK/summary | columns
		done
	done
}
columns() {
	awk -F'\t' -v f='  %-8s %8s %10s %10s %10s %14s %6s %9s  %s\n' '
		BEGIN { printf f, "by", "rate", "offered k", "taken k", "flow Gb/s",
			"least - most", "ratio", "ns/frame", "counted as" }
		{ printf f, $1, $2, $3, $4, $5, $6, $7, $8, $9 }'
}

[ "$(nproc)" -ge 2 ] || { echo "$0: needs two CPUs" >&2; exit 1; }
taskset -p -c 1 $$ >/dev/null
topo
proofs
run
summary >$WORK/summary
if [ "${1:-}" = -j ]; then jq . $WORK/summary; else table; fi
FINISHED=1
