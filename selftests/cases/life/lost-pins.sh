#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a, blue-a ─ h1 192.0.2.1 ═══ 192.0.2.2 h2 ─ red-c, blue-c      h1 serves red's gateway
#
# Somebody removed pins, each one and all of them, or the BPF filesystem, or emptied /run, also
# while a command has the lock; or maps are full. What still forwards, what each command says, and
# which command mends it.
. "$(dirname "$0")/../../lib.sh"
# shellcheck source-path=SCRIPTDIR/..
. "$LIB/lib_faults.sh"

# Loaded by `up`, these would make devices of their own in each namespace.
modprobe -a ip_gre ip6_gre 2>/dev/null || true
topo_hosts h1 h2
clean() { # what a switch leaves on h1, but for settings
	ip -n h1 -br link | sed 's/ .*//'
	ip -n h1 rule
	ip -n h1 route show table all | grep -v '^ff00::'
	on h1 nft list ruleset
	find /run/netns -name 'tsw-*'
	on h1 sysctl -n net.ipv4.conf.eth0.forwarding
	on h1 tc filter show dev eth0 ingress
}
unused=$(clean)
switch_up
tenants
for tenant in red blue; do
	container $tenant a h1 10.0.0.1/24
	container $tenant c h2 10.0.0.3/24
done
listen blue-a blue-c
tcx=$(sw h1 -j switch show | gojq '.attach == "tcx"')
sw h1 gateway add red ip 10.0.0.254/24
pins=/sys/fs/bpf/tsw/h1
finds "nothing is wrong at first" h1
check "frames pass" loud red-a 10.0.0.3

# ---- each pin -----------------------------------------------------------------------------

