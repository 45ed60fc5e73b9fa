#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: life/boot applies saved files after a power cut
# long: an emulated machine boots twice
#
#   red-a ─ h1 192.0.2.1 ─ red-b
#
# A kernel starts another one by kexec, in an emulated machine. There the saved file makes the
# switch again, and tenants reach each other. This file runs here, and at each of the two boots.
[ -n "${TSW_KEXEC:-}" ] || . "$(dirname "$0")/../../lib_vm.sh"
. "$(dirname "$0")/../../lib.sh"

world() { # WORD...: of containers
	topo_hosts h1
	[ $# != 0 ] || { switch_up && tenants red 100; }
	container red a h1 10.0.0.1/24 "$@"
	container red b h1 10.0.0.2/24 "$@"
}

# next_boot: what the machine does when this command ends. The new kernel gets the initramfs of the
# first, whose command is replaced: it has the saved state, which a disk would have kept.
next_boot() {
	mkdir $WORK/next
	{
		export -p | grep -E '^declare -x (BUILD|TSW_)'
		printf 'export TSW_SAVED=%q\n' "$(sw h1 save)"
		printf 'unset TSW_PRIVATE\ncd %q\nbash %q\nexit\n' "$ROOT" "$0"
	} >$WORK/next/command
	(cd $WORK/next && echo command | cpio -o -H newc --quiet | gzip -1) |
		cat "$TSW_VM_INITRAMFS" - >/initramfs
	cat >/kexec <<-END
		#!$PY
		import ctypes, os
		libc = ctypes.CDLL(None, use_errno=True)
		line = open("/proc/cmdline", "rb").read().strip() + b"\0"
		kernel = os.open("$(echo "$TSW_VM_TREE"/boot/vmlinuz-*)", os.O_RDONLY)
		initramfs = os.open("/initramfs", os.O_RDONLY)
		if libc.syscall(320, kernel, initramfs, len(line), line, 0):  # kexec_file_load
		    print("not ok kexec_file_load:", os.strerror(ctypes.get_errno()))
		libc.reboot(0x45584543)  # LINUX_REBOOT_CMD_KEXEC
	END
	chmod +x /kexec
}

if [ -n "${TSW_SAVED:-}" ]; then
	world endpoint off
	check_fails "after kexec there is no switch" sw h1 switch show
	check "  it applies its file" sw h1 apply - containers keep wait 30 missing skip \
		<<<"$TSW_SAVED"
	check "  nothing is wrong" sw h1 switch check
	is "  all is the same" "$(sw h1 save)" "$TSW_SAVED"
	check "red reaches red after kexec" reach red-a 10.0.0.2
	check "  and its gateway" reach red-a 10.0.0.254
elif [ -n "${TSW_KEXEC:-}" ]; then
	world
	check "a gateway" sw h1 gateway add red ip 10.0.0.254/24
	check "red reaches red" reach red-a 10.0.0.2
	next_boot
else
	lacks=$(vm_lacks)
	[ -z "$lacks" ] || { skip "kexec" "$lacks" && finish && exit; }
	(unset TSW_PRIVATE && cd "$ROOT" && TSW_KEXEC=1 TSW_SLOW=4 TSW_VM_SECONDS=500 \
		scripts/vm.sh "$VM_TREE" bash "selftests/cases/life/kexec.sh") | tee $WORK/out || true
	check "the second kernel has been there" grep -q '^ok red reaches red after kexec' $WORK/out
fi
finish
