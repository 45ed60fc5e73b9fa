#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# From Linux bridges with vxlan devices to tsw, one tenant after the other and one host after the
# other, with the same VNIs, and back. Numbered datagrams run all the while.
#
#   red-a 10.0.0.1 ┐                                             ┌ red-c 10.0.0.3
#   red-b 10.0.0.2 ┼ br-red, br-blue ─ h1 192.0.2.1 ═══ .2 h2 ─ br-red, br-blue
#  blue-a 10.0.0.1 ┘ 10.0.0.254: red's way to out               └ blue-c 10.0.0.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_migrate.sh"

# ---- as it is ---------------------------------------------------------------------------------

topo_hosts h1 h2
outside h1
for tenant in red blue; do
	id=$([ $tenant = red ] && echo 100 || echo 200)
	old_tenant h1 $tenant $id h2
	old_tenant h2 $tenant $id h1
	old_container $tenant a h1 10.0.0.1/24
	old_container $tenant c h2 10.0.0.3/24
done
old_container red b h1 10.0.0.2/24
ip -n h1 addr add 10.0.0.254/24 dev br-red
sysctl_in h1 net.ipv4.ip_forward=1
on h1 nft -f - <<-'END_NFT'
	table ip old {
		chain post {
			type nat hook postrouting priority srcnat;
			ip saddr 10.0.0.0/24 oifname "up0" masquerade
		}
	}
END_NFT
for ns in red-a red-b red-c; do
	ip -n $ns route add default via 10.0.0.254
done
for tenant in red blue; do
	check "old: $tenant-a reaches $tenant-c" reach $tenant-a 10.0.0.3
	check "old: $tenant-c reaches $tenant-a" reach $tenant-c 10.0.0.1
done
out_of() { # NS...: each of them reaches the world
	local ns

	for ns in "$@"; do reach "$ns" "$SERVER4" || return; done
}
outward() { check "$1: red's three reach the world by 10.0.0.254" out_of red-a red-b red-c; }
outward old

# ---- look: a file of each host, and one for both ------------------------------------------------

printf '192.0.2.1 h1\n192.0.2.2 h2\n' >$WORK/hosts
printf '02:00:00:00:00:01 10.0.0.1 web\n02:00:00:00:00:03 10.0.0.3\n' >$WORK/leases
for host in h1 h2; do
	migrate $host collect $WORK/$host.facts
	migrate h1 bridge --from $WORK/$host.facts --host $host --hosts $WORK/hosts \
		--leases br-blue=$WORK/leases >$WORK/$host.json
	is "$host: nothing was left out" "$(<$WORK/status) $(grep 'left out' $WORK/said || true)" "0 "
done
migrate h1 merge $WORK/h1.json $WORK/h2.json >$WORK/all.json
sed -i 's/"name":"br-/"name":"/' $WORK/all.json
check "one file for both fits the schema" fits <$WORK/all.json
is "it has all" "$(tenants_of <$WORK/all.json)" "$(cat <<-'END'
	blue 200 vxlan
	  web 02:00:00:00:00:01 10.0.0.1 h1 blue-a
	  blue-c 02:00:00:00:00:03 10.0.0.3 h2 blue-c
	red 100 vxlan gateway 10.0.0.254/24 at h1
	  red-a 02:00:00:00:00:01 10.0.0.1 h1 red-a
	  red-b 02:00:00:00:00:02 10.0.0.2 h1 red-b
	  red-c 02:00:00:00:00:03 10.0.0.3 h2 red-c
	END
)"

# ---- one after the other ------------------------------------------------------------------------

# moves DESC UNTOUCHED CMD...: and afterwards, what it says outwards.
moves() {
	step "$@"
	outward "$1"
}

