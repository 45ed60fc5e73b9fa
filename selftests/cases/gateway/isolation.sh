#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A tenant tries to get by its gateway where it may not, and so does the world.
#
#   red-a, blue-a 10.0.0.1 ─ h1 192.0.2.1 ═ underlay ═ 192.0.2.2 h2 ─ red-c, blue-c 10.0.0.3
#   green-a 10.7.0.1 ───────╯ │ up0 203.0.113.1                     ╰ green-c 10.7.0.3
#                             out 203.0.113.9; evil 203.0.113.66 is its neighbour
#   The gateways are h1's. In h1 a service listens on every address, in TCP and in UDP.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

ALL=(red-a red-c blue-a blue-c green-a green-c)
UNDERLAY=46
topo_hosts h1 h2
outside h1 h2
netns evil
ip -n evil link add eth0 type veth peer name evil netns out
ip -n out link set evil master br0 up
ipv6_still evil eth0
ip -n evil addr add 203.0.113.66/24 dev eth0
ip -n evil addr add 2001:db8:9::66/64 dev eth0 nodad
ip -n evil link set eth0 up
# What a router of the underlay has on lo, and a second address of the uplink.
ip -n h1 addr add 198.51.100.1/32 dev lo
sysctl_in h1 net.ipv6.conf.lo.disable_ipv6=0
ip -n h1 addr add 2001:db8:f::1/128 dev lo nodad
ip -n h1 addr add 203.0.113.77/24 dev up0
# Forwarding is on for all, as where somebody runs containers of another kind.
sysctl_in h1 net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
	net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.up0.rp_filter=0 net.ipv4.conf.eth0.rp_filter=0
ipv6_still h1 up0
ipv6_still h1 eth0
switch_up
tenants red 100 blue 200 green 300
for tenant in red blue; do
	container $tenant a h1 10.0.0.1/24 fd00::1/64 mtu 1430
	container $tenant c h2 10.0.0.3/24 fd00::3/64 mtu 1430
	gateway $tenant h1
done
container green a h1 10.7.0.1/24 fd07::1/64 mtu 1430
container green c h2 10.7.0.3/24 fd07::3/64 mtu 1430
gateway green h1 ip 10.7.0.254/24 ip fd07::fe/64
leave red-a red-c blue-a blue-c
for ns in green-a green-c; do
	ip -n $ns route add default via 10.7.0.254
	ip -n $ns -6 route add default via fd07::fe
done
for ns in "${ALL[@]}"; do
	check "$ns reaches the server" reach $ns $SERVER4
	check "$ns reaches the server, IPv6" reach $ns $SERVER6
done

# A service that hears everything that comes to the host, and answers.
cat >$WORK/service.py <<-'END'
	import select, socket
	tcp = socket.create_server(("::", 7777), family=socket.AF_INET6, dualstack_ipv6=True)
	udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
	udp.bind(("::", 7777))
	print("ready", flush=True)
	while True:
	    for sock in select.select([tcp, udp], [], [])[0]:
	        if sock is tcp:
	            conn, at = tcp.accept()
	            print("tcp from", at[0], flush=True)
	            conn.close()
	        else:
	            data, at = udp.recvfrom(2000)
	            print("udp from", at[0], data, flush=True)
	            udp.sendto(data, at)
END
declare -A HEARD # host -> log of its service
for host in h1 h2; do
	bg $host "$PY" $WORK/service.py
	HEARD[$host]=$BG_LOG
	retry 5 grep -q ready "$BG_LOG"