before_maps=$(sw h1 -j endpoint show; sw h1 -j tenant show; sw h1 -j gateway show)
wrong=() n=0
tried=('endpoint show' 'tenant add x id 9' 'switch gc' 'stats show' 'switch set xdp off')
for pin in "$pins"/maps/* "$pins"/progs/*; do
	pin=${pin#"$pins"/} n=$((n + 1))
	rm "$pins/$pin"
	[ "$(problems h1)" = "pin $pin" ] || wrong+=("$pin: $(problems h1)")
	words=${tried[n % ${#tried[@]}]}
	case $pin in
	maps/*)
		# shellcheck disable=SC2086
		out=$(sw h1 $words 2>&1) && out="no error"
		grep -q 'were removed, see tsw switch check' <<<"$out" || wrong+=("$pin: $words: $out")
		;;
	esac
	[ $((n % 8)) != 1 ] || loud red-a 10.0.0.3 || wrong+=("$pin: forwarding")
	sw h1 switch repair || wrong+=("$pin: repair")
	[ -z "$(problems h1)" ] || wrong+=("$pin: after repair: $(problems h1)")
done
is "each pin of $n is found, told and put back" "${wrong[*]}" ""

# The kernel detaches a link a moment after its last pin is gone. Until then an attach is refused;
# strace refuses here, once or always, the first attach of a repair.
again() { # WHEN: of the calls of bpf(), see strace(1)
	bpftool link detach pinned "$(find $pins/links -type f | sort | head -1)"
	strace -o $WORK/calls -e trace=bpf ${1:+-e inject=bpf:error=EEXIST:when=$1} \
		"$TSW" -n h1 switch repair >/dev/null 2>&1
}
if [ "$tcx" = true ]; then
	check "a program that was detached is attached again" again
	first=$(grep -n BPF_LINK_CREATE $WORK/calls | head -1 | cut -d: -f1)
	check "  also if the first try is refused" again "$first"
	is "  as strace did" "$(grep -c 'EEXIST.*INJECTED' $WORK/calls)" 1
	is "  nothing is wrong" "$(problems h1)" ""
	check_fails "not if all are" again "$first+"
	check "until a repair without that" sw h1 switch repair
fi
is "and what is in the maps" \
	"$(sw h1 -j endpoint show; sw h1 -j tenant show; sw h1 -j gateway show)" "$before_maps"
check "frames pass" loud red-a 10.0.0.3
sw h1 save >$WORK/state.json
rm $pins/maps/tsw_addrs
for words in "diff $WORK/state.json" "apply $WORK/state.json" "switch upgrade" \
	"-f switch upgrade"; do
	# shellcheck disable=SC2086
	says "${words% /*}: not without pins" 'were removed, see tsw switch check' sw h1 $words
done
is "none of them did anything" "$(problems h1)" "pin maps/tsw_addrs"
sw h1 switch repair
rm $pins/maps/tsw_config
is "what cannot be read is not told to be outdated" \
	"$({ sw h1 -j switch check || true; } | gojq -c '.warnings')" '[]'
sw h1 switch repair
rm -r $pins/maps $pins/progs
check "without any of them frames pass" loud red-a 10.0.0.3
is "all are named" "$(problems h1 | wc -l)" "$n"
check "repair is the way back" sw h1 switch repair
finds "nothing is wrong" h1
rm $pins/maps/tsw_config $pins/maps/tsw_endpoints
# shellcheck disable=SC2086
check "so is switch up with the same words" \
	sw h1 switch up dev eth0 local 192.0.2.1 name h1 $UP_ARGS
finds "nothing is wrong" h1
is "nothing is lost" "$(sw h1 -j endpoint show; sw h1 -j tenant show; sw h1 -j gateway show)" \
	"$before_maps"
rm $pins/maps/tsw_config
check_fails "switch down from another namespace is refused, whose it is being unknown or not" \
	"$TSW" -i h1 switch down
finds "the settings have a pin again" h1
check "frames pass" loud red-a 10.0.0.3
wrong=()
for pin in "$pins"/links/*; do
	[ -e "$pin" ] || continue # with clsact there are none
	rm "$pin"
	problems h1 | grep -qE 'program|unguarded' || wrong+=("$pin: $(problems h1)")
	sw h1 switch repair || wrong+=("$pin: repair")
	[ -z "$(problems h1)" ] || wrong+=("$pin: after repair: $(problems h1)")
done
is "each link is found and put back" "${wrong[*]}" ""
check "frames pass" loud red-a 10.0.0.3

# ---- what is in the maps ----------------------------------------------------------------------

poke() { # MAP KEY...: that entry is gone
	bpftool map delete pinned "$(map_pin h1 "$1")" key hex "${@:2}"
}
key_of() { map_dump h1 "$1" | gojq -r '.[0].key | map(ltrimstr("0x")) | join(" ")'; }
damage() { # DESC WHAT... -- CMD...: found, and mended
	local desc=$1 what=()

	shift
	while [ "$1" != -- ]; do what+=("$1") && shift; done
	shift
	"$@"
	is "$desc: found" "$({ sw h1 -j switch check || true; } |
		gojq -r '[.problems[].what] | unique | join(" ")')" "${what[*]}"
	check "$desc: repair is the way back" sw h1 switch repair
	finds "$desc: mended" h1
}
while read -r map found; do
	# shellcheck disable=SC2046
	damage "an entry of tsw_$map" "$found" -- poke "$map" $(key_of "$map")
done <<-END
	groups broadcast_group
	ports endpoint_entry
	tenant_ids tenant_name
	host_ids host_name
	vteps host_entry
END
stray() { # an entry that nobody owns, in all of these
	local key

	bpftool map update pinned "$(map_pin h1 fdb)" key hex 64 0 0 0 2 9 9 9 9 9 0 0 \
		value hex 1 0 0 0 1 0 0 0
	key=$(printf '64 0 0 0 %s ff ff 0a 0 0 63' "$(printf '0 %.0s' {1..10})")
	# shellcheck disable=SC2086
	bpftool map update pinned "$(map_pin h1 addrs)" key hex $key \
		value hex 2 9 9 9 9 9 $(printf '0 %.0s' {1..18})
	bpftool map update pinned "$(map_pin h1 ports)" key hex f 27 0 0 \
		value hex 64 0 0 0 0 0 0 0 2 9 9 9 9 9 0 0
}
damage "entries of nobody" broadcast_group count stray_entry -- stray
stray
is "gc takes them away too" "$(sw h1 -j switch gc | gojq -c '[.removed[].object] | sort')" \
	'["tsw_addrs","tsw_fdb","tsw_ports"]'
finds "and nothing else" h1
check "frames pass" loud red-a 10.0.0.3
is "addresses stay" "$(sw h1 -j endpoint show)" "$(jq -cs '.[0]' <<<"$before_maps")"

# ---- the lock ------------------------------------------------------------------------------------

# So many that it is not done before it is stopped.
awk 'BEGIN { for (i = 1; i <= 20000; i++)
	printf "endpoint add e%d tenant red mac 02:01:00:00:%02x:%02x host h2\n",
		i, i / 256, i % 256 }' >$WORK/add
locked() { grep -q "FLOCK.* $1 " /proc/locks; }
hold() { # a command that has the lock and stands still; its pid is $HELD
	"$TSW" -n h1 -b $WORK/add &
	HELD=$!
	until locked $HELD; do :; done
	kill -STOP $HELD
}
hold
start=${EPOCHREALTIME/./}
out=$(sw h1 -w 0.3 tenant add x id 9 2>&1) && out="no error"
ms=$(((${EPOCHREALTIME/./} - start) / 1000))
check "-w 0.3 gives up, and says who has the lock" \
	grep -q "process $HELD, \"tsw\"; waited 0.3 s" <<<"$out"
check "after that time ($ms ms)" test $ms -ge 300 -a $ms -lt $((5000 * ${TSW_SLOW:-1}))
says "-w 0 does not wait" "did not wait" sw h1 -w 0 tenant add x id 9
is "as JSON" "$({ sw h1 -j -w 0 tenant add x id 9 2>/dev/null || true; } | gojq -r .code)" EBUSY
says "check waits for it too" "process $HELD" sw h1 -w 0.1 switch check
check "reading needs no lock" sw h1 endpoint show a tenant red
rm -r /run/tsw
says "/run emptied: the lock holds nevertheless" "process $HELD" sw h1 -w 0.2 tenant add x id 9
kill -CONT $HELD
check "who waits gets it" sw h1 -w 20 tenant add x id 9
status=0
wait $HELD || status=$? # not by check, whose subshell is not its parent
is "the other one has done all" $status 0
finds "nothing is wrong" h1
is "nothing is lost" "$(sw h1 -j switch show | gojq -c '[.tenants, .endpoints]')" '[3,20004]'
sed 's/ add \([^ ]*\).*/ del \1/' $WORK/add >$WORK/del
mv $WORK/del $WORK/add
hold
(sleep 0.3; kill -KILL $HELD) &
check "a killed one leaves the lock" sw h1 -w 20 tenant del x
wait $HELD 2>/dev/null || true
status=0
for bad in -1 1e3 "" ten 86401 1.; do
	sw h1 -w "$bad" tenant show >/dev/null 2>&1 || status=$?
	[ $status = 2 ] || not_ok "-w '$bad' is misuse: $status"
