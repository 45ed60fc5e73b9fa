#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: life/repaired repairs what others change; install/make installs the files
#
#   red-a ─ h1 192.0.2.1 ═══ 192.0.2.2 h2
#
# systemd-networkd and NetworkManager themselves, in namespaces of the case, as in a container:
# /sys is read-only there, and without udev. networkd has a file that matches every device. Each
# runs without the file that the package installs and with it. This file keeps addresses, routes,
# rules and settings of the switch's devices as they are.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_faults.sh"
. "$LIB/lib_managers.sh"
managers

NETWORKD=/lib/systemd/systemd-networkd
topo_hosts h1 h2
switch_up
tenants red 100
container red a h1 10.0.0.1/24
sw h1 gateway add red ip 10.7.0.254/24 nat off

# What the switch has in the host.
have() {
	ip -n h1 -o addr | grep ' tsw-' || true
	ip -n h1 route show table all proto 116
	ip -n h1 rule
	ip -n h1 -o link | grep -o '^[0-9]*: tsw-[^>]*>'
	on h1 sh -c 'grep . /proc/sys/net/ipv*/conf/tsw-*/forwarding'
}

# networkd FILE...: for six seconds.
networkd() {
	# shellcheck disable=SC2016 # the inner shell's
	on h1 unshare --mount --pid --fork --kill-child --mount-proc bash -c '
		mount -t sysfs -o ro sys /sys &&
		run=$(mktemp -d) && cp "$@" "$run" && mount -t tmpfs run /run &&
		mkdir -p /run/systemd/netif/{links,leases,lldp} /run/systemd/network &&
		cp "$run"/* /run/systemd/network/ && rm -r "$run" &&
		chown -R systemd-network /run/systemd/netif &&
		SYSTEMD_LOG_LEVEL=debug timeout 6 "$0" 2>&1' "$NETWORKD" "$@" || [ $? = 124 ]
}

if [ -x $NETWORKD ]; then
	printf '[Match]\nName=*\n[Network]\nDHCP=yes\nIPv6AcceptRA=yes\n' >$WORK/80-all.network
	before=$(have)
	networkd $WORK/80-all.network >$WORK/log || true
	check "networkd ran" grep -q 'red-a: .*DHCPv4' $WORK/log
	check "it gives the devices of the switch addresses" test "$(have)" != "$before"
	check "nothing is wrong nevertheless" sw h1 switch check
	for dev in tsw-vx tsw-gw tsw-up; do ip -n h1 addr flush dev $dev; done
	is "without these all is as before" "$(have)" "$before"
	networkd $WORK/80-all.network "$ROOT/contrib/networkd/05-tsw.network" >$WORK/log || true
	check "with the package's file it ran, too" grep -q 'red-a: .*DHCPv4' $WORK/log
	is "and asked nobody by devices of the switch" \
		"$(grep -c 'tsw-[a-z]*: .*DHCP' $WORK/log || true)" 0
	is "what the switch has is the same" "$(have)" "$before"
	check "nothing is wrong" sw h1 switch check
else
	skip "networkd" "there is no $NETWORKD"
fi

# network_manager: until it asks at red-a, and two seconds more.
network_manager() {
	bg h1 unshare --mount sh -c 'mount -t sysfs -o ro sys /sys &&
		exec NetworkManager --debug --log-level=INFO'
	check "NetworkManager asks by DHCP at an endpoint" retry 20 asked_at red-a
	sleep 2
	stop $BG
}
asked_at() { grep -q "dhcp4 ($1" "$BG_LOG"; }

needs "NetworkManager" NetworkManager dbus-daemon
bus 2>/dev/null
before=$(have)
cp "$ROOT/contrib/NetworkManager/tsw.conf" /usr/lib/NetworkManager/conf.d/
network_manager
check_fails "with the package's file it asks nobody by devices of the switch" asked_at tsw-
is "  what the switch has is the same" "$(have)" "$before"
check "  nothing is wrong" sw h1 switch check
rm /usr/lib/NetworkManager/conf.d/tsw.conf
network_manager
check "without it, it takes devices of the switch" asked_at tsw-gw
is "  and check tells" "$(problems h1)" "gateway_device tsw-gw"$'\n'"gateway_device tsw-up"
check "  repair" sw h1 switch repair
check "  nothing is wrong" sw h1 switch check
finish
