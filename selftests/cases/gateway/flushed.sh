#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Others take away the router's rules while tenants send: all of them, or one chain after the other.
# The kernel adds and removes hooks one by one, and a frame may pass in between. Neither then nor
# after the repair does a frame leave with a tenant's address.
#
#   red-a 10.0.0.1, blue-a 10.7.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9 out
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1
outside h1
ip -n h1 route add default via $SERVER4 # also to tenants' addresses
ip -n h1 -6 route add default via $SERVER6
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

# To each address in turn: old flows from 10 ports, and a new one. FILE has the number of rounds.
cat >$WORK/send.py <<'END'
import itertools, os, socket, sys, time

def udp(family, port=0):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.bind(("", port))
    return s

rounds = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
families = {a: socket.AF_INET6 if ":" in a else socket.AF_INET for a in sys.argv[2:]}
old = {f: [udp(f, 20000 + f * 10 + i) for i in range(10)] for f in {*families.values()}}
for n in itertools.count():
    for address, family in families.items():
        with udp(family) as new:
            for s in [*old[family], new]:
                try:
                    s.sendto(b"x", (address, 7))
                except OSError: # an ICMP error came back
                    pass
    os.pwrite(rounds, b"%d\n" % n, 0)
    time.sleep(0.005)
END
hears() { # FILE FILTER
	bg out tcpdump -nn -i br0 -U --immediate-mode -w "$WORK/$1.pcap" "$2"
	retry 5 grep -q listening "$BG_LOG"
}
heard() { tcpdump -nn -r "$WORK/$1.pcap" 2>/dev/null; }
hears own "net 10.0.0.0/8 or net fd00::/8"
hears hidden "udp and (src host 203.0.113.1 or src host 2001:db8:9::1)"
bg red-a "$PY" $WORK/send.py $WORK/rounds $SERVER4 $SERVER6 10.7.0.1 $GATEWAY4 $GATEWAY6
sent() { [ "$(<$WORK/rounds)" -gt "$1" ]; }
sends() { # two rounds, one of them whole
	local n

	n=$(<$WORK/rounds)
	retry 5 sent $((n + 1))
}
leaves() { # TEXT...
	local text

	for text in "$@"; do [ "$(heard hidden | grep -c "$text")" -gt 20 ] || return; done
}
check "red sends" retry 5 leaves "IP 203" "IP6 2001"

R=tsw-gw.h1
without() { # DESC CHAIN...
	local desc=$1 chain before

	shift
	before=$(heard own | wc -l)
	for chain in "$@"; do echo "delete chain inet tsw $chain"; done | on $R nft -f -
	sends
	sw h1 switch repair &>/dev/null
	sends
	[ "$(heard own | wc -l)" = "$before" ] || leaks+=("$desc: $(heard own | tail -n 1)")
}
mapfile -t chains < <(on $R nft -j list chains inet |
	gojq -r '.nftables[].chain | values | select(.table == "tsw" and .hook).name')
leaks=()
for ((i = 0; i < ${#chains[@]}; i++)); do
	without "without ${chains[i]}" "${chains[i]}"
	without "without all until ${chains[i]}" "${chains[@]::i+1}"
	without "without all from ${chains[i]}" "${chains[@]:i}"
done
is "each of ${#chains[@]} chains deleted: nothing leaves with a tenant's address" "${leaks[*]}" ""
finish
