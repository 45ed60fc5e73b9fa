#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a ─ h1 192.0.2.1 ─── 192.0.2.2 h2
#
# The examples of docs/operations.md: a host without a switch, and a container's device.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"

topo_hosts h1 h2
container red a h1 10.0.0.1/24 endpoint off
machines h1
runs docs/operations.md h1
finish
