#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `encrypt wireguard`: nothing of a tenant's leaves a host in the clear, nor is taken so, whatever
# is done meanwhile; and what is encrypted arrives. Where the kernel has no WireGuard, it is
# refused. With TSW_BRIEF what takes an emulated machine the longest is left out.
#
#   red-a  10.0.0.1 ┐                    ┌ h2 192.0.2.2 ── red-c  10.0.0.3
#   blue-a 10.0.0.1 ┴ h1 192.0.2.1 ═wire═╡                 blue-c 10.0.0.3
#           out, red's gateway on h2     └ h3 2001:db8::3 ── red-d 10.0.0.4
#
# Red is VXLAN, blue GRE. h3 prefers IPv6. In `wire` all that is on the underlay is captured.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_crypt.sh"

CLEAR='udp port 4789 or udp port 6081 or ip proto 47 or ip6 proto 47'

told() { # HOST OTHER: of it and its key
	# shellcheck disable=SC2046
	sw "$1" host "${3:-add}" "$2" $(vteps ip "$2") key "$(key "$2")"
}

if [ "$("$TSW" -j features | gojq .wireguard)" != true ]; then
	topo_hosts h1 h2
	refused 'no WireGuard: up is refused' 'this kernel has no WireGuard: run modprobe wireguard' \
		sw h1 switch up dev eth0 name h1 encrypt wireguard
	check_fails 'no WireGuard: there is no switch' sw h1 switch show
	check_fails 'no WireGuard: nor a key' test -e $KEYS/h1.key
	is 'no WireGuard: nor a device' "$(ip -n h1 -br link | grep -c tsw || true)" 0
	up h1
	sw h1 switch show >$WORK/before
	refused 'no WireGuard: set is refused' 'this kernel has no WireGuard' \
		sw h1 switch set encrypt wireguard
	is 'no WireGuard: all is as it was' "$(sw h1 switch show)" "$(<$WORK/before)"
	is 'no WireGuard: check has nothing to say' "$(problems h1)" '[]'
	finish
	exit
fi

FAMILIES[h3]=64
UNDERLAY=46
topo_hosts h1 h2 h3
capture clear wire any "$CLEAR"
capture all wire any udp portrange 51820-51823
for host in h1 h2 h3; do
	up $host encrypt wireguard
	is "$host: its key is root's alone" "$(stat -c '%a %u' $KEYS $KEYS/$host.key | xargs)" \
		'700 0 600 0'
done
refused "ports of tenants' among WireGuard's" "overlaps WireGuard's ports 51820-51823" \
	sw h1 switch set nat-ports 51000-52000
check "others" sw h1 switch set nat-ports 40000-42000
refused "WireGuard's among those" 'nat-ports' sw h1 switch set wg-port 41998
check "beside them" sw h1 switch set nat-ports auto
sw h1 switch set wg-port 20000
is "auto steps around them" "$(sw h1 -j switch show | gojq -r .nat_ports)" 10000-19999
check "as they were" sw h1 switch set wg-port 51820
refused 'a host needs a key' 'host "h2" needs a key' sw h1 host add h2 ip 192.0.2.2
refused 'not its own' "this host's own key" sw h1 host add h2 ip 192.0.2.2 key "$(key h1)"
tenants red 100
for host in h1 h2 h3; do sw $host tenant add blue id 200 encap gre; done
for host in h1 h2 h3; do
	for other in h1 h2 h3; do
		[ $host = $other ] || told $host $other
	done
done
refused "nor another's" 'is already host "h2"' sw h1 host set h3 key "$(key h2)"
container red a h1 10.0.0.1/24 fd00::1/64 mtu 1500
container red c h2 10.0.0.3/24 fd00::3/64 mtu 1350
container red d h3 10.0.0.4/24 fd00::4/64 mtu 1350
container blue a h1 10.0.0.1/24 mtu 1300
container blue c h2 10.0.0.3/24 mtu 1300

for ip in 10.0.0.3 fd00::3 10.0.0.4 fd00::4; do
	check "red-a reaches $ip" reach red-a $ip
done
check 'blue-a reaches blue-c by GRE' reach blue-a 10.0.0.3
check 'red-c reaches red-d' reach red-c 10.0.0.4
for host in h1 h2 h3; do
	is "$host: check has nothing to say" "$(problems $host)" '[]'
done
bytes() { sw h1 -j host show h2 | gojq .[0].wg_tx_bytes; }
before=$(bytes)
check "TCP in red" xfer red-a red-c tcp 10.0.0.3 bytes=1M wait=30
check "it counts" test $(($(bytes) - before)) -gt 1000000
check "TCP to h3" xfer red-d red-a tcp 10.0.0.1 bytes=1M wait=30
check "TCP in blue" xfer blue-c blue-a tcp 10.0.0.1 bytes=1M wait=30
check "metrics" grep -q '^tsw_crypt_bytes_total{.*host="h2",direction="tx"} [1-9]' \
	<<<"$(sw h1 metrics)"

