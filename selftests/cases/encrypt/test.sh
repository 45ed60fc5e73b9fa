#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `tsw test` where hosts encrypt: what it tells of each way in which WireGuard does not reach the
# other host, and the command that mends it.
#
# full: it waits for WireGuard; unit_doctor has how it judges, and watch/test what it asks
#
#   h1 ══ wire ══ h2, a bridge with a firewall
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_crypt.sh"

[ "$("$TSW" -j features | gojq .wireguard)" = true ] || {
	ok 'no WireGuard'
	finish
	exit
}
topo_hosts h1 h2 wire2
HOSTS=(h1 h2)
for host in h1 h2; do up $host encrypt wireguard; done
sw_all tenant add red id 100 encap geneve

# found: what `test` says of h2, without times. wire TO [RULE]: packets to that host are dropped.
found() {
	{ sw h1 test host h2 || true; } |
		sed -nE 's/ in [0-9]+ us//; /^[A-Z]+ +(endpoints|guard)/!p'
}
wire() { on wire nft "table bridge $1 { chain c {
	type filter hook forward priority 0; oifname $1 ${*:2} drop; }; }"; }
open() { on wire nft delete table bridge "$1"; }
ports='(UDP ports 51820 to 51823)'
nothing="FAIL  encrypt h2: nothing of WireGuard comes from there: something drops it, or it has no \
key of this host $ports
      > tsw test (on h2); tsw -n h1 test host h2; nft list ruleset (here and on h2)"

sw h1 host add h2 ip 192.0.2.2 key "$(key h2)"
is 'the other host does not know this one' "$(found)" "$nothing"
key=$(key h1)
# Of the same kind as h1's, by its first characters, and nobody's.
false=${key:0:4}$(tr 'A-Za-z' 'B-ZAb-za' <<<"${key:4}" | sed 's/.=$/E=/')
sw h2 host add h1 ip 192.0.2.1 key "$false"
foreign="FAIL  encrypt h2: WireGuard's packets come from there, but not by the keys of the two: \
there or here the other one's is wrong $ports
      > tsw host set h1 key $key (on h2); tsw -n h1 host set h2 key KEY"
is 'the other host has a wrong key' "$(found)" "$foreign"
wire h1 udp dport 51820-51823
check 'what it names can be pasted there' sw h2 host set h1 key "$key"
is 'nothing comes here' "$(found)" "$nothing"
wire h2 udp dport 51820-51823
open h1
lost="FAIL  encrypt h2: WireGuard's packets come from there, but something drops those from here to \
there $ports
      > nft list ruleset (on h2)"
is_lost() { # while its WireGuard tries, too
	sw h2 test host h1 >/dev/null &
	LOST=$(found)
	wait $! || true
	[ "$LOST" = "$lost" ]
}
retry 30 is_lost || true
is 'what this host sends gets lost' "$LOST" "$lost"
open h2
on h1 nft 'table ip t { chain c { type filter hook output priority 0;
	udp dport 51820-51823 drop; }; }'
is 'because of its own rules' "$(found)" "FAIL  encrypt h2: this host's own rules drop \
WireGuard's packets to it $ports
      > nft list ruleset"
on h1 nft delete table ip t

well='OK    host h2: it answers by vxlan gre geneve, encrypted
OK    mtu h2: WireGuard carries packets of 1420 octets, there and back; endpoints may use 1370'
is_well() { is "$1" "$(found)" "$well"; }
retry 20 sw h1 test host h2 >/dev/null
is_well 'all is well'
on h1 nft 'table ip t { chain c { type filter hook output priority 0; udp dport 6081 drop; }; }'
is 'one encapsulation inside does not pass' "$(found | grep -A 1 FAIL)" "FAIL  encap h2: it \
answers, but not by geneve, which tenants here use: something between drops UDP port 6081, or its \
tsw is older
      > tsw -n h1 tenant set red encap vxlan|gre"
on h1 nft delete table ip t
wire h2 udp length \> 1300
fits=$(found | grep -oP 'that pass have \K[0-9]+')
is 'long packets do not' "$(found | grep -A 1 FAIL)" \
	"FAIL  mtu h2: packets of 1420 octets get lost in WireGuard, there or back; the longest that \
pass have $fits, so endpoints may use $((fits - 50))
      > tsw -n h1 host set h2 mtu $((fits + 80))"
check 'which it names' sw h1 host set h2 mtu $((fits + 80))
check '... mends it' sw h1 test host h2
open h2
sw h1 host set h2 mtu none

ip -n h1 link del tsw-wg
is 'a device is gone' "$(found)" "FAIL  encrypt h2: WireGuard does not have it as a peer $ports
      > tsw -n h1 switch repair"
check 'which is mended so' sw h1 switch repair
retry 20 sw h1 test host h2 >/dev/null
is_well '... all is well'
check 'the same' sw h2 switch set encrypt off
is 'the other host does not encrypt' "$(found)" "FAIL  encrypt h2: nothing listens there: its \
switch is down or does not encrypt, or it has another wg-port, or another key than here $ports
      > tsw switch show (on h2)"
ip -n h2 link set eth0 down
ip -n h1 neigh flush all
is 'it is down' "$(found)" "FAIL  encrypt h2: it is down, or something refuses WireGuard's packets \
to it $ports
      > tsw switch show; tsw host show (on h2), or tsw -n h1 host set h2 ip IP"
is 'doctor leaves it to test' "$({ sw h1 -j doctor || true; } |
	gojq -r '.checks[] | select(.state == "FAIL") | .mend')" 'tsw -n h1 test host h2'
ip -n h2 link set eth0 up
sw h1 switch set encrypt wireguard,mixed
sw h1 host set h2 key none
retry 5 carrier h1 eth0
is 'in the clear, as it may be' "$(found | head -n 1)" \
	'OK    host h2: it answers by vxlan gre geneve, not encrypted'
finish
