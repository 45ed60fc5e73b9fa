#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: packet_dns compares whole answers; answer/udhcpc and answer/resolver ask for names
#
#   red-a 10.0.0.1, red-b .2, blue-a .1, blue-b .9 ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-c 10.0.0.3
#         fd00:a::1       ::2                                                         fd00:a::3
#
# Real clients ask for names at the port, and get only names of their own tenant's endpoints.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo h1 h2
sw_all tenant add red id 100 net 10.0.0.0/24 net fd00:a::/64
sw_all tenant add blue id 200 net 10.0.0.0/16
sw_all gateway add red ip 10.0.0.254/24 ip fd00:a::fe/64
container red a h1 10.0.0.1/24 fd00:a::1/64
container red b h1 10.0.0.2/24 fd00:a::2/64
container red c h2 10.0.0.3/24 fd00:a::3/64
container blue a h1 10.0.0.1/16
container blue b h1 10.0.0.9/16
capture wire h2 eth0
capture red-b red-b eth0
capture red-a red-a eth0 port 53

# asks NS [WORD]...: dig's answer in one line: status, then each answer's name, type and data
asks() {
	on "$1" timeout 20 dig +tries=2 +time=2 +noall +comments +answer "${@:2}" | awk '
		/status:/ { sub(/.*status: /, ""); sub(/,.*/, ""); printf "%s", $0 }
		/^[^;]/ && NF > 4 { printf " %s %s %s %s", $1, $2, $4, $5 }' || true
}
red() { asks red-a @10.0.0.254 "$@"; }

# ---- off, on, off ---------------------------------------------------------------------

is "dns off: nobody answers" "$(red +tries=1 +time=1 b.red.tsw.internal)" ""
check "dns on" sw h1 tenant set red dns on
is "tenant show tells it" "$(js h1 tenant show red '.[0].dns')" true
is "save, too" "$(sw h1 save | gojq -c '[.tenants[] | [.name, .dns]]')" '[["blue",null],["red",true]]'
check "switch check finds nothing" sw h1 switch check

# ---- names and addresses -----------------------------------------------------------------

# answered ASKS: reads a table of what is asked of ASKS, and what it answers.
answered() {
	local desc words want

	while IFS='|' read -r desc words want; do
		# shellcheck disable=SC2086 # words
		is "$desc" "$("$1" $words </dev/null)" "$want"
	done
}
answered red <<-'END'
	A|b.red.tsw.internal|NOERROR b.red.tsw.internal. 0 A 10.0.0.2
	AAAA|b.red.tsw.internal AAAA|NOERROR b.red.tsw.internal. 0 AAAA fd00:a::2
	one that lives on another host|c.red.tsw.internal|NOERROR c.red.tsw.internal. 0 A 10.0.0.3
	the name alone|b|NOERROR b. 0 A 10.0.0.2
	letters as they were asked for|B.Red.TSW.internal|NOERROR B.Red.TSW.internal. 0 A 10.0.0.2
	back, IPv4|-x 10.0.0.3|NOERROR 3.0.0.10.in-addr.arpa. 0 PTR c.red.tsw.internal.
	an address of nobody in the tenant's net|-x 10.0.0.77|NXDOMAIN
	of nobody's|-x 203.0.113.1|REFUSED
	no such name|nobody.red.tsw.internal|NXDOMAIN
	none that short|nobody|NXDOMAIN
	no record of another type|b.red.tsw.internal TXT|NOERROR
	the domain itself|red.tsw.internal|NOERROR
	a name of others|www.example.org|REFUSED
	another class|-c CH b|REFUSED
	another opcode|+opcode=4 b|NOTIMP
	another version of EDNS|+edns=1 +noednsnegotiation b|BADVERS
	without EDNS|+noedns b|NOERROR b. 0 A 10.0.0.2
END
is "by IPv6" "$(asks red-a @fd00:a::fe b)" "NOERROR b. 0 A 10.0.0.2"
is "back, IPv6" "$(red -x fd00:a::3 | cut -d ' ' -f 1,4-)" "NOERROR PTR c.red.tsw.internal."
is "its start of authority" "$(red red.tsw.internal SOA | cut -d ' ' -f 1-5)" \
	"NOERROR red.tsw.internal. 0 SOA red.tsw.internal."