# The widest way is IPv6's: 1500 - 80, and 70 for VXLAN.
is "tenant show: red's MTU" "$(sw h1 -j tenant show red | gojq '.[0].mtu')" 1350
is "switch show: what the underlay leaves" "$(sw h1 -j switch show | gojq .underlay_mtu)" 1420
ping_df() { on red-a ping -n -c 1 -W 5 -M 'do' -s "$1" "$2"; }
check "1370 octets to h2 fit" ping_df 1342 10.0.0.3
check "1350 octets to h3 fit" ping_df 1322 10.0.0.4
learns() { # IP PAYLOAD MTU
	! ping_df "$2" "$1" >/dev/null 2>&1 && on red-a ip route get "$1" | grep -q "mtu $3 "
}
check "one more to h2: red-a learns 1370" learns 10.0.0.3 1343 1370
check "one more to h3, IPv6: it learns 1350" learns fd00::4 1303 1350
trace=$(sw h1 -j trace from a to c tenant red)
check "trace tells the device" gojq -e '.[0].steps[] | select(.at == "encrypt")' <<<"$trace"

# What is written of keys is public.
private=$(awk 'NR == 2 { print $2 }' $KEYS/h1.key)
for words in '-vv switch show' '-vv switch check' '-vv host show' '-vv -j save' 'metrics'; do
	# shellcheck disable=SC2086
	check_fails "the private key is not in: $words" \
		grep -qF "$private" <<<"$(sw h1 $words 2>&1)"
done

ip -n red-a link set eth0 mtu 1350

# ---- a stranger on the wire -----------------------------------------------------------

ip -n wire link add stranger type veth peer name strange
for dev in stranger strange; do ip -n wire link set $dev up; done
ip -n wire link set stranger master br0
retry 5 carrier wire strange
# shellcheck disable=SC2046
expect_drops "a clear frame with h2's address is not taken" h1 1 'red not_encrypted from_tunnel' \
	inject wire strange $(tunnel 192.0.2.2 h1 100) \
	eth src=02:00:00:00:00:03 dst=02:00:00:00:00:01 / ip src=10.0.0.3 dst=10.0.0.1 \
	/ udp sport=1 dport=2 / text clear
capture_stop clear
check "the capture sees that frame" capture_at_least clear 1
is "and no other" "$(captured clear not ether src 02:ff:00:00:00:01)" 0
check "and encrypted ones" capture_has all 100
capture clear wire any "$CLEAR"

# ---- taken away, and put back ----------------------------------------------------------

[ -z "${TSW_BRIEF:-}" ] || RATE=25 # all else takes longer the more of an emulated processor they take
mend() { sw "$1" tenant set red description "${2:-x}"; } # a command that changes something

stream lossy red-a red-c 10.0.0.3
ip -n h1 link del tsw-wg
is "a device is gone: check tells" "$(problems h1)" '["wireguard_device"]'
mend h1
is "the next command puts it back" "$(problems h1)" '[]'
check "and red-a reaches red-c" reach red-a 10.0.0.3
kill "${UP[lossy]% *}"
if [ -z "${TSW_BRIEF:-}" ]; then
	ip -n h1 link set tsw-wg mtu 1400
	is "another MTU: check tells" "$(problems h1)" '["wireguard_device"]'
	mend h1 y
	is "and it is mended" "$(problems h1)" '[]'
	ip -n h1 link set tsw-wg down
	is "down: check tells" "$(problems h1)" '["wireguard_device"]'
	mend h1 z
	check "it is up again" reach red-a 10.0.0.3
	mv $KEYS/h1.key $KEYS/h1.away
	is "without its key: check tells" "$(problems h1)" '["wireguard_key"]'
	check "red-a reaches red-c nevertheless" reach red-a 10.0.0.3
	mv $KEYS/h1.away $KEYS/h1.key
fi
chmod 644 $KEYS/h1.key
refused "a key that others can read" 'chmod 600' sw h1 switch rekey
chmod 600 $KEYS/h1.key
is "all is well" "$(problems h1)" '[]'

# ---- another key -----------------------------------------------------------------------

stream out red-a red-c 10.0.0.3
stream six red-d red-a fd00::1
if [ -z "${TSW_BRIEF:-}" ]; then
	stream in red-c red-a 10.0.0.1
	stream gre blue-a blue-c 10.0.0.3
fi
old=$(key h1)
is "rekey: it waits for both" "$(sw h1 -j switch rekey | gojq -c '[.state, .missing]')" \
	'["waiting",["h2","h3"]]'
new=$(key h1 new_public_key)
is "rekey: the old one is used" "$(key h1)" "$old"
# Of the other kind than h2's, as NEW is, by its first characters; and nobody's.
false=${new:0:4}$(tr 'A-Za-z' 'B-ZAb-za' <<<"${new:4}" | sed 's/.=$/E=/')
refused "a host that does not answer by a new key" 'keeps its old one' sw h3 host set h2 key "$false"
is "and the old one is all that it has" "$(sw h3 -j host show h2 | gojq -c '.[0].key | length')" 1
check "h2 takes it" sw h2 host set h1 key "$new"
is "rekey: it waits for h3" "$(sw h1 -j switch rekey | gojq -c '[.state, .missing]')" \
	'["waiting",["h3"]]'
