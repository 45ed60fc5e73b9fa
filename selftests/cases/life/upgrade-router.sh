#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_router_ns has the router's namespace; life/lost-pins upgrades
# `switch upgrade` of a switch whose gateways are in the host's own network namespace, as in tsw
# 0.2. They move into the router, and no connection is lost. If it is killed at any call, the switch
# forwards, and the next command completes it. TSW_OLD is such an older tsw; without it the case has
# nothing to upgrade.
#
#   red-a 10.0.0.1, published ── h1 ══ h2 ── red-c 10.0.0.3, to the world
#        out 203.0.113.9 ┴ up0, the gateway of red
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_outside.sh"

OLD=${TSW_OLD:-}
[ -x "$OLD" ] || { skip "gateways of an older tsw move" "TSW_OLD is none" && finish && exit; }
NEW=$TSW PINS=/sys/fs/bpf/tsw/h1
step=${KILL_STEP:-7} # 1: at each call, which takes hours
[ -z "${TSW_QUICK:-}" ] || step=$((20 * step + 1))

# What gateways of an older tsw change of the host, and the router leaves alone.
host() {
	on h1 ip rule
	on h1 ip -6 rule
	on h1 ip route show table all | grep -v -e tsw- | sort
	on h1 sysctl -a 2>/dev/null --pattern \
		'^net\.ipv[46]\.conf\.(all|default|eth0|up0)\.(.*forwarding|rp_filter)'
	on h1 nft list tables
	on h1 cat /proc/sys/net/netfilter/nf_conntrack_tcp_be_liberal
	on h1 ip -br link | sed 's/@.*//; s/ .*//' | grep -v '^tsw-\(gw[0-9]*\|up[0-9]*\)$'
}
old_up() { # WORDS of up
	TSW=$OLD
	# shellcheck disable=SC2086
	sw h1 switch up dev eth0 local 192.0.2.1 name h1 $1
	sw h1 host add h2 ip 192.0.2.2
	sw h1 tenant add red id 100
	sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 dev red-a
	sw h1 endpoint add c tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 ip fd00::3 host h2
	was=$(host)
	sw h1 gateway add red ip $GATEWAY4/24 ip $GATEWAY6/64
	for proto in tcp udp; do
		sw h1 publish add red proto $proto port 5000 to 10.0.0.1:5000
		sw h1 publish add red proto $proto port 5000 to '[fd00::1]:5000'
	done
	TSW=$NEW
}
place() { # WORDS of up
	topo_hosts h1 h2
	outside h1
	TSW=$OLD
	UP_ARGS=$1 switch_up
	tenants red 100
	container red a h1 10.0.0.1/24 fd00::1/64
	container red c h2 10.0.0.3/24 fd00::3/64
	sw h2 gateway add red ip $GATEWAY4/24 ip $GATEWAY6/64 host h1
	leave red-a red-c
	sw h1 switch down
	ip -n h1 link set red-a up
	old_up "$1"
	sysctl_in red-a net.ipv4.ip_local_port_range="5000 5000"
	reach red-c $SERVER4
	reach red-c $SERVER6
}
flow() { # SERVER CLIENT RATE KINDS ADDRESS...
	bg "$1" "$PY" "$TOOLS/series.py" "$1" "$2" "${@:5}" rate="$3" kinds="$4"
	FLOWS+=("$BG $BG_LOG")
	retry 20 grep -q ready "$BG_LOG"
}
flows() {
	FLOWS=()
	flow out red-c 50 ping,udp,query,new,load $SERVER4 $SERVER6
	flow red-a out 50 udp,query,new,load 203.0.113.1 2001:db8:9::1
}
flows_end() { # DESC
	local each lost=0

	sleep 2
	for each in "${FLOWS[@]}"; do
		kill "${each% *}"
		wait "${each% *}" || true
		note "$(grep ' got ' "${each#* }")"
		lost=$((lost + $(awk '/ got / { n += $7 } END { print n + 0 }' "${each#* }")))
		awk '/ new / && $9 > 900 { exit 1 }' "${each#* }" || lost=$((lost + 1000))
	done
	is "$1: nothing was lost" $lost 0
}
is_moved() {
	[ "$(cd $PINS && echo *)" = "links maps progs" ] || { ls $PINS && return 1; }
	[ "$(host)" = "$was" ] || { diff <(echo "$was") <(host) && return 1; }
	! on h1 grep -q mark=19 /proc/net/nf_conntrack || return 1
	sw h1 switch check
}

moved() { # WORDS of up
	place "$1"
	flows
	check "$1: upgrade" sw h1 -v switch upgrade
	flows_end "$1"
	check "$1: the host is as it was, the switch in order" is_moved
	check "$1: to the world" reach red-c $SERVER4
	check "$1: IPv6, too" reach red-c $SERVER6
	sw h1 switch down
	is "$1: down: no router" "$(ip netns | grep -c '^tsw-gw.h1' || true)" 0
	old_up "$1"
	check "$1: down of the old one" sw h1 switch down
	is "$1: the host is as it was" "$(host | grep -v tsw-)" "$(grep -v tsw- <<<"$was")"
}
tcx=tcx
[ "$("$TSW" -j features | gojq .tcx)" = true ] || tcx=clsact
moved "attach $tcx"

# ---- killed --------------------------------------------------------------------------------
# Programs change from $first to $last: there each call counts, as half of a frame's way may be new.
# The numbers differ a little from run to run.
calls="bpf,sendto,sendmsg,write,mkdirat,unlinkat,renameat2,?renameat,?mkdir,?rmdir,?unlink,?rename"
old_up "attach $tcx"
strace -o $WORK/calls -e trace=$calls "$TSW" -q -n h1 switch upgrade # as killat counts them
first=$(($(grep -nm 1 LINK_UPDATE $WORK/calls | cut -d : -f 1) - 25))
last=$(($(grep -n LINK_UPDATE $WORK/calls | tail -n 1 | cut -d : -f 1) + 25))
sw h1 switch down
after() { # AT: the next call to be killed at
	local next=$(($1 + ($1 < first || $1 > last ? step : 1)))

	echo $(($1 < first && next > first ? first : next))
}

words=("" "tenant set red mtu 0" "switch repair" "switch down")
wrong=()
for ((n = step / 2 + 1;; n = $(after "$AT"))); do
	old_up "attach $tcx"
	reach red-c $SERVER4
	killed $n switch upgrade || break
	with=${words[KILLS % 4]}
	reach red-c $SERVER4 || wrong+=("$n: does not forward")
	# shellcheck disable=SC2086
	if [ "$with" = "switch down" ]; then
		sw h1 switch down || wrong+=("$n: down")
		[ "$(host | grep -v tsw-)" = "$(grep -v tsw- <<<"$was")" ] || wrong+=("$n: the host, down")
		continue
	fi
	[ -z "$with" ] || sw h1 -q $with 2>/dev/null || true
	sw h1 switch upgrade || wrong+=("$n: upgrade again")
	is_moved >$WORK/whole 2>&1 || wrong+=("$n: $(<$WORK/whole)")
	reach red-c $SERVER4 || wrong+=("$n: does not forward at the end")
	sw h1 switch down
done
note "$n calls, $KILLS kills; programs change from $first to $last"
is "killed at and not completed" "${wrong[*]}" ""
sw h1 switch down
run_undo

moved "attach clsact"
finish
