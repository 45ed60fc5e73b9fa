#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ red-b 10.0.0.2
#
# The unit's own lines, run as systemd would run them. At boot devices come late, and others ask for
# the switch. At the end the state is written completely or not at all.
. "$(dirname "$0")/../../lib.sh"

UNIT=$ROOT/contrib/systemd/tsw@.service
topo_hosts h1 h2
switch_up
tenants red 100
container red a h1 10.0.0.1/24
container red b h2 10.0.0.2/24
sw h1 gateway add red ip 10.0.0.254/24

# Where the unit has them, for this case alone.
mkdir -p $WORK/etc $WORK/sbin $WORK/lib
mount -t tmpfs tmpfs $WORK/etc
ln -s "$(readlink -f "$TSW")" $WORK/sbin/tsw
ln -s "$ROOT"/contrib/systemd/tsw-{save,router} $WORK/lib/
F=$WORK/etc/h1.json

# unit KEY: that line's command for h1, in that namespace, with TSW_APPLY as the unit has it
unit() {
	local line apply

	apply=$(sed -n 's/^Environment="TSW_APPLY=\(.*\)"$/\1/p' "$UNIT")
	line=$(sed -n "s/^$1=\([^+]\)/\1/p" "$UNIT" | sed "s|%i|h1|g; s|/etc/tsw/|$WORK/etc/|g;
		s|/usr/sbin/tsw|$WORK/sbin/tsw|; s|/usr/lib/tsw/|$WORK/lib/|;
		s|\$TSW_APPLY|${2:-$apply}|")
	[ "$1" = ExecStop ] || $WORK/lib/tsw-router h1 # as those lines with +, outside
	# shellcheck disable=SC2086 # words, as systemd makes them
	on h1 "${SANDBOX[@]}" env PATH="$WORK/sbin:$PATH" $line
}
# The unit's capabilities, no new ones, and a read-only root but for what the case has below /run.
caps=$(sed -n 's/^CapabilityBoundingSet=//p' "$UNIT" | tr '[:upper:]' '[:lower:]')
caps=${caps//cap_/}
caps=+${caps// /,+}
# shellcheck disable=SC2016 # the inner shell's
SANDBOX=(unshare --mount sh -c
	'mount --bind / / && mount -o remount,bind,ro / && cd / && exec "$@"' sh
	setpriv --no-new-privs --inh-caps=-all "--bounding-set=-all,$caps")
down() { sw h1 switch down; }
strace_unit() { SANDBOX+=(strace -f -qq -o "$UNIT_STRACE") && unit "$@"; }

verify() {
	sed "s|/usr/sbin/tsw|$WORK/sbin/tsw|; s|/usr/lib/tsw/|$WORK/lib/|; /^Documentation/d" \
		"$UNIT" >$WORK/tsw@.service
	systemd-analyze verify --man=no $WORK/tsw@.service
}
check "systemd takes the unit" verify
is "and says nothing" "$(verify 2>&1)" ""

# ---- the sandbox of each unit -------------------------------------------------------------------

# as_here UNIT: the file of a unit with programs that are there
as_here() {
	local file=$WORK/${1##*/}

	file=${file/@/@h1}
	sed 's|/usr/sbin/tsw|/bin/true|; s|/usr/lib/tsw/[a-z-]*|/bin/true|; /^Documentation/d' \
		"$1" >$file
	echo $file
}
for service in "$ROOT"/contrib/systemd/*.service; do
	name=${service##*/}
	file=$(as_here "$service")
	is "$name: systemd takes it" "$(systemd-analyze verify --man=no $file 2>&1)" ""
	check "$name: systemd's mark for its exposure is 3.5 of 10 or less" \
		systemd-analyze security --offline=true --threshold=35 --no-pager $file
	for line in NoNewPrivileges=yes ProtectSystem=strict 'RestrictNamespaces=\(yes\|net\)'; do
		check "$name: $line" grep -qx $line "$service"
	done
	is "$name: capabilities" "$(sed -n 's/^CapabilityBoundingSet=//p' "$service" | xargs -n 1 |
		grep -vxE 'CAP_(BPF|PERFMON|NET_ADMIN|NET_RAW|SYS_ADMIN)' || true)" ""
done
# What a command asks of the kernel: all of it is in the filter.
allowed() { # SET...: its system calls, those of the sets in it, too
	local word

	for word in $(systemd-analyze syscall-filter "$@" | sed -nE 's/^ +([@a-z].*)/\1/p'); do
		case $word in @*) allowed "$word" ;; *) echo "$word" ;; esac
	done
}
read -ra filter < <(sed -n 's/^SystemCallFilter=//p' "$UNIT")
sw h1 save >$F
sw h1 switch down
UNIT_STRACE=$WORK/strace
check "apply, as the unit has it" strace_unit ExecStart
sed -nE 's/^([0-9]+ +)?([a-z_0-9]+)\(.*/\2/p' $UNIT_STRACE | sort -u >$WORK/calls
{ allowed "${filter[0]}" && printf '%s\n' "${filter[@]:1}"; } | sort -u >$WORK/allowed
is "calls nothing that the filter refuses" "$(comm -23 $WORK/calls $WORK/allowed)" ""
check "of which bpf is one" grep -qx bpf $WORK/calls
sed -n 's/^RestrictAddressFamilies=//p' "$UNIT" | xargs -n 1 >$WORK/allowed
is "nor another family of sockets" "$(sed -nE 's/.*socket\((AF_[A-Z0-9]+).*/\1/p' \
	$UNIT_STRACE | sort -u | grep -vxFf $WORK/allowed || true)" ""
