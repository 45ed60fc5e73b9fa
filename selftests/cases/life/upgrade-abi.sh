#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_migrate and packet_migrate read each older version's maps
# `switch upgrade` of a switch whose maps have an older ABI's layout keeps their contents. A switch
# that cannot be upgraded is refused, and nothing has changed. An upgrade that is killed at any
# call, or whose call the kernel refuses, leaves a switch that forwards, and can be completed.
#
#   red-a 10.0.0.1 ── h1 ══════ h2 ── red-c 10.0.0.3      blue-b 10.0.0.1 ── h1
#                     ╰ up0, the gateway of red and blue
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_outside.sh"

PINS=/sys/fs/bpf/tsw/h1
step=${KILL_STEP:-5} # 1: at each call, which takes minutes
[ -z "${TSW_QUICK:-}" ] || step=$((7 * step + 1))
abi() { on h1 "$PY" "$TOOLS/abi.py" "$1" $PINS/maps "${@:2}"; } # where devices are
# to_abi N: the layout of that version, without programs that it did not have. The gateways are in
# the router all the same: life/upgrade-router upgrades an older tsw, whose gateways are not.
to_abi() {
	abi make "$LIB/abi/$1"
	rm -f $PINS/progs/tsw_to_wire $PINS/links/to_wire-*
	on h1 tc filter del dev eth0 egress pref 1 2>/dev/null || true
	[ "$1" -gt 5 ] || rm -f $PINS/progs/tsw_from_world $PINS/links/from_world-*
	old_wire=$(on_wire)
}
on_wire() { ids link $PINS/links/from_wire-* 2>/dev/null || true; }
config_word() { # OFFSET VALUE: of h1's configuration
	local octets

	read -ra octets < <(bpftool -j map dump pinned $PINS/maps/tsw_config |
		gojq -r '.[0].value | join(" ")')
	printf -v "octets[$1]" '%#x' "$2"
	bpftool map update pinned $PINS/maps/tsw_config key 0 0 0 0 value "${octets[@]}"
}
ABI=$("$TSW" -j version | gojq .abi)
VERSION=$(<"$ROOT/VERSION")
VERSION_AT=216
# ids map|prog|link PIN...: their numbers in the kernel; of a link, that of its program
ids() {
	local kind=$1

	shift
	printf "$kind show pinned %s\n" "$@" | bpftool -j batch file - |
		gojq -r '.[] | "\(.command[-1] | sub(".*/"; "")) \(.output | .prog_id // .id)"'
}
# map_ids: but for those that an older ABI has otherwise or not at all
map_ids() {
	ids map $PINS/maps/* |
		grep -vE '^tsw_(config|watch|fair|conns|gateways|hosts|stats|host_stats)' |
		grep -vE '^tsw_(descriptions|nets|given_up|names|domains|moves|fast|probes|snat)' |
		grep -vE '^tsw_(polic|crypt|host_(keys|mtus)|flow_|shares|devices|uplink_|routed)' |
		grep -vE '^tsw_(asked|closed|timeouts|expected|bindings|bound|boot|relays)' |
		grep -vE '^tsw_(vips|taken|macs|inner|prefix)'
}
# programs: what is attached on h1, by number
programs() {
	local dev hook

	[ ! -e $PINS/links ] || [ -z "$(ls $PINS/links)" ] || ids link $PINS/links/*
	for dev in eth0 red-a blue-b tsw-vx tsw-gw; do
		for hook in ingress egress; do
			on h1 tc filter show dev $dev $hook 2>/dev/null |
				sed -n "s/.* tsw_.* id \([0-9]*\) .*/$dev-$hook \1/p" || true
		done
	done
}
# is_whole: no program but those pinned is attached, and nothing is half done
is_whole() {
	local pinned

	[ "$(cd $PINS && echo *)" = "links maps progs" ] || return 1
	pinned=" $(ids prog $PINS/progs/* | cut -d ' ' -f 2 | tr '\n' ' ')"
	programs | while read -r _ id; do
		[[ $pinned == *" $id "* ]] || return 1
	done
	sw h1 switch check
}
# checked: what `switch check` finds, a word a line
checked() { { sw h1 -j switch check || true; } 2>/dev/null | gojq -r '.problems[]?.what'; }
# refuses DESC CODE TEXT CMD...: with that code and these words, as JSON; and nothing is changed
refuses() {
	local desc=$1 code=$2 text=$3 before out

	shift 3
	before=$(abi contents; ls -R $PINS)
	out=$("$TSW" -n h1 -j "$@" 2>/dev/null) && not_ok "$desc: was not refused"
	is "$desc: $code" "$(gojq -r .code <<<"$out")" "$code"
	check "$desc: $text" grep -q "$text" <<<"$out"
	is "$desc: nothing has changed" "$(abi contents; ls -R $PINS)" "$before"
}
stream_start() {
	bg h1 "$PY" "$TOOLS/stream.py" red-a red-c 10.0.0.3 rate="${TSW_RATE:-3000}"
	STREAM=$BG STREAM_LOG=$BG_LOG
	retry 5 grep -q ready "$BG_LOG"
}
stream_ends() { # DESC
	BG=$STREAM BG_LOG=$STREAM_LOG
	kill $STREAM
	ends_well "$1"
	note "$1: $(tail -n 1 "$STREAM_LOG")"
}

