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
sw h1 tenant set red id 400
is "another id keeps it" "$(kept) $(entries)" '[["10.0.0.9","fd00::9"],"boot\\x64\\w.com"] 1'
is "all is well" "$(sw h1 -j switch check | gojq -c .problems)" "[]"
finish
