#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: guard/virtio and guard/checksum-left have offload; packet_super has super-frames
# long: a minute or more
# Every combination of offload, with TCP and UDP traffic compared octet by octet.
#
#   red-a 10.0.0.1 ── h1 192.0.2.1 ═════ underlay ═════ 192.0.2.2 h2 ── red-c 10.0.0.3
#   red-b 10.0.0.2 ──╯
#   later a tunnel of their own between red-a and red-c: vx9, 172.16.0.1 and 172.16.0.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

red_line "a@h1 b@h1 c@h2"

inner_a=red-a:eth0 outer_a=h1:red-a inner_c=red-c:eth0 outer_c=h2:red-c
inner_b=red-b:eth0 outer_b=h1:red-b
# Of all combinations each third, or seventh: also these have each value of both sides, 16 of them,
# more than once.
each=${TSW_QUICK:+3}
[ -z "${TSW_SLOW:-}" ] || each=7
every() { # DESC ARG...: what it says is shown in any case
	local desc=$1 status=0

	shift
	offload ${each:+-s $each} "$@" >$WORK/offload.out 2>&1 || status=$?
	note "$(<$WORK/offload.out)"
	is "$desc" $status 0
}
every "endpoints' devices x underlay" -g $inner_a,$outer_a,$inner_c,$outer_c -g h1:eth0,h2:eth0 \
	red-a red-c 10.0.0.3 fd00::3
every "sender's side x receiver's side" -g $inner_a,$outer_a,h1:eth0 \
	-g $inner_c,$outer_c,h2:eth0 red-a red-c 10.0.0.3 fd00::3
every "containers' ends x host ends" -g $inner_a,$inner_c -g $outer_a,$outer_c \
	red-a red-c 10.0.0.3 fd00::3
every "underlay of the sender x of the receiver" -g h1:eth0 -g h2:eth0 \
	red-a red-c 10.0.0.3 fd00::3
every "same host: sender x receiver" -g $inner_a,$outer_a -g $inner_b,$outer_b \
	red-a red-b 10.0.0.2 fd00::2

# UDP_SEGMENT (QUIC): a decapsulated UDP super-frame is what adjust_room cannot do.
bursts() { # DESC ARG...
	local desc=$1 to

	shift
	for to in 10.0.0.3 fd00::3; do
		check "$desc to $to: 50 datagrams at once" xfer red-a red-c udpgso $to count=50 "$@"
		check "$desc to $to: 2000, the last burst shorter" \
			xfer red-a red-c udpgso $to count=1999 batch=48 size=1300
		check "$desc to $to: two at once, the last alone" \
			xfer red-a red-c udpgso $to count=31 batch=2
	done
}
super() { dissect "$1" -C 'len>1514'; }

capture offload h2 eth0
bursts "offload wire"
check "offload wire: TCP" xfer red-a red-c tcp 10.0.0.3
capture_stop offload
check "offload wire: UDP super-frames crossed" dissect_at_least offload 1 'len>1514' in.ip.proto=17
check "offload wire: TCP super-frames crossed" dissect_at_least offload 1 'len>1514' in.ip.proto=6

for gro in on off; do
	on h1 ethtool -K eth0 tso off gso off tx-udp-segmentation off gro $gro tx $gro
	on h2 ethtool -K eth0 tso off gso off tx-udp-segmentation off gro $gro tx $gro
	capture frames-$gro h1 eth0 src host 192.0.2.1 # past segmentation, before GRO
	bursts "frames wire, gro and tx $gro"
	check "frames wire, gro and tx $gro: TCP" xfer red-a red-c tcp 10.0.0.3
	check "frames wire, gro and tx $gro: TCP, IPv6" xfer red-a red-c tcp fd00::3
	check "frames wire, gro and tx $gro: TCP in small writes" \
		xfer red-a red-c tcp 10.0.0.3 bytes=200000 write=100
	capture_stop frames-$gro
	is "frames wire, gro and tx $gro: no frame over 1514" "$(super frames-$gro)" 0
done
# Nothing is left to a device that does not offer it: sums inside are whole on the wire.
is "tx off: every sum on the wire is right" "$(dissect frames-off -C '*.sum=bad')" 0
check "tx off: and there were some" dissect_at_least frames-off 1000 in.tcp.sum=ok

# GRO is what keeps the frames wire fast: it must merge tunnel frames (facts of the kernel: only
# where a VXLAN socket is), so the far container gets super-frames although none crossed.
on h1 ethtool -K eth0 gro on tx on
on h2 ethtool -K eth0 gro on tx on
capture merged red-c eth0 tcp
check "frames wire: TCP once more" xfer red-a red-c tcp 10.0.0.3 bytes=8000000
capture_stop merged
check "frames wire: GRO merged them again behind the tunnel" dissect_at_least merged 1 'len>1514'

# A tunnel of the containers' own, which adjust_room refuses to wrap.
for end in a:1:3 c:3:1; do
	IFS=: read -r name here there <<<"$end"
	ip -n "red-$name" link add vx9 type vxlan id 9 local "10.0.0.$here" remote "10.0.0.$there" \
		dstport 4790
	sysctl_in "red-$name" net.ipv6.conf.vx9.dad_transmits=0
	ip -n "red-$name" addr add "172.16.0.$here/24" dev vx9
	ip -n "red-$name" addr add "fd09::$here/64" dev vx9
	ip -n "red-$name" link set vx9 up
done
for wire in frames offload; do
	[ $wire = frames ] || for host in h1 h2; do
		on $host ethtool -K eth0 tso on gso on tx-udp-segmentation on gro off
	done
	for to in 172.16.0.3 fd09::3; do
		check "$wire wire, tunnel in the tunnel: $to is reachable" reach red-a $to
		for kind in tcp udp udpgso; do
			check "$wire wire, tunnel in the tunnel: $kind to $to" \
				xfer red-a red-c $kind $to
		done
	done
done
every "tunnel in the tunnel: endpoints' devices x underlay" \
	-g $inner_a,$outer_a,$inner_c,$outer_c -g h1:eth0,h2:eth0 -k tcp,udpgso -b 300000 \
	red-a red-c 172.16.0.3
finish
