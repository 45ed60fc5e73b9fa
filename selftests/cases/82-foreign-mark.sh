#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Marks that other programs of the host set, on frames and on connections, say nothing about whose
# a frame is: nobody hears what is another tenant's, and nobody gets into a tenant.
#
#   red-a, blue-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9 out
#   other 172.17.0.2 ─ docker0 ╯   a container of others, behind a bridge of the host
#   h1 serves both gateways; blue publishes port 8080 for 10.0.0.1:80.
. "$(dirname "$0")/../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

two_gateways sysctl_in h1 net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
sw h1 publish add blue proto udp port 8080 to 10.0.0.1:80
sw h1 publish add blue proto udp port 8080 to '[fd00::1]:80'
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
# asks NS TEXT: a datagram of each family to the server, which sends it back; and a ping
asks() {
	on "$1" "$PY" -c 'import socket, sys
for family, to in ((socket.AF_INET, sys.argv[2]), (socket.AF_INET6, sys.argv[3])):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.settimeout(0.3)
    for _ in range(3):
        s.sendto(sys.argv[1].encode(), (to, 7))
        try:
            s.recv(100)
        except OSError:
            pass' "$2" $SERVER4 $SERVER6
	on "$1" ping -n -c 2 -i 0.2 -W 0.5 -p 7265642d -s 64 $SERVER4 >/dev/null || true
}
bg out "$PY" -u -c 'import socket
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("::", 7))
print("ready", flush=True)
while True:
    data, at = s.recvfrom(2000)
    print(data.decode(), at[1])
    s.sendto(data, at)'
SAID=$BG_LOG
retry 5 grep -q ready "$BG_LOG"

# ---- answers of one tenant, with marks that say another's -------------------------------------

capture blue blue-a eth0
HOOKS='-500 -440 -200 -140 -90 1 300'
for priority in $HOOKS; do
	for rule in "meta mark set meta mark xor $BITS" "ct mark set ct mark xor $BITS" \
		"meta mark set 0x$(printf %x $((0x74500000 + BLUE)))"; do
		[ "$priority $rule" != "-500 ${rule/ct mark/}" ] || continue
		marking filter prerouting "$priority" "iifname up0 $rule"
		asks red-a red-word
	done
done
for hook in forward postrouting; do
	marking filter $hook -160 "oifname tsw-gw meta mark set meta mark xor $BITS"
	asks red-a red-word
	marking filter $hook -160 "oifname != tsw-gw ct mark set ct mark xor $BITS"
	asks red-a red-word
done
unmark
asks red-a red-word
check "without such rules red gets its answers" reach red-a $SERVER4
check "frames were refused as foreign_flow" test "$(drops h1 foreign_flow blue)" -ge 4
on blue-a bash -c "echo blue-word >/dev/udp/$SERVER4/7"
check "blue hears its own" dissect_has blue 1 has:blue-word
capture_stop blue
is "blue heard nothing of red's" "$(dissect blue -C has:red-)" 0

# A connection that says red's in the host's rules, and blue's where it leaves: blue, which sends
# the same, has no way into it.
on h1 nft -f - <<-END
	table inet others {
		chain back {
			type filter hook prerouting priority -160;
			iifname { up0, tsw-gw } ct state established ct mark set ct mark xor $BITS
		}
		chain out {
			type filter hook postrouting priority 300;
			oifname up0 ct mark set ct mark xor $BITS
		}
	}
END
says() { # NS TEXT TIMES: from one port, and hears it
	on "$1" "$PY" -c 'import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 4100))
s.settimeout(0.3)
for _ in range(int(sys.argv[3])):
    s.sendto(sys.argv[1].encode(), (sys.argv[2], 7))
    try:
        s.recv(100)
    except OSError:
        pass
    time.sleep(0.02)' "$2" $SERVER4 "$3"
}
says red-a red-says 20
says blue-a blue-says 1
unmark
ports() { grep "$1" "$SAID" | cut -d ' ' -f 2 | sort -u | tr '\n' ' '; }
check "red is heard, by one port" test "$(ports red-says | wc -w)" = 1
is "and blue not by that" "$([ "$(ports red-says)" != "$(ports blue-says)" ] || echo same)" ""

