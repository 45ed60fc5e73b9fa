#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Files that an operator names by mistake, or that somebody damaged. Each is refused in one line
# that names it, and nothing has changed. A command that waits at a pipe does not block other
# commands.
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2
. "$(dirname "$0")/../../lib.sh"

topo h1 h2
check "a tenant" sw h1 tenant add red id 100
sw h1 save >$WORK/good
cd $WORK
mkdir directory
mkfifo pipe
truncate -s 1G zeros
ln -s loop loop
: >empty
printf '\xff\xfe{' >octets
"$PY" -c 'print("[" * 100000)' >deep
"$PY" -c 'print("{\"a\":" * 100000)' >deeper
gojq -c . good | sed 's/"name":"red"/&,&/' >twice
gojq -c '.tenants += .tenants' good >same
gojq -c . good | sed 's/"id":100/"id":1e400/' >number
gojq -c . good | sed 's/"id":100/"id":99999999999999999999/' >digits
sed 's/"red"/"r\\u0000d"/' good >nul
sed 's/"red"/"r\\u001b[2Jd"/' good >escape
before=$(sw h1 save)

# refused STATUS WORD...: one printable line with the last word in it, which is the file.
refused() {
	local want=$1 status=0

	shift
	timeout 20 "$TSW" -n h1 "$@" >said 2>&1 </dev/null || status=$?
	is "$*: status" $status "$want"
	is "$*: one line" "$(wc -l <said)" 1
	check "$*: names it" grep -qF -- "${*: -1}" said
	check "$*: in printable characters" bash -c "! grep -q '[[:cntrl:]]' said"
}
for verb in apply diff; do
	for file in directory loop none /proc/self/mem; do refused 1 $verb $file; done
	refused 2 $verb -x # an option, wherever it stands
	refused 1 $verb -- -x
	for file in zeros empty octets deep deeper twice same number digits nul escape /dev/zero; do
		refused 2 $verb $file
	done
done
for file in directory loop none /proc/self/mem; do refused 1 -b $file; done
for file in octets deep; do refused 2 -b $file; done
is "nothing has changed" "$(sw h1 save)" "$before"

bg h1 "$TSW" -n h1 apply $WORK/pipe
waits() { [ "$(readlink /proc/$BG/exe)" = "$(readlink -f "$TSW")" ]; }
check "apply waits at a pipe" retry 5 waits
check "others work meanwhile" sw h1 tenant add blue id 200
gojq '.tenants += [{"name": "green", "id": 300}]' good >pipe
ends_well "what comes by it is applied"
is "as it was meant" "$(js h1 tenant show 'map(.name)')" '["green","red"]'
finish
