#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Counters are exact while every CPU counts at the same time.
#
#   red-a ─ local ──► red-b          each sender runs once on every CPU, all at once;
#   red-b ─ tunnel ═══════► red-c    what the switch counted must be what the kernel's own
#   red-s ─ spoofed MAC ─► dropped   counter of the sender's device says
#   blue-a ─ unknown MAC ► dropped
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

topo h1 red-a red-b red-s=4 blue-a h2 red-c
check "reachable" reach red-a 10.0.0.3
check "reachable" reach red-b 10.0.0.3
quiet h1 h2

EACH=${EACH:-20000} # frames a sender and CPU
SIZE=142            # octets of each: 14 + 20 + 8 + 100
came() { ip -n "$1" -s -j link show dev "$2" | gojq '.[0].stats64.rx.packets'; }

# Everything that is compared, a line each.
state() {
	local host

	for host in h1 h2; do
		sw $host -j stats show | jq -r --arg h $host '.[] | . as $t | to_entries[] |
			select(.value | type == "object") |
			"\($h).\($t.tenant).\(.key) \(.value.packets) \(.value.bytes)"'
		sw $host -j stats drops | jq -r --arg h $host \
			'.[] | "\($h).\(.tenant).\(.reason) \(.packets) \(.bytes)"'
		sw $host -s -j host show | jq -r --arg h $host '.[] |
			"\($h).host.tx \(.tx.packets) \(.tx.bytes)",
			"\($h).host.rx \(.rx.packets) \(.rx.bytes)"'
	done
	for dev in h1:red-a h1:red-b h1:red-s h1:blue-a red-c:eth0; do
		echo "dev.$dev $(came "${dev%:*}" "${dev#*:}") 0"
	done
}
# moved NAME: packets and octets since $WORK/before.
moved() {
	awk -v k="$1" 'FNR == NR { if ($1 == k) { p = $2; b = $3 } next }
		$1 == k { print $2 - p, $3 - b; found = 1 } END { if (!found) print 0, 0 }' \
		$WORK/before $WORK/after
}
moved_packets() { moved "$1" | cut -d' ' -f1; }
# expect NAME DEV: as many packets as the device had, all of the same size.
expect() {
	local n

	n=$(moved_packets "dev.$2")
	is "$1 is what came from $2 ($n)" "$(moved "$1")" "$n $((n * ${3:-SIZE}))"
}

state >$WORK/before
cpus=$(nproc)
send() { # NS DST [SRC]
	local cpu src=${3:-$(ip -n "$1" -j link show eth0 | gojq -r '.[0].address')}

	for ((cpu = 0; cpu < cpus; cpu++)); do
		inject "$1" eth0 -C $cpu -c "$EACH" eth src="$src" dst="$2" / ip \
			src="10.0.0.${src##*:0}" dst=10.0.0.9 / udp sport=$((cpu + 5000)) \
			/ pad 100 &
		PIDS+=($!)
	done
}
send red-a 02:00:00:00:00:02
send red-b 02:00:00:00:00:03
send red-s 02:00:00:00:00:01 02:00:00:00:00:07
send blue-a 02:00:00:00:00:0d
all_ended
quiet h1 h2
state >$WORK/after
for dev in red-a red-b red-s blue-a; do
	desc="$dev sent from more than one CPU"
	if [ "$cpus" = 1 ]; then
		skip "$desc" "there is one (TSW_VM_CPUS=2 gives an emulated machine two)"
	else
		check "$desc" test "$(moved_packets dev.h1:$dev)" -gt "$EACH"
	fi
done
expect h1.red.local h1:red-a
expect h1.red.tunnel_tx h1:red-b
expect h1.host.tx h1:red-b
expect h1.red.spoofed_mac h1:red-s
expect h1.blue.unknown_destination h1:blue-a
expect h2.red.tunnel_rx red-c:eth0
expect h2.host.rx red-c:eth0
is "nothing else moved" "$(for key in h1.red.unknown_destination h1.blue.local h1.blue.tunnel_tx \
	h1.red.tunnel_rx h2.red.wrong_host h2.red.tunnel_tx; do moved $key; done | sort -u)" "0 0"

# Super-frames are counted as the frames that they are on a wire, on both sides alike.
for wire in offload frames; do
	[ $wire = offload ] || for host in h1 h2; do
		on $host ethtool -K eth0 tso off gso off tx-udp-segmentation off gro on
	done
	quiet h1 h2
	state >$WORK/before
	check "$wire wire: TCP" xfer red-a red-c tcp 10.0.0.3 bytes=4000000
	check "$wire wire: UDP_SEGMENT" xfer red-a red-c udpgso 10.0.0.3 count=500
	quiet h1 h2
	state >$WORK/after
	is "$wire wire: what h1 sent is what h2 got" \
		"$(moved h2.red.tunnel_rx)" "$(moved h1.red.tunnel_tx)"
	is "$wire wire: and the other way" "$(moved h1.red.tunnel_rx)" "$(moved h2.red.tunnel_tx)"
	# 4000000 / 1398 and 500 frames at the least, each octet of content with headers.
	check "$wire wire: frames, not super-frames" \
		test "$(moved_packets h1.red.tunnel_tx)" -ge 3362
done
finish
