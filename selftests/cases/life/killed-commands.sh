#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cli/state, policy/cli and gateway/publish-peer-cli kill their commands
# long: a minute or more
#
#   red-a  blue-a ──┐                        ┌── red-c  blue-c    same addresses in red and blue
#   red-x  red-y  ──┤ h1 ── 192.0.2.0/24 ── h2 ┤
#   green-p green-q ┘                        └── red-x, when it has moved
#
# Each command that changes tenants, hosts and endpoints is killed at each of its system calls that
# can change anything. Endpoints that it is not about lose no frame meanwhile, and those that it is
# about are reached as before or as after. Nothing of red comes to blue. The same words complete it;
# so do the next command that changes something, and `switch repair`.
# life/killed-switch-set has `switch up`, `set` and `down`, gateway/cli and gateway/host have
# gateways, and gateway/publish-peer-cli has published ports and peerings.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"

step=${KILL_STEP:-4} # 1: at each call, which takes minutes
[ -z "${TSW_QUICK:-}" ] || step=$((step * 4))
topo_hosts h1 h2
switch_up
tenants red 100 blue 200 green 300
sw h1 tenant set red dhcp on dns on # so each of its endpoints has a name by its MAC, too
for tenant in red blue; do
	container $tenant a h1 10.0.0.1/24 fd00::1/64
	container $tenant c h2 10.0.0.3/24 fd00::3/64
done
container red x h1 10.0.0.9/24 fd00::9/64 endpoint off
container red y h1 10.0.0.9/24 mac 02:00:00:00:00:09 endpoint off
container green p h1 10.0.0.5/24
container green q h1 10.0.0.6/24
quiet h1 h2

# state: every entry of every map that a command writes. Where the search for a free host begins is
# no state, nor is a host's index, nor the order of a ring, nor how full a bucket is, nor what was
# counted.
for map in tenants tenant_ids hosts host_ids vteps ports devices fdb addrs endpoints groups \
	limits host_mtus nets names domains boot moves flow_tables flow_cache shares totals \
	prefixes macs; do
	echo "map dump pinned $(map_pin h1 $map)"
done >$WORK/dumps
state() {
	# shellcheck disable=SC2016 # it knows jq, and not gojq
	bpftool -j batch file $WORK/dumps | gojq -c '.[] | .command[-1] as $map | [.output[] |
		.formatted | if $map | test("/tsw_host(_mtu)?s$") then del(.key)
			elif $map | test("/tsw_(vteps|host_ids)$") then del(.value)
			elif $map | endswith("/tsw_groups") then del(.value.next, .value.prev)
			elif $map | endswith("/tsw_limits") then del(.value.bucket[].full_at)
			elif $map | endswith("/tsw_flow_tables") then del(.value.evicted)
			elif $map | endswith("/tsw_flow_cache") then .key
			elif $map | endswith("/tsw_totals") then del(.value.next_host)
			else . end] | sort_by(tostring)'
	find /sys/fs/bpf/tsw/h1/links -printf '%f\n' | sort
}

# What must not notice anything: counted by what does not come back.
streams=()
for tenant in red blue; do
	pattern=$(printf %s $tenant | od -An -tx1 | tr -d ' \n')
	log=$WORK/$tenant.ping
	nsenter --net=/run/netns/$tenant-a -- ping -n -i 0.02 -p "$pattern" 10.0.0.3 >"$log" 2>&1 &
	streams+=($!)
	undo kill $!
done
# What red says is in every frame of its; none may be seen in blue.
for name in red-a blue-a blue-c; do capture $name $name eth0 icmp or icmp6; done

