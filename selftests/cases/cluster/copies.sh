#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: life/boot applies the file of a renamed host; unit_state and unit_records have names
#
#   h1 192.0.2.1   h2 192.0.2.2   copy 192.0.2.3: h1's disk      etcd: see lib_cluster.sh
#   red: a .1        b .2                                         10.0.0.0/24
#
# A member whose machine gets another host name stays the host that joined. A copy of a machine with
# its /etc/tsw is told, by the agent that comes second. After a reboot the first one is no copy.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

# called HOST NAME CMD...: there, on a machine with that host name
# shellcheck disable=SC2016 # the inner shell's
called() { on "$1" unshare --uts sh -c 'hostname "$0" && exec "$@"' "$2" "${@:3}"; }
name() { on h1 "$TSW" -j switch show | gojq -r .name; }

cluster_hosts h1 h2 copy
sw h2 switch up dev eth0 local 192.0.2.2 name h2
undo sw h2 switch down
cluster_join h2
check "the machine h1 joins" called h1 h1 "$TSW" switch up dev eth0 local 192.0.2.1
undo on h1 "$TSW" switch down
check "  as h1" called h1 h1 "$TSW" cluster join etcd $URL name campus
check "renamed, the same words of up change nothing" called h1 renamed \
	"$TSW" switch up dev eth0 local 192.0.2.1
is "  and its name stays" "$(name)" h1
check "another name is refused" eval "! called h1 renamed '$TSW' switch up dev eth0 name renamed"
on h1 "$TSW" switch down
check "after its reboot" called h1 renamed "$TSW" switch up dev eth0 local 192.0.2.1
is "  it is still h1" "$(name)" h1

# machine HOST BOOT: its agent, on a machine with a boot of its own; its pid is in BG
machine() {
	echo "$2" >"$WORK/boot-$2"
	# shellcheck disable=SC2016 # the inner shell's
	bg "$1" unshare --mount --uts sh -c 'hostname renamed
		mount --bind "$1" /proc/sys/kernel/random/boot_id
		[ "$2" = h1 ] || { mount -t bpf bpf /sys/fs/bpf &&
			mount -t tmpfs -o mode=700 run /run/tsw &&
			"$0" switch up dev eth0 local 192.0.2.3; } || exit
		exec "$0" -w 10 agent' "$TSW" "$WORK/boot-$2" "$1"
}
alive() { store read "$CLUSTER/alive/h1" | grep -o '"place":"[a-z]*' || true; }
says() { grep -c "another machine runs an agent as host \"h1\"" "$1" || true; }

machine h1 first
first=$BG first_log=$BG_LOG
agent h2
comes "the agent of h1 is alive" '"place":"first' alive
tenant red
lives red "a@h1 b@h2"
check "red reaches red" reach red-a 10.0.0.2

machine copy second
second=$BG second_log=$BG_LOG
check "a copy of the machine is told" retry 30 grep -q 'another machine runs' "$second_log"
is "  once" "$(says "$second_log")" 1
is "  with what to read" "$(grep -c 'Copies of a machine' "$second_log")" 1
is "  and not by the first, which stays" "$(says "$first_log") $(alive)" '0 "place":"first'
is "  and h1's address stays" "$(sw h2 -j host show h1 | gojq -r '.[0].ip')" 192.0.2.1
check "red reaches red" reach red-a 10.0.0.2
stop "$first" KILL
comes "when the first one dies, the copy takes its place" '"place":"second' alive
check "  and says so" grep -q 'no other machine runs an agent as host "h1" any more' "$second_log"
stop "$second"

# A reboot faster than the lease: the record of the boot before is no other machine.
machine h1 third
third=$BG
comes "the agent comes back at once after an ordered end" '"place":"third' alive
stop "$third" KILL
machine h1 fourth
comes "after a power cut, too" '"place":"fourth' alive
is "  without a word" "$(says "$BG_LOG")" 0
finish
