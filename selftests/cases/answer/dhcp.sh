#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: packet_dhcp, packet_dhcp6 and packet_ra compare whole answers; answer/udhcpc has one client
#
#   red-a 10.0.0.1, red-b .2, blue-a .1 ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-c 10.0.0.3
#         fd00:a::1       ::2                                                   fd00:a::3
#
# Real clients of DHCP get their endpoints' addresses at the port, and those of IPv6 by DHCPv6 and
# router advertisements. Nobody else hears of it, and nobody else may answer.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo h1 h2
sw_all tenant add red id 100 net 10.0.0.0/24 net fd00:a::/64 dhcp on
sw_all tenant add blue id 200 dhcp on
sw_all gateway add red ip 10.0.0.254/24 ip fd00:a::fe/64
sw_all gateway add blue ip 10.0.0.253/16
# client TENANT NAME HOST IP [IP6]: an endpoint whose container knows nothing of its address yet
client() {
	container "$1" "$2" "$3" mac "$(mac_of "$4")" endpoint off
	endpoint_add "$1" "$2" "$3" "$(mac_of "$4")" "${@:4}"
}
client red a h1 10.0.0.1 fd00:a::1
client red b h1 10.0.0.2 fd00:a::2
client red c h2 10.0.0.3 fd00:a::3
client blue a h1 10.0.0.1
for ns in red-a red-b red-c; do capture $ns $ns eth0; done
capture wire h2 eth0

# ---- udhcpc -------------------------------------------------------------------------

# What a client tells its script goes to $WORK/<ns>.told; it sets what it was told.
cat >$WORK/told.sh <<'END'
#!/bin/sh
said="$1 ip ${ip:-} mask ${subnet:-} router ${router:-} mtu ${mtu:-} name ${hostname:-}"
case $1 in
deconfig) ip addr flush dev "$interface" ;;
bound | renew)
	ip addr replace "$ip/$mask" dev "$interface"
	ip link set "$interface" mtu "$mtu"
	set -- ${staticroutes:-}
	while [ $# -gt 1 ]; do
		case $2 in 0.0.0.0) ip route replace "$1" dev "$interface" ;;
		*) ip route replace "$1" via "$2" dev "$interface" ;; esac
		shift 2
	done ;;
esac
echo "dns ${dns:-} domain ${domain:-} search ${search:-}" >"$TOLD.names"
echo "$said of ${serverid:-} for ${lease:-}" >>"$TOLD" # last: it has set what it was told
END
chmod +x $WORK/told.sh
# udhcpc NS [WORD]...: in the foreground until it has a lease, or gives up
udhcpc() {
	TOLD=$WORK/$1.told on "$1" busybox udhcpc -i eth0 -s $WORK/told.sh -t 3 -T 1 -n "${@:2}"
}
last() { tail -n 1 $WORK/"$1".told 2>/dev/null; }
RED_B="ip 10.0.0.2 mask 255.255.255.0 router 10.0.0.254 mtu 1450 name b of 10.0.0.254 for 3600"
RED_A="ip 10.0.0.1 mask 255.255.255.0 router 10.0.0.254 mtu 1450 name a of 10.0.0.254 for 3600"

before=$(stat_of h1 red answered)
check "udhcpc has a lease" udhcpc red-a -q -f
is "of its address, network, router and MTU" "$(last red-a)" "bound $RED_A"
is "two requests were answered, at the port" $(($(stat_of h1 red answered) - before)) 2
check "udhcpc at the other host" udhcpc red-c -q -f
check "of another tenant" udhcpc blue-a -q -f
is "which has its own network" "$(last blue-a)" \
	"bound ip 10.0.0.1 mask 255.255.0.0 router 10.0.0.253 mtu 1450 name a of 10.0.0.253 for 3600"
check "they talk" reach red-a 10.0.0.3
check "and have a way out" on red-a ping -c 1 -W 2 10.0.0.254
is "the default route" "$(ip -n red-a route show default)" "default via 10.0.0.254 dev eth0 "

