#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Members tell each other the MTU of their underlay. So a sender's port answers packets that the
# receiver's underlay cannot take: at first, when a device changes, and beside an address that an
# operator wrote.
#
#   h1 9000 ── h2 1500 ── h3 9000      etcd: see lib_cluster.sh
#    red-a .1   red-c .3   red-e .5
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_wire.sh"

UNDERLAY_MTU=9000
cluster_hosts h1 h2 h3
sets() { ip -n "$1" link set eth0 mtu "$2"; } # HOST MTU
sets h2 1500
for host in h1 h2 h3; do
	sw $host switch up dev eth0 name $host
	undo sw $host switch down
done
cluster_join h1 h2 h3
tenant red
lives red "a@h1 c@h2 e@h3"
for at in a@h1 c@h2 e@h3; do # they believe in what 9000 leaves
	ip -n "red-${at%@*}" link set eth0 mtu 8950
	ip -n "${at#*@}" link set "red-${at%@*}" mtu 8950
done
agent h1 h2 h3

recorded() { sw h1 -c -j host show | gojq -c 'map(.mtu)'; }
known() { sw "$1" -j host show "$2" | gojq -c '.[0].mtu'; } # HOST OTHER
shown() { sw h1 -j cluster show | gojq -c '.hosts | map(.mtu)'; }
warned() { { sw "$1" -j switch check || true; } | gojq -c '.warnings | map(select(
	.what == "host_mtu_unequal").object)'; }
logged() { grep -c 'its underlay has MTU 1500, and this host.s 9000' "${AGENT_LOG[$1]}" || true; }
drops() { all_drops "$1" | grep -c too_big || true; }

check "all are in step" in_step h1
comes "each tells its MTU" "[9000,1500,9000]" recorded
is "but not in its record, which 0.2.0 would refuse" "$(
	store read "$CLUSTER/host/" | grep mtu || true)" ""
comes "h1 knows h2's" 1500 known h1 h2
comes "h3, too" 1500 known h3 h2
comes "and h2 those of the others" 9000 known h2 h1
is "cluster show has them" "$(shown)" "[9000,1500,9000]"
is "check on h1 names h2" "$(warned h1)" '["h2"]'
is "check on h2 has nothing to say" "$(warned h2)" '[]'
is "the agent says it once" "$(logged h1) $(logged h2) $(logged h3)" "1 0 1"
check "from 9000 to 1500 the sender is told" learns 10.0.0.3 2972 1450
is "which is counted" "$(drops h1)" 1
check "from 9000 to 9000 it passes" ping_df 2972 10.0.0.5

capture heard red-e eth0 icmp
on red-a ping -n -b -c 1 -W 1 -M dont -s 2972 10.0.0.255 >/dev/null 2>&1 || true
check "a broadcast reaches the host of 9000" capture_has heard 1 greater 3000
capture_stop heard
is "and is counted for the other" "$(all_drops h1 | grep too_big)" "red too_big from_endpoint 2"

# ---- a device changes ------------------------------------------------------------------------
sets h2 9000
comes "h2's device takes more" "[9000,9000,9000]" recorded
comes "h1 follows" 9000 known h1 h2
is "nothing is unequal" "$(warned h1)" '[]'
forget_paths red-a
check "and it passes" ping_df 2972 10.0.0.3
sets h2 1400
comes "h2's device takes less" 1400 known h1 h2
check "the sender is told" learns 10.0.0.3 2972 1350

# ---- forged claims ----------------------------------------------------------------------------
# By the claim on its own address h3 names another host: its role lets it. No MTU that no underlay
# has is believed, of whomever it is told, nor is a record that has one.
value() { store read "$1" | awk 'NR == 1 { print $2 }'; } # KEY
h3_claim=$(value "$CLUSTER/vtep/192.0.2.3")
claims() { store put "$CLUSTER/vtep/192.0.2.3" "{\"owner\":\"$1\",\"own\":true,\"mtu\":$2}"; }
is_known() { is "$1" "$(recorded) $(known h1 h2)" "${2:-[9000,1400,9000]} 1400"; }
check "h3 tells 576 for h2" claims h2 576
comes "it counts for nobody" "[9000,1400,null]" recorded
is_known "nor for h2" "[9000,1400,null]"
for mtu in 0 68 575 65536 4294968576 -1500 '"1500"'; do
	check "h3 tells $mtu for itself" claims h3 "$mtu"
	is_known "$mtu is no MTU" "[9000,1400,null]"
done
store put "$CLUSTER/vtep/192.0.2.3" "$h3_claim"
comes "the true one counts again" "[9000,1400,9000]" recorded
h2_record=$(value "$CLUSTER/host/h2")
for mtu in 68 4294968576 '"1500"'; do
	store put "$CLUSTER/host/h2" "${h2_record/\{/\{\"mtu\":$mtu,}"
	is "a record with $mtu is refused" "$(recorded) $(known h1 h2)" "[9000,9000] 1400"
done
store put "$CLUSTER/host/h2" "$h2_record"
is_known "its record is back"
check "and the sender is still told h2's own" learns 10.0.0.3 2972 1350

# ---- words of an operator ---------------------------------------------------------------------
check "an operator writes another MTU" sw h1 -c host set h2 mtu 1300
comes "which counts" 1300 known h1 h2
sets h2 1500
check "also when the device changes" in_step h1
is "it stays" "$(known h1 h2)" 1300
check "until it is taken back" sw h1 -c host set h2 mtu none
comes "then the host's own counts" 1500 known h1 h2
check "an operator writes another address" sw h1 -c host set h2 ip 198.51.100.9
sets h2 1600
comes "beside it the MTU follows" "[9000,1600,9000]" recorded
sleep 1.5
address() { sw h1 -c -j host show h2 | gojq -c '.[0].ips'; }
is "and the address stays" "$(address)" '["198.51.100.9"]'
check "until it joins again" sw h2 cluster join etcd "$(urls "$STORE")" name campus
comes "by its own word" '["192.0.2.2"]' address
is "with its MTU" "$(recorded)" "[9000,1600,9000]"
check "a host without an agent" sw h1 -c host add h9 ip 192.0.2.99 mtu 1500
comes "is known likewise" 1500 known h1 h9
sw h1 -c save >$WORK/saved
check "a file has all of it" sw h1 -c diff $WORK/saved
is "that an operator wrote" "$(gojq -c '[.hosts[].mtu]' $WORK/saved)" "[null,null,null,1500]"
refuses "a wrong MTU" 2 '"65536"' sw h1 -c host set h9 mtu 65536
check "it is taken back" sw h1 -c host set h9 mtu none
comes "there, too" null known h1 h9
finish
