#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: packet_gateway_drain has what may still be noted
# Each host serves the gateway. A flow that came by another host's gateway stays there while that
# host serves the tenant, and comes home afterwards.
#
#   red-c 10.0.0.1 ── h1 ═ underlay ═ h2 ── red-d 10.0.0.2
#                                     h3    no endpoint, but a published port
#                     up0 203.0.113.1 .2 .3, out 203.0.113.9
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1 h2 h3
outside h1 h2 h3
switch_up
tenants red 100
container red c h1 10.0.0.1/24
container red d h2 10.0.0.2/24
gateway red all
way_out red-c 10.0.0.254
for host in h2 h3; do
	for port in 7000 7001; do
		sw $host publish add red proto udp port $port to 10.0.0.1:$port
	done
done
serve red-c 7001

comes_by() { # DESC HOST PORT: a datagram from outside reaches red-c, which does not answer it
	ask out udp "203.0.113.${2#h}" 7000 from="$3" wait=0.1 >/dev/null
	serve out "$3"
	is "$1" "$(leaves_by "$3")" "$2"
}
leaves_by() { # PORT: the host that is seen outside, of the flow of red-c's that goes there
	ask red-c udp $SERVER4 "$1" from=7000 wait=0.5 | sed 's/.* 203.0.113./h/'
}
does_leave() { [ "$(leaves_by "$1")" = "$2" ]; }

comes_by "a flow stays with a host that has endpoints" h2 9000
comes_by "a flow stays with a host that has none" h3 9001
held out udp 203.0.113.3 7001
# h2 loses the tenant. That red-c sends on does not keep the flow there.
sw h1 endpoint del d tenant red
sw h2 tenant del red force on
check "h2 has lost the tenant: its flow comes home" retry 40 does_leave 9000 h1
sw h1 endpoint add e tenant red mac 02:00:00:00:00:05 host h2
is "h2 has it again: the flow stays at home" "$(leaves_by 9000)" h1
check "a flow that h3 brings goes on there" goes_on
kill "$HELD"
comes_by "it brings another flow" h3 9002
sw h1 host del h3
is "h1 forgets h3: its flow comes home at once" "$(leaves_by 9002)" h1
finish
