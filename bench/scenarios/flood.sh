#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: A flood of tunnel frames that nobody wants: what a wanted TCP flow keeps
# Quick: no
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
# receiving device's NAPI, which is a thread (/sys/class/net/eth0/threaded). Otherwise a veth's NAPI
# runs on the sender's CPU, and the flood would pay for its own end. So each
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
# Figures, of each encapsulation and kind: `flow` is measured with no flood and at RATES. `kept` is
# the share of the flow without a flood that the same host has, moments later, at the wire's rate,
# which is what CPU 0 can send. `cost`, of the flood at that rate and no flow, is what a frame costs
# the thread.
#
# RATES (frames a second), LENGTH (octets of a frame), ENCAPS, KINDS, RECEIVERS (two or more of
# those above) may be set.
# shellcheck disable=SC1091,SC2034,SC2046,SC2086 # as in selftests/.shellcheckrc; words

# As lib.sh does, but without a namespace of processes: threads of the kernel are to be placed.
# What runs in the background ends with its parent (pdeathsig), however that ends.
[ "${TSW_PRIVATE:-}" = "$0" ] ||
	TSW_PRIVATE=$0 exec unshare --mount --net --propagation private bash "$0" "$@"
. "$(dirname "$0")/../lib.sh"

if [ -n "$QUICK" ]; then RATES='' ENCAPS=vxlan KINDS=source RECEIVERS='tc native'; fi
RATES=${RATES-250000 1000000} LENGTH=${LENGTH:-110}
ENCAPS=${ENCAPS:-vxlan gre} KINDS=${KINDS:-source id}
RECEIVERS=${RECEIVERS:-tc generic native netdev raw watched}
FLOOD=${TSW%/*}/bench_flood
declare -A ID=([vxlan]=100 [gre]=200) NET=([vxlan]=10.0.0 [gre]=10.1.0) # tenants: one an encap
declare -A NAPI                                                         # host -> its thread

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
		retry 5 listens $encap-$host 5201
		reach $encap-h1 $ip
	done
}

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
		watched) bg watched setpriv --pdeathsig KILL $TSW -i watched -j monitor drops ;;
		esac
	done
	for encap in $ENCAPS; do topo_tenant $encap; done
}

# ---- measuring ----------------------------------------------------------------------

flow() { # ENCAP HOST
	gbits $1-h1 ${NET[$1]}.${VTEP[$2]##*.} -w 256K
}

mac_of_host() { ip -n "$1" -j link show dev eth0 | jq -r '.[0].address'; }

flood_words() { # ENCAP HOST KIND RATE
	local id=${ID[$1]}

	[ $3 = source ] || id=100000-16000000
	echo dev $2 mac "$(mac_of_host $2)" to ${VTEP[$2]} from 198.18.0.0/15 id $id \
		encap $1 length $LENGTH cpu 0
	case $4 in full | alone) ;; *) echo rate $4 ;; esac
}

# Live frames that HOST took in, that it was offered, nanoseconds its thread has run, time of day.
count() { # HOST
	on wire ethtool -S $1 | awk '$1 == "tx_queue_0_xdp_xmit:" { taken = $2 }
		$1 == "tx_queue_0_xdp_xmit_errors:" { lost = $2 }
		END { printf "%d %d ", taken, taken + lost }'
	echo "$(cut -d ' ' -f 1 /proc/${NAPI[$1]}/schedstat) ${EPOCHREALTIME/./}"
}
took_more() { [ "$(count $1 | cut -d ' ' -f 1)" -gt $2 ]; } # HOST COUNT

# flooded ENCAP HOST KIND RATE CMD...: CMD under a flood. What was offered, taken in a second, and
# what a frame cost the thread goes to $WORK/counts.
flooded() {
	local host=$2 before after status=0

	before=$(count $host)
	bg wire setpriv --pdeathsig KILL $FLOOD $(flood_words $1 $2 $3 $4) seconds 60
	retry 5 took_more $host ${before%% *} || return
	before=$(count $host)
	"${@:5}" || status=$?
	after=$(count $host)
	kill $BG
	wait $BG
	echo $before $after | awk -v what="$1 $3 $4 $2" '{ us = $8 - $4
		printf "%s %.0f %.0f %.1f\n", what, ($6 - $2) / us * 1e6, ($5 - $1) / us * 1e6,
			($7 - $3) / ($5 - $1) }' >>$WORK/counts
	return $status
}

# Those that differ by what is on this host.
kinds() { # ENCAP HOST
	local kind

	for kind in $KINDS; do
		case $2/$1/$kind in
		netdev/gre/id | raw/gre/id) echo $kind ;;
		netdev/* | raw/*) ;;
		*) echo $kind ;;
		esac
	done
}

# An iperf3 that gives up, as nothing gets through to it, has had nothing.
what_is_left() { flow $1 $2 2>/dev/null || echo 0; } # ENCAP HOST

# One host's samples, of all figures of that encapsulation.
under() { # ENCAP HOST
	local kind rate none gb

	none=$(flow $1 $2) || return
	for kind in $(kinds $1 $2); do
		echo "$none flow-$1-$kind 0"
		for rate in $RATES; do
			gb=$(flooded $1 $2 $kind $rate what_is_left $1 $2) || return
			echo "$gb flow-$1-$kind $rate"
		done
		gb=$(flooded $1 $2 $kind full what_is_left $1 $2) || return
		awk -v gb=$gb -v none=$none -v of=kept-$1-$kind 'BEGIN { print gb / none, of }'
		flooded $1 $2 $kind alone sleep 1 || return
		awk -v of=cost-$1-$kind 'END { print $NF, of }' $WORK/counts
	done
}

# ---- proofs -------------------------------------------------------------------------

# Who counts the drop, as a proof that it is where it should be.
counted_by() { # ENCAP HOST KIND
	counters $2 >$WORK/before
	on wire $FLOOD $(flood_words $1 $2 $3 20000) count 1000 >/dev/null
	retry 2 counted $2 || echo "no counter: the host's stack" >$WORK/who
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
	! command -v nft >/dev/null ||
		on $1 nft -j list counters |
		jq -r '.nftables[].counter // empty | "nft \(.packets)"'
}

proof() { # ENCAP KIND
	local host said=''

	for host in $(peers_of $1 $2); do
		said+="${said:+; }$host: $(counted_by $1 $host $2)"
	done
	remark "Who counts the dropped frames: $said"
}

# Medians of what was offered and what the queue took.
queues() { # ENCAP KIND RATE TEXT
	remark "$4, thousands of frames a second offered, and taken by the receive queue:" \
		"$(jq -Rnr --arg what "$1 $2 $3" '
			def thousands: map(tonumber) | sort | .[length / 2 | floor] / 1000 | round;
			[inputs / " " | select(.[:3] == $what / " ")] | group_by(.[3]) |
			map("\(.[0][3]) \(map(.[4]) | thousands), \(map(.[5]) | thousands)") |
			join("; ")' $WORK/counts)"
}

# ---- figures ------------------------------------------------------------------------

declare -A WHAT=([source]="a tenant's id, no host's address" [id]="ids that are no tenant's")

figures() { # ENCAP KIND
	local flood="a ${1^^} flood, ${WHAT[$2]}"

	figure flow-$1-$2 "A TCP flow under $flood" Gb/s more tc 'frames a second'
	goal watched tc 0.97
	figure kept-$1-$2 "Kept of the flow at the wire's rate of $flood" share more tc
	goal_value native 0.9
	goal_value generic 0.9
	goal watched tc 0.97
	proof $1 $2
	figure cost-$1-$2 "A frame dropped, nothing else: $flood" ns less tc
}

after() { # ENCAP KIND
	local rate

	for rate in $RATES; do FIGURE=flow-$1-$2 queues $1 $2 $rate "At $rate"; done
	FIGURE=kept-$1-$2 queues $1 $2 full "At the wire's rate"
	FIGURE=cost-$1-$2 queues $1 $2 alone 'With no flow'
}

# peers_of ENCAP [KIND]: hosts on which something of it, or that kind, is measured.
peers_of() {
	local host

	for host in $RECEIVERS; do
		[ -n "${SKIPPED[$host]:-}" ] || ! kinds $1 $host | grep -qx "${2:-.*}" || echo $host
	done
}

scenario flood 'A flood of tunnel frames that nobody wants'
needs iperf3 iperf3
needs ethtool ethtool
[ "$(nproc)" -ge 2 ] || { skip_peer flood 'it needs two CPUs'; exit 0; }
for host in netdev raw; do
	needs nft nftables $host || RECEIVERS=${RECEIVERS//$host/}
done
taskset -p -c 1 $$ >/dev/null
progress "$SCENARIO: making hosts"
topo
for encap in $ENCAPS; do
	for kind in $KINDS; do figures $encap $kind; done
	rounds $(peers_of $encap) -- under $encap
	for kind in $KINDS; do after $encap $kind; done
done
