#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_lock has the lock; cli/state applies several files at once
#
#   20 scripts at once ─► tsw ─► one lock ─► h1 ═══ h2 ─ red-c        red-a ─ h1
#
# Each adds and deletes its own endpoints, command by command, then by batches. Nothing is lost or
# doubled, and no command waits for the lock longer than it may. `switch check` runs all the while
# and finds nothing. With TSW_QUICK a fortieth of it.
. "$(dirname "$0")/../../lib.sh"
# shellcheck source-path=SCRIPTDIR/..
. "$LIB/lib_faults.sh"

SCRIPTS=20
[ -n "${TSW_QUICK:-}" ] && each=25 || each=1000
topo h1 red-a h2 red-c
mkdir $WORK/many

one() { # SCRIPT N: the words of its Nth endpoint
	printf 's%d-%d tenant red mac 02:02:%02x:00:%02x:%02x ip 10.%d.%d.%d host h2' \
		"$1" "$2" "$1" $(($2 / 256)) $(($2 % 256)) $((100 + $1)) $(($2 / 256)) $(($2 % 256))
}
run() { # SCRIPT WORD...: a command that must not fail, and how long it took
	local start=${EPOCHREALTIME/./} out

	out=$("$TSW" -n h1 "${@:2}" 2>&1) || echo "$* $out" >>$WORK/many/wrong
	echo $(((${EPOCHREALTIME/./} - start) / 1000)) >>"$WORK/many/ms.$1"
}
script() { # SCRIPT: adds all, waits for the others, deletes all but the first
	local i

	for ((i = 1; i <= each; i++)); do
		# shellcheck disable=SC2046
		run "$1" endpoint add $(one "$1" $i)
	done
	: >"$WORK/many/added.$1"
	while [ ! -e $WORK/many/go ]; do sleep 0.1; done
	for ((i = 2; i <= each; i++)); do
		run "$1" endpoint del "s$1-$i" tenant red
	done
}
look() { # until told to stop: does anything seem wrong?
	local n=0

	while [ ! -e $WORK/many/stop ]; do
		"$TSW" -n h1 -j switch check >$WORK/many/check ||
			cat $WORK/many/check >>$WORK/many/alarms
		n=$((n + 1))
	done
	echo $n >$WORK/many/looked
}
names() {
	js h1 endpoint show '.[] | select(.host == "h2" and .name != "c").name' | sort
}
all_added() { [ "$(find $WORK/many -name 'added.*' | wc -l)" = $SCRIPTS ]; }
count() { js h1 switch show .endpoints; }

start=$SECONDS
look &
looker=$!
for ((k = 1; k <= SCRIPTS; k++)); do
	script $k &
	PIDS+=($!)
done
until all_added; do
	loud red-a 10.0.0.3 || echo "no ping" >>$WORK/many/wrong
	kill -0 "${PIDS[@]}" 2>/dev/null || break
	sleep 0.2
done
is "all are there, each once" "$(names | uniq -c | awk '{ print $1 }' | sort | uniq -c)" \
	"$(printf '%7d 1' $((SCRIPTS * each)))"
is "and are counted" "$(count)" $((SCRIPTS * each + 2))
: >$WORK/many/go
all_ended
is "no command failed" "$(head -n 3 $WORK/many/wrong 2>/dev/null || true)" ""
is "the first of each script is left" "$(names)" \
	"$(for ((k = 1; k <= SCRIPTS; k++)); do echo s$k-1; done | sort)"
is "and they are counted" "$(count)" $((SCRIPTS + 2))
worst=$(cat $WORK/many/ms.* | sort -n | tail -1)
note "$(cat $WORK/many/ms.* | wc -l) commands in $((SECONDS - start)) s; median" \
	"$(cat $WORK/many/ms.* | sort -n | awk '{ a[NR] = $1 } END { print a[int(NR / 2)] }') ms," \
	"the longest $worst ms"
check "nobody waited for 10 s" test "$worst" -lt $((10000 * ${TSW_SLOW:-1}))

# The same by batches, each of which keeps the lock until its end.
rm -f $WORK/many/ms.*
for ((k = 1; k <= SCRIPTS; k++)); do
	for ((i = 2; i <= each; i++)); do
		echo "endpoint add $(one $k $i)"
	done >"$WORK/many/add.$k"
	sed 's/ add \([^ ]* tenant red\).*/ del \1/' "$WORK/many/add.$k" >"$WORK/many/del.$k"
done
start=${EPOCHREALTIME/./}
for ((k = 1; k <= SCRIPTS; k++)); do
	{
		run $k -b "$WORK/many/add.$k"
		run $k -b "$WORK/many/del.$k"
		run $k -b "$WORK/many/add.$k"
	} &
	PIDS+=($!)
done
all_ended
note "$((3 * SCRIPTS)) batches of $((each - 1)) in $(((${EPOCHREALTIME/./} - start) / 1000)) ms;" \
	"the longest wait $(cat $WORK/many/ms.* | sort -n | tail -1) ms"
is "no batch failed" "$(head -n 3 $WORK/many/wrong 2>/dev/null || true)" ""
is "all are there, each once" "$(names | uniq -c | awk '{ print $1 }' | sort | uniq -c)" \
	"$(printf '%7d 1' $((SCRIPTS * each)))"

# One name, wanted by all: it is one's.
for ((k = 1; k <= SCRIPTS; k++)); do
	for i in 1 2 3; do
		"$TSW" -n h1 endpoint add "race$i" tenant red \
			mac "02:03:00:00:$(printf %02x $k):0$i" host h2 2>/dev/null && echo "$i"
	done >>$WORK/many/won &
	PIDS+=($!)
done
all_ended
is "each name is one's" "$(sort $WORK/many/won | paste -sd ' ')" "1 2 3"
is "and is counted once" "$(count)" $((SCRIPTS * each + 2 + 3))
: >$WORK/many/stop
wait $looker
is "switch check saw nothing wrong in all that" "$(cat $WORK/many/alarms 2>/dev/null || true)" ""
note "it looked $(<$WORK/many/looked) times"
finds "nothing is wrong" h1
check "frames pass" loud red-a 10.0.0.3
finish
