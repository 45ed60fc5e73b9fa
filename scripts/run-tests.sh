#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs unit tests, packet tests and selftests, and some of these in other kernels, and prints their
# lines as they come. Then it repeats each failure with what it said. The last line is `N passed, N
# failed` over all. Every runner prints TAP.
# Usage: run-tests.sh [unit|sanitized|packet|fuzz|netns|kernels]...
#                  default: unit packet netns kernels, with TSW_ALL all of these
#        run-tests.sh kernels-full compilers
#                  all packet tests and selftests in other kernels, programs of other compilers
# TSW_ALL=1: also selftests that say `# full:`, and each at full depth. TSW_QUICK=1, which holds
# without TSW_ALL: less depth. TSW_CASES: only these selftests, as `guard basic/reach`.
# KILL_STEP=N: commands are killed at each N-th of their system calls (13, with TSW_QUICK 23).

set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
[ -n "${TSW_ALL:-}" ] || export TSW_QUICK=1
read -ra cases <<<"${TSW_CASES:-}"
passed=0 failed=0 skipped=0
failures='' said=0 # the lines that failed, how many comments below the last one to keep
ahead=''           # the last comment ahead of a line: cmocka's programs say there what was wrong

fail() { # LINE
	failed=$((failed + 1)) said=6
	failures+="#   $1"$'\n'$ahead
}

# comment LINE: keeps it if it tells of a failure: right by one, and a comment; what lib.sh
# dumps of the host's state is left out.
comment() {
	ahead=''
	case $1 in
	'not ok '* | '#   '*) return ;;
	'#'*) ahead="#     ${1#\#}"$'\n' ;;
	*) said=0 ;;
	esac
	[ $said = 0 ] || [ -z "$ahead" ] || said=$((said - 1)) failures+=$ahead
}

# run NAME CMD...
run() {
	local name=$1 status=unknown before=$failed seen=0 planned='' line began=$SECONDS

	shift
	echo "# == $name"
	while IFS= read -r line; do
		case $line in
		'exit status '*) status=${line#exit status } && continue ;;
		*'# SKIP'*) skipped=$((skipped + 1)) seen=$((seen + 1)) ;;
		'ok '*) passed=$((passed + 1)) seen=$((seen + 1)) ;;
		'not ok '*) seen=$((seen + 1)) && fail "$line" ;;
		1..*) planned=$((planned + ${line#1..})) ;;
		esac
		comment "$line"
		printf '%s\n' "$line"
	done < <(CMOCKA_MESSAGE_OUTPUT=TAP "$@" 2>&1; echo "exit status $?")
	# A runner that died, or did less than it had planned, has failed even if each
	# line it managed to print is fine.
	if [ "$failed" = "$before" ] && { [ "$status" != 0 ] || [ "$planned" != $seen ]; }; then
		line="not ok - $name: exit status $status, $seen of ${planned:-unknown} tests done"
		fail "$line" && echo "$line"
	fi
	[ $((SECONDS - began)) -lt 5 ] || echo "# $name: $((SECONDS - began)) s"
}

# Each kind's programs, as many at once as there are processors; what they say, one after the other.
# No program may hang the whole run.
pool() { # DIRECTORY PROGRAM...: the output of each goes there, and then its status
	# shellcheck disable=SC2016 # the inner shell's
	printf '%s\0' "${@:2}" | CMOCKA_MESSAGE_OUTPUT=TAP xargs -0 -P "$(nproc)" -n 1 bash -c '
		log=$0/${1##*/}
		timeout -k 10 $((300 * ${TSW_SLOW:-1})) "$1" >"$log" 2>&1 </dev/null
		echo $? >"$log.new" && mv "$log.new" "$log.status"
	' "$1"
	: >"$1/over"
}
said_by() { # LOG: as soon as it is complete
	until [ -e "$1.status" ] || [ -e "${1%/*}/over" ]; do sleep 0.05; done
	cat "$1"
	[ -e "$1.status" ] || return 1 # xargs itself was killed
	return "$(<"$1.status")"
}

run_programs() { # KIND [DIRECTORY]
	local program name programs=() logs pool

	for program in "${2:-$build}"/test_"$1"_*; do
		name=${program##*/test_}
		case $name in *.*) continue ;; esac
		case " ${TSW_ONLY:-$name} " in *" $name "*) ;; *) continue ;; esac
		[ ! -x "$program" ] || programs+=("$program")
	done
	if [ ${#programs[@]} = 0 ]; then
		run "$1" echo "not ok - no $1 tests in ${2:-$build}: make tests"
		return
	fi
	logs=$(mktemp -d)
	pool "$logs" "${programs[@]}" &
	pool=$!
	for program in "${programs[@]}"; do
		run "${2:+sanitized }${program##*/test_}" said_by "$logs/${program##*/}"
	done
	wait $pool
	rm -r "$logs"
}

# Other kernels run beside all that this one does, and have the time that it leaves idle. They hold
# a lock on the file TSW_BESIDE meanwhile.
kernels_start() {
	KERNELS=$(mktemp -d)
	export TSW_BESIDE=$KERNELS/lock
	exec 8>"$TSW_BESIDE"
	flock 8
	# shellcheck disable=SC2016 # the inner shell's
	setpriv --pdeathsig TERM bash -c '
		setpriv --pdeathsig TERM nice scripts/kernels.sh quick >"$0/quick" 2>&1
		echo $? >"$0/new" && mv "$0/new" "$0/quick.status"
	' "$KERNELS" </dev/null &
	exec 8>&-
	tail --pid=$! -f /dev/null && : >"$KERNELS/over" &
}

[ $# != 0 ] || set -- unit ${TSW_ALL:+sanitized} packet ${TSW_ALL:+fuzz} netns kernels
case " $* " in *' kernels '*) kernels_start ;; esac
for kind in "$@"; do
	for one in $kind; do
		case $one in
		unit | packet) run_programs "$one" ;;
		sanitized) run_programs unit "$build/sanitize" ;;
		fuzz) run fuzz env FUZZ_SECONDS="${FUZZ_SECONDS:-2}" scripts/fuzz.sh run ;;
		netns)
			[ -z "${TSW_QUICK:-}" ] && step=13 || step=23
			run netns env KILL_STEP="${KILL_STEP:-$step}" selftests/netns.sh "${cases[@]}"
			;;
		kernels) run kernels said_by "$KERNELS/quick" ;;
		kernels-full) run kernels scripts/kernels.sh full ;;
		compilers) run compilers scripts/kernels.sh compilers ;;
		*) echo "run-tests: unknown kind '$one'" >&2 && exit 2 ;;
		esac
	done
done

wait
[ -z "${KERNELS:-}" ] || rm -r "$KERNELS"
[ $failed = 0 ] || printf '\n# failed:\n%s' "$failures"
echo
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ] && [ $passed -gt 0 ]
