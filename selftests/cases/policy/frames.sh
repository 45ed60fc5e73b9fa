#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   world 198.51.1.2 ── up1 ┐
#   red-web 10.0.0.1 ───────┤                   ┌─ red-db 10.0.0.3
#   red-app 10.0.0.2 ───────┼─ h1 192.0.2.1 ═══ 192.0.2.2 h2
#   red-sql 10.0.0.4 ───────┘                   └─ red-back 10.0.0.5
#
# Ways around a rule that denies one group another: a published port of the own tenant; frames to
# all with one receiver's address inside; protocol numbers, padding, ICMP without a question. The
# case counts what the receivers' kernels accept.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo v6 h1 red-web=1 red-app=2 red-sql=4 h2 red-db=3 red-back=5
sysctl_in h1 net.ipv6.conf.{all,default}.disable_ipv6=0
uplink h1 world 1
sw h1 gateway add red ip 10.0.0.254/24 ip fd00::fe/64
sw h2 gateway add red ip 10.0.0.254/24 ip fd00::fe/64 host h1
for name in web app sql db back; do
	way_out red-$name 10.0.0.254 fd00::fe
done
for name in sql db; do
	serve red-$name 8080
done
for proto in tcp udp; do
	sw h1 publish add red proto $proto port 80 to 10.0.0.4:8080
	sw h1 publish add red proto $proto port 81 to 10.0.0.3:8080
	sw h1 publish add red proto $proto port 80 to '[fd00::4]:8080'
done

# ---- by a published port ---------------------------------------------------------------------

answers "no policy: a published port, from inside" red-web both 198.51.1.1 80 "red-sql 10.0.0.254"
sw_all group add red web db
sw_all endpoint set web tenant red group web
sw_all endpoint set back tenant red group web
sw_all endpoint set sql tenant red group db
sw_all endpoint set db tenant red group db
sw_all policy add red all from any to any
sw_all policy add red no-db from group web to group db action deny priority 2000
sw_all tenant set red policy audit
answers "audit" red-web both 198.51.1.1 80 "red-sql 10.0.0.254"
sw_all tenant set red policy on
silent "directly" red-web both 10.0.0.4 8080
silent "by the published port, here" red-web both 198.51.1.1 80
silent "by the published port, to the other host" red-web both 198.51.1.1 81
silent "by the published port, from the other host" red-back both 198.51.1.1 80
silent "and back to its own host" red-back both 198.51.1.1 81
silent "by the published port, IPv6" red-web both fd51:1::1 80
answers "who is in no group" red-app both 198.51.1.1 80 "red-sql 10.0.0.254"
answers "the same, to the other host" red-app both 198.51.1.1 81 "red-db 10.0.0.254"
answers "the same, IPv6" red-app both fd51:1::1 80 "red-sql fd00::fe"
answers "the world" world both 198.51.1.1 80 "red-sql 198.51.1.2"
held red-app tcp 198.51.1.1 80
check "a connection goes on" goes_on
sw_all endpoint set app tenant red group web
check "and ends with its rule" ended
sw_all endpoint set app tenant red group none
check "counted where the gateway is" test "$(drops h1 policy_denied red)" -gt 0

# ---- to all, for one -------------------------------------------------------------------------

quiet
on red-sql nft 'add table ip got; add counter ip got frames; add chain ip got in {
	type filter hook input priority 0; }; add rule ip got in udp dport 9 counter name frames'
on red-db nft 'add table ip got; add counter ip got frames; add chain ip got in {
	type filter hook input priority 0; }; add rule ip got in udp dport 9 counter name frames'
got() { on "$1" nft -j list counter ip got frames | gojq '.nftables[].counter.packets? // empty'; }
has_got() { [ "$(got "$1")" -ge "$2" ]; } # NS COUNT
# dropped DESC REASON NS DEV LAYER...: one more of red's. Not expect_drops: the host's own IPv6
# speaks to its veths when it likes, and is dropped, too.
dropped() {
	local desc=$1 reason=$2 before

	before=$(drops h1 "$reason" red)
	inject "${@:3}"
	check "$desc: $reason" retry 5 has_dropped "$reason" $((before + 1))
	is "$desc: once" "$(drops h1 "$reason" red)" $((before + 1))
}
has_dropped() { [ "$(drops h1 "$1" red)" -ge "$2" ]; } # REASON COUNT
mac=$(ip -n red-web -j link show eth0 | gojq -r '.[0].address')
for dst in ff:ff:ff:ff:ff:ff 01:00:5e:00:00:01 33:33:00:00:00:01; do
	for to in 4 3; do
		dropped "to $dst, for 10.0.0.$to" group_unicast red-web eth0 \
			eth src="$mac" dst=$dst / ip src=10.0.0.1 \
			dst=10.0.0.$to / udp dport=9 / text HIDDEN
		dropped "to $dst, for fd00::$to" group_unicast red-web eth0 \
			eth src="$mac" dst=$dst / ip6 src=fd00::1 \
			dst=fd00::$to / udp dport=9 / text HIDDEN
	done
done

# ---- to all, by a rule `to any` ---------------------------------------------------------------

app=$(ip -n red-app -j link show eth0 | gojq -r '.[0].address')
there=$(drops h2 policy_denied red)
for to in ff:ff:ff:ff:ff:ff/255.255.255.255 ff:ff:ff:ff:ff:ff/10.0.0.255 \
	01:00:5e:00:00:01/224.0.0.1; do
	dropped "to ${to#*/}: not to whom a rule denies it" policy_denied red-web eth0 \
		eth src="$mac" dst=${to%/*} / ip src=10.0.0.1 dst=${to#*/} / udp dport=9 / text HIDDEN
done
sql6=33:33:ff:00:00:04/ff02::1:ff00:4
dropped "to the solicited-node address: likewise" policy_denied red-web eth0 \
	eth src="$mac" dst=${sql6%/*} / ip6 src=fd00::1 dst=${sql6#*/} / udp dport=9 / text HIDDEN
has_dropped_there() { [ "$(drops h2 policy_denied red)" -ge $((there + 4)) ]; }
check "nor on the other host" retry 5 has_dropped_there
capture bcast red-sql eth0 udp port 9
inject red-app eth0 eth src="$app" dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.2 dst=10.0.0.255 / \
	udp dport=9 / text DIRECTED
check "who is in no group reaches all" capture_has bcast 1
check "there, too" retry 5 has_got red-db 1
is "no kernel took another, here" "$(got red-sql)" 1
is "nor there" "$(got red-db)" 1

# ---- what is no answer, no ICMP, not of the packet -------------------------------------------

sw_all policy del red all
sw_all policy del red no-db
sw_all policy add red ping from group web to group db proto icmp
sql=$(ip -n red-sql -j link show eth0 | gojq -r '.[0].address')
check "who may ask is answered" reach red-web 10.0.0.4
quiet
inject red-web eth0 eth src="$mac" dst="$sql" / ip src=10.0.0.1 dst=10.0.0.4 / \
	icmp type=8 id=77 seq=1
for type in 8 5 13 14 9 10; do
	dropped "ICMP of type $type is no answer" policy_denied red-sql eth0 eth src="$sql" \
		dst="$mac" / ip src=10.0.0.4 dst=10.0.0.1 / icmp type=$type id=77 seq=1
done
dropped "neighbour discovery within IPv4" policy_denied red-sql eth0 \
	eth src="$sql" dst="$mac" / ip src=10.0.0.4 dst=10.0.0.1 proto=58 / hex 8700000000000000
finish
