#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a, red-b ─ h1 192.0.2.1 ─── 192.0.2.2 h2 (c)
#
# The examples of docs/observe.md, docs/limits.md and docs/troubleshooting.md: a switch with a
# tenant and its gateway.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"

topo_hosts h1 h2
container red a h1 10.0.0.1/24 endpoint off
container red b h1 10.0.0.2/24 endpoint off
machines h1
at h1 "$TSW" -b - <<'END'
switch up dev eth0 name h1
host add h2 ip 192.0.2.2
tenant add red id 100 net 10.0.0.0/24
gateway add red ip 10.0.0.254/24
endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a
endpoint add b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 dev red-b
endpoint add c tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 host h2
END
runs docs/observe.md h1
runs docs/limits.md h1
runs docs/troubleshooting.md h1
finish
