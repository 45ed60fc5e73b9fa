#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a ─ h1 192.0.2.1 ─── 192.0.2.2 h2
#
# The examples of docs/state-file.md and docs/upgrade.md: a switch with a tenant.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"

topo_hosts h1 h2
container red a h1 10.0.0.1/24 endpoint off
machines h1
at h1 "$TSW" -b - <<'END'
switch up dev eth0 name h1
tenant add red id 100
host add h2 ip 192.0.2.2
endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a
END
runs docs/state-file.md h1
runs docs/upgrade.md h1
finish