rm $F

# ---- the end -----------------------------------------------------------------------------

check "ExecStop writes the state" unit ExecStop
is "which is what is there" "$(<$F)" "$(sw h1 save)"
is "readable by root alone" "$(stat -c %a $F)" 600
is "and nothing else" "$(ls $WORK/etc)" h1.json
chmod 640 $F
saved=$(<$F)

# The disk is full; tsw fails; it is killed: what was there stays.
check_fails "a full disk" eval "
	mount -t tmpfs -o size=4k tmpfs $WORK/etc && cp /dev/zero $F 2>/dev/null
	unit ExecStop"
is "nothing half is left" "$(ls $WORK/etc)" h1.json
umount $WORK/etc
is "the file is as it was" "$(<$F)" "$saved"
printf '#!/bin/sh\necho half; exit 1\n' >$WORK/bad && chmod +x $WORK/bad
check_fails "tsw fails" on h1 env TSW=$WORK/bad $WORK/lib/tsw-save h1 $F
is "the file is as it was after a failure" "$(<$F) $(ls $WORK/etc)" "$saved h1.json"
printf '#!/bin/sh\nexit 0\n' >$WORK/bad
check_fails "tsw says nothing" on h1 env TSW=$WORK/bad $WORK/lib/tsw-save h1 $F
is "the file is as it was after silence" "$(<$F) $(ls $WORK/etc)" "$saved h1.json"
check "ExecStop again" unit ExecStop
is "keeps the mode" "$(stat -c %a $F)" 640

# Containers stop first: their devices are gone by then.
ip -n h1 link del red-a
check "ExecStop when a device is gone" unit ExecStop
is "keeps its name" "$(gojq -r '.tenants[0].endpoints[0].dev' $F)" red-a
is "and all else" "$(jq -cS . $F)" "$(jq -cS . <<<"$saved")"
echo '{"format"' >$F
check "ExecStop with a broken file" eval "unit ExecStop 2>/dev/null"
is "writes a whole one" "$(gojq '.tenants[0].endpoints | length' $F)" 2
echo "$saved" >$F

# ---- the reboot ----------------------------------------------------------------------------