# lasts [WORD]...: of what is not there, the zone, and for how long that may be kept
lasts() { red +noanswer +authority "$@" | awk '{ print $1, $2, $3, $4 }'; }
is "what is not there is so for this moment" "$(lasts nobody.red.tsw.internal)" \
	"NXDOMAIN red.tsw.internal. 0 SOA"
is "no record of another type, too" "$(lasts b.red.tsw.internal TXT)" "NOERROR red.tsw.internal. 0 SOA"
is "an address of nobody" "$(lasts -x 10.0.0.77)" "NXDOMAIN 0.0.10.in-addr.arpa. 0 SOA"
is "of IPv6" "$(lasts -x fd00:a::77 | cut -c 1-17)" "NXDOMAIN 7.0.0.0."
is "but not of what is others'" "$(lasts www.example.org) $(lasts -x 203.0.113.1)" "REFUSED    REFUSED   "
for server in 10.0.0.254 fd00:a::fe; do
	is "by TCP: reset, not silence: $server" "$(ask red-a tcp $server 53)" "Connection refused"
done

# ---- tenants ------------------------------------------------------------------------------

is "blue, whose dns is off, is not answered" "$(asks blue-a +tries=1 +time=1 @10.0.0.254 b)" ""
sw h1 tenant set blue dns on
# Without a gateway it is the service address that answers.
on blue-a ip route replace 169.254.169.253/32 dev eth0
blue() { asks blue-a @169.254.169.253 "$@"; }
is "blue has its own b" "$(blue b)" "NOERROR b. 0 A 10.0.0.9"
is "and is told of its own by the whole name" "$(blue b.blue.tsw.internal)" \
	"NOERROR b.blue.tsw.internal. 0 A 10.0.0.9"
is "not of red's" "$(blue b.red.tsw.internal) $(blue c) $(blue -x 10.0.0.3)" \
	"REFUSED NXDOMAIN NXDOMAIN"
is "nor red of blue's" "$(red b.blue.tsw.internal)" REFUSED

# ---- at once ------------------------------------------------------------------------------

