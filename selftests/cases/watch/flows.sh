#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_ipfix compares what is sent; packet_flows and packet_world_flows count
#
#   red-a  10.0.0.1 ─┐                      ┌─ red-c  10.0.0.3
#   red-b  10.0.0.2 ─┼─ h1 192.0.2.1 ══════ 192.0.2.2 h2 ◄── nfcapd
#   blue-a 10.0.0.1 ─┘                      └─ blue-c 10.0.0.3
#
# Accounts of flows for tenants with `flows on`: who talks to whom, and what a real collector,
# nfcapd of nfdump, reads.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"
. "$LIB/lib_gateway.sh"

topo h1 red-b blue-a h2 blue-c
populate v6 h1 red-a h2 red-c
check "reachable" reach red-a 10.0.0.3
check "reachable" reach red-a fd00::3
check "reachable" reach blue-a 10.0.0.3
serve red-c 7000

show() { sw "$1" -j flows "${@:2}"; } # HOST [WORD...]
# flow HOST FILTER: of the flows that the filter of jq selects, `packets bytes verdict`, one a line
flow() {
	show "$1" | jq -r ".[] | select($2) | \"\(.packets) \(.bytes) \(.verdict)\""
}
buckets() { map_dump "$1" flow_cache | gojq length; } # HOST: slow where there are many
# room HOST: how many its tables say there are
room() { map_dump "$1" flow_tables | gojq '[.[].formatted.value.buckets] | add // 0'; }
is "nobody asked, nothing is there" "$(show h1)$(buckets h1)$(room h1)" "[]00"
said=$(sw h1 flows tenant red 2>&1) && status=0 || status=$?
is "asked for by name, it is told" "$status: ${said#*red\": }" \
	'1: the flows of tenant "red" are not counted: tsw tenant set red flows on'
sw h1 tenant set red flows on
sw h2 tenant set red flows on
is "on is shown" "$(sw h1 -j tenant show | jq -c '[.[] | [.name, .flows]]')" \
	'[["blue",false],["red",true]]'
is "and saved" "$(sw h1 save | jq -c '[.tenants[] | [.name, .flows]]')" \
	'[["blue",null],["red",true]]'
is "its room is there" "$(room h1)" 2048

check "a question, and its answer" test "$(on red-a ping -c 3 -i 0.1 -s 100 10.0.0.3 |
	grep -c 'bytes from')" = 3
is "out, at the sender's host" "$(flow h1 '.src == "10.0.0.1" and .icmp_type == 8')" \
	"3 426 forwarded"
is "in, there as well" "$(flow h1 '.direction == "in" and .icmp_type == 0')" "3 426 forwarded"
is "the other host has them the other way round" \
	"$(flow h2 '.direction == "in" and .icmp_type == 8')" "3 426 forwarded"
is "with the names of both" "$(show h1 | jq -c '.[] | select(.icmp_type == 8) |
	[.tenant, .src_endpoint, .dst_endpoint, .proto]')" '["red","a","c","icmp"]'
on blue-a ping -c 2 -i 0.1 10.0.0.3 >/dev/null
is "the other tenant, who did not ask, has none" \
	"$(show h1 | jq -r '[.[].tenant] | unique | join(" ")')" red

check "and of IPv6" test "$(on red-a ping -c 2 -i 0.1 fd00::3 | grep -c 'bytes from')" = 2
is "the same" "$(flow h1 '.src == "fd00::1" and .icmp_type == 128')" "2 236 forwarded"
answers "TCP" red-a both 10.0.0.3 7000 "red-c 10.0.0.1"
is "its flags" "$(show h1 | jq -r '.[] | select(.proto == "tcp" and .direction == "out" and
	.dport == 7000) | .tcp_flags' | sort -u)" "FSPA"
ends="eth src=02:00:00:00:00:01 dst=02:00:00:00:00:02 / ip dst=10.0.0.2"
# shellcheck disable=SC2086
inject red-a eth0 $ends src=10.0.0.9 / udp sport=5 dport=6
check "what is dropped, and why" retry 2 test -n "$(flow h1 '.src == "10.0.0.9"')"
is "whose port it came by" "$(show h1 | jq -c '.[] | select(.src == "10.0.0.9") |
	[.src_endpoint, .dst_endpoint, .verdict, .sport, .dport]')" '["a","b","spoofed_ip",5,6]'
