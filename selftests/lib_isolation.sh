#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the isolation cases: red and blue with the same MACs and addresses, and every blue
# container captured. Source it after lib.sh.

# shellcheck source-path=SCRIPTDIR
. "$LIB/lib_wire.sh"

BLUE=()

# topo_isolation: h1 has red-a, red-b, blue-a, h2 has red-c, blue-c, and blue-d, whose MAC (0d) and
# address (10.0.0.13, fd00::d) only blue has.
topo_isolation() {
	local tenant

	topo v6 h1 red-a red-b blue-a h2 red-c blue-c
	container blue d h2 10.0.0.13/24 fd00::d/64 mac 02:00:00:00:00:0d
	for tenant in red blue; do
		check "$tenant reaches $tenant" reach $tenant-a 10.0.0.3
		check "$tenant reaches $tenant, IPv6" reach $tenant-a fd00::3
	done
	check "blue reaches its 10.0.0.13" reach blue-a 10.0.0.13
	[ -z "${ISOLATION_WORDS:-}" ] || isolation_words
	quiet h1 h2
}

# isolation_words: both tenants have more than addresses. Each NAME also has fe80::bad:NAME. A and c
# may have the vip 10.0.0.50, which c has, and behind c is 172.16.3.0/24. Blue alone has the vip
# 10.0.0.60, at d, and 172.16.13.0/24 behind it.
isolation_words() {
	local tenant name host

	for tenant in red blue; do
		sw_all tenant set $tenant net 10.0.0.0/24 dhcp on boot-server 10.0.0.9 \
			boot-file of-$tenant
		for host in "${HOSTS[@]}"; do
			for name in $(js "$host" endpoint show tenant $tenant \
				'.[] | select(.dev).name'); do
				sw "$host" endpoint set "$name" tenant $tenant xdp on
				sw_all endpoint set "$name" tenant $tenant macs 2
				ip -n $tenant-"$name" addr add "fe80::bad:$name/64" dev eth0 nodad
				on $tenant-"$name" ping -n -c 1 -W 1 -I "fe80::bad:$name%eth0" \
					ff02::1%eth0 >/dev/null
			done
		done
		sw_all endpoint set a tenant $tenant vip 10.0.0.50
		sw_all endpoint set c tenant $tenant vip 10.0.0.50 prefix 172.16.3.0/24
		announces $tenant-c 10.0.0.50 02:00:00:00:00:03
	done
	sw_all endpoint set d tenant blue vip 10.0.0.60 prefix 172.16.13.0/24
	announces blue-d 10.0.0.60 02:00:00:00:00:0d
}

# announces NS IP MAC: takes a vip
announces() {
	ip -n "$1" addr add "$2/32" dev eth0
	inject "$1" eth0 eth src="$3" dst=ff:ff:ff:ff:ff:ff / arp op=2 sha="$3" spa="$2" tpa="$2"
}

# watch_blue NAME...: capture these of blue's containers from now on.
watch_blue() {
	local name

	BLUE=("$@")
	for name in "$@"; do
		ip -n "blue-$name" neigh flush all
		capture "blue-$name" "blue-$name" eth0
	done
}

# blue_saw_nothing: checks that prove it. Blue's own word is sent last: when it has arrived
# everywhere, red's earlier frames would have arrived, too.
blue_saw_nothing() {
	local name host mac

	for host in "${HOSTS[@]}"; do
		name=$(js "$host" endpoint show tenant blue '[.[] | select(.dev)][0].name // empty')
		[ -n "$name" ] || continue
		mac=$(mac_on "blue-$name" eth0)
		inject "blue-$name" eth0 eth src="$mac" dst=ff:ff:ff:ff:ff:ff / ip dst=10.0.0.255 \
			src="$(ip -n "blue-$name" -j -4 addr show dev eth0 |
				gojq -r '.[0].addr_info[0].local')" / udp / text blue-word
	done
	for name in "${BLUE[@]}"; do
		check "blue-$name hears blue" dissect_has "blue-$name" 1 has:blue-word
		capture_stop "blue-$name"
		is "blue-$name: nothing of red's" "$(dissect "blue-$name" -C has:red-)" 0
		is "blue-$name: nothing but blue's word" "$(dissect "blue-$name" -C)" \
			"$(dissect "blue-$name" -C has:blue-word)"
	done
}
