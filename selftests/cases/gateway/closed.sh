#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `switch set closed`: networks that no tenant reaches by its gateway, instead of the default ones
# or beside them.
#
#   red-a, blue-a 10.0.0.1 ─ h1 ─ up0 203.0.113.1 ═ 203.0.113.9 out, which has these networks, too
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"

ADMIN=198.18.7.7 ADMIN6=2001:db8:77::7 AZURE=168.63.129.16
topo_hosts h1
outside h1
sysctl_in out net.ipv6.conf.lo.disable_ipv6=0
for ip in $ADMIN $AZURE; do
	ip -n out addr add $ip/32 dev lo
	ip -n h1 route add $ip via $SERVER4
done
ip -n out -6 addr add $ADMIN6/128 dev lo nodad
ip -n h1 -6 route add $ADMIN6 via $SERVER6
switch_up
tenants red 100 blue 200
for t in red blue; do
	container $t a h1 10.0.0.1/24 fd00::1/64
	sw h1 gateway add $t ip 10.0.0.254/24 ip fd00::fe/64
	leave $t-a
done
serve out 80
closed() { sw h1 -j switch show | gojq -rc '.closed_asked | join(" ")'; }
all() { sw h1 -j switch show | gojq -rc '.closed | length'; }
found() { { sw h1 -j switch check || true; } | gojq -rc '[.problems[] | "\(.what) \(.object)"] | unique | join(", ")'; }
key() { # ADDRESS: as a key of tsw_closed
	"$PY" -c '
import ipaddress, struct, sys
a = ipaddress.ip_address(sys.argv[1])
a = a.packed if a.version == 6 else bytes(10) + b"\xff\xff" + a.packed
print(*struct.pack("=I", 128) + a)' "$1"
}

is "as it comes" "$(closed)" default
DEFAULTS=$(all)
check "the default list is shown: $DEFAULTS" test "$DEFAULTS" -ge 11
is "by gateway show, too" "$(sw h1 -j gateway show red | gojq -c '.[0].closed_asked')" '["default"]'
is "in a text that can be typed back" "$(sw h1 gateway show red | grep -c ' closed-asked default')" 1
no_answer "closed by default: $AZURE" red-a both $AZURE 80
answers "open" red-a tcp $ADMIN 80 "out 203.0.113.1"
answers "open, IPv6" red-a tcp $ADMIN6 80 "out 2001:db8:9::1"

# ---- a change ends what is there, on the fast way, too ---------------------------------
held red-a tcp $ADMIN 80
old=$HELD old_log=$HELD_LOG
held red-a tcp $ADMIN6 80
check "closed beside the default" sw h1 switch set closed default closed 198.18.0.0/15 closed $ADMIN6
check "a connection by IPv6 ends" ended
HELD=$old HELD_LOG=$old_log
check "a connection ends" ended
is "show tells" "$(closed)" "default 198.18.0.0/15 2001:db8:77::7"
is "and all of it" "$(all)" $((DEFAULTS + 2))
for t in red blue; do
	no_answer "$t: the network" $t-a both $ADMIN 80
	no_answer "$t: the address, IPv6" $t-a both $ADMIN6 80
done
no_answer "the default, too" red-a both $AZURE 80
check "the world is open" reach red-a $SERVER4
check "h1 itself gets there" reach h1 $ADMIN
check "counted" test "$(drops h1 host_address red)" -ge 6
is "trace tells" "$(sw h1 -j trace from a to $ADMIN tenant red |
	gojq -r '.[0] | "\(.verdict) \(.reason)"')" "dropped host_address"
check "and why" grep -q "$ADMIN is closed to tenants, see .closed. of switch show" <(sw h1 trace from a to $ADMIN tenant red)
check "and of a default one" grep -q "a cloud gives this host its credentials" \
	<(sw h1 trace from a to $AZURE tenant red)
sw h1 gateway set blue metadata on
answers "one tenant may" blue-a tcp $ADMIN 80 "out 203.0.113.1"
is "and does not show the list" "$(sw h1 -j gateway show blue | gojq -c '.[0].closed_asked')" null
no_answer "the other may not" red-a tcp $ADMIN 80
held red-a udp $SERVER6 80
check "the network where the world is" sw h1 switch set closed 203.0.113.8/29 closed 2001:db8:9::/64
check "a datagram's flow ends" ended
check "neither is reached" no_reach red-a $SERVER4
check "in order" healthy h1

