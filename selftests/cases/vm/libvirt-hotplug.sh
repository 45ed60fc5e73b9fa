#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: vm/unplug has the calls of libvirt's hook for the same events
#
#   red  web  10.0.0.1 ┐ a VM of libvirt,                 ┌ p 10.0.0.3, red
#   blue web2 10.0.1.2 ┘ first on h1, then on h2 ═══ h3 ──┴ q 10.0.1.3, blue
#
# The second interface comes and goes while the guest runs: by attach-device and detach-device, with
# libvirtd begun again between, with save and restore, and a migration. The guest says
# which interfaces it has, and answers on each.
. "$(dirname "$0")/../../lib_vm.sh"
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_libvirt.sh"

[ -z "$(libvirt_lacks)" ] || { skip "libvirt plugs" "$(libvirt_lacks)" && finish && exit; }
cluster_up h1 h2 h3
agent h1 h2 h3
for host in h1 h2; do libvirt_host $host -c; done
container red p h3 10.0.0.3/24 endpoint off
container blue q h3 10.0.1.3/24 mac 02:00:00:00:00:04 endpoint off
sw h1 -c tenant add red id 100 net 10.0.0.0/24 dhcp on
sw h1 -c tenant add blue id 200 net 10.0.1.0/24 dhcp on
sw h3 -c endpoint add p tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 dev red-p
sw h3 -c endpoint add q tenant blue mac 02:00:00:00:00:04 ip 10.0.1.3 dev blue-q

