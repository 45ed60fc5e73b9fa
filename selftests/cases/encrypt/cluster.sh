#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: encrypt/wireguard changes keys by command; unit_key_file and packet_crypt
# `encrypt wireguard` in a cluster: the records carry the keys, agents take them, and nothing is in
# the clear, from the first who joins on. A host that does not encrypt is not spoken to, nor speaks.
# New keys come without loss, old ones go from everywhere, whatever agent is killed meanwhile. Where
# the kernel has no WireGuard: only who is refused. The clock is moved in an emulated machine alone.
#
#   red-a 10.0.0.1 ── h1 192.0.2.1 ┐
#   red-c 10.0.0.3 ── h2 192.0.2.2 ┼ wire      etcd: see lib_cluster.sh
#   red-d 10.0.0.4 ── h3 192.0.2.3 ┘           h3 encrypts last
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_crypt.sh"

FALSE_KEY=//////////////////////////////////////////8= # which nobody has
step=${KILL_STEP:-20}                                  # 1: at each call, which takes long

join() { sw "$1" cluster join etcd $URL name campus; }
keys_of() { sw "$1" -j host show "$2" | gojq -r '.[0].key | join(" ")'; } # HOST OTHER
record() { sw h1 -c -j host show "$1" | gojq -r '.[0].key // [] | join(" ")'; }

if [ "$("$TSW" -j features | gojq .wireguard)" != true ]; then
	cluster_hosts h1 h2
	up h1
	check "a switch that does not encrypt joins first" join h1
	check "a host that does is told of" sw h1 -c host add h2 ip 192.0.2.2 key $FALSE_KEY
	is "by its key" "$(record h2)" $FALSE_KEY
	refused "then one that does not may not join" 'encrypts, and this switch does not' join h1
	refused "nor speaks to it" 'host "h2" encrypts, but this switch does not' sw h1 agent once on
	is "it knows no such host" "$(sw h1 -j host show)" '[]'
	skip "keys in a cluster" "this kernel has no WireGuard"
	finish
	exit
fi

# ---- who encrypts and who does not -----------------------------------------------------

cluster_hosts h1 h2 h3
capture clear wire any 'ip and not udp portrange 51820-51823 and not icmp[0] == 3'
up h3
check "a switch that does not encrypt joins first" join h3
for host in h1 h2; do
	up $host encrypt wireguard
	check "$host joins" join $host
	is "$host: its record has its key" "$(record $host)" "$(key $host)"
done
agent h1 h2 h3
comes "h1 does not take h3" 1 told_by h1 'host "h3" needs a key'
comes "nor h3 h1" 1 told_by h3 'host "h1" encrypts, but this switch does not'
refused "nor does it join now" 'encrypts, and this switch does not' join h3
sw h1 -c tenant add red id 100 >/dev/null
for ep in a,h1,1 c,h2,3 d,h3,4; do
	IFS=, read -r name host n <<<$ep
	container red $name $host 10.0.0.$n/24 mtu 1350 endpoint off
	check "endpoint $name" sw $host -c endpoint add $name tenant red dev red-$name \
		mac "$(mac_of 10.0.0.$n)" ip 10.0.0.$n
done
check "red-a reaches red-c" reach red-a 10.0.0.3
check "who does not encrypt is not reached" no_reach red-a 10.0.0.4
check "nor reaches anybody" no_reach red-d 10.0.0.1
is "h3 knows no host" "$(sw h3 -j host show)" '[]'
check_fails "wait tells that not all could be done" sw h1 cluster wait

check "h3 encrypts" sw h3 switch set encrypt wireguard
is "its record has its key" "$(record h3)" "$(key h3)"
check "red-d reaches red-a" reach red-d 10.0.0.1
check "and red-c red-d" reach red-c 10.0.0.4
check "all are in step" in_step h2
quiet_check() { # DESC
	local host

	for host in h1 h2 h3; do
		comes "$host: check has nothing to say $1" '{"ok":true,"problems":[],"warnings":[]}' \
			eval "sw $host -j switch check | gojq -c ."
	done
}
quiet_check "once all have joined"
is "not one frame in the clear" "$(captured clear)" 0

# ---- a new key -------------------------------------------------------------------------

# How many hosts are not sent to by their newest key yet: TSW_HOST_COMING.
coming() { map_dump "$1" hosts | gojq '[.[].formatted.value.flags / 4 | floor % 2] | add'; }

stream out red-a red-c 10.0.0.3
stream in red-c red-a 10.0.0.1
stream late red-d red-a 10.0.0.1
old=$(key h1)
is "rekey: the agents take the new key from the record" \
	"$(sw h1 -j switch rekey wait 60 | gojq -c '[.state, .missing]')" '["used",[]]'
new=$(key h1)
check "it is another" test "$old" != "$new"
is "the record has both" "$(record h1)" "$old $new"
for host in h2 h3; do
	is "$host knows both" "$(keys_of $host h1)" "$old $new"
	comes "$host sends by the new one" 0 coming $host