# running NS [WORD]...: in the background
running() {
	rm -f $WORK/"$1".told
	TOLD=$WORK/$1.told bg "$1" busybox udhcpc -i eth0 -s $WORK/told.sh -t 3 -T 1 -f "${@:2}"
	CLIENT=$BG
	comes "$1: a lease" bound said "$1"
}
said() { last "$1" | cut -d ' ' -f 1; }
running red-b
kill -USR1 $CLIENT
comes "renewed by a datagram to the server" renew said red-b
is "the same" "$(last red-b)" "renew $RED_B"
sw_all endpoint set b tenant red ip 10.0.0.77
kill -USR1 $CLIENT
comes "its address is another by now: refused, and the new one" \
	"bound ip 10.0.0.77 mask 255.255.255.0 router 10.0.0.254 mtu 1450 name b of 10.0.0.254 for 3600" \
	last red-b
check "it talks by that" reach red-b 10.0.0.3
kill -USR2 $CLIENT
comes "given back" deconfig said red-b
kill $CLIENT
sw h1 tenant set red mtu 1400
check "the tenant's MTU" udhcpc red-a -q -f
is "is told" "$(last red-a | grep -o 'mtu [0-9]*')" "mtu 1400"
sw h1 tenant set red mtu 0
ip -n h1 link set red-a mtu 1300
check "the port's device takes less" udhcpc red-a -q -f
is "and that is told" "$(last red-a | grep -o 'mtu [0-9]*')" "mtu 1300"
ip -n h1 link set red-a mtu 1500

sw_all tenant set red net 10.0.0.0/28 net fd00:a::/64
check "a net that is narrower than the gateway's" udhcpc red-a -q -f
is "is told" "$(last red-a | grep -o 'mask [0-9.]*')" "mask 255.255.255.240"
is "the router is on the link all the same" "$(ip -n red-a route show 10.0.0.254)" \
	"10.0.0.254 dev eth0 scope link "
check "and answers" on red-a ping -c 1 -W 2 10.0.0.254
sw_all tenant set red net 10.0.0.0/24 net fd00:a::/64
ip -n red-a route flush dev eth0
check "as before" udhcpc red-a -q -f

# ---- trace ------------------------------------------------------------------------------

# traced WORD...: what becomes of it, and do program and explanation agree?
traced() { js h1 trace from a to "$@" tenant red '.[0] | [.verdict, .reason, .agrees]'; }
is "to all" "$(traced 255.255.255.255 proto udp port 67)" '["answered",null,true]'
is "to the router" "$(traced 10.0.0.254 proto udp port 67)" '["answered",null,true]'
is "from an address that was its own" "$(traced 10.0.0.254 proto udp port 67 ip 10.0.0.55)" \
	'["answered",null,true]'
is "to the servers of DHCPv6" "$(traced ff02::1:2 proto udp port 547)" '["answered",null,true]'
is "to another server, from an address that was its own" \
	"$(traced 10.0.0.3 proto udp port 67 ip 10.0.0.55)" '["dropped","spoofed_ip",true]'
is "a longer one" "$(traced ff02::1:2 proto udp port 547 length 300)" '["answered",null,true]'
check_fails "a shorter one is no request" sw h1 trace from a to 10.0.0.254 proto udp port 67 \
	length 100 tenant red
sw h1 tenant set red dhcp off
is "dhcp off" "$(traced 255.255.255.255 proto udp port 67)" '["flooded",null,null]'
check "and why, in words" grep -q "the tenant's dhcp is off" <(sw h1 trace from a to 255.255.255.255 \
	proto udp port 67 tenant red)
sw h1 tenant set red dhcp on

# ---- without a gateway ------------------------------------------------------------------

sw_all gateway del red
running red-a
is "no router, and who answers is link-local" "$(last red-a)" \
	"bound ip 10.0.0.1 mask 255.255.255.0 router  mtu 1450 name a of 169.254.169.253 for 3600"
