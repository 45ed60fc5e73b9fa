#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a   10.0.0.1 ─┐                                  ┌─ red-c   10.0.0.3
#   red-b   10.0.0.2 ─┼─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ──┤
#   green-a 10.0.0.1 ─┤     2001:db8::1   2001:db8::2    └─ green-c 10.0.0.3
#   blue-a  10.1.0.1 ─┘                                     (red, blue VXLAN, green GRE)
#
# `trace` explains a frame from the maps and runs the program on it. For each of many frames both
# have the same result, and it is the right one. Nothing of it is on any wire.
. "$(dirname "$0")/../../lib.sh"

UNDERLAY=46
topo h1 h2
tenants red 100 blue 200
ENCAP=gre tenants green 300
populate v6 h1 red-a red-b green-a h2 red-c green-c
container blue a h1 10.1.0.1/24 fd01::1/64
sw h1 endpoint add far tenant blue mac 02:00:00:00:01:03 ip 10.1.0.3 host h2
quiet h1

field() { jq -c ".[0]$1" $WORK/trace.json; } # JQ
# row "VERDICT REASON AGREES" WORD...: how the trace of h1 ends; all of it is in trace.json.
row() {
	local want=$1 got

	shift
	"$TSW" -n h1 -j trace "$@" >$WORK/trace.json 2>$WORK/trace.err || true
	got=$(gojq -r '.[0] | [.verdict, .reason // "-", if .run | not then "not_run"
		elif .agrees then "agrees" else "DIFFERS" end] | join(" ")' $WORK/trace.json 2>&1 ||
		true)
	is "$*" "$got" "$want"
	[ "$got" = "$want" ] || note "$(cat $WORK/trace.*)"
}
# runs VERDICT [REASON] -- WORD...: it was run, and the explanation agrees
runs() {
	local verdict=$1 reason=-

	shift
	[ "$1" = -- ] || { reason=$1 && shift; }
	shift
	row "$verdict $reason agrees" "$@"
}
red=(from a tenant red)

# What a trace must leave alone: all but counters, buckets, and flows.
state() {
	local map

	# Commands that write count its generation up.
	map_dump h1 config | jq -c '.[0].formatted.value | del(.generation)'
	for map in totals tenants hosts ports fdb addrs endpoints groups; do
		map_dump h1 $map
	done | jq -cS 'sort_by(tostring)'
	ls -R /sys/fs/bpf/tsw/h1 /run/tsw
}
before_all=$(state)

capture wire h1 eth0 'udp port 4789 or proto gre or ip6 proto gre'
capture b red-b eth0 'ether src 02:00:00:00:00:01'

# What stays here.
runs delivered -- "${red[@]}" to b
is "to its device" "$(field .dev)" '"red-b"'
runs delivered -- "${red[@]}" to 10.0.0.2 proto tcp port 22
runs delivered -- "${red[@]}" to fd00::2 proto udp port 53 length 1200
runs delivered -- "${red[@]}" to 02:00:00:00:00:02
runs answered -- "${red[@]}" to 02:00:00:00:00:02 proto arp
runs delivered -- from b to fe80::ff:fe00:1 ip fe80::ff:fe00:2
runs answered -- "${red[@]}" to b proto arp
runs answered -- "${red[@]}" to b proto nd
runs answered -- "${red[@]}" to 10.0.0.3 proto arp
runs dropped unknown_destination -- "${red[@]}" to 02:00:00:00:00:77
check "tells the entry that is missing" gojq -e '.[0].steps[-1] | .map == "tsw_fdb" and
	.entry == null and .key == "red 02:00:00:00:00:77"' $WORK/trace.json
check "and what to do" gojq -e '.[0].why.do | test("tsw endpoint add")' $WORK/trace.json
runs dropped unknown_destination -- "${red[@]}" to a
runs dropped spoofed_mac -- "${red[@]}" to b mac 02:00:00:00:00:99
runs dropped spoofed_ip -- "${red[@]}" to b ip 10.0.0.99
is "tells the command that lists it" "$(field .why.do)" \
	'"tsw endpoint set a tenant red ip 10.0.0.1 ip fd00::1 ip 10.0.0.99"'
runs dropped spoofed_ip -- "${red[@]}" to c ip 10.0.0.2
runs dropped spoofed_ip -- "${red[@]}" to c ip 10.0.0.2 proto arp
runs dropped spoofed_ip -- "${red[@]}" to c ip fd00::2 proto nd

# Another tenant's: its MAC and its IP are nobody's.
runs dropped unknown_destination -- "${red[@]}" to 02:00:00:00:01:03
row 'flooded - not_run' "${red[@]}" to 10.1.0.1
check "the sender asks first" gojq -e '.[0].frame.proto == "arp" and
	.[0].frame.to_mac == "ff:ff:ff:ff:ff:ff"' $WORK/trace.json

