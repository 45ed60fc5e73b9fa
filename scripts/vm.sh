#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Boots a kernel in qemu, without KVM, and runs a command there as root, in the caller's directory.
# It sees this machine's own files; what it writes is lost at its end. There is no network.
# Usage: vm.sh TREE CMD...     TREE: boot/vmlinuz-VERSION and lib/modules/VERSION, as in a package
#
# Output and exit status are the command's. The status is 125 if the command did not end, or if the
# kernel reports a fault of its own (the lines are shown). BUILD and variables whose names begin
# with TSW_ go in. TSW_VM=1 tells a case that the machine is emulated: the case may move its clock.
# A program that the command leaves as /kexec runs at the end, as the first process of the machine.
#
# TSW_VM_SECONDS=N  the longest life
# TSW_VM_CPUS=N     processors; more of them cost more than they bring
# TSW_VM_ROOT=DIR   it sees the files of another Debian, unpacked there; TREE may be that, too. A
#                   kernel for arm64 needs one
# TSW_VM_COUNT=1    its clock counts instructions, one a nanosecond, and leaps where it is idle

set -eu
export PATH=$PATH:/usr/sbin:/sbin LC_ALL=C
NO_RESULT=125

[ $# -ge 2 ] || { sed -n '3,6s/^# //p' "$0" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "vm: must be run as root" >&2; exit 1; }
tree=$(readlink -e "$1") || { echo "vm: no kernel in '$1'" >&2; exit 1; }
shift
version=$(basename "$tree"/lib/modules/*)
root=${TSW_VM_ROOT:-/}
case $version in
*-arm64) qemu=(qemu-system-aarch64 -machine virt -cpu cortex-a57) console=ttyAMA0 ;;
*) qemu=(qemu-system-x86_64 -cpu qemu64) console=ttyS0 ;;
esac
work=$(mktemp -d "$tree/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The modules that it takes to see this machine's root, in the order of their dependencies.
modules() {
	local n=100 what path to

	for what in virtio_pci virtio_console 9pnet_virtio 9p overlay; do
		modprobe -d "$tree" -S "$version" --show-depends "$what"
	done | awk '$1 == "insmod" && !seen[$2]++' | while read -r what path _; do
		n=$((n + 1))
		to=$work/root/modules/$n.ko
		case $path in
		*.xz) xz -dc "$path" >"$to" ;;
		*) cp "$path" "$to" ;;
		esac
	done
}

# First program in the guest: from the initramfs to this machine's root, read-only, with a layer
# in memory above it.
first() {
	cat <<-'END'
		#!/bin/busybox sh
		export PATH=/bin
		/bin/busybox --install -s /bin
		mount -t proc proc /proc
		mount -t sysfs sysfs /sys
		mount -t devtmpfs dev /dev
		for module in /modules/*.ko; do insmod $module; done
		way=trans=virtio,version=9p2000.L,msize=512000,cache=loose
		layers=lowerdir=/host,upperdir=/memory/upper,workdir=/memory/work
		mount -t 9p -o ro,$way root /host &&
			mount -t tmpfs -o size=75% memory /memory &&
			mkdir /memory/upper /memory/work &&
			mount -t overlay -o $layers root /new || poweroff -f
		for at in proc sys dev; do mount --move /$at /new/$at; done
		mount -t tmpfs -o mode=755 run /new/run
		cp /second /command /new/run/
		exec switch_root /new /bin/bash /run/second
	END
}

# From then on. The command is the first process of a process namespace, so that nothing that it
# leaves behind holds the output open. The kernel loads modules by itself when they are asked for.
second() {
	cat <<-END
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
		ln -s /proc/self/fd /dev/fd
		for n in 0:stdin 1:stdout 2:stderr; do ln -s fd/\${n%:*} /dev/\${n#*:}; done
		mkdir -p /dev/shm /dev/pts /lib/modules
		mount -t tmpfs shm /dev/shm
		mount -t devpts -o ptmxmode=666 devpts /dev/pts
		mount -t bpf -o mode=700 bpf /sys/fs/bpf
		mount -t cgroup2 cgroup2 /sys/fs/cgroup
		[ -d /lib/modules/$version ] ||
			mount --bind $(printf %q "$tree/lib/modules") /lib/modules
		ip link set lo up
		modprobe tun
		mkfifo /run/output
		cat /run/output >/dev/vport0p1 &
		unshare --pid --fork --kill-child --mount-proc --propagation private \\
			bash /run/command >/run/output 2>&1 </dev/null
		status=\$?
		wait
		[ ! -x /kexec ] || /kexec
		echo \$status >/dev/vport0p2
		busybox poweroff -f
	END
}

command_file() {
	local name

	for name in "${!TSW_@}" BUILD; do
		[ -z "${!name+set}" ] || printf 'export %s=%q\n' "$name" "${!name}"
	done
	printf 'export TSW_VM=1 TSW_VM_TREE=%q TSW_VM_INITRAMFS=%q\n' "$tree" "$work/initramfs"
	[ "$root" != / ] || printf 'cd %q || exit\n' "$PWD"
	printf '%q ' "$@"
	printf '\nexit\n' # or the shell would exec it, and it would be the first process
}

initramfs() {
	mkdir -p "$work"/root/{bin,dev,host,memory,modules,new,proc,sys}
	cp "$(PATH=$root/usr/bin:$root/bin command -v busybox)" "$work/root/bin/"
	modules
	first >"$work/root/init"
	second >"$work/root/second"
	command_file "$@" >"$work/root/command"
	chmod +x "$work/root/init"
	(cd "$work/root" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initramfs"
}

# The kernel's log, the output and the status come by ways of their own. Should this script be
# killed, qemu dies with it. An emulated processor is slow: no watchdog; and of what a real one has
# each thing more (five levels of page tables, wide registers) makes it slower.
boot() {
	local accel=tcg,thread=multi clock=()

	[ -z "${TSW_VM_COUNT:-}" ] || accel=tcg,thread=single clock=(-icount "shift=0,sleep=off")
	exec setpriv --pdeathsig TERM timeout -k 5 "${TSW_VM_SECONDS:-3600}" \
		setpriv --pdeathsig KILL "${qemu[@]}" \
		-accel "$accel" ${clock[@]+"${clock[@]}"} \
		-smp "${TSW_VM_CPUS:-1}" -m 3G \
		-nodefaults -no-user-config -display none -no-reboot \
		-kernel "$tree/boot/vmlinuz-$version" -initrd "$work/initramfs" \
		-append "console=$console loglevel=5 panic=-1 oops=panic nowatchdog tsc=reliable \
			no_timer_check" \
		-serial file:"$work/console" -device virtio-serial \
		-chardev file,id=output,path=/dev/stdout \
		-device virtserialport,chardev=output,nr=1 \
		-chardev file,id=status,path="$work/status" \
		-device virtserialport,chardev=status,nr=2 \
		-virtfs local,path="$root",mount_tag=root,security_model=none,readonly=on,multidevs=remap
}

complaints() {
	grep -aE 'BUG:|WARNING:|Oops|Kernel panic|general protection|double fault|UBSAN' \
		"$work/console"
}

initramfs "$@"
exec 3> >(cat)
output=$!
boot </dev/null >&3 2>"$work/qemu" 3>&- &
emulator=$!
trap 'kill $emulator 2>/dev/null && wait $emulator; rm -rf "$work"' EXIT
exec 3>&-
ended=0
wait $emulator || ended=$?
wait $output || true
status=$(cat "$work/status" 2>/dev/null || true)
[ $ended != 124 ] || echo "vm: not done after ${TSW_VM_SECONDS:-3600} seconds"
if complaints; then
	status=$NO_RESULT
elif [ -z "$status" ]; then
	echo "vm: the kernel ended without a result; its last words:"
	tail -n 5 "$work/qemu" "$work/console" 2>/dev/null
fi >&2
exit "${status:-$NO_RESULT}"