is "the way to it" "$(ip -n red-a route show 169.254.169.253)" "169.254.169.253 dev eth0 scope link "
kill -USR1 $CLIENT
comes "renewed by that" renew said red-a
kill $CLIENT
sw_all gateway add red ip 10.0.0.254/24 ip fd00:a::fe/64

# ---- names ------------------------------------------------------------------------------

sw h1 tenant set red dns on
check "udhcpc, with dns on" udhcpc red-a -q -f
is "is told who answers, and what to search" "$(<$WORK/red-a.told.names)" \
	"dns 10.0.0.254 domain red.tsw.internal search red.tsw.internal"
longest=$(printf 'a.%.0s' {1..30})ab
sw h1 tenant set red domain $longest
check "with the longest domain" udhcpc red-a -q -f -x 0x3d:ff0102030400010001aabbccdd0200000000
is "too" "$(<$WORK/red-a.told.names)" "dns 10.0.0.254 domain red.$longest search red.$longest"
sw h1 tenant set red domain tsw.internal
# What a client writes goes to $WORK/etc.
mkdir -p $WORK/etc
cp -a /etc/dhcp /etc/passwd /etc/group /etc/nsswitch.conf /etc/hosts /etc/fstab $WORK/etc
: >$WORK/etc/resolv.conf
own_etc() { # NS CMD...
	# shellcheck disable=SC2016 # of the inner one
	on "$1" unshare -m sh -c 'mount --bind "$0" /etc && exec "$@"' $WORK/etc "${@:2}"
}
resolver() { sort $WORK/etc/resolv.conf | xargs; }
by_search() { own_etc red-a getent ahostsv4 c | awk 'NR == 1 { print $1, $3 }'; }
# What dhcpcd tells its script of names.
cat >$WORK/names.sh <<END
#!/bin/sh
env | sed -n 's/^new_//; s/^\(.*domain_name\|.*search\|nd1_rdnss1_servers\)=/\1 /p' >>$WORK/names
END
chmod +x $WORK/names.sh
client_names() { sort -u $WORK/names | xargs; }

# ---- other clients -----------------------------------------------------------------------

