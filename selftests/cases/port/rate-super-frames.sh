#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 fd00::1 ┬ h1 ══════ h2 ─ red-c fd00::3
#   red-b 10.0.0.2 fd00::2 ┘
#
# A rate limit charges a super-frame for every packet that comes of it, however long it is and
# however its sender cuts it. 400,000 octets (BIG TCP) in segments of one octet are more than the
# kernel can count.
. "$(dirname "$0")/../../lib.sh"

topo_standard
M=1000000
now() { "$PY" -c 'import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC))'; }
debt() { # how many octets the bucket of red is in debt for, and what it may hold
	map_dump h1 limits | jq --argjson now "$(now)" '.[0].formatted.value.bucket[0] |
		(.full_at / 16 - $now) * .rate / 8000000000 | floor'
}
# A container's root may raise what its own device takes; else it would be cut there.
on red-a ip link set eth0 gso_max_size 524280 2>$WORK/big.err ||
	on red-a ip link set eth0 gso_max_size 65536
quiet h1

# Newer kernels make segments of 8 octets where fewer are asked for (TCP_MIN_GSO_SIZE).
LEAST=1
least() {
	local before

	before=$(stat_of h1 red local)
	inject red-a -O 54,16 -G 4,1 eth0 eth src=02:00:00:00:00:01 dst=02:00:00:00:00:02 / \
		ip6 src=fd00::1 dst=fd00::2 len=0 nh=6 / \
		hex 03e807d000000001000000015010100000000000 / pad 60000
	[ $(($(stat_of h1 red local) - before)) -ge 60000 ] || LEAST=8
	note "segments have at least $LEAST octets"
}

# super DESC OCTETS SIZE OPTIONS TO: in segments of SIZE behind OPTIONS octets of extension headers
# to fd00::TO, from an empty bucket
super() {
	local desc=$1 octets=$2 size=$3 options=$4 to=$5 headers=$((74 + $4)) ext=() frames want got
	local before left=$options part sent=yes

	while [ "$left" -gt 0 ]; do # options of 2 KiB, a header after the other, then TCP
		part=$((left > 2048 ? 2048 : left)) left=$((left - part))
		ext+=(/ hex "$(printf %02x%02x $((left ? 60 : 6)) $((part / 8 - 1)))" / pad $((part - 2)))
	done
	size=$((size < LEAST ? LEAST : size))
	frames=$(((octets - headers + size - 1) / size))
	want=$((octets + (frames - 1) * headers))
	sw h1 tenant set red rate-out none
	sw h1 tenant set red rate-out $M
	before=$(stat_of h1 red local)
	inject red-a -O $((headers - 20)),16 -G 4,"$size" eth0 eth src=02:00:00:00:00:01 \
		dst=02:00:00:00:00:0"$to" / ip6 src=fd00::1 dst=fd00::"$to" len=0 \
		nh=$((options ? 60 : 6)) ${ext[@]+"${ext[@]}"} / hex \
		03e807d000000001000000015010100000000000 / pad $((octets - headers)) \
		2>$WORK/inject.err || sent=no
	if [ $sent = no ] && [ "$octets" -gt 65536 ] && grep -q 'Message too long' $WORK/inject.err; then
		skip "$desc" "this kernel takes no such frame from a packet socket"
		return
	fi
	got=$(debt)
	# A second's worth is what it may hold, and what came back meanwhile.
	if [ "$got" -gt $((want - 4 * M / 8)) ] && [ "$got" -lt $((want + 10 * M)) ]; then
		ok "$desc: $want octets"
	else
		not_ok "$desc: $want octets, taken for $got"
	fi
	[ "$to" != 2 ] || check "$desc: counted as $frames" test \
		$(($(stat_of h1 red local) - before)) -ge "$frames"
}
super "64 KiB, segments of 1000" 64000 1000 0 2
least
super "60,000 octets, segments of one" 60000 1 0 2
super "the same to another host" 60000 1 0 3
if [ ! -s $WORK/big.err ]; then
	super "400,000 octets, segments of 1000" 400000 1000 0 2
	super "400,000 octets, segments of one" 400000 1 0 2
	super "the same behind headers of 1000 octets" 400000 1 1000 2
	super "the same behind headers of 12,000 octets" 400000 1 12000 2
else
	skip "super-frames of more than 64 KiB" "$(<$WORK/big.err)"
fi

# A tunnel of the container's own: the headers of both are in each segment.
ip -n red-a link add vx0 mtu 1350 type vxlan id 7 remote 10.0.0.2 dev eth0 dstport 4789
ip -n red-a link set vx0 up
ip -n red-a link set vx0 gso_max_size 65536 2>/dev/null || true
# So little comes back, and is held, that it is seen which headers were counted.
SLOW=100000
# tunnelled DESC PAYLOAD SIZE COMMAND...: which sends a TCP super-frame with VXLAN's headers
tunnelled() {
	local payload=$2 size=$3 headers=$((14 + 20 + 8 + 8 + 14 + 20 + 20)) frames want got before

	frames=$(((payload + size - 1) / size))
	want=$((payload + frames * headers))
	sw h1 tenant set red rate-out none
	sw h1 tenant set red rate-out $SLOW burst 64k
	before=$(stat_of h1 red local)
	"${@:4}"
	got=$(debt)
	if [ "$got" -gt $((want - want / 10 - 4 * SLOW / 8)) ] &&
		[ "$got" -lt $((want + want / 10 + 70000)) ]; then
		ok "$1: $want octets"
	else
		not_ok "$1: $want octets, taken for $got"
	fi
	check "$1: counted as $frames" test $(($(stat_of h1 red local) - before)) -ge $frames
}
sw h1 tenant set red rate-out none
check "the tunnel's other end is known" reach red-a 10.0.0.2
device() { # SIZE
	inject red-a -O 34,16 -G 1,"$1" vx0 eth src=02:00:00:00:00:11 dst=02:00:00:00:00:12 / \
		ip src=10.1.0.1 dst=10.1.0.2 / tcp / pad 59946
}
tunnelled "a tunnel, segments of 1000" 59946 1000 device 1000
tunnelled "a tunnel, segments of eight octets" 59946 8 device 8

# A guest's, which its host is to cut.
sw h1 tenant set red rate-out none
ip -n h1 tuntap add red-g mode tap vnet_hdr
ip -n h1 link set red-g up
endpoint_add red g h1 02:00:00:00:00:09 10.0.0.9
guest() { # SIZE
	"$PY" "$TOOLS/virtio.py" -t "$1" h1 red-g 1 1 eth src=02:00:00:00:00:09 \
		dst=02:00:00:00:00:02 / ip src=10.0.0.9 dst=10.0.0.2 / udp dport=4789 csum=0 / \
		vxlan vni=7 / eth src=02:00:00:00:00:11 dst=02:00:00:00:00:12 / \
		ip src=10.1.0.1 dst=10.1.0.2 / tcp / pad 59946
}
status=0
guest 1000 || status=$?
if [ $status = 77 ]; then
	skip "a guest's tunnel, segments of eight octets" "this kernel's taps take none"
else
	tunnelled "a guest's tunnel, segments of 1000" 59946 1000 guest 1000
	tunnelled "a guest's tunnel, segments of eight octets" 59946 8 guest 8
fi
finish
