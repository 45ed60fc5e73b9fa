#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cluster/gone loses containers of tsw-cni without a runtime
#
#   a b c d ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ e      members; red's net has five addresses
#
# podman on members of a cluster: h1 reboots twice, and etcd is late. Whatever podman is told
# afterwards, the records are in the end those of what lives, and addresses are free again.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_podman.sh"
. "$LIB/lib_gone.sh"

needs "containers of podman" podman crun
cluster_up h1 h2
check "red" sw h1 -c tenant add red id 100 net 10.0.0.0/29
check "its gateway" sw h1 -c gateway add red ip 10.0.0.6/29 host h1
clean=$(records)
agent h1 h2
HOSTS=(h1)
podman_up $PLUGINS
conflists $PODMAN/net.d h1-red
# start HOST NAME [WORD]...: a container that waits
start() {
	podman_on "$1" run -d --name "$2" --network "$1-red" "${@:3}" box \
		/bin/busybox sleep 1000 >/dev/null
}
free_now() { # no record of h1's is left but of these NAMES
	retry 20 is_named red "$1"
}

mount -t tmpfs tmpfs /dev/shm
reboot() {
	agent_end h1 KILL
	podman_dies h1
	comes "all is lost by the $1 reboot" 0 plugin_devices h1
	sw h1 switch up dev eth0 local "${VTEP[h1]}" name h1
}

check "a container" start h1 a --ip 10.0.0.1 -p 8080:80
check "another" start h1 b
check "one that goes with its process" start h1 c --rm
check "one of a pod's name" start h1 d --hostname d
pod h2 red e # by hand: what podman has would reboot with h1
is "the net is full" "$(start h1 full 2>&1 | grep -c 'no address of net')" 1
podman_on h1 rm -f full >/dev/null 2>&1 || true
all=$(records)

kill -STOP "${MEMBER[m1]}"
reboot first
agent h1
SECONDS=0
podman_on h1 rm a >/dev/null 2>&1 || true
podman_on h1 rm -f b >/dev/null 2>&1 || true
note "rm and rm -f without etcd took $SECONDS s"
check "rm and rm -f do not wait long for etcd" test $SECONDS -lt $((20 * ${TSW_SLOW:-1}))
is "podman has c and d" "$(podman_on h1 ps -a --format '{{.Names}}' | sort | xargs)" "c d"
kill -CONT "${MEMBER[m1]}"
is "nothing was deleted" "$(records)" "$all"
check "when etcd is back, the agent deletes records of the dead" free_now '["e"]'
check "no published port is left" test "$(sw h1 -c -j publish show)" = '[]'
is "no name is kept" "$(kept)" ""
podman_on h1 rm -f c >/dev/null 2>&1
for name in a b c; do check "$name, anew" start h1 $name --rm; done
check "d is begun again" podman_on h1 start d

# Now etcd answers all the while, and podman comes before the agent has looked.
reboot second
agent h1
check "d is begun again at once, by its record's name" podman_on h1 start d
taken=$(js h1 endpoint show '.[].ip[0]') # d and e have any of the five
for ip in 10.0.0.{1,2,3}; do grep -qx $ip <<<"$taken" || break; done
check "a fixed address of a dead one is had at once" start h1 a2 --ip $ip --rm
check "the agent deletes what is dead" free_now '["a2","d","e"]'
is "no problem is left" "$(orphans h1 -c) $(orphans h1 switch)" "[] []"
check "the records agree" sw h1 -c check

# podman ends containers while etcd is away: it says so, and the record goes later.
kill -STOP "${MEMBER[m1]}"
podman_on h1 rm -f -t 0 d a2 >/dev/null 2>&1 || true
comes "they have no device" 0 plugin_devices h1
kill -CONT "${MEMBER[m1]}"
check "nor a record" free_now '["e"]'
conf h2 red | cni h2 DEL e
is "nothing else is left" "$(records | grep -v /rest/)$(kept)" "$clean"
finish