check "h3 takes it" sw h3 host set h1 key "$new"
# The kernel drops what it has for a peer while it replaces its allowed IPs: WGPEER_A_FLAGS with
# WGPEER_F_REPLACE_ALLOWEDIPS, as it is sent. A peer that the command does not know has it, by each
# of the two keys.
replacing() { # CMD...
	strace -f -xx -s 65536 -e trace=sendto -o $WORK/sent "$@" >$WORK/said
	grep -cF '\x08\x00\x03\x00\x02\x00\x00\x00' $WORK/sent || true
}
is "a new host's allowed IPs are put in place of any" \
	"$(replacing "$TSW" -n h1 host add h9 ip 192.0.2.99 key "$false")" 2
sw h1 host del h9
is "rekey: all have it: no allowed IPs are replaced" "$(replacing "$TSW" -n h1 -j switch rekey)" 0
is "rekey: all have it" "$(gojq -c '[.state, .missing]' $WORK/said)" '["used",[]]'
is "rekey: it is used" "$(key h1)" "$new"
if [ -z "${TSW_BRIEF:-}" ]; then
	check "an upgrade meanwhile" sw h1 -q -f switch upgrade
	check "and there" sw h2 -q -f switch upgrade
fi
sleep 1 # of streams
if [ -z "${TSW_BRIEF:-}" ]; then
	streamed in "rekey and upgrade, red-c to red-a"
	streamed gre "rekey and upgrade, GRE"
fi
streamed out "rekey, red-a to red-c"
streamed six "rekey, red-d to red-a over IPv6"
for host in h1 h2 h3; do
	is "$host: check has nothing to say behind it" "$(problems $host)" '[]'
done

# ---- a gateway, and a published port ---------------------------------------------------

outside h2
HOSTS=(h1 h2)
gateway red h2
sw h2 publish add red proto tcp port 80 to 10.0.0.1:80
HOSTS=(h1 h2 h3)
ip -n red-a route add default via $GATEWAY4 dev eth0
serve out 80
serve red-a 80
is "red-a on h1 reaches the world by h2's gateway" "$(ask red-a tcp $SERVER4 80)" 'out 203.0.113.2'
is "the world reaches red-a by a port that h2 publishes" "$(ask out tcp 203.0.113.2 80)" \
	"red-a $SERVER4"

# What a tenant sends to a port of WireGuard's leaves by none of them, as NAT has others.
knock() { # NS ADDRESS PORT
	on "$1" "$PY" -c 'import socket, sys
for _ in range(100):
    to = socket.getaddrinfo(sys.argv[1], sys.argv[2], type=socket.SOCK_DGRAM)[0]
    socket.socket(*to[:3]).sendto(b"", to[4])' "$2" "$3"
}
leave red-c
for port in 51820 51823; do
	capture out out br0 udp dst port "$port"
	knock red-c $SERVER4 "$port"
	knock red-c $SERVER6 "$port"
	check "to port $port: all leave" capture_has out 200
	capture_stop out
	is "to port $port: by NAT's ports" "$(captured out not src portrange 10000-29999)" 0
done
is "h2: check has nothing to say of all this" "$(problems h2)" '[]'

# ---- a peer is lost --------------------------------------------------------------------

sw h3 switch down
check_fails "its key is gone with the switch" test -e $KEYS/h3.key
no_reach red-a 10.0.0.4 || not_ok "red-a reaches who is not there"
capture_stop clear
is "not one frame in the clear, all the time" "$(captured clear)" 0

[ -z "${TSW_BRIEF:-}" ] || { finish && exit; }

# ---- mixed -----------------------------------------------------------------------------

capture clear wire any "$CLEAR"
up h3
for other in h1 h2; do
	# shellcheck disable=SC2046
	sw h3 host add $other $(vteps ip $other)
done
sw h3 tenant add red id 100
sw h3 endpoint add d tenant red mac 02:00:00:00:00:04 ip 10.0.0.4 ip fd00::4 dev red-d
sw h3 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 host h1
refused "a host without a key" 'needs a key' sw h1 host set h3 key none
check "mixed" sw h1 switch set encrypt wireguard,mixed
check "then it may" sw h1 host set h3 key none
check "red-a reaches red-d in the clear" reach red-a 10.0.0.4
check "and red-c still" reach red-a 10.0.0.3
refused "not mixed any more" 'host "h3" has no key' sw h1 switch set encrypt wireguard
capture_has clear 2
capture_stop clear
is "in the clear is only what is of h3" \
	"$(captured clear not host ${VTEP6[h3]} and not host ${VTEP4[h3]})" 0
check "off" sw h1 switch set encrypt off
is "off: no device is left" "$(ip -n h1 -br link | grep -c tsw-wg || true)" 0
check_fails "off: nor a key" test -e $KEYS/h1.key
finish
