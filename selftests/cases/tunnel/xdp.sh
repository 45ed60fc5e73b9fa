#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# XDP on the underlay drops tunnel frames of unknown senders before anything else sees them.
#
#   h1 192.0.2.1: red-a ──╮           ╭── h2 192.0.2.2: red-c
#                         ├── wire ───┤
#                         ╰───────────┴── x 192.0.2.66, no host of it, injects
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"
. "$LIB/lib_faults.sh"

xdp_is() { [ "$(xdp_mode)" = "$1" ]; } # NUMBER
xdp_mode() { ip -n h1 -j -d link show eth0 | gojq -r '.[0].xdp.mode // 0'; }
lost="red unknown_host from_tunnel"
in="eth src=02:00:00:00:00:03 dst=02:00:00:00:00:01 / ip src=10.0.0.3 dst=10.0.0.1 / udp / text"

# x is plugged in as a third host and then unknown to the others.
three_hosts() {
	topo_hosts h1 h2 x
	switch_up h1 h2
	for host in h1 h2; do
		sw $host host del x
	done
	HOSTS=(h1 h2)
	tenants red 100
	containers red "a@h1 c@h2" mtu $((UNDERLAY_MTU - 50))
}

# auto is off on a veth, so TSW_QUICK leaves out one of the two, and halves what is done twice.
modes="auto generic native" jumbo=native changes=4
[ -n "${TSW_QUICK:-}" ] || modes+=" off" jumbo="generic native" changes=8
for mode in $modes; do
	UP_ARGS="xdp $mode"
	three_hosts
	case $mode in
	auto | off) want=off number=0 seen=3 past=3 ;;
	generic) want=generic number=2 seen=0 past=2 ;;
	native) want=native number=1 seen=0 past=2 ;;
	esac
	is "$mode: switch show tells $want" "$(sw h1 -j switch show | gojq -r .xdp)" $want
	is "$mode: the device has it" "$(xdp_mode)" $number
	check "$mode: red reaches red" reach red-a 10.0.0.3
	check "$mode: red reaches red over IPv6" reach red-a fd00::3
	quiet h1
	capture early h1 eth0
	capture red-a red-a eth0
	# shellcheck disable=SC2046,SC2086 # words of a frame
	{
		expect_drops "$mode: three frames of an unknown sender's are dropped" h1 3 \
			"$lost" inject x eth0 -c 3 $(tunnel 192.0.2.66 h1 100) $in unwanted
		is "$mode: with the octets of the inner frames" \
			"$(drops h1 unknown_host red bytes)" $((3 * (14 + 20 + 8 + 8)))
		expect_drops "$mode: a VNI that is nobody's ends, the port being ours" h1 1 \
			"null unknown_tenant from_tunnel" inject x eth0 \
			$(tunnel 192.0.2.66 h1 300) $in foreign
		expect_drops "$mode: another port passes" h1 0 "$lost" inject x eth0 \
			$(tunnel 192.0.2.66 h1 100 | sed s/4789/8472/) $in foreign
		expect_drops "$mode: what is not for this host passes" h1 0 "$lost" inject x eth0 \
			$(tunnel 192.0.2.66 h1 100 | sed s/dst=192.0.2.1/dst=192.0.2.9/) $in foreign
		expect_drops "$mode: so does what is cut off" h1 0 "$lost" inject x eth0 \
			$(tunnel 192.0.2.66 h1 100 | sed 's|/ udp.*|/ hex c35012b5|')
		inject h2 eth0 $(tunnel 192.0.2.2 h1 100) $in wanted
	}
	check "$mode: a known sender's frame arrives" dissect_has red-a 1 has:wanted
	capture_stop early red-a
	is "$mode: none of the unwanted ones did" "$(dissect red-a -C has:unwanted)" 0
	is "$mode: the host's taps saw $seen of them" "$(dissect early -C has:unwanted)" $seen
	is "$mode: what is not ours went past" "$(dissect early -C has:foreign)" $past
	for kind in tcp udp udpgso; do
		check "$mode: $kind to red-a" xfer red-c red-a $kind 10.0.0.1
		check "$mode: $kind to red-a over IPv6" xfer red-c red-a $kind fd00::1
		check "$mode: $kind from red-a" xfer red-a red-c $kind 10.0.0.3
	done
	if [ $want != off ]; then
		link=$(find /sys/fs/bpf/tsw/h1/links -name 'xdp-*')
		for loss in "bpftool link detach pinned $link" "rm $link"; do
			$loss
			# An unpinned link goes a moment later.
			check "$mode: check misses it after ${loss%% *}" retry 5 test \
				"$(retry 5 xdp_is 0; problems h1)" = "program eth0"
			check "$mode: repair puts it back" sw h1 switch repair
			check "$mode: the device has it again" xdp_is $number
			finds "$mode: nothing is wrong" h1
		done
	fi
	sw h1 switch down
	is "$mode: switch down takes it off" "$(xdp_mode)" 0
	run_undo
