#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a   10.0.0.1 ─┐
#   blue-a  10.1.0.1 ─┤                                 ┌─ red-c   10.0.0.3
#   green-a 10.2.0.1 ─┼─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─┼─ blue-c  10.1.0.3
#                     └─ up1 ── world 198.51.1.2        └─ green-c 10.2.0.3
#
# Peerings: two tenants that both agreed reach each other through their gateways, on one host and on
# two, both ways and no further. With one half only, with a port, with a prefix, and after its end.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1 h2
switch_up
tenants red 100 blue 200 green 300
sysctl_in h1 net.ipv6.conf.{all,default}.disable_ipv6=0
uplink h1 world 1
n=0
for tenant in red blue green; do
	for host in h1 h2; do
		there=$([ $host = h1 ] || echo "host h1")
		# shellcheck disable=SC2086 # two words or none
		sw $host gateway add $tenant ip 10.$n.0.254/24 ip fd0$n::fe/64 $there
	done
	container $tenant a h1 10.$n.0.1/24 fd0$n::1/64
	container $tenant c h2 10.$n.0.3/24 fd0$n::3/64
	for name in a c; do
		way_out $tenant-$name 10.$n.0.254 fd0$n::fe
		serve $tenant-$name 7000 7001
	done
	n=$((n + 1))
done
serve world 7000

both() { for host in h1 h2; do sw $host "$@"; done; } # on each host
not_peered() { # of all hosts, by the programs and by the router's rules
	echo $(($(drops h1 not_peered "$@") + $(drops h2 not_peered "$@")))
}
# closed DESC NS PROTO ADDRESS PORT: nothing comes back, and the drop is counted
closed() {
	local before

	before=$(not_peered)
	silent "$@"
	check "$1: counted as not_peered" test "$(not_peered)" -gt "$before"
}
# reaches FROM: red's and blue's endpoints each other, here and there, by IPv4 and IPv6
all_ways() { # DESC
	answers "$1: here" red-a both 10.1.0.1 7000 "blue-a 10.0.0.1"
	answers "$1: to the other host" red-a both 10.1.0.3 7000 "blue-c 10.0.0.1"
	answers "$1: from the other host" red-c both 10.1.0.1 7001 "blue-a 10.0.0.3"
	answers "$1: between two on the other host" red-c both 10.1.0.3 7000 "blue-c 10.0.0.3"
	answers "$1: the other way" blue-a both 10.0.0.1 7000 "red-a 10.1.0.1"
	answers "$1: the other way, across" blue-c both 10.0.0.1 7000 "red-a 10.1.0.3"
	answers "$1: IPv6" red-a both fd01::1 7000 "blue-a fd00::1"
	answers "$1: IPv6, across" blue-a both fd00::3 7000 "red-c fd01::1"
}
others_closed() { # DESC
	no_answer "$1: not the third tenant" green-a both 10.0.0.1 7000
	no_answer "$1: nor to it" red-a both 10.2.0.1 7000
	answers "$1: the world as ever" red-a both 198.51.1.2 7000 "world 198.51.1.1"
}

no_answer "no half" red-a both 10.1.0.1 7000
both peer add red with blue
closed "one half" blue-a both 10.0.0.1 7000
no_answer "one half, the other way" red-a both 10.1.0.1 7000
both peer add blue with red
all_ways "all"
others_closed "all"
check "ping, one hop on the way" reach red-a 10.1.0.3
hop() { # NS IP: who says that the packet's time is over
	{ on "$1" ping -n -c 1 -W 2 -t 1 "$2" || true; } |
		sed -nE 's/^From ([0-9a-f.:]+)[: ].*/\1/p'
}
comes "the hop is the gateway" 10.0.0.254 hop red-a 10.1.0.1
comes "IPv6: the hop is the gateway" fd00::fe hop red-a fd01::1
comes "a port where nobody listens is told as such" "Connection refused" \
	ask red-a udp 10.1.0.1 99
is "by TCP too, across" "$(ask red-a tcp 10.1.0.3 99)" "Connection refused"
is "equal ports both ways at once" "$(ask red-a udp 10.1.0.1 7000 from=5555) \
$(ask blue-a udp 10.0.0.1 7000 from=5555)" "blue-a 10.0.0.1 red-a 10.1.0.1"

