#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a ─ h1 192.0.2.1 ─── 192.0.2.2 h2
#
# The examples of docs/endpoints.md: a switch that knows another host, and a container's device.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"

topo_hosts h1 h2
container red a h1 10.0.0.5/29 mac 02:00:00:00:00:05 endpoint off
machines h1
check "a switch" at h1 "$TSW" switch up dev eth0
check "that knows another host" at h1 "$TSW" host add h2 ip 192.0.2.2
runs docs/endpoints.md h1
finish
