#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The six encapsulations, VXLAN, GRE and Geneve over IPv4 and IPv6, each with all that a LAN must
# do. With TSW_QUICK there are three: tunnel/bare-underlay and tunnel/path-mtu have others, too, and
# the packet tests compare whole frames of all six.
#
#    red-a 10.0.0.1, fd00::1 ┐                               ┌ red-c 10.0.0.3, fd00::3
#                            ├ h1 ::1 ═══ underlay ═══ ::2 h2 ┤
#   blue-a 10.0.0.1, fd00::1 ┘                               └ blue-c 10.0.0.3, fd00::3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

A=02:00:00:00:00:01 C=02:00:00:00:00:03 ALL=ff:ff:ff:ff:ff:ff

now() { echo "$ENCAP over IPv$UNDERLAY: $*"; }

topology() { # MTU
	local tenant

	topo_hosts h1 h2
	switch_up
	tenants
	containers "red blue" "a@h1 c@h2" mtu "$1"
	containers red b@h1 mtu "$1"
	for tenant in red blue; do
		check "$(now "$tenant reaches $tenant")" reach $tenant-a 10.0.0.3
		check "$(now "$tenant reaches $tenant, IPv6")" reach $tenant-a fd00::3
	done
	quiet h1 h2
	capture blue blue-c eth0
	capture blue-a blue-a eth0
}

# ---- what fits and what does not ---------------------------------------------------------
fits() { # MTU
	is "$(now "tenant show: MTU $1")" "$(sw h1 -j tenant show red | gojq '.[0].mtu')" "$1"
	ip -n red-a link set eth0 mtu 1500
	check "$(now "a packet that fills it, IPv4")" ping_df $(($1 - 28)) 10.0.0.3
	check "$(now "a packet that fills it, IPv6")" ping_df $(($1 - 48)) fd00::3
	check "$(now "one octet more: the sender learns $1")" learns 10.0.0.3 $(($1 - 27)) "$1"
	check "$(now "likewise IPv6")" learns fd00::3 $(($1 - 47)) "$1"
	ip -n red-a link set eth0 mtu "$1"
	forget_paths red-a
	is "$(now "both were dropped as too_big")" "$(drops h1 too_big red)" 2
}

# ---- what is shorter than the header that is taken off -------------------------------------
shorts() {
	local to size

	for to in 10.0.0.3 fd00::3; do
		for size in 0 1 5 11 12; do
			check "$(now "udp to $to, $size octets")" \
				xfer red-a red-c udp $to size=$size count=20
		done
	done
}

# ---- transfers ---------------------------------------------------------------------------
transfers() { # WIRE MTU
	local to over kind

	for to in 10.0.0.3 fd00::3; do
		[ $to = 10.0.0.3 ] && over=28 || over=48
		check "$(now "$1 wire: tcp to $to")" xfer red-a red-c tcp $to bytes=600000
		for kind in udp udpgso; do
			check "$(now "$1 wire: $kind to $to, frames filled")" \
				xfer red-a red-c $kind $to size=$(($2 - over)) batch=40 count=199
		done
		check "$(now "$1 wire: back from $to")" xfer red-c red-a udpgso ${to/3/1}
	done
}

bulk() { # MTU
	local host

	capture super h2 eth0
	transfers offload "$1"
	capture_stop super
	for proto in 6 17; do
		check "$(now "offload wire: super-frames of protocol $proto crossed")" \
			dissect_at_least super 1 'len>1514' in.ip.proto=$proto
	done
	for host in h1 h2; do
		on $host ethtool -K eth0 tso off gso off tx-udp-segmentation off
	done
	capture frames h1 eth0 # what h1 sends is past segmentation, what it receives before GRO
	transfers frames "$1"
	capture_stop frames
	is "$(now "frames wire: no frame above 1514")" "$(dissect frames -C 'len>1514')" 0
	check "$(now "frames wire: some of 1514")" dissect_at_least frames 100 len=1514
	for host in h1 h2; do
		on $host ethtool -K eth0 tso on gso on tx-udp-segmentation on
	done
}