# fates SECONDS: what is reached of what the commands are about, in that time, TSW_SLOW times where
# a machine is slow; by red's pattern
ways=("red-a 10.0.0.9" "red-a fd00::9" "green-p 10.0.0.6" "red-x 10.0.0.1")
fates() {
	local way i pids=() seen='' tenths

	printf -v tenths %.0f "$1e1"
	tenths=$((tenths * ${TSW_SLOW:-1}))
	for way in "${ways[@]}"; do
		# Who was asked for in vain would be asked for again a second later.
		ip -n "${way% *}" neigh flush to "${way#* }"
		nsenter --net="/run/netns/${way% *}" -- timeout $((tenths / 10)).$((tenths % 10)) \
			ping -n -c 1 -i 0.1 -w 99 -W 99 -p 726564 "${way#* }" >/dev/null 2>&1 &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		if wait "$i"; then seen+=1; else seen+=0; fi
	done
	echo $seen
}
# between BEFORE AFTER NOW: each digit of NOW is one of both
between() {
	local i

	for ((i = 0; i < ${#3}; i++)); do
		case ${3:i:1} in "${1:i:1}" | "${2:i:1}") ;; *) return 1 ;; esac
	done
}

differs() { state | diff - <(cat <<<"$1") || true; } # STATE
total=0
# mended N: after two kills of three somebody else comes first, and then nothing is unfinished
mended() {
	local told now

	case $((KILLS % 3)) in
	0) return ;;
	1) told=$(sw h1 -q switch repair 2>&1) || wrong+=("$1: repair: $told") ;;
	2) told=$(sw h1 -q endpoint set a tenant red rate-out none 2>&1) || wrong+=("$1: $told") ;;
	esac
	now=$(fates 0.2)
	between $was $will "$now" || now=$(fates 2)
	between $was $will "$now" || wrong+=("$1: mended: reached $now, not $was or $will")
	told=$(sw h1 switch check) || wrong+=("$1: mended: $told")
	now=$(state)
	case $desc in "endpoint add"* | "endpoint del"*)
		[ "$now" = "$before" ] || [ "$now" = "$after" ] ||
			wrong+=("$1: mended: $(differs "$before")")
		;;
	esac
}
# kills DESC WORD... -- UNDO WORD...[ ; WORD...]: killed at each call, completed by the same words
kills() {
	local desc=$1 do=() undo=() n wrong=() before after was will now out again

	shift
	while [ "$1" != -- ]; do do+=("$1") && shift; done
	shift
	printf '%s\n' "$@" | paste -sd' ' | sed 's/ ; /\n/g' >$WORK/undo
	before=$(state) was=$(fates 1)
	sw h1 -q "${do[@]}"
	after=$(state) will=$(fates 1)
	[ "$before" != "$after" ] || wrong+=("changes nothing")
	sw h1 -q -b $WORK/undo
	[ "$(state)" = "$before" ] || wrong+=("is not undone: $(differs "$before")")
	for ((n = 1 + total % step;; n = AT + step)); do
		killed $n "${do[@]}" || break
		now=$(fates 0.2) # a slow machine may need more
		between $was $will "$now" || now=$(fates 2)
		between $was $will "$now" || wrong+=("$n: reached $now, not $was or $will")
		mended $n
		again=0
		out=$(sw h1 -q "${do[@]}" 2>&1) || again=$?
		# Done before the kill: what is there is not added again, nor what is gone deleted.
		case $again:$out in
		0:* | 1:*already* | 1:*'no '* | 1:*exists*) ;;
		*) wrong+=("$n: $out") ;;
		esac
		[ "$(state)" = "$after" ] || wrong+=("$n: $(differs "$after")")
		sw h1 -q -b $WORK/undo || wrong+=("$n: not undone")
		[ "$(state)" = "$before" ] || wrong+=("$n: undone $(differs "$before")")
	done
	sw h1 -q -b $WORK/undo # the last one came to its end
	total=$((total + 1))
	is "$desc: killed at any of $n calls, the same words complete it" \
		"$(printf '%s\n' ${wrong[@]+"${wrong[@]}"})" ""
}

x=(endpoint add x tenant red mac 02:00:00:00:00:09 ip 10.0.0.9 ip fd00::9 dev red-x)
kills "endpoint add" "${x[@]}" -- endpoint del x
kills "endpoint add, elsewhere" endpoint add x tenant red mac 02:00:00:00:00:09 ip 10.0.0.9 \
	host h2 -- endpoint del x
kills "endpoint add, with limits" "${x[@]}" rate-out 1gbit burst 1mb -- endpoint del x
sw h1 "${x[@]}"
kills "endpoint set mac" endpoint set x mac 02:00:00:00:00:19 -- \
	endpoint set x mac 02:00:00:00:00:09
kills "endpoint set ip" endpoint set x ip 10.0.0.9 ip 10.0.0.19 ip fd00::19 -- \
	endpoint set x ip 10.0.0.9 ip fd00::9
