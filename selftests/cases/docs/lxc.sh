#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2
#
# The examples of docs/lxc.md: two hosts without a switch.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"

topo_hosts h1 h2
machines h1 h2
runs docs/lxc.md h1 h2
finish
