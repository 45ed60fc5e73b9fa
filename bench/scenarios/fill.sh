#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: A cluster: a net that is used up by all at once
# Quick: no
#
#    etcd m1 m2 m3 ══ as many writers as hosts, each `tsw -c -b` of one `endpoint add` a line
#
# Each takes addresses of one net until none is free. None may be given twice, and none be lost.
. "$(dirname "$0")/../lib.sh"
. "$LIB/lib_etcd.sh"
. "$LIB/lib_cluster.sh"

WRITERS=100 NET=10.200.0.0/16
[ -z "$QUICK" ] || WRITERS=20 NET=10.200.0.0/22

scenario fill 'A net that is used up by all at once'
needs etcd etcd-server
needs etcdctl etcd-client
ulimit -n "$(ulimit -Hn)"
ETCD_FLAGS="--quota-backend-bytes 8000000000"
MEMBERS="m1 m2 m3" cluster_up h1 >/dev/null
# A member beside etcd, with no forwarder between them.
cp /etc/tsw/h1.cluster /etc/tsw/near.cluster

figure fill "So many writers use up $NET: endpoints a second" 1/s more tsw
sw h1 -c tenant add wide id 901 net "$NET" >/dev/null
room=$("$PY" -c "import ipaddress; print(ipaddress.ip_network('$NET').num_addresses - 2)")
fill() {
	local i begin end n writers=()

	for ((i = 0; i < WRITERS; i++)); do
		awk -v w=$i -v n=$((2 * room / WRITERS)) 'BEGIN { for (i = 0; i < n; i++)
			print "endpoint add w" w "-" i " tenant wide host h1" }' >"$WORK/fill.$i"
	done
	begin=${EPOCHREALTIME/./}
	for ((i = 0; i < WRITERS; i++)); do
		"$TSW" -i near -q -c -b "$WORK/fill.$i" >"$WORK/told.$i" 2>&1 &
		writers+=($!)
	done
	wait "${writers[@]}" || true # each ends when there is no address any more
	end=${EPOCHREALTIME/./}
	n=$(store read $CLUSTER/e/901/ | grep -c '"name"')
	remark "$WRITERS writers: $n endpoints of $room addresses," \
		"$(store read $CLUSTER/e/901/ | grep -o '"ip":[^]]*' | sort -u | wc -l) different;" \
		"$(cat "$WORK"/told.* | grep -c 'no address of net') ended because none was free"
	echo "$n" "$((end - begin))" | awk '{ print $1 / $2 * 1e6 }'
}
ROUNDS=1 rounds tsw -- fill
