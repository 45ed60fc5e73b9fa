#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# long: a minute or more
#
#   h2 ── 192.0.2.1 eth0 ══ h1 ══ eth1 203.0.113.1 ── lan 203.0.113.2
#         2001:db8::1       │         fd01::1          fd01::2
#                 red, blue ┘      h1: eth1 forwards already; rules and a table of somebody else's
#
# What gateways make on a host: device, rules, routes, nftables' tables, uplinks that forward.
# When the last one goes all of the host is byte for byte as it was; what somebody else breaks is
# found by `switch check` and mended by `switch repair`; a command that is killed at any system call
# that changes something is completed by the same words, or taken away by `switch down`.
UNDERLAY=46
. "$(dirname "$0")/../lib.sh"
. "$LIB/lib_kill.sh"

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
		}
	END
}
others

# the host as others see it, but for marks, in which the index may be another each time
host() {
	on h1 nft list ruleset | sed '/elements = { 0x/d'
	ip -n h1 rule
	ip -n h1 -6 rule
	ip -n h1 route show table all
	ip -n h1 -6 route show table all
	ip -n h1 -j link show | gojq -r '.[] | "\(.ifname) \(.mtu) \(.flags | join(","))"'
	on h1 grep -r --exclude stable_secret . /proc/sys/net/ipv{4,6}/conf
	on h1 tc qdisc show clsact
} 2>&1
# as_was DESC WANT: the host is that; the order is the kernel's affair
as_was() { is "$1" "$(diff <(sort <<<"$2") <(host | sort))" ""; }
settings() { on h1 sysctl -a 2>/dev/null | grep ^net | grep -v nf_conntrack_count; }
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
clean=$(host) all_clean=$(settings)

# ---- made, and taken away ----------------------------------------------------------

up
before=$(host) all=$(settings)
check "nothing is wrong without gateways" sw h1 switch check
check "the first gateway" sw h1 gateway add red "${gateway[@]}"
during=$(host)
check "nothing is wrong with one" sw h1 switch check
is "JSON" "$(sw h1 -j switch check)" '{"ok":true,"problems":[],"warnings":[]}'
is "eth0 forwards" "$(on h1 sysctl -n net.ipv4.conf.eth0.forwarding)" 1
is "nothing else does that did not" "$(on h1 sysctl -n net.ipv4.ip_forward \
	net.ipv4.conf.{all,default,lo}.forwarding net.ipv6.conf.{default,eth0,eth1}.forwarding |
	tr -d '\n')" 0000000
sw h1 gateway replace red "${gateway[@]}"
as_was "again: nothing changes" "$during"
check "a second gateway" sw h1 gateway add blue "${gateway[@]}"
check "nothing is wrong with two" sw h1 switch check
sw h1 gateway del blue
as_was "one of them goes, the other stays" "$during"
sw h1 gateway del red
as_was "the last goes: the host is as it was" "$before"
is "and all its settings" "$(diff <(settings) - <<<"$all")" ""
sw h1 gateway add red "${gateway[@]}"
sw h1 switch down
as_was "down: the host is as it was before the switch" "$clean"
is "and all its settings then" "$(diff <(settings) - <<<"$all_clean")" ""

# ---- eth0 forwards to the gateways alone ---------------------------------------------

passes() { ! no_reach h2 203.0.113.2 || ! no_reach h2 fd01::2; }
up
capture lan lan eth0 icmp
check_fails "what comes in by eth0 goes nowhere without gateways" passes
sw h1 gateway add red "${gateway[@]}"
check_fails "nor with one" passes
on h1 nft flush ruleset
check_fails "nor when somebody flushed all rules" passes
ip -n h1 rule del priority 7453
check "the rule is what held it" reach h2 203.0.113.2
ip -n h1 -6 rule del priority 7453
ip -n h1 -6 rule del priority 7453 2>/dev/null || true
ip -n h1 -6 rule del priority 7454 2>/dev/null || true
check "also of IPv6" reach h2 fd01::2
capture_has lan 1 src 192.0.2.2 and icmp
# The others were of two requests each, this one of one.
is "nothing of the others was seen" "$(captured lan src 192.0.2.2 and 'icmp[6:2] = 2')" 0

# ---- found and mended ------------------------------------------------------------------