done
heard() { grep -c from "${HEARD[$1]}" || true; }
# asks NS ADDRESS...: which of these answer there, and in what, TCP, UDP or ICMP.
cat >$WORK/asks.py <<-'END'
	import select, socket, struct, sys, time
	port, waiting, got = 7777, {}, set()
	def begin(sock, to, what, send):
	    sock.setblocking(False)
	    try:
	        send(sock)
	    except BlockingIOError:
	        pass
	    except OSError:
	        return
	    waiting[sock] = (to, what)
	for to in sys.argv[1:]:
	    v6 = ":" in to
	    family = socket.AF_INET6 if v6 else socket.AF_INET
	    kind = 128 if v6 else 8
	    echo = struct.pack("!BBHHH", kind, 0, 0xFFFF ^ ((kind << 8) + 7 + 9), 7, 9)
	    raw = socket.IPPROTO_ICMPV6 if v6 else socket.IPPROTO_ICMP
	    t = socket.socket(family, socket.SOCK_STREAM)
	    begin(t, to, "tcp", lambda s: s.connect((to, port)))
	    u = socket.socket(family, socket.SOCK_DGRAM)
	    u.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
	    begin(u, to, "udp", lambda s: s.sendto(b"red", (to, port)))
	    p = socket.socket(family, socket.SOCK_RAW, raw)
	    begin(p, to, "icmp", lambda s: s.sendto(echo, (to, 0)))
	end = time.monotonic() + 0.7
	while (left := end - time.monotonic()) > 0 and waiting:
	    tcp = [s for s in waiting if waiting[s][1] == "tcp"]
	    reads, writes, _ = select.select([s for s in waiting if s not in tcp], tcp, [], left)
	    for s in writes:
	        at = waiting.pop(s)
	        if s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
	            got.add(at)
	    for s in reads:
	        to, what = waiting[s]
	        data, at = s.recvfrom(2000)
	        if what == "icmp" and at[0] != to:
	            continue
	        if what == "icmp" and (data if ":" in to else data[20:])[0] not in (0, 129):
	            continue
	        got.add(waiting.pop(s))
	print("\n".join(" ".join(each) for each in sorted(got)))
END
asks() {
	local ns=$1

	shift
	on "$ns" timeout 10 "$PY" $WORK/asks.py "$@"
}
is "the world reaches the host's service: the test can see it" \
	"$(asks out 203.0.113.1 2001:db8:9::1 | tr '\n' ' ')" "2001:db8:9::1 icmp $(
	)2001:db8:9::1 tcp 2001:db8:9::1 udp 203.0.113.1 icmp 203.0.113.1 tcp 203.0.113.1 udp "
before=$(heard h1)
check "it was heard" test "$before" = 4

# ---- a tenant, and what is the hosts' --------------------------------------------------------

LOCAL=(192.0.2.1 192.0.2.2 203.0.113.1 203.0.113.77 198.51.100.1 2001:db8::1 2001:db8::2
	2001:db8:9::1 2001:db8:f::1 127.0.0.1 127.1.2.3 ::1 0.0.0.0 169.254.169.254 224.0.0.1
	255.255.255.255 203.0.113.255 fe80::1 ff02::1 ff05::2 ::ffff:203.0.113.1)
for dev in eth0 up0; do # their own link-local addresses
	LOCAL+=("$(ip -n h1 -j -6 addr show dev $dev |
		gojq -r '[.[].addr_info[]? | select(.scope == "link").local][0] // "fe80::2"')")
done
routable() { # of LOCAL, what a container's own kernel does not keep to itself
	local to

	for to in "${LOCAL[@]}"; do
		case $to in
		127.* | ::1 | 0.0.0.0 | fe80::* | ff02::* | ::ffff:*) ;; # as frames, below
		*) echo "$to" ;;
		esac
	done
}
mapfile -t reachable < <(routable)
for ns in red-a red-c green-a; do
	is "$ns reaches nothing of the hosts' own" "$(asks $ns "${reachable[@]}")" ""
done
is "no service of h1 heard any of it" "$(heard h1)" "$before"
is "nor one of h2" "$(heard h2)" 0