on red-a ping -c 2 -i 0.1 -s 1000 10.0.0.2 >/dev/null
is "on one host it is counted at the sender" \
	"$(flow h1 '.src == "10.0.0.1" and .dst == "10.0.0.2" and .proto == "icmp"')" \
	"2 2084 forwarded"
is "the most bytes first" "$(show h1 | jq -c 'map(.bytes) | . == (sort | reverse)')" true
is "top N" "$(show h1 top 2 | jq -c '[.[].bytes]')" "$(show h1 | jq -c '[.[].bytes][:2]')"
is "the verb can be said" "$(sw h1 -j flows show tenant red top 3 | jq length)" 3
a_to_c="red direction out src 10.0.0.1 src-endpoint a dst 10.0.0.3 dst-endpoint c"
check "in text" grep -q "^$a_to_c proto icmp " <<<"$(sw h1 flows tenant red)"

# ---- a collector ------------------------------------------------------------------

# collect NAME PORT: nfcapd listens on h2; what it heard is in $WORK/NAME when it has ended
collect() {
	mkdir "$WORK/$1"
	bg h2 nfcapd -w "$WORK/$1" -p "$2" -t 3600
	check "nfcapd listens" retry 5 listening "$2"
}
listening() { on h2 ss -Hlun "sport = $1" | grep -q .; }
# heard NAME: the collector's flows in the form of `told`. It must have ended: it writes its file
# then. nfdump has an ICMP's type and code as its ports.
heard() {
	nfdump -R "$WORK/$1" -o json | jq -r '.[] | [.direction, .src4_addr // .src6_addr,
		.dst4_addr // .dst6_addr, .proto, .src_port // .icmp_type, .dst_port // .icmp_code,
		.in_packets, .in_bytes, .ingress_vrf, .input_snmp + .output_snmp, .in_src_mac,
		.in_dst_mac] | join(" ")' | sort
}
# told HOST: what a collector is to hear, in octets of IP packets: 14 fewer for each frame
told() {
	show "$1" | jq -r --argjson ports "$(sw "$1" -j endpoint show | jq -c '
			[.[] | select(.ifindex) | {key: "\(.tenant)/\(.name)", value: .ifindex}] | from_entries')" '
		{"icmp": 1, "tcp": 6, "udp": 17, "icmpv6": 58} as $protos | .[] |
		[(if .direction == "out" then 0 else 1 end), .src, .dst, $protos[.proto],
		.sport // .icmp_type, .dport // .icmp_code, .packets, .bytes - 14 * .packets, 100,
		$ports["red/" + (if .direction == "out" then .src_endpoint else .dst_endpoint end)] // 0,
		.src_mac, .dst_mac] | join(" ")' | sort
}

collect once 9995
quiet h1
told h1 >$WORK/want
check "there is a bit of everything" test "$(wc -l <$WORK/want)" -ge 9
capture ipfix h2 eth0 udp port 9995
check "export, once" sw h1 flows export to 192.0.2.2:9995 tenant red domain 7
capture_has ipfix 1
stop $BG # here, because the subshell of heard is not its parent
is "a real collector has understood all of it" "$(heard once)" "$(<$WORK/want)"
check "no sequence error, no bad packet" grep -q 'Sequence Errors: 0, Bad Packets: 0' "$BG_LOG"
capture_stop ipfix
# Debian's nfdump does not keep the forwarding status.
verdicts() { tshark -r $WORK/ipfix.pcap -d udp.port==9995,cflow -T fields -e "$1" 2>/dev/null; }
is "another reader knows what was dropped, and why: RPF" \
	"$(verdicts cflow.forwarding_status_drop_code)" 12
is "and the observation domain" "$(verdicts cflow.od_id)" 7

# ---- on and on --------------------------------------------------------------------

