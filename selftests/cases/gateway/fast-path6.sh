#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: gateway/fast-path has IPv4; packet_fast has both families
# As gateway/fast-path, of IPv6: where routers never fragment, and only their errors tell a
# sender what does not fit.
#
#   red-a fd00::1 ─ h1 ─ up0 2001:db8:9::1 ── 2001:db8:9::8 r ── 2001:db8:b::8 ── 2001:db8:b::9 far
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_fast.sh"

path_to_far fd00::1/64 $GATEWAY6 2001:db8:b::/64 2001:db8:9::8
serve far $PORT

# said SPORT WORD...: what one socket of red-a meets that sends in turn with each WORD, in a leased
# flow. A WORD is a length, which the answer has, too; with `whole` nothing is sent in fragments. Or
# it is `hops=N`, a hop limit: then an error is waited for.
said() {
	on red-a "$PY" - $FAR6 $PORT "$@" <<-'END'
		import errno, socket, sys, time
		to, port, sport = sys.argv[1], *map(int, sys.argv[2:4])
		IPV6_MTU_DISCOVER, IPV6_RECVERR, WANT, DO = 23, 25, 1, 2
		s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
		s.bind(("::", sport))
		s.connect((to, port))
		s.settimeout(1)
		def lease():
		    for _ in range(40):
		        s.send(b"x")
		        s.recv(9)
		def ask(size, once=False):
		    # The way back has an MTU of its own, which the answerer learns by what is lost.
		    for left in (0,) if once else (2, 1, 0):
		        try:
		            s.send(b"y" * size)
		            return len(s.recv(9000))
		        except (TimeoutError, socket.timeout):
		            if not left:
		                raise
		def one(word):
		    if word.startswith("hops="):
		        s.setsockopt(socket.IPPROTO_IPV6, IPV6_RECVERR, 1)
		        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, int(word[5:]))
		        return ask(1)
		    whole = word.endswith("whole")
		    s.setsockopt(socket.IPPROTO_IPV6, IPV6_MTU_DISCOVER, DO if whole else WANT)
		    size = int(word.removesuffix("whole"))
		    wanted = [size, 1, size, 1]
		    return [ask(want, whole) for want in wanted] == wanted and "all"
		for word in sys.argv[4:]:
		    lease()
		    try:
		        told = one(word)
		    except OSError as e:
		        told = errno.errorcode.get(e.errno, "nothing")
		    if word.startswith("hops="):
		        try:
		            told = s.recvmsg(1, 999, socket.MSG_ERRQUEUE)[1][0][2]
		            told = socket.inet_ntop(socket.AF_INET6, told[24:40])
		        except OSError as e:
		            told = errno.errorcode[e.errno]
		        s.setsockopt(socket.IPPROTO_IPV6, IPV6_RECVERR, 0)
		        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, 64)
		    print(told)
	END
}

for kind in tcp udp; do
	beat red red-a $kind $FAR6 5000 60
	is_fast "$kind" 5000
done
is "fragments in between" "$(said 5001 3000 2>&1)" all
is "the largest in one" "$(said 5002 1402whole 2>&1)" all
narrow_by_forgery $FAR6 1280 ip6 src=2001:db8:9::8 dst=2001:db8:9::1 / icmp6 type=2 body=00000500 \
	/ ip6 src=2001:db8:9::1 dst=$FAR6 / icmp6 / pad 40
is "hop limits that end at the gateway and at the router" \
	"$(said 5007 hops=1 1 hops=2 1 2>&1)" "$GATEWAY6
all
2001:db8:9::8
all"

# A router beyond has a narrower way: it tells the sender about packets as they left the host.
ip -n r link set eth1 mtu 1300
capture told red-a eth0 'icmp6 and ip6[40] == 2'
is "too long for a router beyond" "$(said 5003 1350whole 2>&1)" EMSGSIZE
capture_stop told
is "told about the sender's own packet" "$(captured told \
	'ip6[44:4] == 1300 and ip6[56:4] == 0xfd000000 and ip6[68:4] == 1 and ip6[88:2] == 5003')" \
	"$(captured told)"
check "once at least" test "$(captured told)" -gt 0
ip -n far link set eth0 mtu 1300 # a veth drops what is longer than its other end's
is "and who may cut it does" "$(said 5008 1350 2>&1)" all
ip -n far link set eth0 mtu 1500
ip -n r link set eth1 mtu 1500

nobody_listens $FAR6

# The uplink itself is narrower than the tenant's network. An agent, too, would tell the router.
ip -n red-a -6 route flush cache
ip -n h1 link set up0 mtu 1300
sw h1 switch repair
is "too long for the uplink" "$(said 5004 1350whole 2>&1)" EMSGSIZE
ip -n r link set eth0 mtu 1300
is "there, too, who may cut it does" "$(said 5005 1350 2>&1)" all
still || not_ok "what goes on beside it stopped"
finish
