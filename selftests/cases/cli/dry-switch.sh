#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# --dry-run of the commands that change the switch itself: each changes nothing, and tells what the
# command then does, or refuses what the command refuses.
#
#   red-a 10.0.0.1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2     (h2 has no switch)
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_dry.sh"

topo_hosts h1 h2
ip -n h1 link add spare type veth peer name spare1
ip -n h1 addr add 198.51.100.1/24 dev spare
ip -n h1 link set spare up
undo sw h1 switch down

# ---- none is up -------------------------------------------------------------------------

would h1 switch down
would h1 switch upgrade
would h1 switch set zone east
would h1 switch rekey
would h1 switch up dev nodev
would h1 switch up dev spare1
would h1 switch up dev eth0 local 203.0.113.9
would h1 switch up dev eth0 port 6081
mkdir -m 700 /var/lib/tsw
echo odd >/var/lib/tsw/h1.key # after a reboot only the key is left
would h1 switch up dev eth0
would h1 switch down
is "it removes the key" "$(lines)" "del file /var/lib/tsw/h1.key"
mkdir -p /run/tsw && chmod 777 /run/tsw
would h1 switch up dev eth0
chmod 700 /run/tsw
would h1 switch up dev eth0 local 192.0.2.1 name h1 max-endpoints 1000 max-tenants 10 zone west
# shellcheck disable=SC2153 # would() sets it
is "its words" "$(gojq -c '.[0] | [.change, .object, .name, .dev, .ip, .port, .max_endpoints, .zone]' \
	<<<"$SAID")" '["add","switch","h1",["eth0"],["192.0.2.1"],4789,1000,"west"]'

# ---- it is up ---------------------------------------------------------------------------

would h1 switch up dev eth0 local 192.0.2.1 name h1 max-endpoints 1000 max-tenants 10 zone west
is "the same words: nothing" "$SAID" "[]"
would h1 switch up dev eth0 port 4790
would h1 switch set zone east
is "was" "$(gojq -c '.[0]' <<<"$SAID")" \
	'{"change":"set","name":"h1","object":"switch","was":{"zone":"west"},"zone":"east"}'
would h1 switch set zone none
would h1 switch set xdp generic
is "its devices" "$(lines)" "set switch h1,set programs eth0"
would h1 switch set dev eth0 dev spare
would h1 switch set dev eth0 xdp off
would h1 switch set local 203.0.113.9
would h1 switch set local 198.51.100.1
would h1 switch set local 192.0.2.1
would h1 switch set nat-ports 4000-5000
would h1 switch set nat-ports 20000-29999 closed 10.1.0.0/16
would h1 switch upgrade
is "it has these programs" "$SAID" "[]"
said=$(sw h1 -j -f --dry-run switch upgrade)
is "-f" "$(gojq -c 'map([.change, .object, .name])' <<<"$said")" '[["set","programs","h1"]]'
would h1 switch rekey
ip -n h1 link del tsw-vx
would h1 switch up dev eth0 xdp off max-endpoints 1000 max-tenants 10
is "what is lost comes back" "$(lines)" "add device tsw-vx"

# ---- with objects -----------------------------------------------------------------------

sw h1 tenant add red id 100
container red a h1 10.0.0.1/24 endpoint off
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a
sw h1 tenant add blue id 200
sw h1 gateway add red ip 10.0.0.254/24 host h1 2>/dev/null
before=$(whole h1)
echo 'tenant add green id 300
switch down' >$WORK/batch
sw h1 --dry-run -b $WORK/batch >/dev/null 2>$WORK/err || true
is "a batch with others: refused" "$(grep -o 'line 2.*alone' $WORK/err)" \
	'line 2: switch down: a dry run of switch, cluster or agent commands stands alone'
tac $WORK/batch >$WORK/batch2
sw h1 --dry-run -b $WORK/batch2 >/dev/null 2>$WORK/err || true
is "in either order" "$(grep -c 'line 2.*alone' $WORK/err)" 1
is "and nothing changed" "$(whole h1)" "$before"
check "while another command has the lock" eval "flock /run/tsw/h1 sleep 1 & sleep 0.2;
	sw h1 -w 5 --dry-run switch down >/dev/null; wait"
would h1 switch down
is "objects, too" "$(gojq -r 'map(select(.object | IN("tenant", "endpoint", "gateway")) |
	"\(.object) \(.name)") | sort | join(",")' <<<"$SAID")" \
	"endpoint red/a,gateway red,tenant blue,tenant red"

[ -z "${TSW_QUICK:-}" ] || { finish && exit 0; }

# ---- lost pins, and clsact --------------------------------------------------------------

would h1 switch up dev eth0 attach clsact max-endpoints 1000 max-tenants 10
rm /sys/fs/bpf/tsw/h1/maps/tsw_hosts
would_fail=$(sw h1 --dry-run switch up dev eth0 attach clsact 2>&1) || true
is "pins are gone: up cannot be told" "$(grep -o 'pins of switch "h1" were removed' <<<"$would_fail")" \
	'pins of switch "h1" were removed'
would h1 switch down
finish
