#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the benches share. Sourced behind selftests/lib.sh.
# shellcheck shell=bash disable=SC2086

ROUNDS=${ROUNDS:-5} SECONDS_EACH=${SECONDS_EACH:-2}

listens() { on "$1" ss -Hltn 'sport = 5201' | grep -q .; } # NS

serve() { # NS...: an iperf3 in each
	local ns

	for ns in "$@"; do
		bg "$ns" iperf3 -s
		retry 5 listens "$ns"
	done
}

gbits() { # FROM ADDRESS [OPTION...]
	local ns=$1 to=$2

	shift 2
	on "$ns" iperf3 -c "$to" -t "$SECONDS_EACH" -O 0.5 -J "$@" |
		jq '.end.sum_received.bits_per_second / 1e9'
}

# offloads DEV on|off HOST...: super-frames cross that wire, or frames of at most the MTU, which
# the receiver's GRO puts together.
offloads() {
	local dev=$1 word=$2 host

	shift 2
	for host in "$@"; do
		on "$host" ethtool -K "$dev" tso $word gso $word tx-udp_tnl-segmentation $word \
			tx-udp_tnl-csum-segmentation $word gro on >/dev/null
	done
}

# summary FILE FIRST PEER...: of the lines `PEER GBITS` medians, spread, and ratios of the medians
# to that of FIRST.
summary() {
	local file=$1

	shift
	awk '{ printf "{\"peer\": \"%s\", \"gb\": %s}\n", $1, $2 }' "$file" | jq -rs --args '
		group_by(.peer) | map({key: .[0].peer, value: (map(.gb) | sort)}) | from_entries |
		def two: . * 100 | round / 100;
		def median: .[length / 2 | floor];
		. as $all | $ARGS.positional | .[0] as $first | .[] | [., ($all[.] | median | two),
			($all[.] | "\(first | two) - \(last | two)"),
			(($all[.] | median) / ($all[$first] | median) | two)] | @tsv' "$@" |
		awk -F'\t' -v first="$1" 'BEGIN { printf "  %-14s %12s %16s   ratio to %s\n",
				"peer", "median Gb/s", "least - most", first }
			{ printf "  %-14s %12s %16s %10s\n", $1, $2, $3, $4 }'
}
