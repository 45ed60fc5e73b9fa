#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: install/examples-cluster has the same script
#
#   box ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ lab      members of a cluster, with agents
#
# LXC's containers by examples/container.sh, as their configuration calls it at each start and stop:
# box with addresses that the cluster chooses, lab with one of its own, as in Docklet's template.
# They are stopped, rebooted, killed; etcd is away.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

command -v lxc-start >/dev/null || { skip "LXC" "there is no lxc-start" && finish && exit; }
cluster_up h1 h2
agent h1 h2
check "a tenant" sw h1 -c tenant add red net 10.0.0.0/24
check "its gateway" sw h1 -c gateway add red ip 10.0.0.254/24 host h1
check "all hosts know" sw h1 cluster wait

# container HOST NAME TENANT [ADDRESS/LENGTH]
container() {
	local dir=$WORK/$1/$2 name script="env TSW='$TSW -n $1' $ROOT/examples/container.sh"

	mkdir -p $dir/rootfs/{bin,dev,proc,sys}
	[ -e $dir/rootfs/bin/busybox ] || cp /bin/busybox $dir/rootfs/bin/
	for name in ip ping sleep reboot; do ln -sf busybox $dir/rootfs/bin/$name; done
	cat >$dir/config <<-END
		lxc.uts.name = $2
		lxc.rootfs.path = dir:$dir/rootfs
		lxc.init.cmd = /bin/sleep 1000
		lxc.mount.auto = proc:mixed
		lxc.net.0.type = empty
		lxc.hook.version = 1
		lxc.hook.start-host = $script add \$LXC_NAME $3 \$LXC_PID ${4:-}
		lxc.hook.post-stop = $script del \$LXC_NAME $3
	END
}
lxc() { on "$1" lxc-"$2" -P $WORK/"$1" -n "${@:3}"; } # HOST VERB NAME [WORD]...
start() { lxc "$1" start "$2" -l DEBUG -o $WORK/"$2".log; } # HOST NAME
inside() { lxc "$1" attach "$2" -- "${@:3}"; }             # HOST NAME WORD...
stop_all() { lxc h1 stop box -k; lxc h2 stop lab -k; }
# An endpoint's record, and the devices of both hosts.
one() { sw h1 -c -j endpoint show "$1" tenant red 2>/dev/null | gojq -c '.[0] | [.mac, .ip]'; }
state() { # of both hosts: endpoints of the cluster, and devices of containers
	sw h1 -c -j endpoint show | gojq -c 'map(.name) | sort'
	for host in h1 h2; do ip -n $host -br link | grep -c '^ep-'; done
}
all() { state | xargs; }

container h1 box red
container h2 lab red 10.0.0.77/24
if ! start h1 box; then
	skip "an LXC container" "LXC cannot start one here: $(grep -E 'ERROR|WARN' $WORK/box.log | head -n 5)"
	finish
	exit
fi
undo stop_all
check "box starts" test "$(lxc h1 info box -s -H)" = RUNNING
check "lab starts" start h2 lab
is "both are endpoints" "$(all)" "[box,lab] 1 1"
is "lab has its address" "$(one lab | gojq -c '.[1]')" '["10.0.0.77"]'
reaches() { inside h1 box /bin/ping -c 1 -W 1 10.0.0.77; }
check "they reach each other" retry 5 reaches
is "box has the tenant's MTU" "$(inside h1 box /bin/ip -o link show eth0 | grep -o 'mtu [0-9]*')" \
	"mtu $(js h1 tenant show red '.[0].mtu')"
is "and a default route" "$(inside h1 box /bin/ip route | grep -o 'default via [0-9.]*')" \
	"default via 10.0.0.254"

# ---- stopped, rebooted, killed ------------------------------------------------------------------

check "lab stops" lxc h2 stop lab -k
gone() { [ "$(all)" = "$1" ]; }
check "and is no endpoint" retry 5 gone "[box] 1 0"
check "lab starts again" start h2 lab
check "and is reached" retry 5 reaches
init_of() { lxc "$1" info "$2" -p -H; }
before=$(init_of h1 box)
inside h1 box /bin/reboot -f || true
rebooted() { [ "$(lxc h1 info box -s -H)" = RUNNING ] && [ "$(init_of h1 box)" != "$before" ]; }
check "box reboots" retry 10 rebooted
check "and reaches lab" retry 5 reaches
is "each is one endpoint" "$(all)" "[box,lab] 1 1"
had=$(one box)
kill_box() { # with the process that would call the hook
	local monitor

	monitor=$(pgrep -f "lxc monitor.* $WORK/h1 box")
	kill -KILL "$monitor" "$(init_of h1 box)"
}
check "box and its monitor are killed" kill_box
no_device() { ! ip -n h1 -br link | grep '^ep-'; }
check "its device goes" retry 5 no_device
is "its record stays" "$(one box)" "$had"
check "box starts again" retry 5 start h1 box
is "and has its MAC and address" "$(one box)" "$had"
check "by which it reaches lab" retry 5 reaches
check_fails "a second add is refused" on h1 env TSW="$TSW -n h1" "$ROOT/examples/container.sh" \
	add box red "$(init_of h1 box)"
check "which changes nothing" reaches

# ---- refused: the container does not start ------------------------------------------------------

container h2 odd none
check_fails "one of an unknown tenant does not start" start h2 odd
check "its log says why" grep -q 'there is no tenant "none"' $WORK/odd.log
is "and nothing is left" "$(all)" "[box,lab] 1 1"
container h2 odd red 10.0.0.77/24
check_fails "nor one with another's address" start h2 odd
is "nothing" "$(all)" "[box,lab] 1 1"
container h2 box red
check_fails "nor one with a name that another host has" start h2 box
is "nothing of it" "$(all)" "[box,lab] 1 1"
check "box is as it was" reaches
container h1 box red

# ---- etcd is away -------------------------------------------------------------------------------

container h2 late red
kill -STOP "${MEMBER[m1]}"
check_fails "without etcd one does not start" start h2 late
check "what runs goes on" reaches
check "lab stops" lxc h2 stop lab -k
ended() { [ "$(ip -n h2 -br link | grep -c '^ep-')" = 0 ]; }
check "and has no device" retry 10 ended
kill -CONT "${MEMBER[m1]}"
check "the store answers" retry 10 sw h1 -c tenant show
check "lab starts again" start h2 lab
check "at its address" retry 5 reaches
stop_all
check "all stop, and nothing is left" retry 10 gone "[] 0 0"
finish
