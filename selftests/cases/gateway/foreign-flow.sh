#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A tenant with another tenant's address sends into that one's published flows, while the packet
# that begins them is lost. Conntrack must not learn of such a packet.
#
#   red-a, blue-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9 out
#   h1 serves both gateways; its port 5080 is published for 10.0.0.1:80 of blue.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

two_gateways
sw h1 publish add blue proto tcp port 5080 to 10.0.0.1:80
sw h1 publish add blue proto tcp port 5080 to '[fd00::1]:80'
serve blue-a 80
check "red reaches the server" reach red-a $SERVER4
answers "blue's port" out tcp 203.0.113.1 5080 "blue-a $SERVER4"
answers "blue's port, IPv6" out tcp 2001:db8:9::1 5080 "blue-a $SERVER6"

# Of a client's port the first SYN gets as far as blue's door: conntrack has it, blue has not.
on blue-a nft -f - <<-'END_NFT'
	table inet lossy {
		set known { type inet_service; flags dynamic; size 65535; timeout 60s; }
		chain in {
			type filter hook prerouting priority raw;
			tcp dport 80 tcp flags & (syn | ack) == syn tcp sport != @known \
				add @known { tcp sport } drop
		}
	}
END_NFT
cat >$WORK/spray.py <<-'END_PY'
	import socket, sys, time
	sys.path.insert(0, sys.argv[1])
	import frames
	from netns import enter
	enter("red-a")
	ports = range(int(sys.argv[2]), int(sys.argv[3]))
	sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
	sock.bind(("eth0", 0))
	eth = "eth src=02:00:00:00:00:01 dst=02:74:00:00:00:64"
	sprayed = []
	for port in ports:
	    words = f"{eth} / {sys.argv[4]} / tcp sport=80 dport={port} seq=1 ack=0 flags="
	    sprayed += frames.build((words + sys.argv[5]).split())
	print("ready", flush=True)
	while True:
	    for frame in sprayed:
	        sock.send(frame)
END_PY
# connects FROM ADDRESS: how many of 14 clients' connections from that port on work
cat >$WORK/connects.py <<-'END_PY'
	import socket, sys, threading
	sys.path.insert(0, sys.argv[1])
	from netns import enter
	enter("out")
	begin, address, good = int(sys.argv[2]), sys.argv[3], []
	family = socket.AF_INET6 if ":" in address else socket.AF_INET
	def ask(port):
	    sock = socket.socket(family, socket.SOCK_STREAM)
	    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
	    sock.settimeout(12)  # a SYN comes again after 1, 3 and 7 s
	    sock.bind(("", port))
	    try:
	        sock.connect((address, 5080))
	        sock.sendall(b"who\n")
	        good.append(sock.recv(100).startswith(b"blue"))
	    except OSError as error:
	        print(port, error, file=sys.stderr)
	threads = [threading.Thread(target=ask, args=(begin + i,)) for i in range(14)]
	for thread in threads:
	    thread.start()
	for thread in threads:
	    thread.join()
	print(sum(good))
END_PY
connects() { "$PY" $WORK/connects.py "$TOOLS" "$@"; }
is "quiet: all connect, though their first SYN is lost" "$(connects 20000 203.0.113.1)" 14
is "quiet, IPv6" "$(connects 20000 2001:db8:9::1)" 14
invalid() { rules_count h1 foreign_flow; }
before=$(drops h1 foreign_flow red)
late=$(invalid)
# under_spray DESC FLAGS FROM ADDRESS LAYER
under_spray() {
	bg h1 "$PY" -u $WORK/spray.py "$TOOLS" "$3" $(($3 + 14)) "$5" "$2"
	retry 20 grep -q ready "$BG_LOG"
	is "red sprays $1: all of blue's clients connect" "$(connects "$3" "$4")" 14
	kill "$BG"
}
V4="ip src=10.0.0.1 dst=$SERVER4" V6="ip6 src=fd00::1 dst=$SERVER6"
under_spray RST/ACK RA 21000 203.0.113.1 "$V4"
under_spray SYN/ACK SA 22000 203.0.113.1 "$V4"
under_spray "RST/ACK, IPv6" RA 23000 2001:db8:9::1 "$V6"
under_spray "SYN/ACK, IPv6" SA 24000 2001:db8:9::1 "$V6"
check "red's frames are counted as foreign_flow, to_gateway" test \
	"$(drops h1 foreign_flow red)" -gt "$before"
is "next to none of them reached conntrack" "$(($(invalid) - late < 5))" 1
is "blue has none" "$(drops h1 foreign_flow blue)" 0

# A segment in fragments, of which the first waits in front of conntrack until the flow is there.
eth="eth src=02:00:00:00:00:01 dst=02:74:00:00:00:64"
before=$(drops h1 foreign_flow red)
inject red-a eth0 $eth / ip src=10.0.0.1 dst=$SERVER4 id=7 / tcp sport=80 dport=25000 flags=RA \
	seq=1 ack=1 / pad 64 / fragment at=24 part=1
check "the first fragment of no flow of red's is refused" test \
	"$(drops h1 foreign_flow red)" -gt "$before"

# What is red's own goes on: a flow from the same port to the same client, and answers of a port.
sw h1 publish add red proto tcp port 5081 to 10.0.0.1:81
serve red-a 81
answers "red's own published port" out tcp 203.0.113.1 5081 "red-a $SERVER4"
serve out 5000
answers "red's own connection" red-a tcp $SERVER4 5000 "out 203.0.113.1"
check "switch check finds nothing" sw h1 switch check
finish
