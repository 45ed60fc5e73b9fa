#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# OVN, whose control plane is a peer of ours. Sourced by a scenario behind lib.sh; topo_hosts has
# made three hosts or more, with the wire between them.
#
#   ovn_start HOST...  databases and ovn-northd in a namespace `central` on the same wire; on each
#                      host a database, a switch and an ovn-controller
#   ovn_fill N         so many logical ports are there
#   ovn_one            one port more, on the first host: ms until its flows are on all hosts
#   ovn_hv             the same: ms until `ovn-nbctl --wait=hv lsp-add` has returned
#   ovn_restart HOST   its ovn-controller has ended and starts: ms until its flows are complete
#   ovn_stop           all of that ends
#
# A host that topo_hosts has made has the userspace datapath, and the databases by TCP. Any other
# name is a simulated one: the same daemons in a namespace without a wire, a dummy as datapath, and
# the databases by a socket.
#
# OVN_EACH ports make a logical switch, a tenant. Each host has one of them, since a host without a
# port there gets no flows of that switch. The rest is bound to OVN_FAR chassis which are records
# only, as if so many hosts more were there. Where a port is bound and no frame is to cross, its
# device is a dummy of the switch.
# shellcheck shell=bash disable=SC1091,SC2034,SC2154 # as in selftests/.shellcheckrc

. "$LIB/lib_ovs.sh"

OVN_SCHEMAS=/usr/share/ovn
OVN_DB=$WORK/ovs-central # of the namespace `central`, as `daemon` has it
OVN_EACH=${OVN_EACH:-50} # logical ports in a logical switch
OVN_FAR=${OVN_FAR:-10}   # chassis that are records only
OVN_WAIT=${OVN_WAIT:-300} # seconds that one command may take
OVN_ENCAP=${OVN_ENCAP:-geneve}
OVN_HOSTS=() OVN_SWITCHES=0
OVN_KEY=2000 OVN_SWITCH_KEY=4000 OVN_MAC=02:00:00:00:00:99 # of the port that ovn_one adds

# ---- what is asked ------------------------------------------------------------------

# A process that stays has the database's contents, as an orchestrator has; one for each command
# would read all of them first.
nbctl() { OVN_NB_DAEMON=$OVN_DB/nbctl.ctl ovn-nbctl --timeout="$OVN_WAIT" "$@"; }
sbctl() { ovn-sbctl --timeout="$OVN_WAIT" --db="unix:$OVN_DB/sb.sock" "$@"; }

ovn_ms() { # FROM TO: both in microseconds
	awk -v us=$(($2 - $1)) 'BEGIN { print us / 1000 }'
}

ovn_flows() { # HOST: how many there are
	ovs-ofctl dump-aggregate "$WORK/ovs-$1/br-int.mgmt" | sed -n 's/.*flow_count=//p'
}

# ---- start and stop -----------------------------------------------------------------

ovn_central() {
	local db

	netns central
	addresses central 250
	cable central
	underlay_net central
	retry 5 carrier central eth0
	undo rm -r "$OVN_DB"
	mkdir "$OVN_DB"
	for db in nb sb; do
		ovsdb-tool create "$OVN_DB/$db.db" "$OVN_SCHEMAS/ovn-$db.ovsschema"
	done
	daemon central ovsdb-server --remote="punix:$OVN_DB/nb.sock" \
		--unixctl="$OVN_DB/nb.ctl" "$OVN_DB/nb.db"
	daemon central ovsdb-server --remote="punix:$OVN_DB/sb.sock" \
		--remote=db:OVN_Southbound,SB_Global,connections \
		--unixctl="$OVN_DB/sb.ctl" "$OVN_DB/sb.db"
	retry 20 ovn-nbctl --db="unix:$OVN_DB/nb.sock" init
	retry 20 sbctl init
	# No probes here nor at the hosts: one who has no CPU for so long is not gone.
	sbctl --inactivity-probe=0 set-connection "ptcp:6642:${VTEP[central]}"
	daemon central ovn-northd --ovnnb-db="unix:$OVN_DB/nb.sock" \
		--ovnsb-db="unix:$OVN_DB/sb.sock" --unixctl="$OVN_DB/northd.ctl"
	OVN_RUNDIR=$OVN_DB ovn-nbctl --db="unix:$OVN_DB/nb.sock" --detach --pidfile \
		--unixctl="$OVN_DB/nbctl.ctl" >/dev/null
}

ovn_controller() { # HOST
	local dir=$WORK/ovs-$1

	OVN_RUNDIR=$dir daemon "$1" ovn-controller "unix:$dir/db.sock" \
		--pidfile="$dir/controller.pid"
}

