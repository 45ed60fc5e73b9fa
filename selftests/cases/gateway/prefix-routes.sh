#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The host's routes of a tenant with `nat off` whose endpoints have networks behind them: each
# command that changes one or the other, what is refused, and kills.
#
#   red, blue ─ h1 192.0.2.1 ─── 192.0.2.2 h2     (h2 has no switch)
#               └ lan0 198.51.100.1/24, a route to 10.2.0.0/16 by h2
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"

topo_hosts h1 h2
switch_up h1
ip -n h1 link add lan0 type veth peer name lan1
ip -n h1 addr add 198.51.100.1/24 dev lan0
ip -n h1 link set lan0 up
ip -n h1 route add 10.2.0.0/16 via 192.0.2.2
sw h1 -b - <<-END
	tenant add red id 100
	tenant add blue id 200
	endpoint add r tenant red mac 02:00:00:00:00:09 ip 10.0.0.9 host h2
	endpoint add s tenant red mac 02:00:00:00:00:08 ip 10.0.0.8 host h2
	endpoint add b tenant blue mac 02:00:00:00:00:09 ip 10.9.0.9 host h2
	gateway add red ip 10.0.0.254/24 ip fd00::fe/64 nat off
	gateway add blue ip 10.9.0.254/24 nat off
END
DUMP_ALSO=all_routes
all_routes() { ip -n h1 route && ip -n h1 -6 route && map_dump h1 routed; }
# ours: networks beside those of the gateways that have a route; the map must have the same.
ours() {
	local routes map

	routes=$({ ip -n h1 route; ip -n h1 -6 route; } | awk '/proto 116/ { print $1 }' | sort)
	map=$(map_dump h1 routed | gojq length)
	[ "$map" = "$(grep -c . <<<"$routes")" ] || echo "$map entries in the map:"
	{ grep -vxE '10.[09].0.0/24|fd00::/64' <<<"$routes" || true; } | xargs
}
set_() { sw h1 endpoint set "$@"; }
sound() { [ "$(js h1 switch check '.problems')" = "[]" ]; }
then_has() { # DESC NETS: what was done last left these, and the switch is right
	is "$1" "$(ours)" "$2"
	sound || not_ok "$1: $(js h1 switch check .problems)"
}

# ---- the endpoint's words ----------------------------------------------------------------------
then_has "without a network behind endpoints" ""
set_ r tenant red prefix 192.168.7.0/24 prefix fd07::/64 prefix 10.0.0.64/26
then_has "a route for each, but not within the gateway's network" "192.168.7.0/24 fd07::/64"
is "a trie's entry knows the tenant" "$(map_dump h1 routed | gojq -c '[.[].formatted.value] | unique')" "[100,200]"
set_ r tenant red prefix 192.168.0.0/16 prefix fd07::/64
then_has "a wider one" "192.168.0.0/16 fd07::/64"
set_ r tenant red prefix 192.168.7.0/25 prefix 192.168.7.128/25
then_has "two narrower ones" "192.168.7.0/25 192.168.7.128/25"
set_ r tenant red mac 02:00:00:00:00:99
then_has "another MAC" "192.168.7.0/25 192.168.7.128/25"
set_ s tenant red prefix 172.16.0.0/16
then_has "of a second router" "172.16.0.0/16 192.168.7.0/25 192.168.7.128/25"
sw h1 endpoint del s tenant red
then_has "which is deleted" "192.168.7.0/25 192.168.7.128/25"
sw h1 endpoint add s tenant red mac 02:00:00:00:00:08 ip 10.0.0.8 host h2 prefix 172.16.0.0/16
then_has "and added" "172.16.0.0/16 192.168.7.0/25 192.168.7.128/25"
sw h1 endpoint replace s tenant red mac 02:00:00:00:00:08 ip 10.0.0.8 host h2
then_has "and replaced without one" "192.168.7.0/25 192.168.7.128/25"
set_ b tenant blue prefix fdbb::/64 prefix 10.3.0.0/16
then_has "a gateway of one family" "10.3.0.0/16 192.168.7.0/25 192.168.7.128/25"
set_ b tenant blue prefix none
set_ r tenant red prefix 192.168.7.0/24 prefix fd07::/64 prefix 10.0.0.64/26

# ---- the gateway's -----------------------------------------------------------------------------
ALL="192.168.7.0/24 fd07::/64"
gw() { sw h1 gateway "$@"; }
gw set red nat on
then_has "nat on" ""
gw set red nat off
then_has "nat off" "$ALL"
gw set red host h2
then_has "moved away" ""
gw set red host h1
then_has "back" "$ALL"
gw set red ip 10.0.0.254/26
then_has "a gateway with a smaller network, and without IPv6" "10.0.0.192/26 10.0.0.64/26 192.168.7.0/24"
gw set red ip 192.168.8.254/16
then_has "with one around a network" "10.0.0.64/26 192.168.0.0/16"
gw del red
then_has "deleted" ""
gw add red ip 10.0.0.254/24 ip fd00::fe/64 nat off
then_has "added" "$ALL"

