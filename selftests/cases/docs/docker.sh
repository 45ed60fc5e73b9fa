#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: docker/plugin makes the same calls
#
# The examples of docs/docker.md, with Docker's own daemon: a host without a switch.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"
. "$LIB/lib_dockerd.sh"

dockerd_need
topo_hosts h1 h2
machines h1
mkdir -p /run/docker
at h1 mount -t tmpfs tmpfs /run/docker
# shellcheck disable=SC2016 # its own words
STATE_DIRECTORY=/var/lib/tsw-docker bg h1 nsenter -t "${MACHINE[h1]}" -m -n sh -c '
	mkdir /var/lib/tsw-docker && exec systemd-socket-activate --accept --inetd \
		-E STATE_DIRECTORY -l /run/docker/plugins/tsw.sock "$0"' "$PLUGIN"
retry 5 at h1 test -S /run/docker/plugins/tsw.sock
undo retry 5 no_cgroups
mkdir -p $DOCKERD/h1
SERVED[h1]=${MACHINE[h1]} WORDS[h1]=''
daemon_begins h1
image h1
export PATH=/usr/bin:$PATH DOCKER_HOST=unix://$DOCKERD/h1/sock
runs docs/docker.md h1
docker rm -f web >/dev/null
finish
