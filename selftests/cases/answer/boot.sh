#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a, blue-a 10.0.0.1 ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-s 10.0.0.9, with TFTP
#
# A tenant's boot server and boot file: what its endpoints are told, by busybox's client, which
# loads the file with that. vm/netboot boots a VM. packet_boot has each answer as a whole.
. "$(dirname "$0")/../../lib.sh"

topo h1 h2
tenants
for tenant in red blue; do
	sw_all tenant set $tenant net 10.0.0.0/24 net fd00::/64 dhcp on
	container $tenant a h1 mac 02:00:00:00:00:01 endpoint off
	endpoint_add $tenant a h1 02:00:00:00:00:01 10.0.0.1 fd00::1
done
container red s h2 10.0.0.9/24

cat >$WORK/told.sh <<'END'
#!/bin/sh
[ "$1" = bound ] || exit 0
ip addr replace "$ip/$mask" dev "$interface"
printf '%s\n' "$siaddr $boot_file $tftp $bootfile $domain $search" >"$TOLD"
END
chmod +x $WORK/told.sh
told() { # NS: what a client there was told
	TOLD=$WORK/$1 on "$1" busybox udhcpc -i eth0 -s $WORK/told.sh -O tftp -O bootfile \
		-O search -t 10 -T 1 -n -q -f >$WORK/client 2>&1 || cat $WORK/client
	sed 's/ *$//' $WORK/"$1"
}
kept() { sw h1 -j tenant show red | gojq -c '.[0] | [.boot_server, .boot_file]'; }
entries() { map_dump h1 boot | gojq length; }
saved() { sw h1 save; }
UNCHANGED=saved
refused() { refuses "${@:1:3}" sw h1 "${@:4}"; } # DESC STATUS TEXT WORD...

is "without a boot server: nothing" "$(told red-a)" ""
sw_all tenant set red boot-server 10.0.0.9 boot-file boot/pxelinux.0
TOLD="10.0.0.9 boot/pxelinux.0 10.0.0.9 boot/pxelinux.0"
is "red: siaddr, file and both options" "$(told red-a)" "$TOLD"
is "blue: nothing" "$(told blue-a)" ""
sw h1 tenant set red dns on
is "beside the domain, as text and to search" "$(told red-a)" \
	"$TOLD red.tsw.internal red.tsw.internal"
sw h1 tenant set red dns off

mkdir -p $WORK/tftp/boot
head -c 100000 /dev/urandom >$WORK/tftp/boot/pxelinux.0
bg red-s dnsmasq -k -p 0 --enable-tftp --tftp-root=$WORK/tftp -u root -x $WORK/dnsmasq.pid \
	--conf-file=/dev/null
loads() { # with what udhcpc was told, across the hosts
	read -r server file _ < <(told red-a)
	on red-a busybox tftp -g -r "$file" -l $WORK/got "$server" &&
		cmp $WORK/tftp/boot/pxelinux.0 $WORK/got
}
check "it loads that file from there" retry 10 loads

# ---- a neighbour that wants to lead it elsewhere

container red r h1 10.0.0.66/24
R=02:00:00:00:00:42 A=02:00:00:00:00:01
from_r="eth src=$R dst=" all="ff:ff:ff:ff:ff:ff / ip src=10.0.0.66 dst=255.255.255.255"
one="$A / ip src=10.0.0.66 dst=10.0.0.1"
bootp() { # OP OPTIONS: a message for a's MAC, with the rogue as boot server
	echo "/ hex 0${1}0106000000000100008000000000000a0000010a00004200000000${A//:/}" \
		"/ hex $(printf '00%.0s' {1..202}) / hex 63825363$2"
}
# An offer as a ProxyDHCP server's (PXE 2.1, option 60), its answer, and a server's NAK.
offer=$(bootp 2 35010236040a0000423c09505845436c69656e74ff)
ack=$(bootp 2 35010536040a0000423c09505845436c69656e74ff)
nak=$(bootp 2 35010636040a000042ff)
for to in "$all" "$one"; do
	for port in 67 4011; do
		for what in "$offer" "$ack" "$nak"; do
			echo "$from_r$to / udp sport=$port dport=68 $what"
		done
	done
	echo "$from_r$to frag=0 mf=1 / udp sport=67 dport=68 $offer"
done >$WORK/rogue
lead() { inject red-r eth0 - <$WORK/rogue; }
expect_drops "its offers and answers, by port 67 and 4011, to one and to all, are refused" h1 14 \
	"red rogue_server from_endpoint" lead
touch $WORK/leads
while [ -e $WORK/leads ]; do lead; done &
is "a boots from its own server meanwhile" "$(told red-a)" "$TOLD"
rm $WORK/leads
wait $!
for ip in 10.0.0.9 10.0.0.254 169.254.169.253; do
	expect_drops "nor is a server's address it, $ip" h1 2 "red spoofed_ip from_endpoint" \
		inject red-r eth0 -c 2 eth src=$R dst=$A / ip src=$ip dst=10.0.0.1 / \
		udp sport=69 dport=1024 / pad 516
done
expect_drops "it asks for a's address, as a" h1 1 "red spoofed_mac from_endpoint" \
	inject red-r eth0 - <<<"$from_r${all/10.0.0.66/0.0.0.0} / udp sport=68 dport=67 $(
		bootp 1 350101ff)"
