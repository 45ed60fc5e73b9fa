#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A client sends UDP to a port of the host before the port is published, so conntrack knows the flow
# as one to the host itself. The flow is let in as soon as `publish add` runs, or as the tenant's
# gateway comes to this host.
#
#   world 198.51.1.2 ── h1 ┬── h2
#   red-a 10.0.0.1 ────────┘
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1 h2
HOSTS=(h1 h2)
switch_up
tenants
uplink h1 world 1
container red a h1 10.0.0.1/24
for host in h1 h2; do sw $host gateway add red ip 10.0.0.254/24 host h1; done
way_out red-a 10.0.0.254
serve red-a 8080

asks() { # PORT: one flow, without an end
	before=$(sent)
	bg world "$PY" -c "
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('', 5000 + $1))
s.setblocking(False)
while True:
    s.sendto(b'x', ('198.51.1.1', $1))
    time.sleep(0.02)
    try:
        print(s.recv(99), flush=True)
    except BlockingIOError:
        pass"
	retry 5 reached $((before + 3))
}
reached() { [ "$(sent)" -ge "$1" ]; }
# shellcheck disable=SC2016 # awk's
sent() { on world awk '$1 == "Udp:" { n = $5 } END { print n }' /proc/net/snmp; }
answered() { retry 5 grep -q red-a "$BG_LOG"; }

asks 80
sw h1 publish add red proto udp port 80 to 10.0.0.1:8080
check "sent before publish add" answered

for host in h1 h2; do sw $host gateway set red host h2; done
sw h1 publish add red proto udp port 81 to 10.0.0.1:8080
asks 81
sleep 0.5
is "while the gateway is elsewhere nobody gets in" "$(grep -c red-a "$BG_LOG" || true)" 0
for host in h2 h1; do sw $host gateway set red host h1; done
check "sent before the gateway came" answered
for host in h1 h2; do check "$host: switch check" sw $host switch check; done
finish
