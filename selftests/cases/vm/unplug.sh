#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   VM web: tap-t1, tap-t2 ─ h1, tenant red
#
# The calls of libvirt's hook for a VM whose interfaces come and go while it runs. libvirt and qemu
# are imitated: by a `virsh` that prints the running domain, and by a process that holds a tap open.
# vm/libvirt-hotplug has the real ones.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_libvirt.sh"

topo_hosts h1 h2
switch_up
tenants red 100
sw h1 tenant set red net 10.0.0.0/29
cp -a /etc $WORK/etc && mount --bind $WORK/etc /etc
mkdir -p /etc/tsw $WORK/bin
echo "$TSW -i h1" >/etc/tsw/libvirt
libvirt_killer

ONE="<tsw:interface dev='tap-t1' tenant='red' ip='10.0.0.1'/>"
TWO="<tsw:interface dev='tap-t2' tenant='red' name='web2' ip='10.0.0.2'/>"
NIC1=$(libvirt_tap tap-t1 02:00:00:00:01:0a) NIC2=$(libvirt_tap tap-t2 02:00:00:00:01:0B)
# live METADATA INTERFACE...: the running domain
live() {
	libvirt_domain web "$@" |
		sed -e "s/<domain /&id='7' /" -e "s|^<metadata>|&<o:os xmlns:o='urn:o'>x</o:os>|" >$WORK/live.xml
}
hook() { on h1 "$HOOK" web "$1" begin - <${2:-$WORK/live.xml}; } # OPERATION [FILE]
hand() { on h1 "$HOOK" ${NAME:-web} "$1" <<<"${2-$NIC2}"; }      # plug|unplug [XML]
cat >$WORK/bin/virsh <<END
#!/bin/sh
case "\$*" in
'-q dumpxml --domain web' | '-q dumpxml --domain 7') ;;
*) echo "error: failed to get domain '\$4'" >&2; exit 1 ;;
esac
[ ! -e $WORK/ends ] || { mv $WORK/ends $WORK/ended; exec cat $WORK/live.xml; }
[ ! -e $WORK/ended ] || { echo 'no domain' >&2; exit 1; }
exec cat $WORK/live.xml
END
chmod +x $WORK/bin/virsh
PATH=$WORK/bin:$PATH

everything() { sw h1 save && ip -n h1 -br link show type tun | cut -d' ' -f1; }
are() { # NAME=DEV...: the endpoints and the taps
	is "$1" "$(js h1 endpoint show 'map("\(.name)=\(.dev)") | join(" ")'): $(ip -n h1 -br link \
		show type tun | awk '{ print $1 }' | sort | tr '\n' ' ')" "$2"
}
BOTH="web=tap-t1 web2=tap-t2: tap-t1 tap-t2 "
before=$(everything)
gone() { is "$1: nothing is left" "$(everything)" "$before"; }
starts() { # DESC: with both interfaces
	live "$ONE$TWO" "$NIC1" "$NIC2"
	check "$1: prepare" hook prepare
	are "$1: two endpoints" "$BOTH"
}

# ---- unplugged, and nobody tells the hook --------------------------------------------------------

starts "unplugged"
live "$ONE$TWO" "$NIC1"
sw h1 endpoint del web tenant red
check "reconnect" hook reconnect
are "reconnect makes what is missing again" "$BOTH"
for operation in restore migrate; do
	hook $operation >$WORK/$operation.xml
	is "$operation forgets the unplugged one, and nothing else" \
		"$(grep -oE 'dev="tap-t1" tenant|tap-t2|="urn:o"|os>x<' $WORK/$operation.xml)" \
		'="urn:o"'$'\n''os>x<'$'\n''dev="tap-t1" tenant'
done
check "release" hook release
gone "release"
check_fails "prepare refuses an interface that the domain lacks" hook prepare
gone "refused"
check "prepare of what restore printed" hook prepare $WORK/restore.xml
are "one endpoint" "web=tap-t1: tap-t1 "
check "release" hook release $WORK/restore.xml
gone "restored and released"
live "$ONE$TWO" "$NIC1" "$NIC2"
is "nothing unplugged: libvirt keeps its own text" "$(hook restore)$(hook migrate)" ""

# ---- the metadata of a running domain changes ----------------------------------------------------