cat >$WORK/leased.sh <<'END'
#!/bin/sh
[ "$1" != bound ] || echo "leased $ip"
END
chmod +x $WORK/leased.sh
leased() { # WORD...: the address that red-r is told
	on red-r busybox udhcpc -i eth0 -s $WORK/leased.sh -t 3 -T 1 -n -q -f "$@" 2>&1 |
		sed -n 's/^leased //p'
}
is "it asks for a's address as itself: it gets its own" "$(leased -r 10.0.0.1)" 10.0.0.66
is "with a's id, too" "$(leased -C -x 0x3d:01020000000001 -r 10.0.0.1)" 10.0.0.66

# ---- files, and changes

sw h1 tenant set red boot-server fd00::9
is "set boot-server: the file stays" "$(kept)" '[["fd00::9"],"boot/pxelinux.0"]'
is "a server for DHCPv6 alone: DHCP tells nothing" "$(told red-a)" ""
sw h1 tenant set red boot-server 10.0.0.9 boot-server fd00::9 boot-file 'boot\x64\w.com'
is "one of each family, and a name with backslashes" "$(kept)" \
	'[["10.0.0.9","fd00::9"],"boot\\x64\\w.com"]'
check "as text it can be typed back" grep -qF 'boot-file "boot\\x64\\w.com"' \
	<<<"$(sw h1 tenant show red)"
url() { # of DHCPv6, in the map behind two addresses, a file, two lengths and the options of DHCP
	map_dump h1 boot | gojq -r '.[0].value[428:] | map(.[2:]) | join("")' | xxd -r -p |
		tr -d '\0'
}
is "the URL for DHCPv6" "$(url)" 'tftp://[fd00::9]/boot%5Cx64%5Cw.com'
sw h1 tenant set red boot-file 'http://[fd00::9]/a?b#c'
is "a URL that is given as it is" "$(url)" 'http://[fd00::9]/a?b#c'
sw h1 tenant set red boot-file 'boot\x64\w.com'
sw h1 save >$WORK/state.json
is "it is saved, and diff finds nothing" "$(sw h1 -j diff $WORK/state.json)" '[]'
sw h1 tenant set red boot-server none boot-file none
is "none for both: nothing is left" "$(kept) $(entries)" '[null,null] 0'
is "nor told" "$(told red-a)" ""
check "apply brings it back" sw h1 apply $WORK/state.json
is "as it was" "$(sw h1 -j diff $WORK/state.json) $(kept)" \
	'[] [["10.0.0.9","fd00::9"],"boot\\x64\\w.com"]'
long=$(printf 'x%.0s' {1..127})
sw h1 tenant set blue boot-server 10.0.0.8 boot-file $long
is "127 octets" "$(told blue-a)" "10.0.0.8 $long 10.0.0.8 $long"
is "the tenants' answers do not mix" "$(told red-a)" \
	'10.0.0.9 boot\x64\w.com 10.0.0.9 boot\x64\w.com'

# ---- what is refused

refused "128 octets" 2 "is not a boot file" tenant set red boot-file ${long}x
refused "an empty name" 2 '"" is not a boot file' tenant set red boot-file ''
refused "a blank" 2 '"a b" is not a boot file' tenant set red boot-file 'a b'
refused "not ASCII" 2 '"bööt" is not a boot file' tenant set red boot-file bööt
refused "no address" 2 '"pxe" is not an IPv4' tenant set red boot-server pxe
refused "a network" 2 "leave out the prefix" tenant set red boot-server 10.0.0.9/24
refused "multicast" 2 '"224.0.0.1"' tenant set red boot-server 224.0.0.1
refused "two of one family" 2 "second IPv4 address" \
	tenant set red boot-server 10.0.0.9 boot-server 10.0.0.8
refused "none beside another" 2 '"none" stands alone' \
	tenant set red boot-server 10.0.0.9 boot-server none
refused "a file without a server" 1 'boot-file "x" needs a boot-server' \
	tenant add green id 300 boot-file x
refused "a server without a file" 1 'boot-server 10.0.0.9 needs a boot-file' \
	tenant add green id 300 boot-server 10.0.0.9
refused "the file taken away" 1 'boot-server 10.0.0.9 needs' tenant set red boot-file none
refused "the server taken away" 1 'boot-file "boot' tenant set red boot-server none
refused "a URL too long" 1 "too long for the URL" \
	tenant set red boot-file "$(printf '%%%.0s' {1..127})"
gojq '(.tenants[] | select(.name == "red")) |= del(.boot_file)' $WORK/state.json >$WORK/half.json
refused "half of it in a file: the place is told" 2 ']: boot-server 10.0.0.9' \
	apply $WORK/half.json

# ---- and gone

sw h1 tenant del blue force on
is "it goes with its tenant" "$(entries)" 1
sw h1 endpoint del a tenant red
sw h1 endpoint del s tenant red
sw h1 endpoint del r tenant red
sw h1 tenant set red id 400
is "another id keeps it" "$(kept) $(entries)" '[["10.0.0.9","fd00::9"],"boot\\x64\\w.com"] 1'
is "all is well" "$(sw h1 -j switch check | gojq -c .problems)" "[]"
finish