# The same and worse as frames to the gateway's MAC.
capture lo h1 lo
capture up h1 up0
capture wire h2 eth0
capture blue-a blue-a eth0
capture green-c green-c eth0
GW=02:74:00:00:00:64
from="eth src=02:00:00:00:00:01 dst=$GW"
nested="eth src=02:00:00:00:00:03 dst=02:00:00:00:00:01 / ip src=10.0.0.3 dst=10.0.0.1 / udp $(
	)/ text red-evil"
{
	for to in "${LOCAL[@]}"; do
		ip="ip src=10.0.0.1 dst=$to"
		[[ $to != *:* ]] || ip="ip6 src=fd00::1 dst=$to"
		echo "$from / $ip / udp dport=7777 / text red-evil"
		echo "$from / $ip / tcp dport=7777"
		echo "$from / $ip / udp dport=4789 csum=0 / vxlan vni=200 / $nested"
		echo "$from / $ip / gre key=200 / $nested"
		case $to in
		*:*) ;;
		*)
			echo "$from / $ip / icmp / text red-evil"
			echo "$from / $ip / udp dport=7777 / text red-evil / pad 61" \
				"/ fragment at=32"
			;;
		esac
	done
	# Other tenants, by their addresses, by their gateways' addresses and MACs, in any name.
	for to in 10.7.0.1 10.7.0.3 10.7.0.254; do
		echo "$from / ip src=10.0.0.1 dst=$to / udp dport=7777 / text red-evil"
		echo "$from / ip src=10.0.0.1 dst=$to / icmp / text red-evil"
	done
	echo "$from / ip6 src=fd00::1 dst=fd07::1 / udp dport=7777 / text red-evil"
	echo "$from / ip6 src=fd00::1 dst=fd07::fe / icmp6 type=128 / text red-evil"
	for mac in 02:74:00:00:00:c8 02:74:00:00:01:2c; do
		echo "${from/$GW/$mac} / ip src=10.0.0.1 dst=$SERVER4 / udp / text red-evil"
	done
	for src in 10.0.0.3 10.7.0.1 203.0.113.1 192.0.2.1 192.0.2.2 127.0.0.1 0.0.0.0 224.0.0.1 \
		10.0.0.254 $SERVER4; do
		echo "$from / ip src=$src dst=$SERVER4 / udp / text red-evil"
		echo "$from / ip src=$src dst=10.7.0.1 / udp / text red-evil"
	done
	for src in fd00::3 fd07::1 2001:db8:9::1 ::1 fe80::1 ff02::1 fd00::fe ::ffff:10.0.0.1; do
		echo "$from / ip6 src=$src dst=$SERVER6 / udp / text red-evil"
	done
	# Source routes, of both families, and redirects.
	echo "$from / ip src=10.0.0.1 dst=$SERVER4 opts=8307040a070001 / udp" \
		"/ text red-evil"
	echo "$from / ip src=10.0.0.1 dst=203.0.113.1 opts=8307040a070001 / udp" \
		"dport=7777 / text red-evil"
	echo "$from / ip6 src=fd00::1 dst=2001:db8:9::1 / hopopt / route6 / udp dport=7777" \
		"/ text red-evil"
	echo "$from / ip6 src=fd00::1 dst=2001:db8:9::1 / dstopt / frag6 / udp dport=7777" \
		"/ text red-evil"
	echo "$from / ip src=10.0.0.1 dst=203.0.113.1 / icmp type=5 code=1 / text red-evil"
	echo "$from / ip6 src=fd00::1 dst=2001:db8:9::1 / icmp6 type=137 / text red-evil"
	# What conntrack does not track, and so would not translate.
	for type in {130..137} 143 151 152 153; do
		echo "$from / ip6 src=fd00::1 dst=$SERVER6 hlim=255 / icmp6 type=$type" \
			"/ text red-evil"
	done
	echo "$from / arp sha=02:00:00:00:00:01 spa=10.0.0.1 op=2 tpa=10.0.0.254 / text red-evil"
	echo "$from type=0x88b5 / text red-evil"
} >$WORK/frames
inject red-a eth0 - <$WORK/frames
BLUE=$(sw h1 -j gateway show blue | gojq '.[0].index')
for class in 0x7450 0x7455 0x7456; do # a mark of the container's own, which names blue
	inject red-a eth0 -M $(((class << 16) + BLUE)) - <$WORK/frames
done
sed 's/src=02:00:00:00:00:01/src=02:00:00:00:00:03/;
	s/ip src=10.0.0.1 /ip src=10.0.0.3 /; s/ip6 src=fd00::1 /ip6 src=fd00::3 /' $WORK/frames |
	inject red-c eth0 -
# Allowed, and behind them all: when these have come, so have the others.
for ns in red-a red-c; do
	on $ns bash -c "echo red-honest >/dev/udp/$SERVER4/9"
done
check "red's honest words leave" dissect_has up 2 has:red-honest
for at in blue:a:10.0.0.1 green:c:10.7.0.3; do
	IFS=: read -r tenant name ip <<<"$at"
	other=$(printf '%s' "$([ "$name" = a ] && echo c || echo a)")
	on $tenant-$other bash -c "echo own-word >/dev/udp/$ip/9"
	check "$tenant-$name hears its own" dissect_has $tenant-$name 1 has:own-word
