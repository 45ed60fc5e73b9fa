#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2      red-b 10.0.0.2 on h1
#
# The BPF filesystem: only `switch up` mounts one, and only where it stays. Directories that
# somebody else made before the switch, in it and in /run, are refused.
. "$(dirname "$0")/../../lib.sh"
# shellcheck source-path=SCRIPTDIR/..
. "$LIB/lib_faults.sh"

topo_hosts h1 h2
bpffs=/sys/fs/bpf
other=12345 # who has no account here
mounted() { findmnt -n -o FSTYPE,OPTIONS $bpffs | grep -c '^bpf' || true; }
unmount() { while mountpoint -q $bpffs; do umount $bpffs || return; done; }
up() { "$TSW" "$@" switch up dev eth0; } # OPTION...

# ---- who mounts, and where -------------------------------------------------------------------

unmount
for words in "switch show" "switch check" "switch repair" "switch upgrade" "switch down" \
	"tenant add x id 9" "save" "stats show"; do
	# shellcheck disable=SC2086
	out=$(sw h1 $words 2>&1) && out="no error"
	grep -q 'is not a BPF filesystem; mount one with: mount -t bpf' <<<"$out" ||
		not_ok "without bpffs: $words: $out"
done
printf '{"format":1,"hosts":[{"name":"h1","ip":["192.0.2.1"],"switch":{"dev":["eth0"]}}]}' \
	>$WORK/state
out=$(sw h1 apply $WORK/state 2>&1) && out="no error"
check "nor does apply mount one" grep -q 'is not a BPF filesystem' <<<"$out"
check_fails "a switch up that is refused" sw h1 switch up dev none
is "none of them mounted one" "$(mounted)" 0

# shellcheck disable=SC2016
out=$(unshare --mount sh -c '"$@" 2>&1; findmnt -n -t bpf' - "$TSW" -n h1 switch up dev eth0 || true)
check "in a mount namespace of its own none is mounted" \
	grep -q "not a BPF filesystem, and tsw does not mount one outside of process 1's mount namespace" <<<"$out"
check_fails "and none was" grep -q '^/sys' <<<"$out"
is "a dry run refuses likewise" \
	"$(unshare --mount "$TSW" -n h1 --dry-run switch up dev eth0 2>&1 || true)" "$out"
out=$(ip netns exec h1 "$TSW" -i h1 switch up dev eth0 2>&1) && out="no error"
check "nor by ip netns exec, and what to do is told" grep -q "tsw -n NAME" <<<"$out"
out=$(on h1 setpriv --bounding-set -sys_admin "$TSW" -i h1 switch up dev eth0 2>&1) && out="no error"
check "without the right to mount that is told" \
	grep -q 'mounting one failed: Operation not permitted; mount one with' <<<"$out"
is "nothing was mounted" "$(mounted)" 0
check_fails "and no lock is left" test -e /run/tsw

is "a dry run tells that switch up would mount one" "$(sw h1 -j --dry-run switch up dev eth0 |
	gojq -r '.[] | select(.object == "filesystem") | .change, .name' | paste -sd' ') $(mounted)" \
	"add $bpffs 0"
mount -o remount,bind,ro /sys
is "switch up mounts one, and with -v says so" "$(up -n h1 -v 2>&1 | grep -c 'mounted a BPF')" 1
mount -o remount,bind,rw /sys
is "nobody else may look into it" "$(stat -c "%a %u" $bpffs)" "1700 0" # always sticky
check "not to run or to suid" grep -q 'nosuid,nodev,noexec' <(findmnt -n -o OPTIONS $bpffs)
finds "the switch is whole" h1
sw h1 switch down
unmount
is "without -v it does not" "$(up -n h1 2>&1)" ""
sw h1 switch down
unmount

# Two at once: the second must not hide the pins of the first.
up -n h1 &
first=$!
up -n h2
status=0
wait $first || status=$?
is "two at once" $status 0
is "mount one" "$(findmnt -n -t bpf | wc -l)" 1
finds "one is whole" h1
finds "the other too" h2

