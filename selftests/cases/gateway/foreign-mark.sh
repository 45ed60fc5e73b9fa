#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Marks that other programs of the host set, on frames and on connections, do not decide whose a
# frame is. No tenant hears another's frames, and nobody gets into a tenant.
#
#   red-a, blue-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9 out
#   other 172.17.0.2 ─ docker0 ╯   a container of others, behind a bridge of the host
#   h1 serves both gateways; blue publishes port 4080 for 10.0.0.1:80.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

two_gateways sysctl_in h1 net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
sw h1 publish add blue proto udp port 4080 to 10.0.0.1:80
sw h1 publish add blue proto udp port 4080 to '[fd00::1]:80'
netns other
ip -n h1 link add docker0 type bridge
ip -n h1 link add other type veth peer name eth0 netns other
ip -n h1 link set other master docker0 up
ipv6_still h1 docker0
ip -n h1 addr add 172.17.0.1/16 dev docker0
ip -n h1 addr add fd17::1/64 dev docker0 nodad
ip -n h1 link set docker0 up
ipv6_still other eth0
ip -n other addr add 172.17.0.2/16 dev eth0
ip -n other addr add fd17::2/64 dev eth0 nodad
ip -n other link set eth0 up
ip -n other route add default via 172.17.0.1
ip -n other -6 route add default via fd17::1
sw h1 switch repair # docker0 is a way to the world, too
index_of() { sw h1 -j gateway show "$1" | gojq '.[0].index'; }
RED=$(index_of red) BLUE=$(index_of blue)
BITS=$((RED ^ BLUE)) # with these bits changed what is red's says that it is blue's
for ns in red-a blue-a; do
	check "$ns reaches the server" reach $ns $SERVER4
	check "$ns reaches the server, IPv6" reach $ns $SERVER6
done

# marking FAMILY HOOK PRIORITY RULE: a program of others on the host
marking() {
	on h1 nft -f - <<-END
		table inet others { }
		delete table inet others
		table inet others {
			chain marks { type $1 hook $2 priority $3; policy accept; $4; }
		}
	END
}
unmark() { on h1 nft delete table inet others; }
# asks NS TEXT: three datagrams of each family to the server, which sends them back; how many came
asks() {
	on "$1" "$PY" -c 'import socket, sys
came = 0
for family, to in ((socket.AF_INET, sys.argv[2]), (socket.AF_INET6, sys.argv[3])):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.settimeout(3)
    for _ in range(3):
        s.sendto(sys.argv[1].encode(), (to, 7))
        try:
            came += s.recv(100).decode() == sys.argv[1]
        except OSError:
            pass
print(came)' "$2" $SERVER4 $SERVER6
}
WRONG=()
# goes_on DESC: both tenants get all answers, each its own
goes_on() {
	[ "$(asks red-a red-word) $(asks blue-a blue-word)" = '6 6' ] || WRONG+=("$1")
}
bg out "$PY" -u -c 'import socket
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("::", 7))
print("ready", flush=True)
while True:
    data, at = s.recvfrom(2000)
    s.sendto(data, at)'
retry 5 grep -q ready "$BG_LOG"

# ---- answers of one tenant, with marks that say another's -------------------------------------

for tenant in red blue; do capture $tenant $tenant-a eth0; done
for priority in -500 -440 -200 -140 -90 1 300; do
	for rule in "meta mark set meta mark xor $BITS" "ct mark set ct mark xor $BITS" \
		"meta mark set 0x$(printf %x $((0x74500000 + BLUE)))"; do
		[ "$priority" != -500 ] || [ "$rule" = "${rule/ct mark/}" ] || continue
		marking filter prerouting "$priority" "$rule"
		goes_on "prerouting $priority: $rule"
	done
done
for hook in input forward output postrouting; do
	marking filter $hook -160 "meta mark set meta mark xor $BITS ct mark set ct mark xor $BITS"
	goes_on $hook
done
unmark
for dev in up0 red-a blue-a tsw-gw tsw-up; do
	on h1 nft "table netdev others { chain marks {
		type filter hook ingress device $dev priority 0
		meta mark set 0x$(printf %x $((0x74500000 + BLUE))); }; }"
	goes_on "ingress of $dev"
	on h1 nft delete table netdev others
done
is "marks at any hook of the host change nothing" "${WRONG[*]}" ""
capture_stop red blue
is "blue heard nothing of red's" "$(dissect blue -C has:red-)" 0
is "nor red of blue's" "$(dissect red -C has:blue-)" 0

