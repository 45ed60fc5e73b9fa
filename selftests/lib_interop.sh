#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the interoperation cases: what must hold with any foreign VTEP. Source it after lib.sh.

# shellcheck source-path=SCRIPTDIR
. "$LIB/lib_foreign.sh"

# wanted KIND ENCAP FAMILY [WORD...]: whether to run it; TSW_INTEROP='kernel-gre-4 system-vxlan-6'
# means only these.
wanted() {
	local IFS=-

	case " ${TSW_INTEROP:-$*} " in *" $* "*) return 0 ;; esac
	return 1
}

# interop KIND ENCAP FAMILY [WORD...]: makes the topology of lib_foreign.sh, runs all checks, and
# removes it.
interop() {
	local lack

	wanted "$@" || return 0
	WHAT="$*"
	WHAT="${WHAT/ $3/\/IPv$3}"
	lack=$(foreign_lacks "$@")
	[ -z "$lack" ] || { skip "$WHAT" "$lack" && return; }
	foreign_up "$@"
	is "$WHAT: the tenants' MTU" \
		"$(js h1 tenant show red '.[0].mtu')" "$(mtu_left "$2" "$3")"
	reached
	capture wire h1 eth0
	unlisted
	largest
	everyone
	wire_as_agreed
	bulk
	is "$WHAT: nothing from the tunnel was dropped" \
		"$(all_drops h1 | grep from_tunnel || true)" ""
	foreign_down
}

# Each side finds the other by ARP and ND.
reached() {
	local tenant

	for tenant in red blue; do
		check "$WHAT: $tenant-a reaches $tenant-c" reach $tenant-a 10.0.0.3
		check "$WHAT: $tenant-a reaches $tenant-c over IPv6" reach $tenant-a fd00::3
		ip -n $tenant-c neigh flush all
		check "$WHAT: $tenant-c finds $tenant-a" reach $tenant-c 10.0.0.1
		check "$WHAT: $tenant-c finds $tenant-a over IPv6" reach $tenant-c fd00::1
	done
	check "$WHAT: red-c finds red-b" reach red-c 10.0.0.2
	check_fails "$WHAT: blue-c does not" on blue-c ping -n -c 1 -W 1 10.0.0.2
}

# An address that the switch was not told: the question itself must cross.
unlisted() {
	ip -n red-c addr add 10.0.0.30/24 dev eth0
	ip -n red-c addr add fd00::30/64 dev eth0 nodad
	check "$WHAT: red-a asks for an unlisted address" reach red-a 10.0.0.30
	check "$WHAT: red-a asks for an unlisted address, ND" reach red-a fd00::30
	check_fails "$WHAT: blue-a, where nobody has it, does not find it" \
		on blue-a ping -n -c 1 -W 1 10.0.0.30
}

# Frames of the MTU fit the underlay to the octet.
largest() {
	local from to

	for from in a c; do
		[ $from = a ] && to=3 || to=1
		check "$WHAT: the largest frame from red-$from" \
			on red-$from ping -n -M 'do' -c 1 -W 3 -s $((MTU - 28)) 10.0.0.$to
		check "$WHAT: the largest frame from red-$from, IPv6" \
			on red-$from ping -n -M 'do' -c 1 -W 3 -s $((MTU - 48)) fd00::$to
	done
	[ "$MTU" != "$(mtu_left "$ENCAP" "$UNDERLAY")" ] ||
		check "$WHAT: it fills the underlay" \
			capture_has wire 8 greater $((UNDERLAY_MTU + 14))
	is "$WHAT: none is larger" "$(captured wire greater $((UNDERLAY_MTU + 15)))" 0
}

# Broadcast, multicast and unicast: each reaches its own tenant exactly once, and nobody else.
everyone() {
	local at want

	want=$(printf '%s\n' 'red-a: 4 4 0 0' 'red-b: 3 3 0 0' 'red-c: 4 4 0 0' \
		'blue-a: 0 0 4 4' 'blue-c: 0 0 4 4')
	for at in red-a red-b red-c blue-a blue-c; do
		capture $at $at eth0
	done
	for at in red-a red-c blue-a blue-c; do
		frames $at | inject $at eth0 -
	done
	retry 5 heard_is "$want" || true
	capture_stop red-a red-b red-c blue-a blue-c
	is "$WHAT: each frame once, to its own tenant (from red-a, red-c, blue-a, blue-c)" \
		"$(heard)" "$want"
}