# addrs NS: what its device has
addrs() { ip -n "$1" -4 -j addr show eth0 | gojq -r '.[].addr_info[] | "\(.local)/\(.prefixlen)"'; }
addrs6() { ip -n "$1" -6 -j addr show eth0 | gojq -r '.[].addr_info[] | select(.scope == "global") |
	"\(.local)/\(.prefixlen)"'; }
first6() { addrs6 "$1" | cut -d / -f 1; }
routers() { { ip -n "$1" route show default; ip -n "$1" -6 route show default; } |
	sed -n 's/.*via \([^ ]*\).*/\1/p' | xargs; }
asked_again() {
	on "$1" ping -c 1 -W 1 fe80::74:ff:fe00:64%eth0 >/dev/null
	routers "$1"
}
flush() { ip -n "$1" addr flush dev eth0; }
echo 'noipv4, ipv6rs, ia_na 1, option dhcp6_domain_search, option rdnss, option dnssl' | tr , '\n' \
	>$WORK/dhcpcd6.conf
flush red-a
check "dhclient" own_etc red-a dhclient -1 -lf $WORK/lease -pf $WORK/dhclient.pid eth0
is "has the address" "$(addrs red-a)" 10.0.0.1/24
is "the MTU and the route" "$(ip -n red-a -j link show eth0 | gojq .[0].mtu) \
$(ip -n red-a route show default | cut -d ' ' -f 3)" "1450 10.0.0.254"
is "resolv.conf says what to search" "$(resolver)" \
	"domain red.tsw.internal nameserver 10.0.0.254 search red.tsw.internal."
is "by which the C library finds a neighbour" "$(by_search)" "10.0.0.3 c.red.tsw.internal"
check "dhclient gives it back" own_etc red-a dhclient -r -lf $WORK/lease -pf $WORK/dhclient.pid eth0
flush red-a
mkdir -p $WORK/dhcpcd
echo 'option classless_static_routes, interface_mtu, domain_name, domain_search' >$WORK/dhcpcd.conf
dhcpcd() { # NS WORD...
	# shellcheck disable=SC2016 # of the inner one
	on "$1" unshare -m sh -c 'mount --bind "$0" /var/lib/dhcpcd && mkdir -p /run/dhcpcd &&
		mount -t tmpfs none /run/dhcpcd && exec dhcpcd "$@" eth0' $WORK/dhcpcd \
		-1 -B -t 10 -c $WORK/names.sh "${@:2}"
}
check "dhcpcd" dhcpcd red-a -4 -A -f $WORK/dhcpcd.conf
is "has the address" "$(addrs red-a)" 10.0.0.1/24
is "and the domain" "$(client_names)" "domain_name red.tsw.internal domain_search red.tsw.internal"
rm $WORK/names
flush red-a
# networkd NS: in the background; where /sys is read-only it waits for no udev
networkd() {
	# shellcheck disable=SC2016 # $0 is the inner one's
	bg "$1" unshare -m sh -c 'mkdir -p /run/systemd && mount -t tmpfs none /run/systemd &&
		mount --bind /sys /sys && mount -o remount,bind,ro /sys &&
		mkdir -p /run/systemd/network /run/systemd/netif/links /run/systemd/netif/leases &&
		cp "$0" /run/systemd/network && chown -R systemd-network /run/systemd/netif &&
		exec /lib/systemd/systemd-networkd' $WORK/eth0.network
}
cat >$WORK/eth0.network <<-END
	[Match]
	Name=eth0
	[Network]
	DHCP=yes
	IPv6AcceptRA=yes
	[DHCPv4]
	UseDomains=yes
	[DHCPv6]
	UseDomains=yes
	[IPv6AcceptRA]
	UseDomains=yes
END
sysctl_in red-a net.ipv6.conf.eth0.{dad_transmits,accept_dad,disable_ipv6}=0
sysctl_in red-c net.ipv6.conf.eth0.{dad_transmits,accept_dad,disable_ipv6}=0
ip -n red-c addr add fd00:a::3/64 dev eth0
networkd red-a
comes "systemd-networkd has the address" 10.0.0.1/24 addrs red-a
comes "and that of IPv6" fd00:a::1/128 addrs6 red-a
comes "and the routers" "10.0.0.254 fe80::74:ff:fe00:64" routers red-a
check "by which it gets to c" reach red-a fd00:a::3
# networkd_says WORD: what it tells of the link, sorted
networkd_says() {
	nsenter -t $BG -m sh -c 'cat /run/systemd/netif/links/*' | sed -n "s/^$1=//p" |
		tr ' ' '\n' | sort -u | xargs
}
comes "and who answers for names" "10.0.0.254 fd00:a::fe" networkd_says DNS
comes "and what to search" red.tsw.internal networkd_says DOMAINS
kill $BG

# ---- IPv6 -----------------------------------------------------------------------------

flush red-a
ip -n red-a route flush table main
sysctl_in red-a net.ipv6.conf.eth0.accept_ra=2
again() { ip -n "$1" link set eth0 down && ip -n "$1" link set eth0 up; }
again red-a
comes "the kernel's own search for a router" fe80::74:ff:fe00:64 routers red-a
is "tells the network, and the MTU" "$(ip -n red-a -6 route show fd00:a::/64 | cut -d ' ' -f 1-5) \
$(on red-a sysctl -n net.ipv6.conf.eth0.mtu)" "fd00:a::/64 dev eth0 proto kernel 1450"
is "and no address" "$(addrs6 red-a)" ""
check "dhclient -6" own_etc red-a dhclient -6 -1 -lf $WORK/lease6 -pf $WORK/dhclient6.pid eth0
is "has the address" "$(addrs6 red-a | cut -d / -f 1)" fd00:a::1
check "they talk" reach red-a fd00:a::1
is "what to search is in resolv.conf" "$(resolver)" "nameserver fd00:a::fe search red.tsw.internal."
check "dhclient -6 gives it back" own_etc red-a dhclient -6 -r -lf $WORK/lease6 \
	-pf $WORK/dhclient6.pid eth0
again red-a
check "dhcpcd -6" dhcpcd red-a -6 -f $WORK/dhcpcd6.conf
comes "has the address" fd00:a::1 first6 red-a
is "and what to search" "$(client_names)" "dhcp6_domain_search red.tsw.internal \
nd1_dnssl1_search red.tsw.internal nd1_rdnss1_servers fd00:a::fe"
# Link-local addresses that are not made of the MAC: dhcpcd's own (RFC 7217), and by chance.
link_local() { ip -n red-a -j -6 addr show dev eth0 scope link | gojq -r '.[].addr_info[].local'; }
not_of_mac() { [ -n "$(link_local)" ] && ! link_local | grep -qx fe80::ff:fe00:1; }
cat $WORK/dhcpcd6.conf - >$WORK/dhcpcd7.conf <<<'slaac private'
ip -n red-a link set eth0 addrgenmode none
again red-a
flush red-a
check "dhcpcd, slaac private" dhcpcd red-a -6 -f $WORK/dhcpcd7.conf
comes "has the address" fd00:a::1 first6 red-a
check "and asked from one of its own" not_of_mac
ip -n red-a link set eth0 addrgenmode random
flush red-a
again red-a
check "dhclient -6 after addrgenmode random" own_etc red-a dhclient -6 -1 -lf $WORK/lease7 \
	-pf $WORK/dhclient7.pid eth0
comes "has the address" fd00:a::1 first6 red-a
check "and asked from one by chance" not_of_mac
check "dhclient -6 gives it back" own_etc red-a dhclient -6 -r -lf $WORK/lease7 \
	-pf $WORK/dhclient7.pid eth0
# Without being asked: a neighbour that is a router is told with each solicitation of it.
sysctl_in red-a net.ipv6.conf.eth0.accept_ra=2 # dhcpcd has turned that off
ip -n red-a -6 route flush default
ip -n red-a neigh flush dev eth0
comes "the route that was lost is back" fe80::74:ff:fe00:64 asked_again red-a
# Who hears from its router all the time never asks for it as a neighbour: DUID, IA_NA, rebind.
cat >$WORK/rebind.py <<'END'
import socket
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("::", 546))
s.sendto(bytes.fromhex("06123456" "0001000a00030001020000000001" "0003000c000000010000000000000000"),
         ("ff02::1:2", 547, 0, socket.if_nametoindex("eth0")))
