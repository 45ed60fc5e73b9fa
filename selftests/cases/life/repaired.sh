#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a, blue-a ─ h1 (tcx) 192.0.2.1 ═══ 192.0.2.2 h2 (clsact) ─ red-b, blue-b
#
# Others break what the switch has in the kernel: devices, programs, pins, qdiscs, the router. The
# agent repairs it within ten seconds and says so in one line; a fight is said once. Without an
# agent the timer's command does it. Both tenants have the same addresses, and blue never hears red.
# With TSW_QUICK only some kinds are broken, and the fight is shorter.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_faults.sh"

declare -A ATTACH=([h1]=auto [h2]=clsact)
cluster_hosts h1 h2
for host in h1 h2; do
	sw $host switch up dev eth0 local "${VTEP[$host]}" name $host attach "${ATTACH[$host]}"
	undo sw $host switch down
done
cluster_join h1 h2
agent h1 h2
tenant red
tenant blue
lives red "a@h1 b@h2"
lives blue "a@h1 b@h2"
for host in h1 h2; do follows "$host follows" $host '["blue/a","blue/b","red/a","red/b"]'; done
check "a gateway" sw h1 -c gateway add red ip 10.0.0.254/24 host h1
check "and one with a route in the host" sw h2 -c gateway add blue ip 10.7.0.254/24 nat off host h2
in_step h1
check "red reaches red" reach red-a 10.0.0.2
listen blue-a blue-b
tcx=$(sw h1 -j switch show | gojq '.attach == "tcx"')

fine() { sw "$1" -j switch check | gojq -e .ok; }
router_of() { on "tsw-gw.$1" "${@:2}"; }
told() { # HOST LINE: what the agent says of repairs, from that line on
	tail -n +"$2" "${AGENT_LOG[$1]}" | grep -E ': (repaired|cannot repair|broken again)' || true
}

# broken DESC HOST COMMAND...: the agent repairs it and says so in one line.
broken() {
	local from line

	from=$(($(wc -l <"${AGENT_LOG[$2]}") + 1))
	"${@:3}" || { not_ok "$1: cannot be broken" && return; }
	check "$1: repaired within ten seconds, and told" retry 3 told_one "$2" "$from"
	is "$1: nothing is wrong" "$(problems "$2")" ""
	line=$(told "$2" "$from")
	is "$1: told in one line" "$(grep -c '^tsw: repaired: ' <<<"$line") of $(grep -c . <<<"$line")" \
		"1 of 1"
	note "$line"
}
told_one() { [ -n "$(told "$1" "$2")" ]; }

detach() { bpftool link detach pinned "/sys/fs/bpf/tsw/$1/links/$2"; }
rename() { # HOST
	ip -n "tsw-gw.$1" link set tsw-gw down
	ip -n "tsw-gw.$1" link set tsw-gw name other up
}
flush_routes() {
	local table

	for table in $(ip -n "tsw-gw.$1" -j rule | gojq -r '.[].table' | grep -v '^local$'); do
		ip -n "tsw-gw.$1" route flush table "$table" 2>/dev/null || true
	done
}

broken "the tunnel device is down" h1 ip -n h1 link set tsw-vx down
[ "$tcx" != true ] || broken "a port's link is not pinned any more" h1 \
	rm /sys/fs/bpf/tsw/h1/links/port-"$(port h1 red-a)"-in
broken "a port's qdisc is gone" h2 on h2 tc qdisc del dev red-b clsact
broken "the router's rules are gone" h1 router_of h1 nft flush ruleset
if [ -z "${TSW_QUICK:-}" ]; then
	broken "the tunnel device is gone" h1 ip -n h1 link del tsw-vx
	broken "it does not forward" h1 sysctl_in h1 net.ipv4.conf.tsw-vx.forwarding=0
	broken "the underlay's qdisc is gone" h2 on h2 tc qdisc del dev eth0 clsact
	[ "$tcx" != true ] || broken "the underlay's links are not pinned any more" h1 \
		rm -r /sys/fs/bpf/tsw/h1/links/{from,to}_wire-"$(port h1 eth0)"
	[ "$tcx" != true ] || broken "a link is detached by force" h1 \
		detach h1 "port-$(port h1 blue-a)-out"
	broken "a map's pin is gone" h1 rm "$(map_pin h1 fdb)"
	broken "a program's pin is gone" h2 rm /sys/fs/bpf/tsw/h2/progs/tsw_from_port
	broken "the gateway's device is down" h1 ip -n h1 link set tsw-gw down
	broken "the gateway's device is gone" h1 ip -n h1 link del tsw-gw
	broken "the router's qdisc is gone" h2 router_of h2 tc qdisc del dev tsw-up clsact
	broken "the uplink's device is gone" h2 ip -n h2 link del tsw-up
	broken "the route of a tenant without NAT is gone" h2 ip -n h2 route del 10.7.0.0/24
	broken "the router's device is down" h2 ip -n tsw-gw.h2 link set tsw-gw down
	broken "the router's rules of routing are gone" h1 ip -n tsw-gw.h1 rule flush
	broken "the router's routes are gone" h1 flush_routes h1
	broken "all of the router's routes are gone" h2 ip -n tsw-gw.h2 route flush table all
	broken "the router's addresses are gone" h1 ip -n tsw-gw.h1 addr flush dev tsw-up
	broken "an end in the router uses ARP" h2 ip -n tsw-gw.h2 link set tsw-up arp on
	broken "an end in the router has another name" h1 rename h1
	broken "the router does not forward" h2 sysctl_in tsw-gw.h2 net.ipv4.ip_forward=0
	broken "an element of nftables is gone" h1 router_of h1 nft flush map inet tsw zones
	broken "the router's namespace is gone" h2 ip netns del tsw-gw.h2
