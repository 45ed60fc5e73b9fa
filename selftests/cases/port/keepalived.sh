#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# keepalived in containers of two hosts: VRRP of version 2 and 3, IPv4 and IPv6, multicast and
# unicast, and with a MAC of its own (use_vmac). The master ends, comes back, and is killed.
# full: keepalived's package; port/vip has its announcements
#
#   world ── up1 ┐
#   red-a ───────┼─ h1 ═══ h2 ─ red-b, red-d     vip: 10.0.0.100, fd00::100
#   red-e ───────┘
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_watch.sh"
needs "keepalived" keepalived arping

V4=10.0.0.100 V6=fd00::100
topo_hosts h1 h2
switch_up
tenants red 100
sysctl_in h1 net.ipv6.conf.{all,default}.disable_ipv6=0
uplink h1 world 1
containers red "a@h1 b@h2 d@h2 e@h1"
sw h1 gateway add red ip 10.0.0.254/24 ip fd00::fe/64
sw h2 gateway add red ip 10.0.0.254/24 ip fd00::fe/64 host h1
for name in a b d e; do way_out red-$name 10.0.0.254 fd00::fe; done
for name in a b; do sw_all endpoint set $name tenant red vip $V4 vip $V6; done
for to in "$V4:5000" "[$V6]:5000"; do sw h1 publish add red proto udp port 5000 to "$to"; done

# config NAME VERSION CAST PRIORITY: what keepalived there reads. By IPv6 VRRP has version 3.
declare -A IP4=([a]=10.0.0.1 [b]=10.0.0.2) PEER=([a]=b [b]=a)
declare -A LL=([a]=fe80::ff:fe00:1 [b]=fe80::ff:fe00:2)
config() {
	local name=$1 version=$2 cast=$3 priority=$4 family vip
	local -A ip=([4]=${IP4[$name]} [6]=${LL[$name]})
	local -A peer=([4]=${IP4[${PEER[$name]}]} [6]=${LL[${PEER[$name]}]})

	echo 'global_defs {'
	echo "	vrrp_version $version"
	echo '	vrrp_garp_master_refresh 0'
	echo '}'
	for family in 4 6; do
		vip=$V4/24
		[ $family = 4 ] || vip="$V6/64 preferred_lft 0"
		cat <<-END
			vrrp_instance v$family {
				state BACKUP
				interface eth0
				$([ $cast != vmac ] || echo "use_vmac vmac$family")
				virtual_router_id 5$family
				priority $priority
				advert_int $([ "$version" = 3 ] && echo 0.1 || echo 1)
				$([ $family = 4 ] || echo "version 3")
				$([ $cast != unicast ] || echo "unicast_src_ip ${ip[$family]}
				unicast_peer { ${peer[$family]} }")
				virtual_ipaddress { $vip }
			}
		END
	done
}
declare -A KA KA_LOG
keeps() { # NAME VERSION CAST PRIORITY
	config "$@" >$WORK/$1.conf
	mkdir -p $WORK/$1.run
	bg red-$1 keepalived -P -n -l -D -f $WORK/$1.conf -p $WORK/$1.run/pid -r $WORK/$1.run/vrrp
	KA[$1]=$BG KA_LOG[$1]=$BG_LOG
}
holders() { # the endpoints that have both, as each host tells
	for host in h1 h2; do
		js $host endpoint show tenant red '.[] | select(.vip_held | length == 2) | .name'
	done | xargs
}
where() {
	kill -USR1 $FLOW
	sleep 0.1
	tail -n 6 "$LOG" | sed 's/.* at //' | sort -u
}
MOST=50 # of 500 datagrams a second: 100 ms
ends() { # NAME: keepalived there gives its addresses up
	kill "${KA[$1]}" 2>/dev/null
	wait "${KA[$1]}" 2>/dev/null || true
}
dies() { # NAME: without a word, and the addresses stay on its device
	kill -9 "${KA[$1]}" "$(<$WORK/$1.run/vrrp)" 2>/dev/null || true
	wait "${KA[$1]}" 2>/dev/null || true
}
lacks() {
	ip -n red-$1 addr del $V4/24 dev eth0 2>/dev/null || true
	ip -n red-$1 addr del $V6/64 dev eth0 2>/dev/null || true
}
for kind in "3 multicast" "2 multicast" "3 unicast" "2 unicast" "3 vmac" "2 vmac"; do
	# A MAC of each of the two instances.
	case $kind in
	*vmac) for name in a b; do sw_all endpoint set $name tenant red macs 2; done ;;
	esac
	# shellcheck disable=SC2086
	{
		keeps a $kind 100
		keeps b $kind 90
	}
	comes "VRRP $kind: a has both addresses" "a a" holders
	bg h1 "$PY" "$TOOLS/moving.py" red-d,red-e $V4,$V6 red-a,red-b also=world,198.51.1.1,fd51:1::1
	FLOW=$BG LOG=$BG_LOG
	retry 5 grep -q ready "$LOG"
	comes "VRRP $kind: all is sent to a" red-a where
	ends a
	comes "VRRP $kind: a has ended, b has them" "b b" holders
	comes "VRRP $kind: all is sent to b" red-b where
	# shellcheck disable=SC2086
	keeps a $kind 100
	comes "VRRP $kind: a is back" "a a" holders
	comes "VRRP $kind: all is sent to a again" red-a where
	dies a
	comes "VRRP $kind: a's keepalived is killed, b has them" "b b" holders
	comes "VRRP $kind: all is sent to b, though a has the addresses yet" red-b where
	stop $FLOW
	note "$(grep sent "$LOG")"
	# The first change waits for VRRP: a gives the addresses up before b takes them.
	is "VRRP $kind: while both have the addresses, less than 100 ms is lost at a change" \
		"$(grep -o 'lost [0-9]*' "$LOG" | awk "NR % 3 != 1 && \$2 >= $MOST" | wc -l)" 0
	is "VRRP $kind: three changes of each of six" "$(grep -o ' -> ' "$LOG" | wc -l)" 18
	ends b
	for name in a b; do lacks $name; done
