#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: vm/moves has a VM of qemu; docker/plugin has the same endpoints by another tool
#
#   red  web  10.0.0.1 ┐ a VM of libvirt                        ┌ ns 10.0.0.2, red
#   blue web2 10.0.0.1 ┘ with two interfaces ─ h1 ═════════ h2 ─┴ nb 10.0.0.2, blue
#
# libvirt's own daemon, whose hook of contrib/libvirt makes the taps and endpoints that a domain's
# metadata describes. The VM is started, ended and killed, the daemon begun again. A refused domain
# starts no VM and leaves nothing. A migration is imitated by the calls that libvirt makes.
. "$(dirname "$0")/../../lib_vm.sh"
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_libvirt.sh"

topo h1 h2
tenants
sw_all tenant set red net 10.0.0.0/29 dhcp on dns on
sw_all group add red www db
sw_all tenant set blue net 10.0.0.0/29 dhcp on
sw h1 gateway add red ip 10.0.0.6/29
container red ns h2 10.0.0.2/29
container blue nb h2 10.0.0.2/29
cp -a /etc $WORK/etc && mount --bind $WORK/etc /etc
mkdir -p /etc/tsw
echo "$TSW -i h1" >/etc/tsw/libvirt

everything() { sw h1 save && ip -n h1 -br link show type tun; }
before=$(everything)

MAC1=02:00:00:00:01:01 MAC2=02:00:00:00:01:02
# domain [NAME [METADATA]]
domain() {
	local metadata=${2-"<tsw:interface dev='tap-web' tenant='red' ip='10.0.0.1'
		group='www db' rate-out='1gbit' vip='10.0.0.4 10.0.0.5'
		prefix='10.8.0.0/24 fd08::/64' macs='3' server='on'>
		<tsw:publish port='8080' to='80'/></tsw:interface>
		<tsw:interface dev='tap-web2' tenant='blue' name='web2'/>"}

	libvirt_domain "${1:-web}" "$metadata" "$(libvirt_tap tap-web $MAC1 2)" \
		"$(libvirt_tap tap-web2 $MAC2)"
}
# hook HOST OPERATION [NAME [METADATA]]: as libvirt calls it there; XML: another domain's
hook() {
	"${XML:-domain}" "${@:3}" | on "$1" unshare --mount bash -c "echo '$TSW -i $1' >$WORK/words &&
		mount --bind $WORK/words /etc/tsw/libvirt && exec '$HOOK' '${3:-web}' '$2' begin -"
}

# ---- what is refused ------------------------------------------------------------------------

good="<tsw:interface dev='tap-web' tenant='red'/>"
blue="<tsw:interface dev='tap-web2' tenant='blue'>"
# IF: red's interface tap-web with these words. TWO: that without words, and tap-web2 with these.
# IN: red's tap-web, and BLUE: blue's tap-web2, with this element.
while IFS='|' read -r desc text metadata; do
	case $metadata in
	'IF '*) metadata="<tsw:interface dev='tap-web' tenant='red' ${metadata#IF }/>" ;;
	'IN '*) metadata="${good%/>}><tsw:${metadata#IN }/></tsw:interface>" ;;
	'BLUE '*) metadata="$blue<tsw:${metadata#BLUE }/></tsw:interface>" ;;
	'TWO '*) metadata="$good<tsw:interface dev='tap-web2' ${metadata#TWO }/>" ;;
	esac
	status=0
	out=$(hook h1 prepare web "$metadata" 2>&1) || status=$?
	case $out in *"$text"*) is "$desc" "$status" 1 ;; *) is "$desc" "$out" "$text" ;; esac
	is "$desc: nothing is left" "$(everything)" "$before"