# ---- refused -----------------------------------------------------------------------------------
state() { all_routes && sw h1 -j endpoint show && map_dump h1 prefixes && sw h1 -j gateway show; }
UNCHANGED=state
bad() { refuses "refused: ${*:2}" 1 "$1" sw h1 "${@:2}"; }
bad '192.168.7.0/25 must not overlap 192.168.7.0/24 of tenant "red"' \
	endpoint set b tenant blue prefix 192.168.7.0/25
bad '192.168.0.0/16 must not overlap 192.168.7.0/24 of tenant "red"' \
	endpoint set b tenant blue prefix 192.168.0.0/16
bad '10.0.0.128/25 must not overlap 10.0.0.0/24 of tenant "red"' \
	endpoint set b tenant blue prefix 10.0.0.128/25
bad '192.168.7.0/24 must not overlap 192.168.7.0/24 of tenant "red"' \
	endpoint add new tenant blue host h2 mac auto prefix 192.168.7.0/24
bad '198.51.100.0/24, dev lan0' endpoint set b tenant blue prefix 198.51.100.128/25
bad '198.51.100.0/24, dev lan0' endpoint set b tenant blue prefix 198.51.0.0/16
bad '192.0.2.0/24, dev eth0' endpoint set b tenant blue prefix 192.0.2.0/25
bad '10.2.0.0/16' endpoint set b tenant blue prefix 10.2.0.0/15
bad 'same metric' endpoint set r tenant red prefix 10.2.0.0/16
sw h1 gateway set blue nat on
check "with nat there is no conflict" set_ b tenant blue prefix 192.168.7.0/25 prefix 10.2.0.0/16
bad '192.168.7.0/25 must not overlap 192.168.7.0/24 of tenant "red"' gateway set blue nat off
set_ b tenant blue prefix 10.2.0.0/16
bad 'same metric' gateway set blue nat off
set_ b tenant blue prefix 10.2.3.0/24
check "a router's wider route is no obstacle" gw set blue nat off
then_has "so ours is the narrower one" "10.2.3.0/24 $ALL"
set_ b tenant blue prefix none

# ---- state files -------------------------------------------------------------------------------
sw h1 save >$WORK/all.json
edit() { # FILE JQ: of the gateways and endpoints of both tenants
	gojq "def t(\$n): (.tenants[] | select(.name == \$n));
		def e(\$n): (.tenants[].endpoints[] | select(.name == \$n)); $2" \
		$WORK/all.json >$WORK/$1.json
}
# shellcheck disable=SC2016 # jq has them
{
	edit other 'del(e("r").prefix) | e("b").prefix = ["192.168.0.0/16"]'
	edit nat 't("red").gateway.nat = true | e("b").prefix = ["192.168.7.0/24"]'
	edit back 't("blue").gateway.nat = true | e("b").prefix = ["192.168.7.0/24"]'
	edit gateway 'del(e("r").prefix) | t("blue").gateway.ip = ["192.168.7.254/24"]'
	edit both 'e("b").prefix = ["192.168.7.128/25"]'
}
sw h1 endpoint set b tenant blue prefix none
for at in "other 192.168.0.0/16" "all $ALL" "nat 192.168.7.0/24" "back $ALL" \
	"nat 192.168.7.0/24" "gateway 192.168.7.0/24" "all $ALL"; do
	check "apply of ${at%% *}" sw h1 -q apply $WORK/${at%% *}.json
	then_has "has its routes" "${at#* }"
	is "leaves no difference" "$(sw h1 diff $WORK/${at%% *}.json)" ""
done
refuses "a file of both" 2 192.168.7.128/25 sw h1 apply $WORK/both.json

# ---- what others broke -------------------------------------------------------------------------
ip -n h1 route del 192.168.7.0/24
is "a lost route is told of" "$(js h1 switch check '[.problems[] | [.what, .object]]' || true)" \
	'[["gateway_route","192.168.7.0/24"]]'
sw h1 switch repair
then_has "and mended" "$ALL"

# ---- killed ------------------------------------------------------------------------------------
STEP=${KILL_STEP:-17}
# killed_at DESC NETS WORD...: at each STEP-th call; repeated, the command leaves these networks.
killed_at() {
	local n=1

	wrong=()
	begin
	while killed $n "${@:3}"; do
		sw h1 tenant set red description "x$n"
		sound || wrong+=("$n ($AT): $(js h1 switch check .problems)")
		tried $n sw h1 "${@:3}"
		[ "$(ours)" = "$2" ] || wrong+=("$n ($AT): $(ours)")
		begin
		n=$((n + STEP))
	done
	is "$1: killed at any of $n calls" "${wrong[*]}" ""
}
begin() { set_ r tenant red prefix 192.168.7.0/24; }
killed_at "networks change" "192.168.0.0/16 fd07::/64" endpoint set r tenant red \
	prefix 192.168.0.0/16 prefix fd07::/64
killed_at "they go" "" endpoint set r tenant red prefix none
begin() { set_ r tenant red prefix 192.168.7.0/24 && gw set red nat on; }
killed_at "nat off" 192.168.7.0/24 gateway set red nat off
begin() { gw set red nat off && set_ r tenant red prefix 192.168.7.0/24; }
killed_at "nat on" "" gateway set red nat on
check "there were some" test $KILLS -gt 8
sw h1 tenant del red force on
then_has "the tenant is deleted" ""
finish