# What the world asks of blue's published port, in a connection that says red's.
serve blue-a 80
answers "blue's port" out udp 203.0.113.1 8080 "blue-a $SERVER4"
capture red red-a eth0
for priority in -160 -140; do
	marking filter prerouting $priority "iifname up0 udp dport 8080 ct mark set ct mark xor $BITS"
	ask out udp 203.0.113.1 8080 wait=0.4 >/dev/null
	ask out udp 2001:db8:9::1 8080 wait=0.4 >/dev/null
done
unmark
on h1 conntrack -F >/dev/null 2>&1 || true
capture_stop red
is "red heard nothing of it" "$(dissect red -C 'udp.dport=80')" 0

# Red's published flow, which says that it is blue's: blue, which sends what red would answer, does
# not answer in it.
sw h1 publish add red proto udp port 8081 to 10.0.0.1:81
marking filter prerouting -140 "iifname up0 udp dport 8081 ct mark set ct mark xor $BITS"
capture red red-a eth0
on out "$PY" -u -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("203.0.113.9", 5555))
s.sendto(b"asked", ("203.0.113.1", 8081))'
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
is "blue's answer did not leave as red's" "$(dissect up -C has:blue-forged udp.sport=8081)" 0
unmark
sw h1 publish del red proto udp port 8081

# ---- who is no tenant, with a mark that leads to one ------------------------------------------

for tenant in red blue; do capture $tenant $tenant-a eth0; done
for class in 0x7450 0x7451 0x7453; do
	mark=$(printf '0x%x' $(((class << 16) + RED)))
	marking filter prerouting -160 "iifname docker0 meta mark set $mark"
	on other ping -n -c 1 -W 0.3 10.0.0.1 >/dev/null || true
	on other ping -n -c 1 -W 0.3 fd00::1 >/dev/null || true
	on other bash -c 'echo evil-word >/dev/udp/10.0.0.1/80; echo evil-word >/dev/udp/fd00::1/80'
	marking filter prerouting -160 "iifname docker0 meta mark set $mark ct mark set $mark"
	on other bash -c 'echo evil-word >/dev/udp/10.0.0.1/80; echo evil-word >/dev/udp/fd00::1/80'
	unmark
	# A process of the host with CAP_NET_RAW.
	on h1 ping -n -c 1 -W 0.3 -m $((mark)) 10.0.0.1 >/dev/null || true
	on h1 "$PY" -c 'import socket, sys
for family, to in ((socket.AF_INET, "10.0.0.1"), (socket.AF_INET6, "fd00::1")):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, 36, int(sys.argv[1]))
    s.sendto(b"evil-word", (to, 80))' $((mark))
	for dev in tsw-gw tsw-gwp docker0; do
		for ip in 'ip src=203.0.113.9 dst=10.0.0.1' 'ip6 src=2001:db8:9::9 dst=fd00::1'; do
			# shellcheck disable=SC2086 # words of a frame
			inject h1 $dev -M $((mark)) eth src=02:00:00:00:00:99 \
				dst="$(mac_on h1 tsw-gw)" / $ip / udp dport=80 / text evil-word
		done
	done
done
for ns in red-a blue-a; do
	on $ns bash -c "echo own-word >/dev/udp/$SERVER4/7"
	check "$ns hears its own" dissect_has ${ns%-a} 1 has:own-word
done
capture_stop red blue
for tenant in red blue; do
	is "$tenant heard nothing of theirs" "$(dissect $tenant -C has:evil-)" 0
	is "$tenant heard no ping of theirs" \
		"$(dissect $tenant -C ip.src=172.17.0.2)$(dissect $tenant -C ip.src=203.0.113.1)" 00
done

# ---- who sends as a tenant by the device's other end -------------------------------------------

capture up h1 up0
for class in 0x7450 0x7452 0x7454 0x7455; do
	mark=$(((class << 16) + RED))
	for to in $SERVER4 203.0.113.1 10.0.0.254; do
		inject h1 tsw-gwp -M $mark eth src=02:00:00:00:00:01 dst="$(mac_on h1 tsw-gw)" / \
			ip src=10.0.0.1 dst=$to / udp sport=4000 dport=7 / text evil-word
	done
done
check "red still reaches the server" reach red-a $SERVER4
capture_stop up
is "nothing of that left the host" "$(dissect up -C has:evil-)" 0
check "it was refused as not_stamped" test "$(drops h1 not_stamped red)" -ge 12
check "all is in order" healthy h1
finish
