# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Two tenants with DHCP servers of their own, on h1 and h2. Source this after lib.sh.

relay_client() { # TENANT NAME HOST MAC IP...: its container knows nothing of its address
	container "$1" "$2" "$3" mac "$4" endpoint off
	endpoint_add "$1" "$2" "$3" "$4" "${@:5}"
	ipv6_calm "$1-$2"
	sysctl_in "$1-$2" net.ipv6.conf.eth0.disable_ipv6=0
}
serve() { # NS WORD...: dnsmasq there, with a log of what it is asked
	bg "$1" dnsmasq -k -p 0 --conf-file=/dev/null -u root --no-ping --dhcp-authoritative \
		--log-dhcp --log-facility=$WORK/log-"$1" --dhcp-leasefile=$WORK/leases-"$1" \
		-x $WORK/dnsmasq-"$1".pid "${@:2}"
	retry 10 test -s $WORK/dnsmasq-"$1".pid
}

relay_hosts() {
	topo h1 h2
	tenants
	for tenant in red blue; do
		sw_all tenant set $tenant net 10.0.0.0/24 net 10.0.1.0/24 net fd00:a::/64 \
			dhcp relay 10.0.0.9 dhcp-relay fd00:a::9
		sw_all gateway add $tenant ip 10.0.0.254/24 ip 10.0.1.254/24 \
			ip fd00:a::fe/64 host h1
	done
	relay_client red a h1 02:00:00:00:00:0a none
	relay_client red b h2 02:00:00:00:00:0b 10.0.0.2 fd00:a::2
	relay_client red c h1 02:00:00:00:00:0c 10.0.1.3
	relay_client red e h2 02:00:00:00:00:0e 10.0.0.8
	relay_client blue a h1 02:00:00:00:00:0a none
	container red s h2 mac 02:00:00:00:00:09 10.0.0.9/24 fd00:a::9/64
	container blue s h1 mac 02:00:00:00:00:09 10.0.0.9/24 fd00:a::9/64
	on red-s ip route add 10.0.1.0/24 via 10.0.0.254
	serve red-s --dhcp-range=10.0.0.100,10.0.0.100,255.255.255.0 \
		--dhcp-range=10.0.1.0,static,255.255.255.0 \
		--dhcp-range=fd00:a::100,fd00:a::100,64 \
		'--dhcp-host=02:00:00:00:00:0b,10.0.0.2,[fd00:a::2]' \
		--dhcp-host=02:00:00:00:00:0c,10.0.1.3
	serve blue-s --dhcp-range=10.0.0.200,10.0.0.200,255.255.255.0 \
		--dhcp-range=fd00:a::200,fd00:a::200,64
}
