#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Anybody can send an ICMP error about the path to another host: it must not narrow the tunnel. The
# MTU of a configured route does.
#
#   red-a 10.0.0.1, fd00::1 ── h1 ══ eth0 ══ h2 ── red-c 10.0.0.3, fd00::3
#                              └── eth1 ── x, which is no underlay: what comes that way is seen by
#                                  the kernel alone
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

modprobe -a ip_gre ip6_gre 2>/dev/null || true

now() { echo "$ENCAP over IPv$UNDERLAY: $*"; }

topology() {
	topo_hosts h1 h2
	netns x
	sysctl_in x net.ipv6.conf.all.disable_ipv6=1
	ip -n h1 link add eth1 type veth peer name eth0 netns x
	sysctl_in h1 net.ipv6.conf.eth1.disable_ipv6=0
	ip -n h1 addr add 203.0.113.1/24 dev eth1
	ip -n h1 addr add 2001:db8:77::1/64 dev eth1 nodad
	ip -n h1 link set eth1 up
	ip -n x link set eth0 up
	switch_up
	tenants red 100
	containers red "a@h1 c@h2" mtu "$1"
	check "$(now "reachable")" reach red-a 10.0.0.3
	check "$(now "reachable, IPv6")" reach red-a fd00::3
	quiet h1 h2
}

# ---- the error ---------------------------------------------------------------------------
# forge NS DEV: to h1, by what leads there, from an address that is nobody's. It quotes an echo
# reply from h1 to h2: that the kernel had sent it needs no socket to believe.
forge() {
	local eth about="src=${VTEP[h1]} dst=${VTEP[h2]}"

	eth="eth src=02:ff:00:00:00:01 dst=$(mac_on h1 "$2")"
	# shellcheck disable=SC2086 # words of a frame
	case $UNDERLAY in
	4) inject "$1" eth0 $eth / ip src=203.0.113.9 dst=${VTEP[h1]} / icmp type=3 code=4 id=0 \
		seq=68 / ip $about df=1 len=1500 / icmp type=0 / pad 60 ;;
	6) inject "$1" eth0 $eth / ip6 src=2001:db8:77::9 dst=${VTEP[h1]} / icmp6 type=2 \
		body=00000500 / ip6 $about len=1460 / icmp6 type=129 / pad 60 ;;
	esac
}
learned() { ip -n h1 route get "${VTEP[h2]}" | grep -o 'expires.* mtu .*'; }

# ---- who is hurt -------------------------------------------------------------------------
fits() { # DESC MTU: a packet of that length, which takes the fast path
	check "$(now "$1: $2 octets, IPv4")" ping_df $(($2 - 28)) 10.0.0.3
	check "$(now "$1: $2 octets, IPv6")" ping_df $(($2 - 48)) fd00::3
}
# What is not IP goes by the kernel's tunnel device, where there is one.
full_frame() { # MTU
	capture frames red-c eth0 ether proto 0x88b5
	inject red-a eth0 eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 type=0x88b5 / pad "$1"
	capture_has frames 1 "len = $((14 + $1))" || { capture_stop frames; return 1; }
	capture_stop frames
}
words() { gojq -c '[.problems, .warnings | map("\(.what) \(.object)") | join(",")]'; }
checked() { sw h1 -j switch check | words; }
traced() { # LENGTH: how it ends, and what is told
	sw h1 -j trace from a tenant red to c proto udp length "$1" |
		jq -c '.[0] | [.verdict, .reason, .next.mtu, (.problems | map(.what) | join(","))]'
}

# ---- 1. by the underlay: it ends there; packet_path_mtu has each kind of error ---------------
distrusts() { # MTU
	expect_drops "$(now "an error about echo")" h1 1 "null untrusted_mtu from_tunnel" forge h2 eth0
	is "$(now "the kernel has learned nothing")" "$(learned || true)" ""
	fits "after it" "$1"
	check "$(now "TCP after it")" xfer red-a red-c tcp 10.0.0.3 bytes=4M
	check "$(now "TCP after it, IPv6")" xfer red-a red-c tcp fd00::3 bytes=4M
	check "$(now "the kernel's tunnel device after it")" full_frame "$1"
}

