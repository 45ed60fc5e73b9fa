#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For the cases: VMs of qemu without KVM, with Debian's kernel, and busybox for everything else.
# Needs VM_TREE, see vm_lacks.
# shellcheck disable=SC2034 # what is set here is used there

# The VM's kernel is fetched while there is still a network: source this file before lib.sh.
VM_TREE=${VM_TREE:-$("$(dirname "${BASH_SOURCE[0]}")/../scripts/kernels.sh" tree 6.1 2>/dev/null || true)}
export VM_TREE

# vm_lacks: prints why no VM can run here, or nothing.
vm_lacks() {
	if [ -z "$VM_TREE" ]; then
		echo "no kernel for it can be had"
	elif [ "${TSW_SLOW:-1}" != 1 ]; then
		echo "this machine is an emulated one itself"
	fi
}

# vm_with FILE...: programs of this machine for the VM, with what they load.
vm_with() {
	local file

	for file in "$@" $(ldd "$@" | grep -o '/[^ :)]*' | sort -u); do
		mkdir -p "$WORK/vm$(dirname "$file")"
		cp -L "$file" "$WORK/vm$file"
	done
}

# vm_modules: those of a network device, and VM_MODULES.
vm_modules() {
	local n=100 what path version

	version=$(basename "$VM_TREE"/lib/modules/*)
	for what in virtio_pci virtio_net ${VM_MODULES:-}; do
		modprobe -d "$VM_TREE" -S "$version" --show-depends $what
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r path; do
		n=$((n + 1))
		case $path in
		*.xz) xz -dc "$path" >$WORK/vm/modules/$n.ko ;;
		*) cp "$path" $WORK/vm/modules/$n.ko ;;
		esac
	done
}

# vm_image: makes $WORK/vm.cpio. The script read on stdin runs in the VM when eth0 is up; it gets
# addresses by `until lease; do :; done`. Its output goes to the console.
vm_image() {
	mkdir -p $WORK/vm/{bin,modules,proc,etc}
	cp "$(command -v busybox)" $WORK/vm/bin/
	vm_modules
	cat >$WORK/vm/init <<-'END'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		mount -t proc proc /proc
		for module in /modules/*.ko; do insmod $module; done
		ip link set eth0 up
		lease() { udhcpc -i eth0 -n -q -s /bound >/dev/null; }
	END
	cat >>$WORK/vm/init
	cat >$WORK/vm/bound <<-'END'
		#!/bin/busybox sh
		[ "$1" = bound ] || exit 0
		ip addr add $ip/$mask dev eth0 && ip link set eth0 mtu $mtu
		[ -n "$dns" ] || exit 0
		ip route add $dns dev eth0
		echo "nameserver $dns" >/etc/resolv.conf
	END
	chmod +x $WORK/vm/init $WORK/vm/bound
	(cd $WORK/vm && find . | cpio -o -H newc --quiet | gzip -1) >$WORK/vm.cpio
}

# vm_on HOST CONSOLE WORD...: qemu in the background, its console a file; BG is its number.
vm_on() {
	bg "$1" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -m "${VM_MEMORY:-256M}" \
		-nodefaults -no-user-config -display none -no-reboot -kernel "$VM_TREE"/boot/vmlinuz-* \
		-initrd $WORK/vm.cpio -append 'console=ttyS0 quiet panic=-1 nowatchdog' \
		-serial "file:$2" "${@:3}"
}
vm_says() { grep -aoE "$2 [0-9a-f.]+" "$1" | cut -d' ' -f2; } # CONSOLE WORD
vm_said() { [ -n "$(vm_says "$@")" ]; }

# ---- numbered datagrams --------------------------------------------------------------------------

STEP=2 # milliseconds from one datagram to the next

# numbered_image: when the VM has its address it sends numbered datagrams to 10.0.0.3, which
# $WORK/numbered there answers with others.
numbered_image() {
	cc -O1 -static -o $WORK/numbered "$TOOLS/numbered.c"
	mkdir -p $WORK/vm/bin
	cp $WORK/numbered $WORK/vm/bin/
	vm_image <<-END
		until lease; do :; done
		echo "bound 1"
		# Memory that changes all the time makes the pause longer.
		while :; do
			dd if=/dev/urandom of=/changes bs=64k count=64 conv=notrunc
		done 2>/dev/null &
		exec numbered 10.0.0.3 9 $STEP
	END
}
# lost: since the last time, to the VM and from it, and how many came twice; N is the number of
# `numbered`, N_LOG its file
WAS=(0 0 0)
lost() {
	local lines now

	sleep 0.5
	lines=$(wc -l <"$N_LOG")
	kill -USR1 $N
	more() { [ "$(wc -l <"$N_LOG")" -gt "$lines" ]; }
	retry 5 more
	read -ra now < <(tail -n 1 "$N_LOG" |
		gojq -r '[(.way_there, .way_back | .highest - .count - .first + 1),
			.way_there.twice + .way_back.twice] | @tsv')
	TO=$((now[0] - WAS[0])) FROM=$((now[1] - WAS[1])) TWICE=$((now[2] - WAS[2]))
	WAS=("${now[@]}")
}