done

# Jumbo frames come to XDP in more than one buffer.
for mode in $jumbo; do
	UP_ARGS="xdp $mode" UNDERLAY_MTU=9000
	three_hosts
	is "$mode, 9000: the device has it" "$(sw h1 -j switch show | gojq -r .xdp)" $mode
	check "$mode, 9000: reachable" reach red-a 10.0.0.3
	check "$mode, 9000: a frame that fills it" \
		on red-a ping -n -c 1 -W 2 -M 'do' -s 8922 10.0.0.3
	check "$mode, 9000: TCP" xfer red-a red-c tcp 10.0.0.3
	quiet h1
	# shellcheck disable=SC2046,SC2086
	expect_drops "$mode, 9000: a large frame of an unknown sender's is dropped" h1 1 "$lost" \
		inject x eth0 $(tunnel 192.0.2.66 h1 100) $in unwanted / pad 8000
	run_undo
done
# The mode changes under load. Echoes at 1000 a second: a frame that is lost is missed. TCP fills
# the device's queue, which veth empties where XDP comes and goes: the driver's own loss, which
# TCP mends; the contents are compared.
UP_ARGS="xdp off" UNDERLAY_MTU=1500
three_hosts
toggle() { # N MODE MODE
	local i

	for ((i = 0; i < $1; i++)); do
		sw h1 switch set xdp "$2"
		sw h1 switch set xdp "$3"
	done
}
for pair in "native off" "generic off" "generic native"; do
	bg red-c ping -n -q -i 0.001 -c 2000 10.0.0.1
	# shellcheck disable=SC2086
	toggle $changes $pair
	wait $BG || true
	check "changes between ${pair/ / and }: no echo is lost" \
		grep -q ' 2000 received' "$BG_LOG"
	bg red-c "$PY" "$TOOLS/xfer.py" red-c red-a tcp 10.0.0.1 bytes=200000000
	# shellcheck disable=SC2086
	toggle $changes $pair
	ends_well "changes between ${pair/ / and }: TCP arrives whole"
done
is "nothing was dropped for it" "$(all_drops h1 | grep -v not_stamped || true)" ""

# Native: what is another's passes, a capture on the underlay shows what comes.
sw h1 switch set xdp native
capture under h1 eth0
check "native: reachable" reach red-a 10.0.0.3
check "a capture shows the inner frames" \
	dissect_has under 1 eth.dst=02:74:73:77:00:00 ip.src=10.0.0.3
bg h1 "$PY" -c 'import socket
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, 47)
print("ready", flush=True)
print(raw.recv(2048)[20:].hex(), flush=True)'
retry 5 grep -q ready "$BG_LOG"
inject h2 eth0 "eth src=$(mac_on h2 eth0) dst=$(mac_on h1 eth0)" / ip src=192.0.2.2 dst=192.0.2.1 \
	proto=47 / hex 2000088100000064cafe
check "another user of GRE on the host gets its frames" \
	retry 5 grep -q 2000088100000064cafe "$BG_LOG"
check "and UDP to another port" xfer h2 h1 udp 192.0.2.1 count=50
check "and TCP between the hosts" xfer h2 h1 tcp 192.0.2.1 bytes=200000

# Without tsw_from_wire nobody takes what XDP has decapsulated: the host does not answer a
# tenant's request for an address that happens to be the host's own.
sw h1 endpoint add arp tenant red mac 02:00:00:00:00:33 host h2
link=$(find /sys/fs/bpf/tsw/h1/links -name 'from_wire-*')
if [ "$link" ]; then
	bpftool link detach pinned "$link"
else # clsact
	on h1 tc filter del dev eth0 ingress
fi
capture answers h2 eth0 arp and src host 192.0.2.1
# shellcheck disable=SC2046
inject h2 eth0 $(tunnel 192.0.2.2 h1 100) eth src=02:00:00:00:00:33 dst=ff:ff:ff:ff:ff:ff / \
	arp sha=02:00:00:00:00:33 spa=10.0.0.3 tpa=192.0.2.1
inject h2 eth0 eth src="$(mac_on h2 eth0)" dst=ff:ff:ff:ff:ff:ff / \
	arp sha="$(mac_on h2 eth0)" spa=192.0.2.2 tpa=192.0.2.1
check "the host answers its own network" capture_has answers 1
is "and that alone" "$(captured answers)" 1
check "switch up puts the program back" sw h1 switch up dev eth0 local 192.0.2.1 name h1 xdp native
check "and red reaches red" reach red-a 10.0.0.3
finish
