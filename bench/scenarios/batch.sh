#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: A batch job: a quicksort of random integers by two ranks of an MPI job
# Quick: no
#
#    h1 192.0.2.1 ───────────── 192.0.2.2 h2     host: a rank on h1 and one on h2
#      ├ rank 0                  rank 1    ┤     each other peer: each rank in a container
#
# Rank 0 has all, sends half of them to rank 1, and gets them back sorted: 2 octets cross for each
# octet that is sorted away from home (bench/quicksort.c). The seconds are those of the sort, its
# distribution and collection with it, not those of starting the job.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"
APART=1

PEERS=(host tsw bridge routed ovs)
COUNTS=(10000000 100000000 200000000)
[ -z "$QUICK" ] || PEERS=(host tsw bridge) COUNTS=(2000000)
QUICKSORT=${TSW%/*}/bench_quicksort
declare -A HOST=([10000000]=1.17 [100000000]=12.06 [200000000]=32.14)
declare -A CONTAINER=([10000000]=1.51 [100000000]=13.31 [200000000]=33.82)

scenario batch 'A batch job'
needs mpiexec.hydra mpich || exit 0
[ -x "$QUICKSORT" ] || needs mpicc.mpich libmpich-dev || exit 0
[ -x "$QUICKSORT" ] || { echo "batch: no $QUICKSORT: run make bench" >&2 && exit 1; }
topo_hosts h1 h2
peer_make "${PEERS[@]}"

# What mpiexec takes for ssh. A rank's host is called by its address, which says in which namespace
# that is. `ip netns exec` shows the rank its own /sys, where it looks for devices.
cat >$WORK/launch <<-'END'
	#!/bin/bash
	while [ $# -gt 0 ] && [ ! -e "$0.d/$1" ]; do shift; done
	read -r ns pin <"$0.d/$1"
	exec ip netns exec "$ns" $pin bash -c "${*:2}"
END
chmod +x $WORK/launch
mkdir $WORK/launch.d

address() { ip -n "$1" -j -4 addr show dev eth0 | jq -r '.[0].addr_info[0].local'; } # NS

# sorted N PEER: seconds.
sorted() {
	local ns near=${FROM[$2]} hosts=()

	for ns in $near ${TO[$2]}; do
		hosts+=("$(address $ns)")
		echo $ns ${PIN[$ns]} >$WORK/launch.d/${hosts[-1]}
	done
	UCX_TLS=tcp,self UCX_NET_DEVICES=eth0 timeout $((60 + $1 / 1000000)) ip netns exec $near \
		${PIN[$near]} mpiexec.hydra -launcher ssh -launcher-exec $WORK/launch \
		-localhost ${hosts[0]} -hosts "${hosts[0]},${hosts[1]}" -n 2 "$QUICKSORT" $1
}

# Rank 0 has them all, rank 1 half of them.
fits() { awk -v n=$1 '$1 == "MemAvailable:" { exit $2 * 1024 < n * 4 * 2 }' /proc/meminfo; } # N

figure seconds 'Quicksort by two ranks' s less host integers log
goal tsw host 1.05
for X in "${COUNTS[@]}"; do
	fits $X || { remark "$X integers: not enough memory" && continue; }
	[ -z "${CONTAINER[$X]:-}" ] ||
		published 'Docklet container' ${CONTAINER[$X]} ${HOST[$X]} 'Docklet, table 4' $X
	rounds "${PEERS[@]}" -- sorted $X
done