# What the world asks of blue's published port, in a connection that says red's.
serve blue-a 80
answers "blue's port" out udp 203.0.113.1 4080 "blue-a $SERVER4"
capture red red-a eth0
for priority in -160 -140; do
	marking filter prerouting $priority "iifname up0 udp dport 4080 ct mark set ct mark xor $BITS"
	ask out udp 203.0.113.1 4080 wait=0.4 >/dev/null
	ask out udp 2001:db8:9::1 4080 wait=0.4 >/dev/null
done
unmark
on h1 conntrack -F >/dev/null 2>&1 || true
capture_stop red
is "red heard nothing of it" "$(dissect red -C 'udp.dport=80')" 0

# Red's published flow, which says that it is blue's: blue, which sends what red would answer, does
# not answer in it.
sw h1 publish add red proto udp port 4081 to 10.0.0.1:81
marking filter prerouting -140 "iifname up0 udp dport 4081 ct mark set ct mark xor $BITS"
capture red red-a eth0
on out "$PY" -u -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("203.0.113.9", 5555))
s.sendto(b"asked", ("203.0.113.1", 4081))'
check "red is asked" dissect_has red 1 has:asked
capture_stop red
capture up h1 up0
on blue-a "$PY" -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.0.0.1", 81))
s.sendto(b"blue-forged", ("203.0.113.9", 5555))'
on blue-a bash -c "echo blue-word >/dev/udp/$SERVER4/7"
check "blue's own words leave" dissect_has up 1 has:blue-word
capture_stop up
is "blue's answer did not leave as red's" "$(dissect up -C has:blue-forged udp.sport=4081)" 0
unmark
sw h1 publish del red proto udp port 4081

# ---- who is no tenant, with a mark that leads to one ------------------------------------------

for tenant in red blue; do capture $tenant $tenant-a eth0; done
capture up h1 up0
# frames DEV MARK DST: as whoever may open packet sockets sends them there, to red, and as red
frames() {
	local ip

	for ip in 'ip src=203.0.113.9 dst=10.0.0.1' 'ip6 src=2001:db8:9::9 dst=fd00::1' \
		"ip src=10.0.0.1 dst=$SERVER4" 'ip src=10.0.0.1 dst=203.0.113.1' \
		'ip src=10.0.0.1 dst=10.0.0.254'; do
		# shellcheck disable=SC2086 # words of a frame
		inject h1 "$1" -M "$2" eth src=02:00:00:00:00:99 dst="$3" / $ip / udp sport=4000 dport=7 / \
			text evil-word
	done
}
# The Ethernet header that leads over, but for the seal: 02, a slot, a mark.
forged() { printf '%08x' "$1" | sed 's/../:&/g; s/^/02:00/'; }
others() { # DESC: all that others send goes to red, if it goes anywhere
	on other ping -n -c 1 -W 0.3 10.0.0.1 >/dev/null || true
	on other ping -n -c 1 -W 0.3 fd00::1 >/dev/null || true
	on other bash -c 'echo evil-word >/dev/udp/10.0.0.1/80; echo evil-word >/dev/udp/fd00::1/80' \
		2>/dev/null || true
	on h1 ping -n -c 1 -W 0.3 -m $((mark)) 10.0.0.1 >/dev/null 2>&1 || true
	on h1 "$PY" -c 'import socket, sys
for family, to in ((socket.AF_INET, "10.0.0.1"), (socket.AF_INET6, "fd00::1")):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, 36, int(sys.argv[1]))
    try:
        s.sendto(b"evil-word", (to, 80))
    except OSError:
        pass' $((mark))
	goes_on "$1"
}
to_red() { # WORD DEV: routes of the host to red's network
	ip -n h1 route "$1" 10.0.0.0/24 dev "$2"
	ip -n h1 -6 route "$1" fd00::/64 dev "$2"
}
WRONG=()
for class in 0x7450 0x7451 0x7452 0x7453 0x7454 0x7455; do
	mark=$(printf '0x%x' $(((class << 16) + RED)))
	for dev in tsw-gw tsw-up; do
		to_red add $dev
		marking filter prerouting -160 "iifname docker0 meta mark set $mark"
		others "$mark by a route to $dev"
		marking filter prerouting -160 \
			"iifname docker0 meta mark set $mark ct mark set $mark"
		others "$mark by a route to $dev, and its connections'"
		unmark
		to_red del $dev
		frames $dev $((mark)) "$(mac_on h1 $dev)"
		frames $dev $((mark)) "$(forged $((mark)))"
		frames $dev 0 "$(forged $((mark)))"
		frames $dev 0 "$(forged 0)"
	done
	frames docker0 $((mark)) "$(mac_on h1 tsw-gw)"
