#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   h1 192.0.2.1 ─── h2 192.0.2.2 ─── h3 192.0.2.3
#
# The examples of docs/cluster.md, with the real etcd: three hosts without switches.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"

needs "a cluster" etcd
topo_hosts h1 h2 h3
machines h1 h2 h3
runs docs/cluster.md h1 h2 h3
finish
