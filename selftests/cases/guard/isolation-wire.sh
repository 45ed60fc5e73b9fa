#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A stranger on the underlay forges tunnel frames for blue: its own address, the VNI, the flags.
#
#   h1 192.0.2.1: red-a, blue-a ──╮            ╭── h2 192.0.2.2: red-c, blue-c
#                                 ├── wire ────┤
#   x 192.0.2.66, no host of it ──╯            ╰── h3 192.0.2.3: red-e, blue-f
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

topo_hosts h1 h2 h3
switch_up
tenants
for tenant in red blue; do
	container $tenant a h1 10.0.0.1/24
	container $tenant c h2 10.0.0.3/24
done
container red e h3 10.0.0.5/24
container blue f h3 10.0.0.6/24
netns x
cable x
ip -n x addr add 192.0.2.66/24 dev eth0
ip -n x link set eth0 up
check "blue reaches blue" reach blue-a 10.0.0.3
check "blue reaches blue on h3" reach blue-a 10.0.0.6
check "red reaches red on h3" reach red-a 10.0.0.5
quiet h1 h2 h3
capture blue-a blue-a eth0
capture red-a red-a eth0

data="udp / text forged"
in="eth src=02:00:00:00:00:03 dst=02:00:00:00:00:01 / ip src=10.0.0.3 dst=10.0.0.1 / $data"
flood="eth src=02:00:00:00:00:03 dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.3 dst=10.0.0.255 / $data"
via=x
# forged DESC N DROP WORDS...: from namespace $via, N frames dropped on h1 for that.
forged() {
	local desc=$1 n=$2 key=$3

	shift 3
	expect_drops "$desc" h1 "$n" "$key" inject "$via" eth0 "$@"
}

# shellcheck disable=SC2046,SC2086 # words of a frame
{
	forged "a source that is no host, its own" 1 "blue unknown_host from_tunnel" \
		$(tunnel 192.0.2.66 h1 200) $in
	forged "a source that is no host, forged" 1 "blue unknown_host from_tunnel" \
		$(tunnel 192.0.2.77 h1 200) $in
	forged "a source that is no host, broadcast inside" 1 "blue unknown_host from_tunnel" \
		$(tunnel 192.0.2.66 h1 200) $flood
	forged "the host's own address as source" 1 "blue unknown_host from_tunnel" \
		$(tunnel 192.0.2.1 h1 200) $in
	forged "cut off in the VXLAN header" 1 "null truncated from_tunnel" \
		eth src=02:ff:00:00:00:01 dst=$(mac_on h1 eth0) / ip src=192.0.2.2 dst=192.0.2.1 \
		/ udp dport=4789 csum=0 / hex 0800000000

	via=h3
	forged "right VNI from a wrong host" 1 "blue wrong_host from_tunnel" \
		$(tunnel 192.0.2.3 h1 200) $in
	forged "the same, broadcast" 1 "blue wrong_host from_tunnel" \
		$(tunnel 192.0.2.3 h1 200) $flood
	forged "an inner source that nobody has" 1 "blue wrong_host from_tunnel" \
		$(tunnel 192.0.2.3 h1 200) ${in/:03/:77}
	forged "an inner source that lives on h1 itself" 1 "blue wrong_host from_tunnel" \
		$(tunnel 192.0.2.3 h1 200) eth src=02:00:00:00:00:01 dst=ff:ff:ff:ff:ff:ff \
		/ text forged
	forged "red's container of that host under blue's VNI" 1 "blue wrong_host from_tunnel" \
		$(tunnel 192.0.2.3 h1 200) ${in/:03/:05}
	forged "a destination that does not live here" 1 "blue unknown_destination from_tunnel" \
		$(tunnel 192.0.2.3 h1 200) eth src=02:00:00:00:00:06 dst=02:00:00:00:00:03 \
		type=0x88b5 / pad 40 / text forged
	forged "blue's MAC under red's VNI" 1 "red wrong_host from_tunnel" \
		$(tunnel 192.0.2.3 h1 100) ${in/:03/:06}

	via=h2
	bad="blue bad_tunnel_header from_tunnel"
	forged "no I flag" 1 "$bad" $(tunnel 192.0.2.2 h1 "200 flags=0") $in
	forged "flags that RFC 7348 reserves" 1 "$bad" $(tunnel 192.0.2.2 h1 "200 flags=0x88") $in
	forged "reserved bits behind the flags" 1 "$bad" $(tunnel 192.0.2.2 h1 "200 res1=1") $in
	forged "reserved bits behind the VNI" 1 "$bad" $(tunnel 192.0.2.2 h1 "200 res2=1") $in
	forged "an inner frame that is cut off" 1 "blue truncated from_tunnel" \
		$(tunnel 192.0.2.2 h1 200) hex 020000000001020000
	forged "an inner packet that is cut off" 1 "blue truncated from_tunnel" \
		$(tunnel 192.0.2.2 h1 200) ${in/ip /ip len=900 }
	# To nobody's VNI: the kernel's device hears it, as any VTEP would.
	forged "a VNI that is nobody's" 1 "null unknown_tenant from_tunnel" \
		$(tunnel 192.0.2.2 h1 300) $in
	forged "another port" 0 "$bad" \
		$(tunnel 192.0.2.2 h1 200 | sed 's/dport=4789/dport=8472/') $in
	forged "another host's address outside" 0 "$bad" \
		$(tunnel 192.0.2.2 h1 200 | sed 's/dst=192.0.2.1/dst=192.0.2.3/') $in
	forged "another host's MAC outside" 0 "$bad" \
		$(tunnel 192.0.2.2 h1 200 |
			sed "s/dst=$(mac_on h1 eth0)/dst=02:ff:00:00:00:09/") $in
	forged "in a VLAN of the underlay that is not ours" 1 "blue vlan_tagged from_tunnel" \
		$(tunnel 192.0.2.2 h1 200 | sed 's|/ ip|/ vlan vid=5 / ip|') $in
}

# The same words are good where nothing is forged: what was refused was the forgery.
# shellcheck disable=SC2046,SC2086
inject h2 eth0 $(tunnel 192.0.2.2 h1 200) ${in/forged/honest}
check "blue-a gets the honest frame" dissect_has blue-a 1 has:honest
check "blue reaches blue still" reach blue-a 10.0.0.3
capture_stop blue-a red-a
is "nothing forged came to blue" "$(dissect blue-a -C has:forged)" 0
is "nothing forged came to red" "$(dissect red-a -C has:forged)" 0
is "red got nothing of blue's" "$(dissect red-a -C has:honest)" 0
finish
