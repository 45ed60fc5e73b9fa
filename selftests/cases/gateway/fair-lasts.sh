#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: gateway/fair has the shares; packet_share counts each connection
# A connection counts in its tenant's share for as long as the router's conntrack keeps it. The
# tenant, and somebody outside who helps it, send what could make the program forget it earlier.
#
#   red-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9 out, 198.51.100.0/24
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

if [ "$("$TSW" -j features | gojq .gateway_fast)" != true ]; then
	skip "by conntrack's own entries" "the kernel does not let programs read them"
	finish
	exit
fi
LIMIT=24 # three buckets of eight

two_gateways
serve out 80
sw h1 gateway set red timeout-udp 5 timeout-udp-stream 9
for what in close fin_wait last_ack time_wait; do
	sysctl_in h1 net.netfilter.nf_conntrack_tcp_timeout_$what=2
done
sw h1 switch repair
sw h1 tenant set red connections $LIMIT
# What nobody listens for is not answered by an error.
for ns in out red-a; do
	on $ns nft -f - <<-'END_NFT'
		table inet quiet {
			chain out {
				type filter hook output priority 0;
				icmp type destination-unreachable drop;
			}
		}
	END_NFT
done
IP="eth src=02:00:00:00:00:01 dst=02:74:00:00:00:64 / ip src=10.0.0.1 dst=$SERVER4"
BACK="eth src=02:00:00:00:09:09 dst=$(ip -n h1 -j link show up0 | gojq -r .[0].address)"
BACK+=" / ip src=$SERVER4 dst=203.0.113.1"
# shellcheck disable=SC2086 # words of a frame
spray() { "$PY" "$TOOLS/spray.py" "$@" >/dev/null; }
# there WORDS: connections of red's in conntrack that have them
there() { router h1 grep -cE "$1.*src=10.0.0.1|src=10.0.0.1.*$1" /proc/net/nf_conntrack || true; }
used() { sw h1 -j -s gateway show red | gojq .[0].connections_used; }
# beyond DESC WORDS CMD...: what CMD begins has no place beside what conntrack has with WORDS
beyond() {
	local had

	had=$(there "$2")
	check "$1: there are some, $had" test "$had" -ge 12
	"${@:3}"
	check "$1: conntrack never has more than the share, now $(there "")" \
		test "$(there "")" -le $LIMIT
}

# ---- answers alone -----------------------------------------------------------------------------

spray red-a eth0 16 $IP / udp sport=10000 dport=7000 csum=0 +sport
ports=$(router h1 sed -n 's/.* sport=7000 dport=\([0-9]*\) .*/\1/p' /proc/net/nf_conntrack)
for _ in {1..9}; do
	for port in $ports; do
		echo "$BACK / udp sport=7000 dport=$port csum=0"
	done | on out "$PY" "$TOOLS/inject.py" br0 -
	sleep 1
done
beyond "UDP that is answered alone" dport=7000 \
	spray red-a eth0 60 $IP / udp sport=11000 dport=7001 csum=0 +sport
comes "when nothing is said any more it is free" 0 used

# ---- without a hop left ------------------------------------------------------------------------

spray red-a eth0 16 $IP / udp sport=12000 dport=7002 csum=0 +sport
for _ in {1..9}; do
	spray red-a eth0 16 $IP ttl=1 / udp sport=12000 dport=7002 csum=0 +sport
	sleep 1
done
beyond "UDP whose frames expire at the router" dport=7002 \
	spray red-a eth0 60 $IP / udp sport=13000 dport=7003 csum=0 +sport
comes "when they end it is free" 0 used

# ---- an end that conntrack does not believe ----------------------------------------------------

# holds SECONDS [RESET]: connections, as many as there may be of 24
holds() {
	on red-a "$PY" - "$SERVER4" "$@" <<-'END_PY'
		import socket, struct, sys, time
		held = []
		for _ in range(24):
		    s = socket.socket()
		    s.settimeout(0.2)
		    if s.connect_ex((sys.argv[1], 80)) == 0:
		        held.append(s)
		time.sleep(float(sys.argv[2]))
		for s in held:
		    if len(sys.argv) > 3:
		        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
		    s.close()
	END_PY
}
# By a number that is behind what half of them have acknowledged: conntrack does not take that. What
# is ahead, as for the others, it takes for an end that may be true.
bad_resets() {
	router h1 sed -n 's/.*ESTABLISHED src=10.0.0.1 .* sport=\([0-9]*\) dport=80 .*src=.*/\1/p' \
		/proc/net/nf_conntrack |
		sed "s|.*|$IP / tcp sport=& dport=80 flags=R seq=1|" |
		on red-a "$PY" "$TOOLS/inject.py" eth0 -
}
holds 15 &
holder=$!
held() { [ "$(there ESTABLISHED)" -ge 12 ]; }
retry 10 held
bad_resets
sleep 5
check "resets that are not true: conntrack keeps some" test "$(there ESTABLISHED)" -ge 1
holds 1
check "resets that are not true: conntrack never has more than the share, now $(there "")" \
	test "$(there "")" -le $LIMIT
wait $holder

# ---- an end that it believes -------------------------------------------------------------------

comes "what was closed is free when conntrack has forgotten it" 0 used
holds 0 reset
comes "what is reset is free when conntrack has forgotten it" 0 used
check "and so is conntrack" test "$(there ESTABLISHED)" = 0
for _ in {1..12}; do ask red-a tcp $SERVER4 81; done >/dev/null
is "what is refused is free at once" "$(sleep 4 && used)" 0

# ---- the share forgets, conntrack does not -----------------------------------------------------

spray red-a eth0 16 $IP / udp sport=14000 dport=7004 csum=0 +sport
sw h1 tenant set red connections $((LIMIT + 1)) # begins with nothing in use
is "another limit begins with nothing" "$(used)" 0
sleep 2 # what was looked at in this second is not looked at again
spray red-a eth0 16 $IP ttl=1 / udp sport=14000 dport=7004 csum=0 +sport
check "frames that expire at the router are of connections, now $(used)" test "$(used)" -ge 12
comes "when they end it is free" 0 used

# ---- by the gateway and back -------------------------------------------------------------------

container red b h1 10.0.0.2/24
leave red-b 2>/dev/null || ip -n red-b route replace default via $GATEWAY4
serve red-b 8080
sw h1 publish add red proto tcp port 8080 to 10.0.0.2:8080
bg red-a "$PY" "$TOOLS/who.py" hold tcp 203.0.113.1 8080
asked() { [ "$(wc -l <"$BG_LOG")" -ge 4 ]; }
check "red-a asks red-b by the gateway's host" retry 5 asked
sleep 2
is "that is one connection" "$(used) $(there 'dport=8080')" "1 1"
finish
