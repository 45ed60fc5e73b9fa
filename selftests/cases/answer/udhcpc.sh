#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# One client of DHCP and DNS, busybox's, on two hosts and in two tenants with equal addresses. Each
# gets its own endpoint's address and name, and names of its own tenant. answer/dhcp and answer/dns
# have other clients, IPv6, and what is on the wire.
#
#   red-a, blue-a 10.0.0.1 ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-c, blue-d 10.0.0.3
. "$(dirname "$0")/../../lib.sh"

topo h1 h2
tenants
for tenant in red blue; do
	sw_all tenant set $tenant net 10.0.0.0/24 dhcp on dns on
	sw_all gateway add $tenant ip 10.0.0.254/24 host h1
done
client() { # TENANT NAME HOST IP: its container knows nothing of its address yet
	container "$1" "$2" "$3" mac "$(mac_of "$4")" endpoint off
	endpoint_add "$1" "$2" "$3" "$(mac_of "$4")" "$4"
}
client red a h1 10.0.0.1
client red c h2 10.0.0.3
client blue a h1 10.0.0.1
client blue d h2 10.0.0.3

# udhcpc calls it; it sets the address that it was told.
cat >$WORK/told.sh <<'END'
#!/bin/sh
[ "$1" = bound ] || exit 0
ip addr add "$ip/$mask" dev "$interface"
echo "$ip/$mask router $router name $hostname dns $dns domain $domain" >"$TOLD"
END
chmod +x $WORK/told.sh
told() { # NS: what a client there was told
	TOLD=$WORK/$1 on "$1" busybox udhcpc -i eth0 -s $WORK/told.sh -t 10 -T 1 -n -q -f \
		>$WORK/client 2>&1 || cat $WORK/client
	cat $WORK/"$1"
}
# asks NS NAME: its addresses, or what busybox says instead
asks() {
	{ on "$1" busybox nslookup -type=a "$2" 10.0.0.254 2>&1 || true; } |
		sed -nE '1,/^$/d; s/^Address: //p; s/.*(NXDOMAIN)$/\1/p' | xargs
}
rest() { echo "router 10.0.0.254 name $1 dns 10.0.0.254 domain $2.tsw.internal"; }
is "red's a" "$(told red-a)" "10.0.0.1/24 $(rest a red)"
is "red's c, on the other host" "$(told red-c)" "10.0.0.3/24 $(rest c red)"
is "blue's a" "$(told blue-a)" "10.0.0.1/24 $(rest a blue)"
is "blue's d" "$(told blue-d)" "10.0.0.3/24 $(rest d blue)"
sw h1 tenant set red never-default on
is "never-default: no router, and the same server" "$(told red-a)" \
	"10.0.0.1/24 router  name a dns 10.0.0.254 domain red.tsw.internal"
is "blue's has one" "$(told blue-a)" "10.0.0.1/24 $(rest a blue)"
sw h1 tenant set red never-default off
check "red talks with what it was told" reach red-a 10.0.0.3
check "and so does blue" reach blue-d 10.0.0.1
is "a neighbour's name" "$(asks red-a c.red.tsw.internal)" 10.0.0.3
is "from the other host" "$(asks red-c a.red.tsw.internal)" 10.0.0.1
is "a name that blue alone has" "$(asks red-a d.red.tsw.internal)" NXDOMAIN
is "blue knows it" "$(asks blue-a d.blue.tsw.internal)" 10.0.0.3
finish
