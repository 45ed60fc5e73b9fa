#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: vm/moves moves a VM of qemu
#
#   vm 10.0.0.1, first here ─ h1, libvirtd ┐
#                                          ├─ h3 ─ p 10.0.0.3
#   vm, migrated to here ──── h2, libvirtd ┘
#
# libvirt migrates a VM, live, and the hook is on both hosts; the operator tells the others.
# Numbered datagrams go both ways all the time: those that are lost are of its pause. Where it fails
# the VM runs on where it was, and the other host has nothing of it.
. "$(dirname "$0")/../../lib_vm.sh"
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_libvirt.sh"

[ -z "$(libvirt_lacks)" ] || { skip "libvirt migrates" "$(libvirt_lacks)" && finish && exit; }
topo_hosts h1 h2 h3
switch_up
tenants red 100
for host in h1 h2 h3; do sw $host tenant set red net 10.0.0.0/24 dhcp on; done
container red p h3 10.0.0.3/24
cp -a /etc $WORK/etc && mount --bind $WORK/etc /etc
for host in h1 h2; do libvirt_host $host; done
MAC=02:00:00:00:01:01

numbered_image
libvirt_domain vm "<tsw:interface dev='tap-vm' tenant='red' ip='10.0.0.1'/>" \
	"$(libvirt_tap tap-vm $MAC 2)" >$WORK/vm.xml
for host in h1 h2; do daemon "libvirt's daemon begins on $host" $host; done
undo pkill -f "guest=vm,"

tell() { # FROM TO: the hook of the new host tells that one
	sw "$1" endpoint set vm tenant red to-host "$2"
	sw h3 endpoint set vm tenant red host "$1" host "$2"
}
is_at() { # HOST OTHER
	sw "$1" endpoint set vm tenant red dev tap-vm
	for host in $2 h3; do sw "$host" endpoint set vm tenant red host "$1"; done
}
# has HOST: how many domains, taps and pinned links, and where the endpoint is
has() {
	echo "$(v "$1" list --all --name | grep -c . || true)" \
		"$(ip -n "$1" -br link show type tun | wc -l)" \
		"$(($(find /sys/fs/bpf/tsw/"$1"/links -type f | wc -l) - ${LINKS[$1]}))" \
		"$(sw "$1" -j endpoint show vm tenant red |
			gojq -c '.[0] | [.dev, .host, .to_dev, .to_host] | map(select(. != null))')"
}
has_none() { [[ "$(has "$1")" = "0 0 0 "* ]]; } # HOST
# begins FROM TO [WORD...]: all but h2 are told, and libvirt migrates
begins() {
	tell "$1" "$2"
	lost
	capture p red-p eth0 udp and src 10.0.0.1
	migration "$@"
}
# What a guest does not take that is paused, or has no processor, is lost; the rest may take 50 ms.
ends() { # DESC
	local silence

	lost
	capture_stop p
	silence=$(tcpdump -Z root -n -tt -r $WORK/p.pcap 2>/dev/null | awk '
		last && $1 - last > most { most = $1 - last } { last = $1 }
		END { print int(most * 1e3) }')
	note "$1: the guest said nothing for $silence ms; of datagrams to it $((TO * STEP)) ms" \
		"were lost, of those from it $((FROM * STEP))"
	check "$1: no longer than it said nothing, and 50 ms: to it" \
		test $((TO * STEP)) -le $((silence + 50))
	check "$1: from it" test $((FROM * STEP)) -le 50
	is "$1: none came twice" "$TWICE" 0
}
declare -A LINKS
for host in h1 h2; do LINKS[$host]=$(find /sys/fs/bpf/tsw/$host/links -type f | wc -l); done

check "virsh create" v h1 create $WORK/vm.xml
for host in h2 h3; do sw $host endpoint add vm tenant red mac $MAC ip 10.0.0.1 host h1; done
here=$(has h1)
check "the guest has its address by DHCP" retry 60 vm_said $WORK/console bound
check "p reaches it" reach red-p 10.0.0.1
bg red-p $WORK/numbered 10.0.0.1 9 $STEP
N=$BG N_LOG=$BG_LOG
# The shell that becomes it catches SIGUSR1 as well, and what it becomes first does not.
ready() {
	[ "$(cat /proc/$N/comm)" = numbered ] &&
		(($(awk '/SigCgt/ { print "0x" $2 }' /proc/$N/status) & 0x200))
}
retry 5 ready
heard() {
	kill -USR1 $N
	tail -n 1 "$N_LOG" | gojq -e ".way_there.count > 0 and .way_back.count > 0"
}
check "datagrams go both ways" retry 10 heard
lost

# ---- migrations that fail -----------------------------------------------------------------------

# goes_on DESC: it is at h1, alone, and has been
goes_on() {
	check "$1: h2 has nothing of it" retry 10 has_none h2
	is "$1: and knows where it is" "$(has h2)" '0 0 0 ["h1"]'
	ends "$1"
	is_at h1 h2
	is "$1: h1 has it" "$(has h1)" "$here"
	check "$1: p reaches it" reach red-p 10.0.0.1
}
begins h1 h2 --bandwidth 4
check "libvirt migrates" retry 20 migrating h1
is "h2 awaits it" "$(has h2 | cut -d' ' -f2,4)" '1 ["h1","tap-vm"]'
check "virsh domjobabort" v h1 domjobabort vm
goes_on "aborted"
begins h1 h2 --bandwidth 4
check "libvirt migrates" retry 20 migrating h1
kill -KILL "$(qemu_of h2 vm)"
goes_on "the new qemu is killed"

# ---- one that does not --------------------------------------------------------------------------

begins h1 h2
ends_well "libvirt migrates"
check "h1 has nothing of it any more" retry 10 has_none h1
is "and knows where it is" "$(has h1)" '0 0 0 ["h2"]'
check "p reaches it" reach red-p 10.0.0.1
note "the guest paused for $(v h2 domjobinfo vm --completed |
	awk '/Total downtime/ { print $3 }') ms"
ends "migrated"
for host in h2 h3; do
	is "$host knows without a command" \
		"$(sw $host -j endpoint show vm tenant red | gojq '.[0].moved')" true
done
is_at h2 h1
is "h2 has all that h1 had" "$(has h2)" "$here"

# ---- its qemu is killed half-way ----------------------------------------------------------------

begins h2 h1 --bandwidth 4
check "libvirt migrates it back" retry 20 migrating h2
kill -KILL "$(qemu_of h2 vm)"
gone() { ! sw h2 endpoint show vm tenant red && [[ "$(has h2 2>/dev/null)" = "0 0 0 "* ]]; }
check "killed: h2 has nothing of it" retry 10 gone
check "nor has h1" retry 10 has_none h1
for host in h1 h3; do sw $host endpoint del vm tenant red; done
for host in h1 h2 h3; do
	is "$host: nothing is left" \
		"$(sw $host -j switch check | gojq -c .problems) $(map_dump $host moves)" "[] []"
done
finish
