#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: port/macs has a bridge and a macvlan with namespaces behind a container's port
#
#   vm1 10.0.0.11, fd00::11 ┐
#   vm2 10.0.0.12, fd00::12 ┤
#   vm3 10.0.0.13, fd00::13 ┴ br0 10.0.0.1, fd00::1 = outer ─ h1 ═══ h2 ─ red-c 10.0.0.3, fd00::3
#
# A VM of qemu with a bridge, on which VMs of its own are: `macs 2` lets two of them out. They get
# their IPv4 addresses by DHCP from the outer VM, as libvirt's guests do from its dnsmasq. The outer
# VM is qemu with Debian's kernel. The inner ones are User Mode Linux, kernels of their own on taps
# of that bridge: qemu in qemu without KVM did not come up within eight minutes.
. "$(dirname "$0")/../../lib_vm.sh"
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo h1 h2
[ -z "$(vm_lacks)" ] || { skip "nested VMs" "$(vm_lacks)" && finish && exit; }
needs "nested VMs" linux.uml
OUTER=02:00:00:00:00:01
tenants
for tenant in red blue; do
	sw_all gateway add $tenant ip 10.0.0.254/24 ip fd00::fe/64 host h1
	container $tenant c h2 10.0.0.3/24 fd00::3/64
done

# ---- the inner VMs' image, and the outer one's --------------------------------------------------
mkdir -p $WORK/inner/{bin,proc} $WORK/vm/{sys,dev}
cp "$(command -v busybox)" $WORK/inner/bin/
find /usr/lib/uml/modules \( -name ipv6.ko -o -name crc-ccitt.ko \) -exec cp -t $WORK/inner/ {} +
cat >$WORK/inner/init <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
insmod /crc-ccitt.ko
insmod /ipv6.ko
n=$(sed 's/.*vm=\(.\).*/\1/' /proc/cmdline)
echo 0 >/proc/sys/net/ipv6/conf/vec0/accept_dad
ip link set vec0 up
until udhcpc -i vec0 -n -q -s /bound >/dev/null; do :; done
ip -6 addr add fd00::1$n/64 dev vec0
own=$(ip addr show dev vec0 | sed -n 's/.*inet \([0-9.]*\).*/\1/p')
reaches() { ping -c 1 -W 5 "$@" >/dev/null 2>&1 && echo -n " yes" || echo -n " no"; }
echo "vm$n $own$(reaches 10.0.0.1)$(reaches fd00::1)$(reaches 10.0.0.3)$(reaches fd00::3)$(
	reaches 10.0.0.254)$(reaches fd00::fe) end"
while :; do sleep 1; done
END
cat >$WORK/inner/bound <<'END'
#!/bin/busybox sh
[ "$1" = bound ] && ip addr add $ip/$mask dev vec0
END
chmod +x $WORK/inner/init $WORK/inner/bound
(cd $WORK/inner && find . | cpio -o -H newc --quiet | gzip -1) >$WORK/vm/inner.cpio
vm_with "$(command -v linux.uml)"
cat >$WORK/vm/udhcpd.conf <<'END'
interface br0
lease_file /leases
pidfile /udhcpd.pid
start 10.0.0.11
end 10.0.0.13
option subnet 255.255.255.0
static_lease 02:00:00:00:01:11 10.0.0.11
static_lease 02:00:00:00:01:12 10.0.0.12
static_lease 02:00:00:00:01:13 10.0.0.13
END
touch $WORK/vm/leases
VM_MODULES="bridge tun"
vm_image <<'END'
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir /dev/shm
mount -t tmpfs shm /dev/shm
# linux.uml keeps books of each page of a gap whose size is random: they leave it too little memory.
echo 0 >/proc/sys/kernel/randomize_va_space
brctl addbr br0
ip link set br0 address $(cat /sys/class/net/eth0/address)
brctl addif br0 eth0
echo 0 >/proc/sys/net/ipv6/conf/br0/accept_dad
ip link set br0 mtu 1450 up
ip addr add 10.0.0.1/24 dev br0
ip -6 addr add fd00::1/64 dev br0
udhcpd -S /udhcpd.conf
reached() { [ $(grep -c "vm.* end" /dev/shm/said) = "$1" ]; }
starts() { # N
	tunctl -t tap$1 >/dev/null
	brctl addif br0 tap$1
	ip link set tap$1 mtu 1450 up
	TMPDIR=/dev/shm linux.uml mem=48M initrd=/inner.cpio quiet vm=$1 umid=vm$1 \
		vec0:transport=tap,ifname=tap$1,depth=64,mac=02:00:00:00:01:1$1 \
		con0=null,fd:1 con=none ssl=none </dev/null 2>/dev/null |
		while read -r line; do
			case $line in vm*end*) echo "$line" >>/dev/shm/said ;; esac
		done &
	until reached $1; do sleep 0.5; done
	tail -n 1 /dev/shm/said
}
: >/dev/shm/said
for n in 1 2 3; do starts $n; done
while :; do sleep 1; done
END

