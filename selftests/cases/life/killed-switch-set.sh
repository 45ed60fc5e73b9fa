#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cli/state kills `apply`; life/lost-pins mends half a switch
#
#   eth0 192.0.2.1 ╤══ h1     eth1, and br0, a bridge, which takes no native XDP
#        fd00:2::1 ┘
#
# A `switch set` that fails half-way has changed nothing. One that is killed, at any system call
# that changes something, is completed by the same words, or by `switch up` with them as soon as
# they have taken hold. `switch down` takes it away without a trace.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"

topo_hosts h1 h2
ip -n h1 link add eth1 type veth peer name eth1 netns h2
ip -n h1 link add br0 type bridge
for dev in eth1 br0; do ip -n h1 link set $dev up; done
sysctl_in h1 net.ipv6.conf.eth0.disable_ipv6=0
ip -n h1 addr add fd00:2::1/64 dev eth0 nodad

# what is on the devices, then the switch's own view
devices() {
	local dev

	for dev in eth0 eth1 br0; do
		echo "$dev $(ip -n h1 -j -d link show $dev | gojq -c '.[0].xdp.mode')" \
			"$(on h1 tc qdisc show dev $dev clsact)" \
			"$(on h1 tc filter show dev $dev ingress 2>&1 | grep -c tsw_ || true)"
	done
	find /sys/fs/bpf -path '*links*' -printf '%f\n' | grep -c from_wire || true
	ip -n h1 -br link show | grep -c tsw- || true
}
state() {
	devices
	sw h1 -j switch show | gojq -c 'del(.map_bytes, .tunnel_dev)'
	sw h1 -j host show
	on h1 sysctl -n net.ipv6.conf.tsw-vx.forwarding
}
begin() { # WORD...
	sw h1 switch up dev eth0 local 192.0.2.1 name h1 "$@"
	sw h1 host add h2 ip fd00:2::2 ip 192.0.2.2
}
step=${KILL_STEP:-5} # 1: at each call, which takes minutes
clean=$(devices)

# try N DESC SET_WORDS -- UP_WORDS: killed at its Nth call, `switch set` is completed to $after
try() {
	local n=$1 desc=$2 set=()

	shift 2
	while [ "$1" != -- ]; do set+=("$1") && shift; done
	shift
	killed "$n" switch set "${set[@]}" || return 1
	# Before they have taken hold `switch up` does not know these words.
	if [ $((KILLS % 2)) = 1 ] && sw h1 -q switch up "$@" 2>/dev/null; then
		repaired=$((repaired + 1))
	else
		sw h1 -q switch set "${set[@]}" || true
	fi
	[ "$(state)" = "$after" ] || wrong+=("$desc $n")
}

first=1
for attach in tcx clsact; do
	[ $attach != tcx ] || [ "$("$TSW" -j features | gojq .tcx)" = true ] || continue
	begin attach $attach xdp native
	before=$(state)
	check_fails "$attach: set with a device that refuses" \
		sw h1 switch set dev br0 dev eth1 local fd00:2::1
	is "$attach: has changed nothing" "$(state | sed '$d')" "$(sed '$d' <<<"$before")"
	sw h1 switch down
	is "$attach: down leaves nothing" "$(devices)" "$clean"

	begin attach $attach xdp native
	before=$(state) wrong=() repaired=0
	words=(dev eth1 dev eth0 xdp generic)
	check "$attach: set" sw h1 switch set "${words[@]}"
	after=$(state)
	check "$attach: set again" sw h1 switch set "${words[@]}"
	is "$attach: changes nothing" "$(state)" "$after"
	for ((n = first;; n = AT + step)); do
		sw h1 switch set dev eth0 xdp native
		[ "$(state)" = "$before" ] || wrong+=("not back before $n")
		try $n set "${words[@]}" -- "${words[@]}" local 192.0.2.1 name h1 attach $attach ||
			break
	done
	note "$attach: $n calls"
	check "$attach: there were calls to be killed at" test $n -gt 50
	check "$attach: switch up has completed some" test $repaired -gt 0
	sw h1 switch set local fd00:2::1
	after=$(state)
	for ((n = first;; n = AT + $(every 2 $step))); do
		sw h1 switch down
		[ "$(devices)" = "$clean" ] || wrong+=("not clean before $n")
		begin attach $attach xdp generic
		sw h1 switch set "${words[@]}"
		try $n local local fd00:2::1 -- "${words[@]}" local 192.0.2.1 local fd00:2::1 \
			name h1 attach $attach || break
	done
	note "$attach: local: $n calls"
	is "$attach: killed at and not completed" "${wrong[*]}" ""
	sw h1 switch down
	first=$((first + step / 2))
done

# Down from where a kill has left it.
wrong=()
begin xdp native
far=$(every 10 $step)
for ((n = (far + 1) / 2;; n = AT + far)); do
	killed $n switch set dev eth1 local fd00:2::1 xdp generic || break
	sw h1 switch down
	[ "$(devices)" = "$clean" ] || wrong+=("$AT")
	begin xdp native
done
is "killed at any of $n calls, down leaves nothing" "${wrong[*]}" ""
sw h1 switch down

# A killed `up`, completed by another.
up=(switch up dev eth0 dev eth1 local 192.0.2.1 local fd00:2::1 xdp generic)
for ((n = 1;; n = AT + far)); do
	killed $n "${up[@]}" || break
	sw h1 -q "${up[@]}" || break
	[ "$(sw h1 -j switch show | jq -c '.devs | map(.xdp)')" = '["generic","generic"]' ] || break
	sw h1 switch down
	[ "$(devices)" = "$clean" ] || break
done
note "up: $n calls"
check "up killed at any call is completed by itself" test $n -gt 100
check_fails "up to its end" killed $n "${up[@]}"
note "$KILLS kills"
finish
