#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: tsw-metrics.sh FILE [OPTION OF tsw]...
# Writes the metrics of a switch for node_exporter's textfile collector, and whether `switch check`
# finds nothing wrong. Each switch has its own FILE, whose name ends in .prom. FILE is replaced as a
# whole, and removed if the switch does not answer. TSW: the command, default tsw. TSW_METRICS:
# words after `metrics`, such as "tenants off".

set -eu
file=${1:?usage: tsw-metrics.sh FILE [OPTION OF tsw]...}
shift
tsw=${TSW:-tsw}
new=$(mktemp "$file.XXXXXX") # not .prom: the collector does not read it
trap 'rm -f "$new"' EXIT
trap 'exit 1' HUP INT TERM

# shellcheck disable=SC2086
if ! "$tsw" "$@" metrics ${TSW_METRICS:-} >"$new"; then
	rm -f "$file"
	exit 1
fi
ok=0
! "$tsw" "$@" switch check >/dev/null 2>&1 || ok=1
label=$(sed -nE 's/^tsw_switch_info\{(switch="([^"\\]|\\.)*").*/\1/p' "$new")
cat >>"$new" <<END
# HELP tsw_check_ok Did switch check find nothing wrong?
# TYPE tsw_check_ok gauge
tsw_check_ok{$label} $ok
END
chmod 644 "$new"
mv "$new" "$file"