done
capture_stop lo up wire blue-a green-c
is "no service of h1 heard red's frames" "$(heard h1)" "$before"
is "nor one of h2" "$(heard h2)" 0
is "blue got none of them" "$(dissect blue-a -C has:red-)" 0
is "green got none of them" "$(dissect green-c -C has:red-)" 0
is "none of them went to h1 itself" "$(dissect lo -C has:red-evil)" 0
evil=$(dissect up has:red-evil eth.src="$(mac_on h1 up0)")
note "of $(wc -l <$WORK/frames) kinds of frames, these left by the uplink:"$'\n'"$(
	sed -E 's/.*(ip6?\.src=[^ ]*).*(ip6?\.dst=[^ ]*).*/\1 \2/' <<<"$evil" | sort | uniq -c)"
is "what left has the host's own source" "$(grep -cv -e ip.src=203.0.113.1 \
	-e ip6.src=2001:db8:9::1 <<<"$evil" || true)" 0
is "and nothing for local, private or foreign tenants' addresses" "$(captured up 'net 10.0.0.0/8 or
	net fd00::/8 or net 127.0.0.0/8 or net 169.254.0.0/16 or net 192.0.2.0/24')" 0
is "no tunnel frame of red's making left h1" "$(dissect wire -C udp.dport=4789 vxlan.vni=200 \
	has:red-evil)" 0

# ---- into another tenant's flows -------------------------------------------------------------

# A flow of blue-c's with the server, of which red knows all.
cat >$WORK/flow.py <<-'END'
	import select, socket, sys
	sys.path.insert(0, sys.argv[1])
	from netns import inside
	def udp(ns, port):
	    with inside(ns):
	        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	    s.setsockopt(socket.IPPROTO_IP, 11, 1)  # IP_RECVERR: ICMP errors are heard
	    s.bind(("0.0.0.0", port))
	    s.settimeout(5)
	    return s
	server, blue = udp("out", 5000), udp("blue-c", 4000)
	blue.connect(("203.0.113.9", 5000))
	blue.send(b"blue")
	_, at = server.recvfrom(100)
	print("port", at[1], flush=True)
	for line in open(sys.argv[2]):
	    server.sendto(b"answer", at)
	    print("blue got", blue.recv(100).decode(), flush=True)
	    more = select.select([blue], [], [], 0)[0]
	    print("and", blue.recv(100) if more else "nothing", flush=True)
	    break
END
mkfifo $WORK/go
exec 7<>$WORK/go # both ends, so that opening it waits for nobody
bg out "$PY" $WORK/flow.py "$TOOLS" $WORK/go
FLOW=$BG_LOG
retry 5 grep -q port "$FLOW"
PORT=$(awk '/port/ { print $2 }' "$FLOW")
inner="ip src=203.0.113.1 dst=$SERVER4 / udp sport=$PORT dport=5000"
inside="ip src=10.0.0.3 dst=$SERVER4 / udp sport=4000 dport=5000"
# By the program in front of conntrack, or behind it by nftables, which sees ICMP alone.
foreign_frames() { echo $(($(drops h1 foreign_flow red) + $(rules_count h1 foreign_flow))); }
more_foreign() { [ "$(foreign_frames)" -gt "$foreign" ]; }
foreign=$(foreign_frames)
capture blue blue-c eth0
{
	for src in 10.0.0.1 $SERVER4; do
		echo "$from / ip src=$src dst=203.0.113.1 / udp sport=5000 dport=$PORT" \
			"/ text red-forged"
	done
	for error in "type=3 code=3 id=0 seq=0" "type=3 code=4 id=0 seq=600" \
		"type=11 code=0 id=0 seq=0"; do
		for about in "$inner" "$inside"; do
			for to in 203.0.113.1 $SERVER4; do
				echo "$from / ip src=10.0.0.1 dst=$to / icmp $error / $about" \
					"/ text red-forged"
			done
		done
	done
} | inject red-a eth0 -
# shellcheck disable=SC2086 # words of a frame
inject red-c eth0 ${from/:01 /:03 } / $inside / text red-forged
check "red's forged errors about blue's flow are refused as such" retry 5 more_foreign
echo go >&7
check "blue's flow goes on" retry 5 grep -q '^and' "$FLOW"
is "and blue has heard nothing else" "$(tail -n 2 "$FLOW" | tr '\n' ' ')" \
	"blue got answer and nothing "

