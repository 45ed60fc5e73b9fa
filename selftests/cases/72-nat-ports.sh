#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `switch set nat-ports`: by which ports tenants leave as an address of the host, which the host's
# own connections do not have.
. "$(dirname "$0")/../lib.sh"
. "$LIB/lib_outside.sh"

topo_hosts h1
outside h1
switch_up
tenants red 100
container red a h1 10.0.0.1/24 fd00::1/64
gateway red h1
leave red-a
rules() { ip netns exec tsw-gw.h1 nft list chain inet tsw srcnat | grep -c ":$1 " || true; }
shown() { sw h1 -j switch show | gojq -r '"\(.nat_ports) \(.nat_ports_asked)"'; }
found() { { sw h1 -j switch check || true; } | gojq -r '.problems[].what'; }
hosts() { sysctl_in h1 net.ipv4.ip_local_port_range="$1"; }
# source_port: of a datagram from red-a as it comes
source_port() {
	bg out timeout 10 tcpdump -lnc 1 -i br0 "udp dst port 4321"
	retry 5 grep -q "listening on" "$BG_LOG"
	inject red-a eth0 eth src=02:00:00:00:00:01 dst="$(sw h1 -j gateway show | gojq -r '.[0].mac')" \
		/ ip src=10.0.0.1 dst=$SERVER4 / udp sport=5555 dport=4321 / text x
	wait $BG || true
	sed -nE 's/.* IP 203\.0\.113\.1\.([0-9]+) > .*/\1/p' "$BG_LOG"
}

hosts "32768 60999"
is "auto: below the host's" "$(shown)" "10000-29999 auto"
check "set" sw h1 switch set nat-ports 10000-10255
is "the rules have them" "$(rules 10000-10255)" 4
is "show tells" "$(shown)" "10000-10255 10000-10255"
check "to the world" reach red-a $SERVER4
port=$(source_port)
check "by one of them: $port" test "${port:-0}" -ge 10000 -a "${port:-0}" -le 10255
check "in order" healthy h1
for bad in 1-2000 2000 3000-2000 10000-10010 any 70000-80000 x ''; do
	status=0
	sw h1 switch set nat-ports "$bad" 2>$WORK/err || status=$?
	is "\"$bad\": misuse" $status 2
done
check_fails "among them is VXLAN's" sw h1 switch set nat-ports 4000-5000
sw h1 publish add red proto tcp port 6500 to 10.0.0.1:80
check_fails "among them is a published one" sw h1 switch set nat-ports 6400-8000
check_fails "none of them is published" sw h1 publish add red proto tcp port 10100 to 10.0.0.1:80
is "all is as it was" "$(shown)" "10000-10255 10000-10255"
hosts "10200 60999"
is "the host's own range moves into them: check tells" "$(found)" nat_ports
hosts "32768 60999"
sw h1 publish del red proto tcp port 6500
check "auto again" sw h1 switch set nat-ports auto
is "they are chosen" "$(shown) $(rules 10000-29999)" "10000-29999 auto 4"
hosts "12000 60999"
is "the host's own range moves into them: check tells" "$(found)" nat_ports
check "repair" sw h1 switch repair
is "others are chosen" "$(shown) $(rules 10000-11999)" "10000-11999 auto 4"
check "in order" healthy h1

# ---- in a state file -------------------------------------------------------------------
sw h1 switch set nat-ports 62000-65000
is "save has it" "$(sw h1 save | gojq -r '.hosts[0].switch.nat_ports')" 62000-65000
sw h1 save | gojq '.hosts[0].switch |= (del(.nat_ports) | .tcp_liberal = true)' >$WORK/state.json
check "a file without it, of tsw 0.2" sw h1 apply $WORK/state.json 2>$WORK/err
is "says once that a setting of it has no meaning" "$(sw h1 apply $WORK/state.json 2>&1 |
	grep -c tcp_liberal)" 1
is "auto again" "$(shown)" "10000-11999 auto"
check "in order" healthy h1
finish
