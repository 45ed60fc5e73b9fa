#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_pcapng compares files, packet_watch frames; watch/capture-file
#
#    red-a 10.0.0.1 ┐                               ┌ red-c 10.0.0.3
#    red-b 10.0.0.2 ┤                               │
#                   ├ h1 192.0.2.1 ─── 192.0.2.2 h2 ┤
#   blue-a 10.0.0.1 ┤                               │
#   blue-b 10.0.0.2 ┘                               └ blue-c 10.0.0.3     green: by GRE
#
# `capture` writes what Wireshark reads: frames as they came in and as they went out, with their
# owner.
. "$(dirname "$0")/../../lib.sh"

. "$LIB/lib_watch.sh"

# record NAME BITS [WORD...]: starts it on h1, into $WORK/NAME.
record() { watcher "$1" h1 "*,$2" capture "${@:3}" write "$WORK/$1"; }

# read_in NAME: what tshark makes of a file, a line for each packet in $WORK/NAME.txt. Of what is
# there twice, outside and inside, the inner one, but ip: source and destination of all.
FIELDS=(frame.interface_name ip.len icmp.type icmpv6.type vxlan.vni gre.key ip.src ip.dst frame.len
	frame.cap_len eth.src eth.dst frame.comment)
read_in() {
	local field words=()

	for field in "${FIELDS[@]}"; do words+=(-e "$field"); done
	tshark -r "$WORK/$1" -T fields -E separator='|' "${words[@]}" 2>/dev/null |
		awk -F'|' -v OFS='|' '{
			for (i = 2; i <= 12; i++) if (i != 7 && i != 8) sub(/.*,/, "", $i)
			number = $13; sub(/.* frame /, "", number); sub(/ frame .*/, "", $13)
			print $0, number }' >"$WORK/$1.txt"
}

# packets NAME CONDITION [WHAT]: an awk condition of the fields by name, and what to print.
packets() {
	awk -F'|' '{ dev = $1; len = $2; icmp = $3; icmp6 = $4; vni = $5; key = $6
		src = $7; dst = $8; whole = $9; kept = $10; from = $11; to = $12
		text = $13; number = $14 }
		'"($2) { print ${3:-text} }" "$WORK/$1.txt"
}
count() { packets "$1" "$2" | wc -l; }
tally() { packets "$@" | sort | uniq -c | sed 's/^ *//'; }

# sound NAME: each octet of it is part of a block, says another's reader.
sound() { capinfos -M "$WORK/$1" 2>&1 | grep -q "Number of packets: *[0-9]"; }

topo_standard
sw h1 tenant add green id 300 encap gre
sw h2 tenant add green id 300 encap gre
container green a h1 10.0.0.1/24 fd00::1/64
container green c h2 10.0.0.3/24 fd00::3/64
for tenant in red blue green; do reach $tenant-a 10.0.0.3; done
ip -n red-a addr add 10.0.0.77/24 dev eth0
ip -n red-a neigh replace 10.0.0.2 lladdr 02:00:00:00:00:02 dev eth0

# ---- what is in it ----------------------------------------------------------------

record all 01
record red 03 tenant red
record endpoint 07 tenant red endpoint b
echoes() { on "$1" ping -n -c 5 -i 0.01 -s "$3" "$2"; }
check "red to another host" echoes red-a 10.0.0.3 100
check "blue, the same addresses" echoes blue-a 10.0.0.3 200
check "green" echoes green-a 10.0.0.3 300
check "red, on this host" echoes red-a 10.0.0.2 400
check "red, IPv6" echoes red-a fd00::3 500
on red-a ping -c 2 -i 0.1 -W 0.1 -s 600 -I 10.0.0.77 10.0.0.2 >/dev/null || true
on red-a ping -c 1 -b -W 0.1 -s 700 10.0.0.255 >/dev/null 2>&1 || true
here() { read_in all && [ "$(count all 'len == 728 && dev == "tsw-vx"')" = 1 ]; }
check "all of it is in the file" retry 5 here
for name in all red endpoint; do
	ends "$name ends well" $name INT 0
	check "$name is sound" sound $name
	read_in $name
done
is "and tells what it wrote" "$(gojq -c '[.file, .packets, .lost]' $WORK/red.log)" \
	"[\"$WORK/red\",$(count red 1),0]"
is "in at the port, out on the wire with outer headers, and the other way" \
	"$(tally red 'len == 128' 'dev, icmp, vni, src, dst, text')" \
	"5 eth0 0 100 192.0.2.2,10.0.0.3 192.0.2.1,10.0.0.1 event in tenant red endpoint a \
direction from_tunnel
5 eth0 8 100 192.0.2.1,10.0.0.1 192.0.2.2,10.0.0.3 event out tenant red endpoint a direction \
from_endpoint to host host h2
5 red-a 0  10.0.0.3 10.0.0.1 event out tenant red endpoint a direction from_tunnel to endpoint \
receiver a
5 red-a 8  10.0.0.1 10.0.0.3 event in tenant red endpoint a direction from_endpoint"
is "one number in and out" "$(tally red 'len == 128' number | cut -d' ' -f1 | sort | uniq -c |
	sed 's/^ *//')" "10 2"
is "IPv6 inside" "$(count red 'icmp6 == 128 && vni == 100')" 5
is "a drop and its reason" "$(tally red 'text ~ /^event drop/' 'len, text')" \
	"2 628 event drop tenant red endpoint a direction from_endpoint reason spoofed_ip"
