#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What takes the fast way beside NAT: routed flows, `snat`, published ports, a peering, a second
# uplink. A command that ends such flows stops them at once. Upgrades, repairs and another tenant's
# crowd cost no datagram.
#
#   red-a  10.0.0.1 ─┐    ┌─ up0 203.0.113.1 ── out 203.0.113.9
#   blue-a 10.1.0.1 ─┴ h1 ┴─ up1 198.51.100.1 ─ far 198.51.100.9
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_fast.sh"

FAR4=198.51.100.9
topo_hosts h1 h2
outside h1
HOSTS=(h1)
netns far
ip -n h1 link add up1 type veth peer name eth0 netns far
ip -n h1 addr add 198.51.100.1/24 dev up1
ip -n far addr add $FAR4/24 dev eth0
ip -n h1 link set up1 up
ip -n far link set eth0 up
retry 5 carrier h1 up1
switch_up h1
sw h1 tenant add red id 4711
sw h1 tenant add blue id 4712
container red a h1 10.0.0.1/24 fd00::1/64 mtu 1450
container blue a h1 10.1.0.1/24 fd01::1/64 mtu 1450
leave red-a
ip -n blue-a route replace default via 10.1.0.254
ip -n blue-a -6 route replace default via fd01::fe
gateway red h1
gateway blue h1 ip 10.1.0.254/24 ip fd01::fe/64
count h1
for ns in out far red-a blue-a; do serve $ns $PORT; done

# fast DESC NS KIND ADDRESS SPORT [PORT]
fast() {
	beat "$2" "$2" "$3" "$4" "$5" 30 "${6:-$PORT}"
	way "$1, $3, $4" fast
	beat_end
}

# each NS ADDRESS SPORT SECONDS: numbered datagrams; on stdout those that were never answered
each() {
	bg "$1" "$PY" -c '
import select, socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", int(sys.argv[2])))
s.connect((sys.argv[1], int(sys.argv[3])))
s.setblocking(False)
sent, got, end = 0, set(), time.monotonic() + float(sys.argv[4])
def take(wait):
    while select.select([s], [], [], wait)[0]:
        got.add(s.recv(99))
        wait = 0
while time.monotonic() < end:
    sent += 1
    s.send(b"%d" % sent)
    take(0.002)
    if sent == 50:
        print("ready", flush=True)
time.sleep(0.5)
take(0.1)
print(f"{sent} sent, {sent - len(got)} lost", flush=True)' "$2" "$3" $PORT "$4"
	retry 5 grep -q ready "$BG_LOG"
}
none_lost() { # DESC
	wait $BG || not_ok "$1: it failed"
	note "$1: $(tail -n 1 "$BG_LOG")"
	check "$1: each datagram was answered" grep -q ' sent, 0 lost$' "$BG_LOG"
}

# ---- which go fast ----------------------------------------------------------------------

fast "a second uplink" red-a udp $FAR4 5000
sw h1 gateway set red snat 203.0.113.71 snat 2001:db8:9::71
ip -n out route add 203.0.113.71 via 203.0.113.1
ip -n out route add 2001:db8:9::71 via 2001:db8:9::1
fast "snat" red-a udp $SERVER4 5001
fast "snat" red-a tcp $SERVER6 5001
sw h1 gateway set red snat none

for to in '10.0.0.1' '[fd00::1]'; do
	for proto in tcp udp; do
		sw h1 publish add red proto $proto port 80 to "$to:$PORT"
	done
done
for to in 203.0.113.1 2001:db8:9::1; do
	for kind in tcp udp; do
		fast "a published port" out $kind $to 5002 80
	done
done
sw h1 peer add red with blue
sw h1 peer add blue with red
fast "a peering" red-a udp 10.1.0.1 5003
fast "a peering" blue-a tcp fd00::1 5003

# ---- what nothing is lost by ------------------------------------------------------------

each red-a $SERVER4 5010 5
for _ in 1 2 3; do
	check "an upgrade" sw h1 -f -q switch upgrade
	check "a repair" sw h1 switch repair
done
none_lost "upgrades and repairs"
each red-a $SERVER4 5011 6
sw h1 tenant set blue connections none # else a quarter of the ports, see limits.md
on blue-a "$PY" -c '
import socket, sys
for port in range(10000, 20000):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(1)
    s.bind(("", port))
    s.connect((sys.argv[1], int(sys.argv[2])))
    for _ in range(2):
        s.send(b"x")
        s.recv(9)
    s.close()' $SERVER4 $PORT || not_ok "the crowd is answered"
none_lost "a crowd of another tenant's flows"
check "the switch is fine" sw h1 switch check

# ---- what ends at once ------------------------------------------------------------------

beat out out udp 203.0.113.1 5020 60 80
stops "publish del" 150 sw h1 publish del red proto udp port 80 to 10.0.0.1:$PORT
beat red red-a udp 10.1.0.1 5021 60
stops "peer del" 150 sw h1 peer del red with blue
ip -n out route add 10.0.0.0/24 via 203.0.113.1
sw h1 gateway set red nat off
fast "routed" red-a udp $SERVER4 5022
beat red red-a tcp $SERVER4 5023 60
stops "the tenant goes" 150 sw h1 tenant del red force on
finish
