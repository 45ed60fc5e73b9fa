#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A gateway as a router: neighbours, TTL, traceroute, path MTU, fragments.
#
#   red-a 10.0.0.1 ─ h1 ═ underlay ═ h2 ─ red-c 10.0.0.3; h1 has the gateway 10.0.0.254, fd00::fe
#                     └ up0 203.0.113.1 ── 203.0.113.8 r ── 198.51.100.8 ── 198.51.100.9 far
#                       the same in IPv6: 2001:db8:9::, 2001:db8:b::
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

both=(red-a red-c)
topo_hosts h1 h2
outside h1 h2
beyond

# A host that checks where packets come from, strictly, before any gateway is there.
sysctl_in h1 net.ipv4.conf.{all,default,up0,eth0}.rp_filter=1
switch_up
tenants
for tenant in red blue; do
	container $tenant a h1 10.0.0.1/24 fd00::1/64
	container $tenant c h2 10.0.0.3/24 fd00::3/64
	leave $tenant-a $tenant-c
	gateway $tenant h1
done

# ---- the gateway itself --------------------------------------------------------------

MAC=02:74:00:00:00:64
resolved() { ip -n "$1" -j neigh show to "$2" dev eth0 | gojq -r '.[0].lladdr // "none"'; } # NS IP
state_of() { ip -n "$1" -j neigh show to "$2" dev eth0 | gojq -r '.[0].state[0] // "none"'; }
probed() { # NS IP: a stale entry, which is used, is confirmed by a unicast probe
	ip -n "$1" neigh replace "$2" lladdr $MAC dev eth0 nud probe
	retry 5 is_reachable "$1" "$2"
}
is_reachable() { [ "$(state_of "$1" "$2")" = REACHABLE ]; }
for ns in "${both[@]}"; do
	for at in $GATEWAY4 $GATEWAY6; do
		check "$ns pings its gateway $at" reach $ns $at
		is "$ns has its MAC for $at" "$(resolved $ns $at)" $MAC
		check "$ns: a unicast probe for $at is answered" probed $ns $at
		check "$ns: its gateway answers pings of 1400" on $ns ping -n -c 1 -W 10 -s 1400 $at
	done
done
capture asked red-a eth0 arp or icmp6
ip -n red-a neigh flush dev eth0
check "it answers again" reach red-a $GATEWAY4
check "it answers again, IPv6" reach red-a $GATEWAY6
capture_stop asked
is "and no other MAC says that it has the address" \
	"$(dissect asked -u -f eth.src arp.spa=$GATEWAY4 arp.op=2 | awk '{ print $NF }')" $MAC

# ---- hops ------------------------------------------------------------------------------

# says NS WORDS IP [ARG...]: does a ping's output have that?
says() {
	[[ $(on "$1" ping -n -c 1 -W 2 "${@:3}" 2>&1 || true) == *$2* ]]
}
for ns in "${both[@]}"; do
	for at in "$GATEWAY4 $FAR4" "$GATEWAY6 $FAR6"; do
		check "$ns, no default route on the host: its gateway says so for ${at#* }" \
			retry 10 says $ns "From ${at% *} icmp_seq=1 Destination " "${at#* }"
	done
done
for host in h1 h2; do
	ip -n $host route add default via 203.0.113.8
	ip -n $host -6 route add default via 2001:db8:9::8
done
hops() { # NS IP: who answers at each
	local ttl out

	for ttl in 1 2 3; do
		out=$(on "$1" ping -n -c 1 -W 2 -t $ttl "$2" 2>&1) || true
		[[ $out =~ [Ff]rom\ ([0-9a-f.:]+[0-9a-f]) ]] && echo "${BASH_REMATCH[1]}"
	done
}
for ns in "${both[@]}"; do
	for to in $FAR4 $FAR6; do
		check "$ns reaches $to" reach $ns $to
	done
	comes "$ns: a traceroute is right" "$GATEWAY4"$'\n'"203.0.113.8"$'\n'"$FAR4" \
		hops $ns $FAR4
	comes "$ns: in IPv6, too" "$GATEWAY6"$'\n'"2001:db8:9::8"$'\n'"$FAR6" hops $ns $FAR6
	is "$ns: one hop less than from the host" \
		"$(on $ns ping -n -c 1 -W 10 $FAR4 | grep -o 'ttl=[0-9]*')" ttl=62