# A switch at work, whose pins are in one that is mounted elsewhere.
tenants red 100
container red a h1 10.0.0.1/24 endpoint off
container red b h1 10.0.0.2/24 endpoint off
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a
sw h1 endpoint add b tenant red mac 02:00:00:00:00:02 ip 10.0.0.2 dev red-b
mkdir $WORK/elsewhere
mount --bind $bpffs $WORK/elsewhere
unmount
out=$(up -n h1 2>&1) && out="no error"
check "a switch at work is not torn down" grep -q 'is not a BPF filesystem' <<<"$out"
is "nor hidden" "$(mounted)" 0
check "frames pass" reach red-a 10.0.0.2
mount --bind $WORK/elsewhere $bpffs
finds "mounted again all is there" h1
for host in h1 h2; do sw $host switch down; done
umount $WORK/elsewhere

# ---- who was there first ------------------------------------------------------------------------

refuses() { # DESC PATTERN...: by up and by what reads
	local desc=$1 words out pattern wrong=()

	shift
	for words in "switch up dev eth0" "switch show"; do
		# shellcheck disable=SC2086
		out=$(sw h1 $words 2>&1) && out="no error"
		for pattern; do
			grep -qF -- "$pattern" <<<"$out" ||
				wrong+=("$words: no '$pattern' in: $out")
		done
	done
	is "$desc" "${wrong[*]}" ""
}
be() { setpriv --reuid "$1" --clear-groups "${@:2}"; } # UID CMD...

unmount
mount -t bpf bpf $bpffs
is "a BPF filesystem as the kernel makes it" "$(stat -c %a $bpffs)" 1777
be 65534 mkdir $bpffs/tsw
refuses "somebody made tsw in it" "$bpffs/tsw is a directory of uid 65534 (\"nobody\") with mode 0" \
	'must be a directory that only uid 0 ("root") can write' "rm -r $bpffs/tsw" "chmod go-w $bpffs"
rm -r $bpffs/tsw
be $other ln -s $WORK $bpffs/tsw
refuses "or a link" "$bpffs/tsw is a symbolic link of uid $other with mode 0777"
rm $bpffs/tsw
mkdir -m 770 $bpffs/tsw
refuses "one's own that others can write" "is a directory of uid 0 (\"root\") with mode 0770"
rmdir $bpffs/tsw
chmod 777 $bpffs
refuses "where others can exchange it" "$bpffs has mode 0777, so other users" "chmod go-w $bpffs"
chown $other $bpffs
chmod 755 $bpffs
refuses "who owns it could" "$bpffs belongs to uid $other, who could"
chown 0 $bpffs
chmod 1777 $bpffs
check "with 1777, and nobody there first, it works" up -n h1
sw h1 switch down

chmod 1777 /run
be $other mkdir -m 755 /run/tsw
out=$(up -n h1 2>&1) && out="no error"
check "somebody made the directory of the locks" \
	grep -qF "cannot open the lock /run/tsw/h1: /run/tsw is a directory of uid $other" <<<"$out"
check "what to do" grep -qF "rm -r /run/tsw, and keep others from making it again" <<<"$out"
is "nothing was put into it" "$(ls -A /run/tsw)" ""
rmdir /run/tsw
mkdir -m 755 $WORK/theirs
be $other ln -s $WORK/theirs /run/tsw
check_fails "or a link to one" up -n h1
is "nothing was put into that" "$(ls -A $WORK/theirs)" ""
rm /run/tsw
chmod 755 /run
check "all is well without" up -n h1
finds "nothing is wrong" h1

# ---- read-only ---------------------------------------------------------------------------------

sw h1 tenant add red id 100
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 dev red-a
was=$(sw h1 endpoint show)
undo mount -o remount,rw $bpffs
mount -o remount,ro $bpffs
for words in "switch show" "tenant show" "-s host show" "stats show" "stats drops" save metrics; do
	# shellcheck disable=SC2086
	check "read-only: $words" sw h1 $words
done
is "read-only: endpoint show" "$(sw h1 endpoint show)" "$was"
finds "read-only: nothing is wrong" h1
out=$(sw h1 tenant set red mtu 1400 2>&1) && out="no error"
check "read-only: what changes something says why it cannot" grep -qF 'Read-only file system' <<<"$out"
mount -o remount,rw $bpffs
is "and has changed nothing" "$(sw h1 endpoint show)" "$was"
finish
