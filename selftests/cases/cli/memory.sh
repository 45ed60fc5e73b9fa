#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: valgrind; unit_check, unit_show and others run the same code, without valgrind
# long: a minute or more
#
#   red-a ── h1 ── h2          a tour through every command, each under valgrind's memcheck
#
# No octet is read that was not written, none beyond what was asked for, and nothing that was asked
# for is forgotten: neither where a command does its work, nor where it refuses to. Commands that
# change something go in one batch, as that is quicker.
. "$(dirname "$0")/../../lib.sh"

# Memcheck takes thirty times as long, and so does a machine that is emulated.
[ "${TSW_SLOW:-1}" = 1 ] || { skip "memory" "too slow here" && finish && exit; }
topo_hosts h1 h2
for dev in va vb; do
	netns red-$dev
	ip -n h1 link add $dev type veth peer name eth0 address 02:00:00:00:00:01 netns red-$dev
	ip -n h1 link set $dev up
done
ip -n h1 link add up0 type veth peer name up0 netns h2
ip -n h1 addr add 203.0.113.1/24 dev up0
ip -n h1 link set up0 up

toured=''
# memcheck WORD...: tsw with these words, or on stdin; fails as it does, or with 99.
memcheck() {
	valgrind -q --error-exitcode=99 --leak-check=full --num-callers=50 \
		--show-leak-kinds=definite,indirect,possible \
		--errors-for-leak-kinds=definite,indirect,possible \
		--suppressions="$LIB/valgrind.supp" "$TSW" -n h1 "$@"
}
# works WORD...: it does, and its memory is in order. fails STATUS WORD...: the same of a refusal.
works() {
	toured+="$* "$'\n' # not in fails, which check runs in a subshell
	check "$*" fails 0 "$@"
}
refuses() { check "refused: ${*:2}" fails "$@"; }
fails() {
	local want=$1 status=0

	shift
	memcheck "$@" >$WORK/out 2>$WORK/err || status=$?
	[ "$status" = "$want" ] || {
		echo "status $status"
		cat $WORK/out $WORK/err
		return 1
	}
}
# tour ARG...: the batch on stdin.
tour() {
	local lines

	lines=$(cat)
	toured+=$lines$'\n'
	check "a batch, options $*" fails 0 "$@" -b - <<<"$lines"
}

works switch up dev eth0 local 192.0.2.1 name h1
tour <<-END
	host add h2 ip 192.0.2.2 ip fd00::2
	host replace h2 ip 192.0.2.2
	host set h2 ip 192.0.2.22
	tenant add red id 100 rate-out 1gbit
	tenant add blue id 200 encap gre
	tenant replace red id 100 mtu 1400
	tenant set red broadcast off rate-out 1gbit burst 1m
	endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 dev va
	endpoint add b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 host h2
	endpoint replace b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 ip 10.0.0.3 host h2
	endpoint set a ip 10.0.0.1 rate-in 1gbit
	endpoint set a dev vb
	endpoint set a dev va
	gateway add red ip 10.0.0.254/24 ip fd00::fe/64
	gateway add blue ip 10.1.0.254/24 host h2
	gateway replace red ip 10.0.0.254/24 nat on
	gateway set red snat 203.0.113.7
	gateway set blue host none drain 5
	gateway place spread host h1 host h2 weight 2
	gateway place central host h1 --apply
	publish add red proto tcp port 80 to 10.0.0.1:8080
	peer add red with blue proto tcp port 7 prefix 10.0.0.0/25
	peer add blue with red
	switch set xdp generic
	switch repair
END
for options in -js -s; do
	tour "$options" <<-END
		switch show
		switch check
		tenant show
		host show h2
		endpoint show
		gateway show
		publish show
		peer show
		stats show
		stats drops
		features
		version
	END
done
refuses 1 -j endpoint add a tenant red mac 02:00:00:00:00:09 ip 10.0.0.9 dev vb
refuses 2 -p endpoint add a tenant red mac 2:0 ip
echo '[{"tenant":"red","gateway":{"packets":1,"bytes":"many"}}]' >$WORK/load
refuses 1 gateway place spread load $WORK/load
tour -j <<-END
	metrics
	trace from a to 02:00:00:00:00:02 tenant red
	save
	switch gc
END
works trace from a to 10.0.0.2 tenant red proto tcp port 80
works graph tenant red
works save
cp $WORK/out $WORK/state
works diff $WORK/state
works -j apply $WORK/state
gojq '.tenants |= map(if .name == "red" then .mtu = 1300 | .publish = [] |
	.endpoints[0].ip = ["10.0.0.8"] else . end) | .peers = []' $WORK/state >$WORK/new
check "diff of what differs" fails 1 -j diff $WORK/new
works apply $WORK/new
works -p apply $WORK/state
gojq '.tenants[0].endpoints[0].mac = "02"' $WORK/state >$WORK/new
refuses 2 apply $WORK/new
works -f switch upgrade
ip -n red-va addr add 10.0.0.1/24 dev eth0
ip -n red-va link set eth0 up
bg red-va ping -i 0.1 10.0.0.2
works -j monitor count 1
works capture tenant red count 1 write $WORK/pcapng
kill $BG
works -j help
works switch check
tour -f <<-END
	peer del red with blue
	publish del red proto tcp port 80
	gateway del blue force on
	endpoint del b tenant red
	tenant del red force on
	tenant del blue
	host del h2
END
works switch down

words() { sed -E 's/^(-[^ ]+ )*//' <<<"$toured" | awk 'NF { print $1; print $1 " " $2 }'; }
mapfile -t missed < <("$TSW" -j help | gojq -r '.[] | [.object, .verb // empty] | join(" ")' |
	grep -vxFf <(words | sort -u) || true)
note "not toured: ${missed[*]:-nothing}"
finish
