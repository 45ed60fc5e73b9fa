#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   vm 10.0.0.1, first here ─ h1 ┐
#                                ├─ h3 ─ p 10.0.0.3
#   vm, migrated to here ──── h2 ┘
#
# A running VM of qemu goes from one host to another, live, on taps of two queues. Numbered
# datagrams go both ways all the time: those that are lost are of its pause. Where the migration
# fails the VM runs on where it was.
. "$(dirname "$0")/../../lib_vm.sh"
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2 h3
switch_up
[ -z "$(vm_lacks)" ] || { skip "a VM that moves" "$(vm_lacks)" && finish && exit; }
tenants red 100
VM=02:00:00:00:00:01
for host in h1 h2 h3; do sw $host tenant set red net 10.0.0.0/24 dhcp on; done
container red p h3 10.0.0.3/24
PAUSE=300 # what qemu may take for the last of the memory; TCG needs it

numbered_image

# tap HOST: tap0 with two queues
tap() {
	ip -n "$1" tuntap add dev tap0 mode tap vnet_hdr multi_queue
	ip -n "$1" link set tap0 mtu 1450 addrgenmode none up
}
# vm HOST WORD...: QEMU is its number
vm() {
	vm_on "$1" $WORK/console-"$1" \
		-netdev tap,id=n,ifname=tap0,script=no,downscript=no,queues=2,vhost=off \
		-device virtio-net-pci,netdev=n,mac=$VM,mq=on,vectors=6,host_mtu=1450 \
		-qmp "unix:$WORK/qmp-$1,server=on,wait=off" "${@:2}"
	QEMU=$BG
	retry 10 test -S $WORK/qmp-"$1"
}
qmp() { "$PY" "$TOOLS/qmp.py" $WORK/qmp-"$1" "${@:2}"; }
# awaits HOST: it waits there for a migration
awaits() {
	tap "$1"
	vm "$1" -incoming "unix:$WORK/incoming-$1"
}
tell() { # FROM TO: where red's vm is, and goes
	sw "$1" endpoint set vm tenant red dev tap0 to-host "$2"
	sw "$2" endpoint set vm tenant red host "$1" to-dev tap0
	sw h3 endpoint set vm tenant red host "$1" host "$2"
}
is_at() { # HOST OTHER: of both the one where it is
	sw "$1" endpoint set vm tenant red dev tap0
	sw "$2" endpoint set vm tenant red host "$1"
	sw h3 endpoint set vm tenant red host "$1"
}
tap h1
sw h1 endpoint add vm tenant red mac $VM ip 10.0.0.1 dev tap0
for host in h2 h3; do sw $host endpoint add vm tenant red mac $VM ip 10.0.0.1 host h1; done
vm h1
check "the VM has its address by DHCP" retry 60 vm_said $WORK/console-h1 bound
check "p reaches it" reach red-p 10.0.0.1
qmp h1 migrate-set-parameters "{\"downtime-limit\": $PAUSE}" >/dev/null

# ---- a migration that fails -----------------------------------------------------------------

awaits h2
failing=$QEMU
tell h1 h2
bg red-p $WORK/numbered 10.0.0.1 9 $STEP
N=$BG N_LOG=$BG_LOG
sleep 0.5
lost
qmp h1 migrate-set-parameters '{"max-bandwidth": 8000000}' >/dev/null # so that it takes a while
qmp h1 migrate "{\"uri\": \"unix:$WORK/incoming-h2\"}" >/dev/null
sleep 1
is "the migration is at work" "$(qmp h1 query-migrate | gojq -r .status)" active
kill -KILL "$failing"
wait "$failing" 2>/dev/null || true
fails() { [ "$(qmp h1 query-migrate | gojq -r .status)" = failed ]; }
check "it fails" retry 10 fails
lost
is "nothing was lost" "$TO $FROM $TWICE" "0 0 0"
is_at h1 h2
ip -n h2 link del tap0
check "the VM runs on" reach red-p 10.0.0.1

# ---- one that does not ----------------------------------------------------------------------

rm -f $WORK/qmp-h2
awaits h2
tell h1 h2
lost
qmp h1 migrate-set-parameters '{"max-bandwidth": 30000000}' >/dev/null
told=$("$PY" "$TOOLS/qmp.py" $WORK/qmp-h1 migrate "unix:$WORK/incoming-h2" $WORK/qmp-h2)
pause=$(gojq .pause_ms <<<"$told")
is "the VM is on the other host" "$(gojq -r .status <<<"$told")" completed
check "and p reaches it there" reach red-p 10.0.0.1
lost
note "the guest paused for $pause ms; of datagrams to it $((TO * STEP)) ms were lost," \
	"of those from it $((FROM * STEP))"
# What a paused guest does not take is lost; the rest may take 50 ms.
check "no longer than its pause and 50 ms: to it" \
	awk -v lost=$((TO * STEP)) -v pause="$pause" 'BEGIN { exit !(lost <= pause + 50) }'
check "from it" test $((FROM * STEP)) -le 50
is "none came twice" "$TWICE" 0
for host in h1 h2 h3; do
	is "$host knows without a command" \
		"$(sw $host -j endpoint show vm tenant red | gojq '.[0].moved')" true
done
is_at h2 h1
ip -n h1 link del tap0

# ---- deleted, nothing is left ---------------------------------------------------------------

for host in h1 h2 h3; do sw $host endpoint del vm tenant red; done
for host in h1 h2 h3; do
	is "$host: nothing is left" \
		"$(sw $host -j switch check | gojq -c .problems) $(map_dump $host moves)" "[] []"
done
finish
