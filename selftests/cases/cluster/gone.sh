#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Records of containers that are gone, because their host lost them and nobody called DEL. `-c gc`,
# the next ADD and the agent delete these records, and no others.
#
#   containers ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ containers      red's net has five addresses
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_gone.sh"

cluster_up h1 h2
check "red" sw h1 -c tenant add red id 100 net 10.0.0.0/29
check "its gateway" sw h1 -c gateway add red ip 10.0.0.6/29 host h1
check "blue" sw h1 -c tenant add blue id 200 net 10.0.0.0/29
clean=$(records)

# h2's agent has its time from now on.
agent h2
pod h2 blue far
pod h2 blue far2 "$(given far2)"
dies h2 far far2

# ---- on demand ----------------------------------------------------------------------------------

pod h1 red p1 "$(port 8080)"
pod h1 red p2 "$(given web)"
pod h1 red p3
pod h1 red p4
ip -n h1 link add tswwebserverabc type veth peer name peer
check "a user's own, with a device named like a plugin's" \
	sw h1 -c endpoint add mine tenant red dev tswwebserverabc
netns full
is "the net is full" "$(conf h1 red | refused_add h1 full)" 'no address of net "10.0.0.0/29" is free'
is "while all live there is nothing to do" "$(gc h1) $(orphans h1 -c)" "[] []"
ip -n h1 link del tswwebserverabc
dies h1 p1 p2
is "-c check tells of those that died" "$(orphans h1 -c)" '["red/p1","red/web"]'
check_fails "and fails" sw h1 -c check
before=$(records)
is "a dry run names them" "$(gc h1 dry-run on)" '["red/p1","red/web"]'
is "and deletes nothing" "$(records)" "$before"
check_fails "endpoints is not about records" sw h1 -c gc endpoints off
check_fails "on a member gc says -c" sw h1 gc
is "the other host finds only its own" "$(gc h2 dry-run on)" '["blue/far","blue/far2"]'
is "gc deletes them" "$(gc h1)" '["red/p1","red/web"]'
is "what lives stays, and what is a user's" "$(named red)" '["mine","p3","p4"]'
is "the published port is gone" "$(sw h1 -c -j publish show)" '[]'
is "so is the file with the name" "$(kept | grep -c -- -p2- || true)" 0
is "the addresses are free at once" "$(records | grep -c "/rest/100/" || true)" 0
is "again there is nothing" "$(gc h1) $(orphans h1 -c)" "[] []"
left() { # INSTANCE: the file of an ADD that was killed
	gojq -n "{instance: \"$1\", tenant: \"red\", name: \"left\", dev: \"tswaaaaabbbbbbb\", ifindex: 7}" \
		>"/var/lib/tsw-cni/cni-aaaaaaaaaa-bbbbbbb-$1-eth0"
}
files() { kept | grep -oE -- '-h[12]-eth0$' | tr '\n' ' '; }
left h1
left h2
sw h1 -c gc >/dev/null
is "the file of a killed ADD is gone, and not another switch's" "$(files)" "-h2-eth0 "

old=$(js h1 endpoint show '.[] | select(.name | test("-p3-")) | .dev')
ip -n h1 link set "$old" down name other
is "a renamed device lives, as the switch has it" "$(gc h1)" '[]'
ip -n h1 link set other name "$old"
ip -n h1 link set "$old" up

# ---- a plugin needs the room ---------------------------------------------------------------------

pod h1 red p5
pod h1 red p6
dies h1 p5 p6
pod h1 red p7
is "ADD takes addresses of dead ones where the net is full" "$(named red)" '["mine","p3","p4","p7"]'
fixed=$(address 10.0.0.)
dies h1 p7
pod h1 red p8 "\"runtimeConfig\":{\"ips\":[\"$fixed\"]}"
is "ADD takes the address that a dead one has" "$(address 10.0.0.)" "$fixed"
dies h1 p8
pod h1 red p8 "$(port 8081)"
is "ADD of the same container, after a reboot" "$(named red)" '["mine","p3","p4","p8"]'
is "publishes its port" "$(sw h1 -c -j publish show | gojq -c 'map(.port)')" '[8081]'

# ---- the agent -----------------------------------------------------------------------------------

check "the agent has deleted those of h2" retry 20 is_named blue '[]'
is "and says so, once each" "$(grep -c 'deleted its record' "${AGENT_LOG[h2]}")" 2
is "its metrics count" "$(metric h2 tsw_agent_orphan_endpoints) $(metric h2 tsw_agent_orphans_deleted_total)" "0 2"
swept() { [ -z "$(files)" ]; }
check "it removes the file that came while it ran" retry 10 swept
for ns in p3 p4 p8; do conf h1 red "$(port 8081)" | cni h1 DEL $ns; done
check "the user's own is the user's to delete" sw h1 -c endpoint del mine
is "nothing else is left" "$(records | grep -v /rest/)$(kept)" "$clean"
check "the records agree" sw h1 -c check
check "without a switch" sw h1 switch down
check_fails "gc does not know what is gone" sw h1 -c gc
finish
