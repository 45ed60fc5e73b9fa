#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cli/dry-run has each refusal, and the same code without -c
# `tsw -c --dry-run` says what would change in the records, and changes none.
#
#   h1 192.0.2.1   h2 192.0.2.2      etcd in the case's own namespace, which each host reaches as
#        └── 127.0.0.1:2379 ──┘      its own 127.0.0.1
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_cluster.sh"

cluster_hosts h1 h2
switch_up
for host in h1 h2; do check "$host joins" sw $host cluster join etcd $URL name campus; done
c() { sw h1 -c "$@"; }
c tenant add red id 100 net 10.0.0.0/24
c tenant add blue id 200
c endpoint add a tenant red ip 10.0.0.1 mac 02:00:00:00:00:01 host h1 >/dev/null
c endpoint add b tenant red ip 10.0.0.2 mac 02:00:00:00:00:02 host h2 >/dev/null
c gateway add red ip 10.0.0.254/24 host h1
c publish add red proto tcp port 80 to 10.0.0.1:80
c save >$WORK/before.json
records() { store read /tsw/; } # with the store's revision

# would WORD...: --dry-run says what `-c diff` says behind the command, and changes no record.
would() {
	local before said

	before=$(records)
	said=$(c -j --dry-run "$@" 2>/dev/null) || true
	is "tsw -c --dry-run ${*@Q} changes no record" "$(records)" "$before"
	if c "$@" >/dev/null 2>$WORK/err; then
		c save >$WORK/after.json
		c apply $WORK/before.json >/dev/null
		is "... it says what changes" "$said" "$(c -j diff $WORK/after.json || true)"
	else
		is "... it is refused likewise" "$(gojq -r '.error? // "taken"' <<<"$said")" \
			"$(sed 's/^tsw: //' $WORK/err)"
	fi
}

would tenant add green id 300 description x
would tenant add red id 5
would tenant set red mtu 1300
would tenant del red
would tenant del red force on
would endpoint add c tenant red ip 10.0.0.3 mac 02:00:00:00:00:03 host h2
would endpoint set b tenant red host h1
would endpoint del b
would endpoint del nobody tenant red
would gateway set red host h2
would gateway del red
would gateway del red force on
would publish add red proto udp port 53 to 10.0.0.2:53
would publish del red proto tcp port 80
would peer add red with blue
would publish add blue proto tcp port 81 to 10.0.0.1:80
would group add blue web
would group del blue web

before=$(records)
is "a host" "$(c -j --dry-run host add h9 ip 192.0.2.9)" \
	'[{"change":"add","object":"host","name":"h9","ip":["192.0.2.9"]}]'
is "what the cluster chooses" "$(c -j --dry-run endpoint add z tenant red host h2 |
	gojq -r '.[0].mac')" auto
is "a tenant's id, too" "$(c -j --dry-run tenant add z | gojq -r '.[0].id')" auto
gojq -c 'del(.tenants[0])' $WORK/before.json >$WORK/less
is "apply: as diff" "$(c -j --dry-run apply $WORK/less)" "$(c -j diff $WORK/less || true)"
is "cluster import: nothing is deleted" "$(c -j --dry-run cluster import $WORK/less)" "[]"
is "gc: as with dry-run on" "$(c --dry-run gc)" "$(c gc dry-run on)"
is "no record has changed" "$(records)" "$before"
finish
