#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   world 198.51.1.2 ── up1 ┐
#   red-a 10.0.0.1 ─────────┤
#   red-b 10.0.0.2 ─────────┼─ h1 192.0.2.1 ──┬── 192.0.2.2 h2 ┬─ red-c 10.0.0.3
#   blue-a 10.0.0.1 ────────┘                 └── 192.0.2.3 h3 └─ blue-c 10.0.0.3
#
# Published ports: from an uplink and from the wire (h3, a host without a switch) to endpoints here
# and on h2, which see the client's own address. Also from inside the tenant. Nothing else is
# reached.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1 h2 h3
HOSTS=(h1 h2)
switch_up
tenants
sysctl_in h1 net.ipv6.conf.{all,default}.disable_ipv6=0
uplink h1 world 1
for tenant in red blue; do
	container $tenant a h1 10.0.0.1/24 fd00::1/64
	container $tenant c h2 10.0.0.3/24 fd00::3/64
	sw h1 gateway add $tenant ip 10.0.0.254/24 ip fd00::fe/64
	sw h2 gateway add $tenant ip 10.0.0.254/24 ip fd00::fe/64 host h1
	for name in a c; do
		way_out $tenant-$name 10.0.0.254 fd00::fe
		serve $tenant-$name 8080 9090
	done
done
container red b h1 10.0.0.2/24 fd00::2/64
way_out red-b 10.0.0.254 fd00::fe
serve world 7000

# refused COUNT: the host itself got that many datagrams for a port where nobody waits.
refused() { [ "$(no_ports)" -ge "$1" ]; }
# shellcheck disable=SC2016 # awk's
no_ports() { on h1 awk '$1 == "Udp:" { n = $3 } END { print n }' /proc/net/snmp; }
publish() { # TENANT PORT TARGET
	for proto in tcp udp; do sw h1 publish add "$1" proto $proto port "$2" to "$3"; done
}
no_answer "not published" world tcp 198.51.1.1 80
publish red 80 10.0.0.1:8080
publish red 81 10.0.0.3:8080
publish red 80 '[fd00::1]:8080'
publish red 81 '[fd00::3]:8080'
publish blue 90 10.0.0.1:8080
publish blue 91 10.0.0.3:8080
publish blue 90 '[fd00::1]:8080'

answers "to an endpoint here" world both 198.51.1.1 80 "red-a 198.51.1.2"
answers "to one on another host" world both 198.51.1.1 81 "red-c 198.51.1.2"
ip -n h1 neigh flush dev eth0
answers "its host's neighbour entry is gone" world udp 198.51.1.1 81 "red-c 198.51.1.2"
answers "from the wire" h3 both 192.0.2.1 80 "red-a 192.0.2.3"
answers "from the wire, to another host" h3 both 192.0.2.1 81 "red-c 192.0.2.3"
silent "but no tunnel's end, which no tenant may send to" h2 both 192.0.2.1 81
answers "at another address of the host" world both 198.51.1.1 90 "blue-a 198.51.1.2"
answers "the other tenant, elsewhere" world both 198.51.1.1 91 "blue-c 198.51.1.2"
answers "IPv6" world both fd51:1::1 80 "red-a fd51:1::2"
answers "IPv6, to another host" world both fd51:1::1 81 "red-c fd51:1::2"
answers "IPv6, the other tenant" world both fd51:1::1 90 "blue-a fd51:1::2"

# Two tenants with the same addresses, the same port of the asker, one after the other and at once.
for proto in tcp udp; do
	is "$proto: red by port 5555" "$(ask world $proto 198.51.1.1 80 from=5555)" \
		"red-a 198.51.1.2"
	is "$proto: blue by port 5555" "$(ask world $proto 198.51.1.1 90 from=5555)" \
		"blue-a 198.51.1.2"
done
held world tcp 198.51.1.1 80 from=6666
red=$HELD_LOG
held world tcp 198.51.1.1 90 from=6666
check "both at once: blue" goes_on
HELD_LOG=$red
check "both at once: red" goes_on
is "each by its own" "$(sort -u "$red" "$BG_LOG")" "blue-a 198.51.1.2
red-a 198.51.1.2"

# More than one frame: what the tenant's narrower way takes is told to the world.
pushes "a megabyte" world 198.51.1.1 80
pushes "a megabyte to another host" world 198.51.1.1 81
pushes "a megabyte, IPv6, to another host" world fd51:1::1 81
pushes "a megabyte from inside, to another host" red-b 198.51.1.1 81