fi
check "red reaches red" loud red-a 10.0.0.2
check "blue reaches blue" reach blue-a 10.0.0.2

# ---- what tsw itself does is left alone ------------------------------------------------

from=$(($(wc -l <"${AGENT_LOG[h1]}") + 1))
sw h1 -c gateway del red
in_step h1
sw h1 -c gateway add red ip 10.0.0.254/24 host h1
in_step h1
sw h1 switch down
check "a switch that was taken down stays down" eval "sleep 2; ! sw h1 switch show 2>/dev/null"
is "  with none of its devices" "$(ip -n h1 -br link | grep -c '^tsw' || true)" 0
sw h1 switch up dev eth0 local "${VTEP[h1]}" name h1
in_step h1
sw h1 -q -f switch upgrade
in_step h1
sleep 1.5
is "nothing of it was called broken" "$(told h1 "$from")" ""
check "red reaches red" loud red-a 10.0.0.2

# ---- a fight ---------------------------------------------------------------------------

cpu() { awk '{ print $14 + $15 }' "/proc/$1/stat"; } # hundredths of a second
up_again() { ip -n h1 -j link show tsw-vx | gojq -e '.[0].flags | index("UP")'; }
undo_it() { ip -n h1 link set tsw-vx down 2>/dev/null; }
seconds=12
[ -z "${TSW_QUICK:-}" ] || seconds=5
from=$(($(wc -l <"${AGENT_LOG[h1]}") + 1)) was=$(cpu "${AGENT[h1]}") start=${EPOCHREALTIME/./}
end=$((start + seconds * 1000000))
n=0
while [ "${EPOCHREALTIME/./}" -lt $end ]; do
	[ "$(ip -n h1 -j link show tsw-vx | gojq -r '.[0].flags | index("UP")')" = null ] ||
		{ undo_it && n=$((n + 1)); }
	sleep 0.05
done
took=$(($(cpu "${AGENT[h1]}") - was))
note "$n times in $seconds s, $took hundredths of a second of a processor"
check "somebody who undoes each repair: repairs become rare" test $n -le 6
fights() { told h1 "$from" | grep -c 'broken again'; }
comes "  and that is told once" 1 fights
check "  a processor is not busy with it" test $took -le 120
retry 20 up_again
check "  in the end it is repaired" up_again

# ---- what cannot be repaired -----------------------------------------------------------

from=$(($(wc -l <"${AGENT_LOG[h1]}") + 1))
# An agent that repairs already when the directory comes finds that it is not a file to mount on.
NO_FILE='^tsw: cannot repair: .*tsw-gw.h1: (Is|Not) a directory'
unable() { told h1 "$from" | grep -cE "$NO_FILE" || true; }
mended() { [ "$(told h1 "$from" | sed -E 's/^tsw: ([a-z]+ ?[a-z]*): .*/\1/')" = \
	$'cannot repair\nrepaired' ]; }
counted() { [ "$(metric h1 tsw_agent_unrepaired)" -gt 0 ]; }
ip netns del tsw-gw.h1 && mkdir -p /run/netns/tsw-gw.h1/in-the-way
comes "a directory is where the router's namespace is to be: the agent tells" 1 unable
check "  metrics count what is wrong" retry 3 counted
sleep 4 # it tries again after 1 s, 2 s and so on
is "  it tells that once" "$(unable)" 1
rm -r /run/netns/tsw-gw.h1
check "without it the agent repairs, and tells" retry 15 mended
check "  nothing is wrong" retry 5 fine h1
check "red reaches red" loud red-a 10.0.0.2

# ---- without an agent: the timer's line ------------------------------------------------

agent_end h1
agent_end h2
timer() { # HOST: the lines of tsw-check@.service
	local line

	while read -r line; do
		# shellcheck disable=SC2086 # words, as systemd makes them
		on "$1" $line >/dev/null || return
	done < <(sed -n "s/^ExecStart=-\?//p" "$ROOT/contrib/systemd/tsw-check@.service" |
		sed "s|%i|$1|g; s|/usr/sbin/tsw|$TSW|")
}
is "where nothing is wrong the timer says nothing" "$(timer h1 2>&1)" ""
ip -n h1 link set tsw-vx down
is "it repairs, and says what" "$(timer h1 2>&1)" "tsw: found: tsw-vx: it is down"
is "  and nothing is wrong" "$(problems h1)" ""
on h2 tc qdisc del dev red-b clsact
router_of h2 nft flush ruleset
check "it repairs several at once" timer h2
is "  and nothing is wrong" "$(problems h2)" ""
ip -n h1 link del red-a
check "an endpoint whose device is gone is not its matter" timer h1
is "  and stays" "$(problems h1)" "orphan_endpoint red/a"
heard_nothing "blue heard nothing of red in all that" blue-a blue-b
finish