sw h1 endpoint set b tenant red ip 10.0.0.22
is "a new address is told at once" "$(red b) $(red b AAAA)" "NOERROR b. 0 A 10.0.0.22 NOERROR"
sw h1 endpoint set b tenant red ip 10.0.0.2 ip fd00:a::2
sw h1 endpoint add d tenant red mac 02:00:00:00:00:44 ip 10.0.0.44 host h2
is "a new endpoint" "$(red d)" "NOERROR d. 0 A 10.0.0.44"
is "and back" "$(red -x 10.0.0.44)" "NOERROR 44.0.0.10.in-addr.arpa. 0 PTR d.red.tsw.internal."
sw h1 endpoint del d tenant red
is "a deleted one" "$(red d) $(red -x 10.0.0.44)" "NXDOMAIN NXDOMAIN"
# renamed FROM TO: by a state file, as docs/state-file.md has it
renamed() {
	sw h1 save | gojq "(.tenants[] | select(.name == \"red\").endpoints[] |
		select(.name == \"$1\")).name = \"$2\"" >$WORK/renamed.json
	check "$1 becomes $2" sw h1 -q apply $WORK/renamed.json
	is "at once it has that name, and no other" "$(red $2) $(red $1) $(red $1.red.tsw.internal)" \
		"NOERROR $2. 0 A 10.0.0.2 NXDOMAIN NXDOMAIN"
	is "of both families, and back" "$(red $2 AAAA) $(red -x 10.0.0.2) $(red -x fd00:a::2 | cut -d ' ' -f 5)" \
		"NOERROR $2. 0 AAAA fd00:a::2 NOERROR 2.0.0.10.in-addr.arpa. 0 PTR $2.red.tsw.internal. $2.red.tsw.internal."
}
renamed b db
is "blue keeps its b" "$(blue b) $(blue db)" "NOERROR b. 0 A 10.0.0.9 NXDOMAIN"
check "the container goes on" reach red-a 10.0.0.2
renamed db b

# ---- a domain of its own --------------------------------------------------------------------

sw h1 tenant set red domain Corp.Example
is "names end with it" "$(red b.red.corp.example)" "NOERROR b.red.corp.example. 0 A 10.0.0.2"
is "and back" "$(red -x 10.0.0.3)" "NOERROR 3.0.0.10.in-addr.arpa. 0 PTR c.red.corp.example."
is "not with the one before" "$(red b.red.tsw.internal)" REFUSED
is "blue keeps its own" "$(blue b.blue.tsw.internal) $(blue b.blue.corp.example)" \
	"NOERROR b.blue.tsw.internal. 0 A 10.0.0.9 REFUSED"
told() { js h1 tenant show red '.[0] | [.dns, .domain] | map(tostring) | join(" ")'; }
is "tenant show tells it" "$(told)" "true corp.example"
sw h1 tenant set red dns off
check "it stays without dns" sw h1 switch repair
is "and is saved" "$(sw h1 save | gojq -r '.tenants[] | select(.name == "red").domain')" corp.example
sw h1 tenant set red dns on
is "on again: it is there" "$(red b.red.corp.example)" "NOERROR b.red.corp.example. 0 A 10.0.0.2"
sw h1 save >$WORK/state.json
gojq 'del(.tenants[].domain)' $WORK/state.json >$WORK/default.json
check "a state without it" sw h1 apply $WORK/default.json
is "is that of all" "$(told) $(red b.red.tsw.internal)" \
	"true null NOERROR b.red.tsw.internal. 0 A 10.0.0.2"
check "a state with it" sw h1 apply $WORK/state.json
is "names it again" "$(told)" "true corp.example"
sw h1 tenant set red domain tsw.internal
is "the default by its name" "$(told)" "true null"
longest=$(printf 'a.%.0s' {1..30})ab
check "the longest" sw h1 tenant set red domain $longest
is "is answered" "$(red b.red.$longest)" "NOERROR b.red.$longest. 0 A 10.0.0.2"
sw h1 tenant set red domain tsw.internal
check_fails "no domain: a_b" sw h1 tenant set red domain a_b # tests/unit_refused.c has more

# ---- the C library, and DHCP ---------------------------------------------------------------

mkdir -p /etc/netns/red-a
undo rm -r /etc/netns/red-a
printf 'search red.tsw.internal\nnameserver 10.0.0.254\n' >/etc/netns/red-a/resolv.conf
is "getent, by search" "$(ip netns exec red-a getent ahostsv4 c | awk 'NR == 1 { print $1, $3 }')" \
	"10.0.0.3 c.red.tsw.internal"
is "getent, back" "$(ip netns exec red-a getent hosts 10.0.0.3 | awk '{ print $2 }')" \
	c.red.tsw.internal
musl-gcc -static -o $WORK/ask "$TOOLS/ask.c"
musl() { ip netns exec red-a $WORK/ask "$1" | tr ' ' '\n' | sort | xargs; }
is "musl, both families and back" "$(musl c)" "10.0.0.3 c.red.tsw.internal fd00:a::3"
is "none" "$(musl nobody)" "Name does not resolve"

# systemd-resolved, which runs as a user of its own, and asks for who asks its stub.
RESOLVED=/lib/systemd/systemd-resolved
[ -x $RESOLVED ] || RESOLVED=${BUILD:-$ROOT/build}/tools/systemd-resolved
for file in passwd group; do
	{ grep -v ^systemd-resolve: /etc/$file; } >$WORK/$file
done
echo systemd-resolve:x:65533:65533::/:/usr/sbin/nologin >>$WORK/passwd
echo systemd-resolve:x:65533: >>$WORK/group
printf '[Resolve]\nDNS=%s\nDomains=red.tsw.internal\nLLMNR=no\n' 10.0.0.254 >$WORK/resolved.conf
bg red-a unshare -m sh -c "mount --bind $WORK/passwd /etc/passwd &&
	mount --bind $WORK/group /etc/group &&
	mkdir -p /run/systemd && mount -t tmpfs none /run/systemd &&
	mkdir -p /run/systemd/resolve /run/systemd/resolved.conf.d &&
	chown systemd-resolve: /run/systemd/resolve &&
	cp $WORK/resolved.conf /run/systemd/resolved.conf.d/ && exec $RESOLVED"
stub() { asks red-a @127.0.0.53 +noedns "$@"; }
comes "systemd-resolved: a neighbour" "NOERROR c.red.tsw.internal. 0 A 10.0.0.3" \
	stub c.red.tsw.internal
answered stub <<-'END'
	its other address|c.red.tsw.internal AAAA|NOERROR c.red.tsw.internal. 0 AAAA fd00:a::3
	and back|-x 10.0.0.3|NOERROR 3.0.0.10.in-addr.arpa. 0 PTR c.red.tsw.internal.
	none|late.red.tsw.internal|NXDOMAIN
END
sw h1 endpoint add late tenant red mac 02:00:00:00:00:45 ip 10.0.0.45 host h2
is "not kept: at once there is one" "$(stub late.red.tsw.internal)" \
	"NOERROR late.red.tsw.internal. 0 A 10.0.0.45"
sw h1 endpoint del late tenant red
kill $BG
capture_stop red-a
opinion() { tshark -r $WORK/red-a.pcap -Y "dns.flags.response == 1 $1" -T fields "${@:2}" 2>/dev/null; }
check "answers were seen" test "$(opinion '' -e frame.number | wc -l)" -ge 40
# To a client's port between 33434 and 33534 any datagram could be a traceroute's.
is "tshark complains of none" "$(opinion '&& (_ws.malformed || _ws.expert) &&
	!udp.possible_traceroute' -e _ws.expert.message)" ""
sw h1 tenant set red dhcp on
cat >$WORK/told.sh <<'END'
#!/bin/sh
[ "$1" != bound ] || echo "$dns" >"$TOLD"
END
chmod +x $WORK/told.sh
TOLD=$WORK/told on red-a busybox udhcpc -i eth0 -s $WORK/told.sh -t 3 -T 1 -n -q >/dev/null 2>&1
is "DHCP tells who answers" "$(<$WORK/told)" 10.0.0.254

# ---- what is no query, and what was made of one ----------------------------------------------

before=$(drops h1 truncated red)
check "octets that are none" on red-a "$PY" -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for octets in (b"", b"x" * 11, b"\0\0\x80" + b"\0" * 30):
    s.sendto(octets, ("10.0.0.254", 53))'
is "are counted" "$(($(drops h1 truncated red) - before))" 3
check "mutated queries are told of red alone" on red-a "$PY" "$TOOLS/dns_mutate.py" 10.0.0.254 \
	$((${TSW_SLOW:-1} > 1 ? 500 : 20000))

# ---- trace --------------------------------------------------------------------------------

traced() { js h1 trace from a to "$@" tenant red '.[0] | [.verdict, .reason, .agrees]'; }
for words in "10.0.0.254 proto udp" "fd00:a::fe proto udp" "10.0.0.254 proto tcp"; do
	is "to $words" "$(traced $words port 53)" '["answered",null,true]'
done
is "a longer one" "$(traced 10.0.0.254 proto udp port 53 length 300)" '["answered",null,true]'
sw h1 tenant set red dns off
is "off" "$(traced 10.0.0.254 proto udp port 53)" '["gateway",null,true]'
sw h1 tenant set red dns on

# ---- nobody else heard of it, and off again ---------------------------------------------------

check "what red-a says to others is seen" on red-a ping -c 1 -W 5 10.0.0.2
capture_has red-b 1 icmp
is "no query came to another" "$(captured red-b port 53)" 0
is "nor over the wire" "$(captured wire 'udp port 4789 and udp[46:2] = 53')" 0
check_fails "a tenant whose name is no domain" sw h1 tenant add a..b id 300 dns on
check "the message quotes it" bash -c "\"$TSW\" -n h1 tenant add a..b id 300 dns on 2>&1 |
	grep -q '\"a..b\"'"
is "and nothing is left" "$(js h1 tenant show 'map(.name)')" '["blue","red"]'
sw h1 tenant add a..b id 300
check_fails "nor one that exists" sw h1 tenant set a..b description x mtu 1300 dns on
is "which stays as it was" "$(js h1 tenant show a..b '.[0] | [.description, .dns]')" '[null,null]'
sw h1 tenant del a..b
for tenant in red blue; do sw h1 tenant set $tenant dns off dhcp off; done
is "off: nobody answers" "$(red +tries=1 +time=1 b)" ""
is "nothing is left of it" "$(map_dump h1 domains) $(map_dump h1 names)" "[] []"
check "switch check finds nothing" sw h1 switch check
finish
