#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2
#
# The examples of docs/vms.md, for a host without a switch, and then those of docs/policy.md.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"

topo_hosts h1 h2
machines h1
runs docs/vms.md h1
at h1 "$TSW" -b - <<'END'
host add h2 ip 192.0.2.2
endpoint add web1 tenant red mac 02:00:00:00:00:11 ip 10.0.0.11 host h2
endpoint add app1 tenant red mac 02:00:00:00:00:12 ip 10.0.0.12 host h2
endpoint add db1 tenant red mac 02:00:00:00:00:13 ip 10.0.0.13 host h2
END
runs docs/policy.md h1
finish
