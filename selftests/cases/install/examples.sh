#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: port/devices has the same kinds of devices; install/examples-cluster
#
#   ns  10.0.0.1 namespace ─┐                                      ┌─ vm 10.0.0.3 qemu
#   box 10.0.0.2 LXC ───────┤ h1 192.0.2.1 ──────── 192.0.2.2 h2 ──┤
#   nsp 10.0.0.4 nspawn ────┘                                      └─ ns 10.0.0.1, blue
#
# The scripts of examples/ make endpoints that reach each other, and not the other tenant. A script
# that fails half-way leaves nothing. What is deleted is gone, and may be deleted again.
# install/lxc has LXC on members of a cluster.

. "$(dirname "$0")/../../lib_vm.sh"
. "$(dirname "$0")/../../lib.sh"

EXAMPLES=$ROOT/examples
topo_hosts h1 h2
switch_up
tenants
sw h2 tenant set red net 10.0.0.0/24 dhcp on dns on # the VM boots by DHCP
ip netns add before # what the examples find

# example HOST SCRIPT WORD...: run on that host, its switch being named for it.
example() { on "$1" env TSW="$TSW -i $1" "$EXAMPLES/$2.sh" "${@:3}"; }

# made HOST SCRIPT NAME TENANT WORD...: add, and tell the other host what `add` says.
made() {
	local other=h1 line

	[ "$1" = h2 ] || other=h2
	line=$(example "$1" "$2" add "${@:3}") || return
	# shellcheck disable=SC2086
	sw $other ${line#tsw }
}

everything() {
	ls /run/netns
	ip -n h1 -br link | sort
	for host in h1 h2; do
		sw $host -j endpoint show
	done
	ip -n ns -br addr
}

# ---- an LXC container: its root is busybox, and this machine's libraries are not needed

container_root() {
	local dir=$WORK/lxc/box name hook

	mkdir -p $dir/rootfs/{bin,dev,proc,sys}
	cp "$(command -v busybox)" $dir/rootfs/bin/
	for name in ip ping nc sha256sum sleep; do ln -s busybox $dir/rootfs/bin/$name; done
	hook="env TSW='$TSW -i h1' $EXAMPLES/container.sh"
	cat >$dir/config <<-END
		lxc.uts.name = box
		lxc.rootfs.path = dir:$dir/rootfs
		lxc.init.cmd = /bin/sleep 1000
		lxc.mount.auto = proc:mixed
		lxc.net.0.type = empty
		lxc.hook.version = 1
		lxc.hook.start-host = $hook add \$LXC_NAME red \$LXC_PID 10.0.0.2/24
		lxc.hook.post-stop = $hook del \$LXC_NAME red
	END
}
mtu_of() { grep -oP 'mtu \K[0-9]+' <<<"$1"; }
in_box() { on h1 lxc-attach -P $WORK/lxc -n box -- "$@"; }
container_root
ip netns add ns
ip netns add nb
before=$(everything) as_it_was=$before

# ---- refused, or broken half-way: nothing is left -------------------------------------------

# An `ip` that fails, or ends who called it, at its N-th call.
mkdir $WORK/bin
cat >$WORK/bin/ip <<-END
	#!/bin/sh
	n=\$((\$(cat $WORK/calls) - 1))
	echo \$n >$WORK/calls
	[ \$n != 0 ] || case \$BREAK in
	fail) exit 1 ;;
	end) kill -TERM \$PPID && exit 1 ;;
	esac
	exec $(command -v ip) "\$@"
END
chmod +x $WORK/bin/ip

# breaks HOW WORD...: at each of its calls of ip; prints what is left behind at which.
breaks() {
	local n

	for n in {1..40}; do
		echo $n >$WORK/calls
		if BREAK=$1 PATH=$WORK/bin:$PATH example "${@:2}" >$WORK/out 2>&1; then
			[ "$(<$WORK/calls)" -gt 0 ] && echo whole && return
			example "$2" "$3" del "${@:5:2}" # that call may fail
		fi
		[ "$(everything)" = "$as_it_was" ] || echo "something is left of $n"
	done
	echo "it never came to an end"
}
for how in fail end; do
	is "container.sh undoes all at each step ($how)" \
		"$(breaks $how h1 container add ns red ns 10.0.0.1/24)" whole
	example h1 container del ns red
	is "qemu-tap.sh undoes all at each step ($how)" \
		"$(breaks $how h1 qemu-tap add vm red 10.0.0.3)" whole
	example h1 qemu-tap del vm red