ovn_host() { # HOST ADDRESS DATABASE OPTION...: the options are for its switch
	ovs_daemons "$1" "${@:4}"
	vsctl "$1" set open . external_ids:system-id="$1" external_ids:hostname="$1" \
		external_ids:ovn-remote="$3" external_ids:ovn-remote-probe-interval=0 \
		external_ids:ovn-openflow-probe-interval=0 \
		external_ids:ovn-bridge-datapath-type=netdev \
		external_ids:ovn-encap-type="$OVN_ENCAP" external_ids:ovn-encap-ip="$2" \
		-- add-br br-int -- set bridge br-int datapath_type=netdev fail_mode=secure \
		other-config:disable-in-band=true
	ovn_controller "$1"
}

ovn_start() { # HOST...
	local host n=0

	OVN_HOSTS=("$@") OVN_SWITCHES=0
	ovn_central
	for host in "$@"; do
		n=$((n + 1))
		if [ -n "${VTEP[$host]:-}" ]; then
			ovn_host "$host" "${VTEP[$host]}" "tcp:${VTEP[central]}:6642" \
				--disable-system --enable-dummy
		else
			netns "$host"
			ovn_host "$host" 198.18.0.$n "unix:$OVN_DB/sb.sock" --enable-dummy=override
		fi
	done
	ip -n "$1" link add ovn-new type veth peer name ovn-newp
	ip -n "$1" link set ovn-new up
	for host in "$@"; do
		retry 60 sbctl get chassis_private "$host" name
	done
	ovn_far "$1"
	ovn_fill 0
}

# ovn_far HOST: the chassis that are records only, with what that host's can do: where one can do
# less, ovn-northd has other flows for all.
ovn_far() {
	local i can

	can=$(sbctl get chassis "$1" other_config)
	for ((i = 0; i < OVN_FAR; i++)); do
		sbctl chassis-add "far$i" "$OVN_ENCAP" 198.19.0.$i \
			-- set chassis "far$i" "other_config=$can"
	done
}

ovn_exit() { # CONTROL-SOCKET [WORD...]: who listens there is told to, and has ended
	ovs-appctl -t "$1" exit "${@:2}"
	while [ -S "$1" ]; do sleep 0.005; done
}

ovn_stop() {
	local host ctl

	for host in "${OVN_HOSTS[@]}"; do
		ovn_exit "$WORK/ovs-$host"/ovn-controller.*.ctl --restart
		for ctl in vswitchd db; do ovn_exit "$WORK/ovs-$host/$ctl.ctl"; done
		rm -r "$WORK/ovs-$host"
		[ -n "${VTEP[$host]:-}" ] || ip netns del "$host"
	done
	ip -n "${OVN_HOSTS[0]}" link del ovn-new
	ip -n wire link del central # its namespace goes by and by
	for ctl in nbctl northd sb nb; do ovn_exit "$OVN_DB/$ctl.ctl"; done
	rm -r "$OVN_DB"
	ip netns del central
	OVN_HOSTS=()
}

# ---- filling ------------------------------------------------------------------------

# ovn_words FROM TO: to add these logical switches with all their ports, as a command's words.
ovn_words() {
	awk -v from="$1" -v to="$2" -v each="$OVN_EACH" -v hosts="${OVN_HOSTS[*]}" \
		-v key="$OVN_SWITCH_KEY" 'BEGIN {
		n = split(hosts, host, " ")
		for (i = from; i < to; i++) {
			print "--\nls-add\nt" i
			if (i == 0) {
				print "--\nset\nlogical_switch\nt0"
				print "other_config:requested-tnl-key=" key
			}
			for (k = 0; k < each; k++) {
				port = "t" i "-" (k < n ? host[k + 1] : "far-" k)
				print "--\nlsp-add\nt" i "\n" port
				print "--\nlsp-set-addresses\n" port
				printf "02:01:%02x:%02x:00:%02x ", i / 256, i % 256, k
				print "10.0.0." k + 1
			}
		}
	}'
}

