#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Frames that no honest host sends, in each encapsulation, from a stranger and under a known
# host's address: which counter moves, that no other does, and whether the host's own IP sees them.
#
#   h1 192.0.2.1, 2001:db8::1: red-a, blue-a ──╮            ╭── h2 ::2: red-c, red-e, blue-c
#                                              ├── wire ────┤
#   x ::66, no host of it, sends all this    ──╯            ╰── h3 ::3: blue-f
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

UNDERLAY=46
topo_hosts h1 h2 h3
switch_up
tenants red 100 blue 200
sw h1 tenant add green id $(((1 << 24) + 200)) encap gre
containers4 "red blue" "a@h1 c@h2"
containers4 red e@h2
containers4 blue f@h3
stranger x
check "blue-a can be reached" reach blue-c 10.0.0.1
check "red-a can be reached" reach red-c 10.0.0.1
# Nobody asks for anybody's MAC: what h1's IP sees are the frames of this case alone.
for ns in h1 h2 h3 x; do
	for host in h1 h2 h3; do
		for at in ${VTEP4[$ns]:-192.0.2.66} ${VTEP6[$ns]:-2001:db8::66}; do
			[ $ns = $host ] || ip -n $host neigh replace $at \
				lladdr "$(mac_on $ns eth0)" dev eth0 nud permanent
		done
	done
done
# Nor do the containers, whose entries would be old and asked for anew where it takes long.
for tenant in red blue; do
	ip -n $tenant-a neigh replace 10.0.0.3 lladdr 02:00:00:00:00:03 dev eth0 nud permanent
	ip -n $tenant-c neigh replace 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth0 nud permanent
done
quiet h1 h2 h3
h1_mac=$(mac_on h1 eth0)
for ns in blue-a red-a blue-c red-c blue-f; do
	capture $ns $ns eth0
done
capture out x eth0 "ether src $h1_mac and (udp port 4789 or proto 47 or ip6 proto 47)"

# ---- words -------------------------------------------------------------------------------
C=02:00:00:00:00:03 A=02:00:00:00:00:01 ALL=ff:ff:ff:ff:ff:ff
in="eth src=$C dst=$A / ip src=10.0.0.3 dst=10.0.0.1 / udp / text forged" # 48 octets
in6="eth src=$C dst=$A / ip6 src=fd00::3 dst=fd00::1 / udp / text forged"

# From x, as if from $from, in $encap over IPv$family; known: $from is h2's.
setting() { # ENCAP FAMILY known|unknown
	encap=$1 family=$2 who=$3
	ip4="src=192.0.2.$([ $who = known ] && echo 2 || echo 66) dst=192.0.2.1 df=1"
	ip6="src=2001:db8::$([ $who = known ] && echo 2 || echo 66) dst=2001:db8::1"
	l3=34 unheard=- stack=- other_type=- erspan=-
	[ $family = 4 ] || l3=54
	# Without a GRE device the kernel hears no GRE.
	[ "$gre_devices" = 0 ] || unheard="null unknown_tenant"
	[ "$encap$gre_devices" = gre0 ] || stack="blue unverified_tunnel"
	# Linux gives its one IPv6 device for all keys any protocol type; ERSPAN's key is 0 here.
	[ "$gre_devices$family" != 26 ] ||
		other_type="blue unverified_tunnel" erspan="null unknown_tenant"
	if [ $encap = gre ]; then l4=8 peek=4; else l4=16 peek=8; fi
	whole=$((l3 + l4 + 48))
}
gre_devices=$(sw h1 -j switch show | gojq '.gre_dev | length')

# row WHAT DROP FATE [KEY=WORDS...]: a line for fate.py. WORDS take the place of, or with += come
# behind, what an honest frame has there: eth tag ip ext udp tun in end. DROP is blue's, and a
# stranger's frame is dropped for that; or TENANT REASON, whoever sends; or -.
row() {
	local what=$1 drop=$2 fate=$3 word
	local -A at=([eth]="eth src=02:ff:00:00:00:01 dst=$h1_mac" [ip]="ip $ip4" [in]=$in
		[udp]="udp sport=50000 dport=4789 csum=0" [tun]="vxlan vni=200")

	[ $family = 4 ] || at[ip]="ip6 $ip6"
	[ $encap = vxlan ] || at[udp]='' at[tun]="gre key=200"
	shift 3
	for word in "$@"; do
		case $word in
		[a-z]*+=*) at[${word%%+=*}]+=" ${word#*+=}" ;;
		*) at[${word%%=*}]=${word#*=} ;;
		esac
	done
	case $drop in
	- | *' '*) ;;
	*) [ $who = known ] && drop="blue $drop" || drop="blue unknown_host" ;;
	esac
	[ "$drop" = - ] || drop+=" from_tunnel"
	echo "$what | $drop | $fate | ${at[eth]}${at[tag]:+ / ${at[tag]}} / ${at[ip]}$(
		)${at[ext]:+ / ${at[ext]}}${at[udp]:+ / ${at[udp]}} / ${at[tun]}$(
		)${at[in]:+ / ${at[in]}}${at[end]:+ / ${at[end]}}"
}

