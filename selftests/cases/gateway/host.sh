#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: gateway/nat and gateway/settings; life/lost-devices mends what is lost
# long: a minute or more
#
#   h2 ── 192.0.2.1 eth0 ══ h1 ══ eth1 203.0.113.1 ── lan 203.0.113.2
#         2001:db8::1       │         fd01::1          fd01::2
#                 red, blue ┘      h1: eth1 forwards already; rules and a table of somebody else's
#
# Gateways make only two devices and what is in the router's network namespace. The host's own
# rules, routes, settings, nftables and conntrack are byte for byte the same before, during and
# after. `switch check` finds what somebody else breaks, and `switch repair` mends it. A command is
# killed at any system call that changes something: the same words complete it, or `switch down`
# takes it away.
UNDERLAY=46
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1 h2
netns lan
ip -n h1 link add eth1 type veth peer name eth0 netns lan
ip -n h1 link set eth1 addrgenmode none
sysctl_in h1 net.ipv6.conf.eth1.disable_ipv6=0
ip -n h1 addr add 203.0.113.1/24 dev eth1
ip -n h1 addr add fd01::1/64 dev eth1 nodad
ip -n h1 addr add fe80::1/64 dev eth1 nodad # with it neighbours are asked for
ip -n h1 link set eth1 up
ip -n lan addr add 203.0.113.2/24 dev eth0
ip -n lan addr add fd01::2/64 dev eth0 nodad
ip -n lan link set eth0 up
retry 5 carrier h1 eth1
ip -n lan route add default via 203.0.113.1
ip -n lan route add default via fd01::1
ip -n h2 route add fd01::/64 via 2001:db8::1
ip -n h2 route add 203.0.113.0/24 via 192.0.2.1
sysctl_in h1 net.ipv4.conf.eth1.forwarding=1
ip -n h1 rule add priority 7400 fwmark 0x77 lookup 77
ip -n h1 -6 rule add priority 40000 iif eth0 lookup main
ip -n h1 route add 198.51.100.0/24 via 192.0.2.2 table 77
others() {
	on h1 nft -f - <<-END
		table inet mine {
			set known { typeof ip saddr; elements = { 192.0.2.2, 192.0.2.3 }; }
			chain in { type filter hook input priority 0; ip saddr @known accept; }
			chain through {
				type filter hook forward priority 0; ct state established accept;
			}
		}
	END
}
others

# The host, but for the two devices themselves.
host() {
	{
		on h1 nft -s list ruleset
		ip -n h1 rule
		ip -n h1 -6 rule
		ip -n h1 route show table all
		ip -n h1 -6 route show table all
		ip -n h1 -o addr
		on h1 grep -r --exclude stable_secret . /proc/sys/net/ipv{4,6}/conf
		on h1 cat /proc/net/nf_conntrack | sed -E 's/ [0-9]+ (src|[A-Z]+ src)/ \1/'
	} | grep -vE 'tsw-(gw|up)' | sed -E 's/ (valid_lft|preferred_lft).*//' | sort
} 2>&1
# What the switch made, but for marks, in which the index may be another each time.
made() {
	local ns

	ls /run/netns
	on h1 tc qdisc show clsact
	on h1 grep -r --exclude stable_secret . /proc/sys/net/ipv{4,6}/conf | grep tsw- || true
	ip -n h1 -j link show | gojq -r '.[] | "\(.ifname) \(.mtu) \(.flags | join(","))"'
	ns=tsw-gw.h1
	[ -e /run/netns/$ns ] || return 0
	on $ns nft -s list ruleset | sed '/elements = { 0x/d'
	ip -n $ns rule
	ip -n $ns -6 rule
	ip -n $ns route show table all
	ip -n $ns -6 route show table all
	ip -n $ns -o addr
	ip -n $ns -j link show | gojq -r '.[] | "\(.ifname) \(.mtu) \(.flags | join(","))"'
	on $ns grep -r --exclude stable_secret . /proc/sys/net/ipv{4,6}/conf
} 2>&1
settings() { on h1 sysctl -a 2>/dev/null | grep ^net | grep -vE 'tsw-(gw|up)|nf_conntrack_count'; }
clean() { host; settings; }
state() { made | sort; host; } # the order is the kernel's affair
as_was() { is "$1" "$(diff <(cat <<<"$2") <(state))" ""; }       # DESC WANT
untouched() { is "$1: the host is as it was" "$(diff <(cat <<<"$clean") <(clean))" ""; } # DESC
whats() { { sw h1 -j switch check || true; } | gojq -r '[.problems[].what] | unique | join(" ")'; }
gateway=(ip 10.0.0.254/24 ip fd00::fe/64)

