#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a ── h1 192.0.2.1 ══ 192.0.2.2 h2     the gateway moves from h1 to h2
#
# A command in a time namespace has another CLOCK_MONOTONIC than the programs. Still drains end in
# time, a watcher takes no slot of a live one, and events have the right time.
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
switch_up
tenants red 100
container red a h1 10.0.0.1/24
elsewhen=(unshare --time --monotonic 1000000 --fork --)
"${elsewhen[@]}" true 2>$WORK/err || {
	skip "a command in a time namespace" "$(<$WORK/err)"
	finish
	exit
}
kernel_now() { "$PY" -c 'import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC))'; }
for host in h1 h2; do
	there=$([ $host = h1 ] || echo "host h1")
	# shellcheck disable=SC2086 # two words or none
	sw $host gateway add red ip 10.0.0.254/24 $there
done

check "a gateway moves, by a command of another time" \
	"${elsewhen[@]}" "$TSW" -n h1 gateway set red host h2 drain 30
left() { # seconds until the drain is over
	map_dump h1 gateways | jq --argjson now "$(kernel_now)" \
		'(.[0].formatted.value.drain_until - $now) / 1000000000 | floor'
}
seconds=$(left)
check "its drain is over in 30 seconds, not in 11 days: $seconds" test \
	"$seconds" -gt 0 -a "$seconds" -le 30
is "gateway show there tells the same" "$("${elsewhen[@]}" "$TSW" -n h1 -j gateway show red |
	gojq '.[0].drain > 0 and .[0].drain <= 30')" true

# shellcheck disable=SC2016 # it knows jq, and not gojq
is_watched() { map_dump h1 watch | gojq -e --arg on "$1" '.[0].value[4] == $on'; } # BITS
bg h1 "$TSW" -i h1 -j monitor drops
OURS=$BG_LOG
retry 5 is_watched 0x01
bg h1 "${elsewhen[@]}" "$TSW" -i h1 -j monitor drops
THEIRS=$BG_LOG
check "two watchers have a slot each" retry 5 is_watched 0x03
inject red-a eth0 eth src=02:00:00:00:00:99 dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.9 / udp
for log in "$OURS" "$THEIRS"; do check "both are told" retry 5 grep -q spoofed_mac "$log"; done
told=$(gojq -rs '.[0].time' "$THEIRS")
case $told in *[!0-9.]*) told=$(date -d "$told" +%s) ;; esac
check "with the time of day: $told" test "${told%.*}" -gt $(($(date +%s) - 60)) -a \
	"${told%.*}" -le "$(date +%s)"
finish
