#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the cases that come from another network: tsw-migrate, old networks, and which flows lose what
# while a tenant moves. Source it after lib.sh.
# shellcheck disable=SC2153 # VTEP and HOSTS are lib_topo.sh's

MIGRATE=$ROOT/contrib/migrate/tsw-migrate

# migrate NS ARG...: prints the state; its messages are in $WORK/said, its exit status in
# $WORK/status.
migrate() {
	local status=0

	on "$1" "$PY" "$MIGRATE" "${@:2}" 2>$WORK/said || status=$?
	echo $status >$WORK/status
}

# tenants_of: reads a state, and prints each tenant and endpoint in short, a line each.
tenants_of() {
	gojq -r '.tenants[] | "\(.name) \(.id) \(.encap)" + (if .gateway then
		" gateway \(.gateway.ip | join(",")) at \(.gateway.host // "each")" else "" end),
		(.endpoints | sort_by(.mac)[] | "  \(.name) \(.mac) \(.ip // [] | join(","))" +
		" \(.host) \(.dev // "-")")'
}

# left_out: what the last `migrate` said that it left out, a line each.
left_out() { sed -n 's/^tsw-migrate: left out: //p' $WORK/said; }

# refused DESC STATUS TEXT NS ARG...: `migrate` prints no state, and one line, which has TEXT.
refused() {
	local desc=$1 status=$2 text=$3

	shift 3
	is "$desc: nothing on stdout" "$(migrate "$@")" ""
	is "$desc: one line, status $status" "$(<$WORK/status) $(wc -l <$WORK/said)" "$status 1"
	check "$desc: tells $text" grep -qF -- "$text" $WORK/said
}

fits() { "$PY" "$TOOLS/schema.py" "$ROOT/docs/state.schema.json"; } # reads JSON

# ---- Open vSwitch in userspace ----------------------------------------------------------------

# wire_as_usual HOST: the device below the bridge with the address takes part in ARP. On h2 the
# bridge has its MAC, as Open vSwitch's guide has it, elsewhere another.
wire_as_usual() {
	[ "$1" != h2 ] ||
		vsctl h2 set bridge br-wire other-config:hwaddr="\"$(mac_on h2 eth0)\""
	ip -n "$1" link set eth0 arp on
}

# shellcheck disable=SC2016 # its quotes
# past_ovs: the commands that the last `migrate` gave for a switch that goes past it.
past_ovs() { sed -n 's/.*userspace: run `\(ip .*\)`, then `tsw switch up .*/\1/p' $WORK/said; }

# ---- states of hosts --------------------------------------------------------------------------

# part_of_all TENANT...: writes these tenants of $WORK/all.json to $WORK/step.json.
part_of_all() {
	local words=() tenant

	for tenant in "$@"; do words+=(--tenant "$tenant"); done
	migrate h1 merge "${words[@]}" $WORK/all.json >$WORK/step.json
}

# state_to HOST TENANT...: that host's switch gets these tenants, and no others.
state_to() {
	part_of_all "${@:2}"
	sw "$1" -q apply $WORK/step.json
}

# ---- an old network: bridges and vxlan devices ----------------------------------------------

# old_tenant HOST TENANT VNI PEER...: a bridge and a vxlan device that sends broadcast to each PEER.
old_tenant() {
	local host=$1 tenant=$2 vni=$3 peer

	ip -n "$host" link add "br-$tenant" type bridge mcast_snooping 0 forward_delay 0
	ip -n "$host" link add "vx-$tenant" mtu 1450 type vxlan id "$vni" dstport 4789 \
		local "${VTEP[$host]}"
	ip -n "$host" link set "vx-$tenant" master "br-$tenant" up
	ip -n "$host" link set "br-$tenant" up
	for peer in "${@:4}"; do
		on "$host" bridge fdb append 00:00:00:00:00:00 dev "vx-$tenant" dst "${VTEP[$peer]}"
	done
}

# old_container TENANT NAME HOST IP/LEN: a container in the old bridge.
old_container() {
	container "$@" endpoint off
	ip -n "$3" link set "$1-$2" master "br-$1"
}

# ---- who loses what ---------------------------------------------------------------------------

RATE=${TSW_RATE:-500} # datagrams a second of each flow
MOST=$((RATE * ${TSW_SLOW:-1})) # that may be lost: a second of them
declare -A FLOW=()

# flow NAME FROM TO ADDRESS: numbered datagrams from now on.
flow() {
	"$PY" "$TOOLS/stream.py" "$2" "$3" "$4" rate=$RATE wait=$((${TSW_SLOW:-1})) \
		window=$((MOST * 4)) >"$WORK/flow.$1" 2>&1 &
	FLOW[$1]=$!
	undo kill $!
	retry 5 grep -q ready "$WORK/flow.$1"
}

# flows_end DESC UNTOUCHED: no flow lost more than a second of its datagrams; flows whose name
# begins with UNTOUCHED lost nothing.
flows_end() {
	local name most said

	kill "${FLOW[@]}"
	wait "${FLOW[@]}" || true
	for name in $(printf '%s\n' "${!FLOW[@]}" | sort); do
		most=$MOST
		[[ $name != "$2"* ]] || most=0
		said=$(tail -n 1 "$WORK/flow.$name")
		note "$1: $name: $said"
		check "$1: $name lost at most $most of $RATE a second" \
			test "$(lost_of "$said")" -le $most
	done
	FLOW=()
}
# Of what is damaged or comes twice it tells nothing that could be compared.
lost_of() { sed -nE 's/.* ([0-9]+) lost, 0 twice, 0 changed.*/\1/p' <<<"$1"; }

# Of the two tenants that move: a and b here, c there, with equal addresses.
flows_begin() {
	flow red-a-to-c red-a red-c 10.0.0.3
	flow red-c-to-a red-c red-a 10.0.0.1
	flow red-b-to-c red-b red-c 10.0.0.3
	flow red-c-to-b red-c red-b 10.0.0.2
	flow red-a-to-b red-a red-b 10.0.0.2
	flow blue-a blue-a blue-c 10.0.0.3
	flow blue-c blue-c blue-a 10.0.0.1
}

# step DESC UNTOUCHED CMD...: runs CMD while all flows run; those of the name UNTOUCHED lose
# nothing.
step() {
	flows_begin
	check "$1" "${@:3}"
	sleep 1 # so that datagrams arrive after it
	flows_end "$1" "$2"
}
