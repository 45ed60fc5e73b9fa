#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cli/state applies files of one host; unit_state has hosts' addresses and names
#
#   red-a 10.0.0.1 ┐               ┌ wire ┐               ┌ red-b 10.0.0.2
#  blue-a 10.0.0.1 ┴ h1 192.0.2.1 ─┤      ├─ 192.0.2.2 h2 ┴ blue-b 10.0.0.2
#                                  └──────┴─ 192.0.2.3 h3 ─ red-c, blue-c 10.0.0.3
#
# One file describes all hosts: each applies it and takes its own part. This way endpoints move,
# hosts swap their addresses, and a host gets a new name.
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2 h3
populate bare h1 red-a blue-a h2 red-b blue-b h3 red-c blue-c
F=$WORK/cluster.json
gojq -n '
	def ep(n; m; h): {name: n, mac: "02:00:00:00:00:0\(m)", ip: ["10.0.0.\(m)"], host: h};
	def tenant(n; i): {name: n, id: i, endpoints: [
		ep("a"; 1; "h1") + {dev: "\(n)-a"}, ep("b"; 2; "h2") + {dev: "\(n)-b"},
		ep("c"; 3; "h3") + {dev: "\(n)-c"}]};
	{format: 1, switch: {dev: ["eth0"], max_endpoints: 1000}, hosts: [
		{name: "h1", ip: ["192.0.2.1"]}, {name: "h2", ip: ["192.0.2.2"]},
		{name: "h3", ip: ["192.0.2.3"], switch: {dev: ["eth0"], max_endpoints: 2000}}],
	 tenants: [tenant("red"; 100) + {
		gateway: {ip: ["10.0.0.254/24"], host: "h2"},
		publish: [{proto: "tcp", port: 80, to: "10.0.0.2:80", host: "h2"},
			{proto: "tcp", port: 80, to: "10.0.0.3:80", host: "h3"}]},
		tenant("blue"; 200)]}' >$F
for host in h1 h2 h3; do undo sw $host switch down; done
on_all() { # WORD...: of tsw
	local host

	for host in h1 h2 h3; do sw $host -q "$@" >$WORK/"$host".out || return 1; done
}
js_all() { for host in h1 h2 h3; do js $host "$@"; done | paste -sd ' '; } # WORD... FILTER
edit() { gojq "$1" $F >$WORK/new.json && mv $WORK/new.json $F; }
same() { # no host has anything to do
	local host

	for host in h1 h2 h3; do sw $host diff $F || return 1; done
}
all_reach() {
	local tenant ip

	for tenant in red blue; do
		for ip in 10.0.0.2 10.0.0.3; do reach $tenant-a $ip || return 1; done
		reach $tenant-b 10.0.0.3 || return 1
	done
}

# The file of examples/, as it is, for the first two.
EXAMPLE=$ROOT/examples/cluster.json
check "the example fits the schema" "$PY" "$TOOLS/schema.py" "$ROOT/docs/state.schema.json" \
	<"$EXAMPLE"
for host in h1 h2; do check "$host applies it, by its own name" sw $host -q apply "$EXAMPLE"; done
for tenant in red blue; do
	check "$tenant reaches its own" reach $tenant-a 10.0.0.2
	check "and back" reach $tenant-b 10.0.0.1
done
check_fails "one that is none of its hosts is refused" sw h3 apply "$EXAMPLE"
for host in h1 h2; do
	check "$host has nothing more to do" sw $host diff "$EXAMPLE"
	check "and is taken down" sw $host switch down
done

check "the file fits the schema" "$PY" "$TOOLS/schema.py" "$ROOT/docs/state.schema.json" <$F
check "each host applies it" on_all apply $F
check "and has nothing more to do" same
check "all reach their own" all_reach
is "each has its own endpoints here" "$(js_all endpoint show '[.[] | select(.dev).name]')" '["a","a"] ["b","b"] ["c","c"]'
is "and its own settings" "$(js_all switch show .max_endpoints)" "1000 1000 2000"
is "ports are published where the file says" "$(js_all publish show 'map(.to)')" '[] ["10.0.0.2:80"] ["10.0.0.3:80"]'
is "the gateway is served where the file says" "$(js_all gateway show 'map(.local)')" '[false] [true] [false]'
for host in h1 h2 h3; do
	is "what $host saves, $host applies" "$(sw $host save | sw $host -j apply -)" "[]"
done

# An endpoint moves: its container is plugged in elsewhere.
ip -n h2 link set red-b netns h3 && ip -n h3 link set red-b up
edit '(.tenants[0].endpoints[1].host) = "h3"'
check "an endpoint moves to another host" on_all apply $F
check "it is reached there" all_reach
is "h2 says that it has left" "$(js h2 endpoint show b tenant red '.[0].host')" h3

# Two hosts swap their addresses. What lives there is away meanwhile, and is never another's.
capture red red-b eth0 icmp and src 10.0.0.1
capture blue blue-b eth0 icmp and src 10.0.0.1
bg red-a ping -q -n -i 0.005 -W 1 -c 100000 -p a1 10.0.0.2
bg blue-a ping -q -n -i 0.005 -W 1 -c 100000 -p b2 10.0.0.2
capture_has red 10
capture_has blue 10
for host in h2 h3; do sysctl_in $host net.ipv4.conf.eth0.promote_secondaries=1; done
ip -n h2 addr replace 192.0.2.3/24 dev eth0
ip -n h3 addr replace 192.0.2.2/24 dev eth0
edit '.hosts[1].ip = ["192.0.2.3"] | .hosts[2].ip = ["192.0.2.2"]'
check "two hosts swap their addresses" on_all apply $F
ip -n h2 addr del 192.0.2.2/24 dev eth0
ip -n h3 addr del 192.0.2.3/24 dev eth0
ip -n wire link set br0 type bridge fdb_flush
for host in h1 h2 h3; do ip -n $host neigh flush dev eth0; done
check "nothing more to do" same
check "all reach their own" all_reach
capture_stop red blue
is "nobody heard the other tenant" "$(captured red 'icmp[0] == 8 and icmp[24] == 0xb2') \
$(captured blue 'icmp[0] == 8 and icmp[24] == 0xa1')" "0 0"
is "and each its own" "$(($(captured red) > 20 && $(captured blue) > 20))" 1

# A host by another name.
edit '(.hosts[2].name) = "h4" | (.tenants[].endpoints[] | select(.host == "h3").host) = "h4" |
	(.tenants[0].publish[1].host) = "h4"'
check_fails "it is not in the file any more" sw h3 apply $F
check "down" sw h3 switch down
check "and up by another name" sw h3 -q apply $F name h4
for host in h1 h2; do check "$host learns of it" sw $host -q apply $F; done
check "nothing more to do" same
check "all reach their own" all_reach
for host in h1 h2 h3; do check "$host: switch check" sw $host switch check; done
finish
