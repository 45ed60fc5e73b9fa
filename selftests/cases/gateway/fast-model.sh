#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: gateway/fast-kinds; packet_fast, packet_fast_gateway and packet_fast_race
# long: a minute or more
# The fast way against the rules alone: two worlds live through the same traffic and the same
# changes, drawn at random, one with `fast on` and one with `fast off`. Both let through the same
# frames once a lease is over, never a frame more, and no frame reaches another tenant.
#
#   red-a, blue-a 10.0.0.1, ─ h1 192.0.2.1 ═══ underlay ═══ 192.0.2.2 h2 ─ red-c, blue-c 10.0.0.3
#   green-a 10.2.0.1          │ │ 203.0.113.1 up0           up0 203.0.113.2
#       198.51.100.1 up1      │ └───── out 203.0.113.9 ──────┘
#                             └─── up1 198.51.100.9
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

# world WAY: builds one and lives in it.
world() {
	local tenant n net=0 words

	topo_hosts h1 h2
	outside h1 h2
	ip -n h1 link add up1 type veth peer name up1 netns out
	for n in 1 9; do
		words=h1
		[ $n = 1 ] || words=out
		ipv6_still $words up1
		ip -n $words addr add 198.51.100.$n/24 dev up1
		ip -n $words addr add 2001:db8:51::$n/64 dev up1
		ip -n $words link set up1 up
	done
	sysctl_in h1 net.ipv6.conf.up0.keep_addr_on_down=1
	sysctl_in out net.ipv4.conf.{all,br0,up1}.rp_filter=0
	sysctl_in h1 net.ipv4.conf.{all,up0,up1}.rp_filter=0
	ip -n out route add 203.0.113.71 via 203.0.113.1
	ip -n out route add 2001:db8:9::71 via 2001:db8:9::1
	ip -n out route add 10.2.0.0/24 via 203.0.113.1
	ip -n out route add fd02::/64 via 2001:db8:9::1
	switch_up
	for tenant in red blue; do
		container $tenant a h1 10.0.0.1/24 fd00::1/64 endpoint off
		container $tenant c h2 10.0.0.3/24 fd00::3/64 endpoint off
		leave $tenant-a $tenant-c
	done
	container green a h1 10.2.0.1/24 fd02::1/64 endpoint off
	ip -n green-a route add default via 10.2.0.254
	ip -n green-a -6 route add default via fd02::fe
	TSW=$TSW "$PY" "$TOOLS/model.py" "$1" "$SEED" "$STEPS" >&5 2>&1
}

SEED=${TSW_SEED:-$RANDOM} STEPS=${TSW_STEPS:-12}
if [ -n "${TSW_WORLD:-}" ]; then
	world "$TSW_WORLD"
	FINISHED=1
	exit
fi
pids=()
for way in fast slow; do
	TSW_PRIVATE='' TSW_WORLD=$way TSW_SEED=$SEED bash "$0" >$WORK/$way 2>&1 &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	undo kill "$pid"
	wait "$pid" || true
done
note "TSW_SEED=$SEED TSW_STEPS=$STEPS"
for way in fast slow; do
	[ -z "${TSW_KEEP:-}" ] || cp $WORK/$way "$TSW_KEEP.$way"
	is "$way: no frame at another's" \
		"$(grep -E '^stray' $WORK/$way | head -n 20 || { grep -m 5 failed: $WORK/$way; tail $WORK/$way; })" 'strays 0'
	check "$way: all came while all was open" \
		bash -c "! grep -m 1 -B 60 'NOT ALL CAME' $WORK/$way"
done
sed -n 's/^~/=/p' $WORK/fast $WORK/slow >$WORK/uncertain
certain() { grep '^=' "$WORK/$1" | grep -v -F -f $WORK/uncertain; } # WAY
is "the same came through both" "$(diff <(certain slow) <(certain fast) | head -n 30)" ''
read -r _ rounds _ frames _ seen _ <<<"$(grep '^way' $WORK/slow || echo)"
note "slow: $frames frames in $rounds rounds, the rules saw ${seen:-none}"
check "slow was slow" test "${seen:-0}" -ge "${frames:-1}"
read -r _ rounds _ frames _ seen _ <<<"$(grep '^way' $WORK/fast || echo)"
note "fast: $frames frames in $rounds rounds, the rules saw ${seen:-none}"
check "and fast was fast" test $((${seen:-1} * 3)) -lt "${frames:-0}"
finish
