#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   world 198.51.1.2 ── up1 ┐
#   red-web 10.0.0.1 ───────┤                   ┌─ red-db 10.0.0.3
#   red-app 10.0.0.2 ───────┼─ h1 192.0.2.1 ═══ 192.0.2.2 h2
#   blue-a  10.0.0.1 ───────┘                   └─ red-free 10.0.0.4, blue-c 10.0.0.3
#
# Three tiers, and the world in front of them: who reaches whom, as rules come and go under traffic.
# Each host enforces the rules by itself, also against forged frames.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo v6 h1 red-web=1 red-app=2 h2 red-db=3 red-free=4
tenants blue 200
populate h1 blue-a h2 blue-c
sysctl_in h1 net.ipv6.conf.{all,default}.disable_ipv6=0
uplink h1 world 1
sw h1 gateway add red ip 10.0.0.254/24 ip fd00::fe/64
sw h2 gateway add red ip 10.0.0.254/24 ip fd00::fe/64 host h1
for name in web app db free; do
	way_out red-$name 10.0.0.254 fd00::fe
	serve red-$name 8080 5432
done
serve world 7000
serve blue-c 5432

held red-web tcp 10.0.0.3 5432
from_before=$HELD
answers "no policy" red-web both 10.0.0.3 5432 "red-db 10.0.0.1"
sw_all group add red web app db
sw_all endpoint set web tenant red group web
sw_all endpoint set app tenant red group app
sw_all endpoint set db tenant red group db
sw_all policy add red app-sql from group app to group db proto tcp port 5432
sw_all policy add red web-app from group web to group app proto tcp port 8080-8081
answers "rules, but off" red-web both 10.0.0.3 5432 "red-db 10.0.0.1"
watched() { map_dump h1 watch | gojq -e '.[0].value[4] != "0x00"'; }
bg h1 "$TSW" -i h1 -j monitor drops tenant red
log=$BG_LOG
retry 5 watched >/dev/null
told() { [ "$(grep -c "$1" "$log")" -ge 1 ]; } # PATTERN
sw_all tenant set red policy audit
answers "audit" red-web both 10.0.0.3 5432 "red-db 10.0.0.1"
check "would have been dropped" test "$(sw h1 -j stats policy tenant red |
	jq '[.[] | select(.name == null).packets] | add')" -gt 0
is "and nothing was dropped" "$(drops h1 policy_denied red)" 0

check "monitor tells, too" retry 5 told '"verdict": *"audited", *"rule": *null'

sw_all tenant set red policy on
check "what no rule allows has ended" ended
kill $from_before 2>/dev/null || true
answers "app to db" red-app tcp 10.0.0.3 5432 "red-db 10.0.0.2"
answers "app to db, IPv6" red-app tcp fd00::3 5432 "red-db fd00::2"
answers "web to app, on one host" red-web tcp 10.0.0.2 8080 "red-app 10.0.0.1"
silent "app to db by UDP" red-app udp 10.0.0.3 5432
silent "app to db at another port" red-app tcp 10.0.0.3 8080
silent "web to db" red-web both 10.0.0.3 5432
silent "db to app" red-db both 10.0.0.2 8080
silent "who is in no group" red-free both 10.0.0.3 5432
silent "to who is in none" red-web both 10.0.0.4 8080
silent "to the world" red-web both 198.51.1.2 7000
answers "to the world, of no group" red-free both 198.51.1.2 7000 "world 198.51.1.1"
answers "another tenant" blue-a both 10.0.0.3 5432 "blue-c 10.0.0.1"
check "the gateway answers" reach red-web 10.0.0.254
check_fails "no ping" no_reach red-free 10.0.0.254
check "nobody pings" no_reach red-web 10.0.0.2
sw_all policy add red ping from any to any proto icmp
check "all ping" reach red-web 10.0.0.2
check "between hosts, IPv6" reach red-web fd00::3