# What the world began with blue's published port: an answer of red's, from the same address.
sw h1 publish add blue proto udp port 5853 to 10.0.0.1:53
capture asked blue-a eth0 udp port 53
capture answers h1 up0 udp and src port 5853
on out "$PY" -c "import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('$SERVER4', 5353))
s.sendto(b'asked', ('203.0.113.1', 5853))"
check "the world asks blue" capture_has asked 1
foreign=$(foreign_frames)
inject red-a eth0 $from / ip src=10.0.0.1 dst=$SERVER4 / udp sport=53 dport=5353 / text red-forged
check "and red's answer in its place is refused" retry 5 more_foreign
capture_stop asked
capture_stop answers
is "so that the world does not hear it" "$(captured answers)" 0
sw h1 publish del blue proto udp port 5853
capture_stop blue
is "nor did its device" "$(dissect blue -C has:red-)" 0
exec 7>&-

# A published port of blue's: red takes it for the source of a flow of its own, before the client
# comes from where that goes.
sw h1 publish add blue proto udp port 5080 to 10.0.0.1:80
capture blue blue-a eth0
capture red red-a eth0
send() { # NS FROM-PORT ADDRESS PORT TEXT
	on "$1" "$PY" -c 'import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", int(sys.argv[1])))
s.sendto(sys.argv[4].encode(), (sys.argv[2], int(sys.argv[3])))' "${@:2}"
}
capture up h1 up0 udp
port=6000
for leaves in 203.0.113.1 203.0.113.77; do # as the host, and as an address of its own
	[ $leaves = 203.0.113.1 ] || sw h1 gateway set red snat $leaves
	send red-a 5080 $SERVER4 $port red-first
	send red-a 7777 $SERVER4 $((port + 1)) red-first
	check "red's datagrams leave as $leaves" \
		capture_has up 2 udp dst portrange $port-$((port + 1)) and src $leaves
	send out $port $leaves 5080 for-blue
	check "what is for blue's published port comes to blue" \
		dissect_has blue 1 has:for-blue udp.sport=$port
	send out $((port + 1)) $leaves 7777 for-host-$port
	check "what is for the host's service comes to the host" \
		retry 5 grep -q for-host-$port "${HEARD[h1]}"
	send out $((port + 2)) $leaves 5080 for-blue
	check "another client's, too" dissect_has blue 1 has:for-blue udp.sport=$((port + 2))
	port=$((port + 10))
done
sw h1 gateway set red snat none
capture_stop blue red up
is "red got none of it" "$(dissect red -C has:for-)" 0
sw h1 publish del blue proto udp port 5080

# Fragments of two datagrams that differ by nothing but their tenant.
capture up h1 up0
blue_from=${from/$GW/02:74:00:00:00:c8}
words() { # TEXT: eight times
	local eight='        '

	echo "${eight// /$1}"
}
datagram4="ip src=10.0.0.1 dst=$SERVER4 / udp sport=4002 dport=9 csum=0 / text"
datagram6="ip6 src=fd00::1 dst=$SERVER6 / frag6 id=777 nh=17"
# shellcheck disable=SC2086 # words of a frame
{
	inject red-a eth0 $from / $datagram4 "$(words a-part-)" / fragment at=48 part=1
	inject blue-a eth0 $blue_from / $datagram4 "$(words b-part-)" / fragment at=48 part=2
	inject blue-a eth0 $blue_from / $datagram6 m=1 / hex 0fa2000900480000 \
		/ text "$(words part-)"
	inject red-a eth0 $from / $datagram6 off=48 / text "$(words red)"
}
on red-a ping -n -c 1 -W 0.2 -s 3000 $SERVER4 >/dev/null || true
check "a tenant's own fragments are put together" capture_has up 2 icmp and src 203.0.113.1
capture_stop up
is "two tenants' are not" "$(dissect up -C has:-part-)" 0
is "nor in IPv6" "$(captured up 'ip6 and not icmp6')" 0

# ---- the world, and tenants --------------------------------------------------------------------

