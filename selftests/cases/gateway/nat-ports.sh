#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `switch set nat-ports`: tenants leave as an address of the host by ports that the host's own
# connections do not use.
. "$(dirname "$0")/../../lib.sh"
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
check "gateway show tells them" test "$(sw h1 -j gateway show | gojq -r '.[0].nat_ports')" = 10000-10255
printf '%s\n' "switch set nat-ports 20000-21000" "switch set nat-ports 22000-23000" |
	sw h1 -b - >/dev/null
is "of two changes in one batch the last is there" "$(shown) $(rules 22000-23000)" \
	"22000-23000 22000-23000 4"

# ---- what else is at them ----------------------------------------------------------------
noted() { # WHAT: of problems and warnings, which
	# shellcheck disable=SC2016 # it knows jq, and not gojq
	{ sw h1 -j switch check || true; } | gojq -r --arg w "$1" \
		'[.problems[], .warnings[]] | map(select(.what == $w).object) | sort | join(",")'
}
listens() { # PROTO PORT ADDRESS: in $LISTENS
	bg h1 "$PY" -c '
import socket, sys, time
proto, port, at = sys.argv[1:]
kind = socket.SOCK_STREAM if proto == "tcp" else socket.SOCK_DGRAM
s = socket.socket(socket.AF_INET6 if ":" in at else socket.AF_INET, kind)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
s.bind((at, int(port)))
if proto == "tcp":
    s.listen()
print("ready", flush=True)
time.sleep(600)' "$@"
	LISTENS=$BG
	retry 5 grep -q ready "$BG_LOG"
}
is "nobody has them" "$(noted nat_port_in_use)" ""
listens tcp 22100 0.0.0.0
listens udp 22200 :: # for both families, and by two sockets
listens udp 22200 ::
listens tcp 22300 127.0.0.1
listens udp 23001 0.0.0.0
is "sockets of the host among them are told" "$(noted nat_port_in_use)" "tcp 22100,udp 22200"
check "which is no problem" healthy h1
bg h1 timeout 20 "$PY" "$TOOLS/who.py" serve h1 22500
retry 5 grep -q ready "$BG_LOG"
is "the world gets to such a socket" "$(on out "$PY" "$TOOLS/who.py" ask tcp 203.0.113.1 22500)" \
	"h1 203.0.113.9"
is "a published port is free" "$(noted published_port)" ""
listens tcp 6500 203.0.113.1
is "a socket of the host at it is told" "$(noted published_port)" "tcp 6500"
is "as a problem" "$(found)" published_port
kill $LISTENS
is "nothing is wrong without it" "$(retry 5 healthy h1 && found)" ""
sw h1 publish del red proto tcp port 6500
check "auto again" sw h1 switch set nat-ports auto
is "they are chosen" "$(shown) $(rules 10000-29999)" "10000-29999 auto 4"
hosts "12000 60999"
is "the host's own range moves into them: check tells" "$(found)" nat_ports
check "repair" sw h1 switch repair
is "others are chosen" "$(shown) $(rules 10000-11999)" "10000-11999 auto 4"
check "in order" healthy h1
hosts "32768 60999"
is "the host's own range moves away: check tells" "$(found)" nat_ports
check "repair" sw h1 switch repair
is "and they are as at first" "$(shown) $(rules 10000-29999)" "10000-29999 auto 4"
hosts "12000 60999"
check "a command about a gateway" sw h1 gateway set red metadata on
is "follows, too" "$(shown)" "10000-11999 auto"
sw h1 gateway set red metadata off
sw h1 tenant add other id 300

sw h1 publish add red proto tcp port 62500 to 10.0.0.1:80
hosts "1024 61000"
sw h1 switch repair >/dev/null 2>&1 || true
is "they are chosen above the host's" "$(shown) $(rules 61001-65535)" "61001-65535 auto 4"
is "among them is a published one: check tells" "$(found)" nat_ports
check "set" sw h1 switch set nat-ports 61001-62000
check "in order" healthy h1
sw h1 publish del red proto tcp port 62500
sw h1 switch set nat-ports auto
hosts "12000 60999"
sw h1 switch repair

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
