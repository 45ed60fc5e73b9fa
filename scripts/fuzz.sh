#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs the fuzz targets of build/sanitize and prints TAP. No root is needed, and nothing is touched:
# what a command would do stands behind functions that the targets replace.
# Usage: fuzz.sh run [TARGET...]    each for FUZZ_SECONDS (60), on a corpus that grows in build/fuzz
#        fuzz.sh keep [TARGET...]   adds to fuzz/corpus what of that reaches new code
# What breaks a property is kept in build/fuzz: put it into fuzz/corpus, and its cause into a test.

set -u
cd "$(dirname "$0")/.." || exit 1
build=$(readlink -f "${BUILD:-build}")/fuzz programs=${BUILD:-build}/sanitize
what=${1:-run}
[ $# = 0 ] || shift
if [ $# -gt 0 ]; then targets=("$@"); else
	targets=()
	for file in fuzz/fuzz_*.c; do
		file=${file##*/fuzz_}
		targets+=("${file%.c}")
	done
fi
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1


# run TARGET: the seeds first, so that what once broke is tried in any case.
run() {
	local target=$1 log=$build/$1.log found

	mkdir -p "$build/corpus/$target"
	"$programs/fuzz_$target" -dict="$programs/fuzz/tsw.dict" -max_total_time="${FUZZ_SECONDS:-60}" \
		-max_len="${FUZZ_LENGTH:-4096}" -timeout=10 -rss_limit_mb=1024 \
		-print_final_stats=1 -artifact_prefix="$build/$target-" "$build/corpus/$target" \
		"fuzz/corpus/$target" >"$log" 2>&1 || {
		sed 's/^/# /' "$log" | tail -n 40
		return 1
	}
	found=$(sed -nE 's/^.*cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
	echo "# $target: $(sed -nE 's/^stat::number_of_executed_units: +//p' "$log") inputs," \
		"$found edges"
}

keep() { # TARGET
	"$programs/fuzz_$1" -merge=1 -max_len="${FUZZ_LENGTH:-400}" "fuzz/corpus/$1" \
		"$build/corpus/$1"
}

case $what in
run)
	bad=0 n=0
	echo "1..${#targets[@]}"
	for target in "${targets[@]}"; do
		n=$((n + 1))
		if run "$target"; then echo "ok $n - $target"; else
			bad=1
			echo "not ok $n - $target"
		fi
	done
	exit $bad
	;;
keep) for target in "${targets[@]}"; do keep "$target"; done ;;
*)
	sed -n '3,7s/^# //p' "$0" >&2
	exit 2
	;;
esac
