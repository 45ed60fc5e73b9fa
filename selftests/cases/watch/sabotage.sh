#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 ─┐                               ┌─ red-b 10.0.0.2
#   red-c 10.0.0.3 ─┴─ h1 192.0.2.1 ══ 192.0.2.2 h2 ┘
#
# A does not reach B, in seven ways. `check` or `trace` tells each at the first try, with the next
# step, which then helps. What is no fault is not told.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../../lib_gateway.sh"

topo_hosts h1 h2
switch_up
tenants red 100
sw_all gateway add red ip 10.0.0.254/24 host h1
containers4 red 'a@h1 b@h2 c@h1'
for ns in red-a red-b red-c; do way_out $ns 10.0.0.254; done

# warned HOST: the words of its `check`, with their objects. of_trace HOST WORD...: of its `trace`.
warned() {
	{ "$TSW" -n "$1" -j switch check || true; } |
		gojq -r '[.problems[], .warnings[] | "\(.what) \(.object)"] | sort | join(", ")'
}
traced() {
	{ "$TSW" -n "$1" -j trace "${@:2}" || true; } >$WORK/trace.json
	gojq -r '.[0] | [.verdict, .reason, (.problems[] | .what)] |
		map(select(. and . != "neighbour")) | unique | sort | join(" ")' $WORK/trace.json
}
back() {
	gojq -r '.[0].back | [.verdict, .reason, .cause] | map(. // "-") | join(" ")' \
		$WORK/trace.json
}
detail() { gojq -r '.[0].problems[-1].detail' $WORK/trace.json; }
steps() { gojq -r '.[0].why.do // empty, (.[0].unproven[] | .not_proven)' $WORK/trace.json; }

is 'nothing is wrong on h1' "$(warned h1)" ''
is 'nothing is wrong on h2' "$(warned h2)" ''
is 'a reaches b' "$(traced h1 from a to b)" tunnel
is 'the way back' "$(back)" 'delivered - -'
is 'what h1 cannot prove' "$(steps)" \
	'what host h2 does: run there: tsw trace from a to b tenant red'
is 'asked on h2' "$(traced h2 from a to b)" delivered
is 'the way back to h1' "$(back)" 'tunnel - -'
is 'what h2 cannot prove' "$(steps)" \
	'what host h1 does: run there: tsw trace from a to b tenant red'
is 'c is here' "$(traced h1 from c to a)" delivered
is 'all of it is proven' "$(back) $(steps)" 'delivered - - '

# sabotaged DESC HOST CHECK-WORDS TRACE-WORDS COMMAND...: a does not reach b after COMMAND.
sabotaged() {
	local what=$1 host=$2 check=$3 trace=$4

	shift 4
	"$@"
	check_fails "$what: a does not reach b" reach_soon red-a 10.0.0.2
	is "$what: check" "$(warned "$host")" "$check"
	is "$what: trace" "$(traced "$host" from a to b)" "$trace"
}
reach_soon() { on "$1" ping -n -c 1 -W 0.4 "$2"; }
# helps DESC COMMAND...: the next step does.
helps() {
	local what=$1

	shift
	"$@"
	check "$what: the next step helps" retry 5 on red-a ping -n -c 1 -W 1 10.0.0.2
	is "$what: nothing is wrong" "$(warned h1) $(warned h2)" ' '
}

# pasted DESC HOST: the steps that its doctor prints are commands, and help: the second one is often
# a route that was lost with an address.
paste_steps() {
	local n step

	for n in {1..5}; do
		step=$(js "$1" doctor 'first(.checks[] | select(.mend)).mend' || true)
		[ -n "$step" ] || return 0
		on "$1" sh -c "$step"
		sleep 0.2
	done
}
pasted() { helps "$1" paste_steps "$2"; }

sabotaged '1 wrong MAC' h1 'container_mac red-a' 'container_mac tunnel' \
	ip -n red-a link set eth0 address 02:00:00:00:00:99
is '... which command' "$(detail | sed 's/.*In the container: //')" \
	'ip link set eth0 address 02:00:00:00:00:01; or here: tsw endpoint set a tenant red mac '\
'02:00:00:00:00:99'
pasted '1 wrong MAC' h1
sabotaged '1 wrong MAC of b' h2 'container_mac red-b' 'container_mac delivered' \
	ip -n red-b link set eth0 address 02:00:00:00:00:99
pasted '1 wrong MAC of b' h2

readdress() { # NS OLD NEW
	ip -n "$1" addr del "$2/24" dev eth0 && ip -n "$1" addr add "$3/24" dev eth0
	way_out "$1" 10.0.0.254
}
sabotaged '2 wrong address' h1 'container_address red-a' 'container_address tunnel' \
	readdress red-a 10.0.0.1 10.0.0.7
