#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cli/dry-switch has all but keys and WireGuard's devices
# Dry runs of a switch that encrypts: its key file, its devices, and each step of a change of keys.
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2        etcd as in lib_cluster.sh
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_crypt.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_dry.sh"

if [ "$("$TSW" -j features | gojq .wireguard)" != true ]; then
	skip "dry runs with keys" "this kernel has no WireGuard"
	finish
	exit
fi
cluster_hosts h1 h2
undo sw h1 switch down

# keys: which keys the plan tells of the file, and which is used if that changes.
keys() { gojq -c '.[] | select(.object == "file") | [.keys, .used]' <<<"$SAID"; }

would h1 switch up dev eth0 name h1 encrypt wireguard
is "a key that is made" "$(keys)" '[["auto"],"auto"]'
would h1 switch set wg-port 6081 encrypt wireguard nat-ports 6000-6100
up h2 encrypt wireguard
sw h1 host add h2 ip 192.0.2.2 key "$(key h2)"
would h1 switch rekey
is "it waits for h2, so the old key is used" "$(keys)" "[[\"$(key h1)\",\"auto\"],null]"
would h1 switch rekey
is "while it waits: nothing" "$SAID" "[]"
would h1 switch rekey force on
is "force: the new one is used" "$(gojq -r '.[] | select(.object == "file") | .used' <<<"$SAID")" \
	"$(key h1)"
would h1 switch rekey
would h1 switch set encrypt off
would h1 switch set encrypt wireguard,mixed
would h1 switch down

# ---- a member of a cluster: its record gets the keys, too -----------------------------------

records() { store read /tsw/; }
would h1 switch up dev eth0 local 192.0.2.1 name h1 encrypt wireguard
would h1 cluster join etcd $URL name campus
would h1 switch rekey
is "the record" "$(gojq -r '.[] | select(.object == "record") | .name' <<<"$SAID" | sort)" \
	"$CLUSTER/host/
$CLUSTER/host/h1"
would h1 switch set encrypt off
finish