# From inside: the endpoint answers to the gateway, which the asker sees nothing of.
answers "hairpin" red-b both 198.51.1.1 80 "red-a 10.0.0.254"
answers "hairpin, to itself" red-a both 198.51.1.1 80 "red-a 10.0.0.254"
answers "hairpin, to another host" red-b both 198.51.1.1 81 "red-c 10.0.0.254"
answers "hairpin, from another host" red-c both 198.51.1.1 80 "red-a 10.0.0.254"
answers "hairpin, IPv6" red-b both fd51:1::1 80 "red-a fd00::fe"

# The endpoint goes on to the world by itself, from the same port too.
answers "an endpoint's own way out" red-a both 198.51.1.2 7000 "world 198.51.1.1"
is "from the port that is published" "$(ask red-b udp 198.51.1.2 7000 from=8080)" \
	"world 198.51.1.1"

# All else stays closed.
serve h1 7777
for proto in tcp udp; do
	for where in "198.51.1.1 82" "198.51.1.1 8080" "198.51.1.1 9090" "fd51:1::1 91"; do
		# shellcheck disable=SC2086 # address and port
		no_answer "closed to the world: $where" world $proto $where
	done
	# shellcheck disable=SC2086
	for where in "198.51.1.1 90" "198.51.1.1 7777" "192.0.2.1 7777" "fd51:1::1 7777"; do
		no_answer "closed to red: $where" red-b $proto $where
	done
done
ip -n world route add 10.0.0.0/24 via 198.51.1.1
ip -n world route add fd00::/64 via fd51:1::1
for proto in tcp udp; do
	no_answer "an endpoint's own address" world $proto 10.0.0.1 8080
	no_answer "of IPv6" world $proto fd00::1 8080
done
is "the host itself is not the world" "$(ask h1 tcp 198.51.1.1 80)" "Connection refused"
is "a server of the host itself is not hidden" "$(ask world tcp 198.51.1.1 7777)" \
	"h1 198.51.1.2"

# ICMP: a port at the endpoint where nobody listens is told as such; TTLs end on the way.
sw h1 publish add red proto udp port 99 to 10.0.0.1:99
sw h1 publish add red proto tcp port 99 to 10.0.0.3:99
comes "nobody listens at the endpoint" "Connection refused" ask world udp 198.51.1.1 99
is "nor at the one elsewhere" "$(ask world tcp 198.51.1.1 99)" "Connection refused"

# Taken away: new connections, and those that were there.
held world tcp 198.51.1.1 81
tcp=$HELD tcp_log=$HELD_LOG
held world udp 198.51.1.1 81
for proto in tcp udp; do sw h1 publish del red proto $proto port 81; done
check "published no more: an established UDP flow ends" ended
HELD=$tcp HELD_LOG=$tcp_log
check "and an established TCP connection" ended
no_answer "nor does a new one begin" world tcp 198.51.1.1 81
answers "other ports go on" world both 198.51.1.1 80 "red-a 198.51.1.2"

# A client that was there first, sending to nobody, is served as soon as the port is published.
bg world "$PY" -c '
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 5000))
s.settimeout(0.1)
for _ in range(100):
    try:
        s.sendto(b"who", ("198.51.1.1", 85))
        print(s.recv(99).decode(), flush=True)
        sys.exit()
    except OSError:
        time.sleep(0.05)
sys.exit(1)'
retry 5 refused $(($(no_ports) + 2))
sw h1 publish add red proto udp port 85 to 10.0.0.1:8080
ends_well "a client that has been sending since before"

# An uplink that came behind the gateway: what comes by it is the host's until a command sees it.
uplink h1 later 2
no_answer "a later uplink" later tcp 198.51.2.1 80
is "switch check tells it" "$({ sw h1 -j switch check || true; } |
	gojq -c '[.problems[], .warnings[] | .what + " " + .object] | unique')" \
	'["uplink tsw-up"]'
check "switch repair" sw h1 switch repair
answers "by which it is one" later both 198.51.2.1 80 "red-a 198.51.2.2"

# The gateway moves away: its ports are closed here.
sw h1 gateway set red host h2
for ip in 198.51.1.1 fd51:1::1; do
	is "the gateway is elsewhere: the host tells that nobody is at $ip" \
		"$(ask world tcp $ip 80) $(ask world udp $ip 80)" "Connection refused Connection refused"
done
check "in order" sw h1 switch check
sw h1 gateway set red host h1
answers "and here again" world both 198.51.1.1 80 "red-a 198.51.1.2"
sw h1 endpoint del a tenant red
silent "the endpoint is gone" world both 198.51.1.1 80
check "which is counted" test "$(drops h1 unknown_destination red)" -gt 0
finish
