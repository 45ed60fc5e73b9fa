#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Claims in etcd: 20 processes want the same 400 addresses at once, while one member after the other
# stops, so answers are lost. Each address has one owner, which knows it, and no address is lost.
#
#   m1 127.0.0.1   m2 127.0.0.2   m3 127.0.0.3      members of one store, in the case's namespace
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_etcd.sh"

WRITERS=20 ADDRESSES=400
STORE_FLAGS='-w 1000'
store_up "a store of three" m1 m2 m3
pids=()
for ((i = 0; i < WRITERS; i++)); do
	store claim w$i /ip/ $ADDRESSES >$WORK/taken.$i 2>$WORK/said.$i &
	pids+=($!)
	undo kill $!
done
stops=0
while kill -0 "${pids[@]}" 2>/dev/null; do
	m=m$((stops++ % 3 + 1))
	kill -STOP "${MEMBER[$m]}"
	sleep 0.3 # as long as it takes to have answers under way
	kill -CONT "${MEMBER[$m]}"
	sleep 0.1
done
failed=0
for pid in "${pids[@]}"; do wait "$pid" || failed=$((failed + 1)); done
is "all came to an end" $failed 0
note "$stops stops of a member"
check "members were stopped meanwhile" test $stops -ge 2
is "each address is taken" "$(sort -u $WORK/taken.* | wc -l)" $ADDRESSES
is "by one alone" "$(sort $WORK/taken.* | uniq -d | wc -l)" 0
# Who was told that it is his is whom the store tells.
store read /ip/ | sed -nE 's/^(\S+) \{"owner":"([^"]*)".*/\1 \2/p' | sort >$WORK/owners
for ((i = 0; i < WRITERS; i++)); do sed "s/$/ w$i/" $WORK/taken.$i; done | sort >$WORK/told
is "the store says the same" "$(diff $WORK/owners $WORK/told | wc -l)" 0
many=0
for ((i = 0; i < WRITERS; i++)); do [ ! -s $WORK/taken.$i ] || many=$((many + 1)); done
check "$many of them got some" test $many -ge 2
finish