make_place() { # WORDS of switch up
	topo_hosts h1 h2
	outside h1
	was=$(forwarding)
	UP_ARGS=$1 switch_up
	tenants
	container red a h1 10.0.0.1/24 fd00::1/64
	container blue b h1 10.0.0.1/24
	container red c h2 10.0.0.3/24 fd00::3/64
	gateway red h1
	gateway blue h1 ip 10.7.0.254/24
	leave red-a red-c
	for words in "endpoint set a tenant red rate-out 1gbit" "tenant set red rate-in 10gbit" \
		"publish add red proto tcp port 81 to 10.0.0.1:80" "peer add red with blue" \
		"peer add blue with red"; do
		# shellcheck disable=SC2086
		sw h1 $words
	done
	reach red-a 10.0.0.3
	reach red-a fd00::3
	reach red-a $SERVER4
	inject red-a eth0 eth src=02:00:00:00:00:99 dst=02:00:00:00:00:03 / hex 0800
	retry 5 drop_is_there
	still red-a red-c
}
drop_is_there() { [ "$(drops h1 spoofed_mac)" != 0 ]; }
# still NS...: nothing of their own accord, nor the kernel's question whether a neighbour is there.
still() {
	local ns ip mac

	for ns; do
		sysctl_in "$ns" net.ipv6.conf.eth0.disable_ipv6=1
		ip -n "$ns" -j neigh show dev eth0 | gojq -r '.[] | "\(.dst) \(.lladdr // empty)"' |
			while read -r ip mac; do
				ip -n "$ns" neigh replace "$ip" lladdr "$mac" dev eth0 nud permanent
			done
	done
}

forwarding() { on h1 sysctl net.ipv{4,6}.conf.{all,up0}.forwarding; }
make_place "xdp native"
quiet h1

