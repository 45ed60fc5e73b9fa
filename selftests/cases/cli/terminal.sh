#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What only a terminal gets: a red word in front of an error, and a line that tells that a command
# still works. A pipe gets neither; NO_COLOR and -q turn one of them off.
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2     (h2 has no switch)
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
switch_up h1
export TERM=xterm

# typed COMMAND...: what a terminal shows of it.
typed() { script -qec "$*" /dev/null </dev/null 2>&1 | tr -d '\r' || true; }
red=$'\e[31m'
is "an error is red" "$(typed "$TSW" -n h1 tenant show nobody | grep -cF "${red}tsw:")" 1
is "the same words without colour" \
	"$(typed "$TSW" -n h1 tenant show nobody | sed 's/\x1b\[[0-9]*m//g')" \
	"$(sw h1 tenant show nobody 2>&1 || true)"
is "NO_COLOR" "$(NO_COLOR=1 typed "$TSW" -n h1 tenant show nobody | grep -c $'\e' || true)" 0
is "an empty NO_COLOR forbids nothing" \
	"$(NO_COLOR='' typed "$TSW" -n h1 tenant show nobody | grep -c $'\e' || true)" 1
is "a dumb terminal" "$(TERM=dumb typed "$TSW" -n h1 tenant show nobody | grep -c $'\e' || true)" 0
is "no terminal" "$({ sw h1 tenant show nobody 2>&1 || true; } | grep -c $'\e' || true)" 0

# held SECONDS: another command has the lock for so long.
held() {
	flock /run/tsw/h1 sleep "$1" &
	retry 5 check_held
}
check_held() { ! flock -n /run/tsw/h1 true; }

held 3
is "a command that takes long tells so" \
	"$(typed "$TSW" -n h1 tenant add red id 1 | grep -oE 'tsw: tenant add: [12] s' | head -n 1)" \
	"tsw: tenant add: 1 s"
wait
held 3
is "and not with -q" "$(typed "$TSW" -q -n h1 tenant add blue id 2)" ""
wait
held 2
is "nor without a terminal" "$(sw h1 tenant add green id 3 2>&1)" ""
wait
is "nor where the output goes into a pipe" \
	"$(held 2 && typed "$TSW -n h1 tenant show | cat")" "$(sw h1 tenant show)"
is "a short one says nothing" "$(typed "$TSW" -n h1 tenant del green)" ""
is "all are there" "$(sw h1 -j tenant show | gojq -c '[.[].name]')" '["blue","red"]'

# ---- a batch, and the colours of status, doctor and test -------------------------------

held 3
for n in 1 2 3; do echo "tenant set red description $n"; done >$WORK/lines
is "a batch tells how many lines are done" \
	"$(typed "$TSW" -n h1 -b $WORK/lines | grep -oE '1 of 3, [12] s' | head -n 1)" "1 of 3, 1 s"
wait
held 3
for _ in {1..200}; do echo "tenant show"; done >>$WORK/lines
is "what a command prints does not stand behind that line" \
	"$(typed "$TSW" -n h1 -b $WORK/lines | grep -c ' sblue ' || true)" 0
wait
sw h1 host probe h2 >$WORK/probe 2>&1 || true
last() { typed "$@" | sed 's/.*\x1b\[K//'; } # without the line that tells it works
shows() { last "$TSW" -n h1 "$1" | sed 's/\x1b\[0m.*//; s/\x1b/ESC/' | sort -u; }
check "what fails is red" grep -qx 'ESC\[31mFAIL' <(shows test)
check "what is well is green" grep -qx 'ESC\[32mOK  ' <(shows doctor)
check "a dead host is red" grep -qx 'ESC\[31mhost' <(shows status)
is "the words are the same" "$(last "$TSW" -n h1 status | sed 's/\x1b\[[0-9]*m//g')" \
	"$(sw h1 status)"
finish