# Broadcast: not run, the members told.
row 'flooded - not_run' "${red[@]}" to ff:ff:ff:ff:ff:ff
is "who gets a copy" "$(field '.members | map(.copy_to | split(" ") | last) | sort')" \
	'["h2","red-b"]'
row 'flooded - not_run' "${red[@]}" to 224.0.0.251 proto udp port 5353
row 'flooded - not_run' from c tenant red to ff:ff:ff:ff:ff:ff
is "from another host: ports alone" "$(field '.members | length')" 2
row 'dropped reserved_multicast not_run' "${red[@]}" to 01:80:c2:00:00:00
sw h1 tenant set red broadcast off
row 'dropped broadcast_off not_run' "${red[@]}" to ff:ff:ff:ff:ff:ff
sw h1 tenant set red broadcast on

is "nothing has changed but counters" "$(state)" "$before_all"

# To another host: four kinds of outer headers, as the program wrote them.
outer() { field '.outer | [.encap, .from, .to, .vni // .key, .ttl, .octets]'; }
reach red-a 10.0.0.3 && reach green-a 10.0.0.3
mac=$(ip -n h2 -j link show dev eth0 | gojq -r '.[0].address')
before=$(stat_of h1 red tunnel_tx)
runs tunnel -- "${red[@]}" to c
is "counted once" "$(stat_of h1 red tunnel_tx)" $((before + 1))
is "VXLAN over IPv4" "$(outer)" '["vxlan","192.0.2.1","192.0.2.2",100,64,50]'
is "next hop" "$(field .next)" \
	"{\"dev\":\"eth0\",\"via\":\"192.0.2.2\",\"mac\":\"$mac\",\"mtu\":1500}"
check "what the far host needs" diff - <(gojq -r '.[0].far[].command' $WORK/trace.json) <<-END
	tsw tenant add red id 100
	tsw host add h1 ip 192.0.2.1 ip 2001:db8::1
	tsw endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 host h1
	tsw endpoint add c tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 ip fd00::3 dev DEV
END
runs tunnel -- from a tenant green to c proto tcp port 80
is "GRE over IPv4" "$(outer)" '["gre","192.0.2.1","192.0.2.2",300,64,42]'
runs tunnel -- "${red[@]}" to c length 1450
runs answered too_big -- "${red[@]}" to c length 1451
runs answered too_big -- "${red[@]}" to fd00::3 length 1451
row 'answered too_big not_run' "${red[@]}" to c length 9000
runs answered too_big -- from a tenant green to c length 1459
for tenant in red green; do # not IP, for no address is known
	sw h1 endpoint add bare tenant $tenant mac 02:00:00:00:00:33 host h2
done
runs kernel_tunnel -- "${red[@]}" to bare
gre=tunnel
[ "$(sw h1 -j switch show | gojq ".gre_dev | length")" = 0 ] || gre=kernel_tunnel
runs $gre -- from a tenant green to bare
sw h1 host set h2 ip 2001:db8::2 ip 192.0.2.2
reach red-a fd00::3 && reach green-a fd00::3
runs tunnel -- "${red[@]}" to fd00::3
is "VXLAN over IPv6" "$(outer)" '["vxlan","2001:db8::1","2001:db8::2",100,64,70]'
runs tunnel -- from a tenant green to fd00::3
is "GRE over IPv6" "$(outer)" '["gre","2001:db8::1","2001:db8::2",300,64,62]'
runs answered too_big -- "${red[@]}" to c length 1431
runs delivered -- from c tenant red to a
runs delivered -- from c tenant green to fd00::1
sw h1 host set h2 ip 192.0.2.2 ip 2001:db8::2

# From another host.
runs delivered -- from c tenant red to a
is "as the other host would send it" "$(outer)" '["vxlan","192.0.2.2","192.0.2.1",100,64,50]'
runs delivered -- from c tenant green to a proto udp port 7
runs dropped unknown_destination -- from c tenant red to 02:00:00:00:00:77
runs dropped wrong_host -- from c tenant red to a mac 02:00:00:00:00:02
runs dropped wrong_host -- from c tenant red to a mac 02:00:00:00:00:77
runs dropped unknown_destination -- from far to 02:00:00:00:01:03

