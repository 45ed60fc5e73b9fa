#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: answer/boot has a client that loads its file
#
#   vm 10.0.0.1, fd00::1 ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-s 10.0.0.9, fd00::9: dnsmasq, TFTP
#
# A VM of qemu without a disk boots from the network, by the iPXE ROM of Debian: its tenant's boot
# file is a script, which loads kernel and initramfs from the same server. Once by DHCP, and once by
# DHCPv6. blue has the same addresses, and another server that nobody must ask.
. "$(dirname "$0")/../../lib_vm.sh"
. "$(dirname "$0")/../../lib.sh"

ROM=/usr/lib/ipxe/qemu/pxe-virtio.rom
VM=02:00:00:00:00:01

topo h1 h2
[ -z "$(vm_lacks)" ] || { skip "a VM that boots from the network" "$(vm_lacks)" && finish && exit; }
[ -f $ROM ] || { skip "a VM that boots from the network" "no $ROM" && finish && exit; }
tenants
sw_all tenant set red net 10.0.0.0/24 net fd00::/64 dhcp on
sw_all tenant set blue net 10.0.0.0/24 net fd00::/64 dhcp on boot-server 10.0.0.8 boot-file of-blue
container red s h2 10.0.0.9/24 fd00::9/64
container blue s h2 10.0.0.8/24
ip -n h1 tuntap add dev tap0 mode tap vnet_hdr
ip -n h1 link set tap0 mtu 1450 addrgenmode none up

vm_image <<-'END'
	echo "booted-by $(sed 's/.*by=//' /proc/cmdline)"
	poweroff -f
END
mkdir -p $WORK/tftp/dir
cp "$VM_TREE"/boot/vmlinuz-* $WORK/tftp/dir/vmlinuz
mv $WORK/vm.cpio $WORK/tftp/dir/
for family in 4 6; do
	cat >$WORK/tftp/dir/boot$family.ipxe <<-END
		#!ipxe
		kernel vmlinuz console=ttyS0 quiet panic=-1 nowatchdog initrd=vm.cpio by=$family
		initrd vm.cpio
		boot
	END
done
bg red-s dnsmasq -k -p 0 --enable-tftp --tftp-root=$WORK/tftp -u root -x $WORK/dnsmasq.pid \
	--conf-file=/dev/null --log-facility=$WORK/dnsmasq.log
capture blue blue-s eth0 udp

# boots FAMILY IP: red's vm with that address alone; QEMU is its number
boots() {
	sw h1 endpoint replace vm tenant red mac $VM ip "$2" dev tap0
	sw h2 endpoint replace vm tenant red mac $VM ip "$2" host h1
	bg h1 qemu-system-x86_64 -accel tcg,thread=multi -cpu max -m 256M -nodefaults \
		-no-user-config -display none -no-reboot -machine graphics=off \
		-netdev tap,id=n,ifname=tap0,script=no,downscript=no,vhost=off \
		-device virtio-net-pci,disable-legacy=on,netdev=n,mac=$VM,romfile=$ROM,bootindex=1 \
		-serial "file:$WORK/console$1"
	QEMU=$BG
}
said() { tr -d '\r' <$WORK/console"$1" | grep -aqF "$2"; } # FAMILY TEXT
ended() { ! kill -0 $QEMU; }

sw_all tenant set red boot-server 10.0.0.9 boot-file dir/boot4.ipxe
boots 4 10.0.0.1
check "DHCP: the ROM has its file's name" retry 60 said 4 "tftp://10.0.0.9/dir/boot4.ipxe"
check "DHCP: the kernel of the server runs" retry 60 said 4 "booted-by 4"
check "DHCP: the VM ends" retry 20 ended

sw_all tenant set red boot-server fd00::9 boot-file dir/boot6.ipxe
boots 6 fd00::1
check "DHCPv6: the ROM has its URL" retry 60 said 6 "tftp://[fd00::9]/dir/boot6.ipxe"
check "DHCPv6: the kernel of the server runs" retry 60 said 6 "booted-by 6"
check "DHCPv6: the VM ends" retry 20 ended

capture_stop blue
is "blue's server heard nothing" "$(tcpdump -Z root -n -r $WORK/blue.pcap 2>/dev/null | wc -l)" 0
is "the server gave the files of both" "$(grep -c 'sent .*/dir/vmlinuz' $WORK/dnsmasq.log)" 2
is "no frame of red was dropped" \
	"$(sw h1 -j stats drops | gojq -c '[.[] | select(.tenant == "red")]')" "[]"
for f in $WORK/console4 $WORK/console6; do
	note "$(tr -d '\r' <"$f" | grep -a "tftp\|booted" | head -n 4)"
done
finish
