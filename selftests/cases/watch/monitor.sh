#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#    red-a 10.0.0.1 ┐                               ┌ red-c 10.0.0.3
#    red-b 10.0.0.2 ┤                               │
#                   ├ h1 192.0.2.1 ─── 192.0.2.2 h2 ┤
#   blue-a 10.0.0.1 ┤                               │
#   blue-b 10.0.0.2 ┘                               └ blue-c 10.0.0.3
#
# `monitor` prints each frame, decoded, to several watchers at once, and leaves nothing behind.
. "$(dirname "$0")/../../lib.sh"

. "$LIB/lib_watch.sh"

monitor() { watcher "${@:1:3}" monitor "${@:4}"; } # NAME HOST BITS [WORD...]
# told NAME FILTER: lines for which jq's FILTER is true.
told() { grep '^{' "$WORK/$1.log" | gojq -c "select($2)" | wc -l; }
tells() { [ "$(told "$1" "$2")" -ge "${3:-1}" ]; } # NAME FILTER [N]

topo_standard
ip -n red-a addr add 10.0.0.77/24 dev eth0
ip -n blue-a addr add 10.0.0.77/24 dev eth0
for ns in red-a blue-a; do # without ARP, which would be dropped before
	ip -n $ns neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev eth0
done
spoof() { on "$1" ping -c "${2:-1}" -i 0.01 -W 0.1 -I 10.0.0.77 10.0.0.2 >/dev/null || true; } # NS
is "nobody watches" "$(watched h1)" 00,00

# ---- what is told -----------------------------------------------------------------

monitor all h1 01,01
monitor red h1 01,03 tenant red drops
monitor far h2 01,01 tenant red
check "red reaches red" reach red-a 10.0.0.3
spoof red-a
spoof blue-a
check "a drop: whose, why, what" retry 5 tells all '.event == "drop" and .tenant == "red" and
	.endpoint == "a" and .direction == "from_endpoint" and .reason == "spoofed_ip" and
	.device == "red-a" and .src == "10.0.0.77" and .dst == "10.0.0.2" and .proto == "icmp" and
	.src_mac == "02:00:00:00:00:01" and .dst_mac == "02:00:00:00:00:02" and .length == 98 and
	(.time | test("^[0-9-]+T[0-9:]+\\.[0-9]{9}Z$"))'
check "the other tenant's, with the same addresses" retry 5 tells all '.event == "drop" and
	.tenant == "blue" and .endpoint == "a" and .device == "blue-a"'
check "sent to a host" retry 5 tells all '.event == "out" and .to == "host" and .host == "h2" and
	.endpoint == "a" and .device == "eth0" and .outer_dst == "192.0.2.2" and
	.dst == "10.0.0.3" and .type == "ipv4"'
check "and delivered there" retry 5 tells far '.event == "out" and .to == "endpoint" and
	.receiver == "c" and .direction == "from_tunnel" and .device == "red-c"'
check "answered" retry 5 tells all '.event == "out" and .to == "sender" and .type == "arp"'
on red-a ping -c 1 -b -W 0.1 10.0.0.255 >/dev/null 2>&1 || true
check "to all" retry 5 tells all '.event == "out" and .to == "all" and .dst == "10.0.0.255" and
	(has("device") | not)'
check "what is asked for: drops of one tenant" retry 5 tells red .reason
is "and nothing else" "$(told red '.tenant != "red" or .event != "drop"')" 0
is "one tenant on another host" "$(told far '.tenant != "red"')" 0

# A frame of the wire with outer headers, from nobody.
inject h2 eth0 eth src=02:ff:00:00:00:01 \
	dst="$(ip -n h1 -j link show dev eth0 | gojq -r '.[0].address')" \
	/ ip src=192.0.2.99 dst=192.0.2.1 / udp sport=50000 dport=4789 csum=0 / vxlan vni=100 \
	/ eth src=02:00:00:00:00:03 dst=02:00:00:00:00:01 \
	/ ip src=10.0.0.3 dst=10.0.0.1 / udp sport=1000 dport=80
check "a tunnel frame from a stranger, both headers" retry 5 tells all '.event == "drop" and
	.reason == "unknown_host" and .tenant == "red" and .outer_src == "192.0.2.99" and
	.sender == null and .src == "10.0.0.3" and .dport == 80 and .device == "eth0"'

# ---- as text ------------------------------------------------------------------------

(retry 5 is_watched h1 01,07 && spoof red-a) &
is "as text, and count" "$(sw h1 monitor drops tenant red count 1 |
	sed -E 's/^time [^ ]+ //; s/frame [0-9]+ //')" \
	"event drop tenant red endpoint a direction from_endpoint reason spoofed_ip device red-a \
src-mac 02:00:00:00:00:01 dst-mac 02:00:00:00:00:02 type ipv4 src 10.0.0.77 dst 10.0.0.2 \
proto icmp length 98"
wait $!

