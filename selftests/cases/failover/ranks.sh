#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Ranked hosts of a gateway, and zones of hosts: the words, and files. Each ranked host is ready to
# serve. Hosts that disagree about who serves lose and double nothing.
#
#   red-a 10.0.0.1 ── h1 ╮                    ╭ up0 203.0.113.1
#   red-b 10.0.0.2 ── h2 ├ underlay     h1-h3 ┤ up0 203.0.113.2   out 203.0.113.9
#   red-c 10.0.0.3 ── h3 ╯                    ╰ up0 203.0.113.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_failover.sh"

three_outside

fails() { refuses "${*:4}: $2" "$1" "$2" sw "${@:3}"; } # STATUS TEXT HOST WORD...

# ---- words -------------------------------------------------------------------------------
IP="ip $GATEWAY4/24 ip $GATEWAY6/64"
fails 2 'host "h1" is given twice' h1 gateway add red $IP host h1 host h1
fails 2 'host "h2" is given twice' h1 gateway add red $IP host h1 host h2 host h2
fails 2 'host none takes no backups' h1 gateway add red $IP host none host h2
fails 2 'host none takes no backups' h1 gateway add red $IP host h1 host none
fails 2 'one host too many' h1 gateway add red $IP host h1 host h2 host h3 host h4 host h5
fails 1 'there is no host "nobody"' h1 gateway add red $IP host h1 host nobody
fails 2 '"backup" needs "host"' h1 gateway add red $IP backup h2
is "what is refused changes nothing" "$(sw h1 -j gateway show)" '[]'
for host in h1 h2 h3; do
	sw $host gateway add red $IP host h1 host h2
done
is "the first serves, the others are told in order" \
	"$(shown h3 '.[0] | [.host, .hosts, .local, .flip]')" '["h1",["h1","h2"],false,null]'
check "who is ranked has a door" ip -n h2 link show tsw-gw
check_fails "who is not has none" ip -n h3 link show tsw-gw
sw h3 host add spare ip 192.0.2.99
sw h3 gateway set red host h1 host spare
fails 1 'ranked to serve the gateway of tenant "red"' h3 host del spare
sw h3 gateway set red host h1 host h2 host h3
is "set gives the whole list" "$(shown h3 '.[0] | [.host, .hosts]')" '["h1",["h1","h2","h3"]]'
sw h3 host del spare
sw h3 gateway set red host h1
is "one host is as before ranks" "$(shown h3 '.[0] | [.host, .hosts]')" '["h1",null]'
sw h3 gateway set red host h1 backup h2
is "backup is the same word" "$(shown h3 '.[0].hosts')" '["h1","h2"]'

# ---- zones -------------------------------------------------------------------------------
addr2=$(sw h1 -j host show h2 | gojq -r '.[0].ip')
sw h1 host set h2 zone left
is "a host has a zone" "$(sw h1 -j host show h2 | gojq -c '.[0] | [.zone, .ip]')" "[\"left\",\"$addr2\"]"
sw h1 switch set zone right
is "so has this host" "$(sw h1 -j switch show | gojq -r .zone)" right
fails 2 'nothing to set' h1 host set h2
fails 2 'cannot be a name' h1 host set h2 zone a/b

# ---- files -------------------------------------------------------------------------------
sw h1 save >$WORK/h1.json
is "a file has ranks and zones" "$(gojq -c '[(.hosts | map(.zone)), .tenants[0].gateway.host,
	.tenants[0].gateway.backup]' $WORK/h1.json)" '[["right","left",null],"h1",["h2"]]'
is "apply finds nothing to do" "$(sw h1 diff $WORK/h1.json)" ""
sw h1 host set h2 zone none
sw h1 switch set zone none
sw h1 gateway set red host h2
is "diff tells" "$({ sw h1 -j diff $WORK/h1.json || true; } | gojq -c 'map(.object) | sort')" \
	'["gateway","host","switch"]'
sw h1 apply $WORK/h1.json
is "apply makes it so" "$(sw h1 diff $WORK/h1.json)" ""
for wrong in '["h9"]' '["h1"]' '["none"]' '["h2","h2"]' '["h2","h3","h2","h3"]' '"h2"' '[1]'; do
	gojq ".tenants[0].gateway.backup = $wrong" $WORK/h1.json >$WORK/wrong.json
	check_fails "a file with backup $wrong is refused" sw h1 apply $WORK/wrong.json
done
is "and has changed nothing" "$(sw h1 diff $WORK/h1.json)" ""

# ---- a backup is ready ---------------------------------------------------------------------
check "the first serves" retry 5 test "$(leaves_by red-c)" = h1
is "h2 is whole" "$(sw h2 -j switch check | gojq -c .ok)" true
sw h3 gateway set red host h2 host h1
is "h3 says h2, which says h1: h2 serves it" "$(leaves_by red-c)" h2
is "h1's own goes by h1" "$(leaves_by red-a)" h1
is "h2's own goes by h1" "$(leaves_by red-b)" h1
sw h1 gateway set red host h2 host h1
is "h1 says h2, h2 says h1: h2's goes by h1" "$(leaves_by red-b)" h1
is "and h1's by h2" "$(leaves_by red-a)" h2
for host in h1 h3; do sw $host gateway set red host h1 host h2; done

# ---- a published port is at each, and its answers go back by that one ---------------------------
echo by both >$WORK/page
for n in 1 2 3; do
	for host in h1 h2 h3; do
		sw $host publish add red proto tcp port 8$n to 10.0.0.$n:8080
	done
	bg red-$(tr 123 abc <<<$n) "$PY" -m http.server 8080 --bind 10.0.0.$n --directory $WORK
done
at_each() { # DESC
	for n in 1 2; do
		for m in 1 2 3; do
			check "$1: a container of h$m is published at h$n" retry 10 printed \
				"by both" on out curl -s -m 3 http://203.0.113.$n:8$m/page
		done
	done
}
at_each "h1 serves"
for host in h2 h3 h1; do sw $host gateway set red host h2 host h1; done
at_each "h2 serves"
for host in h1 h3 h2; do sw $host gateway set red host h1 host h2 drain 60; done
at_each "h1 serves, h2 drains"

for host in h1 h2 h3; do
	is "$host is whole" "$(sw $host -j switch check | gojq -c .ok)" true
done
finish
