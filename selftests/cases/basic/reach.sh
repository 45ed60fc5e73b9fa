#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#    red-a 10.0.0.1 ┐                               ┌ red-c 10.0.0.3
#    red-b 10.0.0.2 ┤                               │
#                   ├ h1 192.0.2.1 ─── 192.0.2.2 h2 ┤
#   blue-a 10.0.0.1 ┤                               │
#   blue-b 10.0.0.2 ┘                               └ blue-c 10.0.0.3
#
# Endpoints of a tenant reach each other, over IPv4 and IPv6, and counters are exact.
. "$(dirname "$0")/../../lib.sh"

topo_standard
for tenant in red blue; do
	check "$tenant reaches $tenant on the same host, IPv4" reach $tenant-a 10.0.0.2
	check "$tenant reaches $tenant on the same host, IPv6" reach $tenant-a fd00::2
	check "$tenant reaches $tenant across hosts, IPv4" reach $tenant-a 10.0.0.3
	check "$tenant reaches $tenant across hosts, IPv6" reach $tenant-a fd00::3
	check "$tenant reaches $tenant back across hosts" reach $tenant-c 10.0.0.2
	check "$tenant reaches link-local addresses" reach $tenant-a fe80::ff:fe00:3%eth0
done

# The same words again, and as JSON.
before=$(sw h1 -j switch show; sw h1 -j endpoint show)
check "the same 'switch up' again is fine" sw h1 switch up dev eth0 local 192.0.2.1 name h1 $UP_ARGS
is "and changes nothing" "$(sw h1 -j switch show; sw h1 -j endpoint show)" "$before"
is "switch show" "$(sw h1 -j switch show | gojq -c '[.instance, .name, .dev, .local, .port,
	.tenants, .hosts, .endpoints, .max_endpoints]')" \
	'["h1","h1","eth0",["192.0.2.1"],4789,2,1,6,65536]'
is "tenant show" "$(sw h1 -j tenant show | jq -cS '.[] | del(.addresses, .max_endpoints)')" \
	'{"broadcast":true,"connections":32768,"default":"allow","encap":"vxlan","endpoints":3,"flows":false,"half_open":4096,"id":200,"mtu":1450,"name":"blue","policy":"off"}
{"broadcast":true,"connections":32768,"default":"allow","encap":"vxlan","endpoints":3,"flows":false,"half_open":4096,"id":100,"mtu":1450,"name":"red","policy":"off"}'
is "host show" "$(sw h1 -j host show | jq -c .)" \
	'[{"name":"h2","ip":"192.0.2.2","ips":["192.0.2.2"],"endpoints":2}]'
is "endpoint show, here" "$(js h1 endpoint show a tenant red \
	'.[] | [.name, .tenant, .mac, .ip, .dev, .ifindex > 0, has("host")]')" \
	'["a","red","02:00:00:00:00:01",["10.0.0.1","fd00::1"],"red-a",true,false]'
is "endpoint show, elsewhere" "$(js h1 endpoint show c tenant red \
	'.[] | [.name, .tenant, .mac, .ip, .host, has("dev")]')" \
	'["c","red","02:00:00:00:00:03",["10.0.0.3","fd00::3"],"h2",false]'

# 20 echoes of 98 octets: each way counted once at each place, and only there.
counters() {
	local host

	for host in h1 h2; do
		sw $host -j stats show | gojq -c ".[] | [\"$host\", .tenant,
			(.local, .tunnel_tx, .tunnel_rx, .gateway | .packets, .bytes), .drops]"
	done
}
moved() { # CMD...: by how much each counter moved
	local before

	before=$(counters)
	"$@" >/dev/null || true
	jq -nc --slurpfile a <(echo "$before") --slurpfile b <(counters) \
		'[$a, $b] | transpose[] | [.[1][0], .[1][1]] +
		 [[.[0][2:], .[1][2:]] | transpose[] | .[1] - .[0]]' | sort
}
quiet h1 h2
is "20 pings across: tunnel_tx and tunnel_rx +20, 98 octets each" \
	"$(moved on red-a ping -n -q -c 20 -i 0.01 10.0.0.3)" '["h1","blue",0,0,0,0,0,0,0,0,0]
["h1","red",0,0,20,1960,20,1960,0,0,0]
["h2","blue",0,0,0,0,0,0,0,0,0]
["h2","red",0,0,20,1960,20,1960,0,0,0]'
is "20 pings on one host: local +40" "$(moved on blue-a ping -n -q -c 20 -i 0.01 10.0.0.2)" \
	'["h1","blue",40,3920,0,0,0,0,0,0,0]
["h1","red",0,0,0,0,0,0,0,0,0]
["h2","blue",0,0,0,0,0,0,0,0,0]
["h2","red",0,0,0,0,0,0,0,0,0]'
host_counters() {
	js $1 -s host show '.[] | [.tx.packets, .tx.bytes, .rx.packets, .rx.bytes]'
}
before=$(host_counters h1)
on red-a ping -n -q -c 20 -i 0.01 fd00::3 >/dev/null
is "host show -s counts per host" \
	"$(gojq -nc "[$before, $(host_counters h1)] | transpose | map(.[1] - .[0])")" \
	'[20,2360,20,2360]'
is "nothing was dropped" "$(all_drops h1; all_drops h2)" ""

# The maps are the state, and plain bpftool reads them.
is "bpftool map dump reads the tenants, by type" "$(map_dump h1 tenants |
	gojq -c '[.[].formatted | [.key, .value.endpoints]] | sort')" '[[100,3],[200,3]]'
is "bpftool map dump reads the fdb" "$(map_dump h1 fdb | gojq length)" 6
for map in config totals tenants tenant_ids hosts host_ids vteps ports fdb addrs endpoints \
	groups stats host_stats drops; do
	map_dump h1 $map >/dev/null 2>&1 || echo $map
done >$WORK/missing
is "every map is pinned and readable" "$(<$WORK/missing)" ""
finish