(retry 5 is_watched h1 01,07 && spoof red-a) &
sw h1 -j monitor drops tenant red >/dev/full 2>$WORK/err || true
wait $!
is "what cannot be written is told once" "$(grep -o 'cannot.*' $WORK/err)" \
	"cannot write the output: No space left on device"

# ---- renamed, ended, not too fast, not too many ----------------------------------------

sw h1 endpoint del b tenant blue
sw h1 endpoint add later tenant blue mac 02:00:00:00:00:02 ip 10.0.0.2 dev blue-b
ip -n blue-b addr add 10.0.0.78/24 dev eth0
ip -n blue-b neigh replace 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth0
ping_b() { on blue-b ping -c 1 -W 0.1 -I 10.0.0.78 10.0.0.1 >/dev/null || true; }
renamed() { ping_b && tells all '.endpoint == "later"'; }
check "a new name is known soon" retry 5 renamed
ends "ends well by SIGTERM" red TERM 0
ends "ends well by SIGINT" all INT 0
ends "so does the one on the other host" far INT 0
is "and nothing is on" "$(watched h1)" 00,00

dropped() { js h1 stats drops 'map(.packets) | add // 0'; }
monitor slow h1 00,01 drops rate 5
before=$(dropped)
on red-a ping -q -c 300 -i 0.001 -W 0.1 -I 10.0.0.77 10.0.0.2 >/dev/null || true
ends "one that is slow ends" slow INT 0
is "most is not told" "$(gojq -s 'map(select(.reason)) | length >= 5 and length < 60' \
	"$WORK/slow.log")" true
is "but counted: nothing is lost between the two" \
	"$(gojq -s 'map(.missed // 1) | add' "$WORK/slow.log")" $(($(dropped) - before))
monitor m1 h1 00,01 drops
monitor m2 h1 00,03 drops
monitor m3 h1 00,07 drops
monitor m4 h1 00,0f drops
is "one too many is told so" "$(timeout 5 "$TSW" -n h1 monitor 2>&1 || true)" \
	'tsw: monitor: 4 others already watch switch "h1"; end one of them'
spoof red-a
for name in m1 m2 m3 m4; do
	check "$name is told" retry 5 tells $name '.reason == "spoofed_ip"'
done
ends "one is killed" m2 KILL 137
off() { spoof red-a && is_watched h1 00,0d; }
check "the programs turn it off themselves" retry 5 off
for name in m1 m3 m4; do ends "$name ends well" $name INT 0; done

# ---- another tenant gets the id ---------------------------------------------------------

sw h1 tenant add short id 900
monitor short h1 00,01 drops tenant short
sw h1 tenant del short
sw h1 tenant add other id 900
status=0
wait "$(pid short)" || status=$?
is "the tenant is gone: so is who followed it" $status 1
check "and says so" grep -q 'tenant \\"short\\", which was followed, is gone' "$WORK/short.log"

# ---- refused ------------------------------------------------------------------------------

refused() { sw h1 "$@" 2>&1 || true; }
is "no such tenant" "$(refused monitor tenant green)" \
	'tsw: monitor tenant "green": there is no tenant "green"'
is "no such switch" "$(on h1 "$TSW" -i none monitor 2>&1 || true)" \
	'tsw: monitor: no switch "none" is up; start one with: tsw -i none switch up dev DEV'
is "not without the capability" "$(on h1 setpriv --bounding-set -perfmon,-sys_admin \
	--inh-caps -perfmon,-sys_admin timeout 5 "$TSW" -i h1 monitor 2>&1 || true)" \
	"tsw: monitor: seeing frames needs CAP_PERFMON: run as root, or with this capability"
check "not among changes" grep -q 'not available in a batch that changes the switch' \
	<(printf 'tenant set red mtu 1400\nmonitor\n' | timeout 5 "$TSW" -n h1 -b - 2>&1 || true)
is "none of them left anything on" "$(watched h1)" 00,00

# ---- another switch in its place, while nobody looks ---------------------------------------

monitor last h1 00,01 drops
kill -STOP "$(pid last)"
sw h1 switch down
sw h1 switch up dev eth0 local 192.0.2.1 name h1
sw h1 tenant add red id 100
sw h1 endpoint add anew tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a
kill -CONT "$(pid last)"
anew() { spoof red-a && tells last '.endpoint == "anew"'; }
told_so() { grep -q 'was replaced: watching the new one' "$WORK/last.log"; }
check "it is followed on" retry 5 told_so
check "and told of" retry 5 anew
ends "until it ends" last INT 0

# ---- the switch goes ------------------------------------------------------------------------

monitor last h1 00,01 drops
sw h1 switch down
status=0
wait "$(pid last)" || status=$?
is "the switch is gone: so is who followed it" $status 1
check "and says why" \
	grep -q '^{"error":".*the switch that was watched is gone","code":"ENOENT"}' "$WORK/last.log"
sw h1 switch up dev eth0 local 192.0.2.1 name h1
finish