done
for host in h1 h2; do check "$host: switch check" sw $host switch check; done

# ---- two masters -----------------------------------------------------------------------------
# They do not hear each other, and announce in turn.
contested() { js h1 switch check '[.warnings[]? | select(.what == "vip_contested")] | length'; }
calm() { [ "$(contested)" = 0 ]; }
check "nobody is told of a contest, ten seconds after the last change" retry 15 calm
watcher turns h1 01,01 monitor tenant red
# turned: the endpoints that took the IPv4 address, as monitor tells.
turned() {
	sed -n '/"event": *"vip"/p' $WORK/turns.log |
		gojq -r 'select(.address == "'$V4'") | .endpoint' | sort -u | xargs
}
for n in 1 2 3; do
	# It fails where nobody answers.
	on red-a arping -q -U -c 1 -i eth0 -S $V4 $V4 || true
	is "arping -U: a has it" "$(js h2 endpoint show a tenant red '.[0].vip_held[0]')" $V4
	on red-b arping -q -U -P -c 1 -i eth0 -S $V4 $V4 || true
	is "arping -U -P: b has it" "$(js h1 endpoint show b tenant red '.[0].vip_held[0]')" $V4
done
comes "monitor names both" "a b" turned
contests() { sed -n '/"event": *"vip"/p' $WORK/turns.log | gojq -e 'select(.contested)' >/dev/null; }
check "and that they contest it" retry 5 contests
comes "switch check tells of it" 1 contested
counted() { sw h1 metrics | sed -n "s/^tsw_vip_changes_total{.*address=\"$V4\"} //p"; }
check "and the metrics count" test "$(counted)" -ge 5
finish
