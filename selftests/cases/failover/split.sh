#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: gateway/addresses has the addresses on one host; packet_proxy answers for them
# One host answers for an address that tenants leave as (`snat`): also when that host dies, is cut
# off from the other hosts alone, or comes back, and whatever a stranger says.
#
#   red-a 10.0.0.1 ── h1 ╮                    ╭ up0 203.0.113.1
#   red-b 10.0.0.2 ── h2 ├ underlay     h1-h3 ┤ up0 203.0.113.2   out 203.0.113.9
#   red-c 10.0.0.3 ── h3 ╯                    ╰ up0 203.0.113.3
# pair: it measures
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_failover.sh"

HOLD=4 AGENT_WORDS=() SNAT4=203.0.113.71 SNAT6=2001:db8:9::71 STRANGER=02:00:00:00:00:66
# What two may take: a question is lost (200 ms), others have the processors. FORGET_SECONDS of
# speaker.c is 3.
TWO=$((2500 * ${TSW_SLOW:-1})) FORGET=3
cluster_up h1 h2 h3
outside h1 h2 h3
check "a tenant" sw h1 -c tenant add red id 100
for n in 1 2 3; do
	name=$(tr 123 abc <<<$n)
	container red "$name" h$n 10.0.0.$n/24 fd00::$n/64 endpoint off
	endpoint red "$name" h$n $n
	ip -n "red-$name" route replace default via $GATEWAY4
	ip -n h$n route add default via $SERVER4
done
check "its gateway" sw h1 -c gateway add red ip $GATEWAY4/24 ip $GATEWAY6/64 \
	snat $SNAT4 snat $SNAT6 host h1 host h2 host h3
agent h1 h2 h3
serves() { shown "$1" '.[0] | [.host, .flip, .snat_left]'; } # for HOST
at() { [ "$(serves "$2")" = "$1" ]; } # WANT HOST
for host in h1 h2 h3; do check "$host knows it" retry 10 at '["h1",null,null]' $host; done

mac_of_up() { ip -n "$1" -j link show up0 | gojq -r '.[0].address'; }
bg out "$PY" "$TOOLS/whose.py" ask br0 $SNAT4 "$(mac_of_up h1)=h1" "$(mac_of_up h2)=h2" \
	"$(mac_of_up h3)=h3"
ASK=$BG ASK_LOG=$BG_LOG
retry 5 has_lines "$ASK_LOG" 1 # it would die by a signal before
since() { # of the questions, since the last time, in $WORK/since; the worst since begins, beside
	asked $ASK "$ASK_LOG" . >$WORK/since && cat $WORK/since >>$WORK/worst
}
worst() { gojq -s "map(.$1) | max" $WORK/worst; } # two|none: ms
answers() { # HOST: it alone, for more than a second
	since
	sleep 1.2
	since
	[ "$(gojq -r '[.last[], .two, .none] | join(" ")' $WORK/since)" = "$1 0 0" ]
}
begins() {
	since
	: >$WORK/worst
}
settles() { # DESC HOST: at last it alone answers, and two did not for long
	check "$1: $2 answers" retry 15 answers "$2"
	note "$1: two answered for $(worst two) ms, none for $(worst none) ms"
	check "$1: two did not answer for long" test "$(worst two)" -le $TWO
}
knows() { # HOST: `out` has that one's MAC for both
	local address

	for address in $SNAT4 $SNAT6; do
		ip -n out neigh show $address dev br0 | grep -q "$(mac_of_up "$1")" || return 1
	done
}
sends_to() { # HOST: what `out` sends to the IPv4 address; its entry may have failed meanwhile
	on out ping -n -c 1 -W 0.1 $SNAT4 >/dev/null 2>&1 || true
	ip -n out neigh show $SNAT4 dev br0 | grep -q "$(mac_of_up "$1")"
}
for address in $SNAT4 $SNAT6; do
	on out ping -n -c 1 -W 0.1 $address >/dev/null 2>&1 || true
done
begins
settles "at first" h1
check "out knows h1" knows h1
sleep $HOLD # until then each host is in doubt

# Numbered datagrams of red-c's through the gateway, all the time.
bg out "$PY" "$TOOLS/survive.py" serve 7
asks "red-c asks" red-c
gap() { asked $FLOW "$FLOW_LOG" .gap; } # of the flow in ms, since the last time
is_short() {
	local ms

	ms=$(gap)
	note "the flow was interrupted for $ms ms"
	check "for a second at most" test "$ms" -le 1000
}
sleep 1
gap >/dev/null

