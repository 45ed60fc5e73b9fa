#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: basic/moves moves endpoints; packet_move and packet_announce
#
#   red, blue vm 10.0.0.1, first here ─ h1 ┐        ┌ h3 ─ up1 198.51.1.1 ─ world1 198.51.1.2
#                                          ├────────┤
#   red, blue vm 10.0.0.1, then here ── h2 ┘        └ h4 ─ up2 198.51.2.1 ─ world2 198.51.2.2
#
# h3 and h4 have no endpoints: they serve the gateways, red's by VXLAN, blue's by GRE. A VM that has
# moved announces itself once and is silent afterwards. Packets from the world still reach it, since
# the hosts that serve its gateway hear the announcement. They hear nothing else of its broadcasts.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"

topo_hosts h1 h2 h3 h4
switch_up
tenants red 100
ENCAP=gre tenants blue 200
VM=02:00:00:00:00:01
uplink h3 world1 1
uplink h4 world2 2
declare -A PORT=([red]=80 [blue]=90)
for tenant in red blue; do
	container $tenant vm h1 10.0.0.1/24
	container $tenant q h1 10.0.0.2/24
	container $tenant new h2 10.0.0.1/24 mac $VM endpoint off
	sw h3 gateway add $tenant ip 10.0.0.254/24
	for host in h1 h2 h4; do sw $host gateway add $tenant ip 10.0.0.254/24 host h3; done
	for host in h3 h4; do
		sw $host publish add $tenant proto udp port ${PORT[$tenant]} to 10.0.0.1:9
	done
done
quiet h1 h2 h3 h4

# They know no way to the world: what is sent to them is counted, and not answered.
got() { on "$1" nstat -asz UdpNoPorts | awk '/UdpNoPorts/ { print $2 }'; }
goes_to() { # DESC TENANT vm|new WORLD [FROM]
	local vm new

	vm=$(got "$2-vm") new=$(got "$2-new")
	ask "world$4" udp "198.51.$4.1" "${PORT[$2]}" from="${5:-0}" wait=0.1 >/dev/null
	arrived() { [ "$(got "$1-vm") $(got "$1-new")" != "$vm $new" ]; }
	retry 2 arrived "$2" || true
	is "$1" "$(($(got "$2-vm") - vm)) $(($(got "$2-new") - new))" \
		"$([ "$3" = vm ] && echo 1 0 || echo 0 1)"
}
RARP=0001080006040003020000000001000000000200000000010000000000
announce() { # TENANT: as qemu does where the guest has come
	inject "$1-new" eth0 eth src=$VM dst=ff:ff:ff:ff:ff:ff type=0x8035 / hex "$RARP"
}
told() { # TENANT
	sw h2 endpoint set vm tenant "$1" host h1 to-dev "$1-new"
	sw h1 endpoint set vm tenant "$1" to-host h2
	for host in h3 h4; do sw $host endpoint set vm tenant "$1" host h1 host h2; done
}
back() { # TENANT
	sw h1 endpoint set vm tenant "$1" dev "$1-vm"
	for host in h2 h3 h4; do sw $host endpoint set vm tenant "$1" host h1; done
}
hears() { stat_of "$1" "$2" tunnel_rx; }
# only_h1_hears DESC TENANT CMD...: of the hosts
only_h1_hears() {
	local h1 others

	h1=$(hears h1 "$2") others="$(hears h3 "$2") $(hears h4 "$2")"
	"${@:3}"
	h1_has() { [ "$(hears h1 "$1")" -gt "$h1" ]; }
	check "$1: h1 hears it" retry 5 h1_has "$2"
	is "$1: who serve the gateway do not" "$(hears h3 "$2") $(hears h4 "$2")" "$others"
}
to_all() { # TENANT
	inject "$1-new" eth0 eth src=$VM dst=ff:ff:ff:ff:ff:ff / ip src=10.0.0.1 dst=10.0.0.255 / udp
}

for tenant in red blue; do
	goes_to "$tenant: before" $tenant vm 1
	told $tenant
	goes_to "$tenant: told of both" $tenant vm 1
	announce $tenant
	goes_to "$tenant: announced" $tenant new 1
	is "$tenant: nothing goes to a host that does not serve" "$(hears h4 $tenant)" 0
	only_h1_hears "$tenant: another broadcast" $tenant to_all $tenant
	sw h2 endpoint set vm tenant $tenant dev $tenant-new
	only_h1_hears "$tenant: an announcement of who does not move" $tenant announce $tenant
	back $tenant
done

# ---- two that serve: what began at the old one stays there ------------------------------------

goes_to "it begins at h3" red vm 1 5555
for host in h1 h2 h3; do sw $host gateway set red host h4 drain 600; done
sw h4 gateway set red host none drain 600
goes_to "h4 serves: what is new" red vm 2
goes_to "h3 has what it had" red vm 1 5555
told red
announce red
goes_to "announced: by h4" red new 2
goes_to "and by h3" red new 1 5555
back red

# ---- everywhere -------------------------------------------------------------------------------

for host in h1 h2 h3 h4; do sw $host gateway set blue host none; done
goes_to "everywhere: by h3" blue vm 1
goes_to "by h4" blue vm 2
told blue
for host in h1 h2 h3 h4; do sw $host tenant set blue broadcast off; done
expect_drops "announced, without broadcast" h4 1 "blue broadcast_off from_tunnel" announce blue
goes_to "by h3" blue new 1
goes_to "by h4" blue new 2
for host in h1 h2 h3 h4; do
	is "$host: all is well" "$(sw $host -j switch check | gojq -c .problems)" "[]"
done
finish
