#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: gateway/fair has the same limits with a tenth of the numbers
# alone: counts how many connections of one tenant come about while another does its worst
#
#   red-a, blue-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9 out, whose port 80 is blue's server
#
# TSW_ATTACK_PART=10: a tenth of the numbers (in a slow kernel of its own accord).
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

part=${TSW_ATTACK_PART:-$((${TSW_SLOW:-1} > 1 ? 10 : 1))}
topo_hosts h1 h2
outside h1
switch_up
tenants red 100 blue 200
for tenant in red blue; do
	container $tenant a h1 10.0.0.1/24
	sw h1 gateway add $tenant ip 10.0.0.254/24
done
way_out red-a 10.0.0.254
way_out blue-a 10.0.0.254
ip -n h1 addr add 198.18.0.1/16 dev up0
ip -n out route add 198.19.0.0/16 dev lo # red's nowhere: taken, and never answered
on out nft -f - <<-'END_NFT'
	table inet quiet {
		chain in { type filter hook prerouting priority raw; ip daddr 198.19.0.0/16 drop; }
	}
END_NFT
ip -n h1 route add 198.19.0.0/16 via $SERVER4
# A half-open connection stays so: red's own kernel must not refuse what it did not begin.
on red-a nft -f - <<-'END_NFT'
	table inet deaf {
		chain in { type filter hook prerouting priority raw; tcp sport 80 drop; }
	}
END_NFT
cat >$WORK/server.py <<-'END_PY'
	import select, socket
	server = socket.create_server(("", 80), backlog=4096)
	print("ready", flush=True)
	while True:
	    conn, at = server.accept()
	    conn.sendall(b"here")
	    conn.close()
END_PY
cat >$WORK/blue.py <<-'END_PY'
	import socket, sys, time
	sys.path.insert(0, sys.argv[1])
	from netns import enter
	enter("blue-a")
	good, tries, took = 0, int(sys.argv[2]), []
	for _ in range(tries):
	    sock = socket.socket()
	    sock.settimeout(float(sys.argv[3]))
	    begin = time.monotonic()
	    try:
	        sock.connect(("203.0.113.9", 80))
	        good += sock.recv(10) == b"here"
	    except OSError:
	        pass
	    sock.close()
	    took.append(time.monotonic() - begin)
	    time.sleep(0.01)
	median = sorted(took)[tries // 2] * 1e3
	print(good * 100 // tries, f"{good} of {tries}, median {median:.1f} ms")
END_PY
sysctl_in out net.ipv4.tcp_max_syn_backlog=65536
bg out "$PY" $WORK/server.py
retry 5 grep -q ready "$BG_LOG"
ETH="eth src=02:00:00:00:00:01 dst=02:74:00:00:00:64"
# under_way LOG: the first round is done, or conntrack has as much as an address has ports
under_way() {
	[ -s "$1" ] || [ "$(router h1 cat /proc/sys/net/netfilter/nf_conntrack_count)" -ge 28000 ]
}
# shellcheck disable=SC2086 # words of a frame
# attacks DESC COUNT WORDS...: red sends so many, again and again, while blue connects
attacks() {
	local desc=$1 count=$(($2 / part)) drops log

	shift 2
	bg red-a bash -c 'while :; do "$@"; done' - "$PY" "$TOOLS/spray.py" red-a eth0 $count "$@"
	log=$BG_LOG
	retry 60 under_way "$log"
	read -r share drops < <("$PY" $WORK/blue.py "$TOOLS" 200 $((${TSW_SLOW:-1} * 1)))
	kill "$BG"
	note "$desc: $drops; red's rounds: $(head -n 3 "$log" | tr '\n' ';') dropped: $(sw h1 -j \
		stats drops tenant red | gojq -c '[.[] | {(.reason): .packets}] | add')"
	check "$desc: blue keeps 0.95 of its connections" test "$share" -ge 95
}
check "quiet: blue connects" test "$("$PY" $WORK/blue.py "$TOOLS" 100 1 | cut -d ' ' -f 1)" -ge 99
attacks "330,000 SYNs to nowhere" 330000 $ETH / ip src=10.0.0.1 dst=198.19.1.1 / tcp \
	sport=1000 dport=80 flags=S +sport +dst
attacks "60,000 half-open to blue's server" 60000 $ETH / ip src=10.0.0.1 dst=$SERVER4 / tcp \
	sport=1000 dport=80 flags=S +sport
attacks "100,000 flows of UDP" 100000 $ETH / ip src=10.0.0.1 dst=198.19.1.1 / udp sport=1000 \
	dport=80 csum=0 +sport +dst
attacks "incomplete packets" 60000 $ETH / ip src=10.0.0.1 dst=198.19.1.1 mf=1 id=1 / udp \
	sport=1000 dport=80 csum=0 / pad 1400 +id
attacks "ICMP errors" 60000 $ETH / ip src=10.0.0.1 dst=198.19.1.1 ttl=1 / udp sport=1000 dport=80 \
	csum=0 +sport
attacks "addresses of a connected network" 60000 $ETH / ip src=10.0.0.1 dst=198.18.1.1 / udp \
	sport=1000 dport=80 csum=0 +dst
finish