# ---- 2. by another device: the kernel believes it, the switch does not ----------------------
ignores() { # MTU
	local least=552

	[ "$UNDERLAY" = 4 ] || least=1280
	is "$(now "nothing to tell of")" "$(checked) $(traced "$1")" \
		"[\"\",\"\"] [\"tunnel\",null,1500,\"\"]"
	forge x eth1
	check "$(now "the kernel learns $least by another device")" retry 2 learned
	fits "though the kernel has learned less" "$1"
	check "$(now "TCP likewise")" xfer red-a red-c tcp 10.0.0.3 bytes=4M
	is "$(now "check warns, and finds no fault")" "$(checked)" '["","learned_mtu h2"]'
	is "$(now "trace tells")" "$(traced "$1")" '["tunnel",null,1500,"learned_mtu"]'
	forget_paths h1
	is "$(now "nothing more when it is forgotten")" "$(checked)" '["",""]'
}

# ---- 3. what is configured counts -----------------------------------------------------------
# Each of the commands that read the routes.
# shellcheck disable=SC2046 # words
takes() {
	case $ENCAP$UNDERLAY in
	vxlan4 | geneve6) sw h1 switch repair ;;
	gre4) sw h1 -f switch upgrade ;;
	vxlan6) sw h1 switch up dev eth0 $(vteps local h1) name h1 ;;
	gre6 | geneve4) sw h1 host replace h2 ip "${VTEP[h2]}" ;;
	esac
}
configured() { # MTU
	local full=$1 narrow=$(($1 - 100)) route="${VTEP[h2]} dev eth0"

	# shellcheck disable=SC2086 # words of a route
	{
		ip -n h1 route add $route mtu 1400
		check_fails "$(now "a route of 1400: check finds it")" sw h1 switch check
		is "$(now "as what it is")" "$(checked || true)" '["host_mtu h2",""]'
		is "$(now "so does trace")" "$(traced "$narrow")" \
			'["tunnel",null,1500,"host_mtu"]'
		check "$(now "a command takes it")" takes
		is "$(now "check finds nothing")" "$(checked)" '["",""]'
		check "$(now "senders learn it")" learns 10.0.0.3 $((full - 28)) $narrow
		check "$(now "senders learn it, IPv6")" learns fd00::3 $((full - 48)) $narrow
		is "$(now "trace: it fits")" "$(traced "$narrow")" '["tunnel",null,1400,""]'
		is "$(now "trace: too big")" "$(traced "$full")" '["answered","too_big",1400,""]'
		forge x eth1
		retry 2 learned || true
		fits "1400 and an error" "$narrow"
		forget_paths h1

		ip -n h1 route change $route mtu lock 1500
		check "$(now "host set takes the new one")" sw h1 host set h2 ip "${VTEP[h2]}"
		forget_paths red-a
		fits "all of it" "$full"
		ip -n h1 route del $route
	}
	check "$(now "switch set takes it")" sw h1 switch set dev eth0
	[ "$UNDERLAY" = 4 ] || advertised
	is "$(now "all as it was")" "$(checked) $(traced "$full")" \
		'["",""] ["tunnel",null,1500,""]'
}

# A router may have told of a smaller MTU for all of the link.
advertised() {
	sysctl_in h1 net.ipv6.conf.eth0.mtu=1400
	is "$(now "IPv6's own MTU of the device")" "$(checked || true)" '["host_mtu h2",""]'
	sw h1 switch repair
	is "$(now "is taken")" "$(traced 1300)" '["tunnel",null,1400,""]'
	sysctl_in h1 net.ipv6.conf.eth0.mtu=1500
	sw h1 switch repair
}

# ---- 4. what docs/operations.md says for other ways in ---------------------------------------
firewalled() { # MTU
	on h1 nft -f - <<-'END'
		table inet mtu {
			chain early {
				type filter hook prerouting priority raw
				icmp type 3 icmp code 4 @th,136,8 != 6 counter drop
				icmpv6 type 2 @th,112,8 != 6 counter drop
			}
		}
	END
	forge x eth1
	check "$(now "the rule met it")" retry 2 eval \
		'on h1 nft list table inet mtu | grep -q "packets 1 "'
	is "$(now "with a rule the kernel learns nothing by other devices")" "$(learned || true)" ""
	check "$(now "the kernel's tunnel device likewise")" full_frame "$1"
	on h1 nft delete table inet mtu
}

for UNDERLAY in 4 6; do
	for ENCAP in vxlan gre geneve; do
		# packet_path_mtu has errors about UDP and GRE, over both families.
		case $ENCAP$UNDERLAY in
		gre4 | vxlan6) ;;
		*) [ -z "${TSW_QUICK:-}" ] || continue ;;
		esac
		mtu=$(mtu_left $ENCAP $UNDERLAY)
		topology $mtu
		distrusts $mtu
		ignores $mtu
		configured $mtu
		firewalled $mtu
		run_undo
	done
done
finish
