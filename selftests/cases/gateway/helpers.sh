#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Conntrack's helpers for FTP, TFTP and SIP, which one tenant has. The connections that they expect
# come in from the world, and reach no other tenant and nothing of the host.
#
#   red-a 10.0.0.1, blue-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9, 203.0.113.10 out
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

two_gateways
ip -n out addr add 203.0.113.10/24 dev br0
bg out "$PY" "$TOOLS/helpers.py" serve
retry 5 grep -q ready "$BG_LOG"
get() { on "$1" "$PY" "$TOOLS/helpers.py" "${@:2}" | sed 's/:[0-9]*>/:PORT>/'; } # NS WHAT...
for helper in ftp tftp sip; do
	if [ -e /sys/module/nf_nat_$helper ] || grep -q "nf_nat_${helper}_init" /proc/kallsyms; then
		continue
	fi
	check_fails "$helper without its part of NAT is refused" \
		sw h1 gateway set red helper-$helper on
	check "and nothing is changed" sw h1 switch check
	modprobe nf_nat_$helper
done

# ---- off, as by itself ------------------------------------------------------------------------

is "without a helper: FTP's data does not come" "$(get red-a port $SERVER4 40001)" silence
is "but is fetched" "$(get red-a pasv $SERVER4)" data
is "nor does a file by TFTP" "$(get red-a tftp $SERVER4)" silence
is "a call's media neither, for the address is the tenant's" "$(get red-a sip $SERVER4 30000)" \
	'Contact: <sip:a@10.0.0.1:PORT> c=IN IP4 10.0.0.1
silence'

sip_counts() { # a call is in use behind the time of UDP
	sysctl_in h1 net.netfilter.nf_conntrack_udp_timeout=5
	sysctl_in h1 net.netfilter.nf_conntrack_udp_timeout_stream=5
	sw h1 tenant set red connections 77
	sw h1 switch repair
	get red-a sip $SERVER4 30100 >/dev/null
	sleep 7
	[ "$(sw h1 -j -s gateway show red | gojq .[0].connections_used)" = 1 ]
}

# ---- on ---------------------------------------------------------------------------------------

sw h1 gateway set red helper-ftp on helper-tftp on helper-sip on
healthy h1
is "told" "$(sw h1 -j gateway show red |
	gojq -c '.[0] | [.helper_ftp, .helper_tftp, .helper_sip]')" \
	'[true,true,true]'
is "FTP's data comes" "$(get red-a port $SERVER4 40002)" data
is "and is fetched" "$(get red-a pasv $SERVER4)" data
is "a file by TFTP comes" "$(get red-a tftp $SERVER4)" data
is "a call has the host's address, and its media comes" "$(get red-a sip $SERVER4 30002)" \
	'Contact: <sip:a@203.0.113.1:PORT> c=IN IP4 203.0.113.1
data'
check "conntrack keeps such a call for long, and so does red's share" sip_counts
is "IPv6: FTP's data comes" "$(get red-a port $SERVER6 40003)" data
is "and is fetched" "$(get red-a pasv $SERVER6)" data
is "a file by TFTP, too" "$(get red-a tftp $SERVER6)" data
is "blue has no helper" "$(get blue-a port $SERVER4 40004) $(get blue-a tftp $SERVER4)" \
	"silence silence"

# ---- two tenants, one address and one port -------------------------------------------------------

sw h1 gateway set blue helper-ftp on
both() { # PORT: at the same time
	get blue-a port $SERVER4 "$1" >$WORK/blue &
	get red-a port $SERVER4 "$1" >$WORK/red
	wait $!
	cat $WORK/red $WORK/blue
}
is "two tenants with one address, at one port: it is the first one's" \
	"$(both 40005 | sort | xargs)" "data silence"
is "each at a port of its own" \
	"$(get red-a port $SERVER4 40015) $(get blue-a port $SERVER4 40016)" "data data"
# All tenants' expectations are in one table of conntrack's. Red asks nobody for 6,000 files.
ip -n h1 route add 198.19.0.0/16 via $SERVER4
sw h1 tenant set red connections 32768
"$PY" "$TOOLS/spray.py" red-a eth0 6000 eth src=02:00:00:00:00:01 dst=02:74:00:00:00:64 / ip \
	src=10.0.0.1 dst=198.19.0.1 / udp sport=1000 dport=69 csum=0 / hex 000161006f6374657400 \
	+sport >/dev/null
expected=$(router h1 sh -c 'wc -l </proc/net/nf_conntrack_expect')
check "red takes its share of what is expected: $expected" test "$expected" -ge 100 -a \
	"$expected" -le 300
is "and blue's data comes" "$(get blue-a port $SERVER4 40017)" data
sw h1 tenant set red connections 77 # which counts anew
sw h1 gateway set blue helper-ftp off
is "off again" "$(get blue-a port $SERVER4 40006)" silence

# ---- what is the host's --------------------------------------------------------------------------

serve h1 40007
is "a port at which the host waits is the host's" "$(get red-a port $SERVER4 40007)" silence
# shellcheck disable=SC2016 # python's own
other() { # PORT: another machine comes first, while the tenant waits
	bg red-a "$PY" "$TOOLS/helpers.py" port $SERVER4 "$1"
	on out "$PY" -c '
import socket, sys
try:
    socket.create_connection(("203.0.113.1", int(sys.argv[1])), 1, ("203.0.113.10", 0))
    print("came in")
except ConnectionRefusedError:
    print("refused")
except OSError:
    print("silence")' "$1"
}
is "nobody else comes in by it" "$(other 40008)" refused

# ---- as another address -------------------------------------------------------------------------

ip -n out route add 198.51.100.7 via 203.0.113.1
sw h1 gateway set red snat 198.51.100.7
is "as an address of its own: FTP" "$(get red-a port $SERVER4 40009)" data
is "TFTP" "$(get red-a tftp $SERVER4)" data
is "SIP" "$(get red-a sip $SERVER4 30004)" \
	'Contact: <sip:a@198.51.100.7:PORT> c=IN IP4 198.51.100.7
data'
sw h1 gateway set red snat none

# ---- kept, and taken back -----------------------------------------------------------------------

sw h1 switch repair
healthy h1
is "after repair" "$(get red-a port $SERVER4 40010)" data
sw h1 save >$WORK/state
sw h1 gateway set red helper-ftp off helper-tftp off helper-sip off
is "off" "$(get red-a port $SERVER4 40011) $(get red-a tftp $SERVER4)" "silence silence"
sw h1 apply $WORK/state
is "applied" "$(get red-a port $SERVER4 40012) $(get red-a tftp $SERVER4)" "data data"
sw h1 gateway del red
healthy h1
finish