kills "endpoint set ip none" endpoint set x ip none -- endpoint set x ip 10.0.0.9 ip fd00::9
kills "endpoint set dev" endpoint set x dev red-y -- endpoint set x dev red-x
kills "endpoint set host" endpoint set x host h2 -- endpoint set x dev red-x
kills "endpoint set to-host" endpoint set x to-host h2 -- endpoint set x dev red-x
sw h1 endpoint set x host h2 to-dev red-x
kills "endpoint set dev, of one that moves" endpoint set x dev red-x -- \
	endpoint set x host h2 to-dev red-x
kills "endpoint del, of one that moves" endpoint del x -- "${x[@]:0:9}" ip fd00::9 host h2 \
	to-dev red-x
sw h1 endpoint set x dev red-x
kills "endpoint replace" endpoint replace x tenant red mac 02:00:00:00:00:19 ip 10.0.0.19 \
	dev red-y -- "endpoint replace" "${x[@]:2}"
kills "endpoint del" endpoint del x -- "${x[@]}"
sw h1 endpoint set x host h2
kills "endpoint del, elsewhere" endpoint del x -- endpoint add x tenant red \
	mac 02:00:00:00:00:09 ip 10.0.0.9 ip fd00::9 host h2
kills "endpoint set dev, from elsewhere" endpoint set x dev red-x -- endpoint set x host h2
sw h1 endpoint set x dev red-x
# At each call, since the program goes by another call than the word.
step=1 kills "endpoint set xdp on" endpoint set x xdp on -- endpoint set x xdp off
sw h1 endpoint set x xdp on
step=1 kills "endpoint set xdp off" endpoint set x xdp off -- endpoint set x xdp on
kills "endpoint set dev, with xdp on" endpoint set x dev red-y -- endpoint set x dev red-x
kills "endpoint set host, with xdp on" endpoint set x host h2 -- endpoint set x dev red-x xdp on
kills "endpoint del, with xdp on" endpoint del x -- "${x[@]}" xdp on
sw h1 endpoint del x
kills "endpoint add, with xdp on" "${x[@]}" xdp on -- endpoint del x

# So do these, whose maps the programs go by.
sw h1 "${x[@]}"
behind=(prefix 192.168.9.0/24 prefix fd09::/64)
# shellcheck disable=SC2086 # words
for words in "macs 2" "${behind[*]}"; do
	none="${words%% *} none"
	step=1 kills "endpoint set $words" endpoint set x $words -- endpoint set x $none
	sw h1 endpoint set x $words
	step=1 kills "endpoint set $none" endpoint set x $none -- endpoint set x $words
	# With macs the container, which keeps its old MAC, is reached all the time.
	step=1 kills "endpoint set mac, with $words" endpoint set x mac 02:00:00:00:00:19 -- \
		endpoint set x mac 02:00:00:00:00:09
	kills "endpoint set dev, with $words" endpoint set x dev red-y -- endpoint set x dev red-x
	kills "endpoint del, with $words" endpoint del x -- "${x[@]}" $words
	sw h1 endpoint del x
	kills "endpoint add, with $words" "${x[@]}" $words -- endpoint del x
	sw h1 "${x[@]}"
done
sw h1 endpoint del x

boot=(boot-server 10.0.0.9 boot-server fd00::9 boot-file a)
kills "tenant set boot-server" tenant set green "${boot[@]}" -- \
	tenant set green boot-server none boot-file none
sw h1 tenant set green "${boot[@]}"
kills "tenant set boot-file" tenant set green boot-file b -- tenant set green boot-file a
kills "tenant set boot-server none" tenant set green boot-server none boot-file none -- \
	tenant set green "${boot[@]}"
sw h1 tenant set green boot-server none boot-file none
kills "tenant add, with a boot server" tenant add white id 400 "${boot[@]}" -- tenant del white
sw h1 tenant add white id 400 "${boot[@]}"
kills "tenant set id, with a boot server" tenant set white id 401 -- tenant set white id 400
kills "tenant del, with a boot server" tenant del white -- tenant add white id 400 "${boot[@]}"
sw h1 tenant del white

kills "tenant add" tenant add white id 400 encap gre rate-in 1gbit net 10.0.0.0/24 flows on \
	flow-entries 64 -- \
	tenant del white
sw h1 tenant add white id 400 net 10.0.0.0/24
kills "tenant set id" tenant set white id 401 -- tenant set white id 400
kills "tenant replace" tenant replace white id 402 mtu 1200 net fd00::/64 -- \
	tenant replace white id 400 net 10.0.0.0/24