pushes "a megabyte" red-a 10.1.0.1 7000
pushes "a megabyte, across" red-c 10.1.0.1 7000
pushes "a megabyte, IPv6, across" blue-a fd00::3 7000

# A gateway on the other host.
check "blue's gateway moves to h2" sw h1 gateway set blue host h2
sw h2 gateway set blue host h2
all_ways "gateways on two hosts"
no_answer "gateways on two hosts: not the third tenant" green-a both 10.1.0.1 7000
pushes "gateways on two hosts: a megabyte" red-a 10.1.0.3 7000
is "gateways on two hosts: nobody listens" "$(ask red-a tcp 10.1.0.3 99)" "Connection refused"
sw h1 gateway set red host h2
sw h2 gateway set red host h2
answers "both on the other" red-a both 10.1.0.1 7000 "blue-a 10.0.0.1"
answers "both on the other, across" blue-c both 10.0.0.1 7000 "red-a 10.1.0.3"
for tenant in red blue; do
	sw h1 gateway set $tenant host h1
	sw h2 gateway set $tenant host h1
done
answers "both back" red-a both 10.1.0.3 7000 "blue-c 10.0.0.1"

# Half of it taken back while connections run.
held red-a tcp 10.1.0.1 7000
tcp=$HELD
held red-c udp 10.1.0.1 7000
udp=$HELD
both peer del blue with red
HELD=$tcp
check "taken back: an established connection ends" ended
HELD=$udp
check "and a flow of datagrams" ended
no_answer "and no new one begins" red-a both 10.1.0.1 7000
closed "nor the other way" blue-c both 10.0.0.1 7000

# One port.
both peer add blue with red proto tcp port 7000
answers "one port" red-a tcp 10.1.0.1 7000 "blue-a 10.0.0.1"
answers "one port, across" red-c tcp 10.1.0.3 7000 "blue-c 10.0.0.3"
answers "one port, the other way" blue-a tcp 10.0.0.3 7000 "red-c 10.1.0.1"
closed "one port, not another" red-a tcp 10.1.0.1 7001
closed "one port, not its UDP" red-a udp 10.1.0.1 7000
before="$(not_peered blue) $(not_peered null)" of_red=$(not_peered red)
silent "one port, another" red-a udp 10.1.0.1 7001
check "the router's rules count it by its tenant" test "$(not_peered red)" -gt "$of_red"
is "and for nobody else" "$(not_peered blue) $(not_peered null)" "$before"
forbids() { js h1 trace from a tenant red to 10.1.0.1 proto "$@" \
	'[.[0].problems[] | select(.what == "not_peered")] | length'; }
is "trace: the open port" "$(forbids tcp port 7000)" 0
is "trace: what the peering forbids" "$(forbids tcp port 7001)$(forbids udp port 7000)" 11
is "trace: no ping" "$(forbids icmp)" 1
check "one port, no ping" no_reach red-a 10.1.0.1
held red-a tcp 10.1.0.3 7000
both peer del red with blue
check "taken back by the other one: it ends" ended

# Prefixes: of red what is in 10.0.0.0/31 alone, of blue all.
both peer add red with blue prefix 10.0.0.0/31
answers "prefix: who is in it" red-a tcp 10.1.0.3 7000 "blue-c 10.0.0.1"
answers "prefix: and is reached" blue-a tcp 10.0.0.1 7000 "red-a 10.1.0.1"
closed "prefix: who is not" red-c tcp 10.1.0.3 7000
no_answer "prefix: nor is reached" blue-a tcp 10.0.0.3 7000
no_answer "prefix: no IPv6 in it" blue-a tcp fd00::1 7000
both peer del red with blue
both peer del blue with red

# Several peers of one tenant do not become each other's.
for other in blue green; do
	both peer add red with $other
	both peer add $other with red
done
answers "two peers: one" red-a both 10.1.0.3 7000 "blue-c 10.0.0.1"
answers "two peers: the other" red-a both 10.2.0.3 7000 "green-c 10.0.0.1"
no_answer "not through red" blue-a both 10.2.0.1 7000
answers "a peer publishes too" blue-a both 10.0.0.1 7000 "red-a 10.1.0.1"
check "the rules are whole" sw h1 switch check
finish