sw h1 switch repair
others
as_was "repaired: all is there" "$during"
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
flush() { on h1 nft flush ruleset && others; }
breaks "a flushed ruleset" nftables_chain nftables_set -- flush
table() { on h1 nft -j -a list tables inet | gojq '.nftables[].table.handle | values'; }
handle=$(table)
breaks "a flushed set" nftables_element_missing -- on h1 nft flush set inet tsw flows
breaks "an element too much" nftables_element_strange -- \
	on h1 nft add element inet tsw hidden '{ 0x74509999 }'
breaks "a flushed chain" nftables_chain -- on h1 nft flush chain inet tsw sort
old_version() { # had a chain, a set and a map that this one has not
	on h1 nft -f - <<-END
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
on h1 nft -f - <<-END # nothing passes, and no count tells
	add table inet tsw { flags dormant; }
	add chain inet tsw forward { policy drop; }
	add chain netdev tsw open { policy drop; }
END
check "dormant, and closed by policy: repair" sw h1 switch repair
as_was "as it was" "$during"
other_place() { # of a chain
	on h1 nft -f - <<-END
		delete chain inet tsw input
		add chain inet tsw input { type filter hook input priority 7; }
	END
}
breaks "a chain at another place" nftables_chain -- other_place
other_type() { # of a set; what it is used by goes first
	on h1 nft -f - <<-END
		flush table inet tsw
		delete set inet tsw hidden
		add set inet tsw hidden { type ipv6_addr; }
	END
}
breaks "a set of another type" nftables_chain nftables_element_missing -- other_type
breaks "the other table" nftables_chain -- on h1 nft delete table netdev tsw
breaks "a rule" gateway_rule -- ip -n h1 rule del priority 7452
breaks "a rule of IPv6" gateway_rule -- ip -n h1 -6 rule del priority 7452
breaks "an old rule of ours" gateway_rule -- ip -n h1 rule add priority 7453 iif eth9 blackhole \
	protocol 116
breaks "a route" gateway_route -- ip -n h1 route flush table 7450
breaks "a route of IPv6" gateway_route -- ip -n h1 -6 route flush table 7450
strange_routes() { # of ours, and none that we make
	ip -n h1 route add 10.9.0.0/16 via 203.0.113.2 table 7450 protocol 116 metric 7
	ip -n h1 route add unreachable 10.8.0.0/16 table 7450 protocol 116
	ip -n h1 -6 route add fd09::/32 dev eth1 table 7450 protocol 116
}
breaks "strange routes" gateway_route -- strange_routes
breaks "the device's MTU" gateway_device -- ip -n h1 link set tsw-gw mtu 1300
door_mtu() { ip -n h1 -j link show tsw-gw | gojq '.[0].mtu'; }
sw h1 host add h9 ip 2001:db8::9
is "a host that is reached over IPv6 takes 20 octets of the device's MTU" "$(door_mtu)" 1430
sw h1 host set h9 ip 192.0.2.9
is "and over IPv4 gives them back" "$(door_mtu)" 1450
printf 'host set h9 ip 2001:db8::9\nhost del h9\n' | sw h1 -b -
is "and so does its end" "$(door_mtu)" 1450
breaks "forwarding" uplink_forwarding -- sysctl_in h1 net.ipv4.conf.eth0.forwarding=0
breaks "the device's forwarding" gateway_device -- sysctl_in h1 net.ipv4.conf.tsw-gw.forwarding=0
breaks "the device down" gateway_device gateway_route -- ip -n h1 link set tsw-gw down
breaks "its other end down" gateway_device -- ip -n h1 link set tsw-gwp down
# With tcx a program goes with its link.
unpin() {
	local link

	link=$(find /sys/fs/bpf/tsw/h1/links -name 'from_gateway-*')
	if [ -n "$link" ]; then rm "$link"; else on h1 tc filter del dev tsw-gw egress; fi
}
breaks "the program" gateway_program -- unpin
# Older kernels take a chain along with the device that it is hooked to.
chain_stays() {
	netns probe
	ip -n probe link add probe0 type veth peer name probe1
	on probe nft 'table netdev t {
		chain c { type filter hook ingress device probe0 priority 0; }; }'
	ip -n probe link del probe0
	on probe nft list chain netdev t c >/dev/null 2>&1
}
chain=()
chain_stays || chain=(nftables_chain)
breaks "a device that is gone" gateway_device gateway_route "${chain[@]}" -- \
	ip -n h1 link del tsw-gw
sw h1 gateway set red nat off
routed=$(host)
ip -n h1 route del 10.0.0.0/24 dev tsw-gw
ip -n h1 route add 10.7.0.0/16 dev tsw-gw protocol 116
is "routes without NAT: found" "$({ sw h1 -j switch check || true; } |
	gojq -r '.problems[].object' | sort | paste -sd ' ')" "10.0.0.0/24 10.7.0.0/16"
