#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   one two (of tsw-cni) box (of container.sh) red-hand ─ h1 192.0.2.1 ─── 192.0.2.2 h2
#
# The unit applies its file again while containers run. The file decides about all but them.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cni.sh"

cni_hosts
F=$WORK/h1.json LOG=$WORK/reload.log
# shellcheck disable=SC2016 # the unit's own words
read -ra words < <(sed -n 's|^ExecReload=/usr/sbin/tsw -i %i apply .*json \(.*\)$TSW_APPLY|\1|p' \
	"$ROOT/contrib/systemd/tsw@.service")
reload() { # [WORD]...: as the unit does, with these words for TSW_APPLY
	[ $# -gt 0 ] || set -- wait 1 missing skip
	"$TSW" -n h1 apply $F "${words[@]}" "$@" >$LOG 2>&1
}
edit() { gojq "$1" $F >$F.new && mv $F.new $F; } # FILTER
red() { edit "(.tenants[] | select(.name == \"red\")) |= ($1)"; }
# conf_of IPS: publishes a port, and asks for these addresses
conf_of() {
	conf h1 red "\"runtimeConfig\": {\"ips\": [$1],
		\"portMappings\": [{\"hostPort\": 8080, \"containerPort\": 80}]}"
}
own() { js h1 endpoint show tenant red 'map([.name, .ip[0], .dev])'; }
published() { js h1 publish show 'map([.port, .to]) | sort'; }
ping_of() { on "$1" ping -c 1 -W 1 "$2"; }
box() { on h1 env TSW="$TSW -i h1" "$ROOT/examples/container.sh" "$@"; }

sw h1 save >$F
netns one
conf_of "" | cni h1 ADD one >/dev/null
pod h1 red two
netns box
check "a container of container.sh" box add box red box 10.0.0.77/24
before=$(own)
container red hand h1 10.0.0.50/24
check "reload, by the file of before" reload
is "containers stay as they are, and what else is not in the file goes" "$(own)" "$before"
is "so do their ports" "$(published)" '[[8080,"10.0.0.1:80"],[8080,"[fd00:a::1]:80"]]'
is "it says so" "$(sort $LOG)" "$(printf '%s\n' 'del object endpoint name red/hand' \
	'tsw: endpoints of running containers, which stay as they are: 3')"
check "they are reached" ping_of two 10.0.0.1
check "the other one, too" ping_of two 10.0.0.77
check "nothing is wrong" sw h1 switch check
is "diff says the same" "$("$TSW" -n h1 diff $F containers keep 2>/dev/null)" ""

# A container begins again elsewhere: the file has its old address, and the same device.
sw h1 save >$F
conf_of "" | cni h1 DEL one
conf_of '"10.0.0.60/24"' | cni h1 ADD one >/dev/null
before=$(own) there=$(published)
check "reload, by a file with the old address" reload
is "the container keeps the new one" "$(own)" "$before"
is "and its ports lead there" "$(published)" "$there"
check "it is reached" ping_of two 10.0.0.60

# What else the file says happens, beside endpoints that come late.
sw h1 save >$F
red '.description = "edited" | .endpoints += [{"name": "late", "mac": "02:00:00:00:00:61",
	"ip": ["10.0.0.61"], "host": "h1", "dev": "late"}] |
	.publish += [{"proto": "tcp", "port": 9090, "to": "10.0.0.60:90", "host": "h1"},
		{"proto": "tcp", "port": 9091, "to": "10.0.0.61:91", "host": "h1"}] |
	.endpoints |= map(select(.name != "box"))'
reload wait 30 missing skip &
reloading=$!
edited() { js h1 tenant show red '.[].description'; }
comes "the tenant is changed" edited edited
ip -n h1 link add late type veth peer name late2
wait $reloading && status=0 || status=$?
is "reload is done" $status 0
is "with the late endpoint, and all containers" "$(own)" \
	"$(gojq -c '. + [["late", "10.0.0.61", "late"]] | sort' <<<"$before")"
is "and each port of the file" "$(published | gojq -c 'map(.[0]) | unique')" '[8080,9090,9091]'

# A file that contradicts a container is refused, and changes nothing.
UNCHANGED='sw h1 save'
sw h1 save >$WORK/now
refused_file() { # DESC TEXT FILTER: of red
	cp $WORK/now $F
	red "$3"
	refuses "$1" "$4" "$2" "$TSW" -n h1 apply $F containers keep
}
refused_file "another endpoint has its address" 'is used by tenants' \
	'.endpoints |= map(if .name == "late" then .ip = ["10.0.0.60"] | .mac = "02:00:00:00:00:62"
	else select(.dev == "late") end)' 2
refused_file "its port leads elsewhere" 'tcp port 8080 leads to the container of endpoint' \
	'.publish |= map(if .port == 8080 then .to = "10.0.0.61:1" else . end)' 1
cp $WORK/now $F
edit '.tenants |= map(select(.name != "red"))'
refuses "its tenant is gone" 1 'the file has no tenant "red", in which the container of endpoint' \
	"$TSW" -n h1 apply $F containers keep
cp $WORK/now $F
red 'del(.gateway) | del(.publish)'
check "a gateway that is gone" reload
is "takes its ports along" "$(published)" '[]'
is "and containers stay" "$(own | gojq length)" 4

# Without that word the switch becomes equal to the file.
red '.endpoints = []'
removed() { { "$TSW" -n h1 diff $F || true; } | grep -c '^del object endpoint'; }
is "diff tells that apply removes them" "$(removed)" 4
check "apply does so" sw h1 -q apply $F
is "none is left" "$(own)" '[]'
finish
