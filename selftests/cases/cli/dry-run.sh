#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# --dry-run says what a command would change, and changes nothing. What it says is what `diff` says
# of the state behind the real command, and what it refuses the real command refuses.
#
#   red-a 10.0.0.1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2     (h2 has no switch)
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
switch_up h1
container red a h1 10.0.0.1/24 endpoint off
ip -n h1 link add spare type veth peer name spare1
sw h1 host add h3 ip 192.0.2.3 2>/dev/null || true
sw h1 tenant add red id 100
sw h1 tenant add blue id 200
sw h1 group add red web
sw h1 policy add red p1 from group web to any
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a group web
sw h1 endpoint add b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 host h2
sw h1 endpoint add a tenant blue mac 02:00:00:00:00:03 host h2
sw h1 gateway add red ip 10.0.0.254/24 host h1 2>/dev/null
sw h1 gateway add blue ip 10.1.0.254/24 host h3
sw h1 publish add red proto tcp port 80 to 10.0.0.1:8080
sw h1 peer add red with blue

# The maps, the programs, the rules and the devices.
everything() {
	sw h1 save
	on h1 bpftool net show 2>/dev/null
	ip netns exec tsw-gw.h1 nft list ruleset 2>/dev/null | sed -E 's/(packets|bytes) [0-9]+//g'
	ls -R /sys/fs/bpf/tsw /run/tsw /etc/tsw 2>/dev/null || true
}
sw h1 save >$WORK/before.json

# The words of a message, sorted: some name two things in the order of a map.
words() { tr -d ',;' | tr ' ' '\n' | sort | paste -sd' '; }

n=0

# would WORD...: --dry-run says what `diff` says when the command has run, and changes nothing.
would() {
	local said want

	[ -z "${TSW_QUICK:-}" ] || [ $((n++ % 2)) = 0 ] || return 0
	before=$(everything) # apply has made some of it again
	said=$(sw h1 -j --dry-run "$@" 2>/dev/null) || true
	is "tsw --dry-run ${*@Q} changes nothing" "$(everything)" "$before"
	if sw h1 "$@" >/dev/null 2>$WORK/err; then
		sw h1 save >$WORK/after.json
		sw h1 apply $WORK/before.json >/dev/null 2>&1
		want=$(sw h1 -j diff $WORK/after.json 2>/dev/null || true)
		is "... it says what changes" "$said" "$want"
	else
		is "... it is refused likewise" "$(gojq -r '.error? // "taken"' <<<"$said" | words)" \
			"$(sed 's/^tsw: //' $WORK/err | words)"
	fi
	[ "$(sw h1 save)" = "$(<$WORK/before.json)" ] || { not_ok "not restored" && return; }
}

would tenant add green id 300 mtu 1400 description 'a "b" -j'
would tenant add red id 101
would tenant replace red id 100 rate-out 10mbit
would tenant set red mtu 1300 net 10.0.0.0/24 dhcp on
would tenant set red mtu 1500 nosuch
would tenant set nobody mtu 1300
would tenant del blue
would tenant del red force on
would tenant del nobody
would host add h4 ip 192.0.2.4 zone east
would host add h2 ip 192.0.2.9
would host set h2 ip 192.0.2.7
would host set h9 ip 192.0.2.7
would host del h9
would host del h2
would host del h2 force on
would host del h3
would endpoint add c tenant red mac 02:00:00:00:00:09 ip 10.0.0.9 dev spare rate-in 1mbit
would endpoint add c tenant red mac 02:00:00:00:00:09 dev nodev
would endpoint add c tenant nobody mac 02:00:00:00:00:09 dev spare
would endpoint add b tenant red mac 02:00:00:00:00:09 host h2
would endpoint replace b tenant red mac 02:00:00:00:00:02 host h3
would endpoint set b host h3
would endpoint set b tenant red dev spare
would endpoint set b ip none
would endpoint set a tenant red to-host h2
would endpoint set a mac 02:00:00:00:00:0a
would endpoint set a tenant red group none
would endpoint del b
would endpoint del a
would endpoint del nobody tenant red
would gateway add red ip 10.9.0.1/24
would gateway set red nat off
would gateway set blue host h2
would gateway del red
would gateway del red force on
would publish add red proto udp port 53 to 10.0.0.2:53
would publish add red proto tcp port 80 to 10.0.0.2:80
would publish del red proto tcp port 80
would publish del red proto udp port 80
would peer add blue with red
would peer add blue with nobody
would peer add red with blue
would peer del red with blue
would peer del blue with red
would group add red db cache
would group add red web
would group del red web
would policy add red p2 from any to group web action deny
would policy add red p1 from any to any
would policy set red p1 priority 7
would policy del red p1
would policy del red p9

# ---- other commands, batches, and what has no dry run --------------------------------------

before=$(everything)
echo 'tenant add green id 300
endpoint add g tenant green mac 02:00:00:00:00:07 ip 10.0.0.7 host h2
tenant del green
tenant del green force on
tenant del green' >$WORK/batch
sw h1 --dry-run -f -b $WORK/batch >$WORK/said 2>$WORK/err || true
is "each line of a batch sees what the lines before it changed" \
	"$(cut -d' ' -f1-5 $WORK/said | sed 's/ *$//' | paste -sd,)" \
	"add object tenant name green,add object endpoint name green/g,del object endpoint name green/g,del object tenant name green"
is "and is refused by them" "$(grep -oE 'line [0-9]+' $WORK/err | paste -sd,)" "line 3,line 5"
sw h1 save | gojq -c 'del(.peers)' >$WORK/less
is "apply: the same as diff" "$(sw h1 -j --dry-run apply $WORK/less)" \
	"$(sw h1 -j diff $WORK/less || true)"
check "to change something is no failure" sw h1 --dry-run apply $WORK/less
is "switch gc: as with dry-run on" "$(sw h1 --dry-run switch gc)" "$(sw h1 switch gc dry-run on)"
is "auto" "$(sw h1 -j --dry-run endpoint add z tenant red mac auto ip auto host h2 |
	gojq -c '.[0] | [.mac, .ip]')" '["auto",["auto"]]'
is "a tenant's id, too" "$(sw h1 -j --dry-run tenant add z id auto | gojq -r '.[0].id')" auto
is "gateway place: without --apply" "$(sw h1 --dry-run gateway place central host h2 --apply)" \
	"$(sw h1 gateway place central host h2)"
for words in test "sysdump $WORK/dump"; do
	# shellcheck disable=SC2086 # several words
	is "has no dry run, and is not run: $words" "$({ sw h1 --dry-run $words 2>&1 ||
		true; } | grep -oE 'has no dry run')" "has no dry run"
done
is "a command that only reads is as ever" "$(sw h1 --dry-run tenant show)" "$(sw h1 tenant show)"
is "nothing has changed" "$(everything)" "$before"
check "while another command has the lock" eval "flock /run/tsw/h1 sleep 1 & sleep 0.2;
	sw h1 -w 5 --dry-run tenant del blue force on >/dev/null; wait"
finish
