#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: gateway/settings has other settings; packet_share has the programs' times
# The router keeps a tenant's connection for as long as the host's own settings say, also when they
# change. Tenants' shares count by the same times.
#
#   red-a 10.0.0.1, blue-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9 out
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

two_gateways
DIR=net/netfilter/nf_conntrack_
here() { on h1 cat "/proc/sys/$DIR$1"; }
there() { router h1 cat "/proc/sys/$DIR$1"; }
host_says() { sysctl_in h1 "${DIR//\//.}$1=$2"; }
all_equal() {
	local file

	for file in /proc/sys/net/netfilter/nf_conntrack_*timeout*; do
		file=${file##*nf_conntrack_}
		case $file in
		frag6*) continue ;;
		tcp_timeout_unacknowledged)
			[ "$(there "$file")" = "$(here tcp_timeout_established)" ] ||
				echo "$file: $(there "$file")"
			;;
		tcp_timeout_syn*) [ "$(there "$file")" = 30 ] || echo "$file: $(there "$file")" ;;
		*) [ "$(there "$file")" = "$(here "$file")" ] || echo "$file: $(there "$file")" ;;
		esac
	done
}
problems() { sw h1 -j switch check | gojq -r '.problems[].what' | sort | uniq -c | xargs; }
used() { sw h1 -j -s gateway show red | gojq .[0].connections_used; }
# kept PATTERN: the seconds that conntrack still keeps what has that in its line
# shellcheck disable=SC2016 # awk's own
kept() { router h1 awk -v p="$1" '$0 ~ p { print $5 }' /proc/net/nf_conntrack; }
late() { # PORT: what comes of half a connection
	on red-a "$PY" "$TOOLS/half_closed.py" ask $SERVER4 "$1" 4
}
thinks() { # PORT SECONDS
	bg out "$PY" "$TOOLS/half_closed.py" serve "$1" "$2"
	retry 5 grep -q ready "$BG_LOG"
}

# ---- they follow ------------------------------------------------------------------------------

is "the router's are the host's, but of what it does not see all of" "$(all_equal)" ""
host_says tcp_timeout_established 7777
host_says udp_timeout 9
host_says generic_timeout 555
is "switch check tells what differs" "$(problems)" "5 gateway_timeout"
sw h1 gateway set red metadata on
is "the next command about a gateway mends it" "$(all_equal)" ""
is "and check finds nothing" "$(problems)" ""
host_says tcp_timeout_established 432000
router h1 sh -c "echo 5 >/proc/sys/${DIR}icmp_timeout"
sw h1 switch repair
is "switch repair mends it" "$(all_equal)" ""
host_says tcp_timeout_syn_sent 20
sw h1 gateway set red metadata off
is "a shorter one of half-open ones holds, too" "$(there tcp_timeout_syn_sent)" 20
host_says tcp_timeout_syn_sent 120
# ---- half-closed ------------------------------------------------------------------------------

thinks 81 3
host_says tcp_timeout_close_wait 1
sw h1 switch repair
is "half-closed for longer than the host would have it: forgotten" "$(late 81)" silence
host_says tcp_timeout_close_wait 600
sw h1 switch repair
thinks 82 30
bg red-a "$PY" "$TOOLS/half_closed.py" ask $SERVER4 82 9
half_closed() { [ "$(kept 'CLOSE_WAIT.*dport=82 ')" -gt 500 ]; }
check "half-closed: as long as the host would have it" retry 5 half_closed
is "and the answer comes" "$(late 81)" late

# ---- shares -----------------------------------------------------------------------------------

serve out 80
host_says udp_timeout 3
sw h1 switch repair
sw h1 tenant set red connections 64 # nothing in use
ask red-a udp $SERVER4 80 >/dev/null
is "a connection counts" "$(used)" 1
unused() { [ "$(used)" = 0 ]; }
check "as long as conntrack keeps it" retry 3 unused
host_says tcp_timeout_close 2
host_says tcp_timeout_time_wait 2
host_says tcp_timeout_fin_wait 2
host_says tcp_timeout_last_ack 2
host_says tcp_timeout_close_wait $((4 * ${TSW_SLOW:-1}))
sw h1 switch repair
ask red-a tcp $SERVER4 80 >/dev/null
is "TCP: the longest of its end" "$(used)" 1
sleep 2.5
is "after the shorter ones it counts still" "$(used)" 1
check "and then no more" retry 3 unused
host_says udp_timeout 30
host_says tcp_timeout_close_wait 60
host_says tcp_timeout_time_wait 120
sw h1 switch repair

