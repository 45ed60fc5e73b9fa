#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The addresses that tenants leave as (`snat`), on the uplinks' own network: no device has them, and
# the host that serves answers for them, announces them when it begins, and is silent afterwards.
#
#   red-a 10.0.0.1 ── h1 ╮                    ╭ up0 203.0.113.1
#   red-b 10.0.0.2 ── h2 ┴ underlay   h1, h2 ─┴ up0 203.0.113.2   out 203.0.113.9
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

FLIP=${BUILD:-$ROOT/build}/flip
SNAT4=203.0.113.71 SNAT6=2001:db8:9::71
topo_hosts h1 h2
outside h1 h2
switch_up
tenants red 100 blue 200
container red a h1 10.0.0.1/24 fd00::1/64
container red b h2 10.0.0.2/24 fd00::2/64
leave red-a red-b

mac_of_up() { ip -n "$1" -j link show up0 | gojq -r '.[0].address'; }
declare -A MAC
for host in h1 h2; do MAC[$host]=$(mac_of_up $host); done
# known ADDRESS: the host that `out` has noted for it; asked: when it has just asked for it.
known() {
	local mac host

	mac=$(ip -n out -j neigh show "$1" dev br0 | gojq -r '.[0].lladdr // "none"')
	for host in h1 h2; do [ "$mac" != "${MAC[$host]}" ] || mac=$host; done
	echo "$mac"
}
asked() {
	ip -n out neigh del "$1" dev br0 2>/dev/null || true
	on out ping -n -c 1 -W 0.1 "$1" >/dev/null 2>&1 || true
	retry 5 has_asked "$1" || true
	known "$1"
}
has_asked() { ip -n out neigh show "$1" dev br0 | grep -qE 'REACHABLE|DELAY|FAILED'; }
both() { echo "$("$1" $SNAT4) $("$1" $SNAT6)"; }
hosts() { # WORD...: on both
	local host

	for host in h1 h2; do sw $host "$@"; done
}
proxies() { ip -n "$1" -6 neigh show proxy | sort; }

# ---- who answers ---------------------------------------------------------------------------
hosts gateway add red ip $GATEWAY4/24 ip $GATEWAY6/64 snat $SNAT4 snat $SNAT6
is "where each host serves its own, none answers" "$(both asked)" "none none"
hosts gateway set red host h1 host h2
is "the host that serves answers" "$(both asked)" "h1 h1"
addresses() { for host in h1 h2; do ip -n $host -br addr; done; }
is "nobody has the address" "$(addresses | grep -E "$SNAT4|$SNAT6" || true)" ""
is "it is shown where" "$(for host in h1 h2; do sw $host -j gateway show red; done |
	gojq -c '.[0].snat_dev')" "$(printf '["up0","up0"]\nnull')"
for to in $SERVER4 $SERVER6; do
	for kind in tcp udp; do
		is "red leaves as it, and gets its answers: $kind $to" \
			"$(exchange $to $kind red-a red-b | sort)" "$(
				[ $to = $SERVER4 ] && at=$SNAT4 || at=$SNAT6
				echo "red-a $at"
				echo "red-b $at")"
	done
	check "and pings: $to" reach red-b $to
done
healthy h1 h2

# Who asks on another network, or for what the host itself has routed elsewhere.
found() { { sw h1 -j switch check || true; } | gojq -c '[.problems[] | [.what, .object]]'; }
for change in add del; do
	ip -n h1 route $change blackhole $SNAT4
	ip -n h1 route $change blackhole $SNAT6
	is "$change a blackhole route: found" "$(found | gojq -c 'map(.[0]) | unique')" \
		'["snat_device","snat_group"]'
	check "$change a blackhole route: repair" sw h1 switch repair
	is "$change a blackhole route: who answers" "$(both asked)" \
		"$([ $change = add ] && echo "none none" || echo "h1 h1")"
done

# Duplicate address detection: RFC 4862.
netns new
ip -n new link add eth0 type veth peer name new netns out
ip -n out link set new master br0 up
sysctl_in out net.ipv6.conf.new.disable_ipv6=1
sysctl_in new net.ipv6.conf.eth0.disable_ipv6=0
ip -n new link set eth0 up
retry 5 carrier new eth0
ip -n new addr add $SNAT6/64 dev eth0
dad() { ip -n new -6 addr show dev eth0 | grep "$SNAT6" | grep -q "$1"; }
check "who takes it by IPv6 hears that it is taken" retry 5 dad dadfailed
ip -n new addr add 2001:db8:9::99/64 dev eth0
ok_99() { ! ip -n new -6 addr show dev eth0 | grep 9::99 | grep -q tentative; }
check "and another is free" retry 5 ok_99
ip -n new link del eth0
is "h1 is still the one" "$(both asked)" "h1 h1"