assert s.recv(1000)[0] == 7
END
ip -n red-a -6 route flush default
check "an address is renewed" on red-a timeout 5 python3 $WORK/rebind.py
comes "and the router with it" fe80::74:ff:fe00:64 routers red-a

# ---- IPv6 without a gateway ------------------------------------------------------------------

sw_all tenant add green id 300 net fd00:c::/64 dhcp on dns on
client green a h1 fd00:c::1
client green b h1 fd00:c::2
for ns in green-a green-b; do capture $ns $ns eth0; done
for ns in green-a green-b; do
	sysctl_in $ns net.ipv6.conf.eth0.{dad_transmits,accept_dad,disable_ipv6}=0
done
ip -n green-b addr add fd00:c::2/64 dev eth0
sysctl_in green-a net.ipv6.conf.eth0.accept_ra=2
service() { ip -n green-a -6 route show match fd00:ec2::253 | cut -d ' ' -f 1-5; }
neighbour() { on green-a dig +short +tries=2 +time=2 @fd00:ec2::253 b.green.tsw.internal AAAA; }
again green-a
comes "the kernel has a route to who answers for names" "fd00:ec2::252/127 dev eth0 proto kernel" service
check "dhclient -6" own_etc green-a dhclient -6 -1 -lf $WORK/lease6g -pf $WORK/dhclient6.pid eth0
is "is told of that" "$(resolver)" "nameserver fd00:ec2::253 search green.tsw.internal."
is "and is answered" "$(neighbour)" fd00:c::2
check "a talks to b" on green-a ping -c 1 -W 5 fd00:c::2
is "by the C library, too" "$(own_etc green-a getent ahostsv6 b | awk 'NR == 1 { print $1, $3 }')" \
	"fd00:c::2 b.green.tsw.internal"
