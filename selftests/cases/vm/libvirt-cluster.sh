#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: vm/moves moves a VM of qemu
#
#   vm 10.0.0.1, first here ─ h1, libvirtd ┐
#                                          ├─ h3 ─ p 10.0.0.3      members of a cluster, with agents
#   vm, migrated to here ──── h2, libvirtd ┘
#
# libvirt migrates a VM, live: the hooks write the record, without an operator's command. A daemon
# or a qemu that is killed half-way leaves the VM where it was, or nothing of it.
. "$(dirname "$0")/../../lib_vm.sh"
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_libvirt.sh"

[ -z "$(libvirt_lacks)" ] || { skip "libvirt migrates" "$(libvirt_lacks)" && finish && exit; }
cluster_up h1 h2 h3
agent h1 h2 h3
for host in h1 h2; do libvirt_host $host -c; done
container red p h3 10.0.0.3/24 endpoint off
sw h1 -c tenant add red id 100 net 10.0.0.0/24 dhcp on
sw h3 -c endpoint add p tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 dev red-p
vm_image <<-'END'
	until lease; do :; done
	echo "bound 1"
	# Memory that changes all the time makes it last.
	while :; do dd if=/dev/urandom of=/changes bs=64k count=64 conv=notrunc 2>/dev/null; done
END
libvirt_domain vm "<tsw:interface dev='tap-vm' tenant='red' ip='10.0.0.1'/>" \
	"$(libvirt_tap tap-vm 02:00:00:00:01:01)" >$WORK/vm.xml
for host in h1 h2; do daemon "libvirt's daemon begins on $host" $host; done
undo pkill -f "guest=vm,"
check "virsh create" v h1 create $WORK/vm.xml
check "the guest has its address by DHCP" retry 60 vm_said $WORK/console bound
check "p reaches it" reach red-p 10.0.0.1

record() {
	sw h3 -j -c endpoint show vm tenant red | gojq -c '.[0] | [.host, .dev, .to_host, .to_dev]'
}
# has HOST: domains and taps there
has() {
	echo "$(v "$1" list --all --name | grep -c . || true)" \
		"$(ip -n "$1" -br link show type tun | wc -l)"
}
lives() { [ "$(record) $(has "$1") $(has "$2")" = "[\"$1\",\"tap-vm\",null,null] 1 1 0 0" ]; }
lives_at() { # DESC HOST OTHER: there alone, settled, and reached
	check "$1" retry 20 lives "$2" "$3"
	check "$1: all are in step" in_step h3
	is "$1: as their switches know" "$(for host in h3 "$2"; do
		sw "$host" -j endpoint show vm tenant red | gojq -c '.[0] | [.host, .dev, .moved]'
	done)" "[\"$2\",null,null]"$'\n''[null,"tap-vm",null]'
	check "$1: p reaches it" reach red-p 10.0.0.1
}
lives_at "virsh create" h1 h2
migration h1 h2
ends_well "libvirt migrates"
lives_at "migrated" h2 h1
migration h2 h1 --p2p
ends_well "from daemon to daemon"
lives_at "migrated back" h1 h2

# ---- killed half-way ----------------------------------------------------------------------------

migration h1 h2 --bandwidth 4
check "libvirt migrates" retry 20 migrating h1
daemon_end h1 KILL
daemon "the daemon of the old host is killed, and begins again" h1
lives_at "the old daemon killed" h1 h2
# The guest has come to the new qemu, whose daemon would have to let it run now.
migration h1 h2
check "libvirt migrates" retry 20 migrating h1
kill -STOP "${LIBVIRTD[h2]}"
paused() { [ "$(v h1 domstate vm)" = paused ]; }
check "the guest is paused" retry 20 paused
daemon_end h2 KILL
# Where qemu has told that it is done but has not finished, it refuses to go on ("Migration is not
# finalized yet"), and this libvirt does not ask again: then its operator does.
runs() {
	[ "$(v h1 domstate vm)" = running ] && return
	v h1 domjobinfo vm | grep -q "^Job type: *None" && v h1 resume vm >$WORK/resume
	return 1
}
check "h2's daemon is killed: it runs on at h1" retry 20 runs
daemon "h2's daemon begins again" h2
lives_at "the new daemon killed" h1 h2

migration h1 h2 --bandwidth 4
check "libvirt migrates" retry 20 migrating h1
kill -KILL "$(qemu_of h1 vm)"
left() { [ "$(sw h3 -j -c endpoint show | gojq -c 'map(.name)') $(has h1) $(has h2)" = '["p"] 0 0 0 0' ]; }
check "its qemu is killed: nothing is left" retry 20 left
check "all are in step" in_step h3
for host in h1 h2 h3; do
	is "$host: all is well" "$(sw $host -j switch check | gojq -c .problems)" "[]"
done
finish
