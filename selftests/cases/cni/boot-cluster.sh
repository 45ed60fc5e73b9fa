#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: life/boot has plugins that wait; cni/plugin has ports that a runtime holds
#
#   world 198.51.1.2 ─┐
#          containers ─ h1 192.0.2.1 ─── 192.0.2.2 h2     members of a cluster
#
# A member with podman, which serves the gateway: published ports, though podman holds them by
# sockets of its own. It loses its power; when it boots, etcd is there, late, or away for long.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_etcd.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_podman.sh"
. "$LIB/lib_gone.sh"
. "$LIB/lib_gateway.sh"

needs "containers of podman" podman crun
mount -t tmpfs tmpfs /dev/shm
cluster_up h1 h2
uplink h1 world 1
check "red" sw h1 -c tenant add red id 100 net 10.0.0.0/24
check "its gateway" sw h1 -c gateway add red ip 10.0.0.254/24 host h1
agent h2
# unit [WORD]...: as tsw-agent@h1 begins, with the capabilities that its unit has
caps=$(sed -n 's/^CapabilityBoundingSet=//p' "$ROOT/contrib/systemd/tsw-agent@.service" |
	tr '[:upper:] ' '[:lower:],')
unit() {
	manager
	"$TSW" -n h1 -i h1 switch up dev eth0 local "${VTEP[h1]}" name h1
	NOTIFY_SOCKET=$NOTIFY bg h1 setpriv --no-new-privs --inh-caps=-all \
		--bounding-set="-all,${caps//cap_/+}" "$TSW" -n h1 -w 10 agent "$@"
	AGENT[h1]=$BG AGENT_LOG[h1]=$BG_LOG
}
unit
check "the unit is active" retry 20 is_active
HOSTS=(h1)
podman_up $PLUGINS
conflists $PODMAN/net.d h1-red
again() { # NAME [WORD]...: a container that podman starts again
	podman_on h1 run -d --restart always --name "$1" --network h1-red "${@:2}" box \
		/bin/busybox httpd -f -p 80 -h /bin >/dev/null
}
restart() { podman_on h1 start --all --filter restart-policy=always; } # as the unit does
running() { podman_on h1 ps --format '{{.Names}}' | sort | xargs; }
own() { js h1 endpoint show 'map(select(.dev) | .ip[0]) | sort'; }
held() { [ "$(on h1 ss -Hltn "sport = :$1" | wc -l)" -gt 0 ]; } # PORT: by some socket
agree() { sw h1 -c check && [ "$(sw h1 -c -j endpoint show | gojq -c 'map(.ip[0]) | sort')" = "$(own)" ]; }
opens() { # PORT
	on world busybox timeout 3 busybox wget -q -O /dev/null "http://198.51.1.1:$1/busybox"
}
says() { grep -c "$1" "${AGENT_LOG[h1]}" || true; }
cut() {
	agent_end h1 KILL
	podman_dies h1
	comes "no device is left after a power cut" 0 plugin_devices h1
}
whole() { # DESC
	comes "$1: both containers run" "aa bb" running
	comes "$1: with their endpoints alone" '["10.0.0.40","10.0.0.50"]' own
	check "$1: they reach each other" retry 5 \
		podman_on h1 exec aa /bin/busybox ping -c 1 -W 2 10.0.0.50
	check "$1: podman holds the port" held 8080
	check "$1: which the world reaches" retry 10 opens 8080
	is "$1: the agent does not complain" "$(says 'in use')" 0
	is "$1: there are no other devices" "$(plugin_devices h1)" 2
	check "$1: nothing is wrong with the switch" sw h1 switch check
	check "$1: no record of others stays" retry 60 agree
}

check "a container" again aa --ip 10.0.0.40
check "another, with a port" again bb --ip 10.0.0.50 -p 8080:80
whole "before"

# ---- whoever else has a port ---------------------------------------------------------------------

check "the port is still open after podman made the network anew" podman_on h1 network reload bb
whole "a network that is made anew"
check "the port is withdrawn on this host alone" sw h1 -f publish del red proto tcp port 8080
stop "${AGENT[h1]}"
unit
whole "an agent that begins while podman holds the port"
bg h1 "$PY" -m http.server 8081
BUSY=$BG
check "a program listens" retry 5 held 8081
refused=$(again cc -p 8081:80 2>&1 || true)
check "its port is refused, and podman says why" grep -q 'tcp port 8081 is in use' <<<"$refused"
podman_on h1 rm -f -t 0 cc >/dev/null 2>&1 || true
kill $BUSY
is "nothing of it is left" "$(own) $(plugin_devices h1)" '["10.0.0.40","10.0.0.50"] 2'

# ---- the units' order ---------------------------------------------------------------------------

cut
unit
check "the unit is active when it has the records" retry 20 is_active
check "podman-restart" restart
whole "etcd is there"

# The switch alone is made anew, and containers go on.
agent_end h1
sw h1 switch down
unit
check "the switch is made anew" retry 20 is_active
whole "the switch alone"

# ---- etcd comes late ----------------------------------------------------------------------------

cut
member_end m1 KILL
unit
comes "the agent says what it waits for" 1 says "etcd does not answer"
check_fails "the unit is not active without etcd" is_active
member m1
check "and active when etcd has come" retry 40 is_active
check "podman-restart" restart
whole "etcd came late"

# ---- etcd stays away ----------------------------------------------------------------------------

cut
member_end m1 KILL
unit wait 3
check "the unit is active after the wait" retry 20 is_active
check_fails "podman-restart fails without etcd" restart
is "and leaves nothing" "$(running) $(plugin_devices h1)" " 0"
member m1
check "etcd is back" in_step h1 60
check "podman-restart again" restart
whole "started by hand"
finish