# ---- alone, none, bad words ------------------------------------------------------------
check "alone" sw h1 switch set closed 198.18.0.0/15
is "show tells" "$(closed) $(all)" "198.18.0.0/15 1"
answers "Azure's is open" red-a tcp $AZURE 80 "out 203.0.113.1"
no_answer "link-local is not" red-a tcp 169.254.169.254 80
for bad in x 10.0.0.1/8 10.0.0.0/33 300.1.1.1 "" "none closed 10.0.0.0/8" "10.0.0.0/8 closed none" \
	"default closed default" "10.0.0.0/8 closed 10.0.0.0/8" "none closed none" "none closed default"; do
	status=0
	# shellcheck disable=SC2086 # words
	sw h1 switch set closed ${bad:-""} 2>$WORK/err || status=$?
	is "\"$bad\": misuse" $status 2
done
sw h1 switch set closed x 2>$WORK/err || true
check "quoted" grep -q '"x"' $WORK/err
status=0
# shellcheck disable=SC2046 # words
sw h1 switch set $(for i in {1..65}; do echo "closed 10.1.1.$i"; done) 2>$WORK/err || status=$?
is "65: misuse" $status 2
is "all is as it was" "$(closed) $(all)" "198.18.0.0/15 1"
check "none" sw h1 switch set closed none
is "show tells" "$(closed) $(all)" " 0"
answers "all is open" red-a tcp $ADMIN 80 "out 203.0.113.1"
sw h1 save >$WORK/none
is "saved" "$(gojq -c '.hosts[0].switch.closed' $WORK/none)" "[]"

# ---- in a state file -------------------------------------------------------------------
check "both again" sw h1 switch set closed $ADMIN6 closed default
sw h1 save >$WORK/both
is "saved" "$(gojq -c '.hosts[0].switch.closed' $WORK/both)" '["default","2001:db8:77::7"]'
check "nothing differs" sw h1 diff $WORK/both
check_fails "diff tells" sw h1 diff $WORK/none
check "applied" sw h1 apply $WORK/none
is "it is so" "$(closed) $(all)" " 0"
gojq 'del(.hosts[0].switch.closed)' $WORK/both >$WORK/default
check "what a file does not say is the default" sw h1 apply $WORK/default
is "it is so" "$(closed) $(all)" "default $DEFAULTS"
is "and not saved" "$(sw h1 save | gojq -c '.hosts[0].switch.closed')" null
gojq '.hosts[0].switch.closed = ["10.0.0.1/8"]' $WORK/both >$WORK/bad
status=0
sw h1 apply $WORK/bad 2>$WORK/err || status=$?
is "a bad file: misuse" $status 2
check "it says where" grep -q 'hosts\[0\].switch.closed\[0\]: "10.0.0.1/8"' $WORK/err
is "nothing was changed" "$(closed)" default

# ---- check and repair ------------------------------------------------------------------
# shellcheck disable=SC2046 # octets
bpftool map delete pinned "$(map_pin h1 closed)" key $(key $AZURE)
# shellcheck disable=SC2046
bpftool map update pinned "$(map_pin h1 closed)" key $(key $SERVER4) value 1 0 0 0
is "check tells what is missing, and what nobody asked for" "$(found)" \
	"closed_address $AZURE, closed_address $SERVER4"
check "repair" sw h1 switch repair
check "in order" healthy h1
no_answer "closed again" red-a tcp $AZURE 80
check "open again" reach red-a $SERVER4
check "up with other words is refused" test "$(sw h1 switch up dev eth0 name h1 closed none 2>&1 |
	grep -c 'other settings (closed)')" = 1
check "with the same it changes nothing" sw h1 switch up dev eth0 name h1 closed default
sw h1 switch down
check "at up" sw h1 switch up dev eth0 name h1 closed 198.18.0.0/15
is "it is so" "$(closed) $(all)" "198.18.0.0/15 1"
finish
