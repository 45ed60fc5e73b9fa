# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Containers behind netkit devices. On a kernel without netkit the case ends here. Source this after
# lib.sh.
# shellcheck disable=SC2034 # what is set here is used there

PAIR=netkit
ATTACK=${BUILD:-$ROOT/build}/tests/attack.bpf.o
netkit() { on "$1" "$PY" "$TOOLS/netkit.py" "${@:2}"; } # HOST DEV PEER NETNS WORD...

# An older kernel is not asked: it would look for a module, which takes an emulated one seconds.
why="Linux 6.7 brought them"
netns try
if [ "$(printf '6.7\n%s\n' "$(uname -r)" | sort -V | head -n 1)" != 6.7 ] ||
	! why=$(netkit try n0 n1 /run/netns/try); then
	skip "netkit devices" "$why"
	finish
	exit
fi

index() { ip -n "$1" -j link show dev "$2" | gojq '.[0].ifindex'; } # NS DEV
# The pin of the program that runs where the other end transmits. links: those of all its programs.
peer_pin() { echo "/sys/fs/bpf/tsw/h1/links/port-$(index h1 "$1")-peer"; } # DEV
links() { # DEV
	find /sys/fs/bpf/tsw/h1/links -name "port-$(index h1 "$1")-*" -printf '%f\n' | sort |
		paste -sd' '
}
# program NS DEV HOOK NAME: attaches a program there, as the container's root can.
program() {
	on "$1" tc qdisc replace dev "$2" clsact
	on "$1" tc filter replace dev "$2" "$3" prio 1 handle 1 bpf direct-action obj "$ATTACK" \
		sec "tc/$4"
}
# root_of NS [LINK]: what root of the container NS may do to the pair, see tools/netkit_root.py. It
# has only a container's capabilities.
root_of() {
	on "$1" setpriv --bounding-set -all,+net_admin,+net_raw,+bpf "$PY" "$TOOLS/netkit_root.py" \
		eth0 "${@:2}"
}
link_id() { bpftool -j link show pinned "$(peer_pin "$1")" | gojq .id; } # DEV
