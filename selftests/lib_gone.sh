# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Records of containers that are gone. Source this after lib_cluster.sh and lib_cni.sh.

records() {
	store read $CLUSTER/ >$WORK/all || echo "the store does not answer"
	grep -E "$CLUSTER/(e|at|ip|mac|rest|publish)/" $WORK/all | grep -v '"by"' || true
}
# Of names that tsw-cni makes, only the container's stays.
SHORT='sub("cni-[a-z2-7]*-[a-z2-7]*-(?<n>.*)-eth0$"; "\(.n)")'
named() { sw h1 -c -j endpoint show tenant "$1" | gojq -c "map(.name | $SHORT) | sort"; }
is_named() { [ "$(named "$1")" = "$2" ]; }
orphans() { # HOST WORD...: what check finds
	{ sw "$1" -j "${@:2}" check || true; } | gojq -c "[.problems[] |
		select(.what == \"orphan_endpoint\") | .object | $SHORT] | sort"
}
gc() { sw "$1" -c -j gc "${@:2}" | gojq -c ".removed | map(.object | $SHORT) | sort"; }

port() { printf '"runtimeConfig":{"portMappings":[{"hostPort":%s,"containerPort":80}]}' "$1"; }
given() { printf '"args":{"cni":{"labels":[{"key":"tsw.name","value":"%s"}]}}' "$1"; }
refused_add() { { cni "$1" ADD "$2" || true; } | gojq -r .msg; }

# dies HOST NS...: both ends of its pair go, and nobody says DEL
plugin_devices() { ip -n "$1" -br link show | grep -c '^tsw[a-z2-7]*@' || true; }
dies() {
	local host=$1 left

	shift
	left=$(($(plugin_devices "$host") - $#))
	for ns; do ip netns del "$ns"; done
	comes "$* died" "$left" plugin_devices "$host"
}
