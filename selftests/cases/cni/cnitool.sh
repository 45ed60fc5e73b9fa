#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cni/plugin makes the same calls
#
#   p1, p3, b1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ p2     red and blue have equal subnets
#
# cnitool, the specification's own client, calls tsw-cni: add, check, del, gc, status. Its library
# reads the results, keeps them, and passes them on.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cni.sh"

CNITOOL=${BUILD:-$ROOT/build}/tools/cnitool
if [ ! -x "$CNITOOL" ]; then
	skip "cnitool" "there is none: scripts/deps.sh cnitool"
	finish
	exit
fi
cni_hosts
conflists $WORK/net.d h1-red h1-blue h2-red h1-green
sed -i s/1.0.0/1.1.0/ $WORK/net.d/*
for ns in p1 p2 p3 b1; do netns $ns; done

# tool HOST VERB TENANT NS: ASK is what the runtime may ask for, of capabilities.
tool() {
	NETCONFPATH=$WORK/net.d CNI_PATH=$PLUGINS CAP_ARGS=${ASK:-} \
		on "$1" "$CNITOOL" "$2" "$1-$3" "/run/netns/$4"
}
endpoints() { js "$1" endpoint show 'map(.tenant + " " + .ip[0]) | sort'; }
said() { # TEXT CMD...: it fails, and says so
	local text=$1 out

	shift
	if out=$("$@" 2>&1); then return 1; fi
	grep -F -- "$text" <<<"$out" || { echo "$out" && return 1; }
}

# ---- add, status --------------------------------------------------------------------------------

check "status" tool h1 status red p1
check "status of a network whose tenant is not there" said 'no tenant "green"' \
	tool h1 status green p1
check "add of one" said 'no tenant "green"' tool h1 add green p1
RESULT=$(tool h1 add red p1)
is "add: what it prints" \
	"$(gojq -c '[.cniVersion, (.ips | map(.address)), (.routes | map(.gw))]' <<<"$RESULT")" \
	'["1.1.0",["10.0.0.1/24","fd00:a::1/64"],["10.0.0.254","fd00:a::fe"]]'
is "what the container has" \
	"$(ip -n p1 -j addr show eth0 | gojq -c '.[0] | [.mtu, .addr_info[0].local]') $(
		ip -n p1 route show default | xargs)" \
	'[1450,"10.0.0.1"] default via 10.0.0.254 dev eth0 proto static'
ASK='{"ips":["10.0.0.2/24","fd00:a::2/64"],"mac":"02:00:00:00:00:02"}' tool h2 add red p2 >/dev/null
is "on the other host, with an address and a MAC" "$(ip -n p2 -j addr show eth0 | gojq -c '.[0] |
	[.address, .addr_info[0].local]')" '["02:00:00:00:00:02","10.0.0.2"]'
ASK='{"ips":["10.0.0.1/24"]}' tool h1 add blue b1 >/dev/null
is "blue has an equal address" "$(endpoints h1)" '["blue 10.0.0.1","red 10.0.0.1"]'
check "add of what is there" said 'was added, and not deleted' tool h1 add red p1

# ---- frames -------------------------------------------------------------------------------------

tell h1 h2 10.0.0.1 red
tell h2 h1 10.0.0.2 red
check "to the other host" reach p1 10.0.0.2
check "by IPv6" reach p1 fd00:a::2
check "and back" reach p2 10.0.0.1
check "blue's does not get there" no_reach b1 10.0.0.2

# ---- check --------------------------------------------------------------------------------------

check "check" tool h1 check red p1
ip -n p1 route del default
check "without its route" said 'no route to 0.0.0.0/0' tool h1 check red p1
ip -n p1 route add default via 10.0.0.254
check "with it" tool h1 check red p1

# ---- del ----------------------------------------------------------------------------------------

ASK='{"portMappings":[{"hostPort":8080,"containerPort":80}]}' tool h1 add red p3 >/dev/null
is "a published port" "$(js h1 publish show '.[].to' | sort | xargs)" "10.0.0.3:80 [fd00:a::3]:80"
check "del" tool h1 del red p3
is "takes all of it" "$(endpoints h1) $(sw h1 -j publish show) $(devices)" \
	'["blue 10.0.0.1","red 10.0.0.1","red 10.0.0.2"] [] 2'
check "again" tool h1 del red p3
ip netns del p2
check "with the namespace gone" tool h2 del red p2
is "nothing is left there" "$(endpoints h2)" '["red 10.0.0.1"]'

# ---- a pod's annotations, which containerd and CRI-O tell -------------------------------------

key=io.kubernetes.cri.pod-annotations
sed -i "s/\"portMappings\": true/&, \"$key\": true/" $WORK/net.d/*
tell_name() { ASK="{\"$key\":{\"tsw.name\":\"$1\",\"x/y\":\"z\"}}" tool h1 add red p3; } # NAME
check "add of one with a name" tell_name web
is "has that" "$(js h1 endpoint show tenant red 'map(select(.dev).name) - ["-"] | sort | .[-1]')" web
check "check" tool h1 check red p3
sw h1 endpoint add db tenant red mac auto ip auto host h2
check "del" tool h1 del red p3
check "one that is another's is refused" said 'already has an endpoint "db"' tell_name db
sw h1 endpoint del db tenant red
check "its own again" tell_name web
check "del" tool h1 del red p3
is "takes it" "$(js h1 endpoint show 'map(select(.name == "web"))') $(ls -A /var/lib/tsw-cni)" "[] "

# ---- gc -----------------------------------------------------------------------------------------

# The library sends a DEL for each result that it has, and GC behind that, which alone finds what
# there is no result of.
tool h1 add red p3 >/dev/null
rm /var/lib/cni/results/h1-red-*
check "gc" tool h1 gc red p1
is "takes all of its network, and no other's" "$(endpoints h1) $(devices)" \
	'["blue 10.0.0.1","red 10.0.0.2"] 1'
check "blue's is sound" tool h1 check blue b1
check "gc there, with results" tool h1 gc blue b1
is "nothing is left" "$(endpoints h1) $(devices) $(ls /var/lib/cni/results)" '["red 10.0.0.2"] 0 '
sw h1 switch down
check "status without a switch" said 'no switch "h1" is up' tool h1 status red p1
finish
