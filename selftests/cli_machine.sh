#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Second half of the case cli/bad-input: what the machine refuses, several commands at once,
# batches. Uses the case's h1 and h2.

up_h2=("$TSW" -n h2 switch up dev eth0 local 192.0.2.2 name h2)
h2_is_clean() {
	[ ! -e /sys/fs/bpf/tsw/h2 ] && ! ip -n h2 link show tsw-vx >/dev/null 2>&1 &&
		! on h2 tc qdisc show dev eth0 | grep -q clsact
}
# unfit DESC PATTERN CMD...: CMD exits with 1, says PATTERN in one line, leaves nothing on h2.
unfit() {
	local desc=$1 pattern=$2 status=0

	shift 2
	"$@" >$WORK/out 2>$WORK/err || status=$?
	is "$desc: exit status 1" "$status" 1
	check "$desc: the message says so" grep -qiE "$pattern" $WORK/err
	is "$desc: in one line" "$(grep -c . $WORK/err)" 1
	check "$desc: nothing was left" h2_is_clean
}
# without PATH CMD...: with an empty directory mounted there, for CMD alone.
without() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount bash -c 'mount -t tmpfs none "$0" && exec "$@"' "$@"
}

cp "$TSW" $WORK/tsw && chmod 755 $WORK $WORK/tsw
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all)
unfit "no root" 'root|CAP_|permi|privile' \
	on h2 "${nobody[@]}" $WORK/tsw -i h2 switch up dev eth0 local 192.0.2.2
unfit "no root, -n" 'root|CAP_|permi|privile' "${nobody[@]}" $WORK/tsw "${up_h2[@]:1}"
unfit "no bpffs" 'BPF filesystem.*mount' without /sys/fs/bpf "${up_h2[@]}"
unfit "no BTF" BTF without /sys/kernel/btf "${up_h2[@]}"
unfit "a kernel too old" '2\.6.*6\.1|6\.1.*2\.6' setarch --uname-2.6 "${up_h2[@]}"
unfit "no such device" nodev "$TSW" -n h2 switch up dev nodev local 192.0.2.2
unfit "an address of nobody" 192.0.2.99 "$TSW" -n h2 switch up dev eth0 local 192.0.2.99

# Two at once. The first loads the programs, which takes the verifier a second of a processor: on a
# busy machine that may be longer than the others wait by default.
for _ in {1..5}; do "${up_h2[@]:0:1}" -w 60 "${up_h2[@]:1}" & PIDS+=($!); done
all_fine "five 'switch up' at once"
sw h2 host add h1 ip 192.0.2.1
sw h2 tenant add red id 100
for i in {1..20}; do
	sw h2 endpoint add e$i tenant red mac "$(printf 02:00:00:00:01:%02x "$i")" ip 10.0.1.$i \
		host h1 & PIDS+=($!)
done
all_fine "twenty 'endpoint add' at once"
is "and none is lost" "$(js h2 endpoint show 'length') \
$(sw h2 -j tenant show | jq '.[0].endpoints') $(sw h2 -j switch show | jq .endpoints)" "20 20 20"
for i in {1..10}; do
	{ sw h2 endpoint add same tenant red mac 02:00:00:00:02:01 host h1 2>/dev/null &&
		echo won >>$WORK/won; } & PIDS+=($!)
done
all_ended
is "of ten adding the same one wins" "$(grep -c won $WORK/won)" 1
sw h2 tenant del red force on
is "del force takes the endpoints along" "$(js h2 endpoint show .)" "[]"

# Batch: a line that is wrong in itself is found before anything is done; one that cannot be
# done ends the batch there. Lines count from 1, comments and empty ones too.
lines() { # FROM TO VERB
	awk -v a=$1 -v b=$2 -v verb=$3 'BEGIN { for (i = a; i <= b; i++) printf \
		"endpoint %s e%d tenant red mac 02:00:00:%02x:%02x:%02x host h1\n", verb, i,
		int(i / 65536), int(i / 256) % 256, i % 256 }'
}
batch() { # LINE-40000: 39997 endpoints before it, 10 behind
	echo "tenant add red id 100 # a comment"
	echo
	lines 3 39999 add
	echo "$1"
	lines 40001 40010 add
}
# run_batch DESC STATUS PATTERN ENDPOINTS ARG...: $WORK/batch through tsw on h2.
run_batch() {
	local desc=$1 want=$2 pattern=$3 count=$4 status=0

	shift 4
	sw h2 "$@" -b - <$WORK/batch >$WORK/out 2>$WORK/err || status=$?
	is "$desc: exit status" "$status" "$want"
	check "$desc: the line's number and text" grep -qE "line 40000.*$pattern" $WORK/err
	is "$desc: one message" "$(grep -c . $WORK/err)" 1
	is "$desc: endpoints after it" "$(js h2 switch show .endpoints)" "$count"
}
batch 'endpoint add bad tenant red mac 01:02 host h1' >$WORK/batch
run_batch "batch, a wrong line" 2 '"01:02"' 0
is "not even the tenant was made" "$(js h2 tenant show .)" "[]"
run_batch "batch -f, a wrong line" 1 '"01:02"' 40007 -f
sw h2 tenant del red force on
batch 'endpoint add e3 tenant red mac 02:00:00:00:00:01 host h1' >$WORK/batch
run_batch "batch, what cannot be done" 1 '"e3"' 39997
sw h2 tenant del red force on
run_batch "batch -f, what cannot be done" 1 '"e3"' 40007 -f
sw h2 -j -b $WORK/batch >$WORK/out 2>/dev/null || true
check "batch -j: the error is JSON" gojq -e '.error' $WORK/out
check "batch: a file that is not there" grep -q '"nofile"' <(sw h2 -b nofile 2>&1 || true)

# Full.
sw h2 switch down
sw h2 switch up dev eth0 local 192.0.2.2 name h2 max-endpoints 4 max-tenants 2
sw h2 host add h1 ip 192.0.2.1
sw h2 tenant add red id 100
sw h2 tenant add blue id 200
lines 1 4 add | sw h2 -b -
before=$(state h2)
check_fails "a fifth endpoint of four" sw h2 endpoint add five tenant red \
	mac 02:00:00:00:09:05 host h1
check "tells what to do" grep -q max-endpoints <(sw h2 endpoint add five tenant red \
	mac 02:00:00:00:09:05 host h1 2>&1 || true)
check_fails "a third tenant of two" sw h2 tenant add green id 300
is "full: nothing changed" "$(state h2)" "$before"
sw h2 endpoint del e1 tenant red
check "room again after del" sw h2 endpoint add five tenant red mac 02:00:00:00:09:05 host h1