is "by TCP: reset, not silence" "$(ask green-a tcp fd00:ec2::253 53)" "Connection refused"
traced6() { js h1 trace from a to fd00:ec2::253 tenant green proto "$@" \
	'.[0] | [.verdict, .reason, .agrees]'; }
for words in "udp port 53" "tcp port 53" nd; do
	is "trace: $words" "$(traced6 $words)" '["answered",null,true]'
done
is "trace: another port" "$(traced6 udp port 54)" '["dropped","unknown_destination",true]'
check "dhclient -6 gives it back" own_etc green-a dhclient -6 -r -lf $WORK/lease6g \
	-pf $WORK/dhclient6.pid eth0
ip -n green-a -6 route flush dev eth0
on green-a sysctl -q net.ipv6.conf.eth0.accept_ra=0 # so it is not the kernel's
rm $WORK/names
check "dhcpcd -6" dhcpcd green-a -6 -f $WORK/dhcpcd6.conf
is "is told, too" "$(grep nd1 $WORK/names | sort -u | xargs)" \
	"nd1_dnssl1_search green.tsw.internal nd1_rdnss1_servers fd00:ec2::253"
comes "and has a route" "fd00:ec2::252/127 dev eth0 proto ra" service
is "by which it is answered" "$(neighbour)" fd00:c::2
ip -n green-a -6 route flush dev eth0
again green-a
networkd green-a
comes "systemd-networkd" fd00:ec2::253 networkd_says DNS
comes "has a route" "fd00:ec2::252/127 dev eth0 proto ra" service
comes "and an address" fd00:c::1/128 addrs6 green-a
is "by which it is answered" "$(neighbour)" fd00:c::2
kill $BG
for words in "endpoint set a tenant green ip fd00:ec2::253" "gateway add green ip fd00:ec2::253/64" \
	"endpoint set a tenant green ip 169.254.169.253"; do
	# shellcheck disable=SC2086 # words
	check_fails "$words: refused" sw h1 $words
done
sw_all tenant del green force on

# ---- what was on the wire ------------------------------------------------------------------

capture_stop red-a red-b red-c green-a green-b wire
tell() { # NAME FILTER [WORD]...
	tshark -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -r $WORK/"$1".pcap -Y "$2" \
		-T fields "${@:3}" 2>/dev/null
}
check "a's frames were seen" test "$(tell red-a 'dhcp.option.dhcp == 5' -e frame.number | wc -l)" -ge 4
ANSWERS='!icmp && (dhcp.type == 2 || dhcpv6.msgtype in {2, 7} || icmpv6.type == 134)'
SUMS="ip.checksum.status == 0 || udp.checksum.status == 0 || icmpv6.checksum.status == 0"
is "and answers of each kind" "$(tell red-a "$ANSWERS" -e dhcp.option.dhcp -e dhcpv6.msgtype \
	-e icmpv6.type | tr '\t' '\n' | sort -nu | xargs)" "2 5 7 134"
# It notes that the field of the boot file has options.
is "tshark complains of none" "$(tell red-a "$ANSWERS && (_ws.malformed || _ws.expert)" \
	-e _ws.expert.message | tr ',' '\n' | sed '/^Boot file name option overloaded/d')" ""
is "nor of those to green" "$(tell green-a "$ANSWERS && (_ws.malformed || _ws.expert)" \
	-e _ws.expert.message)" ""