# The kernel's routing.
ip -n h1 addr del 192.0.2.1/24 dev eth0
runs dropped no_route -- "${red[@]}" to c
sysctl_in h1 net.ipv4.conf.tsw-vx.forwarding=0 # then nobody asks for a route
runs tunnel -- "${red[@]}" to c
sysctl_in h1 net.ipv4.conf.tsw-vx.forwarding=1
ip -n h1 addr add 192.0.2.1/24 dev eth0
retry 5 on h1 ip route get 192.0.2.2
for words in "mtu 1400" "mtu lock 1380"; do
	# shellcheck disable=SC2086 # words of a route
	ip -n h1 route replace 192.0.2.2 dev eth0 $words
	sw h1 switch repair # before it is not known
	reach red-a 10.0.0.3
	runs answered too_big -- "${red[@]}" to c length $((${words##* } - 49))
	runs tunnel -- "${red[@]}" to c length $((${words##* } - 50))
done
ip -n h1 route del 192.0.2.2 dev eth0
runs tunnel -- "${red[@]}" to c
is "a route that has changed since is told" "$(field '.problems | map(.what)')" '["host_mtu"]'
sw h1 switch repair

# Rate limits: a bucket that a frame has emptied.
sw h1 endpoint set b tenant red rate-out 1kbit rate-in 1kbit burst 1500
runs delivered -- from b to a length 1400
runs delivered -- from b to a length 1400
runs dropped rate_limited -- from b to a
is "from the endpoint" "$(field .direction)" '"from_endpoint"'
runs delivered -- "${red[@]}" to b length 1400
runs delivered -- "${red[@]}" to b length 1400
runs dropped rate_limited -- "${red[@]}" to b
is "to the endpoint" "$(field .direction)" '"to_endpoint"'
sw h1 endpoint set b tenant red rate-out none rate-in none burst none

sw h1 tenant set red rate-out 1kbit burst 1500
runs tunnel -- from b to c length 1400
runs tunnel -- "${red[@]}" to c length 1400
runs dropped rate_limited -- from b to c
sw h1 tenant set red rate-out none burst none

# Gateways: none, here, on the other host, everywhere; and what each does with a flow.
runs dropped unknown_destination -- "${red[@]}" to 02:00:00:00:00:fe ip 10.0.0.1
row 'flooded - not_run' "${red[@]}" to 203.0.113.9
sw h1 gateway add red ip 10.0.0.254/24 ip fd00::fe/64
runs gateway -- "${red[@]}" to 203.0.113.9 proto tcp port 443
check "with its tenant's mark" gojq -e '.[0].gateway | .mark == "0x74500001" and .nat' \
	$WORK/trace.json
runs gateway -- "${red[@]}" to 2001:db8:9::9
runs answered -- "${red[@]}" to 10.0.0.254
runs gateway -- "${red[@]}" to 10.0.0.254 proto tcp port 22
runs dropped host_address -- "${red[@]}" to 192.0.2.2
runs dropped host_address -- "${red[@]}" to 169.254.169.254
runs dropped host_address -- "${red[@]}" to 203.0.113.9 proto udp port 4789
runs gateway -- "${red[@]}" to 203.0.113.9 proto udp port 4790
runs gateway -- from c tenant red to 203.0.113.9
runs dropped spoofed_ip -- from c tenant red to 203.0.113.9 ip 10.0.0.77
sw h1 endpoint add routed tenant red mac 02:00:00:00:02:01 ip 10.2.0.1 host h2
runs tunnel -- "${red[@]}" to 10.2.0.1
check "by the gateway's MAC" gojq -e '.[0] | .frame.to_mac != "02:00:00:00:02:01" and
	(.steps | map(.at) | contains(["inside"]))' $WORK/trace.json
runs tunnel -- "${red[@]}" to 02:00:00:00:02:01
is "or straight" "$(field '.steps | map(.at) | contains(["inside"])')" false
sw h1 gateway set red host h2
runs tunnel -- "${red[@]}" to 203.0.113.9 proto tcp
is "to the host that serves it" "$(field .host)" '"h2"'
runs dropped unknown_destination -- from c tenant red to 203.0.113.9
sw h1 gateway set red host none drain 60
runs gateway -- "${red[@]}" to 203.0.113.9 proto tcp
runs tunnel -- "${red[@]}" to 203.0.113.10 proto udp port 53
sw h1 gateway set red host h2 drain 60
runs tunnel -- "${red[@]}" to 203.0.113.9 proto tcp port 444
runs gateway -- "${red[@]}" to 203.0.113.11 proto udp port 53
check "held here" gojq -e '.[0].gateway.mark | test("^0x7454")' $WORK/trace.json
sw h1 gateway set red host none
runs gateway -- "${red[@]}" to 203.0.113.9

# Peers: one half, both, and the addresses of the other.
sw h1 gateway add blue ip 10.1.0.254/24
runs gateway -- "${red[@]}" to far
is "the container has no way there" "$(field '.problems | map(.what)')" \
	'["not_peered","container_route"]'
ip -n red-a route add default via 10.0.0.254 dev eth0
runs gateway -- "${red[@]}" to far
is "an endpoint of a tenant that is no peer" "$(field '.problems | map(.what)')" '["not_peered"]'
sw h1 peer add blue with red
runs dropped not_peered -- "${red[@]}" to 10.1.0.1
check "tells both halves" gojq -e '.[0].why.do | test("peer add blue with red")' $WORK/trace.json
sw h1 peer add red with blue
runs gateway -- "${red[@]}" to 10.1.0.1
is "to the peer" "$(field .gateway.peer)" '"blue"'
runs gateway -- "${red[@]}" to far proto tcp port 80
mac_of_gateway() { js h1 gateway show "$1" '.[0].mac'; } # TENANT
by_peer=(from far tenant blue mac "$(mac_of_gateway red)" ip 10.0.0.3 to "$(mac_of_gateway blue)")
runs gateway -- "${by_peer[@]}" # as red's gateway, which is on every host, sends it
sw h1 gateway set red host h2
runs gateway -- "${by_peer[@]}" # as it does where it is on the other host
runs tunnel -- "${red[@]}" to 10.1.0.1
sw h1 peer del blue with red
runs dropped wrong_host -- "${by_peer[@]}"

# Names of an awkward kind are safe to copy.
odd="o'x\$(id)"
sw h1 tenant add "$odd" id 400
sw h1 endpoint add "$odd" tenant "$odd" mac 02:00:00:00:03:01 ip 10.3.0.1 host h2
runs dropped unknown_destination -- from "$odd" to 02:00:00:00:00:77
is "as one word of the shell" \
	"$(eval "printf '%s ' $(gojq -r '.[0].far[0].command' $WORK/trace.json)")" \
	"tsw tenant add $odd id 400 "

# A device that is gone; one that is down; a program that is not there.
ip -n h1 link set red-b down
runs delivered -- "${red[@]}" to b
is "a port that is down" "$(field '.problems | map(.what)')" '["device_down"]'
ip -n h1 link set red-b up
ip -n h1 link del red-b
runs dropped device_gone -- "${red[@]}" to b
row 'unsent - not_run' from b to a
sw h1 -j switch check >$WORK/check.json || true
runs tunnel -- "${red[@]}" to c

if [ "$(js h1 switch show .attach)" = clsact ]; then
	on h1 tc qdisc del dev red-a clsact
else
	rm "/sys/fs/bpf/tsw/h1/links/port-$(js h1 endpoint show a tenant red '.[0].ifindex')-in"
fi
runs tunnel -- "${red[@]}" to c
is "the program is not at the port" "$(field '.problems | map(.what)')" '["not_attached"]'
sw h1 switch repair 2>/dev/null || true # the device of b, which is gone, is left

# Nothing was sent but what pings sent: each has its own identifier, and trace's is 7450.
reach red-a 10.0.0.3
capture_has wire 2 || true
capture_stop wire b
ours() { # frames of trace on the wires: its echo identifier, its ports, its kind of frame
	captured_text wire | grep -cE 'id 7450,|\.40000 >|0x88b5' || true
}
is "nothing of trace is on the underlay" "$(ours)" 0
check "though it hears" test "$(captured wire)" -ge 2
is "nothing is at the port" "$(captured b 'icmp or icmp6 and ip6[40] = 128 or udp or tcp')" 0

# With others at work, from elsewhere, and with wrong words; tests/unit_trace.c has the others.
bg h1 flock /run/tsw/h1 sleep 60
held() { ! flock -n /run/tsw/h1 true; }
check "the lock is held" retry 5 held
check "it needs none" timeout $((2 * ${TSW_SLOW:-1})) "$TSW" -n h1 trace "${red[@]}" to c
kill $BG
"$TSW" -i h1 -j trace "${red[@]}" to c >$WORK/out 2>$WORK/err || status=$?
is "from another namespace it is refused" "$status" 1
check "with the way there" grep -q 'tsw -n' $WORK/err
check "and JSON" gojq -e .error $WORK/out
wrong() { # STATUS WORD...
	local want=$1 status=0

	shift
	sw h1 trace "$@" >$WORK/out 2>$WORK/err || status=$?
	is "refused: trace $*" "$status $(wc -l <$WORK/err) $(wc -l <$WORK/out)" "$want 1 0"
}
wrong 1 from nobody to a
wrong 1 from a to b # of two tenants
wrong 1 "${red[@]}" to nobody
wrong 1 from far to fd00::1
wrong 1 from far to c # which two others have
wrong 2 "${red[@]}" to a/b
wrong 1 "${red[@]}" to b proto tcp length 30
finish
