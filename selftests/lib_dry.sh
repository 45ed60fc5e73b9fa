# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2016 # gojq has variables, too
# Dry runs of commands that change the switch or its membership: source this after lib.sh.

mount -t tmpfs tmpfs /var/lib # of keys

records() { :; } # those of the store, with its revision; a case with a store has its own

# whole HOST: all that tsw could change, with inodes, so that what is made again is noticed, too.
whole() {
	local map ns

	find /sys/fs/bpf/tsw -printf '%p %i\n' 2>/dev/null | sort || true
	find /run/tsw /etc/tsw /var/lib/tsw -printf '%p %i %m %s %T@\n' 2>/dev/null | sort || true
	for ns in "$1" "tsw-gw.$1"; do
		[ -e "/run/netns/$ns" ] || continue
		ip -n "$ns" -d -o link
		ip -n "$ns" -o addr
		ip -n "$ns" route show table all
		ip -n "$ns" rule
		ip netns exec "$ns" nft list ruleset | sed -E 's/(packets|bytes) [0-9]+//g'
		ip netns exec "$ns" bpftool net show
		ip netns exec "$ns" tc qdisc show
	done
	for map in config totals crypt closed; do
		[ ! -e "/sys/fs/bpf/tsw/$1/maps/tsw_$map" ] || map_dump "$1" "$map"
	done
	sw "$1" save 2>/dev/null || true
	records
}

# things HOST: what a plan may name, as the kernel and the disk have it.
things() {
	local path dev index

	ip -n "$1" -j link |
		gojq -r --arg alias "tenant-switch $1" \
			'.[] | select(.ifalias == $alias) | "device " + .ifname'
	for path in "/run/tsw/$1" "/sys/fs/bpf/tsw/$1"; do
		[ ! -d "$path" ] || echo "directory $path"
	done
	for path in "/etc/tsw/$1.cluster" "/var/lib/tsw/$1.key"; do
		[ ! -f "$path" ] || echo "file $path"
	done
	[ ! -e "/run/netns/tsw-gw.$1" ] || echo "namespace tsw-gw.$1"
	for dev in eth0 spare; do
		! has_programs "$1" $dev || echo "programs $dev"
	done
	records | grep -o '^/tsw/1/[^ =]*' | sed 's/^/record /' || true
}
has_programs() { # HOST DEVICE
	local index

	index=$(ip -n "$1" -j link show dev "$2" 2>/dev/null | gojq '.[0].ifindex')
	[ -e "/sys/fs/bpf/tsw/$1/links/from_wire-$index" ] ||
		on "$1" tc filter show dev "$2" ingress 2>/dev/null | grep -q tsw_from_wire
}

# told SAID: what comes and goes, but no object of a tenant, and which records are written again.
told() {
	gojq -r '.[] | select((.change != "set" or .object == "record") and (.object |
		IN("device", "directory", "file", "namespace", "programs", "record"))) |
		"\(.change) \(.object) \(.name)"' <<<"$1" | sort
}
# came HOST: the same by what is there now, and what things and records told before.
came() {
	local now

	now=$(things "$1" | sort)
	{
		comm -13 <(echo "$HAD") <(echo "$now") | sed 's/^/add /'
		comm -23 <(echo "$HAD") <(echo "$now") | sed 's/^/del /'
		comm -13 <(echo "$RECORDS") <(records | sort) | grep -o '^/tsw/1/[^ =]*' |
			sed 's/^/record /' | comm -12 - <(echo "$HAD") | sed 's/^/set /'
	} | grep -v '^... $' | sort
}

# settings SAID HOST: the lines of the switch's settings that SAVE does not have so.
settings() {
	sw "$2" save | gojq -c --argjson said "$1" --arg host "$2" '
		(.hosts[] | select(.name == $host) | .switch + {ip, zone}) as $is |
		$said[] | select(.object == "switch" and .change != "del") |
		del(.change, .object, .name, .was) | to_entries[] |
		select($is[.key] != .value)'
}

# would HOST WORD...: the dry run changes nothing. If the command is done, the dry run has told
# what then came and went, and the settings; else it was refused in the same words.
would() {
	local host=$1 before said

	shift
	before=$(whole "$host")
	HAD=$(things "$host" | sort)
	RECORDS=$(records | sort)
	said=$(sw "$host" -j --dry-run "$@" 2>/dev/null) || true
	is "tsw --dry-run ${*@Q} changes nothing" "$(diff <(echo "$before") <(whole "$host") || true)" ""
	SAID=$said
	if sw "$host" -j "$@" >$WORK/did 2>$WORK/err; then
		is "... it says what comes and goes" "$(told "$said")" "$(came "$host" || true)"
		[ ! -d "/sys/fs/bpf/tsw/$host" ] || is "... and the settings" "$(settings "$said" "$host")" ""
	else
		is "... it is refused likewise" "$(gojq -r '.error? // last.error? // "taken"' <<<"$said")" \
			"$(tail -1 $WORK/err | sed 's/^tsw: //')"
		is "... and that leaves all as it was" "$(things "$host" | sort)" "$HAD"
	fi
}
# lines: the objects of the last plan, in its order.
lines() { gojq -r 'map("\(.change) \(.object) \(.name)") | join(",")' <<<"$SAID"; }