grow() { sed -n 's/^tsw_config 00000000 //p' <<<"$1"; }
flooded() {
	local was

	was=$(stat_of h2 red tunnel_rx)
	inject red-a eth0 eth src=02:00:00:00:00:01 dst=ff:ff:ff:ff:ff:ff \
		/ ip src=10.0.0.1 dst=10.0.0.255 / udp / text flood
	retry 5 heard_more "$was"
}
heard_more() { [ "$(stat_of h2 red tunnel_rx)" -gt "$1" ]; }
# others: all entries but the configurations and what is closed by default, of gateways and hosts
# what ABI 5 has; without a flag that is new (READY). The host's own MLD reports are left out: older
# programs count them as not_stamped, whenever the kernel sends them.
others() {
	grep -vE -e '^tsw_(config|crypt|shares|uplink_|routed|asked|closed|timeouts)' \
		-e '^tsw_drops 0{8}08000300 ' <<<"$1" |
		sed -E 's/^(tsw_hosts [0-9a-f]+ [0-9a-f]{224}).*/\1/
		s/^(tsw_gateways [0-9a-f]+ [0-9a-f]{26})..([0-9a-f]{428}).*/\1 \2/'
}
# ---- from ABI 3 to 7 ------------------------------------------------------------------
pinned_maps() { ids map $PINS/maps/* | sort; }
# from_abi N
from_abi() {
	local words map before after numbers progs maps plan

	to_abi "$1"
	is "the layout is exactly that of ABI $1" "$(abi show)" "$(<"$LIB/abi/$1")"
	check "ABI $1: its programs forward on" reach red-a 10.0.0.3
	for words in "switch show" "switch check" "stats show" "tenant add x id 9" "endpoint del a" \
		"switch up dev eth0 local 192.0.2.1 name h1 xdp native" "switch repair"; do
		# shellcheck disable=SC2086
		refuses "ABI $1: $words" EPROTO \
			"ABI version $1 and this tsw $ABI: run switch upgrade" $words
	done
	quiet h1 2>/dev/null || true
	before=$(abi contents)
	numbers=$(map_ids) progs=$(programs) maps=$(pinned_maps)
	plan=$(sw h1 -j --dry-run switch upgrade)
	is "ABI $1: a dry run changes nothing" "$(abi contents; pinned_maps; programs)" \
		"$before
$maps
$progs"
	check "ABI $1: upgrade" sw h1 switch upgrade
	is "ABI $1: it told which maps are new" \
		"$(gojq -r '.[] | select(.object == "map") | .name' <<<"$plan" | sort)" \
		"$(comm -13 <(echo "$maps") <(pinned_maps) | cut -d' ' -f1 | sort)"
	after=$(abi contents)
	is "ABI $1: what is in the maps is what was, octet for octet" \
		"$(others "$after")" "$(others "$before")"
	is "ABI $1: gateways have no resolver, and one rank, this host" \
		"$(sed -nE 's/^tsw_gateways [0-9a-f]+ .{26}01.{428}0{64}010{102}$/one/p' \
			<<<"$after" | xargs)" "one one"
	is "ABI $1: hosts have no zone" \
		"$(sed -nE 's/^tsw_hosts [0-9a-f]+ [0-9a-f]{224}0{128}$/none/p' <<<"$after")" none
	for map in addrs devices drops endpoints fdb gateways groups host_ids host_stats hosts \
		limits marks peer_routes peers ports publish stats tenant_ids tenants \
		totals vteps; do
		grep -q "^tsw_$map " <<<"$after" || not_ok "nothing was in tsw_$map"
	done
	is "ABI $1: the configuration's octets too, behind the version" \
		"$(grow "$after" | cut -c9-432)" "$(grow "$before" | cut -c9-432)"
	is "ABI $1: the version is today's" \
		"$(sw h1 -j switch show | gojq -c '[.abi, .version, .outdated]')" \
		"[$ABI,\"$VERSION\",false]"
	is "ABI $1: maps that are the same were kept" "$(map_ids)" "$numbers"
	check "ABI $1: all programs are others" test \
		"$(programs | grep -cxF -f <(echo "$progs") || true)" = 0
	check "ABI $1: there is a pass" grep -q '[1-9a-f]' \
		<<<"$(grow "$after" | cut -c465-480)"
	check "ABI $1: no old one is left, nor half of anything" is_whole
	check "ABI $1: it forwards" reach red-a 10.0.0.3
	check "ABI $1: and floods, by the kernel's device" flooded
	check "ABI $1: and to the world" reach red-c $SERVER4
	check "ABI $1: and takes commands" sw h1 endpoint set a tenant red rate-out none
	numbers=$(programs)
	is "ABI $1: again: there is nothing to do" "$(sw h1 -v switch upgrade 2>&1)" \
		"tsw: the switch has these programs already"
	is "ABI $1: and the programs stay" "$(programs)" "$numbers"
}
from_abi 7
from_abi 6
from_abi 5
from_abi 4
from_abi 3

# ---- what is refused ----------------------------------------------------------------------
config_word 0 $((ABI + 1))
refuses "newer ABI: upgrade" EPROTO "newer tsw" switch upgrade
refuses "newer ABI: forced" EPROTO "newer tsw" -f switch upgrade
refuses "newer ABI: show" EPROTO "newer tsw" switch show
refuses "newer ABI: up" EPROTO "newer tsw" switch up dev eth0
config_word 0 2
refuses "ABI 2: upgrade" EPROTO "switch down" switch upgrade
refuses "ABI 2: show" EPROTO "switch down" switch show
config_word 0 0
refuses "half up: upgrade" ENOENT "half made" switch upgrade
config_word 0 "$ABI"
config_word $((VERSION_AT + 2)) 9
refuses "newer version" EPERM "of tsw 9.${VERSION#*.}" switch upgrade
config_word $((VERSION_AT + 2)) 0
other_programs() {
	config_word $((VERSION_AT + 8)) $(($(bpftool -j map dump pinned $PINS/maps/tsw_config |
		gojq -r ".[0].value[$((VERSION_AT + 8))]") ^ 1))
}
other_programs
is "other programs: switch show tells" "$(sw h1 -j switch show | gojq .outdated)" true
check "and switch check" grep -q "switch upgrade" <(sw h1 switch check 2>&1)
check "upgrade" sw h1 switch upgrade
is "they are this tsw's" "$(sw h1 -j switch show | gojq .outdated)" false
# The first switches of ABI 5 were made before there were descriptions, others before `auto`, or
# before DHCP was answered.
whole=$(sw h1 save)
for maps in "descriptions nets given_up names domains moves" \
	"nets given_up names domains moves" "names domains moves" "domains moves" moves; do
	other_programs
	for map in $maps; do rm $PINS/maps/tsw_$map; done
	check_fails "without $maps: nothing is done" sw h1 tenant set red mtu 1400
	check "upgrade makes them" sw h1 switch upgrade
	is "all is as it was" "$(sw h1 save)" "$whole"
done
sw h1 tenant set red description two net 10.0.0.0/24
is "and a tenant has a description, and subnets" \
	"$(sw h1 -j tenant show red | gojq -c '.[0] | [.description, .net]')" '["two",["10.0.0.0/24"]]'
sw h1 endpoint add x tenant red mac auto ip auto host h2 >/dev/null
sw h1 endpoint del x tenant red
is "and an address that was given up rests" \
	"$(bpftool -j map dump pinned $PINS/maps/tsw_given_up | gojq length)" 1
check "its endpoints get names for DHCP" sw h1 tenant set red dhcp on
is "each of red's" "$(bpftool -j map dump pinned $PINS/maps/tsw_names | gojq length)" 2
sw h1 tenant set red description '' net none dhcp off
# shellcheck disable=SC2046
bpftool map delete pinned $PINS/maps/tsw_given_up key $(bpftool -j map dump pinned \
	$PINS/maps/tsw_given_up | gojq -r '.[0].key | join(" ")')
code() { { "$TSW" -n h2 -j "$@" 2>/dev/null || true; } | gojq -r .code; }
is "from another namespace: refused" "$(code -i h1 switch upgrade)" ENODEV
is "no switch: refused" "$(code -i h9 switch upgrade)" ENOENT
is "words that are none: misuse" "$(code -i h1 switch upgrade now)" EINVAL

# ---- things that happen --------------------------------------------------------------------
bg h1 "$TSW" -n h1 -f switch upgrade
check "two at once: one" sw h1 -f switch upgrade
ends_well "two at once: the other"
container red gone h1 10.0.0.8/24
ip -n h1 link del red-gone
check "with a device that is gone" sw h1 -f switch upgrade
sw h1 endpoint del gone tenant red
check "it forwards" reach red-a 10.0.0.3
check "no program is left over" is_whole
is "in a batch, between others" \
	"$(printf '%s\n' "tenant add x id 9" "switch upgrade" "tenant del x" | sw h1 -q -b - 2>&1)" ""

# What a newer tsw had made ready when it was killed, and not begun to put in place.
mkdir $PINS/next{,/progs,/maps,/old}
bpftool prog pin pinned $PINS/progs/tsw_to_port $PINS/next/progs/tsw_to_port
bpftool map pin pinned $PINS/maps/tsw_config $PINS/next/maps/tsw_config
check "made ready, not begun: other commands go on" sw h1 tenant set red mtu 0
is "and leave it" "$(ls $PINS/next/maps)" tsw_config
is "switch check tells" "$(checked)" half_upgraded
check "upgrade" sw h1 switch upgrade
check "has taken it away" is_whole

# ---- killed ----------------------------------------------------------------------------------
# told N: what `switch check` and `switch show` say of what a kill has left, in $seen
told() {
	local out

	out=$(sw h1 -j switch check 2>/dev/null || true)
	case $(gojq -r '.problems[]?.what, .code // empty' <<<"$out" | sort -u | tr '\n' ' ') in
	'' | 'unsettled ') seen+=" whole" ;;
	*'half_upgraded '*) seen+=" half" ;; # beside it, what the router lacks as yet
	'EPROTO ') seen+=" old" ;;
	*) wrong+=("$1: check: $out") ;;
	esac
	out=$(sw h1 switch show 2>&1 >/dev/null) || [[ $out == *"run switch upgrade"* ]] ||
		wrong+=("$1: show: $out")
}
# world N: before the wire's program uses the router, the uplink has its own, which ABI 5 had not
world() {
	[ "$(on_wire)" = "$old_wire" ] || reach red-c $SERVER4 || wrong+=("$1: not to the world")
}
left_of() { { sw "$1" -j switch check || true; } | gojq -r '.problems[].what'; }
# finish_up WHERE: by itself, by another command, or by repair, where these are possible
finish_up() {
	local words=("" "tenant set red mtu 0" "switch repair")

	# shellcheck disable=SC2086 # words
	set -- "$1" ${words[KILLS % 3]}
	if [ $# = 1 ] || sw h1 -q "${@:2}" 2>$WORK/err; then
		completed+=" ${2:-upgrade}"
	else
		# Or repair leaves the upgrade to be completed, and says so.
		grep -q 'ABI version 3 ' $WORK/err || [ "$(left_of h1)" = half_upgraded ] ||
			wrong+=("$*: $(<$WORK/err)")
	fi
	sw h1 switch upgrade || wrong+=("$1: upgrade again")
	is_whole >$WORK/whole 2>&1 || wrong+=("$1: not whole: $(<$WORK/whole)")
}
counted() { printf '%s\n' "$@" | sort | uniq -c | xargs; }
# kills DESC FIRST PREPARE WORD...
kills() {
	local desc=$1 first=$2 n prepare=$3 already=$KILLS seen='' completed='' wrong=()

	shift 3
	stream_start
	for ((n = first;; n = AT + step)); do
		$prepare
		killed $n "$@" || break
		told $n
		world $n
		finish_up $n
	done
	$prepare
	sw h1 "$@"
	stream_ends "$desc: meanwhile nothing was lost"
	calls=$n
	note "$desc: $n calls, $((KILLS - already)) kills; left: $(counted $seen)"
	note "$desc: completed by: $(counted $completed)"
	check "$desc: there were calls to be killed at" test $n -gt 100
	check "$desc: some were left half done" test "${seen/half/}" != "$seen"
	is "$desc: killed at and not completed" "${wrong[*]}" ""
	is "$desc: nothing was dropped" "$(tenants_drops)" "$dropped"
}
# tenants_drops: without what the router's kernel sends while its devices are exchanged
tenants_drops() { all_drops h1 | grep -v '^null not_stamped ' || true; }
# fill: all that programs do not write
fill() {
	abi contents | grep -v -e '^tsw_config' -e stats -e limits -e flows -e gateways -e totals \
		-e given_up -e asked -e uplink_ -e timeouts -e '^tsw_drops 00000000'
}
dropped=$(tenants_drops) content=$(fill)
old_abi() { to_abi 3; }
kills "ABI 3" $((step / 2 + 1)) old_abi switch upgrade
is "ABI 3: the maps have what they had" "$(fill)" "$content"

# ---- refused by the kernel, at any of these calls ---------------------------------------------
faulted() { # N: the Nth call of bpf() fails; what became of it in $seen
	local out status=0

	out=$(strace -f -o /dev/null -e trace=bpf -e inject=bpf:error=ENOMEM:when="$1" \
		"$TSW" -n h1 -f switch upgrade 2>&1) || status=$?
	seen+=" $status"
	[ $status = 0 ] || [ -n "$out" ] || wrong+=("$1: no word")
	if [ -e $PINS/next ]; then
		[[ $out == *half* ]] || wrong+=("$1: half done, and no word of it")
		sw h1 switch upgrade || wrong+=("$1: again")
	fi
	is_whole >$WORK/whole 2>&1 || wrong+=("$1: not whole: $(<$WORK/whole) $out")
}
UNLINKS="?unlink,?unlinkat,?rmdir" RENAMES="?rename,?renameat,?renameat2"
# traced OPTIONS WORD...: `tsw` with these words, and what strace does to it with these options
traced() {
	# shellcheck disable=SC2086 # options
	strace -f -o /dev/null -e trace=bpf,$RENAMES,$UNLINKS $1 "$TSW" -n h1 "${@:2}" 2>/dev/null
}
# thrown_away DESC PREPARE OPTIONS WORD...: killed at unlink() and rmdir()
thrown_away() {
	local desc=$1 prepare=$2 options=$3 n already=$KILLS

	shift 3
	for ((n = 1;; n += step)); do
		$prepare
		traced "-e inject=$UNLINKS:signal=KILL:when=$n $options" "$@" || true
		[ -e $PINS/next ] || [ -e $PINS/fresh ] || break
		KILLS=$((KILLS + 1))
		finish_up "$desc, $n"
	done
	note "$desc: thrown away by $n calls, $((KILLS - already)) kills"
	[ $KILLS != $already ] || wrong+=("$desc: no kill")
}
made_ready() { # by one that was killed when it was to put the first of it in place
	to_abi 3
	traced "-e inject=$RENAMES:signal=KILL:when=2" switch upgrade || true
	[ -e $PINS/next/maps/tsw_config ] || wrong+=("nothing made ready")
}
if command -v strace >/dev/null; then
	seen='' wrong=()
	calls=$(strace -f -o $WORK/calls -e trace=bpf "$TSW" -n h1 -f switch upgrade &&
		wc -l <$WORK/calls)
	stream_start
	for ((n = step / 2 + 1; n <= calls; n += $(every 3 $step))); do faulted $n; done
	nameless=$(grep -nm 1 libbpf_nametest $WORK/calls | cut -d : -f 1)
	faulted "$nameless" # libbpf's question whether there are names
	thrown_away "made ready, and not begun" made_ready "" switch upgrade
	first=$(grep -nm 1 LINK_UPDATE $WORK/calls | cut -d : -f 1)
	thrown_away "taken back" true "-e inject=bpf:error=ENOMEM:when=$first" -f switch upgrade
	stream_ends "errors of the kernel: nothing was lost"
	note "errors of the kernel: at $calls calls; status:$seen"
	check "errors of the kernel: some were refused" test "${seen/1/}" != "$seen"
	is "errors of the kernel: each was survived" "${wrong[*]}" ""
else
	skip "errors of the kernel" "strace is missing"
fi

# ---- down from an older ABI, and clsact --------------------------------------------------------
to_abi 3
check "down from ABI 3" sw h1 switch down
check "no pin is left" test ! -e $PINS
is "no device" "$(ip -n h1 -br link | grep -c tsw- || true)" 0
is "the uplink's forwarding is as it was" "$(forwarding)" "$was"
run_undo

make_place "attach clsact xdp off"
on h1 tc filter replace dev blue-b ingress pref 1 handle 1 protocol all bpf bytecode '1,6 0 0 0'
foreign() { on h1 tc filter show dev blue-b ingress | grep -c 'bytecode'; }
is "clsact: a filter of somebody else's in our place" "$(foreign)" 1
check "clsact: upgrade" sw h1 -f switch upgrade
is "clsact: is left there" "$(foreign)" 1
on h1 tc filter del dev blue-b ingress pref 1
sw h1 switch repair
dropped=$(tenants_drops)
kills "clsact, the same ABI" $((step / 3 + 1)) true -f switch upgrade
# ABI 3 had no router, so the filters of this one's programs would be a stranger's.
for tenant in red blue; do sw h1 gateway del $tenant force on; done
to_abi 3
check "clsact: from ABI 3" sw h1 switch upgrade
check "clsact: it forwards" reach red-a 10.0.0.3
to_abi 3
check "clsact: down from ABI 3" sw h1 switch down
is "clsact: no program is left" "$(programs)" ""
sw h1 switch up dev eth0 local 192.0.2.1 name h1 attach clsact
sw h1 tenant add red id 100
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 dev red-a
for ((n = calls / 2; n < calls; n = AT + 10)); do
	killed $n -f switch upgrade || break
	case $(ls $PINS/next 2>/dev/null) in *progs*) break ;; esac
done
is "clsact: half upgraded" "$(checked)" half_upgraded
check "clsact: down" sw h1 switch down
is "clsact: no program is left of it" "$(programs)" ""
check "clsact: nor a pin" test ! -e $PINS
finish