done
sw h1 -f -b $WORK/add 2>/dev/null || true # what the killed one had left
rm -r /run/tsw
check "/run emptied: commands work" sw h1 tenant add x id 9
sw h1 tenant del x
finds "nothing is wrong" h1

batch() {
	printf '%s\n' "tenant add x id 9" "switch check" "switch gc dry-run on" "switch repair" \
		"switch gc" "tenant del x" "switch check" | sw h1 -j -b - | gojq -s '[.[].ok]'
}
is "in a batch" "$(batch | tr -d ' \n')" '[true,null,null,true]'
check_fails "repair of no switch" "$TSW" -i nobody switch repair
check_fails "leaves no lock behind" test -e /run/tsw/nobody

# ---- no BPF filesystem -----------------------------------------------------------------------

# Somewhere else it is still mounted, so the pins stay. There may be one below ours.
without() {
	# shellcheck disable=SC2016
	unshare --mount --propagation private sh -c \
		'while mountpoint -q /sys/fs/bpf; do umount /sys/fs/bpf || exit; done
		exec "$@"' - \
		"$TSW" -n h1 "$@"
}
for words in "switch show" "switch check" "switch repair" "switch gc" "switch down" \
	"endpoint show" "tenant add x id 9" "switch up dev eth0"; do
	# shellcheck disable=SC2086
	out=$(without $words 2>&1) && out="no error"
	grep -q 'not a BPF filesystem' <<<"$out" || not_ok "without bpffs: $words: $out"
