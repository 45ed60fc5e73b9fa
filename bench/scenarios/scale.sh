#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: A thousand to a million endpoints: filling, one more, memory, what a frame costs
# Quick: no
#
#   red-a 10.0.0.1 ── h1 192.0.2.1 ─── 192.0.2.2 h2: all other endpoints, in tenants of 1,000
#
# The frames go to endpoints far apart, so that a look-up finds its entry in no cache.
. "$(dirname "$0")/../lib.sh"

SIZES=(1000 10000 100000 1000000)
[ -z "$QUICK" ] || SIZES=(1000 100000)
MOST=${SIZES[${#SIZES[@]} - 1]}
PROGRUN=${TSW%/*}/bench_progrun

scenario scale 'Scale'
topo_hosts h1 h2
UP_ARGS="max-endpoints $((2 * MOST)) max-tenants $((MOST / 500))" switch_up
tenants red 16000000
container red a h1 10.0.0.1/24
ip -n h1 link add new type veth peer name newp
ip -n h1 link set new up

# Endpoint I of tenant I / 1000: 10.1.X.Y of the 1,000 there, and red's, to which frames can go.
lines() { # FROM TO
	awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i < to; i++) {
		if (i % 1000 == 0)
			printf "tenant add t%d id %d\n", i / 1000, i / 1000 + 1000
		a = int(i / 65536); b = int(i / 256) % 256; c = i % 256
		printf "endpoint add e%d tenant %s ", i, i % 100 ? "t" int(i / 1000) : "red"
		printf "mac 02:01:00:%02x:%02x:%02x ip 10.%d.%d.%d host h2\n", a, b, c, a + 1, b, c
	} }'
}

used() { # MiB of memory that is not available
	awk '/^MemTotal/ { all = $2 } /^MemAvailable/ { print (all - $2) / 1024 }' /proc/meminfo
}

fill() { # FROM TO: seconds
	local begin end

	lines "$1" "$2" >$WORK/lines
	begin=${EPOCHREALTIME/./}
	sw h1 -b $WORK/lines
	end=${EPOCHREALTIME/./}
	awk -v us=$((end - begin)) 'BEGIN { print us / 1e6 }'
}

one_more() { # PEER: milliseconds
	local begin end

	begin=${EPOCHREALTIME/./}
	sw h1 endpoint add more tenant red mac 02:00:00:00:00:99 ip 10.0.0.99 dev new
	end=${EPOCHREALTIME/./}
	sw h1 endpoint del more tenant red
	awk -v us=$((end - begin)) 'BEGIN { print us / 1e3 }'
}

frames() { # N: to so many of red's endpoints, each hundredth, or to all of them, as hex
	local i a b c mac ip step=$((X / $1 / 100 * 100))

	for ((i = 0; i < X; i += step ? step : 100)); do
		a=$((i >> 16)) b=$((i >> 8 & 255)) c=$((i & 255))
		printf -v mac '02:01:00:%02x:%02x:%02x' $a $b $c
		ip=10.$((a + 1)).$b.$c
		echo "eth src=02:00:00:00:00:01 dst=$mac / ip src=10.0.0.1 dst=$ip / icmp / pad 56"
	done | "$PY" "$TOOLS/inject.py" -p none -
}

# The frames turn by turn, 20 times: the median of medians of one run each.
per_frame() { # PEER: nanoseconds
	local pin

	pin=$(find /sys/fs/bpf/tsw/h1/progs -name tsw_from_port)
	for _ in {1..20}; do
		on h1 xargs "$PROGRUN" "$pin" red-a 1 <$WORK/frames
	done | jq -s 'map(.ns - .nothing) | sort | .[length / 2 | floor]'
}

each() { # FIGURE CMD...: samples for that figure
	FIGURE=$1
	"${@:2}"
}

# filled SIZE: all figures there.
filled() {
	local seconds had=$has

	X=$1 has=$1 ROUND=1
	progress "$SCENARIO: $X endpoints: filling"
	seconds=$(fill "$had" "$X")
	each fill sample tsw "$(awk -v n=$((X - had)) -v s="$seconds" 'BEGIN { print n / s }')" "$X"
	each memory sample tsw "$(awk -v a="$(used)" -v b="$empty" 'BEGIN { print a - b }')" "$X"
	each more rounds tsw -- one_more
	frames 50 >$WORK/frames
	each frame rounds tsw -- per_frame
}

figure fill 'Filling by one batch' 'endpoints/s' more tsw endpoints log
goal_value tsw 50000
figure more 'One more endpoint' ms less tsw endpoints log
goal_value tsw 5
figure memory 'Memory of the machine for all of them' MiB less tsw endpoints log
figure frame 'A frame out by VXLAN' ns less tsw endpoints log

has=0 empty=$(used)
for size in "${SIZES[@]}"; do
	filled "$size"
done