check "ExecStop while apply waits" env MAINPID=1 $WORK/lib/tsw-save h1 $F
is "keeps the file, which has more" "$(<$F)" "$saved"
down
check "ExecStop without a switch does nothing" unit ExecStop
is "and the file stays" "$(<$F)" "$saved"
plug() { # the container's device, as when it starts
	ip -n h1 link add red-a type veth peer name eth0 address 02:00:00:00:00:01 mtu 1450 \
		netns red-a
	ip -n h1 link set red-a up
	container_net red-a off 10.0.0.1/24
}
# What is there comes up at once, and the unit is active. A container of a runtime is gone: nobody
# waits for its device.
log=$WORK/start.log
gojq '.tenants[0] |= (.endpoints += [{"name": "c", "mac": "02:00:00:00:00:03", "ip": ["10.0.0.3"],
	"host": "h1", "dev": "tswabcdefghijkl"}] |
	.publish = [{"proto": "tcp", "port": 80, "to": "10.0.0.1:80"},
		{"proto": "tcp", "port": 81, "to": "10.0.0.3:80"}])' <<<"$saved" >$F
manager
NOTIFY_SOCKET=$NOTIFY unit ExecStart >$log 2>&1 &
start=$!
check "systemd is told while apply waits" retry 20 is_active
is "the switch is up, with what is there" \
	"$(sw h1 -j endpoint show | gojq -c 'map(.name)') $(sw h1 -j publish show)" '["b"] []'
check "and free for other commands" sw h1 -w 0 tenant set red description soon
check "apply goes on" kill -0 $start
said='left out: endpoint "c" and 0 more of containers that are gone'
is "of what is not awaited there is one line" "$(grep 'left out' $log | cut -d ';' -f 1)" "tsw: $said"
plug
wait $start
check "the device's endpoint was added" grep -q 'endpoint name red/a' $log
is "and its port" "$(sw h1 -j publish show | gojq -c 'map(.port)')" '[80]'
sw h1 publish del red proto tcp port 80
sw h1 tenant set red description ''
echo "$saved" >$F
is "all is as it was saved" "$(sw h1 save)" "$saved"
check "traffic after the boot" reach red-a 10.0.0.2
check "traffic back" reach red-b 10.0.0.1
is "ExecReload has nothing to do" "$(unit ExecReload 2>&1)" ""
check "switch check" sw h1 switch check

# The device does not come: all but its endpoint is there, and it is told.
down
ip -n h1 link del red-a
check "ExecStart does not wait for ever" eval "unit ExecStart 'wait 1 missing skip' >$log 2>&1"
check "what is left out is told" grep -q 'left out: endpoint "a" of tenant "red"' $log
is "the others are there" "$(sw h1 -j endpoint show | gojq -c 'map(.name)')" '["b"]'
down
check_fails "missing fail" eval "unit ExecStart 'wait 1' >$log 2>&1"
check_fails "brings nothing up" sw h1 switch show
is "and leaves no lock" "$(ls -d /run/tsw/h1 2>/dev/null || true)" ""

# apply [WORD]...: of the file, in the background, until it waits
apply() {
	"$TSW" -n h1 apply $F "$@" >$log 2>&1 &
	APPLY=$!
	retry 5 sw h1 endpoint show b >/dev/null
}
long=$((30 * ${TSW_SLOW:-1}))
apply wait $long missing skip
stop $APPLY KILL
check "killed while it waits, it leaves a whole switch" sw h1 switch check
apply wait $long missing skip
sw h1 switch down
plug
wait $APPLY && status=0 || status=$?
is "a switch that goes down meanwhile stays down" "$status $(ls /sys/fs/bpf/tsw)" "1 h2"
ip -n h1 link del red-a
apply wait $long missing skip
first=$APPLY
apply wait $long missing skip
plug
sw h1 endpoint replace a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a rate-out 1gbit
wait $first $APPLY
is "two at once, and what starts the container: its endpoint stays as that made it" \
	"$(sw h1 -j endpoint show a | gojq -c 'map([.dev, .rate_out])')" '[["red-a",1000000000]]'