done
is "by marks, routes and packet sockets nothing of tenants' stops" "${WRONG[*]}" ""

# ---- tc, nft and a bridge -----------------------------------------------------------------------

WRONG=()
mark=$(printf '0x%x' $((0x74500000 + RED)))
on h1 tc qdisc add dev other clsact
for dev in tsw-gw tsw-up; do
	for way in ingress egress; do
		on h1 tc filter add dev other ingress protocol all u32 match u32 0 0 \
			action mirred $way redirect dev $dev
		on other ping -n -c 1 -W 0.3 10.0.0.1 >/dev/null || true
		inject other eth0 eth src=02:00:00:00:00:99 dst="$(forged $((mark)))" / \
			ip src=203.0.113.9 dst=10.0.0.1 / udp dport=80 / text evil-word
		inject other eth0 eth src=02:00:00:00:00:99 dst="$(forged 0)" / \
			ip src=10.0.0.1 dst=$SERVER4 / udp dport=80 / text evil-word
		goes_on "$way of $dev"
		on h1 tc filter del dev other ingress
	done
done
check "what others redirect there is refused as not_stamped" test "$(drops h1 not_stamped)" -ge 4
for dev in tsw-gw tsw-up; do
	on h1 nft "table netdev others { chain marks {
		type filter hook ingress device other priority 0
		meta mark set $mark fwd to $dev; }; }"
	on other ping -n -c 1 -W 0.3 10.0.0.1 >/dev/null || true
	inject other eth0 eth src=02:00:00:00:00:99 dst="$(forged $((mark)))" / \
		ip src=203.0.113.9 dst=10.0.0.1 / udp dport=80 / text evil-word
	goes_on "nft's fwd to $dev"
	on h1 nft delete table netdev others
	ip -n h1 link set $dev master docker0
	for dst in ff:ff:ff:ff:ff:ff "$(forged $((mark)))" "$(mac_on h1 $dev)"; do
		inject other eth0 eth src=02:00:00:00:00:99 dst="$dst" / \
			ip src=203.0.113.9 dst=10.0.0.1 / udp dport=80 / text evil-word
	done
	goes_on "$dev in a bridge"
	ip -n h1 link set $dev nomaster
done
is "by tc, nft and a bridge nothing of tenants' stops" "${WRONG[*]}" ""
capture_stop red blue up
for tenant in red blue; do
	is "$tenant heard nothing of theirs" "$(dissect $tenant -C has:evil-)" 0
	is "$tenant heard no ping of theirs" \
		"$(dissect $tenant -C ip.src=172.17.0.2)$(dissect $tenant -C ip.src=203.0.113.1)" 00
	is "$tenant heard its own" \
		"$([ "$(dissect $tenant -C has:$tenant-word)" -ge 100 ] || echo less)" ""
done
is "nothing of that left as red's" "$(dissect up -C has:evil- ip.src=10.0.0.1)" 0
check "all is in order" healthy h1

# ---- whatever becomes of the host's own rules, routing and settings ----------------------------

WRONG=()
closed() { # all that the host's netfilter can stop
	on h1 nft -f - <<-'END'
		table inet others {
			chain pre { type filter hook prerouting priority -500; policy drop; }
			chain in { type filter hook input priority 0; policy drop; }
			chain through { type filter hook forward priority 0; policy drop; }
			chain out { type filter hook output priority 0; policy drop; }
			chain post { type filter hook postrouting priority 0; policy drop; }
		}
	END
}
nat() { # what the host forwards for others
	on h1 nft 'table ip others { chain post {
		type nat hook postrouting priority 100; masquerade; }; }'
}
rules_afresh() { # as scripts have it that set up routing
	on h1 ip rule flush
	on h1 ip rule add lookup main priority 32766
}
on out ping -n -c 1 203.0.113.1 >/dev/null # whose neighbours are known
closed
goes_on "the host's netfilter drops everything"
nat
goes_on "NAT of the host's own"
on h1 nft flush ruleset
goes_on "a flushed ruleset"
rules_afresh
goes_on "flushed rules of routing"
sysctl_in h1 net.ipv4.conf.{all,default,up0,tsw-gw,tsw-up}.rp_filter=1
goes_on "rp_filter"
sysctl_in h1 net.ipv4.ip_forward=0 net.ipv6.conf.all.forwarding=0
check_fails "forwarding turned off, which closes the host's routes to programs: is told" \
	sw h1 -q switch check
sw h1 switch repair
goes_on "forwarding turned off, and repaired"
is "tenants go on, whatever becomes of the host" "${WRONG[*]}" ""
check "and all is in order" healthy h1
finish