up() { # WORD...
	sw h1 switch up dev eth0 name h1 local 192.0.2.1 local 2001:db8::1 "$@"
	sw h1 tenant add red id 100
	sw h1 tenant add blue id 200
}
# Modules that the kernel loads for it, which stay, bring devices and settings of their own.
up
sw h1 gateway add red "${gateway[@]}"
sw h1 switch down
down=$(made | sort) clean_down=$(clean)

# ---- made, and taken away ----------------------------------------------------------

up
clean=$(clean) before=$(state)
check "nothing is wrong without gateways" sw h1 switch check
check "the first gateway" sw h1 gateway add red "${gateway[@]}"
untouched "one gateway"
during=$(state)
check "there is a router" test -e /run/netns/tsw-gw.h1
check "nothing is wrong with one" sw h1 switch check
is "JSON" "$(sw h1 -j switch check)" '{"ok":true,"problems":[],"warnings":[]}'
sw h1 gateway replace red "${gateway[@]}"
as_was "again: nothing changes" "$during"
check "a second gateway" sw h1 gateway add blue "${gateway[@]}"
check "nothing is wrong with two" sw h1 switch check
untouched "two gateways"
HOSTS=(h1)
for tenant in red blue; do
	container $tenant a h1 10.0.0.1/24 fd00::1/64
	way_out $tenant-a 10.0.0.254 fd00::fe
done
sw h1 publish add red proto tcp port 80 to 10.0.0.1:80
serve red-a 80
server=$BG
serve lan 7000
clean=$(clean)
for tenant in red blue; do
	for at in 203.0.113.2 fd01::2; do
		check "$tenant reaches $at" reach $tenant-a $at
		answers "$tenant asks $at" $tenant-a both $at 7000 "lan $(
			[ $at = fd01::2 ] && echo fd01::1 || echo 203.0.113.1)"
	done
done
answers "and red is asked" lan tcp 203.0.113.1 80 "red-a 203.0.113.2"
untouched "frames of tenants, of which its conntrack knows nothing"
check "the router's knows them" router h1 grep -q 'src=10.0.0.1' /proc/net/nf_conntrack
for pid in $server $BG; do
	kill "$pid"
	wait "$pid" || true
done
sw h1 publish del red proto tcp port 80
for tenant in red blue; do
	sw h1 endpoint del a tenant $tenant
	ip -n h1 link del $tenant-a
	ip netns del $tenant-a
done
clean=$(clean)
sw h1 gateway del blue
as_was "one of them goes, the other stays" "$(sed '/10.0.0.1/d' <<<"$during")"
sw h1 gateway del red
as_was "the last goes: all is as it was" "$before"
sw h1 gateway add red "${gateway[@]}"
sw h1 switch down
down_to_its_end() { # DESC
	is "$1: as it was before the switch" "$(diff <(cat <<<"$down") <(made | sort))" ""
	is "$1: so is the host" "$(diff <(cat <<<"$clean_down") <(clean))" ""
}
down_to_its_end down

# ---- what comes in by eth0 goes nowhere ---------------------------------------------------

passes() { ! no_reach h2 203.0.113.2 || ! no_reach h2 fd01::2; }
up
check_fails "what comes in by eth0 goes nowhere without gateways" passes
sw h1 gateway add red "${gateway[@]}"
check_fails "nor with one" passes
on h1 nft flush ruleset
check_fails "nor when somebody flushed all rules" passes
check "which is nothing of the gateways'" sw h1 switch check
others

# ---- found and mended ------------------------------------------------------------------

during=$(state)
breaks() { # DESC WHAT... -- CMD...: CMD is found as WHAT, and mended
	local desc=$1 what=()

	shift
	while [ "$1" != -- ]; do what+=("$1") && shift; done
	shift
	"$@" >/dev/null
	check_fails "$desc: check tells by its status" sw h1 switch check
	is "$desc: found" "$(whats)" "${what[*]}"
	check "$desc: repair" sw h1 switch repair
	check "$desc: mended" sw h1 switch check
	as_was "$desc: as it was" "$during"
}
R=tsw-gw.h1
breaks "a flushed ruleset" nftables_chain nftables_set -- on $R nft flush ruleset
table() { on $R nft -j -a list tables inet | gojq '.nftables[].table.handle | values'; }
handle=$(table)
breaks "a flushed set" nftables_element_missing -- on $R nft flush set inet tsw flows
breaks "an element too much" nftables_element_strange -- \
	on $R nft add element inet tsw hidden '{ 0x74509999 }'
