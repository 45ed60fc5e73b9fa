#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a person types first: status, host probe.
#
#   h1 ── h2     and h3, which is down
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
switch_up
sw_all tenant add red id 100 net 10.0.0.0/24
sw_all gateway add red ip 10.0.0.254/24 host h2
sw h1 host add h3 ip 192.0.2.3

# ---- host probe ----------------------------------------------------------------------

probed() { js h1 host probe "$@" '.[] | "\(.name) \(.alive) \(.encap | join(","))"'; }
is 'a host is asked by both encapsulations' "$(probed h2)" 'h2 true vxlan,gre'
is 'a dead host does not answer' "$(probed || true)" $'h2 true vxlan,gre\nh3 false '
check 'status 0: all that were asked answer' sw h1 host probe h2
refuses 'status 1: one does not' 1 'h3 ip 192.0.2.3 alive off' sw h1 host probe
refuses 'an unknown host' 1 'there is no host "h9"' sw h1 host probe h9
is 'nothing is left in the map of probes' "$(map_dump h1 probes)" '[]'

# ---- status --------------------------------------------------------------------------

is 'a page' "$(sw h1 status | sed 's/ version .*//')" \
'switch h1 dev eth0 local 192.0.2.1 underlay-mtu 1500 endpoints 0 max-endpoints 65536
host h3 ip 192.0.2.3 mtu 1500 endpoints 0 alive off
host h2 ip 192.0.2.2 mtu 1500 endpoints 0 alive on
tenant red id 100 encap vxlan mtu 1450 endpoints 0 drops 0
gateway red ip 10.0.0.254/24 host h2 local off down off'
is 'its JSON' "$(js h1 status '[.switch.name, .agents, (.hosts | map(.alive)), .tenants[0].mtu,
	.gateways[0].host, .drops]')" '["h1",[],[true,false],1450,"h2",[]]'
for n in {4..20}; do echo "host add h$n ip 192.0.2.$n"; done | sw h1 -b -
is 'of twenty hosts it shows twelve, the dead ones first' \
	"$(sw h1 status | grep -c '^host h.* alive off$') $(sw h1 status | grep '^host \.')" \
	'12 host ... and 7 more'
refuses 'no switch' 1 'no switch "h3" is up' "$TSW" -i h3 status
refuses 'a word too many' 2 'unknown word "red"' sw h1 status red

finish
