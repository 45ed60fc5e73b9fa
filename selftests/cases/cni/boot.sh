#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: life/boot has apply, and tsw-cni that waits for a switch
#
#   containers with --restart always ─ h1 192.0.2.1
#
# A host with podman loses its power and boots. podman-restart.service starts its containers again,
# once.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_podman.sh"

needs "containers of podman" podman crun
F=$WORK/h1.json
mount -t tmpfs tmpfs /dev/shm # has locks of podman, which a reboot takes
topo h1
sw h1 tenant add red id 100 net 10.0.0.0/24
sw h1 gateway add red ip 10.0.0.254/24
podman_up $PLUGINS
conflists $PODMAN/net.d h1-red
again() { # NAME [WORD]...: a container that podman starts again
	podman_on h1 run -d --restart always --name "$1" --network h1-red "${@:2}" box \
		/bin/busybox sleep 1000 >/dev/null
}
restart() { podman_on h1 start --all --filter restart-policy=always; } # as the unit does
running() { podman_on h1 ps --format '{{.Names}}' | sort | xargs; }
ping_of() { podman_on h1 exec "$1" /bin/busybox ping -c 1 -W 2 "$2"; }
ip_of() { podman_on h1 inspect "$1" | gojq -r '.[0].NetworkSettings.Networks[].IPAddress'; }
own() { js h1 endpoint show 'map(.ip[0]) | sort'; }
published() { js h1 publish show 'map([.port, .to])'; }
own_devices() { js h1 endpoint show 'map(.dev) | sort'; }

check "a container" again aa --ip 10.0.0.40
check "another" again bb --ip 10.0.0.50 -p 8080:80
is "both have endpoints" "$(own)" '["10.0.0.40","10.0.0.50"]'
sw h1 save >$F

# Nothing can say goodbye, and what is in memory is gone.
power_cut() {
	local pids pid name

	mapfile -t pids < <(podman_on h1 inspect aa bb |
		gojq -r '(.[].State.ConmonPid, .[].State.Pid) | select(. > 0)')
	for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
	sw h1 switch down
	for name in /run/netns/{cni,netns}-*; do
		[ ! -e "$name" ] || ip netns del "${name##*/}"
	done
	rm -rf /run/tsw/h1* /run/crun /dev/shm/* $PODMAN/tmp/*
	find $PODMAN/run -mindepth 1 -delete 2>/dev/null || true
	comes "no device is left after a power cut" 0 devices
}
# boots: applies what was saved, as the unit does, until the switch is up
boots() {
	"$TSW" -n h1 apply $F wait 60 missing skip >$WORK/applied 2>&1 &
	APPLY=$!
	undo kill $APPLY
}
up() { sw h1 -w 0 switch show; }
coming() { up 2>&1 | grep -c 'is coming up'; }
whole() { # DESC
	comes "$1: both containers run" "aa bb" running
	is "$1: with their endpoints alone" "$(own)" '["10.0.0.40","10.0.0.50"]'
	is "$1: and the port" "$(published)" '[[8080,"10.0.0.50:80"]]'
	check "$1: they reach each other" retry 5 ping_of aa 10.0.0.50
	check "$1: and the gateway" retry 5 ping_of bb 10.0.0.254
	is "$1: there are no other devices" "$(devices)" 2
	check "$1: nothing is wrong" sw h1 switch check
}
# asked N: that many ask for the switch that is coming
asked() { [ "$(grep -- '->' /proc/locks | grep -c ":$(stat -c %i /run/tsw/h1) ")" -ge "$1" ]; }

# ---- the units' order ---------------------------------------------------------------------------

power_cut
boots
check "the switch comes up" retry 20 up
check "podman-restart" restart
whole "the switch first"
is "one line says what was left out" "$(grep -c 'left out: ' $WORK/applied)" 1

# ---- runtimes first -----------------------------------------------------------------------------

power_cut
check_fails "no switch is coming: podman-restart fails at once" restart
is "and leaves no device" "$(devices)" 0
ip -n h1 link set eth0 down
ip -n h1 link set eth0 name slow
boots
comes "a switch is coming" 1 coming
restart >$WORK/restarted 2>&1 &
restarted=$!
check "podman-restart waits" retry 20 asked 1
ip -n h1 link set slow name eth0
ip -n h1 link set eth0 up
wait $restarted && status=0 || status=$?
is "and starts all" "$status" 0
whole "the switch is coming"

# ---- containers that went on --------------------------------------------------------------------

before=$(own_devices)
sw h1 save >$F
sw h1 switch down
check "the switch alone is made anew" "$TSW" -n h1 apply $F wait 60 missing skip
is "with all endpoints at their devices" "$(own_devices)" "$before"
is "and the port, which podman holds meanwhile" "$(published)" '[[8080,"10.0.0.50:80"]]'
check "they reach each other" retry 5 ping_of aa 10.0.0.50
podman_on h1 rm -f -t 0 aa bb >/dev/null
is "and leave nothing" "$(own) $(devices)" "[] 0"
finish