# ---- power off ---------------------------------------------------------------------------
begins
ip -n h1 link set up0 down
ip -n h1 link set eth0 down
check "h2 serves" retry 5 at '["h2","silent",null]' h2
settles "power off" h2
check "out knows h2, of IPv6, too" knows h2
is_short

# ---- it comes back: the backup has it until h1 has lived for a while ---------------------
begins
ip -n h1 link set eth0 up
ip -n h1 link set up0 up
ip -n h1 route replace default via $SERVER4
ip -n h1 addr replace 2001:db8:9::1/64 dev up0 nodad
check "all go back to h1" retry $((HOLD + 8)) at '["h1",null,null]' h2
settles "it comes back" h1
check "out knows h1" retry 5 knows h1
sleep $((HOLD + 1))

# ---- cut off from the others, and not from the world -------------------------------------
begins
gap >/dev/null
ip -n h1 link set eth0 down
check "h2 serves" retry 5 at '["h2","silent",null]' h2
settles "h1 is cut off" h2
is "h1 has left it" "$(serves h1)" '["h1",null,true]'
is "switch check warns" "$(sw h1 -j switch check | gojq -c '[.warnings[] |
	select(.what == "snat_left").object] | sort')" "[\"$SNAT6\",\"$SNAT4\"]"
is "metrics count it" "$(metric h1 tsw_snats_left) $(metric h2 tsw_snats_left)" "2 0"
check "out knows h2" knows h2
is_short
begins
ip -n h1 link set eth0 up
check "all go back to h1" retry $((HOLD + 8)) at '["h1",null,null]' h2
settles "it is joined again" h1
is "it is told" "$(told_by h1 "answers for $SNAT4 again")" 1
sleep $((HOLD + 1))

# ---- a backup is cut off: that is no reason to leave h1 ----------------------------------
begins
ip -n h2 link set eth0 down
check "h2 serves itself" retry 5 at '["h2","silent",true]' h2
settles "h2 is cut off" h1
ip -n h2 link set eth0 up
check "it goes back" retry $((HOLD + 8)) at '["h1",null,null]' h2
sleep $((HOLD + 1))

# ---- both backups die --------------------------------------------------------------------
begins
for host in h2 h3; do
	ip -n $host link set eth0 down
	ip -n $host link set up0 down
done
sleep 2
settles "the backups are dead" h1
since
is "it answered all the time" "$(worst none)" 0

# ---- a stranger --------------------------------------------------------------------------
forged() {
	ip -n h2 link set up0 up
	on h2 "$PY" "$TOOLS/whose.py" claim up0 $SNAT4 $STRANGER "$1"
	ip -n h2 link set up0 down
}
begins
forged 1
check "when the stranger is silent h1 answers, though alone" retry $((FORGET + 3)) answers h1
check "out sends there" retry 3 sends_to h1
for host in h2 h3; do
	ip -n $host link set eth0 up
	ip -n $host link set up0 up
	ip -n $host route replace default via $SERVER4
done
check "all are back" retry $((HOLD + 8)) at '["h1",null,null]' h2
sleep $((HOLD + 1))
begins
on h3 "$PY" "$TOOLS/whose.py" claim up0 $SNAT4 $STRANGER 1
settles "a stranger among living hosts" h1
check "out sends to h1" retry 3 sends_to h1
is "h1 has answered all the time" "$(worst none)" 0
healthy h1

# ---- two hosts: neither knows which of them is cut off -----------------------------------
check "h3 is none of them" sw h1 -c gateway set red host h1 host h2
two() { sw "$1" -j gateway show red | gojq -e '.[0].hosts | length == 2'; }
for host in h1 h2; do check "$host knows it" retry 10 two $host; done
begins
ip -n h1 link set eth0 down
settles "who takes over has it" h2
ip -n h1 link set eth0 up
check "h2 goes back" retry $((HOLD + 8)) at '["h1",null,null]' h2
settles "joined again" h1
begins
ip -n h2 link set eth0 down
settles "so is it where h2's cable is off" h2
ip -n h2 link set eth0 up
check "h2 goes back" retry $((HOLD + 8)) at '["h1",null,null]' h2
settles "joined again" h1
finish
