#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   bench/run ─► bench/scenarios/NAME.sh ─► records ─► bench/report.py ─► tables, plots
#
# First bench/report.py reads records made by hand. Then the runner has scenarios that measure
# nothing real: one goes well, others fail half-way, hang, skip, print nothing. Each is reported,
# nothing is left behind, and the exit status is as `bench/run -h` says.
. "$(dirname "$0")/../../lib.sh"

"$PY" "$TOOLS/report_test.py" || FAILED=1

RUN=$ROOT/bench/run
D=$(mktemp -d) # not below /run, of which each scenario has its own
undo rm -rf $D
chmod 755 $D
export BENCH_SCENARIOS=$D/scenarios TMPDIR=$D/tmp TSW
mkdir $BENCH_SCENARIOS $TMPDIR

# ---- scenarios, by the same lib.sh as all ---------------------------------------------------


scenario() { # NAME: its commands are read from stdin
	{
		cat <<-END
			# Title: About $1
			. "\$BENCH_LIB"
			scenario $1 'About $1'
			value() { echo \$((ROUND + SECONDS_EACH)); }
			measure() {
				figure f 'The figure' Gb/s more host
				rounds host tsw -- value
			}
		END
		cat
	} >$BENCH_SCENARIOS/$1.sh
}

scenario well <<'END'
echo "working" >&2
measure
END
scenario other <<'END'
measure
END
# A namespace, a device, files, processes here and there; then the end.
scenario half <<'END'
measure
ip netns add inside
touch "$(mktemp)" $WORK/file
bg inside sleep 1000
sleep 1000 &
trap '' TERM
setsid sleep 1000 &
ip link add veth77 type veth
ls /nowhere
measure
END
scenario skips <<'END'
needs no-such-tool ovs-package ovs || true
END
scenario wants <<'END'
needs no-such-tool some-package
measure
END
scenario lame <<'END'
value() { [ "$1" != tsw ] || return 3; echo 1; }
measure
END
scenario silent <<'END'
true
END
scenario hangs <<'END'
sleep 1000
END
scenario long <<'END'
measure
END
sed -i '1a # Quick: no' $BENCH_SCENARIOS/long.sh
scenario garbled <<'END'
measure
echo "what is this" >>"$BENCH_OUT"
END

# ---- what is asked for --------------------------------------------------------------------

# refused STATUS TEXT WORD...: with that exit status, and that text on stderr.
refused() {
	local status=0 want=$1 text=$2 err

	shift 2
	err=$("$RUN" "$@" 2>&1 >/dev/null) || status=$?
	is "refused: bench/run $*" $status "$want"
	check "  and says: $text" grep -qF -- "$text" <<<"$err"
}
refused 2 "no scenario 'frob'" frob
refused 2 "no scenario '../scenarios/well'" well ../scenarios/well
refused 2 "no scenario ''" ""
for number in 0 -1 5x 1.5 '' 3601 1e3; do
	refused 2 "ROUNDS must be a number from 1 to 3600, not '$number'" -r "$number"
	refused 2 "SECONDS must be a number from 1 to 3600, not '$number'" -s "$number" well
done
refused 2 "unknown option '-x'" -x
refused 2 "-r needs a value" -r
refused 2 "not ''" -o '' well
refused 1 "cannot write to '/proc/none'" -o /proc/none well
BENCH_SCENARIOS=/none refused 2 "no scenario in '/none'"
is "-l lists" "$("$RUN" -l | sed -n 1,2p)" "$(printf '%-14s About %s\n' garbled garbled half half)"

nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
status=0
said=$(nobody "$RUN" -o $WORK/none well 2>&1) || status=$?
is "without root it says so" "$status $said" "2 bench/run: must be run as root"
check "  but lists" nobody "$RUN" -l

# ---- runs -----------------------------------------------------------------------------------

# everything: what a scenario could leave.
everything() {
	ip netns list
	ls /run/netns
	ip -br link
	find $TMPDIR
	wc -l </proc/self/mountinfo
	pgrep -fa 'sleep 1000|^tail |^timeout |scenarios/' || true
	cat "${BUILD:-$ROOT/build}"/benchmarks/results.json 2>/dev/null || true
}
# runs STATUS WORD...: what it said is in $WORK/said, what it printed in $WORK/printed.
runs() {
	local want=$1 status=0

	shift
	"$RUN" "$@" >$WORK/printed 2>$WORK/said || status=$?
	is "bench/run $*: status $want" $status "$want"
	[ $status = "$want" ] || note "$(tail -n 20 $WORK/said)"
	is "  nothing is left" "$(everything)" "$before"
}
says() { check "  says: $2" grep -qF -- "$2" "$WORK/$1"; } # FILE TEXT
names() { gojq -r '[.scenarios[].name] | join(" ")' $WORK/out/results.json; }