check "what a said to b was heard" test -n "$(tell green-b 'icmpv6.type == 128' -e frame.number)"
is "and these are answers" "$(tell green-a "$ANSWERS" -e dhcpv6.msgtype -e icmpv6.type | tr '\t' '\n' |
	sort -nu | xargs)" "2 7 134"
is "their checksums are right" "$(tell red-a "$ANSWERS && ($SUMS)" -e frame.number)" ""
is "c heard of nobody's but its own" "$(tell red-c 'dhcp' -e eth.src -e eth.dst | tr '\t' '\n' |
	sort -u | grep -v "$(mac_of 10.0.0.3)" | tr '\n' ' ')" \
	"$(js h2 gateway show red '.[0].mac') ff:ff:ff:ff:ff:ff "
is "green's b heard of nothing that was for the switch" "$(tell green-b \
	'ipv6.dst == fd00:ec2::253 || icmpv6.nd.ns.target_address == fd00:ec2::253 || dhcpv6' \
	-e frame.number)" ""
is "no request crossed" "$(tell wire 'udp.port in {67, 68, 546, 547} || icmpv6.type in {133, 134}' \
	-e frame.number)" ""

sw_all tenant set red dns off

# ---- who may not ---------------------------------------------------------------------------

server() { # NS IP: udhcpd, that gives IP
	local conf=$WORK/udhcpd.$1

	cat >"$conf" <<-END
		start $2
		end $2
		interface eth0
		lease_file $conf.leases
		pidfile $conf.pid
		option subnet 255.255.255.0
	END
	: >"$conf".leases
	bg "$1" busybox udhcpd -f "$conf"
}
ip -n red-b addr replace 10.0.0.77/24 dev eth0
sw_all tenant set red dhcp off
flush red-c
server red-b 10.0.0.3
quiet h1 h2
no_lease() { ! udhcpc "$1" -q -f; }
check "dhcp off: nobody answers but b, and b may not" no_lease red-c
check "that is counted" test "$(sw h1 -j stats drops | gojq '[.[] | select(.reason == "rogue_server"
	and .tenant == "red") | .packets] | add')" -ge 3
is "why, by trace" "$(js h1 trace from b to a tenant red proto udp port 68 \
	'.[0].reason')" rogue_server
sw_all endpoint set b tenant red server on
check "b may, and c at the other host has its lease" udhcpc red-c -q -f
is "of b" "$(last red-c | grep -o 'of 10[0-9.]*')" "of 10.0.0.77"
is "as shown" "$(js h1 endpoint show b tenant red '.[0].server')" true
sw_all tenant set red dhcp on
check "dhcp on again" udhcpc red-c -q -f
is "is before b" "$(last red-c | grep -o 'of 10[0-9.]*')" "of 10.0.0.254"

# ---- said, kept, refused ---------------------------------------------------------------------

sw h1 save >$WORK/state
is "saved" "$(gojq -c '[.tenants[] | [.name, .dhcp, [.endpoints[] | select(.server) | .name]]]' \
	$WORK/state)" '[["blue",true,[]],["red",true,["b"]]]'
check "nothing differs" sw h1 diff $WORK/state
sw h1 endpoint set b tenant red server off
sw h1 tenant set blue dhcp off
check_fails "two things do" sw h1 diff $WORK/state
check "applied" sw h1 apply $WORK/state
check "they are back" sw h1 diff $WORK/state
is "blue is answered again" "$(flush blue-a; udhcpc blue-a -q -f 2>&1 | grep -c obtained)" 1
is "show says it" "$(sw h1 tenant show | grep -o 'dhcp on' | wc -l)" 2
check "all is as it should be" sw h1 check
sw h1 endpoint del a tenant blue
sw h1 endpoint set b tenant red mac 02:00:00:00:00:99
check "also after an endpoint went, and a MAC changed" sw h1 check
sw_all tenant set red dhcp off
check "and without" sw h1 check
is "no name is left" "$(bpftool -j map dump pinned "$(map_pin h1 names)" | gojq length)" 0
finish