# To the world, and from it.
sw_all policy add red out from group web to cidr 198.51.1.0/24 proto tcp port 7000
answers "to a CIDR" red-web tcp 198.51.1.2 7000 "world 198.51.1.1"
sw_all policy add red out6 from group web to cidr fd51:1::/64
answers "to one of IPv6" red-web both fd51:1::2 7000 "world fd51:1::1"
sw h1 publish add red proto tcp port 80 to 10.0.0.1:8080
silent "published, but no rule" world tcp 198.51.1.1 80
sw_all policy add red in from cidr 198.51.1.2/32 to group web proto tcp port 8080
answers "published" world tcp 198.51.1.1 80 "red-web 198.51.1.2"
sw_all policy add red not-you from cidr 198.51.0.0/16 to any action deny priority 2000
silent "a wider one denies, with priority" world tcp 198.51.1.1 80
names_it() { # names are read anew every two seconds
	ask world tcp 198.51.1.1 80 wait=0.5 >/dev/null
	told '"reason": *"policy_denied", *"rule": *"not-you"'
}
check "monitor names it" retry 5 names_it
sw_all policy del red not-you
answers "and is gone" world tcp 198.51.1.1 80 "red-web 198.51.1.2"

# A rule, or a group, that goes ends what it had let begin, and what comes back goes on.
sw_all policy set red app-sql log on
held red-app tcp 10.0.0.3 5432
check "it goes on" goes_on
check "monitor tells of it" retry 5 told '"verdict": *"allowed", *"rule": *"app-sql"'
is "but once" "$(grep -c '"verdict": *"allowed"' "$log")" 1
sw_all policy set red app-sql priority 5
check "it goes on behind a change" goes_on
sw h2 policy del red app-sql
check "the receiver's host alone ends it" ended
sw h2 policy add red app-sql from group app to group db proto tcp port 5432
held red-app tcp 10.0.0.3 5432
check "it goes on" goes_on
sw h1 endpoint set app tenant red group none
check "so does the sender's, by its group" ended
sw h1 endpoint set app tenant red group app

# Under load no frame arrives any more once the command has returned.
on red-db nft 'add table ip load; add counter ip load got;
	add chain ip load in { type filter hook prerouting priority -300; };
	add rule ip load in udp dport 5432 counter name got'
arrived() {
	on red-db nft -j list counter ip load got | gojq '.nftables[].counter.packets? // empty'
}
more() { [ "$(arrived)" -gt "$1" ]; }      # COUNT
denied() { [ "$(drops "$1" policy_denied red)" -gt "$2" ]; } # HOST COUNT
stops() { # HOST WORD...: a command of that host
	local host=$1 n

	check "the stream flows" retry 5 more "$(arrived)"
	sw "$@"
	n=$(arrived)
	check "$host: ${*:2}: the stream is denied" \
		retry 5 denied "$host" $(($(drops "$host" policy_denied red) + 1000))
	is "and none arrives" "$(arrived)" "$n"
}
sw_all policy add red load from group app to group db proto udp port 5432
bg red-app "$PY" -c 'import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:
    for i in range(20):
        s.sendto(b"load", ("10.0.0.3", 5432))
    time.sleep(0.002)'
stream=$BG
stops h1 endpoint set app tenant red group none
sw h1 endpoint set app tenant red group app
stops h2 endpoint set db tenant red group none
sw h2 endpoint set db tenant red group db
stops h1 policy del red load
sw h1 policy add red load from group app to group db proto udp port 5432
stops h2 policy set red load action deny
kill "$stream"
sw_all policy del red load

