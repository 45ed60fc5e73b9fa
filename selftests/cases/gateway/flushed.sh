#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: life/repaired flushes the same, and looks whether tenants hear each other
# Others flush the router's rules while tenants send to the world and to each other. No frame leaves
# with a tenant's address, neither then nor after the repair.
#
#   red-a 10.0.0.1, blue-a 10.7.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9 out
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1
outside h1
switch_up
tenants red 100 blue 200
container red a h1 10.0.0.1/24 fd00::1/64
container blue a h1 10.7.0.1/24 fd07::1/64
sw h1 gateway add red ip 10.0.0.254/24 ip fd00::fe/64
sw h1 gateway add blue ip 10.7.0.254/24 ip fd07::fe/64
leave red-a
ip -n blue-a route add default via 10.7.0.254
sw h1 peer add red with blue
sw h1 peer add blue with red

# Old flows from 20 ports, and new ones all the time, to each address.
cat >$WORK/send.py <<'END'
import socket, sys
old = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(20)]
for i, s in enumerate(old):
    s.bind(("", 20000 + i))
while True:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as new:
        for s in [*old, new]:
            for address in sys.argv[1:]:
                try:
                    s.sendto(b"x", (address, 7))
                except OSError: # an ICMP error came back
                    pass
END
hears() { # FILE FILTER
	bg out tcpdump -nn -i br0 -U -w "$WORK/$1.pcap" "$2"
	retry 5 grep -q listening "$BG_LOG"
}
heard() { tcpdump -nn -r "$WORK/$1.pcap" 2>/dev/null; }
hears own "net 10.0.0.0/8"
hears hidden "udp and src host 203.0.113.1"
bg red-a "$PY" $WORK/send.py $SERVER4 10.7.0.1
sends() { [ "$(heard hidden | wc -l)" -gt 100 ]; }
check "red sends" retry 5 sends

flush() {
	case $1 in
	nftables) on tsw-gw.h1 nft flush ruleset ;;
	rules) # main's rule stays
		ip -n tsw-gw.h1 -j rule | gojq -r '.[].priority | select(. > 0 and . < 32766)' |
			xargs -rn1 ip -n tsw-gw.h1 rule del pref
		;;
	routes) ip -n tsw-gw.h1 route flush table all ;;
	esac
}
for kind in nftables rules routes; do
	for ((i = 0; i < 10; i++)); do
		flush $kind
		sleep 0.0$((RANDOM % 10))
		sw h1 switch repair &>/dev/null
		sleep 0.0$((RANDOM % 10))
	done
	is "$kind flushed: none left with a tenant's address" "$(heard own | head -3)" ""
done
ports=$(heard hidden | wc -l)
more() { [ "$(heard hidden | wc -l)" -gt $((ports + 100)) ]; }
check "red sends again" retry 5 more
finish
