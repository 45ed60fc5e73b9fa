#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# By which ports tenants leave. As an address of the host: by those of `nat-ports`, also where that
# address is on `lo`. As an address of their own: by the port that they chose, the same one to all
# destinations (RFC 4787, REQ-1). And `switch gc` removes routers of switches that are gone.
#
#   red-a, blue-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9, 198.18.7.7 out
#                    lo 198.51.100.1
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

OWN4=203.0.113.71 OWN6=2001:db8:9::71 ON_LO=198.51.100.1 ON_LO6=2001:db8:f::1
topo_hosts h1
outside h1
sysctl_in out net.ipv6.conf.lo.disable_ipv6=0
sysctl_in h1 net.ipv6.conf.lo.disable_ipv6=0
ip -n out addr add 198.18.7.7/32 dev lo
ip -n out addr add 2001:db8:77::7/128 dev lo nodad
ip -n h1 route add 198.18.7.7 via $SERVER4
ip -n h1 -6 route add 2001:db8:77::7 via $SERVER6
ip -n h1 link set lo up
ip -n h1 addr add $ON_LO/32 dev lo
ip -n h1 addr add $ON_LO6/128 dev lo nodad
ip -n out route add $ON_LO via 203.0.113.1
ip -n out route add $ON_LO6 via 2001:db8:9::1
switch_up
tenants red 100 blue 200
for t in red blue; do
	container $t a h1 10.0.0.1/24 fd00::1/64
	gateway $t h1
	leave $t-a
done
bg out "$PY" -c '
import socket, threading
def tcp(s):
    while True:
        c, peer = s.accept()
        c.sendall(("%s %d" % (peer[0], peer[1])).encode())
        c.close()
def udp(s):
    while True:
        _, peer = s.recvfrom(99)
        s.sendto(("%s %d" % (peer[0], peer[1])).encode(), peer)
for at in "203.0.113.9", "198.18.7.7", "2001:db8:9::9", "2001:db8:77::7":
    family = socket.AF_INET6 if ":" in at else socket.AF_INET
    for port in 7001, 7002:
        for kind, serve in (socket.SOCK_STREAM, tcp), (socket.SOCK_DGRAM, udp):
            s = socket.socket(family, kind)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind((at, port))
            if kind == socket.SOCK_STREAM:
                s.listen()
            threading.Thread(target=serve, args=(s,)).start()
