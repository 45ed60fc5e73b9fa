#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# XDP on the underlay drops tunnel frames of unknown senders before anything else sees them.
#
#   h1 192.0.2.1: red-a ──╮           ╭── h2 192.0.2.2: red-c
#                         ├── wire ───┤
#                         ╰───────────┴── x 192.0.2.66, no host of it, injects
. "$(dirname "$0")/../lib.sh"
. "$LIB/lib_wire.sh"

xdp_mode() { ip -n h1 -j -d link show eth0 | jq -r '.[0].xdp.mode // 0'; }
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
	container red a h1 10.0.0.1/24 fd00::1/64 mtu $((UNDERLAY_MTU - 50))
	container red c h2 10.0.0.3/24 fd00::3/64 mtu $((UNDERLAY_MTU - 50))
}

for mode in auto off generic native; do
	UP_ARGS="xdp $mode"
	three_hosts
	case $mode in
	auto | off) want=off number=0 seen=3 ;;
	generic) want=generic number=2 seen=0 ;;
	native) want=native number=1 seen=0 ;;
	esac
	is "$mode: switch show tells $want" "$(sw h1 -j switch show | jq -r .xdp)" $want
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
		expect_drops "$mode: a VNI that is not ours passes, to the kernel's device" h1 1 \
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
	is "$mode: what is not ours went past" "$(dissect early -C has:foreign)" 3
	for kind in tcp udp udpgso; do
		check "$mode: $kind to red-a" xfer red-c red-a $kind 10.0.0.1
		check "$mode: $kind to red-a over IPv6" xfer red-c red-a $kind fd00::1
		check "$mode: $kind from red-a" xfer red-a red-c $kind 10.0.0.3
	done
	sw h1 switch down
	is "$mode: switch down takes it off" "$(xdp_mode)" 0
	run_undo
done

# Jumbo frames come to XDP in more than one buffer.
for mode in generic native; do
	UP_ARGS="xdp $mode" UNDERLAY_MTU=9000
	three_hosts
	is "$mode, 9000: the device has it" "$(sw h1 -j switch show | jq -r .xdp)" $mode
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
finish