# ---- they come up -------------------------------------------------------------------------------
ip -n h1 tuntap add dev tap0 mode tap vnet_hdr
ip -n h1 link set tap0 mtu 1450 addrgenmode none up
six=(ip 10.0.0.1 ip fd00::1)
for n in 1 2 3; do six+=(ip "10.0.0.1$n" ip "fd00::1$n"); done
sw h1 endpoint add outer tenant red mac $OUTER "${six[@]}" dev tap0 macs 2
sw h2 endpoint add outer tenant red mac $OUTER "${six[@]}" host h1
quiet h1 h2
VM_MEMORY=512M
vm_on h1 $WORK/console -netdev tap,id=n,ifname=tap0,script=no,downscript=no,vhost=off \
	-device "virtio-net-pci,netdev=n,mac=$OUTER,host_mtu=1450"
said() { tr -d '\r' <$WORK/console | grep -ao "^vm$1 .* end$"; } # N
ALL="yes yes yes yes yes yes end"
for n in 1 2; do
	check "vm$n has come up" retry 120 said $n
	is "vm$n: its address, the outer VM, another host, the gateway" "$(said $n)" \
		"vm$n 10.0.0.1$n $ALL"
	check "red-c reaches it" reach red-c "10.0.0.1$n"
	check "and by IPv6" reach red-c "fd00::1$n"
done
is "endpoint show lists both" "$(js h1 endpoint show outer tenant red '.[0].inner_macs | sort')" \
	'["02:00:00:00:01:11","02:00:00:00:01:12"]'
is "red-c knows one MAC for both" "$(for n in 1 2; do
	ip -n red-c -j neigh show to "10.0.0.1$n" | gojq -r '.[0].lladdr'
done | sort -u)" $OUTER

# ---- one more than N ----------------------------------------------------------------------------
check "vm3 has come up" retry 120 said 3
is "it reaches the outer VM alone" "$(said 3)" "vm3 10.0.0.13 yes yes no no no no end"
check "red-c does not reach it" no_reach red-c 10.0.0.13
dropped() { all_drops h1 | awk '$1 " " $2 " " $3 == "red spoofed_mac from_endpoint" { print $4 }'; }
check "which is counted" test "$(dropped)" -gt 3
is "the outer VM's leases stay behind its port" "$(all_drops h1 | grep -c '^red rogue_server ')" 1
is "and nothing else was dropped" "$(all_drops h1 | grep '^red ' |
	grep -vE 'multicast|spoofed_mac|rogue_server' || true)" ""
check "macs 3" sw_all endpoint set outer tenant red macs 3
check "red-c reaches it then" reach red-c 10.0.0.13
check "and by IPv6" reach red-c fd00::13
check "h1 is sound" sw h1 switch check
check "blue still reaches its own" reach blue-c 10.0.0.254
note "$(said '[123]' | paste -sd';') spoofed_mac $(dropped)"
finish