# The guest acknowledges what the host plugs, by ACPI, and asks for an address on each interface.
vm_image <<-'END'
	mkdir /sys
	mount -t sysfs sysfs /sys
	echo 1 >/proc/sys/net/ipv4/conf/all/arp_ignore
	asked=
	while :; do
		has=$(ls /sys/class/net | grep eth | tr '\n' '.')
		[ "$has" = "$was" ] || echo "has 0${has//[a-z]/}"
		was=$has
		for dev in /sys/class/net/eth*; do
			dev=${dev##*/}
			ip -o -4 addr show $dev 2>/dev/null | grep -q inet && continue
			ip link set $dev up && udhcpc -i $dev -n -q -t 2 -s /bound >/dev/null 2>&1
		done
		sleep 0.3
	done
END
# shellcheck disable=SC2016 # the guest's variable
sed -i 's/dev eth0/dev $interface/g; s/set eth0/set $interface/' $WORK/vm/bound
(cd $WORK/vm && find . | cpio -o -H newc --quiet | gzip -1) >$WORK/vm.cpio

ONE="<tsw:interface dev='tap-t1' tenant='red' ip='10.0.0.1'/>"
TWO="<tsw:interface dev='tap-t2' tenant='blue' name='web2' ip='10.0.1.2'/>"
libvirt_tap tap-t2 02:00:00:00:01:02 >$WORK/nic.xml
NIC1=$(libvirt_tap tap-t1 02:00:00:00:01:01)
# With ACPI for hotplug, and with parts of others: of qemu's driver, and of another program.
libvirt_domain web "$ONE" "$NIC1" | sed -e 's|<os>|<features><acpi/></features>&|' \
	-e "s|<domain |&xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0' |" \
	-e "s|</devices>|&<qemu:commandline><qemu:env name='OTHERS' value='1'/></qemu:commandline>|" \
	-e "s|<metadata>|&<other:note xmlns:other='urn:other'>mine</other:note>|" >$WORK/web.xml
# others HOST: what they have in the domain, and in its qemu
others() {
	v "$1" metadata web urn:other
	tr '\0' '\n' <"/proc/$(qemu_of "$1" web)/environ" | grep OTHERS
}

for host in h1 h2; do daemon "libvirt's daemon begins on $host" $host; done
undo pkill -f "guest=web,"

AT=h1
hand() { # plug|unplug, as the operator does on that host
	on $AT unshare --mount bash -c "mount --bind $WORK/libvirt-$AT/words /etc/tsw/libvirt &&
		LIBVIRT_DEFAULT_URI='$(uri $AT)' \
			exec $WORK/libvirt-$AT/etc/hooks/qemu web $1 <$WORK/nic.xml"
}
attach() { hand plug && v $AT attach-device web $WORK/nic.xml --live; }
detach() { v $AT detach-device web $WORK/nic.xml --live; }
metadata() { # XML: of the running domain
	v $AT metadata web urn:tenant-switch:libvirt:1 --live --key tsw --set "<interfaces>${1//tsw:/}</interfaces>"
}
# state: the endpoints with their places, and the taps of both hosts
state() {
	sw h3 -j -c endpoint show | gojq -r 'map(select(.name | startswith("web"))) | sort_by(.name) |
		map("\(.name)=\(.host):\(.dev)") | join(" ")' | tr '\n' ' '
	for host in h1 h2; do ip -n $host -br link show type tun | awk '{ print $1 }' | sort; done |
		tr '\n' ' '
}
is_state() { [ "$(state)" = "$1" ]; }
ONLY1="web=$AT:tap-t1 tap-t1 "
BOTH="web=$AT:tap-t1 web2=$AT:tap-t2 tap-t1 tap-t2 "
is_now() { check "$1" retry 20 is_state "$2" && is "$1: state" "$(state)" "$2"; }
# guest has WHAT: the last that it said
guest_has() { [ "$(grep -ao 'has [0-9.]*' $WORK/console | tail -n 1)" = "has $1" ]; }
works() { # DESC: one interface, or both
	check "$1: p reaches the first" reach red-p 10.0.0.1
	if [ "$2" = 2 ]; then
		check "$1: q reaches the second" reach blue-q 10.0.1.2
	else
		check "$1: q does not reach the second" no_reach blue-q 10.0.1.2
	fi
}

check "virsh create" v h1 create $WORK/web.xml
check "the guest has its address by DHCP" retry 60 reach red-p 10.0.0.1
is_now "one interface" "$ONLY1"
OTHERS=$(others h1)
is "others have parts of it" "$(grep -c -e mine -e OTHERS=1 <<<"$OTHERS")" 2

# ---- attach-device, detach-device ----------------------------------------------------------------

refuses "attach-device without the hook" 1 "specified dev doesn't exist" \
	v h1 attach-device web $WORK/nic.xml --live
refuses "plug: the metadata lacks it" 1 'no tsw:interface with dev "tap-t2"' hand plug
is_now "nothing is left of either" "$ONLY1"
metadata "$ONE$TWO"
check "plug and attach-device" attach
is_now "plugged" "$BOTH"
check "the guest has it" retry 30 guest_has 00.1.
works "plugged" 2
refuses "plug what is plugged" 1 'the guest has "tap-t2" already' hand plug
refuses "unplug what is plugged" 1 'the guest still has "tap-t2"' hand unplug
is_now "both are there still" "$BOTH"
works "refused" 2
check "the guest is paused" v h1 suspend web
check "detach-device, which it does not answer" detach
refuses "unplug" 1 'the guest still has "tap-t2"' hand unplug
is_now "unanswered" "$BOTH"
check "the guest runs on" v h1 resume web
check "the guest has one" retry 30 guest_has 00.
check "unplug" hand unplug
is_now "unplugged" "$ONLY1"
works "unplugged" 1

# ---- etcd is gone meanwhile -------------------------------------------------------------------

check "plug and attach-device" attach
check "the guest has it" retry 30 guest_has 00.1.
check "detach-device" detach
kill -STOP "${MEMBER[m1]}"
check_fails "unplug without etcd" hand unplug
kill -CONT "${MEMBER[m1]}"
check "unplug" hand unplug
is_now "unplugged" "$ONLY1"

# ---- the daemon begins again between -------------------------------------------------------------

check "plug" hand plug
daemon_end h1
daemon "plugged: the daemon ends, and begins again" h1
check "attach-device" v h1 attach-device web $WORK/nic.xml --live
is_now "attached" "$BOTH"
daemon_end h1 KILL
daemon "attached: the daemon is killed, and begins again" h1
check "the guest runs on" v h1 domstate web
check "the guest has it" retry 30 guest_has 00.1.
works "begun again" 2
check "detach-device" detach
daemon_end h1
sw h1 -c endpoint del web tenant red
daemon "detached, an endpoint is gone: the daemon begins again" h1
is_now "the hook puts back what is plugged, and leaves the rest" "$BOTH"
check "unplug" hand unplug
is_now "unplugged" "$ONLY1"
works "put back" 1

# ---- save and restore: detached, and nobody tells the hook --------------------------------

check "plug and attach-device" attach
check "the guest has it" retry 30 guest_has 00.1.
check "detach-device" detach
check "the guest has one" retry 30 guest_has 00.
check "virsh save" v h1 save web $WORK/web.saved
is_now "saved: nothing is left" " "
check "virsh restore" v h1 restore $WORK/web.saved
is_now "restored: what was plugged" "$ONLY1"
is "and what others have in it" "$(others h1)" "$OTHERS"
works "restored" 1
refuses "plug: what was unplugged is not in the metadata" 1 'no tsw:interface' hand plug
metadata "$ONE$TWO"
check "plug and attach-device" attach
check "the guest has it" retry 30 guest_has 00.1.
works "plugged again" 2
check "virsh save, with both" v h1 save web $WORK/web.saved
is_now "saved: nothing is left" " "
check "virsh restore" v h1 restore $WORK/web.saved
is_now "both" "$BOTH"
works "restored" 2

# ---- migration with one unplugged ----------------------------------------------------------------

check "detach-device" detach
check "the guest has one" retry 30 guest_has 00.
# shellcheck disable=SC2153 # VTEP is lib_topo.sh's
bg h1 virsh -q -c "$(uri h1)" migrate --live web "$(uri h2)" --migrateuri "tcp://${VTEP[h2]}"
ends_well "libvirt migrates"
AT=h2
ONLY1="web=h2:tap-t1 tap-t1 " BOTH="web=h2:tap-t1 web2=h2:tap-t2 tap-t1 tap-t2 "
is_now "h2 has what is plugged, and h1 nothing" "$ONLY1"
is "and what others have in it" "$(others h2)" "$OTHERS"
works "migrated" 1
metadata "$ONE$TWO"
check "plug and attach-device at h2" attach
is_now "both at h2" "$BOTH"
check "the guest has it" retry 30 guest_has 00.1.
works "plugged at h2" 2

# ---- the guest ends ------------------------------------------------------------------------------

check "detach-device" detach
check "the guest has one" retry 30 guest_has 00.
kill -KILL "$(qemu_of h2 web)"
is_now "qemu is killed: nothing is left" " "
for n in 1 2 3 4; do
	check "$n: virsh create" v h2 create $WORK/web.xml
	metadata "$ONE$TWO"
	hand plug >$WORK/said 2>&1 &
	sleep 0.$((n * 2))
	check "$n: virsh destroy while the hook plugs" timeout 60 virsh -q -c "$(uri h2)" destroy web
	wait $! || note "$(<$WORK/said)"
	is_now "$n: nothing is left" " "
done
check "all are in step" in_step h3
for host in h1 h2 h3; do
	is "$host: all is well" "$(sw $host -j switch check | gojq -c .problems)" "[]"
done
finish