before=$(everything)
runs 0 -r 3 -s 4 -o $WORK/out well
says said '[1/1] well: About well'
says said working
says said 'well: f: round 3 of 3: tsw'
says printed 'well/f  host 6.00 Gb/s: tsw 1.00'
is "  rounds and seconds are what was asked for" \
	"$(gojq -c '.scenarios[0].figures[0].results[1] | [.peer, .n, .least, .most]' \
		$WORK/out/results.json)" '["tsw",3,5,7]'
is "  and told" "$(gojq -c '.runs[0] | [.rounds, .seconds, .quick]' $WORK/out/results.json)" \
	'[3,4,false]'
is "  with kernel, processors and version" \
	"$(gojq -r '.runs[0] | "\(.kernel) \(.cpus) \(.versions.tsw)"' $WORK/out/results.json)" \
	"$(uname -r) $(nproc) $("$TSW" -V | awk '{ print $2 }')"
is "  and a plot" "$(ls $WORK/out)" "$(printf '%s\n' results.json tables.md well-f.svg)"

limit=$((6 * ${TSW_SLOW:-1})) # the one that hangs waits for it, each other ends before
BENCH_LIMIT=$limit runs 1 -r 1 -o $WORK/out half hangs skips wants lame silent garbled other half
says said 'half: exit status'
says said 'failed: ls /nowhere'
says said "hangs: ended after $limit seconds"
says said 'silent: it measured nothing'
says said 'not JSON: what is this'
says said '[8/8] other'
says said 'lame: exit status 1: lame: f: tsw has no result: value tsw'
says printed 'skips: ovs skipped: no no-such-tool: apt install ovs-package'
says printed 'wants: skipped: no no-such-tool: apt install some-package'
check_fails "  which is no failure" grep -q 'wants: failed' $WORK/printed
says printed 'half: failed: exit status'
says printed 'other/f  '
is "  what went well before is kept" "$(names)" \
	'well half hangs skips wants lame silent garbled other'
is "  with the run that it is from" "$(gojq -c '[.scenarios[] | .run]' $WORK/out/results.json)" \
	'[1,0,0,0,0,0,0,0,0]'
is "  half of a scenario is told as failed" \
	"$(gojq '.scenarios[1] | .failed != [] and .figures[0].results != []' \
		$WORK/out/results.json)" true

rm $BENCH_SCENARIOS/{half,hangs,silent,garbled,lame}.sh
runs 0 -q
check_fails "  quick: without those that are long" grep -q long $WORK/printed
is "  all rounds of a second" "$(head -n 1 $WORK/printed)" 'other/f  host 2.50 Gb/s: tsw 1.00'
runs 0 -o $WORK/out
is "all: what is no scenario any more is gone" "$(names)" 'long other skips wants well'
check_fails "  with its plot" test -e $WORK/out/half-f.svg

# ---- ended ------------------------------------------------------------------------------------

scenario hangs <<'END'
ip netns add inside
bg inside sleep 1000
measure
echo hanging >&2
sleep 1000
END
before=$(everything)
# Job control would have it ignore SIGINT.
ended() { # SIGNAL
	local pid status=0

	setsid "$PY" -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$RUN" -o $WORK/ended hangs >$WORK/printed 2>$WORK/said &
	pid=$!
	retry 10 grep -q hanging $WORK/said
	kill -$1 $pid
	wait $pid || status=$?
	echo $status
}
is "ended by SIGINT" "$(ended INT)" 130
is "  nothing is left" "$(everything)" "$before"
is "ended by SIGTERM" "$(ended TERM)" 143
is "  nothing is left" "$(everything)" "$before"
gone() { ! pgrep -f 'sleep 1000'; }
is "killed" "$(ended KILL)" 137
check "  no process is left" retry 15 gone
is "  nothing was written" "$(ls $WORK/ended)" ''
finish
