#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: gateway/fast-kinds has each kind of flow; packet_fast has each frame
# The fast way: the programs translate flows that the router's rules have let pass. A flow that the
# rules no longer let pass stops when its lease ends. One that the host's routes no longer carry
# stops within a second.
#
#   red-a, blue-a 10.0.0.1 ─ h1 192.0.2.1 ═══ underlay ═══ 192.0.2.2 h2 ─ red-c 10.0.0.3
#                            up0 203.0.113.1               203.0.113.2 up0
#                                └──────── out 203.0.113.9 ─────┘
#   The gateways are 10.0.0.254 and fd00::fe in both tenants, served by h1.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_fast.sh"

LIBERAL=net.netfilter.nf_conntrack_tcp_be_liberal
liberal() { router h1 cat /proc/sys/${LIBERAL//.//}; }

topo_hosts h1 h2
outside h1 h2
switch_up
tenants
container red a h1 10.0.0.1/24 fd00::1/64 mtu 1450
container blue a h1 10.0.0.1/24 fd00::1/64 mtu 1450
container red c h2 10.0.0.3/24 fd00::3/64 mtu 1450
leave red-a blue-a red-c
of_host=$(on h1 cat /proc/sys/${LIBERAL//.//})
gateway red h1
gateway blue h1
is "the router's conntrack is liberal" "$(liberal)" 1
is "and the host's is as it was" "$(on h1 cat /proc/sys/${LIBERAL//.//})" "$of_host"
is "features: the kernel can" "$(sw h1 -j features | gojq -c .gateway_fast)" true
sysctl_in tsw-gw.h1 $LIBERAL=0
is "somebody turns it off: told" "$({ sw h1 -j switch check || true; } |
	gojq -r '.problems[] | .what, .object')" "gateway_setting"$'\n'"tsw-gw.h1"
count h1
serve out $PORT
beat red red-a tcp $SERVER4 4999 60
way "TCP where conntrack is not liberal" slow
beat_end
beat red red-a udp $SERVER4 4999 60
way "UDP there" fast
beat_end
sw h1 switch repair
is "and put back" "$(liberal)" 1

# ---- which way -------------------------------------------------------------------------

for to in $SERVER4 $SERVER6; do
	for kind in tcp udp; do
		for ns in red-a red-c; do
			beat $ns $ns $kind $to 5000 30
			way "$ns, $kind, $to" fast
			beat_end
		done
	done
done
is "trace: fast" "$(sw h1 -j trace from a to $SERVER4 tenant red proto udp port 53 |
	gojq -r '.[0].gateway.way')" fast
is "trace: slow, and why" "$(sw h1 -j trace from a to $SERVER4 tenant red proto icmp |
	gojq -r '.[0].gateway | [.way, .slow_why] | join(": ")')" 'slow: neither TCP nor UDP'

beat red red-a tcp $SERVER4 5001 60
sw h1 gateway set red fast off
way "fast off, in the midst of a connection" slow
is "show tells it" "$(sw h1 -j gateway show red | gojq '.[0].fast')" false
is "trace tells it" "$(sw h1 -j trace from a to $SERVER4 tenant red proto tcp port 80 |
	gojq -r '.[0].gateway.slow_why')" 'fast off'
sw h1 gateway set red fast on
way "fast on again" fast
beat_end

# ---- what is on the wire, and whose it is ------------------------------------------------

capture up h1 up0 "port $PORT"
capture in red-a eth0 "src port $PORT"
pids=() n=0
for ns in red-a blue-a; do
	for kind in tcp udp; do
		for to in $SERVER4 $SERVER6; do
			n=$((n + 1))
			on $ns "$PY" "$TOOLS/pulse.py" beat $ns-$n $kind $to $PORT 5003 3 \
				>"$WORK/beat.$n" 2>"$WORK/beat.$n.error" &
			pids+=($!)
		done
	done
done
failed=0
for pid in "${pids[@]}"; do
	wait "$pid" || failed=$((failed + 1))
done
is "two tenants, the same ports at once: each has its own answers" $failed 0
for ((i = 1; i <= n; i++)); do
	is "nothing went wrong with it" "$(<"$WORK/beat.$i.error")" ''
	check "and has them all the time" test "$(wc -l <"$WORK/beat.$i")" -ge 100
done
capture_stop up
capture_stop in
is "nothing of a tenant's addresses leaves" \
	"$(captured up 'net 10.0.0.0/24 or net fd00::/64')" 0
is "out: one hop less" "$(captured up "dst host $SERVER4 and ip[8] != 63 or
	dst host $SERVER6 and ip6[7] != 63")" 0
is "back: likewise" "$(captured in 'ip and ip[8] != 63 or ip6 and ip6[7] != 63')" 0
is "DSCP and ECN as they were sent" \
	"$(captured up "dst host $SERVER4 and udp and ip[1] != 0xb9 or
	dst host $SERVER6 and udp and ip6[0:2] & 0xff0 != 0xb90")" 0
is "IP's checksums are right" "$(captured_text up -vv ip | grep -o 'bad cksum' | sort -u)" ''

# ---- what stops it ------------------------------------------------------------------------

SECOND=1400 # and the questions' distance, and a busy machine
drop_all() { router h1 nft insert rule inet admin forward drop; }
for way in 'red-a tcp' 'red-c udp'; do
	read -r ns kind <<<"$way"
	beat $ns $ns $kind $SERVER4 5010 60
	rules=$(forwarded h1)
	sleep $LEASE
	check "$ns, $kind: the rules see it again" test "$(forwarded h1)" -gt "$rules"
	stops "$ns, $kind: a rule in the router" ${LEASE/./}00 drop_all
	count h1
done
blackhole() { ip -n h1 route add blackhole $SERVER4; }
beat red red-a udp $SERVER4 5011 60
stops "a route that leads nowhere" $SECOND blackhole
ip -n h1 route del blackhole $SERVER4
beat red red-a udp $SERVER4 5012 60
stops "the uplink is down" $SECOND ip -n h1 link set up0 down
ip -n h1 link set up0 up
ip -n h1 addr replace 2001:db8:9::1/64 dev up0 nodad
retry 5 reach red-a $SERVER4
beat red red-a udp $SERVER4 5013 60
stops "nft flush ruleset" ${LEASE/./}00 router h1 nft flush ruleset
sw h1 switch repair
count h1
beat red red-a tcp $SERVER6 5014 60
stops "the endpoint goes" 150 sw h1 endpoint del a tenant red
mac=$(ip -n red-a -j link show dev eth0 | gojq -r '.[0].address')
sw h1 endpoint add a tenant red mac "$mac" ip 10.0.0.1 ip fd00::1 dev red-a
beat red red-a tcp $SERVER4 5015 60
stops "the gateway goes" 150 sw h1 gateway del red
finish