# frames AT: what that container sends, to all, to some and to its opposite.
frames() {
	local n=1 other=3 to

	[ "${1#*-}" = a ] || n=3 other=1
	for to in 'ff:ff:ff:ff:ff:ff 10.0.0.255' '01:00:5e:01:01:01 239.1.1.1' \
		"02:00:00:00:00:0$other 10.0.0.$other"; do
		echo "eth src=02:00:00:00:00:0$n dst=${to% *} / ip src=10.0.0.$n dst=${to#* }" \
			"/ udp dport=9 / text from-$1"
	done
	echo "eth src=02:00:00:00:00:0$n dst=33:33:00:00:00:77 / ip6 src=fd00::$n dst=ff02::77" \
		"/ udp dport=9 / text from-$1"
}

# heard: how many of these each container saw, without the answers (port unreachable).
heard() {
	local at from octets

	for at in red-a red-b red-c blue-a blue-c; do
		octets=$(dissect $at -x udp.dport=9)
		echo "$at:$(for from in red-a red-c blue-a blue-c; do
			echo -n " $(grep -c "$(hex from-$from)" <<<"$octets" || true)"
		done)"
	done
}
heard_is() { [ "$(heard)" = "$1" ]; }
hex() { echo -n "$1" | od -An -v -tx1 | tr -d ' \n'; }

# What h1 sent: DF, TTL 64, no UDP checksum and a port from the upper range; GRE with a key alone.
# The kernel's own geneve device, which sends what is not IP and what is for many, has any port.
wire_as_agreed() {
	local kind ours good

	for kind in tcp udp; do
		check "$WHAT: a few octets, $kind" xfer red-a red-c $kind 10.0.0.3 wait=10
		check "$WHAT: a few octets, $kind, IPv6, back" \
			xfer red-c red-a $kind fd00::1 wait=10
	done
	capture_stop wire
	case $ENCAP$UNDERLAY in
	vxlan4)
		ours="src host ${VTEP[h1]} and udp dst port 4789"
		good="ip[6] & 0x40 != 0 and ip[8] = 64 and udp[6:2] = 0 and udp[0:2] >= 49152
			and udp[8:4] = 0x08000000 and (udp[12:4] = 25600 or udp[12:4] = 51200)"
		;;
	vxlan6)
		ours="ip6 src host ${VTEP[h1]} and udp dst port 4789"
		good="ip6[7] = 64 and ip6[46:2] = 0 and ip6[40:2] >= 49152
			and ip6[48:4] = 0x08000000 and (ip6[52:4] = 25600 or ip6[52:4] = 51200)"
		;;
	geneve4)
		ours="src host ${VTEP[h1]} and udp dst port 6081"
		good="ip[6] & 0x40 != 0 and ip[8] = 64 and udp[6:2] = 0 and
			(udp[0:2] >= 49152 or udp[28:2] != 0x0800 or udp[16] & 1 != 0)
			and udp[8:4] = 0x00006558 and (udp[12:4] = 25600 or udp[12:4] = 51200)"
		;;
	geneve6)
		ours="ip6 src host ${VTEP[h1]} and udp dst port 6081"
		good="ip6[7] = 64 and ip6[46:2] = 0 and
			(ip6[40:2] >= 49152 or ip6[68:2] != 0x0800 or ip6[56] & 1 != 0)
			and ip6[48:4] = 0x00006558 and (ip6[52:4] = 25600 or ip6[52:4] = 51200)"
		;;
	gre4)
		ours="src host ${VTEP[h1]} and ip proto 47"
		good="ip[6] & 0x40 != 0 and ip[8] = 64 and ip[20:4] = 0x20006558
			and (ip[24:4] = 100 or ip[24:4] = 200)"
		;;
	gre6)
		ours="ip6 src host ${VTEP[h1]} and ip6 proto 47"
		good="ip6[7] = 64 and ip6[40:4] = 0x20006558
			and (ip6[44:4] = 100 or ip6[44:4] = 200)"
		;;
	esac
	check "$WHAT: h1 spoke" capture_at_least wire 50 "$ours"
	is "$WHAT: each frame as agreed" "$(captured_text wire "$ours and not ($good)")" ""
}

# Both tenants at once between the same addresses and ports, then one big transfer each way.
bulk() {
	local blue status=0 start from to

	xfer blue-a blue-c tcp 10.0.0.3 port=7000 sport=7001 seed=2 bytes=8M wait=20 \
		>$WORK/blue.out 2>&1 &
	blue=$!
	check "$WHAT: 8 MiB in red while blue does the same" \
		xfer red-a red-c tcp 10.0.0.3 port=7000 sport=7001 bytes=8M wait=20
	wait $blue || status=$?
	is "$WHAT: and in blue" "$status" 0
	for from in a c; do
		[ $from = a ] && to='red-c tcp 10.0.0.3' || to='red-a tcp 10.0.0.1'
		start=${EPOCHREALTIME/./}
		# shellcheck disable=SC2086
		check "$WHAT: $XFER of TCP from red-$from, same hash at both ends" \
			xfer red-$from $to bytes="$XFER" wait=20
		note "$WHAT: $XFER from red-$from: $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
	done
}