# ---- the tables: outer headers -----------------------------------------------------------
cut_rows() {
	row "cut before the id can be looked for" - pass "end=cut 16-$((l3 + peek - 1))"
	row "cut in the tunnel's header" "null truncated" - \
		"end=cut $((l3 + peek))-$((l3 + l4 - 1))"
	row "cut behind it" truncated - "end=cut $((l3 + l4))-$((whole - 1))"
	row "a shorter inner frame, lengths right" truncated - "end=within 0-47"
	if [ $family = 4 ]; then len=14; else len=54; fi # where IP's length counts from
	row "IP tells more than came" truncated - "ip+=len=$((whole - len + 1))"
	row "IP tells of headers alone" truncated - "ip+=len=$((l3 + l4 - len))"
	row "IP tells of no inner packet" truncated - "ip+=len=$((l3 + l4 + 14 - len))"
	row "IP tells less than the inner packet" truncated - "ip+=len=$((whole - len - 1))"
	row "IP tells of nothing" truncated - "ip+=len=$((family == 4 ? 20 : 0))"
}

ip_rows() {
	row "to all, by Ethernet alone" "$stack" pass "eth+=dst=$ALL"
	row "to another MAC" - - "eth+=dst=02:ff:00:00:00:09"
	if [ $family = 4 ]; then
		row "options" outer_options - "ip+=opts=01010101"
		row "router alert" outer_options - "ip+=opts=94040000"
		row "as many options as can be" outer_options - \
			"ip+=opts=$(printf '01%.0s' {1..40})"
		row "IP checksum wrong" - pass "ip+=csum=0x1234"
		row "version 4 as IPv6" - pass "eth+=type=0x86dd"
		row "to the whole subnet" "$stack" pass "eth+=dst=$ALL" "ip+=dst=192.0.2.255"
		row "to another address" - pass "ip+=dst=192.0.2.3"
		for at in 192.0.2.1 0.0.0.0 127.0.0.1 224.0.0.1; do
			row "from $at" "blue unknown_host" - "ip+=src=$at"
		done
		return
	fi
	for at in hopopt dstopt route6; do
		row "$at" outer_options - "ext=$at"
	done
	row "two extension headers" "$stack" pass "ext=hopopt / dstopt"
	row "version 6 as IPv4" - pass "eth+=type=0x0800"
	row "to all nodes" "$stack" pass "eth+=dst=33:33:00:00:00:01" "ip+=dst=ff02::1"
	row "to another address" - pass "ip+=dst=2001:db8::3"
	for at in 2001:db8::1 :: ::1 ff02::1 ::ffff:192.0.2.2; do
		row "from $at" "blue unknown_host" - "ip+=src=$at"
	done
}

fragment_rows() {
	row "first" outer_fragment - "end=fragment at=32 part=1"
	row "later" - pass "end=fragment at=32 part=2"
	row "later, before the first" - pass "end=fragment at=24 part=2"
	row "first, behind the later" outer_fragment - "end=fragment at=24 part=1"
	[ $family = 4 ] || row "all of it" outer_fragment - "ext=frag6"
	if [ $encap = vxlan ]; then
		row "first, UDP alone" "null truncated" - "end=fragment at=8 part=1"
	else
		row "first, the key alone" outer_fragment - "end=fragment at=8 part=1"
	fi
}