# ---- a move ----------------------------------------------------------------------------------
is "out knows h1" "$(both known)" "h1 h1"
capture moved out br0 "arp or icmp6"
check "h2 first" sw h2 gateway set red host h2 host h1
comes "out knows h2 at once, unasked" "h2 h2" both known
sw h1 gateway set red host h2 host h1
check "announced by ARP" capture_has moved 1 "arp[6:2] == 1 and src host $SNAT4 and dst host $SNAT4"
check "and by ND, to all nodes" capture_has moved 1 \
	"ip6 src $SNAT6 and dst ff02::1 and ip6[40] == 136 and ip6[44] == 0x20"
capture_stop moved
is "who asks anew hears h2 alone" "$(both asked)" "h2 h2"
is "red leaves by h2 as the same" "$(exchange $SERVER4 tcp red-a red-b | sort)" \
	"$(echo "red-a $SNAT4"; echo "red-b $SNAT4")"
check "back, as it is found out" "$FLIP" h1 100 0 0 0 0
comes "out knows h1 again" "h1 h1" both known
check "h2 gives way" "$FLIP" h2 100 1 0 0 1
is "h1 alone answers" "$(both asked)" "h1 h1"
for host in h1 h2; do sw $host -f gateway set red host h1 host h2; done
healthy h1 h2

# ---- two tenants with one address ---------------------------------------------------------------
hosts gateway add blue ip $GATEWAY4/24 ip $GATEWAY6/64 host h1 snat $SNAT4
sw h1 gateway set red snat $SNAT6
is "blue still has it at h1" "$(asked $SNAT4)" h1
warned() { # HOST
	sw "$1" -j switch check | gojq -c '.warnings | map(select(.what == "snat_split").object)'
}
hosts gateway set red snat $SNAT4 snat $SNAT6
is "nothing is wrong with it" "$(warned h1)$(warned h2)" "[][]"
hosts gateway set blue host h2
is "at two hosts it is told by each" "$(warned h1)$(warned h2)" \
	"[\"$SNAT4\"][\"$SNAT4\"]"
hosts gateway del blue
is "red's is h1's" "$(both asked)" "h1 h1"
healthy h1 h2

# ---- what others take away ----------------------------------------------------------------------
had=$(proxies h1)
ip -n h1 -6 neigh del proxy $SNAT6 dev up0
is "a group that is left: found" "$(found)" "[[\"snat_group\",\"$SNAT6\"]]"
check "repair" sw h1 switch repair
is "mended" "$(found) $(proxies h1)" "[] $had"
ip -n h1 -6 neigh add proxy 2001:db8:9::73 dev up0 protocol 116
is "one too many: found" "$(found)" '[["snat_group","2001:db8:9::73"]]'
check "repair" sw h1 switch repair
is "mended" "$(found) $(proxies h1)" "[] $had"
ip -n h1 -6 neigh add proxy 2001:db8:9::74 dev up0
first_key() { map_dump h1 snats | gojq -r '.[0].key | map(ltrimstr("0x")) | join(" ")'; }
# shellcheck disable=SC2046 # octets
bpftool map delete pinned "$(map_pin h1 snats)" key hex $(first_key)
check "an entry that is gone: found" grep -q snat_count <<<"$(found)"
check "repair" sw h1 switch repair
is "mended" "$(found)" "[]"
is "h1 answers" "$(both asked)" "h1 h1"

# ---- the end ---------------------------------------------------------------------------------
sw h1 gateway set red snat none
is "without snat none answers" "$(both asked)" "none none"
is "and only another's proxy is left" "$(proxies h1)" "2001:db8:9::74 dev up0 proxy "
sw h1 gateway set red snat $SNAT4 snat $SNAT6
is "h1 again" "$(both asked)" "h1 h1"
sw h1 switch down
is "without a switch none answers" "$(both asked)" "none none"
is "and nothing is left" "$(proxies h1)" "2001:db8:9::74 dev up0 proxy "
finish