for ns in out evil; do
	ip -n $ns route add 10.0.0.0/8 via 203.0.113.1
	ip -n $ns route add 192.0.0.0/24 via 203.0.113.1
	ip -n $ns -6 route add fd00::/8 via 2001:db8:9::1
done
for tenant in red green; do
	capture $tenant $tenant-a eth0
	capture $tenant-c $tenant-c eth0
done
capture gw h1 tsw-gw
TENANTS=(10.0.0.1 10.0.0.3 10.0.0.254 10.7.0.1 10.7.0.3 fd00::1 fd00::3 fd00::fe fd07::1 192.0.0.8)
for ns in out evil; do
	is "$ns, which routes to the tenants by h1, reaches none" "$(asks $ns "${TENANTS[@]}")" ""
done
on red-a "$PY" -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 4001))
s.sendto(b"red-asks", ("203.0.113.9", 5001))'
at="eth src=$(mac_on evil eth0) dst=$(mac_on h1 up0)"
{
	# In the server's name, to the endpoint itself; to a port that nobody has; as errors.
	echo "$at / ip src=$SERVER4 dst=10.0.0.1 / udp sport=5001 dport=4001 / text world"
	echo "$at / ip src=$SERVER4 dst=203.0.113.1 / udp sport=5002 dport=4001 / text world"
	echo "$at / ip src=10.0.0.3 dst=10.0.0.1 / udp sport=5001 dport=4001 / text world"
	echo "$at / ip src=10.0.0.254 dst=10.7.0.1 / icmp / text world"
	echo "$at / ip6 src=$SERVER6 dst=fd00::1 / udp / text world"
	echo "$at / ip6 src=fd00::3 dst=fd00::1 / udp / text world"
	for to in 203.0.113.1 10.0.0.1; do
		echo "$at / ip src=203.0.113.66 dst=$to / icmp type=3 code=3 id=0 seq=0" \
			"/ ip src=10.0.0.1 dst=$SERVER4 / udp sport=4001 dport=5001 / text world"
	done
	echo "$at / ip src=203.0.113.66 dst=203.0.113.1 opts=8307040a000001 / udp" \
		"/ text world"
	echo "${at/dst=*/dst=ff:ff:ff:ff:ff:ff} / ip src=$SERVER4 dst=10.0.0.1 / udp / text world"
} | inject evil eth0 -
for ns in red-a red-c green-a green-c; do
	check "$ns still has its way" on $ns ping -n -c 1 -W 10 $SERVER4
done
capture_stop gw red red-c green green-c
for name in gw red red-c green green-c; do
	is "nothing of the world's came to $name" "$(dissect $name -C has:world)" 0
done
is "what came to tsw-gw for tenants was asked for" \
	"$(captured gw "src host 203.0.113.66 or src host 2001:db8:9::66")" 0

# ---- somebody flushes the rules ----------------------------------------------------------------

before=$(heard h1)
check "before that, all is in order" healthy h1
router h1 nft flush ruleset
capture up h1 up0 'net 10.0.0.0/8 or net fd00::/8 or host 203.0.113.9'
capture red red-a eth0
capture blue blue-a eth0
for ns in red-a red-c; do
	is "flushed: $ns reaches nothing of the hosts'" "$(asks $ns "${reachable[@]}" $SERVER4)" ""
done
for ns in out evil; do
	is "flushed: $ns reaches no tenant" "$(asks $ns "${TENANTS[@]}")" ""
done
inject red-a eth0 - <$WORK/frames
on h1 ping -n -c 1 -W 10 $SERVER4 >/dev/null
check "flushed: the host itself goes on" capture_has up 2 icmp
check_fails "switch check finds it" healthy h1
capture_stop up red blue
is "flushed: nothing of a tenant's left the host" "$(captured up \
	'src net 10.0.0.0/8 or src net fd00::/8')" 0
is "flushed: not by another name either" "$(dissect up -C has:red-)" 0
is "flushed: nothing of red's came to blue" "$(dissect blue -C has:red-)" 0
is "flushed: no service of the host heard anything" "$(heard h1)" "$before"
check "switch repair mends it" sw h1 switch repair
check "and says so" healthy h1
for ns in "${ALL[@]}"; do
	check "$ns reaches the server again" reach $ns $SERVER4
	check "$ns reaches the server again, IPv6" reach $ns $SERVER6
done
finish
