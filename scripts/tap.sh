# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # bad is for who sources this
# A line of TAP for each check, for scripts that source this. Afterwards n is how many there were,
# and bad is 1 if one of them failed.

n=0 bad=0
check() { # DESC CMD...: what CMD says is shown if it fails
	local desc=$1 out word=ok

	shift
	out=$("$@" 2>&1) || word='not ok' bad=1
	n=$((n + 1))
	echo "$word $n - $desc"
	[ "$word" = ok ] || printf '# %s\n' "$*" "${out//$'\n'/$'\n'# }"
}