done
check "without a BPF filesystem each command says so; frames pass" loud red-a 10.0.0.3
finds "mounted again all is there" h1

# ---- all pins at once ------------------------------------------------------------------------

rm -r $pins
if [ "$tcx" = true ]; then
	check "with their links all stands still" retry 5 no_loud red-a 10.0.0.3
	says "and says so" 'no switch "h1" is up' sw h1 switch show
	says "there is nothing to repair" 'no switch "h1" is up' sw h1 switch repair
	check "switch down takes away what is left" sw h1 switch down
	sw h1 switch up dev eth0 local 192.0.2.1 name h1
	sw h1 tenant add red id 100
	sw h1 gateway add red ip 10.0.0.254/24
	rm -r $pins
	check "or switch up makes it anew" sw h1 switch up dev eth0 local 192.0.2.1 name h1
	finds "and it is well" h1
	sw h1 tenant add red id 100
	check "also its first gateway" sw h1 gateway add red ip 10.0.0.254/24
	finds "and it is well" h1
else
	check "filters keep all: frames pass" loud red-a 10.0.0.3
	check "repair is the way back" sw h1 switch repair
	finds "nothing is wrong" h1
	rm -r $pins
	# shellcheck disable=SC2086
	check "so is switch up" sw h1 switch up dev eth0 local 192.0.2.1 name h1 $UP_ARGS
	rm -r $pins
fi
sw h1 switch down
is "after all that the host is as it was" \
	"$(diff <(sort <<<"$unused") <(clean | grep -v 'red-a\|blue-a' | sort))" ""
heard_nothing "blue heard nothing of red in all that" blue-a blue-c

# ---- full --------------------------------------------------------------------------------------

full() { sw h1 -j switch check | jq -r '.warnings[] | "\(.what) \(.object)"' | sort | paste -sd ,; }
# shellcheck disable=SC2086
sw h1 switch up dev eth0 local 192.0.2.1 name h1 max-endpoints 3 max-tenants 1 $UP_ARGS
sw h1 host add h2 ip 192.0.2.2
sw h1 tenant add red id 100
is "a switch with all its tenants" "$(full)" "nearly_full tenants"
says "one more" 'the switch is full: max-tenants is 1' sw h1 tenant add blue id 200
ips=$(printf 'ip 10.1.0.%d ' {1..12})
# shellcheck disable=SC2086
sw h1 endpoint add e1 tenant red mac 02:00:00:00:00:01 $ips host h2
# shellcheck disable=SC2086
says "an address too much" 'allow 14 addresses' \
	sw h1 endpoint add e2 tenant red mac 02:00:00:00:00:02 ${ips//10.1./10.2.} host h2
sw h1 endpoint add e2 tenant red mac 02:00:00:00:00:02 ip 10.2.0.1 host h2
sw h1 endpoint add e3 tenant red mac 02:00:00:00:00:03 ip 10.3.0.1 host h2
says "an endpoint too much" 'the switch is full: max-endpoints is 3' \
	sw h1 endpoint add e4 tenant red mac 02:00:00:00:00:04 host h2
is "it is told before" "$(full)" "nearly_full addresses,nearly_full endpoints,nearly_full tenants"
check "and is no fault" sw h1 switch check
check "a change needs no room" \
	sw h1 endpoint replace e3 tenant red mac 02:00:00:00:00:09 ip 10.3.0.1 host h2
sw h1 endpoint del e1
is "room again" "$(full)" "nearly_full tenants"
for ((i = 0; i < 32; i++)); do
	# shellcheck disable=SC2046
	bpftool map update pinned "$(map_pin h1 drops)" key 200 0 0 0 $i 0 9 0 \
		value hex $(printf '0 %.0s' {1..16}) 2>/dev/null || break
done
check "drops, too" grep -q 'nearly_full drops' <<<"$(full)"
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a
sw h1 endpoint replace e2 tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 host h2
check "frames pass when drops cannot be counted" loud red-a 10.0.0.3
finish