while IFS='|' read -r desc metadata; do
	starts "$desc"
	metadata=${metadata//BARE/"<tsw:interface dev='tap-t2' tenant='red'/>"}
	live "${metadata//TWO/$TWO}" "$NIC1" "$NIC2"
	check "$desc: reconnect" hook reconnect 2>/dev/null
	are "$desc: all is there" "$BOTH"
	check "$desc: release" hook release 2>/dev/null
	gone "$desc"
done <<'END'
no endpoint named|
one not named|TWO
another name|<tsw:interface dev='tap-t1' tenant='red' name='new'/>TWO
each other's names|<tsw:interface dev='tap-t1' tenant='red' name='web2'/>BARE
no tenant|<tsw:interface dev='tap-t1'/>TWO
no device|<tsw:interface tenant='red'/>TWO
END
starts "without metadata"
echo "<domain><name>web</name></domain>" >$WORK/live.xml
check "without metadata: release" hook release
gone "without metadata"

# ---- each interface by itself --------------------------------------------------------------------

starts "one of two"
sw h1 endpoint del web tenant red
sw h1 endpoint del web2 tenant red
sw h1 endpoint add web tenant red mac 02:00:00:00:01:0c host h2
hook reconnect 2>$WORK/said
check "it says what keeps one" grep -q 'has an endpoint "web" with the MAC' $WORK/said
are "and makes the other again" "web=null web2=tap-t2: tap-t1 tap-t2 "
check "release" hook release 2>$WORK/said
are "release leaves another's endpoint" "web=null: "
sw h1 endpoint del web tenant red

# ---- plug and unplug -----------------------------------------------------------------------------

live "$ONE$TWO" "$NIC1"
live "$ONE" "$NIC1"
check "prepare" hook prepare
first=$(everything)
# refused DESC TEXT VERB [XML]
refused() {
	local status=0

	hand "${@:3}" >$WORK/said 2>&1 || status=$?
	is "refused: $1" "$status $(grep -cF -- "$2" $WORK/said)" "1 1"
	is "  nothing has changed" "$(everything)" "$first"
}
refused "no metadata" 'no tsw:interface with dev "tap-t2"' plug
refused "nothing to unplug" 'the domain "web" has no "tap-t2" here' unplug
live "$ONE$TWO" "$NIC1"
for nic in '' '<interface' '<domain/>' "${NIC2/ethernet/bridge}" "${NIC2/no/yes}" \
	"${NIC2/<mac*B\'\/>/}" "${NIC2/tap-t2/}"; do
	refused "plug '${nic:0:40}'" "must be an <interface type='ethernet'>" plug "$nic"
done
refused "unplug ''" "must be an <interface type='ethernet'>" unplug ''
refused "queues" "'many'" plug "${NIC2/queues=\'1\'/queues=\'many\'}"
refused "a MAC" "02:00:00:00:01:0a" plug "${NIC2/01:0B/01:0A}"
live "$ONE${TWO/red/ghost}" "$NIC1"
refused "a tenant" '"ghost"' plug
live "$ONE${TWO/ip=/colour=}" "$NIC1"
refused "a word" '"colour"' plug
live "$ONE${TWO/web2/web}" "$NIC1"
refused "a name" 'both named "web"' plug
live "$ONE$TWO<tsw:interface dev='tap-t2' tenant='red' name='web3'/>" "$NIC1"
refused "a device named twice" 'two tsw:interface have the dev "tap-t2"' plug
live "$ONE$TWO" "$NIC1"
sed -i "s/ id='7'//" $WORK/live.xml
refused "a domain that does not run" '"web" is not running' plug
live "$ONE$TWO" "$NIC1"
ip -n h1 tuntap add dev tap-t2 mode tap
first=$(everything)
refused "a device that is another's" '"tap-t2" exists' plug
ip -n h1 link del tap-t2
first=$(everything)
NAME=7 refused "an id in place of a name" '"7" is not the name of the domain "web"' plug
NAME=db refused "another domain" "failed to get domain 'db'" plug
touch $WORK/ends
refused "the domain ends meanwhile" 'the domain "web" has ended' plug
rm $WORK/ended
for words in 'web' 'web plugg' ''; do
	status=0
	# shellcheck disable=SC2086
	"$HOOK" $words 2>$WORK/said </dev/null || status=$?
	is "'$words': usage" "$status $(grep -c ^usage: $WORK/said)" "2 1"
done

check "plug" hand plug
are "plugged" "$BOTH"
is "its MAC" "$(js h1 endpoint show web2 tenant red '.[0].mac')" 02:00:00:00:01:0b
check "once more" hand plug
are "plugged once more" "$BOTH"
first=$(everything)
refused "with another MAC" 'MAC 02:00:00:00:01:0b already' plug "${NIC2/01:0B/01:0C}"
check "libvirtd begins again before it is attached" hook reconnect
are "it is there still" "$BOTH"
held() { # DEV: held open, as by qemu
	bg h1 "$PY" -c "import fcntl, os, struct, time
tap = os.open('/dev/net/tun', os.O_RDWR)
fcntl.ioctl(tap, 0x400454CA, struct.pack('16sH22x', b'$1', 0x5002))
time.sleep(600)"
	retry 5 carrier "$1"
}
carrier() { ip -n h1 link show dev "$1" | grep -q LOWER_UP; }
held tap-t2
first=$(everything)
for open in "up" "down, which hides that it is open"; do
	ip -n h1 link set tap-t2 "${open%%,*}"
	refused "plugged already, $open" 'the guest has "tap-t2" already' plug
	refused "the guest still has it, $open" 'the guest still has "tap-t2"' unplug
	live "$ONE$TWO" "$NIC1" "$NIC2"
done
live "$ONE$TWO" "$NIC1"
stop $BG
echo false >/etc/tsw/libvirt
check_fails "unplug while no command works" hand unplug
echo "$TSW -i h1" >/etc/tsw/libvirt
are "nothing is lost" "$BOTH"
check "unplug" hand unplug
are "unplugged" "web=tap-t1: tap-t1 "
check "unplug of what has no endpoint any more" hand unplug

# Two at once, and killed at each call of `ip`.
for _ in 1 2 3; do
	hand plug 2>$WORK/plug1 & PIDS+=($!)
	hand plug 2>$WORK/plug2 & PIDS+=($!)
done
all_fine "plugged six times at once"
are "plugged" "$BOTH"
plugged=$(everything)
check "unplug" hand unplug
first=$(everything)
wrong='' step=${TSW_QUICK:+5}
hand_killed() { killed_at "$1" hand "$2"; }
for ((n = 1; n < 40; n += ${step:-1})); do
	hand_killed $n plug || break
	hand plug || wrong+=" plug after $n"
	[ "$(everything)" = "$plugged" ] || wrong+=" not plugged after $n"
	hand_killed $n unplug || true # it makes fewer calls than plug
	hand unplug || wrong+=" unplug after $n"
	[ "$(everything)" = "$first" ] || wrong+=" left after $n"
	hand_killed $n plug || true
	hand unplug || wrong+=" unplug alone after $n"
	[ "$(everything)" = "$first" ] || wrong+=" left by unplug alone after $n"
done
is "killed at any of $n calls of ip, it may be called again, or undone" "$wrong" ""
check "there were calls to be killed at" test $n -gt 8
check "plug" hand plug
check "the guest ends" hook release
gone "plugged and released"

# ---- two domains at once -------------------------------------------------------------------------

for name in web db; do
	for same in '' same; do
		at="dev='tap-$name' tenant='red' name='${same:-$name}' ip='10.0.0.${#name}'"
		libvirt_domain $name "<tsw:interface $at/>" \
			"$(libvirt_tap tap-$name 02:00:00:00:02:0${#name})" >$WORK/$name$same.xml
	done
done
both() { # OPERATION [SUFFIX]: how many fail
	for name in web db; do
		on h1 "$HOOK" $name "$1" begin - <$WORK/$name"${2:-}".xml 2>$WORK/said-$name & PIDS+=($!)
	done
	all_ended || true
}
both prepare
is "two domains are prepared at once" "$FAILURES" 0
are "both are there" "db=tap-db web=tap-web: tap-db tap-web "
both release
is "and released at once" "$FAILURES" 0
gone "both released"
for _ in 1 2 3; do
	both prepare same
	is "of two that want one name one is refused" "$FAILURES" 1
	[ $FAILURES = 1 ] || note "$(cat $WORK/said-{web,db})"
	is "  and the other is whole" "$(js h1 endpoint show '.[0].dev')" \
		"$(ip -n h1 -br link show type tun | awk '{ print $1 }')"
	both release same
	gone "released"
done
finish
