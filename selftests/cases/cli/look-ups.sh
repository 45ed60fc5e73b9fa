#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Who has that address, what is at that port, which switches does this machine have; and a host is
# deleted with what lives there.
#
#   red-a 10.0.0.1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2, 192.0.2.3 h3    (h2 and h3 have no switch)
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
switch_up h1
sw h1 host add h3 ip 192.0.2.3
sw h1 tenant add blue id 200
container red a h1 10.0.0.1/24 endpoint off
sw h1 tenant add red id 100
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 dev red-a
sw h1 endpoint add b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 vip 10.0.0.9 host h2
sw h1 endpoint add c tenant red mac 02:00:00:00:00:03 host h3
sw h1 endpoint add a tenant blue mac 02:00:00:00:00:01 ip 10.0.0.1 host h2

# found WORD...: the endpoints that `endpoint show WORD...` prints, as TENANT/NAME.
found() { sw h1 -j endpoint show "$@" | gojq -r '[.[] | .tenant + "/" + .name] | join(" ")'; }

is "all" "$(found)" "blue/a red/a red/b red/c"
is "by address, in each tenant" "$(found ip 10.0.0.1)" "blue/a red/a"
is "of one tenant" "$(found ip 10.0.0.1 tenant red)" "red/a"
is "by any of its addresses" "$(found ip fd00::1)" "red/a"
is "by both" "$(found ip fd00::1 ip 10.0.0.1)" "red/a"
is "by an address that it may announce" "$(found ip 10.0.0.9)" "red/b"
is "without an address" "$(found ip none)" "red/c"
is "by MAC" "$(found mac 02:00:00:00:00:02)" "red/b"
is "by device" "$(found dev red-a)" "red/a"
is "by host" "$(found host h2)" "blue/a red/b"
is "by the own host" "$(found host h1)" "red/a"
is "by several words" "$(found host h2 mac 02:00:00:00:00:01)" "blue/a"
is "nothing has it" "$(found ip 10.9.9.9)" ""
is "by name and place" "$(found a host h2)" "blue/a"
is "as text" "$(sw h1 endpoint show dev red-a)" "$(sw h1 endpoint show a tenant red)"
sw h1 endpoint set a tenant red to-host h3
is "where it moves to, too" "$(found host h3)" "red/a red/c"
check_fails "an unknown tenant" found ip 10.0.0.1 tenant nobody 2>/dev/null
check_fails "auto is no address" found ip auto 2>/dev/null

# ---- all switches of the machine --------------------------------------------------------

switch_up h2
is "switch list" "$(sw h1 switch list -j | gojq -c '[.[] | [.instance, .name, .local[0]]]')" \
	'[["h1","h1","192.0.2.1"],["h2","h2","192.0.2.2"]]'
is "and as text" "$(sw h2 switch ls | grep -oE '^h[12] name h[12]' | paste -sd,)" \
	"h1 name h1,h2 name h2"
mkdir -p /sys/fs/bpf/tsw/half/maps
is "a half-made one" "$(sw h1 switch list -j | gojq -c '[.[] | [.instance, .name]]')" \
	'[["h1","h1"],["h2","h2"],["half",null]]'
rmdir /sys/fs/bpf/tsw/half/maps /sys/fs/bpf/tsw/half
sw h2 switch down
is "switch show is a block" "$(sw h1 switch show | grep -cE '^(instance|name|dev|port|endpoints) [^ ]+$')" 5

# ---- a host with what lives there ---------------------------------------------------------

refuses() { sw h1 host del "$@" 2>&1 || true; }
is "its endpoints are named" "$(refuses h2 | sed 's,red/b. blue/a,blue/a\, red/b,')" \
	"tsw: host del \"h2\": the host still has endpoints (2): blue/a, red/b; move them, or delete them with the host by: force on"
sw h1 gateway add blue ip 10.0.0.254/24 host h2
before=$(sw h1 save)
check "a gateway is in the way, by force, too" grep -q 'serves the gateway of tenant "blue"' \
	<(refuses h2 force on)
is "and nothing has changed" "$(sw h1 save)" "$before"
sw h1 gateway del blue
check "force takes the endpoints along" sw h1 host del h2 force on
is "these alone" "$(found)" "red/a red/c"
check "and ends moves to it" sw h1 host del h3 force on
is "so the endpoint stays" "$(js h1 endpoint show '.[0] | [.name, .dev, .to_host]')" \
	'["a","red-a",null]'
is "no host is left" "$(js h1 host show length)" 0
is "and nothing is wrong" "$(js h1 switch check .ok)" true
is "the endpoint has its port" "$(sw h1 endpoint set a tenant red ip 10.0.0.7 && found ip 10.0.0.7)" red/a
finish