tag_rows() {
	row "802.1Q" vlan_tagged - "tag=vlan vid=5"
	row "802.1Q, vid 0" vlan_tagged - "tag=vlan vid=0 pcp=5"
	row "802.1ad" vlan_tagged - "tag=vlan vid=5 tpid=0x88a8"
	row "802.1ad, vid 0" vlan_tagged - "tag=vlan vid=0 tpid=0x88a8"
	row "802.1ad and 802.1Q" - - "tag=vlan vid=5 tpid=0x88a8 / vlan vid=6"
	if [ $encap = vxlan ]; then
		row "nobody's id" "null unknown_tenant" - "tag=vlan vid=5" "tun+=vni=300"
	else
		row "nobody's id" - - "tag=vlan vid=5" "tun+=key=300"
		row "nobody's id, vid 0" "$unheard" pass "tag=vlan vid=0" "tun+=key=300"
	fi
}

# ---- the tables: tunnel headers ----------------------------------------------------------
vxlan_rows() {
	local bad

	for bad in flags=0 flags=0x88 flags=0x0c flags=0x09 res1=1 res1=0x800000 res2=1 res2=128; do
		row "$bad" bad_tunnel_header - "tun+=$bad"
	done
	row "UDP checksum wrong" bad_checksum - "udp+=csum=0x1234"
	for bad in 0 8 15 63 65 900; do
		row "UDP length $bad" truncated - "udp+=len=$bad"
	done
	row "nobody's VNI" "null unknown_tenant" - "tun+=vni=300"
	row "another port" - pass "udp+=dport=8472"
	row "VXLAN in TCP" - pass "udp=tcp dport=4789"
}

gre_rows() {
	local bad green="green unknown_host"

	[ $who = unknown ] || green="green wrong_host"
	row "no key" "$unheard" pass "tun=gre"
	row "no key, but a sequence number that is blue's id" "$unheard" pass "tun=gre seq=200"
	row "version 1" - pass "tun+=flags=0x2001"
	row "routing" bad_tunnel_header - "tun+=routing=1"
	for bad in 0x2800 0x2400 0x2100 0x2080 0x2008; do
		row "flags $bad" bad_tunnel_header - "tun+=flags=$bad"
	done
	for bad in 0x0800 0x86dd 0x6559 0x880b; do
		row "protocol type $bad" "$other_type" pass "tun+=type=$bad"
	done
	row "ERSPAN" "$erspan" pass "tun+=type=0x88be"
	row "nobody's key" "$unheard" pass "tun+=key=300"
	row "key of 2^24 and red's id" "$unheard" pass "tun+=key=$(((1 << 24) + 100))"
	row "key of 2^24 and blue's id, which is green's" "$green" - \
		"tun+=key=$(((1 << 24) + 200))"
	row "checksum wrong" bad_checksum - "tun+=csum=0x1234"
	row "checksum wrong, sequence number" bad_checksum - "tun+=csum=0x1234 seq=1"
	row "a checksum, and no room for the key" "null truncated" - "tun+=flags=0xa000" \
		"end=cut $((l3 + 8))-$((l3 + 11))"
}

# ---- the tables: what is inside ----------------------------------------------------------
inner_rows() {
	local src red="red unknown_host"

	[ $who = unknown ] || red="red wrong_host"
	for src in "$A" 02:00:00:00:00:77 02:00:00:00:00:06 02:00:00:00:00:05 00:00:00:00:00:00 \
		01:00:5e:01:02:03 33:33:00:00:00:01 "$ALL"; do
		row "from $src" wrong_host - "in=${in/$C/$src}"
		row "from $src, to all" wrong_host - "in=eth src=$src dst=$ALL / text forged"
	done
	row "from a MAC of blue's under red's id" "$red" - "tun+=key=100 vni=100" \
		"in=${in/$C/02:00:00:00:00:06}"
	row "to nobody" unknown_destination - "in=${in/$A/02:00:00:00:00:77}"
	row "to itself" unknown_destination - "in=${in/$A/$C}"
	row "to one on a third host" unknown_destination - "in=${in/$A/02:00:00:00:00:06}"
	row "to bridges" reserved_multicast - "in=${in/$A/01:80:c2:00:00:00}"
	row "802.1Q" vlan_tagged - "in=${in/ip /vlan vid=5 / ip }"
	row "802.1ad, vid 0" vlan_tagged - "in=${in/ip /vlan vid=0 tpid=0x88a8 / ip }"
	row "IPv4, longer than the outer" truncated - "in=${in/ip /ip len=900 }"
	row "IPv6, longer than the outer" truncated - "in=${in6/ip6 /ip6 len=900 }"
	row "IPv6 as IPv4" truncated - "in=${in6/dst=$A/dst=$A type=0x0800}"
	row "IPv4 as IPv6" truncated - "in=${in/dst=$A/dst=$A type=0x86dd} / pad 20"
}