check "routes without NAT: repair" sw h1 switch repair
as_was "routes without NAT: mended" "$routed"
sw h1 gateway del red
as_was "after all that the host is as it was" "$before"

# ---- what is somebody else's stays theirs ------------------------------------------------

refused() { # DESC TEXT: a gateway is, and says so
	local out

	out=$(sw h1 gateway add red "${gateway[@]}" 2>&1) && out="no error"
	check "$1: refused" grep -qF "$2" <<<"$out"
	as_was "$1: nothing has changed" "$before"
}
theirs() { # DESC TEXT IP-WORD...: what `ip` adds with these words is in the way
	local desc=$1 text=$2 before

	shift 2
	ip -n h1 "$@"
	before=$(host)
	refused "$desc" "$text"
	ip -n h1 "${@/add/del}"
}
theirs "a rule of our priority" "rule of priority 7452" rule add priority 7452 lookup 77
theirs "a rule of our priority, IPv6" "rule of priority 7451 for IPv6" \
	-6 rule add priority 7451 lookup 77
theirs "a route in our table" "routes in table 7450" route add 198.51.100.0/24 dev eth1 table 7450
theirs "a device of our name" "no switch made it" link add tsw-gw type bridge

sw h1 gateway add red "${gateway[@]}"
during=$(host)
"$TSW" -n h1 -i second switch up dev eth1 port 4790
"$TSW" -n h1 -i second tenant add red id 100
second=$(host)
out=$("$TSW" -n h1 -i second gateway add red "${gateway[@]}" 2>&1) && out="no error"
check "a second switch: told whose the gateways are" grep -qF 'are those of switch "h1"' <<<"$out"
as_was "a second switch: nothing has changed" "$second"
"$TSW" -n h1 -i second switch down
as_was "a second switch goes: the gateways stay" "$during"
check_fails "tsw-gw is nobody's port" sw h1 endpoint add x tenant red mac 02:00:00:00:00:09 \
	dev tsw-gw
sw h1 switch down

# ---- killed ------------------------------------------------------------------------------

step=${KILL_STEP:-3} # 1: at each call, which takes minutes
for attach in tcx clsact; do
	[ $attach != tcx ] || [ "$("$TSW" -j features | gojq .tcx)" = true ] || continue
	up attach $attach
	before=$(host)
	sw h1 gateway add red "${gateway[@]}"
	during=$(host) wrong=()
	for ((n = 1;; n = AT + step)); do
		sw h1 gateway del red
		[ "$(host)" = "$before" ] || wrong+=("not as it was before $n")
		killed $n gateway add red "${gateway[@]}" || break
		sw h1 gateway replace red "${gateway[@]}"
		[ "$(host | sort)" = "$(sort <<<"$during")" ] || wrong+=("add $n")
		sw h1 -q switch check >/dev/null || wrong+=("add $n: check")
	done
	note "$attach: gateway add: $n calls"
	check "$attach: there were calls to be killed at" test $n -gt 50
	for ((n = 1 + 1 % step;; n = AT + step)); do
		sw h1 gateway replace red "${gateway[@]}"
		killed $n gateway del red || break
		sw h1 gateway del red 2>/dev/null || true # it may have been done
		[ "$(host)" = "$before" ] || wrong+=("del $n")
	done
	note "$attach: gateway del: $n calls"
	for ((n = 1 + 2 % step;; n = AT + step)); do
		sw h1 gateway replace red "${gateway[@]}"
		on h1 nft flush ruleset
		others
		ip -n h1 link del tsw-gw
		killed $n switch repair || break
		sw h1 switch repair
		[ "$(host | sort)" = "$(sort <<<"$during")" ] || wrong+=("repair $n")
	done
	note "$attach: switch repair: $n calls"
	for ((n = 1 + 3 % step;; n = AT + $(every 4 "$step"))); do
		sw h1 gateway replace red "${gateway[@]}"
		killed $n switch down || break
		sw h1 switch down 2>/dev/null || true
		[ "$(host)" = "$clean" ] || wrong+=("down $n")
		up attach $attach
	done
	note "$attach: switch down: $n calls, $KILLS kills"
	is "$attach: killed at and not completed" "${wrong[*]}" ""
	as_was "$attach: down to its end" "$clean"
done
finish