collect again 9996
collector=$BG log=$BG_LOG
bg h1 "$TSW" -i h1 flows export to 192.0.2.2:9996 every 1
exporter=$BG
capture every h2 eth0 udp port 9996
on red-a ping -c 8 -i 0.3 -s 200 10.0.0.3 >/dev/null
capture_has every 3
kill -TERM $exporter
ends_well "a signal ends it"
capture_stop every
stop $collector
BG=$collector BG_LOG=$log
heard again >$WORK/sums
# Of each flow what was told at different times adds up.
is "what was told each time adds up" "$(awk '{
	k = $1 " " $2 " " $3 " " $4 " " $5 " " $6; p[k] += $7; b[k] += $8 }
	END { for (k in p) print k, p[k], b[k] }' $WORK/sums | sort)" \
	"$(told h1 | cut -d ' ' -f 1-8 | sort)"
check "in more than one message" test "$(captured every)" -ge 3
check "and a flow more than once" test "$(grep -c '^0 10.0.0.1 10.0.0.3 1 8 0 ' $WORK/sums)" -ge 2
check "no sequence error" grep -q 'Sequence Errors: 0, Bad Packets: 0' "$log"

before=$(told h1)

# ---- what is wrong ----------------------------------------------------------------

says() { # DESC WANT WORD...
	local out

	out=$(sw h1 "${@:3}" 2>&1) && out="succeeded: $out"
	case $out in *"$2"*) ok "$1" ;; *) is "$1" "$out" "*$2*" ;; esac
}
says "nobody listens" "cannot send to 192.0.2.2:9: Connection refused" flows export to 192.0.2.2:9
says "no port" '"192.0.2.2"' flows export to 192.0.2.2
says "no such tenant" 'there is no tenant "nosuch"' flows tenant nosuch
says "one who did not ask" 'the flows of tenant "blue" are not counted' \
	flows export to 192.0.2.2:9 tenant blue
sw h1 tenant add wide id 500 flows on flow-entries 262144
sw h1 tenant add half id 501 flows on flow-entries 200000
says "no room" "there is room for 62144 more flows, and the tenant needs 65536: set flow-entries" \
	tenant set red flow-entries 65536
is "nothing has changed" "$(room h1) $(told h1)" "$((2048 + 262144 / 8 + 200000 / 8)) $before"
for name in wide half; do sw h1 tenant del $name; done
is "their room is free" "$(room h1)" 2048
check "all in order" sw h1 switch check

# ---- its life ---------------------------------------------------------------------

sw h1 -q -f switch upgrade
is "an upgrade keeps what was counted" "$(told h1)" "$before"
sw h1 tenant set red flow-entries 64
is "another size: another table" "$(buckets h1) $(show h1 | jq length)" "8 0"
asked() { sw h1 -j tenant show red | jq -c '.[0] | [.flows, .flow_entries]'; }
is "which is told" "$(asked)" "[true,64]"
for port in {2001..2200}; do echo "$ends src=10.0.0.1 / udp sport=$port dport=9"; done >$WORK/frames
inject red-a eth0 - <$WORK/frames
metric() { sw h1 metrics | sed -n "s/^$1{.*tenant=\"red\"} //p"; } # NAME
more_evicted() { [ "$(metric tsw_flow_evicted_total)" -ge 130 ]; }
check "a full table evicts, and tells" retry 3 more_evicted
check "and holds as many as it may" test "$(show h1 | jq length)" -le 64
is "metrics tell how full" "$(metric tsw_flow_entries)" "$(show h1 | jq length)"
sw h1 save >$WORK/saved
sw h1 tenant set red flows off flow-entries none
is "off: all is gone" "$(buckets h1) $(show h1) $(map_dump h1 flow_tables)" "0 [] []"
check "and reached as before" reach red-a 10.0.0.3
is "nothing is counted" "$(show h1)" "[]"
check_fails "a state file knows of it" sw h1 diff $WORK/saved
sw h1 -q apply $WORK/saved >/dev/null
is "and brings it back" "$(asked)$(buckets h1)" "[true,64]8"
check "all in order" sw h1 switch check
bpftool map delete pinned "$(map_pin h1 flow_cache)" key hex 64 00 00 00 03 00 00 00
check "check misses a bucket" grep -q '"flow_entry"' <<<"$(sw h1 -j switch check || true)"
check "repair puts it back" sw h1 -q switch repair
is "it is there" "$(buckets h1)" 8
sw h1 tenant del red force on
is "a tenant takes its table along" "$(buckets h1) $(map_dump h1 flow_tables)" "0 []"
finish