sw h1 tenant del white
kills "tenant set" tenant set green mtu 1300 broadcast off encap gre rate-out 1gbit \
	net 10.0.0.0/24 -- tenant set green mtu 0 broadcast on encap vxlan rate-out none net none
kills "tenant set flows on" tenant set green flows on flow-entries 64 -- \
	tenant set green flows off flow-entries none
sw h1 tenant set green flows on flow-entries 64
kills "tenant set flow-entries" tenant set green flow-entries 128 -- \
	tenant set green flow-entries 64
kills "tenant set flows off" tenant set green flows off -- tenant set green flows on
sw h1 tenant set green flows off flow-entries none
kills "tenant set max-endpoints" tenant set green max-endpoints 50 -- \
	tenant set green max-endpoints none
p="endpoint add p tenant green mac 02:00:00:00:00:05 ip 10.0.0.5 dev green-p"
q="endpoint add q tenant green mac 02:00:00:00:00:06 ip 10.0.0.6 dev green-q"
kills "tenant set domain" tenant set red domain corp.example -- tenant set red domain tsw.internal
kills "tenant set dhcp off" tenant set red dhcp off dns off -- tenant set red dhcp on dns on
sw h1 tenant set red dhcp off dns off
kills "tenant set dhcp on" tenant set red dhcp on dns on -- tenant set red dhcp off dns off
sw h1 tenant set red dhcp on dns on
kills "tenant del force" tenant del green force on -- "tenant add green id 300 ; $p ; $q"

kills "host add" host add h3 ip 192.0.2.3 mtu 1400 -- host del h3
sw h1 host add h3 ip 192.0.2.3 mtu 1400
kills "host set" host set h3 ip 192.0.2.33 -- host set h3 ip 192.0.2.3
kills "host set mtu" host set h3 mtu 1300 -- host set h3 mtu 1400
kills "host set mtu none" host set h3 mtu none -- host set h3 mtu 1400
kills "host replace" host replace h3 ip 192.0.2.34 mtu 1200 -- host replace h3 ip 192.0.2.3 mtu 1400
kills "host del" host del h3 -- host add h3 ip 192.0.2.3 mtu 1400
sw h1 host del h3

# A batch goes on with -f where a kill has ended it: what is done is refused, what is not is done.
cat >$WORK/batch <<-END
	tenant add white id 400
	${x[*]}
	endpoint add w tenant white mac 02:00:00:00:00:09 ip 10.0.0.9 host h2
	host add h3 ip 192.0.2.3
END
kills "batch" -f -b $WORK/batch -- "tenant del white force on ; endpoint del x ; host del h3"

# lost_none FILE: by what ping said. At the end some may be on their way: one, or where a machine is
# slow those of TSW_SLOW tenths of a second. After 65535 it counts from 0 again.
lost_none() {
	# shellcheck disable=SC2016 # awk's own
	awk -v tail=$((${TSW_SLOW:-1} == 1 ? 1 : 5 * ${TSW_SLOW:-1})) '
		/bytes from/ && match($0, /icmp_seq=[0-9]+/) {
			s = substr($0, RSTART + 9, RLENGTH - 9)
			s += int((last - s + 32768) / 65536) * 65536
			if (!seen[s]++) n++
			if (s > last) last = s
		}
		/received/ { sent = $1 }
		END { exit !(n && n == last && sent - last <= tail) }' "$1"
}
for ((i = 0; i < 2; i++)); do
	tenant=$([ $i = 0 ] && echo red || echo blue)
	kill -INT "${streams[i]}"
	wait "${streams[i]}" || true
	note "$tenant: $(grep received $WORK/$tenant.ping)"
	check "$tenant's other endpoints lost nothing" lost_none $WORK/$tenant.ping
done
of_red() { tcpdump -r $WORK/"$1".pcap -X -n 2>/dev/null | grep -c redred || true; } # NAME
capture_stop red-a blue-a blue-c
check "what red says is known by its words" test "$(of_red red-a)" -gt 100
for name in blue-a blue-c; do
	check "$name was heard" test "$(captured $name)" -gt 100
	is "$name: nothing of red's" "$(of_red $name)" 0
done
note "$KILLS kills"
is "no drop but of what was nowhere" "$(sw h1 -j stats drops | gojq -r '.[] | select(.packets > 0) |
	select(.reason | IN("unknown_destination", "spoofed_ip", "spoofed_mac", "unknown_port",
	"not_here_yet") |
	not) | .reason' | sort -u)" ""
finish
