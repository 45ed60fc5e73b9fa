#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: port/shares fills a small switch; a batch of cli/state is short
# alone: it measures times
#
#   red-a 10.0.0.1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ red-c 10.0.0.3
#        100,000 endpoints besides, of 100 tenants, all on h2
#
# A batch of 100,000 is one process; all are counted, shown, changed, deleted, nothing stays.
. "$(dirname "$0")/../../lib.sh"

N=100000
UP_ARGS="$UP_ARGS max-endpoints 200000"
topo_hosts h1 h2
switch_up
tenants red 100
container red a h1 10.0.0.1/24
container red c h2 10.0.0.3/24

batch() { # VERB: endpoints e1..eN, a tenth of them with an IPv6 address too
	awk -v n=$N -v verb=$1 'BEGIN { for (i = 1; i <= n; i++) {
		printf "endpoint %s e%d tenant t%d", verb, i, i % 100 + 1
		if (verb != "del") {
			a = int(i / 65536); b = int(i / 256) % 256; c = i % 256
			printf " mac 02:01:00:%02x:%02x:%02x ip 10.%d.%d.%d", a, b, c, 1 + a, b, c
			if (i % 10 == 0)
				printf " ip fd00::1:%x:%x", a, i % 65536
			printf " host h2"
		}
		print "" } }'
}
entries() { # of maps that hold endpoints
	local map

	for map in fdb addrs endpoints groups; do
		bpftool map dump pinned "$(map_pin h1 $map)" | grep -c '"key":'
	done | paste -sd ' '
}
timed() { # DESC CMD...: ok if it succeeds; tells how long it took
	local desc=$1 start=${EPOCHREALTIME/./}

	shift
	check "$desc" "$@"
	note "$(((${EPOCHREALTIME/./} - start) / 1000)) ms"
}

empty=$(entries)
for i in {1..100}; do echo "tenant add t$i id $((1000 + i))"; done >$WORK/tenants
batch add >$WORK/add
batch replace >$WORK/replace
batch del >$WORK/del
check "100 tenants" sw h1 -b $WORK/tenants
with_tenants=$(entries)
timed "$N endpoints in one batch" sw h1 -b $WORK/add
is "switch show counts them" "$(sw h1 -j switch show | gojq -c '[.tenants, .endpoints]')" \
	"[101,$((N + 2))]"
is "so does each tenant" "$(sw h1 -j tenant show | gojq -c '[.[] | select(.id > 1000).endpoints] |
	[length, min, max]')" '[100,1000,1000]'
is "so does the host" "$(sw h1 -j host show | gojq '.[0].endpoints')" $((N + 1))
shows() { [ "$(sw h1 -j endpoint show | gojq length)" = "$1" ]; }
timed "endpoint show shows them" shows $((N + 2))
is "the last of them" "$(sw h1 -j endpoint show e$N | jq -c '.[] | [.tenant, .mac, .ip, .host]')" \
	'["t1","02:01:00:01:86:a0",["10.2.134.160","fd00::1:1:86a0"],"h2"]'
check "traffic among them" reach red-a 10.0.0.3
timed "one more endpoint, as one command" sw h1 endpoint add one tenant t1 \
	mac 02:02:00:00:00:01 ip 10.200.0.1 host h2
timed "and its end" sw h1 endpoint del one tenant t1
full=$(entries)
timed "replace of all by the same" sw h1 -b $WORK/replace
is "changes no entry" "$(entries)" "$full"
timed "delete of all in one batch" sw h1 -b $WORK/del
is "no entry stays" "$(entries)" "$with_tenants"
sw h1 -b $WORK/add
for i in {1..100}; do echo "tenant del t$i force on"; done >$WORK/tenants
timed "tenant del force takes all along" sw h1 -b $WORK/tenants
is "no entry stays after force" "$(entries)" "$empty"
is "counted" "$(sw h1 -j switch show | gojq -c '[.tenants, .endpoints]')" '[1,2]'
check "traffic still goes" reach red-a 10.0.0.3
finish
