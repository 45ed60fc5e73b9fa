#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Other users of UDP, GRE or VXLAN on the host go on as before, and hear nothing of the tenants.
# Each check is done with the switch and without it.
#
#   red-a 10.0.0.1 ── h1 192.0.2.1, 2001:db8::1 ════ 192.0.2.2, 2001:db8::2 h2 ── red-c 10.0.0.3
#                     UDP sockets, a raw GRE socket, vx9 on port 8472, GRE devices if there are any
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

UNDERLAY=46
topo_hosts h1 h2
h1_mac=$(mac_on h1 eth0)

# ears: on h1, what its sockets hear, a line each: raw GRE of both families, two UDP ports.
ears() {
	bg h1 "$PY" -u -c '
import select, socket
socks = {}
for family in socket.AF_INET, socket.AF_INET6:
    socks[socket.socket(family, socket.SOCK_RAW, 47)] = "gre"
    for port in 8472, 40000:
        sock = socket.socket(family, socket.SOCK_DGRAM)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(("", port))
        socks[sock] = f"udp {port}"
print("ready")
while True:
    for sock in select.select(list(socks), [], [])[0]:
        data = sock.recv(65536)
        print(socks[sock], data[data.rindex(b"~") + 1:].decode())
'
	EARS=$BG_LOG
	retry 5 grep -q ready "$EARS"
}
frames() { # FAMILY: what is for others, each with its name; h2 sends it
	local eth="eth src=02:ff:00:00:00:01 dst=$h1_mac" inner ip="ip src=192.0.2.2 dst=192.0.2.1"
	local v4="ip src=172.16.0.2 dst=172.16.0.1 / udp"

	[ "$1" = 4 ] || ip="ip6 src=2001:db8::2 dst=2001:db8::1"
	inner="eth src=02:00:00:00:00:03 dst=02:00:00:00:00:01 / ip src=10.0.0.3 dst=10.0.0.1 / udp"
	cat <<-EOT
		$eth / $ip / udp dport=40000 / text ~udp$1
		$eth / $ip / udp dport=40000 sport=4789 / text ~from-4789-$1
		$eth / $ip / udp dport=8472 / vxlan vni=100 / $inner / text ~other-port$1
		$eth / $ip / gre key=100 type=0x0800 / $v4 / text ~gre-ip$1
		$eth / $ip / gre / $v4 / text ~gre-no-key$1
		$eth / $ip / gre seq=100 / $inner / text ~eth-no-key$1
		$eth / $ip / gre key=300 / $inner / text ~eth-other-key$1
		$eth / $ip / gre key=$(((1 << 24) + 100)) / $inner / text ~eth-large-key$1
		$eth / $ip / gre key=100 flags=0x2001 type=0x880b / text ~pptp$1
		$eth / $ip / gre type=0x88be seq=1 / text ~erspan$1
	EOT
}
tenants_frame() { # FAMILY: red's, which no other may hear
	local ip="ip src=192.0.2.2 dst=192.0.2.1"

	[ "$1" = 4 ] || ip="ip6 src=2001:db8::2 dst=2001:db8::1"
	echo "eth src=02:ff:00:00:00:01 dst=$h1_mac / $ip / gre key=100 / eth" \
		"src=02:00:00:00:00:03 dst=02:00:00:00:00:01 / ip src=10.0.0.3 dst=10.0.0.1 / udp" \
		"/ text ~red$1"
}
heard() { grep -v ready "$EARS" | sort; }
hears() { [ "$(heard | wc -l)" -ge "$1" ]; }
listen() { # COUNT: sends all, waits for so many, prints them
	ears
	{ frames 4; frames 6; } >$WORK/frames
	inject h2 eth0 - <$WORK/frames
	retry 5 hears "$1" || true
	heard
	kill $BG
	wait $BG 2>/dev/null || true
}

# ---- sockets --------------------------------------------------------------------------------
before=$(listen 20)
is "without the switch the sockets hear all of it" "$(wc -l <<<"$before")" 20
switch_up
ENCAP=gre tenants red 100
containers red "a@h1 c@h2" mtu 1438
check "red reaches red" reach red-a 10.0.0.3
quiet h1
is "with it they hear the same" "$(listen 20)" "$before"

# What is red's is heard by red alone, over either family.
capture red-a red-a eth0
ears
{ tenants_frame 4; tenants_frame 6; frames 4; } >$WORK/frames
inject h2 eth0 - <$WORK/frames
check "red-a hears what is red's" dissect_has red-a 2 has:~red
check "the sockets hear what is behind it" retry 5 hears 10
capture_stop red-a
is "and nothing that is red's" "$(heard | grep -c red || true)" 0
is "red-a got nothing else" "$(dissect red-a -C has:~ eth.dst=02:00:00:00:00:01)" 2
kill $BG

# ---- devices ------------------------------------------------------------------------------------
# pair DEV WORDS...: a tunnel of the hosts' own between h1 and h2, with the address 172.16.N.x.
pairs=0
pair() {
	local dev=$1 n from to

	pairs=$((pairs + 1))
	shift
	for n in 1 2; do
		from=192.0.2.$n to=192.0.2.$((3 - n))
		case "$*" in *p6*) from=2001:db8::$n to=2001:db8::$((3 - n)) ;; esac
		ip -n h$n link add $dev type "$@" local $from remote $to
		ip -n h$n addr add 172.16.$pairs.$n/24 dev $dev
		ip -n h$n link set $dev up
	done
	check "$dev of the hosts' own works beside the switch" reach h1 172.16.$pairs.2
	check "$dev: TCP" xfer h1 h2 tcp 172.16.$pairs.2 bytes=300000
	check "red: TCP" xfer red-a red-c tcp 10.0.0.3 bytes=300000
}
pair vx9 vxlan id 100 dstport 8472
pair vx10 vxlan id 100 dstport 8473 udp6zerocsumrx
if ip -n h1 link add probe type gretap local 192.0.2.1 remote 192.0.2.9 2>$WORK/err; then
	ip -n h1 link del probe
	pair gt1 gretap key 300
	pair gt2 gretap
	pair gi1 gre key 100
	pair gt6 ip6gretap key 300
else
	skip "GRE devices of the hosts' own" "this kernel has none: $(<$WORK/err)"
fi
# A GRE device of the switch's hears what no other does, and counts it; the one for IPv6 also what
# is not Ethernet, of which there was one with red's id.
is "nothing of red's was dropped" "$({ all_drops h1; all_drops h2; } |
	grep -v '^null unknown_tenant\|^red unverified_tunnel from_tunnel 1$' || true)" ""
for host in h1 h2; do
	sw $host switch down
done
for n in $(seq $pairs); do
	check "after 'switch down' tunnel $n works still" reach h1 172.16.$n.2
done
finish
