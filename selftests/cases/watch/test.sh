#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `test` measures the way to each host and tries two endpoints; `sysdump` writes a tar.
#
#   h1 ══ wire ══ h2, a bridge with a firewall
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"

topo_hosts h1 h2 wire2
HOSTS=(h1 h2)
switch_up
sw_all tenant add red id 100 net 10.0.0.0/24

# ---- test ----------------------------------------------------------------------------

# rows: without durations. left: what a test could leave behind.
rows() { sw h1 test "$@" | sed -E 's/ in [0-9]+ us//'; }
left() {
	sw h1 save
	ip -n h1 -br link | sed 's/ .*//' && map_dump h1 probes
}
before=$(left)
is 'each host, and two endpoints here' "$(rows)" 'OK    host h2: it answers by vxlan gre geneve
OK    mtu h2: the underlay carries packets of 1500 octets, there and back; endpoints may use 1450
OK    endpoints: IPv4 packets of 64 octets pass, there and back
OK    endpoints: IPv4 packets of 1450 octets pass, there and back
OK    endpoints: IPv6 packets of 1450 octets pass, there and back
OK    guard: a packet from an address that is not the endpoint'"'"'s is dropped'
is 'nothing is left' "$(left)" "$before"
ip -n h2 link set eth0 mtu 1400
# A veth lets four octets more pass, for a VLAN's tag.
status=0
sw h1 test host h2 >$WORK/narrow || status=$?
is 'status 1' $status 1
is 'a narrower way is measured' "$(grep -A 1 '^FAIL' $WORK/narrow || true)" \
	'FAIL  mtu h2: packets of 1500 octets get lost in the underlay, there or back; the longest '\
'that pass have 1404, so endpoints may use 1354
      > tsw -n h1 host set h2 mtu 1404'
ip -n h2 link set eth0 mtu 1500

# blocked TO RULE: what `test` finds about h2 where the wire drops such packets to that host.
blocked() {
	on wire nft "table bridge t { chain c {
		type filter hook forward priority 0; oifname $1 $2 drop; }; }"
	rows host h2 | grep -A 1 -E '^[A-Z]+ +(encap|host|mtu) h2' | grep -vE '^(OK|--)' || true
	on wire nft delete table bridge t
}
gre='ip protocol gre' vxlan='udp dport 4789' geneve='udp dport 6081'
is 'two that nobody uses' "$(blocked h2 "$gre drop; oifname h2 $geneve")" \
	'WARN  encap h2: it answers, but not by gre or geneve, which no tenant here uses'
sw_all tenant add blue id 102 encap geneve
sw h1 tenant add green id 101 encap gre
does='it answers, but not by' tenants=', which tenants here use: something between drops'
for to in h2 h1; do # there; the answers' way back
	is "Geneve, which a tenant uses, is dropped to $to" "$(blocked $to "$geneve")" \
		"FAIL  encap h2: $does geneve$tenants UDP port 6081, or its tsw is older
      > tsw -n h1 tenant set blue encap vxlan|gre"
done
is 'long packets by Geneve' "$(blocked h1 "$geneve meta length > 1400")" \
	'FAIL  mtu h2: packets of 1500 octets pass by vxlan, but not by geneve
      > tsw -n h1 tenant set blue encap vxlan|gre'
is 'Geneve alone passes' "$(blocked h2 "$gre drop; oifname h2 $vxlan")" \
	"FAIL  encap h2: $does vxlan$tenants UDP port 4789
      > tsw -n h1 tenant set red encap geneve
FAIL  encap h2: $does gre$tenants IP protocol 47
      > tsw -n h1 tenant set green encap geneve"
is 'none passes' "$(blocked h1 "$gre drop; oifname h1 udp dport { 4789, 6081 }" | cut -d: -f1)" \
	'FAIL  host h2
      > tsw switch show; tsw host show (on h2), or tsw -n h1 host set h2 ip IP'
sw h1 tenant del green
sw_all tenant del blue
refuses 'test of an unknown host' 1 'there is no host "h9"' sw h1 test host h9
refuses 'test without a name' 2 '"host" needs a value' sw h1 test host
refuses 'a dry run of it' 2 'test has no dry run' sw h1 --dry-run test
refuses 'test of a bad name' 2 'h/9' sw h1 test host h/9

# Killed at each STEP-th call that can change anything, it leaves at most what gc or the next test
# removes.
wrong=() step=$([ "${TSW_ALL:-}" ] && echo 9 || echo 99) leftovers=0
clean() { [ "$(js h1 tenant show 'map(.name) | join(",")')" = red ] && sw h1 switch check; }
for ((n = 1; ; n += step)); do
	killed $n test host h2 || break
	leftovers=$((leftovers + $(js h1 tenant show 'map(select(.name == "tsw test")) | length')))
	if [ $((n / step % 2)) = 0 ]; then
		tried "gc after call $n, $AT" sw h1 switch gc
	else
		tried "test after call $n, $AT" sw h1 test host h2
	fi
	tried "after call $n, $AT" retry 3 clean
done
is "killed $KILLS times, removed each time" "${wrong[*]}" ''
check 'some of them left the tenant' test $leftovers -gt 0
same() { [ "$(left)" = "$before" ]; }
retry 5 same || true
is 'nothing is left of them' "$(left)" "$before"
refuses "a user's own tenant cannot have that name" 2 'tsw test' sw h1 tenant add 'tsw test' id 7

# ---- sysdump -------------------------------------------------------------------------

dump=$WORK/dump.tar
sw h1 sysdump $dump 2>/dev/null
check 'sysdump: a tar for root alone' test "$(stat -c %a $dump)" = 600
tar -C $WORK -xf $dump
cd $WORK/tsw-sysdump-*
is 'it has the state' "$(gojq -r '.tenants[0].name' tsw-save.json)" red
check 'and what doctor says' grep -q '^OK    kernel' tsw-doctor
check 'and the devices' grep -q tsw-vx ip-link
is 'no file is empty' "$(find . -size 0 | grep -vE 'router|nft|ip6|tsw-[a-z]*$' || true)" ''
cd /
secret=$(map_dump h1 config | gojq -r '.[0].value[8:24] | map(.[2:]) | join("")')
check_fails 'no secret of the switch is in it' grep -rqi "$secret" $WORK/tsw-sysdump-*
UNCHANGED="md5sum $dump"
refuses 'a file that exists is refused' 1 'exists already' sw h1 sysdump $dump
ln -s /etc/passwd $WORK/link
refuses 'and a link' 1 'exists already' sw h1 sysdump $WORK/link
UNCHANGED=:
refuses 'a directory that does not exist' 1 'cannot write' sw h1 sysdump $WORK/no/dump
refuses 'no file' 2 'the file is missing' sw h1 sysdump
mkdir $WORK/full
mount -t tmpfs -o size=64k tmpfs $WORK/full
refuses 'a disk that is full' 1 'tar could not write' sw h1 sysdump $WORK/full/dump
is 'nothing half-written is left' "$(ls -A $WORK/full)" ''
"$TSW" -n h1 sysdump $WORK/full/dump 2>/dev/null &
sleep 0.3
stop $! KILL
is 'nor of a killed one' "$(ls -A $WORK/full)" ''
umount $WORK/full

finish
