#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 ─ h1 ─ red-b 10.0.0.2
#
# The file of `capture write`. A file or link that somebody put in its place is not written to, and
# nobody else can read the capture. The kernel's own guards (fs.protected_*) are off here.
. "$(dirname "$0")/../../lib.sh"

topo h1 red-a red-b h2
bg red-a ping -n -q -i 0.05 10.0.0.2
other=12345 # who has no account here

# In a directory of all, as /tmp is.
all=$WORK/all
mkdir -m 1777 $all
take() { # FILE: one packet into it
	timeout $((10 * ${TSW_SLOW:-1})) "$TSW" -n h1 capture count 1 write "$1" 2>&1
}
refuses() { # DESC FILE PATTERN KEPT: it says why, and what is in KEPT stays
	local out before

	before=$(stat -c '%i %s %a %u' "$4")
	out=$(take "$2") && out="no error: $out"
	check "$1: refused" grep -qE "$3" <<<"$out"
	check "$1: quoted" grep -qF "\"$2\"" <<<"$out"
	is "$1: nothing is lost" "$(<"$4") $(stat -c '%i %s %a %u' "$4")" "precious $before"
}
precious() { # FILE [OWNER]
	echo precious >"$1"
	[ -z "${2:-}" ] || chown "$2" "$1"
}
sound() { capinfos -M "$1" 2>&1 | grep -q 'Number of packets: *[1-9]'; }

precious $WORK/target
ln -s $WORK/target $all/link
refuses "a symbolic link" $all/link 'is a symbolic link' $WORK/target
ln -s $WORK/none $all/nowhere
check_fails "one that leads nowhere" take $all/nowhere
check_fails "makes nothing" test -e $WORK/none
precious $all/theirs $other
chmod 666 $all/theirs
refuses "another's file" $all/theirs "belongs to uid $other, so" $all/theirs
ln $WORK/target $all/hard
refuses "another name of a file" $all/hard 'one of 2 hard links' $WORK/target
rm $all/hard

mkfifo -m 666 $all/pipe
chown $other $all/pipe
out=$(take $all/pipe) && out="no error"
check "another's pipe" grep -q "belongs to uid $other" <<<"$out"

umask 000
check "a new file" take $all/new
is "is the caller's alone" "$(stat -c '%a %u' $all/new)" "600 0"
check "and sound" sound $all/new
umask 022
precious $WORK/old
chmod 640 $WORK/old
check "an old one" take $WORK/old
check "is emptied first" sound $WORK/old
is "and for whom it was" "$(stat -c %a $WORK/old)" 640
mkdir $WORK/directory
out=$(take $WORK/directory) && out="no error"
check "a directory" grep -q 'cannot open ".*/directory": Is a directory' <<<"$out"

# What is no file is written as it is.
mkfifo $WORK/own
cat $WORK/own >$WORK/from.own &
check "one's own pipe" take $WORK/own
wait $!
check "has all of it" sound $WORK/from.own
check "/dev/null" take /dev/null
check "which stays a device" test -c /dev/null
timeout $((10 * ${TSW_SLOW:-1})) "$TSW" -n h1 -q capture count 1 write /dev/stdout |
	cat >$WORK/out || true
check "/dev/stdout" test "$(head -c 4 $WORK/out | od -An -tx1 | tr -d " ")" = 0a0d0d0a
check "what the shell opened" take >(cat >$WORK/shell)
check "has all of it" retry 5 sound $WORK/shell
out=$(take /dev/fd/99) && out="no error"
check "what nobody opened" grep -q 'cannot open "/dev/fd/99": Bad file descriptor' <<<"$out"
finish