# Why? The explanation and the program agree, at both ends.
why() { # HOST FROM TO [WORD...]
	sw "$1" -j trace from "$2" to "$3" tenant red "${@:4}" 2>/dev/null | gojq -r '.[0] |
		[.verdict, .reason // "-", .agrees, (.steps[] | select(.at == "policy") |
			.key, .entry // "-")] | map(tostring) | join(" ")'
}
is "trace: a rule" "$(why h1 app db proto tcp port 5432)" "tunnel - true red app-sql allow"
is "where it arrives" "$(why h2 app db proto tcp port 5432)" "delivered - true red app-sql allow"
is "trace: none" "$(why h1 web db proto tcp port 5432)" "dropped policy_denied true red * -"
is "nor there" "$(why h2 web db proto tcp port 5432)" "dropped policy_denied true red * -"
is "to a CIDR" "$(why h1 web 198.51.1.2 proto tcp port 7000)" "gateway - true red out allow"

# An upgrade and a repair lose no connection.
held red-app tcp 10.0.0.3 5432
check "upgrade" sw h1 switch upgrade
check "repair" sw h2 switch repair
check "it goes on" goes_on
ends=$HELD
sw h1 tenant set red default deny
sw h2 tenant set red default deny
silent "by default" red-free both 198.51.1.2 7000
check "it goes on by its rule" goes_on
check "h1 is sound" sw h1 switch check
# A share that one connection uses up is told before it is full.
sw h1 tenant set red connections 1
warned() { sw h1 -j switch check | gojq -e '.warnings[] | select(.what == "nearly_full" and
	.object == "red" and (.detail | contains("open connections, and may follow 1")))' >/dev/null; }
check "its share is nearly used up" retry 5 warned
# Not grep -q, whose end would end the writer by SIGPIPE.
counted() { sw h1 metrics | grep -E '^tsw_policy_connections.*tenant="red"} [1-9]' >/dev/null; }
check "and counted" counted
is "another share forgets, and says so" "$(sw h1 tenant set red connections 1000 2>&1 |
	grep -c 'forgets the connections that its policy followed')" 1
check "it goes on" goes_on
# What is over is swept while that connection goes on.
buckets() { # but the spare one, which stays
	bpftool -j map dump pinned "$(map_pin h1 policy_conns)" |
		gojq '[.[] | select(.key[8:] != ["0xff", "0xff", "0xff", "0xff"])] | length'
}
over() { # `until` is 52 octets into each of a bucket's entries, which begin behind its lock
	local line

	bpftool -j map dump pinned "$(map_pin h1 policy_conns)" | gojq -r '.[] |
		[.key[], "value", (.value | to_entries[] |
			if .key >= 8 and (.key - 8) % 68 >= 52 and (.key - 8) % 68 < 56 then
			"0" else .value end)] | join(" ")' >$WORK/over
	while read -r line; do
		# shellcheck disable=SC2086 # octets, each a word
		bpftool map update pinned "$(map_pin h1 policy_conns)" key $line
	done <$WORK/over
}
# The sockets of connections that a rule ended send once more until they hear an answer. Now that
# the rule is back, such a packet is followed, too: in a bucket that the counts below do not expect.
open_sockets() { on red-app ss -Htn state connected exclude time-wait dport = :5432 | wc -l; }
only_held() { [ "$(open_sockets)" = 1 ]; }
check "connections that ended are quiet" retry 10 only_held
swept() { js h1 switch gc endpoints off "$@" '[.removed, .swept]'; }
for ((i = 0; i < 5; i++)); do ask red-web tcp 10.0.0.2 8080 >/dev/null; done
is "nothing is over" "$(swept)" "[[],0]"
n=$(buckets)
check "several connections" test "$n" -gt 2
over
check "dry-run tells what is over" test "$(swept dry-run on | gojq '.[1]')" -ge $((n - 2))
is "and takes nothing" "$(buckets)" "$n"
check "a sweep does" test "$(swept | gojq '.[1]')" -ge $((n - 2))
check "it goes on" goes_on
is "and is not swept" "$(swept) $(buckets)" "[[],0] 1"
check "it goes on" goes_on
check "h2 is sound" sw h2 switch check

# The root of a container forges an answer: from the port that a rule names, or SYN/ACK. And he asks
# for what was allowed, from the other end.
quiet
capture forged red-app eth0 src host 10.0.0.3
mac() { js h2 endpoint show "$1" tenant red .[0].mac; } # NAME
tcp() { # SPORT DPORT FLAGS
	inject red-db eth0 eth src="$(mac db)" dst="$(mac app)" / \
		ip src=10.0.0.3 dst=10.0.0.2 / tcp sport=$1 dport=$2 flags=$3
}
tcp 5432 8080 S
tcp 5432 8080 SA
tcp 5432 8080 A
tcp 5432 40000 R
capture_stop forged
is "nothing arrives" "$(captured forged src port 5432 and dst port 8080)" 0
check "h2 drops" test "$(drops h2 policy_denied red)" -ge 4
kill $ends
finish
