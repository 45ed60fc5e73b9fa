#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cni/plugin makes the same calls
#
# The examples of docs/podman.md: a host without a switch, and podman, which has the page's file.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_podman.sh"

needs "containers of podman" podman crun
topo_hosts h1 h2
podman_up $PLUGINS
awk '/^```json/ { inside = 1; next } /^```/ { inside = 0 } inside' "$ROOT/docs/podman.md" \
	>$PODMAN/net.d/red.conflist
# This file hides Debian's, by which containers have no CAP_NET_RAW.
sed -n '/^default_capabilities/,/^]/p' /usr/share/containers/containers.conf >$WORK/capabilities
sed -i "/^\[containers]/r $WORK/capabilities" $PODMAN/containers.conf
machines h1
export CONTAINERS_CONF=$PODMAN/containers.conf CONTAINERS_STORAGE_CONF=$PODMAN/storage.conf \
	TMPDIR=$PODMAN/tmp
runs docs/podman.md h1
finish
