#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The path of flows that go the fast way. A router's errors about them reach the sender, in both
# directions. Packets too long for the uplink, and fragments in between, go by the host's rules.
#
#   red-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ── 203.0.113.8 r ── 198.51.100.8 ── 198.51.100.9 far
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_fast.sh"

path_to_far 10.0.0.1/24 $GATEWAY4 198.51.100.0/24 203.0.113.8
sysctl_in far net.ipv4.ip_no_pmtu_disc=1 # what answers may be fragmented
serve far $PORT

# large SPORT SIZE [probe]: UDP in the flow of that port, DF set with probe: the answer's length
large() {
	on red-a "$PY" - $FAR4 $PORT "$@" <<-'END'
		import socket, sys, time
		to, port, sport, size = sys.argv[1], *map(int, sys.argv[2:5])
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.setsockopt(socket.IPPROTO_IP, 10, 3 if "probe" in sys.argv else 0)
		s.bind(("", sport))
		s.connect((to, port))
		s.settimeout(1)
		for _ in range(40):
		    s.send(b"x")
		    s.recv(9)
		for want in size, 1, size, 1:
		    try:
		        s.send(b"y" * want)
		        got = len(s.recv(9000))
		    except OSError as e:
		        got = e.strerror or "nothing"
		    if got != want:
		        sys.exit(f"{want}: {got}")
		print("all")
	END
}

for kind in tcp udp; do
	beat red red-a $kind $FAR4 5000 60
	is_fast "$kind" 5000
done
is "fragments in between" "$(large 5001 4000 2>&1)" all
is "the largest without" "$(large 5002 1400 probe 2>&1)" all
narrow_by_forgery $FAR4 600 ip src=203.0.113.8 dst=203.0.113.1 / icmp type=3 code=4 id=0 seq=600 \
	/ ip src=203.0.113.1 dst=$FAR4 / icmp type=0 / pad 40

# A router beyond has a narrower way: it tells the sender about packets as they left the host.
ip -n r link set eth1 mtu 1300
capture told red-a eth0 'icmp[0] == 3 and icmp[1] == 4'
is "too long for a router beyond" "$(large 5003 1350 probe 2>&1)" '1350: Message too long'
capture_stop told
is "told about the sender's own packet" \
	"$(captured_text told -vv icmp | grep -oE "mtu 1300|[0-9.]+ > $FAR4.$PORT" | sort -u)" \
	"10.0.0.1.5003 > $FAR4.$PORT
mtu 1300"
ip -n r link set eth1 mtu 1500

nobody_listens $FAR4

# The uplink itself is narrower than the tenant's network. An agent, too, would tell the router.
ip -n red-a route flush cache
ip -n h1 link set up0 mtu 1300
sw h1 switch repair
is "too long for the uplink" "$(large 5004 1350 probe 2>&1)" '1350: Message too long'
ip -n red-a route flush cache
ip -n r link set eth0 mtu 1300
is "where it may be fragmented it is" "$(large 5005 1350 2>&1)" all
still || not_ok "what goes on beside it stopped"

# A tenant's own MTU may be less than that of tsw-gw, also for what comes straight from the uplink.
ip -n h1 link set up0 mtu 1500
sw h1 switch repair
ip -n r link set eth0 mtu 1500
bg far "$PY" -c "
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, 10, 3)  # DF, whatever is known of the path
s.bind(('', 4002))
print('ready', flush=True)
while True:
    asked, at = s.recvfrom(9)
    s.sendto(asked * (1322 if asked == b'L' else 1), at)"
retry 5 grep -q ready "$BG_LOG"
long_answers() { # of five, in a flow that is leased
	on red-a "$PY" -c "
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(0.5)
s.connect(('$FAR4', 4002))
n = 0
for ask in [b'x'] * 40 + [b'L', b'x', b'x'] * 5:
    s.send(ask)
    try:
        n += len(s.recv(2000)) > 1
    except (TimeoutError, socket.timeout):
        pass
print(n)"
}
is "answers as long as the tenant's network takes" "$(long_answers)" 5
sw h1 tenant set red mtu 1300
is "and none that are longer" "$(long_answers)" 0
finish
