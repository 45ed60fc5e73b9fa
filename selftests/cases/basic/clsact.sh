#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: basic/reach runs by clsact in Linux 6.1, guard/spoofing by tcx
# The same switch with clsact filters instead of tcx links, as on kernels before 6.6: other
# cases run once more, and a filter of somebody else's on the same hooks survives.
#
#   red-a 10.0.0.1 ── h1 192.0.2.1 ══════ 192.0.2.2 h2 ── red-c 10.0.0.3
#                     ╰ filters of somebody's own on eth0 and red-a
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_wire.sh"

UP_ARGS="attach clsact"
topo_hosts h1 h2
ip netns exec h1 tc qdisc add dev eth0 clsact
ip netns exec h1 tc filter add dev eth0 ingress pref 7 bpf bytecode '1,6 0 0 0'
switch_up
tenants red 100
container red a h1 10.0.0.1/24 fd00::1/64
container red c h2 10.0.0.3/24 fd00::3/64
ip netns exec h1 tc filter add dev red-a ingress pref 7 bpf bytecode '1,6 0 0 0'
filters() { ip netns exec h1 tc filter show dev "$1" "$2"; }

is "switch show tells clsact" "$(js h1 switch show .attach)" clsact
check "reachable" reach red-a 10.0.0.3
check "reachable, IPv6" reach red-a fd00::3
check "TCP" xfer red-a red-c tcp 10.0.0.3
check "UDP_SEGMENT" xfer red-a red-c udpgso fd00::3
ours() { filters "$1" "$2" | grep -c "$3.*direct-action" || true; } # DEV HOOK PROGRAM
is "one filter of ours is on the underlay" "$(ours eth0 ingress tsw_from_wire)" 1
is "and one each way on the endpoint's device" \
	"$(ours red-a ingress tsw_from_port) $(ours red-a egress tsw_to_port)" "1 1"
sw h1 endpoint replace a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 dev red-a
is "replace leaves one" "$(ours red-a ingress tsw_from_port)" 1
sw h1 endpoint del a
is "endpoint del takes ours off the device" "$(filters red-a ingress | grep -c tsw_ || true)" 0
is "and leaves the other's" "$(filters red-a ingress | grep -c 'pref 7 bpf' || true)" 2
sw h1 switch down
is "switch down takes ours off the underlay" "$(filters eth0 ingress | grep -c tsw_ || true)" 0
is "and leaves the other's there" "$(filters eth0 ingress | grep -c 'pref 7 bpf' || true)" 2
check "with the qdisc that was there before" \
	grep -q clsact <(ip netns exec h1 tc qdisc show dev eth0)
run_undo

# Cases that must come out the same. `make test` has basic/reach by clsact in Linux 6.1.
cases="guard/spoofing basic/broadcast"
[ -n "${TSW_QUICK:-}" ] || cases+=" basic/reach guard/not-stamped"
for case in $cases; do
	# Each makes a private place of its own; its points become ours.
	UP_ARGS=$UP_ARGS bash "$LIB/cases/$case.sh" >$WORK/out 2>&1 || FAILED=1
	sed -E "s|^((not )?ok) |\1 $case: |" $WORK/out
done
finish