# What a host may send, and other VTEPs do: each comes through with its number.
honest=0
good() { # WHAT INNER [KEY=WORDS...]
	honest=$((honest + 1))
	row "$1" - - "in=${2/forged/honest-$honest}" "${@:3}"
}
good_rows() {
	local other="eth src=$C dst=$A type=0x88b5 / text forged-and-more-than-any-padding"

	good "plain" "$in"
	good "IPv6" "$in6"
	good "to all" "${in/$A/$ALL}"
	good "an odd length" "${in}-odd"
	good "padded" "$in" "end=trail 18"
	good "padded, not IP" "$other" "end=trail 30"
	good "DSCP, any TTL, not DF" "$in" "ip+=tos=0xb8 tc=0xb8 ttl=1 hlim=1 df=0"
	if [ $encap = vxlan ]; then
		good "UDP checksum" "$in" "udp=udp sport=50000 dport=4789"
		good "UDP checksum, odd, padded" "${in}-odd" "udp=udp dport=4789" "end=trail 9"
		good "source port 0" "$in" "udp+=sport=0"
		return
	fi
	good "sequence number" "$in" "tun+=seq=4294967295"
	good "checksum" "$in" "tun+=sum=1"
	good "checksum, odd, padded" "${in}-odd" "tun+=sum=1" "end=trail 9"
	good "checksum and sequence number" "$in" "tun+=sum=1 seq=1"
}

# ---- all of it ---------------------------------------------------------------------------
for family in 4 6; do
	for encap in vxlan gre; do
		for who in known unknown; do
			setting $encap $family $who
			for group in cut ip fragment tag $encap inner; do
				echo "= $encap over IPv$family, $who sender: $group"
				${group}_rows
			done
		done
		setting $encap $family known
		echo "= $encap over IPv$family, good frames"
		good_rows
	done
done >$WORK/table
setting vxlan 4 unknown
fate h1 x eth0 -k "blue unknown_host from_tunnel" -b "$(row '' - - | cut -d'|' -f4)" <$WORK/table

# Blue's own word is last: when it is there, what was sent before would be, too.
check "blue-a hears blue" on blue-c ping -n -c 1 -W 10 10.0.0.1
check "blue-f hears blue" on blue-c ping -n -c 1 -W 10 10.0.0.6
check "red-a hears red" on red-c ping -n -c 1 -W 10 10.0.0.1
capture_has blue-a 1 icmp || note "no barrier"
capture_stop blue-a red-a blue-c red-c blue-f out
is "blue-a got the good frames, each once, sums right, unpadded" \
	"$(dissect blue-a -f text,udp.sum has:honest eth.src=$C |
		sed 's/-odd\|-and.*padding//; s/ -$/ ok/')" \
	"$(seq -f 'honest-%.0f ok' $honest)"
is "and nothing else but the echo" "$(dissect blue-a -C eth.src!=$A icmp.type!=8)" $honest
for ns in blue-a red-a blue-c red-c blue-f; do
	is "$ns got nothing forged" "$(dissect $ns -C has:forged)" 0
done
is "red-a got nothing but the echo" "$(captured red-a 'not icmp and not arp')" 0
is "nothing was sent on by h1" "$(dissect out -C in.eth.src=$C)" 0

# A stranger can fill the host's memory for incomplete packets. No frame between hosts needs it.
for id in {1..3000}; do
	echo "eth src=02:00:00:00:99:99 dst=$h1_mac / ip src=192.0.2.66 dst=192.0.2.1 id=$id" \
		"frag=8 mf=1 proto=17 / pad 1400"
done | inject x eth0 -
full() {
	[ "$(on h1 grep -oP 'FRAG: .*memory \K[0-9]+' /proc/net/sockstat)" -ge \
		"$(on h1 cat /proc/sys/net/ipv4/ipfrag_high_thresh)" ]
}
check "h1 keeps as many incomplete packets as it can" full
for size in 1400 4000; do
	is "red's packets of $size octets still come" "$(on red-c ping -n -q -c 5 -i 0.1 -W 5 \
		-s $size 10.0.0.1 | grep -oP '[0-9]+(?= received)')" 5
done
finish