breaks "a flushed chain" nftables_chain -- on $R nft flush chain inet tsw sort
old_version() { # had a chain, a set and a map that this one has not
	on $R nft -f - <<-END
		add chain inet tsw old
		add map inet tsw old_map { type mark : verdict; }
		add element inet tsw old_map { 1 : jump old }
		add set inet tsw old_set { type mark; }
		add element inet tsw old_set { 1 }
		add rule inet tsw sort meta mark vmap @old_map
	END
}
breaks "tables of another version" nftables_chain nftables_element_strange -- old_version
is "by all that no table was made again, which loses packets" "$(table)" "$handle"
on $R nft -f - <<-END # nothing passes, and no count tells
	add table inet tsw { flags dormant; }
	add chain inet tsw forward { policy drop; }
END
check "dormant, and closed by policy: repair" sw h1 switch repair
as_was "as it was" "$during"
other_place() { # of a chain
	on $R nft -f - <<-END
		delete chain inet tsw input
		add chain inet tsw input { type filter hook input priority 7; }
	END
}
breaks "a chain at another place" nftables_chain -- other_place
other_type() { # of a set; what it is used by goes first
	on $R nft -f - <<-END
		flush table inet tsw
		delete set inet tsw hidden
		add set inet tsw hidden { type ipv6_addr; }
	END
}
breaks "a set of another type" nftables_chain nftables_element_missing -- other_type
breaks "a rule" gateway_rule -- ip -n $R rule del priority 7450
breaks "a rule of IPv6" gateway_rule -- ip -n $R -6 rule del priority 7450
breaks "an uplink's rule" gateway_rule -- ip -n $R rule del priority 7451
breaks "an old rule of ours" gateway_rule -- ip -n $R rule add priority 7453 iif eth9 blackhole \
	protocol 116
breaks "a route" gateway_route -- ip -n $R route flush table 7450
breaks "a route of IPv6" gateway_route -- ip -n $R -6 route flush table 7450
breaks "an uplink's routes" gateway_route -- ip -n $R route flush table 7001
strange_routes() { # of ours, and none that we make
	ip -n $R route add 10.9.0.0/16 dev tsw-up table 7450 protocol 116 metric 7
	ip -n $R route add unreachable 10.8.0.0/16 table 7450 protocol 116
	ip -n $R -6 route add fd09::/32 dev tsw-up table 7450 protocol 116
}
breaks "strange routes" gateway_route -- strange_routes
# With it the devices in the router stop forwarding, too.
breaks "a setting of the router" gateway_device gateway_setting -- sysctl_in $R net.ipv4.ip_forward=0
breaks "an address" uplink -- ip -n $R addr del 203.0.113.1/32 dev tsw-up
breaks "a strange address" uplink -- ip -n $R addr add 203.0.113.77/32 dev tsw-up
breaks "the device's MTU" gateway_device -- ip -n h1 link set tsw-gw mtu 1300
door_mtu() { ip -n h1 -j link show tsw-gw | gojq '.[0].mtu'; }
sw h1 host add h9 ip 2001:db8::9
is "a host that is reached over IPv6 takes 20 octets of the device's MTU" "$(door_mtu)" 1430
sw h1 host set h9 ip 192.0.2.9
is "and over IPv4 gives them back" "$(door_mtu)" 1450
printf 'host set h9 ip 2001:db8::9\nhost del h9\n' | sw h1 -b -
is "and so does its end" "$(door_mtu)" 1450
breaks "the device's forwarding" gateway_device -- sysctl_in h1 net.ipv4.conf.tsw-gw.forwarding=0
breaks "the uplinks' forwarding" gateway_device -- sysctl_in h1 net.ipv4.conf.tsw-up.forwarding=0
breaks "the device down" gateway_device -- ip -n h1 link set tsw-gw down
breaks "its other end down" gateway_device gateway_route -- ip -n $R link set tsw-gw down
# With tcx a program goes with its link.
unpin() { # PROGRAM DEVICE WAY
	local link

	link=$(find /sys/fs/bpf/tsw/h1/links -name "$1-*")
	if [ -n "$link" ]; then rm "$link"; else on h1 tc filter del dev "$2" "$3"; fi
}
breaks "the program" gateway_program -- unpin from_gateway tsw-gw ingress
breaks "the uplinks' program" gateway_program -- unpin to_world tsw-up ingress
breaks "the program on an uplink" uplink -- unpin from_world eth1 ingress
breaks "a device that is gone" gateway_device gateway_program gateway_route -- \
	ip -n h1 link del tsw-gw
