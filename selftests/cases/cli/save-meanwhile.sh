#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cli/state saves and applies, with several commands at once
# `save` while other commands change the switch prints a state that existed at one moment.
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2, where all endpoints are
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
switch_up
tenants red 100
for verb in add del; do
	for i in {1..2000}; do
		mac=$(printf '02:00:00:00:%02x:%02x' $((i / 256)) $((i % 256)))
		case $verb in
		add)
			ip="10.0.$((i / 256)).$((i % 256))"
			echo "endpoint add e$i tenant red mac $mac ip $ip host h2"
			;;
		del) echo "endpoint del e$i tenant red" ;;
		esac
	done >$WORK/$verb
done

bg h1 bash -c "while :; do '$TSW' -i h1 -q -b $WORK/add && '$TSW' -i h1 -q -b $WORK/del; done"
CHANGES=$BG
torn=0 some=0
# Whoever waits comes in between two commands, and mostly behind the same one.
for ((tries = 0; tries < 12 || (some == 0 && tries < 300); tries++)); do
	sw h1 save >$WORK/saved.json 2>$WORK/err
	n=$(gojq '[.tenants[0].endpoints[]?] | length' $WORK/saved.json)
	whole=$(gojq '[.tenants[0].endpoints[]? | select(.host == "h2" and (.ip | length) == 1)] |
		length' $WORK/saved.json)
	[ "$n" = 0 ] || some=$((some + 1))
	[ "$n" = "$whole" ] && [ ! -s $WORK/err ] || torn=$((torn + 1))

done
check "some were saved with endpoints" test $some -gt 0
is "none without their host or address" $torn 0
kill $CHANGES
wait $CHANGES 2>/dev/null || true

# The lock's holder says itself that it has it: a command of those before, whose
# shell was killed, may hold it for a while yet.
(
	exec 9</run/tsw/h1
	flock 9
	touch $WORK/held
	exec sleep 60
) &
HOLDER=$!
undo kill $HOLDER
check "another is at work" retry 30 test -e $WORK/held
status=0
timeout 5 "$TSW" -n h1 -w 0.2 -j save >$WORK/out 2>$WORK/err || status=$?
is "save waits, no longer than asked" \
	"$status $(cat $WORK/out $WORK/err | grep -o EBUSY || true)" "1 EBUSY"
kill $HOLDER
wait $HOLDER 2>/dev/null || true
check "and then goes on" sw h1 save
check "two in one batch, after a change" sw h1 -b - <<-'END'
	save
	tenant add blue id 200
	save
END
finish
