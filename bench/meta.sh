#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Prints the record that says where and with what is measured; see bench/run, which sets the rest.
# Usage: meta.sh ROUNDS SECONDS [quick]

set -u
export PATH=$PATH:/usr/sbin:/sbin LC_ALL=C
ROOT=$(dirname "$(dirname "$(readlink -f "$0")")")
TSW=${BUILD:-$ROOT/build}/tsw

# By the names of the packages that tools are from; without dpkg there is tsw alone.
# shellcheck disable=SC2016 # dpkg-query's own variables
versions() {
	echo "tsw $("$TSW" -V | awk '{ print $2 }')"
	! command -v dpkg-query >/dev/null ||
		dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' clang iproute2 \
			iperf3 qperf sockperf nftables openvswitch-switch ovn-host socat mpich \
			apache2-bin httping wrk 2>/dev/null | sed -n 's/^installed //p'
}

# The tree may belong to another user than root.
in_git() { git -c safe.directory='*' -C "$ROOT" "$@" 2>/dev/null; }

model() {
	sed -nE 's/^(model name|Model|cpu model)[^:]*: *//p' /proc/cpuinfo | head -n 1
}

versions | jq -Rnc --arg date "$(date -u '+%Y-%m-%d %H:%M UTC')" --arg kernel "$(uname -r)" \
	--arg commit "$(in_git rev-parse --short=12 HEAD)" \
	--arg changes "$(in_git status --porcelain -uno)" \
	--arg machine "$(model)" --argjson cpus "$(nproc)" \
	--argjson kib "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)" \
	--argjson rounds "$1" --argjson seconds "$2" --arg quick "${3:-}" '
	def known: if . == "" then null else . end;
	{type: "meta", $date, $kernel, commit: ($commit | known), dirty: ($changes != ""),
	machine: ($machine | known), $cpus, memory: "\($kib / 104857.6 | round / 10) GiB",
	$rounds, $seconds, quick: ($quick != ""),
	versions: [inputs | split(" ") | {key: .[0], value: .[1]}] | from_entries}'