check "and the switch is right" sw h1 switch check
sw h1 endpoint del a tenant red
down
gojq '.tenants[0].endpoints[0].dev = "tswabcdefghijkl"' <<<"$saved" >$F
check "a runtime's endpoint alone is not awaited" timeout $((2 * long)) "$TSW" -n h1 apply $F \
	wait $((9 * long)) missing skip
down
status=0
timeout $((2 * long)) "$TSW" -n h1 apply $F wait $((9 * long)) 2>$log || status=$?
is "missing fail refuses it at once" "$status $(grep -c 'no device "tswabcdefghijkl"' $log)" "1 1"
echo "$saved" >$F

# The underlay's device comes late, too. Before Linux 6.2 no device that is up can be renamed.
ip -n h1 link set eth0 down
ip -n h1 link set eth0 name later
gojq '.tenants[0].net = ["10.0.0.0/24"]' <<<"$saved" >$F
unit ExecStart "wait $long missing skip" >$log 2>&1 &
start=$!
coming() { # WORD...
	sw h1 -w 0 -j "$@" 2>/dev/null | gojq -r '.code + " " + .error' |
		grep -c '^EAGAIN .*the switch "h1" is coming up'
}
comes "commands are told that a switch is coming" 1 coming switch show
is "and those that change it" "$(coming tenant set red mtu 1400)" 1
sw h1 -w $long tenant show red >$WORK/waits &
waits=$!
netns pod
conf='{"cniVersion": "1.0.0", "name": "n", "type": "tsw-cni", "instance": "h1", "tenant": "red"}'
CNI_COMMAND=ADD CNI_CONTAINERID=pod CNI_NETNS=/run/netns/pod CNI_IFNAME=eth0 CNI_PATH=/ \
	on h1 "${TSW%/*}/tsw-cni" <<<"$conf" >$WORK/added &
added=$!
ip -n h1 link set later name eth0
wait $start
is "waited for the underlay" "$(sw h1 -j switch show | gojq -r .dev)" eth0
wait $waits && status=0 || status=$?
is "a command waited for the switch" "$status $(grep -c '^red id 100' $WORK/waits)" "0 1"
wait $added && status=0 || status=$?
is "and so did tsw-cni" $status 0
is "whose container has an address and a gateway" \
	"$(gojq -c '[.ips[0] | .address, .gateway]' $WORK/added)" '["10.0.0.3/24","10.0.0.254"]'
ip -n h1 link set eth0 up
check "traffic then" reach red-a 10.0.0.2

# ---- another host name ----------------------------------------------------------------------

# The instance `default` is named after its machine.
# shellcheck disable=SC2016 # the inner shell's
called() { on h1 unshare --uts sh -c 'hostname "$0" && exec "$@"' "$1" "$TSW" "${@:2}"; }
down
named() { called x -j switch show | gojq -r .name; }
undo on h1 "$TSW" switch down
called alpha switch up dev eth0 local 192.0.2.1
called alpha host add beta ip 192.0.2.2
called alpha save >$WORK/named.json
check "a renamed machine: the same words change nothing" called gamma switch up dev eth0
called gamma switch down
check "its file still brings the switch up" called gamma -q apply $WORK/named.json wait 1
is "  as the host that saved it" "$(named)" alpha
called gamma switch down
check "also with the name of another host" called beta -q apply $WORK/named.json
is "  it is the one with its address" "$(named)" alpha
called beta switch down
ip -n h1 addr flush dev eth0
refuses "a copy of the disk on another machine" 2 'this host, "gamma", is not in the list' \
	called gamma apply $WORK/named.json
check_fails "  has no switch then" on h1 "$TSW" switch show
finish
