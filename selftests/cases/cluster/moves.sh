#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: basic/moves moves endpoints; unit_record_set has what an agent carries out
#
#   red vm 10.0.0.1, first here ─ h1 ┐
#                                    ├─ h3 ─ red p 10.0.0.3      members of a cluster, with agents
#   red vm 10.0.0.1, then here ── h2 ┘
#
# While an endpoint moves, its record has both places. Each agent carries out its host's part, and
# settles it when the record has one place. h2 learns of the tenant only by that record.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

cluster_up h1 h2 h3
agent h1 h2 h3
VM=02:00:00:00:00:01
container red vm h1 10.0.0.1/24 endpoint off
container red new h2 10.0.0.1/24 mac $VM endpoint off
container red p h3 10.0.0.3/24 endpoint off
sw h1 -c tenant add red id 100 net 10.0.0.64/26
sw h1 -c endpoint add vm tenant red mac $VM ip 10.0.0.1 dev red-vm
sw h1 -c endpoint add other tenant red mac auto ip auto host h1 >/dev/null
sw h3 -c endpoint add p tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 dev red-p
check "all know" in_step h1
check "p reaches it" reach red-p 10.0.0.1
is "h2's switch has no tenant" "$(js h2 tenant show .)" '[]'

place() { # HOST
	sw "$1" -j endpoint show vm tenant red |
		gojq -c '.[0] | [.dev, .host, .to_dev, .to_host, .moved] | map(select(. != null))'
}
places() { echo "$(place h1) $(place h2) $(place h3)"; }
record_of() {
	sw h3 -j -c endpoint show "$1" tenant red |
		gojq -c '.[0] | [.host, .dev, .to_host, .to_dev]'
}
refusal() { { sw "$@" 2>/dev/null || true; } | gojq -r .code; }
set_vm=(-j -c endpoint set vm tenant red)
check "not to where it lives" grep -q 'lives at "h1": it cannot move there' \
	<<<"$(sw h1 "${set_vm[@]}" to-host h1 2>&1 || true)"
is "nor to a host that is none" "$(refusal h1 "${set_vm[@]}" to-host h9)" ENOENT
is "nor to a device that is none" "$(refusal h2 "${set_vm[@]}" to-dev nothing)" ENODEV
is "nor to two places" "$(refusal h1 "${set_vm[@]}" to-host h2 to-dev red-new)" EINVAL
is "nothing of that is left" "$(record_of vm)" '["h1","red-vm",null,null]'
check "told on h2, whose device it is" sw h2 -c endpoint set vm tenant red to-dev red-new
is "it is there at once" "$(place h2)" '["h1","red-new",false]'
check "and on all" in_step h1
before='["red-vm","h2",false] ["h1","red-new",false] ["h1","h2",false]'
is "which know both places" "$(places)" "$before"
is "as the record has it" "$(record_of vm)" '["h1","red-vm","h2","red-new"]'
check "the index of where it moves to is lost" store del "$CLUSTER/at/h2/100/vm"
check "told again" sw h2 -c endpoint set vm tenant red to-dev red-new
check "it is there again" grep -q at/h2/100/vm <<<"$(store read "$CLUSTER/at/h2/")"
is "its MAC stays meanwhile" "$(refusal h1 "${set_vm[@]}" mac 02:00:00:00:00:77)" EBUSY
is "a host that one moves to is not empty" "$(refusal h1 -j -c host del h2)" EBUSY
is "the records are whole" "$(sw h1 -j -c check | gojq -c .problems)" "[]"
sw h1 -c save >"$WORK/whole.json"
is "saved" "$(gojq -c '.tenants[0].endpoints[] | select(.name == "vm") | [.dev, .to_host, .to_dev]' \
	"$WORK/whole.json")" '["red-vm","h2","red-new"]'
is "applied, nothing changes" "$(sw h1 -j -c diff "$WORK/whole.json" | gojq -c .)" "[]"
changes() { # SED: of that file so changed
	sed "$1" "$WORK/whole.json" >"$WORK/other.json"
	{ sw h1 -j -c diff "$WORK/other.json" || true; } | gojq -c 'map(.change + " " + .name)'
}
is "another device there is a change" "$(changes s/red-new/red-other/)" '["set red/vm"]'
is "also where the other device is another" \
	"$(changes 's/"to_dev":"red-new",*//; s/"dev":"red-vm"/"dev":"red-q"/')" '["set red/vm"]'
