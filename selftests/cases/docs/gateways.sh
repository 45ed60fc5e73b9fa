#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a ─ h1 192.0.2.1 ─── h2, h3      world 198.51.1.2 ─ h1
#
# The examples of docs/gateways.md: a switch with a tenant that has no way out yet.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1 h2 h3
container red a h1 10.0.0.1/24 endpoint off
way_out red-a 10.0.0.254
uplink h1 world 1
machines h1
at h1 "$TSW" -b - <<'END'
switch up dev eth0 name h1
tenant add red id 100
host add h2 ip 192.0.2.2
host add h3 ip 192.0.2.3
endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a
END
runs docs/gateways.md h1
finish
