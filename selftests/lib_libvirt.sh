#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the cases: libvirt's own daemons, one on each host, without systemd and D-Bus. Source after
# lib_vm.sh and lib.sh, and where /etc is the case's own.
# shellcheck disable=SC2034 # what is set here is used there

HOOK=$ROOT/contrib/libvirt/qemu
declare -A LIBVIRTD=() # host -> pid

# An emulated guest whose memory is copied at the same time answers late.
reach() { retry 20 on "$1" ping -n -c 1 -W 1 "$2"; }

libvirt_lacks() { # what keeps libvirt from running here; nothing where it can
	command -v libvirtd virsh >/dev/null || { echo "libvirt is missing" && return; }
	vm_lacks
}

# libvirt_host HOST WORD...: what the daemon there has; the words are those of `tsw` for its hook.
libvirt_host() {
	local at=$WORK/libvirt-$1

	# Its package for whole systems would make the user.
	grep -q ^libvirt-qemu: /etc/passwd || {
		echo 'libvirt-qemu:x:64055:64055::/var/lib/libvirt:/usr/sbin/nologin' >>/etc/passwd
		echo 'libvirt-qemu:x:64055:' >>/etc/group
	}
	grep -q ^kvm: /etc/group || echo 'kvm:x:64056:' >>/etc/group
	mkdir -p $at/{etc/hooks,run,lib,cache,log,sock} /etc/libvirt /etc/tsw /run/libvirt \
		/var/{lib,cache,log}/libvirt
	touch /etc/tsw/libvirt
	cp "$HOOK" $at/etc/hooks/qemu
	echo "$TSW -i $1 ${*:2}" >$at/words
	printf '%s\n' 'security_driver = "none"' 'cgroup_controllers = []' 'user = "root"' \
		'group = "root"' 'remember_owner = 0' 'namespaces = []' 'stdio_handler = "file"' \
		>$at/etc/qemu.conf
	printf '%s\n' 'auth_unix_rw = "none"' "unix_sock_dir = \"$at/sock\"" \
		"host_uuid = \"$(</proc/sys/kernel/random/uuid)\"" >$at/etc/libvirtd.conf
}

# daemon DESC HOST: starts it there. libvirt would take two daemons of one name for one host.
daemon() {
	local at=$WORK/libvirt-$2

	bg "$2" unshare --mount --uts bash -c "set -e
		hostname '$2'
		mount --bind $at/etc /etc/libvirt
		mount --bind $at/words /etc/tsw/libvirt
		mount --bind $at/run /run/libvirt
		for dir in lib cache log; do mount --bind $at/\$dir /var/\$dir/libvirt; done
		exec libvirtd -p $at/run/pid"
	LIBVIRTD[$2]=$BG
	check "$1" retry 10 v "$2" version
}
daemon_end() { stop "${LIBVIRTD[$1]}" "${2:-TERM}"; } # HOST [SIGNAL]
uri() { echo "qemu+unix:///system?socket=$WORK/libvirt-$1/sock/libvirt-sock"; } # HOST
v() { on "$1" virsh -q -c "$(uri "$1")" "${@:2}"; }                            # HOST WORD...
# qemu_of HOST DOMAIN: its pid there
qemu_of() { cat $WORK/libvirt-"$1"/run/qemu/"$2".pid; }

# libvirt_domain NAME METADATA INTERFACE...: its XML; METADATA and INTERFACE are XML, too.
libvirt_domain() {
	cat <<-END
		<domain type='qemu'><name>$1</name><memory unit='MiB'>192</memory><vcpu>1</vcpu>
		<metadata>
		<tsw:interfaces xmlns:tsw='urn:tenant-switch:libvirt:1'>$2</tsw:interfaces>
		</metadata>
		<os><type arch='x86_64' machine='pc'>hvm</type>
		<kernel>$(echo "${VM_TREE:-}"/boot/vmlinuz-*)</kernel>
		<initrd>$WORK/vm.cpio</initrd>
		<cmdline>console=ttyS0 quiet panic=-1 nowatchdog</cmdline></os>
		<cpu mode='maximum'/>
		<devices><emulator>/usr/bin/qemu-system-x86_64</emulator>
		${*:3}
		<serial type='file'><source path='$WORK/console'/></serial>
		<memballoon model='none'/>
		</devices></domain>
	END
}
# libvirt_tap DEV MAC [QUEUES]: an interface of it
libvirt_tap() {
	echo "<interface type='ethernet'><mac address='$2'/><target dev='$1' managed='no'/>
		<model type='virtio'/><driver name='qemu' queues='${3:-1}'/></interface>"
}

# libvirt_killer: makes an `ip` in $WORK/bin that ends who called it at its N-th call.
libvirt_killer() {
	mkdir -p $WORK/bin
	cat >$WORK/bin/ip <<-END
		#!/bin/sh
		[ -e $WORK/calls ] || exec $(command -v ip) "\$@"
		n=\$((\$(cat $WORK/calls) - 1))
		echo \$n >$WORK/calls
		[ \$n != 0 ] || { kill -KILL \$PPID; exit 1; }
		exec $(command -v ip) "\$@"
	END
	chmod +x $WORK/bin/ip
}
# killed_at N CMD...: runs CMD with it; true if it was killed
killed_at() {
	local status=0

	echo "$1" >$WORK/calls
	PATH=$WORK/bin:$PATH "${@:2}" >/dev/null 2>&1 || true
	[ "$(<$WORK/calls)" -le 0 ] || status=1
	rm $WORK/calls
	return $status
}

# migration FROM TO WORD...: migrates the domain vm in the background: $BG. `virsh` talks to both
# daemons or, with --p2p, to the first alone. qemu sends to qemu over the hosts' underlay.
migration() {
	bg "$1" virsh -q -c "$(uri "$1")" migrate --live vm "$(uri "$2")" \
		--migrateuri "tcp://${VTEP[$2]}" "${@:3}"
}
# migrating HOST: HOST, the source, sees a migration at work
migrating() { v "$1" domjobinfo vm >$WORK/job && grep -q 'Memory remaining' $WORK/job; }