is "a file that does not say it means this one" "$(changes 's/"to_dev":"red-new",*//')" "[]"
sw h1 -c endpoint add more tenant red mac auto ip 10.0.0.9 host h2 >/dev/null
check "records go on" in_step h1
for host in h1 h2 h3; do agent_end $host; done
agent h1 h2 h3
check "agents begin anew, and compare all" in_step h1
is "that changes nothing of it" "$(places)" "$before"
check "p reaches it where it is" reach red-p 10.0.0.1

announce() { # DEVICE
	inject "$1" eth0 eth src=$VM dst=ff:ff:ff:ff:ff:ff / \
		arp op=1 sha=$VM spa=10.0.0.1 tpa=10.0.0.1
}
announce red-new
check "p reaches it where it is now" reach red-p 10.0.0.1
moved='["red-vm","h2",true] ["h1","red-new",true] ["h1","h2",true]'
is "all have followed" "$(places)" "$moved"
sw h1 -c endpoint del more tenant red
check "records go on" in_step h1
for host in h1 h2 h3; do agent_end $host; done
agent h1 h2 h3
check "agents begin anew" in_step h1
is "what has moved stays" "$(places)" "$moved"
sw h1 -c endpoint set vm tenant red rate-out 1gbit
check "another word of it" in_step h1
is "does not move it back" "$(places)" "$moved"
check "h1 says where it is" sw h1 -c endpoint set vm tenant red host h2
check "the record says so" in_step h1
is "with the device there" "$(record_of vm)" '["h2","red-new",null,null]'
is "one place again" "$(places)" '["h2"] ["red-new"] ["h2"]'
check "p reaches it" reach red-p 10.0.0.1

# ---- one that fails, and whose device is told later ---------------------------------------------

sw h3 -c endpoint set vm tenant red to-host h1
check "told elsewhere, without a device" in_step h3
is "h1 waits for one" "$(place h1)" '["h2"]'
is "the others need not" "$(place h2) $(place h3)" '["red-new","h1",false] ["h2","h1",false]'
check "h1 tells it" sw h1 -c endpoint set vm tenant red to-dev red-vm
is "it is there at once" "$(place h1)" '["h2","red-vm",false]'
to() { sw h3 -c endpoint set vm tenant red "$@" && record_of vm; } # WORD...
is "to another host, whose device is not known" "$(to to-host h3)" '["h2","red-new","h3",null]'
is "both places at once" "$(to host h2 to-host h1)" '["h2","red-new","h1",null]'
is "it ends on a third host, without a device, too" "$(to host h3)" '["h3",null,null,null]'
is "where it was, it has none until it is told" "$(to host h2 to-host h1)" '["h2",null,"h1",null]'
check "it failed: it stays" sw h2 -c endpoint set vm tenant red dev red-new
is "which its device alone says" "$(record_of vm)" '["h2","red-new",null,null]'
check "all are in step" in_step h1
is "where it was" "$(places)" '["h2"] ["red-new"] ["h2"]'
check "p reaches it" reach red-p 10.0.0.1
sw h1 -c endpoint add new tenant red mac auto ip auto host h2 to-host h3 >/dev/null
is "one that moves from its first moment" "$(record_of new)" '["h2",null,"h3",null]'
sw h1 -c endpoint set new tenant red host h2
is "where it is, without its device: it has none" "$(to host h2)" '["h2",null,null,null]'
check "told again" sw h2 -c endpoint set vm tenant red dev red-new
sw h1 -c endpoint del new tenant red

sw h1 -c host add h9 ip 192.0.2.99
sw h3 -c endpoint set p tenant red to-host h9
check "a host that is gone" sw h1 -c host del h9 force on
is "leaves what was to move there" "$(record_of p)" '["h3","red-p",null,null]'
check "all are in step" in_step h1
is "the records are whole" "$(sw h1 -j -c check | gojq -c .problems)" "[]"
value=$(store read "$CLUSTER/e/100/p" | sed -nE 's/^[^ ]*100\/p (.*) [0-9]+$/\1/p')
store put "$CLUSTER/e/100/p" "${value%\}},\"to_host\":\"h8\"}"
is "a move to a host that is none is told" "$({ sw h1 -j -c check || true; } |
	gojq -c '.problems | map(.what + " " + .object) | unique')" \
	'["missing_claim at/h8/100/p","unknown_host e/100/p"]'
store put "$CLUSTER/e/100/p" "$value"
check "all are in step" in_step h1
check_fails "there is no index of no host" grep -q at//. <<<"$(store read "$CLUSTER/at/")"
for host in h1 h2 h3; do
	is "$host: all is well" "$(sw $host -j switch check | gojq -c .problems)" "[]"