is "copies of a broadcast" "$(packets red 'len == 728' dev | sort | paste -sd' ')" \
	"red-a red-b tsw-vx"
is "GRE" "$(tally all 'len == 328 && icmp == 8 && key' 'key, text')" \
	"5 0x0000012c event out tenant green endpoint a direction from_endpoint to host host h2"
check "interfaces, nanoseconds, who wrote it" grep -c . <(capinfos "$WORK/red" |
	grep -E 'Name = red-a|nanoseconds|Capture application: *tsw ' | sort -u | sed -n 3p)

# ---- one tenant, one endpoint -------------------------------------------------------

is "only red in red's, says the comment" "$(count red 'text !~ / tenant red /')" 0
is "and says what was sent" "$(count red 'len == 228 || len == 328')" 0
is "all tenants in the other" "$(for n in 128 228 328; do count all "len == $n"; done |
	paste -sd' ')" "20 20 20"
is "one endpoint's, both ways" "$(count endpoint 'len == 428')" 20
is "and no other's" "$(count endpoint 'from != "02:00:00:00:00:02" && to != "02:00:00:00:00:02"')" 0

# Both tenants at once, on all CPUs: no frame of blue between red's in and out.
record busy 01 tenant red
busy=()
for pair in red-a:10.0.0.3:100 blue-a:10.0.0.3:200 red-c:10.0.0.2:100 blue-c:10.0.0.2:200; do
	IFS=: read -r ns ip size <<<"$pair"
	bg $ns ping -q -n -f -c 500 -s $size $ip
	busy+=("$BG")
done
wait "${busy[@]}"
ends "it ends" busy INT 0
check "busy: sound" sound busy
read_in busy
check "busy: much of red" test "$(count busy 'len == 128')" -ge 3000
is "busy: nothing of blue" "$(count busy 'vni == 200 || len == 228 || text !~ / tenant red /')" 0
unpaired=$(tally busy 'len == 128 && text !~ /drop/' number | awk '$1 != 2' | wc -l)
is "busy: each in has its out" "$unpaired" 0

# ---- super-frames, snaplen, count ----------------------------------------------------

bg red-c iperf3 -s -1
listens() { on red-c ss -Hltn 'sport = 5201' | grep -q .; }
retry 5 listens
record big 01 tenant red snaplen 100 count 500
on red-a iperf3 -c 10.0.0.3 -n 64M >/dev/null
status=0
wait "$(pid big)" || status=$?
read_in big
is "count: ends by itself" "$status $(count big 1)" "0 500"
is "snaplen: no more of a frame" "$(count big 'kept > 100')" 0
check "super-frames as they are" test "$(count big 'whole > 3000')" -ge 1

# ---- to a pipe, killed, disk full ------------------------------------------------------

off() { echoes red-a 10.0.0.2 50 >/dev/null && is_watched h1 "*,00"; }
piped() {
	(retry 5 is_watched h1 "*,01" && echoes red-a 10.0.0.2 50 >/dev/null) &
	timeout $((10 * ${TSW_SLOW:-1})) "$TSW" -n h1 -q capture tenant red count 4 |
		cat >"$WORK/pipe"
	wait $!
}
piped
read_in pipe
is "by a pipe" "$(count pipe 1)" 4
record killed 01 tenant red
check "not two into one file" grep -q 'is being written by another' \
	<(timeout 10 "$TSW" -n h1 capture write "$WORK/killed" 2>&1 || true)
echoes red-a 10.0.0.2 800 >/dev/null
last() { read_in killed && [ "$(count killed 'len == 828')" = 20 ]; }
check "what was there" retry 5 last
ends "killed" killed KILL 137
check "is sound" sound killed
check "and the programs are off" retry 5 off

mkdir "$WORK/small"
mount -t tmpfs -o size=64k tmpfs "$WORK/small"
bg h1 "$TSW" -i h1 -j capture tenant red write "$WORK/small/full"
retry 5 is_watched h1 "*,02" # the slot of the killed one is not free yet
on red-a ping -q -n -c 200 -i 0.002 -s 1000 10.0.0.2 >/dev/null
status=0
wait $BG || status=$?
is "disk full: told" "$status $(tail -n 1 "$BG_LOG" | gojq -r .code) $(tail -n 1 "$BG_LOG" |
	grep -c 'cannot write .*: No space left on device')" "1 ENOSPC 1"
check "what is there is sound" sound small/full

# ---- refused --------------------------------------------------------------------------

refused() { timeout 10 "$TSW" -n h1 "$@" 2>&1 || true; }
is "not to a terminal" "$(NO_COLOR=1 script -qec "$TSW -n h1 capture" /dev/null </dev/null |
	tr -d '\r' || true)" \
	"tsw: capture: a capture is not for a terminal: give write FILE, or a pipe to what reads \
pcapng, such as: wireshark -k -i -"
check "no such directory" grep -q 'cannot open ".*/none/file": No such file or directory' \
	<(refused capture write "$WORK/none/file")
echo precious >"$WORK/kept"
check "no such endpoint" grep -q 'no endpoint "z"' \
	<(refused capture tenant red endpoint z write "$WORK/kept")
is "and the file is as it was" "$(<"$WORK/kept")" precious
is "nothing is on" "$(map_dump h1 watch | gojq -c '[.[0].value[0, 4]]')" '["0x00","0x00"]'
finish