done <<'END'
a tenant that is not there|"nobody"|TWO tenant='nobody'
a device that the domain has not|"tap-x"|<tsw:interface dev='tap-x' tenant='red'/>
without a tenant|needs dev and tenant|<tsw:interface dev='tap-web'/>
another's address|already has the address|TWO tenant='blue' ip='10.0.0.2'
another's name|has an endpoint "ns"|IF name='ns'
a rate that is none|"fast"|IF rate-in='fast'
two of one name in a tenant|"tap-web" and "tap-web2" are both named "web"|TWO tenant='red'
a word that is none|tsw:interface: "colour": unknown; use one of: dev, tenant|IF colour='red'
a port's|tsw:publish: "host": unknown; use one of: proto, port, to|IN publish port='8' to='8' host='h2'
an element that is none|has no "{urn:tenant-switch:libvirt:1}dns" in it|IN dns
dns, which the tenant tells|tsw tenant set TENANT dhcp on dns on|IF dns='on'
a vip that is none|"10.0.0.4," is not an IP|IF vip='10.0.0.4, 10.0.0.5'
too many MACs|"65"|IF macs='65'
a group that is none|tenant "red" has no group "ghost"|IF group='ghost'
a name that is none|"a/b" cannot be a name|IF name='a/b'
a published port without a gateway|blue|BLUE publish port='80' to='80'
END
# What another has made is not touched: not to start, nor by the release that follows.
ip -n h1 tuntap add dev tap-web mode tap
refuses_device() {
	! hook h1 prepare web "$good" >$WORK/said 2>&1 && grep -q '"tap-web" exists' $WORK/said
}
check "a device that is another's" refuses_device
check "that VM is released" hook h1 release web "$good"
check "it is there still" ip -n h1 link show dev tap-web
ip -n h1 link set tap-web alias "libvirt other"
check "nor one of another domain" refuses_device
ip -n h1 link del tap-web
two="<tsw:interface dev='tap-web2' tenant='red' name='ns'/>$good"
check "prepared" hook h1 prepare web "<tsw:interface dev='tap-web' tenant='red' ip='10.0.0.1'/>"
check "what cannot be released does not keep the rest" hook h1 release web "$two"
is "nothing is left" "$(everything)" "$before"
check "reconnect never fails" hook h1 reconnect web "<tsw:interface dev='tap-web' tenant='nobody'/>"
check "other domains are none of its business" "$HOOK" other prepare begin - <<<"<domain/>"
is "nothing has changed" "$(everything)" "$before"

# ---- another domain with the same name and MAC -------------------------------------------------

evil() { # of its own tap
	libvirt_domain evil "<tsw:interface dev='tap-evil' tenant='red' name='web' ip='10.0.0.1'/>" \
		"$(libvirt_tap tap-evil $MAC1)"
}
same="<tsw:interface dev='tap-web' tenant='red' name='web' ip='10.0.0.1'/>" # or of web's
check "web is prepared" hook h1 prepare web "<tsw:interface dev='tap-web' tenant='red' ip='10.0.0.1'/>"
was=$(everything)
for operation in prepare migrate release reconnect; do
	XML=evil hook h1 $operation evil >$WORK/said 2>&1 && status=0 || status=$?
	is "$operation of a domain with its name and MAC: nothing has changed" "$(everything)" "$was"
	check "  it says why" grep -qF 'at the device "tap-web", which is not a device of this domain' $WORK/said
	case $operation in prepare | migrate) is "  and is refused" $status 1 ;; esac
	hook h1 $operation evil "$same" >/dev/null 2>&1 || true
	is "  nor by one with its device" "$(everything)" "$was"
done
check "web is released" hook h1 release web "<tsw:interface dev='tap-web' tenant='red'/>"
is "nothing is left" "$(everything)" "$before"

# ---- killed half-way ----------------------------------------------------------------------------

ONE="<tsw:interface dev='tap-web' tenant='red' ip='10.0.0.1'/>" # `auto` would run out
libvirt_killer
hook_killed() { killed_at "$1" hook h1 "$2" web "$ONE"; } # N OPERATION
wrong='' step=${TSW_QUICK:+3}
step=${step:-1}
for ((n = 1; n < 30; n += step)); do
	hook_killed $n prepare || break
	hook h1 prepare web "$ONE" || wrong+=" prepare after $n"
	hook h1 release web "$ONE" || wrong+=" release after $n"
	[ "$(everything)" = "$before" ] || wrong+=" left after $n"
	hook_killed $n prepare
	hook h1 release web "$ONE" || wrong+=" release alone after $n"
	[ "$(everything)" = "$before" ] || wrong+=" left by release after $n"
done
is "killed at any of $n calls of ip, it may be called again, or undone" "$wrong" ""
check "there were calls to be killed at" test $n -gt 4
for ((n = 1; n < 30; n += step)); do
	hook h1 prepare web "$ONE"
	hook_killed $n release || break
	hook h1 release web "$ONE" || wrong+=" release after $n"
	[ "$(everything)" = "$before" ] || wrong+=" left after $n"
done
is "and so is release" "$wrong" ""

# ---- the calls of a migration, from h2 to h1 ---------------------------------------------------

