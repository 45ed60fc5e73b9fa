#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a, blue-a ─ br-red, br-blue ─ h1 192.0.2.1 ═══ .2 h2 ─ br-red, br-blue ─ red-c, blue-c
#
# The examples of docs/migrate.md: Linux bridges with vxlan devices become a switch.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"
. "$LIB/lib_migrate.sh"

topo_hosts h1 h2
for tenant in red blue; do
	id=$([ $tenant = red ] && echo 100 || echo 200)
	old_tenant h1 $tenant $id h2
	old_tenant h2 $tenant $id h1
	old_container $tenant a h1 10.0.0.1/24
	old_container $tenant c h2 10.0.0.3/24
done
ip -n h1 addr add 10.0.0.254/24 dev br-red
for ns in red-a red-c; do
	ip -n $ns route add default via 10.0.0.254
	check "old: $ns reaches its gateway" reach $ns 10.0.0.254
done
for tenant in red blue; do check "old: $tenant-a reaches $tenant-c" reach $tenant-a 10.0.0.3; done
machines h1 h2
runs docs/migrate.md h1 h2
finish