done

check "a domain" sw h3 -c tenant set red domain corp.example
check "all are in step" in_step h1
for host in h1 h2 h3; do
	is "$host has it" "$(sw $host -j tenant show red | gojq -r '.[0].domain')" corp.example
done

# ---- libvirt's hook, by the records -------------------------------------------------------------

HOOK=$ROOT/contrib/libvirt/qemu
hook() { # HOST OPERATION
	on "$1" unshare --mount bash -c "echo '$TSW -i $1 -c' >$WORK/words &&
		touch /etc/tsw/libvirt &&
		mount --bind $WORK/words /etc/tsw/libvirt && exec '$HOOK' web '$2' begin -" <<-END
		<domain><metadata><tsw:interfaces xmlns:tsw='urn:tenant-switch:libvirt:1'>
		<tsw:interface dev='tap-web' tenant='red' ip='10.0.0.20'/>
		</tsw:interfaces></metadata>
		<devices><interface type='ethernet'><mac address='02:00:00:00:00:20'/>
		<target dev='tap-web' managed='no'/></interface></devices></domain>
	END
}
taps() {
	local on_h1 on_h2
	on_h1=$(ip -n h1 -br link show type tun | wc -l)
	on_h2=$(ip -n h2 -br link show type tun | wc -l)
	echo "$on_h1 $on_h2"
}
# What qemu sends by its tap when its guest goes on: RARP, with the guest's MAC.
announce_tap() {
	on h2 "$PY" - <<-END
		import fcntl, struct
		tap = open("/dev/net/tun", "r+b", buffering=0)
		fcntl.ioctl(tap, 0x400454ca, struct.pack("16sH", b"tap-web", 0x5002))  # TAP, no PI, vnet_hdr
		mac = bytes.fromhex("020000000020")
		rarp = struct.pack("!HHBBH6s4s6s4s", 1, 0x800, 6, 4, 3, mac, bytes(4), mac, bytes(4))
		tap.write(bytes(10) + b"\xff" * 6 + mac + b"\x80\x35" + rarp + bytes(18))
	END
}
check "a VM begins on h1" hook h1 prepare
is "its record is there" "$(record_of web)" '["h1","tap-web",null,null]'
check "h2 awaits its migration" hook h2 migrate
is "the record has both" "$(record_of web)" '["h1","tap-web","h2","tap-web"]'
check "libvirt begins it there" hook h2 prepare
is "as it is" "$(record_of web)" '["h1","tap-web","h2","tap-web"]'
check "it fails: h2 releases it" hook h2 release
is "it stays on h1" "$(record_of web) $(taps)" '["h1","tap-web",null,null] 1 0'
check "h2 awaits it again" hook h2 migrate
check "and begins it" hook h2 prepare
check "all are in step" in_step h1
announce_tap
has_moved() { [ "$(sw h1 -j endpoint show web tenant red | gojq '.[0].moved')" = true ]; }
check "h1 follows" retry 50 has_moved
# libvirt could not let it run there, and lets it go on here.
check "it fails all the same: h2 releases it" hook h2 release
is "it lives on h1" "$(record_of web) $(taps)" '["h1","tap-web",null,null] 1 0'
check "all are in step" in_step h1
is "as its switch knows" "$(sw h1 -j endpoint show web tenant red | gojq -c '.[0] | [.dev, .moved]')" \
	'["tap-web",null]'
# One that was to go elsewhere, of which nothing was heard any more.
sw h1 -c endpoint set web tenant red to-host h3
check "h2 awaits it" hook h2 migrate
is "the record says so" "$(record_of web)" '["h1","tap-web","h2","tap-web"]'
check "and again, by a new tap" hook h2 migrate
check "and begins it" hook h2 prepare
check "all are in step" in_step h1
BG_LOG=$WORK/released
hook h1 release >$BG_LOG 2>&1 &
BG=$!
check "h1 releases it" retry 5 pgrep -f "$HOOK web release"
announce_tap
ends_well "before it has heard of it"
is "it lives on h2" "$(record_of web) $(taps)" '["h2","tap-web",null,null] 0 1'
check "it begins on h1, by a tap of the same name" hook h1 prepare
is "and so is its record" "$(record_of web)" '["h1","tap-web",null,null]'
check "h2 releases it" hook h2 release
is "which is not its own any more" "$(record_of web) $(taps)" '["h1","tap-web",null,null] 1 0'
check "h1 releases it" hook h1 release
check_fails "no record is left" record_of web
is "and no tap" "$(taps)" "0 0"
finish