# ovn_bind FROM TO: the ports of these switches, each at its host, or at a chassis that does not
# exist.
ovn_bind() {
	local host i words

	for host in "${OVN_HOSTS[@]}"; do
		words=()
		for ((i = $1; i < $2; i++)); do
			words+=(-- add-port br-int "t$i" -- set interface "t$i" type=dummy
				"external_ids:iface-id=t$i-$host")
		done
		vsctl "$host" "${words[@]:1}"
	done
	[ "$OVN_FAR" != 0 ] || return 0
	mapfile -t words < <(awk -v from="$1" -v to="$2" -v each="$OVN_EACH" -v far="$OVN_FAR" \
		-v n=${#OVN_HOSTS[@]} 'BEGIN {
		for (i = from; i < to; i++)
			for (k = n; k < each; k++)
				print "--\nlsp-bind\nt" i "-far-" k "\nfar" (i + k) % far
	}')
	sbctl "${words[@]:1}"
}

# ovn_fill N: whole switches, at least one. Comes back when all hosts have all flows.
ovn_fill() {
	local to=$((($1 + OVN_EACH - 1) / OVN_EACH)) until words

	[ $to != 0 ] || to=1
	while [ $OVN_SWITCHES -lt $to ]; do
		# One command has room for so many words.
		until=$((OVN_SWITCHES + 20 < to ? OVN_SWITCHES + 20 : to))
		mapfile -t words < <(ovn_words $OVN_SWITCHES $until)
		nbctl --wait=sb "${words[@]:1}"
		ovn_bind $OVN_SWITCHES $until
		OVN_SWITCHES=$until
	done
	ovn_settled
}

# The hosts' own bindings go back to the databases, and from there to all hosts.
ovn_settled() {
	local host

	for host in "${OVN_HOSTS[@]}"; do
		retry "$OVN_WAIT" ovn_bound "$host" $OVN_SWITCHES
	done
	nbctl --wait=hv sync
}
ovn_bound() { # HOST N
	local chassis

	chassis=$(sbctl get chassis "$1" _uuid)
	[ "$(sbctl --bare --columns=_uuid find port_binding "chassis=$chassis" up=true |
		grep -c .)" = "$2" ]
}

# ---- one more -----------------------------------------------------------------------

# ovn_watch HOST: what flows it gets from now on, with the time of each.
ovn_watch() {
	local dir=$WORK/ovs-$1

	: >"$dir/watched" # what is there from the last time says nothing
	TZ=UTC OVS_RUNDIR=$dir ovs-ofctl monitor --timestamp "$dir/br-int.mgmt" 'watch:!initial' \
		>"$dir/watched" 2>&1 </dev/null &
	WATCHES+=($!)
	while ! grep -q . "$dir/watched"; do sleep 0.005; done
}

# ovn_came HOST: when the later of these came: the look-up of its address, and where it is, a port
# of that switch or a tunnel.
ovn_came() {
	awk -v mac="dl_dst=$OVN_MAC " -v port="$(printf 'reg15=0x%x,metadata=0x%x ' \
		$OVN_KEY $OVN_SWITCH_KEY)" '
		/^[0-9-]+ [0-9:.]+: / { at = $1 " " substr($2, 1, length($2) - 1) }
		/ event=ADDED / && index($0, mac) { looked = at }
		/ event=ADDED / && index($0, port) && /[=,]output:/ { placed = at }
		END { if (!looked || !placed) exit 1; print(looked > placed ? looked : placed) }
		' "$WORK/ovs-$1/watched"
}

ovn_add() { # WORD...: those are for ovn-nbctl
	nbctl "$@" lsp-add t0 new -- lsp-set-addresses new "$OVN_MAC 10.0.0.99" \
		-- set logical_switch_port new options:requested-tnl-key=$OVN_KEY
}
ovn_plug() { # and the device is its
	vsctl "${OVN_HOSTS[0]}" add-port br-int ovn-new \
		-- set interface ovn-new external_ids:iface-id=new
}
ovn_less() {
	vsctl "${OVN_HOSTS[0]}" del-port ovn-new
	nbctl --wait=hv lsp-del new
	nbctl --wait=hv sync
}

ovn_one() {
	local WATCHES=() begin host came last=0

	for host in "${OVN_HOSTS[@]}"; do ovn_watch "$host"; done
	begin=${EPOCHREALTIME/./}
	ovn_add
	ovn_plug
	for host in "${OVN_HOSTS[@]}"; do
		retry "$OVN_WAIT" ovn_came "$host"
		came=$(TZ=UTC date -d "$(ovn_came "$host") UTC" +%s%6N)
		[ "$came" -lt $last ] || last=$came
	done
	kill "${WATCHES[@]}"
	wait "${WATCHES[@]}" 2>/dev/null || true
	ovn_less
	ovn_ms "$begin" "$last"
}

# What a script can wait for: all hosts have the port's logical flows. Where it is bound they may
# learn a little later.
ovn_hv() {
	local begin end

	ovn_plug
	begin=${EPOCHREALTIME/./}
	ovn_add --wait=hv
	end=${EPOCHREALTIME/./}
	ovn_less
	ovn_ms "$begin" "$end"
}

# ---- restart ------------------------------------------------------------------------

# ovn_restart HOST: as an upgrade does it, its records stay. What it has to report then, the number
# of a configuration that came while there was none, it reports when its flows are there.
ovn_restart() {
	local dir=$WORK/ovs-$1 begin end before number

	before=$(ovn_flows "$1")
	ovn_exit "$dir"/ovn-controller.*.ctl --restart
	while [ -e "$dir/controller.pid" ]; do sleep 0.005; done
	nbctl --wait=sb sync
	number=$(nbctl get nb_global . nb_cfg)
	begin=${EPOCHREALTIME/./}
	ovn_controller "$1"
	nbctl wait-until nb_global . "hv_cfg>=$number"
	end=${EPOCHREALTIME/./}
	[ "$(ovn_flows "$1")" = "$before" ] || {
		echo "ovn: $1: $(ovn_flows "$1") flows after a restart, $before before" >&2
		return 1
	}
	ovn_ms "$begin" "$end"
}