is '... which command' "$(detail)" 'endpoint "a" has 10.0.0.1, but its container has only '\
'10.0.0.7: nothing reaches it, and what it sends is dropped as spoofed_ip. In the container: '\
'ip addr del 10.0.0.7/24 dev eth0 && ip addr replace 10.0.0.1/24 dev eth0'
pasted '2 wrong address' h1
readdress red-a 10.0.0.1 10.0.0.7
sabotaged '2 the wrong address is first' h1 'container_address red-a' 'container_address tunnel' \
	ip -n red-a addr add 10.0.0.1/24 dev eth0
is '... which command' "$(detail)" 'endpoint "a" has 10.0.0.1, but its container sends as '\
'10.0.0.7, and what it sends is dropped as spoofed_ip. In the container: '\
'ip addr del 10.0.0.7/24 dev eth0 && ip addr replace 10.0.0.1/24 dev eth0'
pasted '2 the wrong address is first' h1
sabotaged '2 missing address of b' h2 'container_address red-b' 'container_address delivered' \
	ip -n red-b addr flush dev eth0
pasted '2 missing address of b' h2

forget() { sw h2 gateway del red && sw h2 host del h1 force on; }
sabotaged '3 missing host on the side of b' h1 '' tunnel forget
is '... h1 cannot prove it, and tells where to look' "$(steps)" \
	'what host h2 does: run there: tsw trace from a to b tenant red'
is '... and what to type there' "$(gojq -r '.[0].far[1:3][].command' $WORK/trace.json)" \
	'tsw host add h1 ip 192.0.2.1
tsw endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 host h1'
gojq -r '.[0].far[].command' $WORK/trace.json >$WORK/far
refuses '... on h2' 1 'has no endpoint "a" here; if it is on another host: tsw endpoint add a' \
	sw h2 trace from a to b tenant red
again() {
	sed 's/tsw //; /dev DEV/d' $WORK/far | "$TSW" -n h2 -f -b - 2>/dev/null || true
	sw h2 gateway add red ip 10.0.0.254/24 host h1
}
helps '3 missing host' again

sabotaged '4 device down' h2 'port_down red-b' 'delivered device_down' \
	ip -n red-b link set eth0 down
is '... which command' "$(detail)" \
	'the other end of device "red-b" is down: ip -n red-b link set eth0 up'
pasted '4 device down' h2

longer() { on red-a ping -n -c 1 -W 0.4 -s 3000 -M "do" 10.0.0.2; }
ip -n red-a link set eth0 mtu 9000
check_fails '5 MTU: long packets do not reach b' longer
is '5 MTU: check' "$(warned h1)" 'container_mtu red-a, port_mtu red-a'
is '5 MTU: trace' "$(traced h1 from a to b)" 'container_mtu tunnel'
is '... which command' "$(detail | sed 's/.*In the container: //')" 'ip link set eth0 mtu 1450'
pasted '5 MTU' h1

# What `policy on` would deny, before it is on.
sw_all tenant set red policy audit default deny flows on
check '6 audit: a reaches b' reach red-a 10.0.0.2
on red-a ping -n -c 2 -i 0.1 -W 1 10.0.0.2 >/dev/null
audited() {
	js "$1" flows audited tenant red '.[] | [.src_endpoint, .dst_endpoint, .proto,
		.icmp_type // .port, .flows, .packets > 2] | map(tostring) | join(" ")'
}
is '6 audit: what would be denied, on h1' "$(audited h1)" 'a b icmp 8 1 true'
is '6 audit: on h2' "$(audited h2)" 'a b icmp 8 1 true'
is '6 audit: the flows say so' \
	"$(js h1 flows '[.[] | select(.proto == "icmp").verdict] | unique')" '["audited"]'

closed() { sw_all tenant set red policy on default deny; }
sabotaged '6 policy' h1 '' 'dropped policy_denied' closed
is '... which command' "$(steps | head -1)" \
	'tsw policy show red; a rule that allows it: tsw policy add red NAME from … to …'
allow() { sw_all policy add red all from any to any; }
helps '6 policy' allow
sw_all tenant set red policy off

unpin() { rm /sys/fs/bpf/tsw/h1/maps/tsw_fdb; }
unpin
is '7 deleted pin: check' "$(warned h1)" 'pin maps/tsw_fdb'
refuses '7 deleted pin: trace' 1 'Run switch repair' sw h1 trace from a to b
helps '7 deleted pin' sw h1 switch repair
finish