done
for words in 'container add ns red none 10.0.0.1/24' 'container add ns nobody ns 10.0.0.1/24' \
	'container add ns red ns 10.0.0.300/24' 'container add ns red ns 10.0.0.1' \
	'container add ns red ns' 'container add ns red' 'container add ns' \
	'container frob ns red ns' 'container add ns red /run/netns/h1 10.0.0.1/24' \
	'container add ns red 999999999 10.0.0.1/24' 'container add a;b red ns 10.0.0.1/24' \
	'qemu-tap add vm red 10.0.0' 'qemu-tap add vm nobody 10.0.0.3'; do
	check_fails "refused: $words" example h1 $words
done
on ns ip link add eth0 type veth peer name eth1
check_fails "refused: a namespace that has an eth0" example h1 container add ns red ns 10.0.0.1/24
on ns ip link del eth0
is "and nothing has changed" "$(everything)" "$before"

# ---- real ones ------------------------------------------------------------------------------

check "container.sh add, of a namespace" made h1 container ns red ns 10.0.0.1/24
check_fails "again: refused" example h1 container add ns red ns 10.0.0.1/24
check_fails "and so is its endpoint as a tap's" example h1 qemu-tap add ns red 10.0.0.1
check "an endpoint of another device" sw h1 endpoint add other tenant red mac auto ip 10.0.0.9 host h2
# nspawn ROOT OPTION... CMD...: on h1, as it is without systemd as the first process
nspawn() {
	# shellcheck disable=SC2016 # $0 and $@ are the inner one's
	on h1 unshare -m sh -c 'mkdir -p /run/systemd && mount -t tmpfs none /run/systemd &&
		exec systemd-nspawn -q --register=no --keep-unit --as-pid2 --link-journal=no \
			--resolv-conf=off --timezone=off -D "$0" "$@"' "$@"
}
# in_ns CMD...: in a container whose network is the namespace ns
in_ns() { nspawn $WORK/lxc/box/rootfs --network-namespace-path=/run/netns/ns "$@"; }
mkdir -p $WORK/lxc/box/rootfs/{etc,usr}
touch $WORK/lxc/box/rootfs/etc/os-release
cp -r $WORK/lxc/box/rootfs $WORK/nsp # each container wants one of its own
is "systemd-nspawn, by its namespace" \
	"$(in_ns /bin/ip -o -4 addr show eth0 2>$WORK/nspawn.err | grep -o 10.0.0.1/24)" 10.0.0.1/24

# One with --private-network: what its unit calls (docs/lxc.md) is called by hand.
nsp_up() {
	nspawn $WORK/nsp --private-network -M nsp /bin/sleep 1000 >$WORK/nsp.err 2>&1 &
	retry 10 pgrep -f '^/bin/sleep 1000$' || return
	NSP=$(pgrep -f '^/bin/sleep 1000$')
	undo kill -KILL "$NSP"
}
nsp_net() { nsenter -t "$NSP" -n "$@"; }
if nsp_up; then
	as_it_was=$(everything)
	[ -z "${TSW_QUICK:-}" ] && hows='fail end' || hows=fail
	for how in $hows; do
		is "container.sh undoes all at each step, of a process ($how)" \
			"$(breaks $how h1 container add nsp red "$NSP" 10.0.0.4/24)" whole
		example h1 container del nsp red
	done
	is "and so does del" "$(everything) $(nsp_net ip -br link | grep -c eth0)" "$as_it_was 0"
	check "container.sh add, of a process" made h1 container nsp red "$NSP" 10.0.0.4/24
	check_fails "again: refused" example h1 container add nsp red "$NSP" 10.0.0.4/24
	check "the container reaches the namespace" retry 5 nsp_net ping -c 1 -W 1 10.0.0.1
	check "and is reached" reach ns 10.0.0.4
	is "it has the tenant's MTU" "$(mtu_of "$(nsp_net ip -o link show eth0)")" \
		"$(sw h1 -j tenant show red | gojq '.[0].mtu')"
else
	skip "a container of nspawn" "$(tail -n 1 $WORK/nsp.err)"
fi
check "the other tenant has the same name and address" made h2 container ns blue nb 10.0.0.1/24