done
# By UDP, as traceroute does: the error comes to the socket that sent.
udp_error() { # NS IP TTL: who told what
	on "$1" timeout 5 "$PY" - "$2" "$3" <<-'END'
		import select, socket, struct, sys
		to, ttl = sys.argv[1], int(sys.argv[2])
		v6 = ":" in to
		s = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_DGRAM)
		level, recverr, hops = (41, 25, 16) if v6 else (0, 11, 2)
		s.setsockopt(level, recverr, 1)
		s.setsockopt(level, hops, ttl)
		s.sendto(b"x" * 40, (to, 33434))
		select.select([s], [], [], 3)
		data, control, _, _ = s.recvmsg(100, 200, socket.MSG_ERRQUEUE)
		for _, _, c in control:
		    if len(c) >= 24:
		        kind, code = c[5], c[6]
		        family = struct.unpack_from("=H", c, 16)[0]
		        at = c[24:40] if family == socket.AF_INET6 else c[20:24]
		        print(socket.inet_ntop(family, at), kind, code)
	END
}
for ns in "${both[@]}"; do
	comes "$ns: UDP that expires, first hop" "$GATEWAY4 11 0" udp_error $ns $FAR4 1
	comes "$ns: second hop" "203.0.113.8 11 0" udp_error $ns $FAR4 2
	comes "$ns: no such port there" "$FAR4 3 3" udp_error $ns $FAR4 9
	comes "$ns: IPv6, first hop" "$GATEWAY6 3 0" udp_error $ns $FAR6 1
	comes "$ns: IPv6, second hop" "2001:db8:9::8 3 0" udp_error $ns $FAR6 2
	comes "$ns: IPv6, no such port there" "$FAR6 1 4" udp_error $ns $FAR6 9
done
check "blue's neighbour learns nothing of it" reach blue-a $FAR4

# ---- what fits -------------------------------------------------------------------------

# too_big NS IP MTU: does the answer to a ping that does not fit tell MTU?
too_big() {
	local head=28 out

	[[ $2 != *:* ]] || head=48
	out=$(on "$1" ping -n -c 1 -W 1 -M 'do' -s $((1450 - head)) "$2" 2>&1) || true
	[[ $out =~ mtu\ ?=\ ?$3 ]]
}
forget() { ip -n "$1" route flush cache; ip -n "$1" -6 route flush cache; }
path() { # DESC MTU NS...
	local desc=$1 mtu=$2 ns to head

	shift 2
	for ns in "$@"; do
		for to in $FAR4 $FAR6; do
			head=28
			[[ $to != *:* ]] || head=48
			forget $ns
			check "$desc: $ns is told $mtu on the way to $to" \
				retry 5 too_big $ns $to "$mtu"
			check "$desc: $ns: what fits arrives" \
				on $ns ping -n -c 1 -W 10 -M 'do' -s $((mtu - head)) $to
			forget $ns
			check "$desc: $ns: TCP out" xfer $ns far tcp $to bytes=400000
			check "$desc: $ns: a ping in fragments" \
				retry 3 on $ns ping -n -c 1 -W 1 -s 3000 $to
		done
	done
}
set_mtu() { # MTU NS DEV [NS DEV]...
	local mtu=$1

	shift
	while [ $# -gt 0 ]; do
		ip -n "$1" link set "$2" mtu "$mtu"
		shift 2
	done
}
lan=(h1 up0 out h1 out r r eth0)
set_mtu 1400 "${lan[@]}"
sw h1 switch repair # of its own accord where an agent runs
path "an uplink of 1400" 1400 "${both[@]}"
set_mtu 1500 "${lan[@]}"
sw h1 switch repair
set_mtu 1350 r eth1 far eth0
path "a router behind with 1350" 1350 "${both[@]}"
set_mtu 1500 r eth1 far eth0
for ns in "${both[@]}"; do
	forget $ns
done

# ---- in: what comes back is larger than the tenant takes, or comes in fragments -----------------

for host in h1 h2; do
	sw $host tenant set red mtu 1300
done
for ns in "${both[@]}"; do
	set_mtu 1300 $ns eth0
	for to in $FAR4 $FAR6; do
		check "tenant's mtu 1300: $ns and TCP with $to" \
			"$PY" "$TOOLS/exchange.py" far $to tcp $ns
		# The first one is lost: its sender is told.
		check "tenant's mtu 1300: $ns and datagrams that are larger" \
			retry 6 "$PY" "$TOOLS/exchange.py" far $to udp $ns size=1400 wait=1
		check "tenant's mtu 1300: a ping of 4000 to $to comes back in fragments" \
			retry 3 on $ns ping -n -c 1 -W 1 -s 4000 $to
	done
done
capture back red-c eth0 'ip[6:2] & 0x3fff != 0 or ip6 proto 44'
check "a datagram of 8000 goes and comes" "$PY" "$TOOLS/exchange.py" far $FAR4 udp red-c size=8000 \
	count=20
check "a datagram of 8000 goes and comes, IPv6" \
	"$PY" "$TOOLS/exchange.py" far $FAR6 udp red-c size=8000 count=20
check "and it was in fragments" capture_has back 100
capture_stop back
check "blue still has its own MTU" on blue-a ping -n -c 1 -W 10 -M 'do' -s 1422 $FAR4
check "all in order" healthy h1 h2
is "strict reverse path filters lost nothing" "$(on h1 cat /proc/net/netstat |
	awk '/^TcpExt/ { if (!n) n = split($0, name); else { split($0, v)
		for (i in name) if (name[i] == "IPReversePathFilter") print v[i] } }')" 0
finish