# ---- the outer headers -------------------------------------------------------------------
headers() {
	local flow tos l3 tunnel v4 v6

	v4="eth src=$A dst=$C / ip src=10.0.0.1 dst=10.0.0.3"
	v6="eth src=$A dst=$C / ip6 src=fd00::1 dst=fd00::3"
	for flow in {1001..1040}; do
		for tos in 0x28 0xb9; do
			echo "$v4 tos=$tos ttl=9 / udp sport=$flow / text red-flow"
			echo "$v6 tc=$tos hlim=9 / udp sport=$flow / text red-flow"
		done
	done >$WORK/frames
	capture wire h2 eth0 -s 2048 # more of them fit into what is kept for a burst
	inject red-a eth0 - <$WORK/frames
	check "$(now "headers: all frames came")" dissect_has wire 160 in.eth.src=$A has:red-flow
	capture_stop wire
	if [ "$UNDERLAY" = 4 ]; then
		l3="ip.src,ip.dst,ip.ttl,ip.df,ip.frag,ip.opts,ip.sum"
		set -- "192.0.2.1 192.0.2.2 64 1 0  ok"
	else
		l3="ip6.src,ip6.dst,ip6.hlim,ip6.ext"
		set -- "2001:db8::1 2001:db8::2 64 "
	fi
	if [ "$ENCAP" = gre ]; then
		tunnel=gre.flags,gre.type,gre.key
		set -- "$1 0x2000 0x6558 100"
	elif [ "$ENCAP" = geneve ]; then
		tunnel=udp.dport,udp.csum,geneve.ver,geneve.o,geneve.c,geneve.res1,geneve.type
		tunnel+=,geneve.vni,geneve.res2,geneve.opts
		set -- "$1 6081 0x0000 0 0 0 0 0x6558 100 0 "
	else
		tunnel=udp.dport,udp.csum,vxlan.flags,vxlan.res1,vxlan.vni,vxlan.res2
		set -- "$1 4789 0x0000 0x08 0 100 0"
	fi
	is "$(now "headers: all alike")" \
		"$(dissect wire -u -f "$l3,$tunnel" in.eth.src=$A has:red-flow)" "160 $1"
	tos=ip.tos
	[ "$UNDERLAY" = 4 ] || tos=ip6.tc
	is "$(now "headers: DSCP and ECN are copied out")" \
		"$(dissect wire -u -f $tos,in.ip.tos,in.ip6.tc in.eth.src=$A has:red-flow)" \
		"40 0x28 - 0x28
40 0x28 0x28 -
40 0xb9 - 0xb9
40 0xb9 0xb9 -"
	entropy
}

# What of the outer headers tells flows apart, for the underlay's paths.
entropy() {
	local field=ip6.flow

	[ "$UNDERLAY$ENCAP" != 4gre ] || return 0
	[ "$UNDERLAY" = 6 ] || field=udp.sport
	dissect wire -u -f in.eth.type,in.udp.sport,$field in.eth.src=$A has:red-flow >$WORK/flows
	is "$(now "headers: a flow keeps its $field")" "$(grep -vc '^2 ' $WORK/flows || true)" 0
	check "$(now "headers: flows differ in it")" \
		test "$(awk '{ print $4 }' $WORK/flows | sort -u | wc -l)" -gt 40
	is "$(now "headers: it is never 0")" "$(dissect wire -C in.eth.src=$A ip6.flow=0x00000)" 0
	[ "$ENCAP" = gre ] || is "$(now "headers: source ports in 49152..65535")" \
		"$(dissect wire -C in.eth.src=$A 'udp.sport<49152')" 0
}