undo sw h1 switch down
undo sw h2 switch down
# A connection of each tenant, with blocks that are compared, from the first move to the last.
declare -A DOWNLOAD=()
for tenant in red blue; do
	bg $tenant-a "$PY" "$TOOLS/series.py" $tenant-c $tenant-a 10.0.0.3 kinds=load
	DOWNLOAD[$tenant]="$BG $BG_LOG"
	check "$tenant-a downloads from $tenant-c" retry 10 grep -q ready "$BG_LOG"
done
moves "h2: red moves" blue state_to h2 red
moves "h1: red moves" blue state_to h1 red
moves "h1: red goes back" blue sw h1 tenant del red force on
moves "h1: red moves again" blue state_to h1 red
moves "h1: blue moves" red state_to h1 red blue
moves "h2: blue moves" red state_to h2 red blue

# ---- the end of the old --------------------------------------------------------------------------

old_ports() { on "$1" bridge -j link show | jq -r '.[].ifname' | sort | paste -sd ' '; }
is "h1: the old bridges still have their ports, unused" "$(old_ports h1)" \
	"blue-a red-a red-b vx-blue vx-red"
expect_drops "h1: what the old bridge sends to a port does not enter" h1 1 \
	"red not_stamped to_endpoint" inject h1 br-red -c 1 eth src=02:00:00:00:00:77 \
	dst=02:00:00:00:00:01 / ip src=10.0.0.9 dst=10.0.0.1 / udp / text old
flows_begin
for host in h1 h2; do
	for tenant in red blue; do
		ip -n $host link del vx-$tenant
		ip -n $host link del br-$tenant
	done
done
on h1 nft delete table ip old
is "h1: without them the UDP port is free, and the slow path not there yet" \
	"$(sw h1 -j switch show | jq .slow_path)" false
for host in h1 h2; do
	sw $host switch repair 2>/dev/null || true
	is "$host: switch repair: it is" "$(sw $host -j switch show | jq .slow_path)" true
	check "$host: switch check" sw $host switch check
done
sleep 0.5
flows_end "the old bridges go" ''
outward "the old bridges are gone"
for tenant in red blue; do
	read -r pid log <<<"${DOWNLOAD[$tenant]}"
	kill "$pid"
	wait "$pid" || true
	note "$(tail -n 1 "$log")"
	check "$tenant: one TCP connection has lasted through all of it" \
		grep -qE 'load got [0-9]{4,} lost 0 slowest [0-9]+( |$)' "$log"
done
quiet h1 h2
before=$(all_drops h1; all_drops h2)
flows_begin
sleep 0.5
flows_end "all by tsw" ''
is "and nothing is dropped any more" "$(all_drops h1; all_drops h2)" "$before"

# ---- a tenant of fifty --------------------------------------------------------------------------

# The kernel waits for a grace period at each device that tcx comes to, a second for all of them; it
# has done so before anything moves.
run_undo
topo_hosts h1 h2
old_tenant h1 red 100 h2
old_tenant h2 red 100 h1
old_container red a h1 10.0.0.1/24
old_container red z h1 10.0.0.250/24
old_container red c h2 10.0.0.3/24
for n in {10..59}; do
	ip -n h1 link add m$n type veth peer name n$n
	ip -n h1 link set m$n master br-red up
	on h1 bridge fdb add 02:00:00:00:01:$n dev m$n master static
done
for name in a z; do check "old: red-$name reaches red-c" reach red-$name 10.0.0.3; done
migrate h1 bridge --host h1 >$WORK/all.json
is "52 live here" "$(gojq '[.tenants[].endpoints[] | select(.dev)] | length' $WORK/all.json)" 52
sw h1 switch up dev eth0 name h1 2>/dev/null
undo sw h1 switch down
MOST=$((MOST / 4))
flow first red-a red-c 10.0.0.3
flow last red-z red-c 10.0.0.3
flow back red-c red-z 10.0.0.250
check "all 52 move" sw h1 -q apply $WORK/all.json
sleep 0.5 # datagrams that are seen to arrive behind it
flows_end "52 move" none
finish