# ---- a tenant's own word ------------------------------------------------------------------------

words() { sw h1 -j gateway show "$1" | gojq -c '.[0] | [.timeout_tcp_established,
	.timeout_tcp_close_wait, .timeout_udp, .timeout_udp_stream]'; }
policy() { # OBJECT: what is other than the kernel's default
	router h1 nft -j list table inet tsw |
		gojq -c ".nftables[].\"ct timeout\" | values | select(.name == \"$1\").policy"
}
is "without a word" "$(words red)" "[null,null,null,null]"
sw h1 gateway set red timeout-udp 500 timeout-tcp-established 7200 timeout-tcp-close-wait 900
is "with words" "$(words red)" "[7200,900,500,null]"
is "in nftables all of TCP's states are there, as the host has the others" "$(policy own_1_tcp6)" \
	'{"close":2,"close_wait":900,"established":7200,"fin_wait":2,"last_ack":2,"syn_recv":30,'`
		`'"syn_sent":30,"unack":7200}'
healthy h1
sw h1 tenant set red connections 65
ask red-a udp $SERVER4 80 >/dev/null
ask blue-a udp $SERVER4 80 >/dev/null
ask red-a tcp $SERVER4 80 >/dev/null
check "red's UDP is kept for longer" test "$(kept 'udp .*dport=80 .*zone-orig=1')" -gt 400
check "blue's is not" test "$(kept 'udp .*dport=80 .*zone-orig=2')" -le 30
bg red-a "$PY" "$TOOLS/half_closed.py" ask $SERVER4 82 9
red_half_closed() { [ "$(kept 'CLOSE_WAIT.*dport=82 ')" -gt 800 ]; }
check "its half-closed connection, too" retry 5 red_half_closed
host_says udp_timeout 3
sw h1 switch repair
is "a word counts in the share" "$(used)" 3
host_says udp_timeout_stream 99
sw h1 gateway set blue metadata on
is "what the host changes is in the objects" "$(policy own_1_udp4)" \
	'{"replied":99,"unreplied":500}'
host_says tcp_timeout_max_retrans 88
sw h1 switch repair
is "also what no share counts by" "$(policy own_1_tcp4 | gojq .retrans)" 88
ask red-a udp $SERVER6 80 >/dev/null
check "new ones have the tenant's word" test "$(kept 'ipv6 .*udp .*dport=80 .*zone-orig=1')" -gt 400
healthy h1
sw h1 save >$WORK/state
is "saved" "$(gojq -c '.tenants[] | select(.name == "red").gateway | [.timeout_udp,
	.timeout_udp_stream]' $WORK/state)" "[500,null]"
sw h1 gateway set red timeout-udp host timeout-tcp-established host timeout-tcp-close-wait host
is "taken back" "$(words red)" "[null,null,null,null]"
check_fails "with its objects" router h1 nft list ct timeout inet tsw own_1_udp4
check_fails "diff tells" sw h1 diff $WORK/state
sw h1 apply $WORK/state
is "applied" "$(words red)" "[7200,900,500,null]"
healthy h1
router h1 nft flush chain inet tsw own_1
is "what others take away is told" "$(problems)" "1 nftables_chain"
sw h1 switch repair
healthy h1
refused() { # WORDS...: with status 2, and the text in quotes
	local status=0

	sw h1 gateway set red "$@" >$WORK/out 2>&1 || status=$?
	is "refused: $*" "$status $(grep -c "\"$2\"" $WORK/out)" "2 1"
}
refused timeout-udp 4
refused timeout-udp 31536001
refused timeout-udp 1m
refused timeout-udp none
sw h1 gateway del red
check_fails "del takes the objects" router h1 nft list ct timeout inet tsw own_1_udp4
healthy h1
finish
