#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2
#
# The examples of docs/encryption.md: two hosts without switches. Where the kernel has no WireGuard,
# as it may be here, `make test-all` runs them in Linux 6.12.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"

[ "$("$TSW" -j features | gojq .wireguard)" = true ] || {
	skip "encryption" "this kernel has no WireGuard" && finish && exit
}
topo_hosts h1 h2
machines h1 h2
runs docs/encryption.md h1 h2
finish