done
check "all are in step with it" in_step h2
sleep 1 # of streams
for name in out in late; do streamed $name "rekey, $name"; done
quiet_check "behind it"
check "an agent's round keeps the old one for now" sw h1 -c tenant set red description x
check "which is so" in_step h1
is "on h1" "$(key h1 old_public_key)" "$old"

# ---- old keys go -----------------------------------------------------------------------

moves=${TSW_VM:-}
[ -z "${TSW_BRIEF:-}" ] || moves=
later() { date -s '+6 minutes' >/dev/null; } # than CRYPT_IDLE
devs() { sw "$1" -j switch show | gojq '.wg_devs | length'; }
none_old() { # DESC HOST KEY: that is all
	local host

	comes "$1: the record has the new key alone" "$3" record "$2"
	for host in h1 h2 h3; do
		[ $host = "$2" ] || comes "$1: and $host" "$3" keys_of $host "$2"
	done
	is "$1: switch show tells one" "$(key "$2" old_public_key)" null
	is "$1: the file has one" "$(grep -c ' ' <(sed 1d "$KEYS/$2.key"))" 1
}
reach_all() {
	reach red-a 10.0.0.3 && reach red-a 10.0.0.4 && reach red-c 10.0.0.4
}

goes() { # HOST: a device that comes is a reason for its agent to look
	ip -n "$1" link add news type dummy
	ip -n "$1" link del news
	[ "$(record "$1")" = "$(key "$1")" ]
}
if [ -n "$moves" ]; then
	later
	check "an agent's round ends it" retry 10 goes h1
	none_old "by an agent" h1 "$new"
	is "by an agent: h1 has one device" "$(devs h1)" 1
	is "by an agent: the others have one for each kind of key" "$(devs h2) $(devs h3)" "2 2"
	check "by an agent: all reach each other" reach_all
	for host in h1 h2 h3; do
		is "$host: check finds nothing wrong" "$(problems $host)" '[]'
	done
else
	skip "old keys go" "it takes the clock of an emulated machine, and no TSW_BRIEF"
fi

# ---- killed meanwhile ------------------------------------------------------------------

follow() { sw h1 -q agent once on >/dev/null; }
forget() { # KEY: h1 knows h2 by that alone
	until [ "$(keys_of h1 h2)" = "$1" ]; do sw h1 -q -f host set h2 key "$1"; done
}
if [ -z "${TSW_BRIEF:-}" ]; then
	check "all are in step before" in_step h2
	agent_end h1
	old=$(key h2)
	comes "rekey: h2 waits for h1 alone" '["waiting",["h1"]]' \
		eval "sw h2 -j switch rekey | gojq -c '[.state, .missing]'"
	both="$old $(key h2 new_public_key)"
	wrong=()
	for ((n = 1; ; n = AT + step)); do
		killed $n -w 5 agent once on || break
		follow || wrong+=("$n: once")
		now="$(keys_of h1 h2), $(coming h1), $(problems h1)"
		[ "$now" = "$both, 0, []" ] || wrong+=("$n: $now")
		on red-a ping -n -c 1 -W 5 10.0.0.3 >/dev/null || wrong+=("$n: silent")
		forget "$old"
	done
	is "the next agent ends where it would have, $KILLS times" "${wrong[*]}" ""
	check "and it was killed at some" test $KILLS -ge 2
	note "of $n calls"
	agent h1
	check "h1 follows" in_step h1
	agent_end h1 KILL
	agent h1
	# Where the clock was moved the old one has not been used since long.
	is "all have it, and h2 uses it" \
		"$(sw h2 -j switch rekey wait 60 | gojq -c '[.state != "waiting", .missing]')" \
		'[true,[]]'
	check "all reach each other by it" reach_all
	quiet_check "in the end"
fi

check "the capture sees what is in the clear" on h1 ping -n -c 1 -W 5 192.0.2.2
check "which it does" capture_has clear 1 icmp
capture_stop clear
is "and not one frame of a tenant's, all the time" "$(captured clear not icmp)" 0
[ -z "${TSW_BRIEF:-}" ] || { finish && exit; }

# ---- hosts that are members change over -------------------------------------------------

set_all() { # ENCRYPT
	local host

	for host in h1 h2 h3; do check "$host: encrypt $1" sw $host switch set encrypt "$1"; done
	check "all are in step with $1" in_step h2
}
set_all wireguard,mixed
set_all off
is "off: no record has a key" "$(record h1)$(record h2)$(record h3)" ""
check "off: all reach each other" reach_all
set_all wireguard,mixed
for host in h1 h2 h3; do
	is "mixed: $host knows the others' keys" \
		"$(sw $host -j host show | gojq -c 'map(.key | length)')" '[1,1]'
done
check "mixed: all reach each other" reach_all
set_all wireguard
quiet_check "when all have changed over"
check "all reach each other" reach_all

if [ -n "$moves" ]; then
	is "another key" "$(sw h1 -j switch rekey wait 60 | gojq -r .state)" used
	new=$(key h1)
	agent_end h1
	later
	is "without an agent rekey again ends it" \
		"$(sw h1 -j switch rekey | gojq -c '[.state, .key]')" "[\"done\",\"$new\"]"
	none_old "by rekey" h1 "$new"
	check "all reach each other still" reach_all
fi
finish
