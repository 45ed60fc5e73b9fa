#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What `show` prints as text can be typed back: the words behind `replace` leave all as it was.
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
switch_up h1
container red a h1 10.0.0.1/24 endpoint off
sw h1 host set h2 zone east
# shellcheck disable=SC2016 # a description, as it is
sw h1 tenant add red id 100 encap geneve mtu 1400 broadcast off rate-out 100mbit rate-in 2500kbit \
	burst 256k connections 500 half-open none dhcp on dns on domain lab.internal \
	net 10.0.0.0/24 net fd00::/64 max-endpoints 2000 flows on flow-entries 4096 policy on \
	default deny description '"x" and \ \$(y)'
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 dev red-a \
	rate-out 1gbit rate-in 12345bit burst 1m server on
sw h1 endpoint add b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 host h2
sw h1 group add red web
sw h1 group add red db
sw h1 endpoint set a tenant red group web group db
sw h1 policy add red sql from group:web to group:db proto tcp port 5432-5440 priority 7 log on
sw h1 gateway add red ip 10.0.0.254/24 ip fd00::fe/64 host h1 mac 02:00:00:00:00:fe nat off fast off \
	metadata on timeout-udp 60 timeout-tcp-established 7200 helper-ftp on resolver 192.0.2.53
sw h1 publish add red proto udp port 5353 to 10.0.0.1:53

# again OBJECT NAME VERB WORD...: OBJECT VERB WORD..., with what `show NAME` prints behind the name
again() {
	local object=$1 verb=$3 known before shown command words=()

	# shellcheck disable=SC2016 # gojq's own
	known=" $("$TSW" -j help | gojq -r --arg object "$object" --arg verb "$verb" \
		'[.[] | select(.object == $object and .verb == $verb) | .keys[].key] | join(" ")') "
	before=$(sw h1 save)
	shown=$(sw h1 "$object" show "$2")
	command=("${@:3}")
	eval "set -- ${shown//\$/\\$}" # as a shell reads it
	shift
	while [ $# -gt 1 ]; do
		[[ $known != *" $1 "* ]] || words+=("$1" "$2")
		shift 2
	done
	check "$object $verb is taken: ${words[*]}" sw h1 "$object" "${command[@]}" "${words[@]}"
	is "$object: and all is as it was" "$(sw h1 save)" "$before"
}

again tenant red replace red
again endpoint a replace a
again endpoint b replace b
again host h2 replace h2
again policy red replace red sql
again gateway red set red
sw h1 tenant set red half-open 4096 rate-in none
again tenant red replace red
finish