# ---- to all, and what is not IP ----------------------------------------------------------
groups() {
	local id=$ENCAP.vni words="all group4 group6 other-all other-one short who-has"

	[ "$ENCAP" != gre ] || id=gre.key
	capture wire h2 eth0
	for ns in red-b red-c; do
		capture $ns $ns eth0
	done
	{
		echo "eth src=$A dst=$ALL / arp sha=$A spa=10.0.0.1 tpa=10.0.0.77" \
			"/ text red-who-has"
		echo "eth src=$A dst=33:33:ff:00:00:77 / ip6 src=fd00::1 dst=ff02::1:ff00:77" \
			"hlim=255 / ns target=fd00::77 lladdr=$A"
		echo "eth src=$A dst=$ALL / ip src=10.0.0.1 dst=10.0.0.255 / udp / text red-all"
		echo "eth src=$A dst=01:00:5e:01:02:03 / ip src=10.0.0.1 dst=224.1.2.3 / udp" \
			"/ text red-group4"
		echo "eth src=$A dst=33:33:00:00:01:23 / ip6 src=fd00::1 dst=ff05::123 / udp" \
			"/ text red-group6"
		echo "eth src=$A dst=$ALL type=0x88b5 / text red-other-all / pad 40"
		echo "eth src=$A dst=$C type=0x88b5 / text red-other-one / pad 40"
		echo "eth src=$A dst=$C type=0x88b5 / text red-short"
	} >$WORK/frames
	inject red-a eth0 - <$WORK/frames
	check "$(now "to all and not IP: the last came")" dissect_has red-c 1 has:red-short
	check "$(now "to all and not IP: ND came")" dissect_has red-c 1 icmp6.type=135
	capture_stop wire red-b red-c
	is "$(now "to all and not IP: each came to the other host, once")" \
		"$(dissect red-c -C eth.src=$A),$(
			)$(grep -aoE "red-(${words// /|})" $WORK/red-c.pcap | sort | xargs)" \
		"8,red-${words// / red-}"
	is "$(now "to all and not IP: what is for all came to red-b, once")" \
		"$(dissect red-b -C eth.src=$A)" 6
	is "$(now "to all and not IP: all went in the tenant's own encapsulation")" \
		"$(dissect wire -C $id=100 in.eth.src=$A)" 8
}

# ---- offloads ----------------------------------------------------------------------------
matrix() {
	local both=h1:eth0,h2:eth0 inner=red-a:eth0,red-c:eth0 outer=h1:red-a,h2:red-c status=0
	local tunnel="tx-udp_tnl-segmentation off tx-udp_tnl-csum-segmentation off"
	local frames="tso off gso off tx-udp-segmentation off"

	[ "$ENCAP" != gre ] ||
		tunnel="tx-gre-segmentation off tx-gre-csum-segmentation off"
	offload -b 500000 -c 60 \
		-w "h1:eth0 tx off" -w "h2:eth0 tx off" \
		-w "h1:eth0 tso off" -w "h1:eth0 gso off" -w "h1:eth0 tx-udp-segmentation off" \
		-w "h1:eth0 $tunnel" -w "h1:eth0 $tunnel tx off" -w "h1:eth0 sg off" \
		-w "$both $frames gro off" -w "$both $frames tx off" -w "$both $frames gro on" \
		-w "$both $frames; $inner gro on; $outer gro on" \
		-w "$inner tx off" -w "$inner $frames" -w "$inner gro on; h2:eth0 gro off" \
		-w "$outer $frames tx off" -w "h2:eth0 rx off gro off; $outer $frames" \
		red-a red-c 10.0.0.3 fd00::3 >$WORK/offload.out 2>&1 || status=$?
	note "$(<$WORK/offload.out)"
	is "$(now "offloads: all transfers arrive")" $status 0
}

# Blue's at work, with red's addresses, and red hears nothing of it.
apart() {
	local ns

	for ns in red-a red-c; do
		capture $ns $ns eth0
	done
	for kind in tcp udp; do
		check "$(now "blue: $kind")" xfer blue-a blue-c $kind 10.0.0.3 bytes=100000
	done
	check "$(now "red still reaches red")" reach red-a 10.0.0.3
	capture_has red-c 1 icmp || note "no barrier"
	capture_stop red-a red-c
	is "$(now "red saw nothing of blue's")" \
		"$(captured red-a 'tcp or udp') $(captured red-c 'tcp or udp')" "0 0"
}

for UNDERLAY in 4 6; do
	for ENCAP in vxlan gre geneve; do
		case $ENCAP$UNDERLAY in
		vxlan4 | gre6 | geneve6) ;;
		*) [ -z "${TSW_QUICK:-}" ] || continue ;;
		esac
		mtu=$(mtu_left $ENCAP $UNDERLAY)
		topology $mtu
		fits $mtu
		shorts
		bulk $mtu
		headers
		groups
		matrix
		apart
		is "$(now "nothing was dropped but what was too big")" \
			"$(all_drops h1; all_drops h2)" "red too_big from_endpoint 2"
		check "$(now "blue still reaches blue")" reach blue-a 10.0.0.3
		capture_has blue 1 icmp || note "no barrier"
		capture_stop blue blue-a
		is "$(now "blue saw nothing of red's")" \
			"$(dissect blue -C has:red-),$(dissect blue -C udp.dport=9)" 0,0
		is "$(now "blue-a saw nothing but its own")" \
			"$(dissect blue-a -C eth.src!=$A eth.src!=$C)" 0
		run_undo
	done
done
finish