lxc_up() { on h1 lxc-start -P $WORK/lxc -n box -l INFO -o $WORK/lxc.log; }
lxc_why() { grep -E 'ERROR|WARN' $WORK/lxc.log | head -n 5; }
no_box() { ! sw h1 endpoint show box tenant red; }
if lxc_up 2>/dev/null; then
	undo on h1 lxc-stop -k -P $WORK/lxc -n box
	check "LXC: the container reaches the namespace" retry 5 in_box ping -c 1 -W 1 10.0.0.1
	check "and is reached" reach ns 10.0.0.2
	check "also from the container of nspawn" retry 5 in_ns /bin/ping -c 1 -W 1 10.0.0.2
	is "it has the tenant's MTU" "$(mtu_of "$(in_box /bin/ip -o link show eth0)")" \
		"$(sw h1 -j tenant show red | gojq '.[0].mtu')"
	on h1 lxc-stop -k -P $WORK/lxc -n box
	check "stopped, it is no endpoint any more" retry 5 no_box
	check "started again, it is" lxc_up
	check "and reaches the namespace" retry 5 in_box ping -c 1 -W 1 10.0.0.1
else
	skip "an LXC container" "LXC cannot start one here: $(lxc_why)"
fi

# ---- a VM on the other host -----------------------------------------------------------------

# The guest says on its console what it sees, and then stays.
init() {
	cat <<-'END'
		until lease; do :; done
		echo "mtu $(ip -o link show eth0 | sed 's/.* mtu \([0-9]*\).*/\1/')"
		until ping -c 1 -W 1 10.0.0.1 >/dev/null; do :; done
		echo "found $(nslookup ns.red.tsw.internal | sed -n '/^Name/,$s/^Address: //p')"
		echo "sum $(nc 10.0.0.1 80 | sha256sum | cut -d' ' -f1)"
		exec sleep 1000
	END
}

if [ -n "$(vm_lacks)" ]; then
	skip "a VM" "$(vm_lacks)"
else
	check "qemu-tap.sh add" made h2 qemu-tap vm red 10.0.0.3
	check_fails "again: refused" example h2 qemu-tap add vm red 10.0.0.3
	init | vm_image
	head -c 2000000 /dev/urandom >$WORK/file
	bg ns bash -c "busybox nc -l -p 80 <$WORK/file"
	# shellcheck disable=SC2046
	vm_on h2 $WORK/console $(example h2 qemu-tap options vm red)
	check "the VM has the namespace's file, through the tunnel" retry 60 vm_said $WORK/console sum
	is "it is whole" "$(vm_says $WORK/console sum)" "$(sha256sum <$WORK/file | cut -d' ' -f1)"
	is "the VM has the tenant's MTU" "$(vm_says $WORK/console mtu)" \
		"$(sw h2 -j tenant show red | gojq '.[0].mtu')"
	is "it finds the namespace by its name" "$(vm_says $WORK/console found)" 10.0.0.1
	check "the namespace reaches the VM" reach ns 10.0.0.3
	check "the other tenant does not" no_reach nb 10.0.0.3
	kill $BG
	check "qemu-tap.sh del" example h2 qemu-tap del vm red
	sw h1 endpoint del vm tenant red
fi

# ---- and away -------------------------------------------------------------------------------

on h1 lxc-stop -k -P $WORK/lxc -n box 2>/dev/null || true
[ -z "${NSP:-}" ] || kill -KILL "$NSP"
no_nsp() { [ "$(ip -n h1 -br link | grep -c '^ep-')" = 1 ]; }
check "the container of nspawn ends, and its device with it" retry 5 no_nsp
check_fails "container.sh del of another device's endpoint: refused" example h1 container del other red
check "which stays" sw h1 endpoint del other tenant red
for again in once 'once more'; do
	check "container.sh del of LXC's, $again" example h1 container del box red
	check "of a namespace's, $again" example h1 container del ns red
	check "of the other tenant's, $again" example h2 container del ns blue
	check "of nspawn's, $again" example h1 container del nsp red
	check "qemu-tap.sh del, $again" example h2 qemu-tap del vm red
done
sw h1 endpoint del ns tenant blue
sw h2 endpoint del ns tenant red
[ -z "${NSP:-}" ] || sw h2 endpoint del nsp tenant red
is "all is as it was" "$(everything)" "$before"
finish