check "h2 prepares" hook h2 prepare web "$ONE"
sw h1 endpoint add web tenant red mac $MAC1 ip 10.0.0.1 host h2
was=$(everything)
check "h1 awaits it" hook h1 migrate web "$ONE"
check "and prepares" hook h1 prepare web "$ONE"
sw h2 endpoint set web tenant red to-host h1
place() { # HOST
	js "$1" endpoint show web tenant red '.[0] | [.dev, .host, .to_dev, .to_host]'
}
is "both know" "$(place h1) $(place h2)" '[null,"h2","tap-web",null] ["tap-web",null,null,"h1"]'
check "it fails: h1 releases" hook h1 release web "$ONE"
is "all is as it was" "$(everything)" "$was"
check "once more: h1 awaits it" hook h1 migrate web "$ONE"
sw h2 endpoint set web tenant red to-host h1
# As qemu does there when the guest has come: RARP out of a tap with virtio's headers and queues.
on h1 "$PY" - ${MAC1//:/} <<-'END'
	import fcntl, os, struct, sys
	mac = bytes.fromhex(sys.argv[1])
	tap = os.open("/dev/net/tun", os.O_RDWR)
	fcntl.ioctl(tap, 0x400454CA, struct.pack("16sH22x", b"tap-web", 0x5102))
	arp = struct.pack("!HHBBH6s4s6s4s", 1, 0x800, 6, 4, 3, mac, b"", mac, b"")
	os.write(tap, bytes(10) + b"\xff" * 6 + mac + b"\x80\x35" + arp)
END
moved() { [ "$(js h2 endpoint show web tenant red '.[0].moved')" = true ]; }
check "it has come" retry 5 moved
check "h2 releases" hook h2 release web "$ONE"
is "h2 knows where it is" "$(place h2)" '[null,"h1",null,null]'
check "h1 settles it" sw h1 endpoint set web tenant red dev tap-web
check "the VM ends: h1 releases" hook h1 release web "$ONE"
sw h2 endpoint del web tenant red
is "nothing is left" "$(everything)" "$before"

# ---- libvirt's own ------------------------------------------------------------------------------

[ -z "$(libvirt_lacks)" ] || { skip "a VM of libvirt" "$(libvirt_lacks)" && finish && exit; }
libvirt_host h1
vm_image <<-'END'
	until lease; do :; done
	echo "bound $(ip -o -4 addr show eth0 | sed 's/.* inet \([0-9.]*\).*/\1/')"
	exec sleep 1000
END
domain >$WORK/web.xml
daemon "libvirt's daemon begins" h1
undo pkill -f "guest=web"
check "virsh create" v h1 create $WORK/web.xml
is "two endpoints" "$(sw h1 -j endpoint show | gojq -c 'map(select(.dev != null)) |
	map([.name, .tenant, .mac, .dev, .rate_out])')" \
	'[["web2","blue","'$MAC2'","tap-web2",null],["web","red","'$MAC1'","tap-web",1000000000]]'
is "its other words" "$(js h1 endpoint show web tenant red '.[0] | [.vip, .prefix, .macs, .server]')" \
	'[["10.0.0.4","10.0.0.5"],["10.8.0.0/24","fd08::/64"],3,true]'
is "its groups" "$(js h1 endpoint show web tenant red '.[0].group')" '["db","www"]'
is "a published port" "$(js h1 publish show 'map([.tenant, .port, .to])')" \
	'[["red",8080,"10.0.0.1:80"]]'
sw h2 endpoint add web tenant red mac $MAC1 ip 10.0.0.1 host h1
check "the guest has its address by DHCP" retry 60 vm_said $WORK/console bound
is "its endpoint's" "$(vm_says $WORK/console bound)" 10.0.0.1
check "red reaches it" reach red-ns 10.0.0.1
ip -n red-ns route add 169.254.169.253 dev eth0
is "and finds it by the domain's name" \
	"$(on red-ns dig +short +time=2 +tries=1 @169.254.169.253 web.red.tsw.internal)" 10.0.0.1
check "blue does not" no_reach blue-nb 10.0.0.1

running=$(everything)
daemon_end h1
daemon "the daemon ends, and begins again" h1
check "the guest runs on" v h1 domstate web
is "all is as it was" "$(everything)" "$running"
check "red reaches it" reach red-ns 10.0.0.1
sw h1 endpoint del web tenant red
daemon_end h1
daemon "an endpoint is gone meanwhile: begun again" h1
has() { sw h1 endpoint show web tenant red; }
check "the hook puts it back" retry 5 has
check "red reaches it" retry 5 reach red-ns 10.0.0.1

pkill -KILL -f 'guest=web' || true
ended() { [ "$(everything)" = "$before" ]; }
check "qemu is killed: nothing is left" retry 10 ended
no_domain() { ! v h1 domstate web; }
retry 5 no_domain
check "created again" v h1 create $WORK/web.xml
check "and destroyed" v h1 destroy web
check "nothing is left" retry 10 ended
domain web "<tsw:interface dev='tap-web' tenant='nobody'/>" >$WORK/bad.xml
out=$({ v h1 create $WORK/bad.xml || true; } 2>&1)
check "refused: virsh tells why" grep -q nobody <<<"$out"
is "nothing is left of it" "$(everything)" "$before"
finish