breaks "a router that is gone" gateway_device gateway_program gateway_router -- ip netns del $R
sw h1 gateway set red nat off
routed=$(state)
ip -n h1 route del 10.0.0.0/24 dev tsw-gw
ip -n h1 route add 10.7.0.0/16 dev tsw-gw protocol 116
is "routes without NAT: found" "$({ sw h1 -j switch check || true; } |
	gojq -r '.problems[].object' | sort | paste -sd ' ')" "10.0.0.0/24 10.7.0.0/16"
check "routes without NAT: repair" sw h1 switch repair
as_was "routes without NAT: mended" "$routed"
sw h1 gateway del red
as_was "after all that the host is as it was" "$before"

# ---- what is somebody else's stays theirs ------------------------------------------------

# Names, priorities and tables that the router has are free on the host.
ip -n h1 rule add priority 7450 lookup 77
ip -n h1 -6 rule add priority 7451 lookup 77
ip -n h1 route add 198.51.100.0/24 dev eth1 table 7450
ip -n h1 link add tsw-gw type bridge
on h1 nft 'add table inet tsw; add chain inet tsw x'
clean=$(clean)
sw h1 gateway add red "${gateway[@]}"
untouched "all of our names are taken"
check "and nothing is wrong" sw h1 switch check
is "a bridge of our name: ours has another" "$(ip -n h1 -o link show type veth |
	grep -oE 'tsw-gw[0-9]*@' | xargs)" tsw-gw2@
sw h1 gateway del red
ip -n h1 rule del priority 7450
ip -n h1 -6 rule del priority 7451
ip -n h1 route del 198.51.100.0/24 table 7450
ip -n h1 link del tsw-gw
on h1 nft delete table inet tsw
clean=$(clean)

sw h1 gateway add red "${gateway[@]}"
during=$(state)
"$TSW" -n h1 -i second switch up dev eth1 port 4790
"$TSW" -n h1 -i second tenant add red id 100
check "a second switch has gateways of its own" "$TSW" -n h1 -i second gateway add red \
	"${gateway[@]}"
check "in a router of its own" test -e /run/netns/tsw-gw.second
check "nothing is wrong with the second" "$TSW" -n h1 -i second switch check
check "nor with the first" sw h1 switch check
"$TSW" -n h1 -i second switch down
sw h1 switch repair
as_was "a second switch goes: the gateways stay" "$during"
check_fails "tsw-gw is nobody's port" sw h1 endpoint add x tenant red mac 02:00:00:00:00:09 \
	dev tsw-gw
sw h1 switch down

# ---- killed ------------------------------------------------------------------------------

step=${KILL_STEP:-3} # 1: at each call, which takes minutes
for attach in tcx clsact; do
	[ $attach != tcx ] || [ "$("$TSW" -j features | gojq .tcx)" = true ] || continue
	up attach $attach
	before=$(state)
	sw h1 gateway add red "${gateway[@]}"
	during=$(state) wrong=()
	for ((n = 1;; n = AT + step)); do
		sw h1 gateway del red
		[ "$(state)" = "$before" ] || wrong+=("not as it was before $n")
		killed $n gateway add red "${gateway[@]}" || break
		sw h1 gateway replace red "${gateway[@]}"
		[ "$(state)" = "$during" ] || wrong+=("add $n")
		sw h1 -q switch check >/dev/null || wrong+=("add $n: check")
	done
	note "$attach: gateway add: $n calls"
	check "$attach: there were calls to be killed at" test $n -gt 50
	for ((n = 1 + 1 % step;; n = AT + step)); do
		sw h1 gateway replace red "${gateway[@]}"
		killed $n gateway del red || break
		sw h1 gateway del red 2>/dev/null || true # it may have been done
		[ "$(state)" = "$before" ] || wrong+=("del $n")
	done
	note "$attach: gateway del: $n calls"
	for ((n = 1 + 2 % step;; n = AT + step)); do
		sw h1 gateway replace red "${gateway[@]}"
		on $R nft flush ruleset
		ip -n h1 link del tsw-gw
		killed $n switch repair || break
		sw h1 switch repair
		[ "$(state)" = "$during" ] || wrong+=("repair $n")
	done
	note "$attach: switch repair: $n calls"
	for ((n = 1 + 3 % step;; n = AT + $(every 4 "$step"))); do
		sw h1 gateway replace red "${gateway[@]}"
		killed $n switch down || break
		sw h1 switch down 2>/dev/null || true
		[ "$(made | sort)" = "$down" ] || wrong+=("down $n")
		up attach $attach
	done
	note "$attach: switch down: $n calls, $KILLS kills"
	is "$attach: killed at and not completed" "${wrong[*]}" ""
	down_to_its_end "$attach"
done
finish
