#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: answer/link-local has the same ways of addressing in containers
#
#   nm 10.0.0.1, fd00::1 ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ win 10.0.0.2, fd00::2
#                                                       └─ red-c 10.0.0.3, fd00::3
#
# Two VMs of qemu whose link-local addresses are not made from the MAC. nm has a stable one by RFC
# 7217, as NetworkManager makes it. win has a random interface identifier and temporary addresses,
# as Windows does, and chooses another identifier five times. Both get IPv6 by the router's
# advertisement and DHCPv6. They reach the gateway, each other and a container on another host. blue
# has the same addresses.
. "$(dirname "$0")/../../lib_vm.sh"
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

NM=02:00:00:00:00:01 WIN=02:00:00:00:00:02
topo h1 h2
[ -z "$(vm_lacks)" ] || { skip "VMs with IPv6" "$(vm_lacks)" && finish && exit; }
needs "VMs with DHCPv6" dhclient
tenants
for tenant in red blue; do
	sw_all tenant set $tenant net 10.0.0.0/24 net fd00::/64 dhcp on
	sw_all gateway add $tenant ip 10.0.0.254/24 ip fd00::fe/64 host h1
	container $tenant c h2 10.0.0.3/24 fd00::3/64
done
container blue a h1 10.0.0.1/24 fd00::1/64

mkdir -p $WORK/vm/{sys,var/lib/dhcp,var/run,run,dev,etc}
touch $WORK/vm/var/lib/dhcp/dhclient6.leases
vm_with "$(command -v dhclient)"
cat >$WORK/vm/bound6 <<'END'
#!/bin/busybox sh
case $reason in
PREINIT6) exit 0 ;;
BOUND6 | REBOOT6 | REBIND6 | RENEW6) ip -6 addr replace $new_ip6_address/128 dev eth0 ;;
esac
END
chmod +x $WORK/vm/bound6
vm_image <<'END'
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
conf=/proc/sys/net/ipv6/conf
own() {
	ip -6 addr show dev eth0 scope link |
		sed -n '/tentative/d; s/.*inet6 \(fe80[^/]*\).*/\1/p'
}
route() { ip -6 route show default | sed -n 's/.*via \([^ ]*\).*/\1/p'; }
address() { ip -6 addr show dev eth0 scope global | sed -n 's/.*inet6 \(fd00[^/]*\).*/\1/p'; }
till() { # COMMAND: until it prints something
	for i in $(seq 100); do [ -z "$($1)" ] || return 0; sleep 0.3; done
}
reaches() { ping -6 -c 1 -W 5 "$@" >/dev/null 2>&1 && echo -n " yes" || echo -n " no"; }
again() { # ROUND: a new link, as at a start
	ip link set eth0 down
	ip -6 addr flush dev eth0 2>/dev/null
	# A new secret makes a new identifier; the kernel draws one only once.
	[ "$1" = 1 ] || ip6_of_chance >$conf/eth0/stable_secret
	ip link set eth0 up
	till own
	till route
	dhclient -6 -1 -sf /bound6 -lf /lease$1 -pf /pid eth0 >/dev/null 2>&1
	till address
	[ ! -f /pid ] || kill $(cat /pid)
	echo "round $1 $(own) $(route) $(address)$(reaches fd00::fe)$(reaches fd00::3)$(
		reaches fe80::ff:fe00:3%eth0) end"
}
ip6_of_chance() { hexdump -n 16 -e '7/2 "%x:" 1/2 "%x"' /dev/urandom; }
ip link set lo up
ip link set eth0 down
if grep -q :01 /sys/class/net/eth0/address; then
	echo 2001:db8::1234 >$conf/eth0/stable_secret # which sets addr_gen_mode 2
	again 1
else
	echo 3 >$conf/eth0/addr_gen_mode
	echo 2 >$conf/eth0/use_tempaddr
	for n in 1 2 3 4 5 6; do again $n; done
fi
until ping -6 -c 1 -W 1 fd00::1 >/dev/null && ping -6 -c 1 -W 1 fd00::2 >/dev/null; do :; done
echo "guests reached"
while :; do sleep 1; done
END

guest() { # NAME HOST MAC IP IP6
	local host

	ip -n "$2" tuntap add dev tap0 mode tap vnet_hdr
	ip -n "$2" link set tap0 mtu 1450 addrgenmode none up
	for host in "${HOSTS[@]}"; do
		sw "$host" endpoint add "$1" tenant red mac "$3" ip "$4" ip "$5" \
			"$([ "$host" = "$2" ] && echo dev || echo host)" \
			"$([ "$host" = "$2" ] && echo tap0 || echo "$2")"
	done
	vm_on "$2" $WORK/console-"$1" -netdev tap,id=n,ifname=tap0,script=no,downscript=no,vhost=off \
		-device "virtio-net-pci,netdev=n,mac=$3,host_mtu=1450"
}
guest nm h1 $NM 10.0.0.1 fd00::1
guest win h2 $WIN 10.0.0.2 fd00::2

rounds() { tr -d '\r' <$WORK/console-"$1" | grep -ao '^round .* end$'; } # NAME
has_rounds() { [ "$(rounds "$1" | wc -l)" = "$2" ]; } # NAME N
# rest NAME IP: what its rounds say behind the address that it chose
rest() { rounds "$1" | cut -d ' ' -f 4- | sort -u; }
chosen() { rounds "$1" | cut -d ' ' -f 3; } # NAME: its link-local addresses
check "nm has begun" retry 60 has_rounds nm 1
check "win has begun six times" retry 90 has_rounds win 6
ALL="fe80::74:ff:fe00:64 fd00::%s yes yes yes end"
# shellcheck disable=SC2059 # with a place in it
{
	is "nm: a route, its address, gateway and neighbour" "$(rest nm)" "$(printf "$ALL" 1)"
	is "win: so each time" "$(rest win)" "$(printf "$ALL" 2)"
}
is "win: six addresses" "$(chosen win | sort -u | wc -l)" 6
is "none is made from a MAC" "$({ chosen win; chosen nm; } | grep -c 'ff:fe00' || true)" 0
for name in nm win; do
	reached() { grep -aq "guests reached" $WORK/console-"$name"; }
	check "$name reaches the other guest" retry 30 reached
	last=$(chosen $name | tail -n 1)
	check "a container reaches its $last" reach red-c "$last%eth0"
	for host in h1 h2; do
		is "$host knows it" "$(js $host endpoint show $name tenant red \
			'.[0].link_local[]' | grep -cx "$last")" 1
	done
done
is "of win's addresses the last four are bound" "$(js h2 endpoint show win tenant red \
	'.[0].link_local[]' | sort)" "$(chosen win | tail -n 4 | sort)"
for host in h1 h2; do
	is "$host: nothing of red was dropped" \
		"$(all_drops $host | grep '^red ' | grep -v multicast || true)" ""
	check "$host is sound" sw $host switch check
done
check "blue still reaches its own" reach blue-a fd00::3
for name in nm win; do note "$name: $(rounds $name)"; done
finish
