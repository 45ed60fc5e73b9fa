#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: answer/relay has a client and all frames
#
#   red-a, red-c, blue-a, blue-s ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-s, red-b, red-e
#
# dhclient and dhcpcd get addresses of both families from their tenant's own server, dnsmasq, renew
# and return them: on the other host, and on the server's.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_relay.sh"

relay_hosts
log() { grep -c "$2.* $3 " $WORK/log-"$1" || true; } # NS WORD IP
# Both clients write /etc/resolv.conf: they get one of their own, never the machine's.
own_etc() {
	on "$1" unshare -m sh -c 'mount -t tmpfs none /etc/dhcp && touch /etc/dhcp/dhclient.conf &&
		mount --bind /dev/null /etc/resolv.conf && exec "$@"' sh "${@:2}"
}
dhcpcd() { # NS WORD...
	own_etc "$1" sh -c 'mount -t tmpfs none /var/lib/dhcpcd && mkdir -p /run/dhcpcd &&
		mount -t tmpfs none /run/dhcpcd && exec dhcpcd "$@" eth0' sh "${@:2}"
}
has() { ip -n "$1" -4 -br addr show eth0 | grep -qw "$2"; } # NS IP
for client in red-a:10.0.0.100 red-b:10.0.0.2 red-c:10.0.1.3 blue-a:10.0.0.200; do
	ns=${client%:*} ip=${client#*:} server=${client%-*}-s
	files="-lf $WORK/lease-$ns -pf $WORK/dhclient-$ns.pid"
	check "dhclient: $ns" own_etc $ns dhclient -1 $files eth0
	check "dhclient: $ns has $ip" has $ns $ip
	is "dhclient: its server knows" "$(log $server DHCPACK $ip)" 1
	check "dhclient: it gives it back" own_etc $ns dhclient -r $files eth0
	comes "dhclient: the server hears that" 1 log $server DHCPRELEASE $ip
	: >$WORK/dhcpcd.conf
	check "dhcpcd: $ns" dhcpcd $ns -4 -A -1 -t 20 -f $WORK/dhcpcd.conf
	check "dhcpcd: $ns has $ip" has $ns $ip
	ip -n $ns addr flush dev eth0 scope global
done
is "nothing is dropped" "$({ all_drops h1 && all_drops h2; } | sed '/^null/d')" ""

# DHCPv6. Where the endpoint is in no list, the switch's advertisement has told it of network and
# router before.
has6() { ip -n "$1" -6 -br addr show eth0 | grep -q " $2/"; } # NS IP
router() { ip -n "$1" -6 route show default | grep -c 'via fe80::' || true; }
again() { # NS: its kernel looks for a router
	sysctl_in "$1" net.ipv6.conf.eth0.{accept_ra=2,router_solicitations=3}
	ip -n "$1" addr flush dev eth0 scope global
	ip -n "$1" link set eth0 down addrgenmode eui64 # dhcpcd turns it off
	ip -n "$1" link set eth0 up
	comes "$1 hears of its router" 1 router "$1"
}
echo 'noipv4, ipv6rs, ia_na 1' | tr , '\n' >$WORK/dhcpcd6.conf

# By its rules: a member of a group is reached only by a rule, and still gets its address.
sw_all group add red web
sw_all tenant set red policy on default deny
sw_all endpoint set a tenant red group web
check "a policy denies no DHCP" dhcpcd red-a -4 -A -1 -t 20 -f $WORK/dhcpcd.conf
check "it has its address" has red-a 10.0.0.100
for client in red-a:fd00:a::100 red-b:fd00:a::2 blue-a:fd00:a::200; do
	ns=${client%%:*} ip=${client#*:} files="-lf $WORK/lease6-$ns -pf $WORK/dhclient6-$ns.pid"
	again $ns
	check "dhclient -6: $ns" own_etc $ns dhclient -6 -1 $files eth0
	check "dhclient -6: $ns has $ip" has6 $ns $ip
	check "dhclient -6: it gives it back" own_etc $ns dhclient -6 -r $files eth0
	again $ns
	check "dhcpcd -6: $ns" dhcpcd $ns -6 -A -1 -t 20 -f $WORK/dhcpcd6.conf
	check "dhcpcd -6: $ns has $ip" has6 $ns $ip
done
# The policy denies other frames. A client that has ended may refuse an answer, by ICMPv6 to the
# gateway's link-local address.
is "nothing else is dropped" "$({ all_drops h1 && all_drops h2; } |
	sed -E '/^null/d; /host_address|policy_denied/d')" ""
finish