print("ready", flush=True)'
retry 5 grep -q ready "$BG_LOG"
# seen NS PROTO PORT ADDRESS...: as whom both ports of each of them see it, from one port of its own
seen() {
	on "$1" "$PY" -c '
import socket, sys
proto, port = sys.argv[1], int(sys.argv[2])
seen = set()
for at in sys.argv[3:]:
    for to in 7001, 7002:
        s = socket.socket(socket.AF_INET6 if ":" in at else socket.AF_INET,
                          socket.SOCK_STREAM if proto == "tcp" else socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.settimeout(3)
        s.bind(("", port))
        s.connect((at, to))
        if proto == "udp":
            s.send(b"x")
        seen.add(s.recv(99).decode())
        s.close()
print(*sorted(seen), sep=", ")' "${@:2}" 2>&1 | tail -1
}
TO4="$SERVER4 198.18.7.7" TO6="$SERVER6 2001:db8:77::7"
# within DESC ADDRESS SEEN: all that is seen has that address, and a port of nat-ports
within() {
	# shellcheck disable=SC2086 # words
	is "$1" "$(tr ',' '\n' <<<"$3" | awk -v at="$2" '
		{ n++; if ($1 != at || $2 < 10000 || $2 > 29999) bad = bad " " $0 }
		END { print (n ? "all" : "none") bad }')" all
}

# ---- as the host -----------------------------------------------------------------------
# shellcheck disable=SC2086 # words
for proto in tcp udp; do
	within "as the host, $proto" 203.0.113.1 "$(seen red-a $proto 5555 $TO4)"
	within "as the host, $proto, IPv6" 2001:db8:9::1 "$(seen red-a $proto 5555 $TO6)"
done

# ---- as an address of its own ----------------------------------------------------------
sw h1 gateway set red snat $OWN4 snat $OWN6
for port in 6000 20000 45000; do
	# shellcheck disable=SC2086 # words
	for proto in tcp udp; do
		is "its own: $proto port $port is kept, for all destinations" \
			"$(seen red-a $proto $port $TO4)" "$OWN4 $port"
		is "its own: $proto port $port is kept, IPv6" \
			"$(seen red-a $proto $port $TO6)" "$OWN6 $port"
	done
done
sw h1 gateway set blue snat $OWN4 snat $OWN6
# shellcheck disable=SC2086 # words
is "of two that share it the first keeps its port" "$(seen red-a udp 6100 $TO4)" "$OWN4 6100"
# shellcheck disable=SC2086
got=$(seen blue-a udp 6100 $TO4)
check "the other has another: $got" test "$(grep -c "$OWN4 6100" <<<"$got" || true)" = 0
is "and its answers" "$(grep -o "$OWN4 [0-9]*" <<<"$got" | wc -l | awk '{ print ($1 > 0) }')" 1
sw h1 gateway set blue snat none

# ---- an address of the host on lo ------------------------------------------------------
sw h1 gateway set red snat $ON_LO snat $ON_LO6
# shellcheck disable=SC2086 # words
for proto in tcp udp; do
	within "as an address on lo, $proto" $ON_LO "$(seen red-a $proto 5600 $TO4)"
	within "as an address on lo, $proto, IPv6" $ON_LO6 "$(seen red-a $proto 5600 $TO6)"
done
check "in order" healthy h1
serve h1 9000
is "a socket of the host at that address hears the world" "$(ask out tcp $ON_LO 9000)" "h1 203.0.113.9"
is "likewise by IPv6" "$(ask out tcp $ON_LO6 9000)" "h1 2001:db8:9::9"
sw h1 gateway set red snat none

# ---- routers of switches that are gone -------------------------------------------------
GHOST=tsw-gw.ghost$$
gc() {
	# shellcheck disable=SC2016 # it knows jq, and not gojq
	sw h1 -j switch gc "$@" | gojq -r --arg g $GHOST \
		'.removed | map(select(.object == $g).what) | join(",")'
}
ip netns add $GHOST
undo ip netns del $GHOST
is "a stray router: gc would take it" "$(gc dry-run on)" stray_router
check "and has not" test -e /run/netns/$GHOST
is "gc takes it" "$(gc)" stray_router
check "it is gone" test ! -e /run/netns/$GHOST
ip netns add $GHOST
ip -n $GHOST link add tsw-gw index 7450 type veth peer name x
is "one that has its device is used" "$(gc)" ""
check "and stays" test -e /run/netns/$GHOST
ip -n $GHOST link del tsw-gw
ip -n $GHOST link add own type veth peer name other
is "one with a device of somebody's own is that one's" "$(gc)" ""
check "and stays" test -e /run/netns/$GHOST
ip netns del $GHOST
check "the router of this switch is as it was" reach red-a $SERVER4
check "in order" healthy h1

# ---- a namespace of somebody's that has the router's name ------------------------------
for tenant in red blue; do sw h1 -f gateway del $tenant; done
check "the router is gone with the last gateway" test ! -e /run/netns/tsw-gw.h1
ip netns add tsw-gw.h1
undo ip netns del tsw-gw.h1
ip -n tsw-gw.h1 link add own type veth peer name other
ip -n tsw-gw.h1 addr add 198.18.7.1/24 dev own
is "it becomes nobody's router" "$({ sw h1 gateway add red ip 10.0.0.254/24 2>&1 || true; } |
	grep -o "the network namespace tsw-gw.h1 is not a router of tsw: it has the device")" \
	"the network namespace tsw-gw.h1 is not a router of tsw: it has the device"
is "it is as it was" "$(ip -n tsw-gw.h1 -4 -j addr show dev own | gojq -r '.[0].addr_info[0].local') \
$(router h1 cat /proc/sys/net/ipv4/ip_forward)" "198.18.7.1 $(cat /proc/sys/net/ipv4/ip_forward)"
check "in order" healthy h1
sw h1 switch down
check "down leaves it" test -e /run/netns/tsw-gw.h1
finish
