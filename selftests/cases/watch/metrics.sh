#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a ─ h1 ══════ h2 ─ red-c      `metrics` says what `show` and `stats` say, in a form that
#   red-b ─┘                          Prometheus takes; so do rules and dashboard in contrib/
. "$(dirname "$0")/../../lib.sh"

PROMTOOL=$(command -v promtool || echo "${BUILD:-$ROOT/build}/tools/promtool")
promtool() {
	[ -x "$PROMTOOL" ] || { echo "there is no promtool: make test-all fetches it" && return 77; }
	"$PROMTOOL" "$@"
}
CONTRIB=$ROOT/contrib
ODD='x"]\N&lt;é' # what the format escapes, and what it does not

topo h1 red-a red-b h2 red-c
tenants blue 200
sw h1 tenant add "$ODD" id 300 encap gre
sw h1 gateway add red ip 10.0.0.254/24
sw h1 gateway add blue ip 10.0.0.254/24 host h2
check "traffic here" reach red-a 10.0.0.2
check "traffic to the other host" reach red-a 10.0.0.3
inject red-a eth0 -c 7 eth src=02:00:00:00:00:09 dst=02:00:00:00:00:02 / pad 60
quiet h1

lints() { # FILE: promtool has nothing to say
	local out status=0

	out=$(promtool check metrics <"$1" 2>&1) || status=$?
	[ -z "$out" ] || echo "$out"
	[ $status = 0 ] || return $status
	[ -z "$out" ]
}
metric() { grep -F "$1 " $WORK/m | sed 's/.* //'; } # SERIES

sw h1 metrics >$WORK/m
check "promtool finds nothing to say" lints $WORK/m
sed 's/^# HELP tsw_hosts .*//' $WORK/m >$WORK/worse
[ ! -x "$PROMTOOL" ] || check_fails "it would have" lints $WORK/worse
check "a name is escaped" grep -qxF \
	'tsw_tenant_info{switch="h1",tenant="x\"]\\N&lt;é",id="300",encap="gre"} 1' $WORK/m
is "no series comes twice" "$(grep -v '^#' $WORK/m | sed 's/ [^ ]*$//' | sort | uniq -d)" ""

# Everything that other commands tell as JSON, as series.
from() { # COMMAND... FILTER: of its JSON; `series(NAME; LABELS)` makes lines of a value
	sw h1 -j "${@:1:$#-1}" | jq -r --arg h h1 'def series(name; labels):
		"\(.) \(name){\({switch: $h} + labels | to_entries |
			map("\(.key)=\(.value | tojson)") | join(","))}";
		'"${*: -1}"
}
# shellcheck disable=SC2016
{
	from stats show '.[] | .tenant as $t | to_entries[] |
		select(.key == ("local", "tunnel_tx", "tunnel_rx", "gateway")) |
		{tenant: $t, way: .key} as $l | .value |
		(.packets | series("tsw_tenant_packets_total"; $l)),
		(.bytes | series("tsw_tenant_bytes_total"; $l))'
	from stats show '.[] | {tenant} as $t | "tsw_tenant_slow" as $n |
		(.slow_tx.packets | series($n + "_packets_total"; $t + {direction: "tx"})),
		(.slow_rx.bytes | series($n + "_bytes_total"; $t + {direction: "rx"})),
		(.answered.packets | series("tsw_tenant_answered_packets_total"; $t))'
	from stats drops '.[] | {tenant: (.tenant // ""), reason, direction} as $l |
		(.packets | series("tsw_drop_packets_total"; $l)),
		(.bytes | series("tsw_drop_bytes_total"; $l))'
	from -s host show '.[] | {host: .name} as $l |
		(.tx.packets | series("tsw_host_packets_total"; $l + {direction: "tx"})),
		(.rx.packets | series("tsw_host_packets_total"; $l + {direction: "rx"})),
		(.tx.bytes | series("tsw_host_bytes_total"; $l + {direction: "tx"})),
		(.rx.bytes | series("tsw_host_bytes_total"; $l + {direction: "rx"})),
		(.endpoints | series("tsw_host_endpoints"; $l))'
	from switch show '(.tenants | series("tsw_tenants"; {})),
		(.hosts | series("tsw_hosts"; {})), (.endpoints | series("tsw_endpoints"; {})),
		(.max_endpoints | series("tsw_endpoints_max"; {})),
		(.max_tenants | series("tsw_tenants_max"; {}))'
	from gateway show '.[] | {tenant} as $l | (if .local then 1 else 0 end) |
		series("tsw_tenant_gateway_served"; $l)'
	from tenant show '.[] | {tenant: .name} as $l |
		.endpoints | series("tsw_tenant_endpoints"; $l)'
} >$WORK/want
sed -E '/^#/d; s/^(.*) ([^ ]+)$/\2 \1/' $WORK/m | sort >$WORK/have
is "what stats, host, switch and gateway show, to the packet" \
	"$(sort $WORK/want | comm -23 - $WORK/have)" ""
check "that is not nothing" test "$(grep -vc '^0 ' $WORK/want)" -ge 15
SPOOFED='reason="spoofed_mac",direction="from_endpoint"'
is "spoofed frames" "$(metric "tsw_drop_packets_total{switch=\"h1\",tenant=\"red\",$SPOOFED}")" 7
is "map_bytes is the sum" "$(awk '/^tsw_map_memory_bytes/ { n += $2 } END { print n }' $WORK/m)" \
	"$(js h1 switch show .map_bytes)"
entries() { bpftool -j map dump pinned "$1" | gojq length; }
for map in /sys/fs/bpf/tsw/h1/maps/*; do
	# of which there is one, and rings, which cannot be read
	case $map in *tsw_config | *tsw_totals | *tsw_watch_events) continue ;; esac
	name=${map##*/}
	[ "$(metric "tsw_map_entries{switch=\"h1\",map=\"$name\"}")" = "$(entries "$map")" ] ||
		echo "$name"
done >$WORK/wrong
is "entries of each map, as bpftool counts them" "$(<$WORK/wrong)" ""

# The same as JSON, but for what changes meanwhile, and what jq writes in another way; in the same
# order at each run.
VARY='^[^ ]* tsw_(map_memory|program_run_seconds)'
sw h1 -j metrics | jq -r '.[] | .name as $n | .samples[] |
	(.labels | to_entries | map("\(.key)=\(.value | tojson)") | join(",")) as $l |
	"\(.value) \($n){\($l)}"' | sort >$WORK/json
is "JSON says the same" "$(grep -vE "$VARY" $WORK/json)" "$(grep -vE "$VARY" $WORK/have)"
sw h1 metrics | sed 's/ [^ ]*$//' >$WORK/again
is "the order is the same" "$(<$WORK/again)" "$(sed 's/ [^ ]*$//' $WORK/m)"
check_fails "a word that it does not know" sw h1 metrics tenants some
check_fails "no switch" "$TSW" -i nothing metrics

sw h1 metrics tenants off >$WORK/off
check "tenants off: promtool finds nothing to say" lints $WORK/off
check_fails "no series of a tenant" grep -q 'tenant="' $WORK/off
is "sums in their place" "$(sed -nE 's/^tsw_tenants_((packets|bytes)\{.*)$/\1/p' $WORK/off)" \
	"$(sw h1 -j stats show | jq -r '. as $all | ("packets", "bytes") as $u |
		("local", "tunnel_tx", "tunnel_rx", "gateway") as $w |
		"\($u){switch=\"h1\",way=\"\($w)\"} \([$all[][$w][$u]] | add)"')"
check "drops too" grep -qx "tsw_tenants_drop_packets{switch=\"h1\",$SPOOFED} 7" $WORK/off

# Run time, where the kernel counts it.
umount /proc/sys/kernel/bpf_stats_enabled # of this case
[ "$(</proc/sys/kernel/bpf_stats_enabled)" != 0 ] ||
	check_fails "no run time where nobody counts" grep -q tsw_program $WORK/m
"$TOOLS/count_runs.py" ip netns exec red-a ping -q -c 3 -i 0.01 10.0.0.2 >/dev/null
sw h1 metrics >$WORK/m
L='{switch="h1",program="tsw_from_port"}'
check "runs of a program" test "$(metric "tsw_program_runs_total$L")" -ge 6
check "and their time" grep -qx "tsw_program_run_seconds_total$L 0\.0[0-9]*[1-9][0-9]*" $WORK/m
check "promtool still finds nothing" lints $WORK/m

# contrib/: each metric that is used there is told; those of an agent: cluster/agent.
printf '# HELP %s x\n' tsw_check_ok node_textfile_mtime_seconds \
	tsw_agent_{up,connected,held_deletions,failed_changes,missing_devices,silent_hosts} \
	tsw_agent_{own_address_wrong,unreached_hosts} |
	cat $WORK/m $WORK/off - | sed -n 's/^# HELP \([^ ]*\).*/\1/p' | sort -u >$WORK/names
used() { # maps are named there, too
	grep -oE '\b(tsw|node_textfile)_[a-z_]+' | grep -vE '^tsw_(config|totals|flows)$' | sort -u
}
gojq -r '.. | .expr?, .definition? | strings' $CONTRIB/grafana/tsw.json | used >$WORK/used
check "the dashboard asks for metrics" test "$(wc -l <$WORK/used)" -ge 15
is "which are there" "$(comm -23 $WORK/used $WORK/names)" ""
grep -v '^ *#' $CONTRIB/prometheus/tsw.rules.yml | sed -n '/expr:/,/for:/p' | used >$WORK/used
check "the rules ask for metrics" test "$(wc -l <$WORK/used)" -ge 9
is "which are there too" "$(comm -23 $WORK/used $WORK/names)" ""
check "promtool takes the rules" promtool check rules $CONTRIB/prometheus/tsw.rules.yml
check "and they fire when they should" promtool test rules $CONTRIB/prometheus/tsw.test.yml

# The textfile collector's file: whole, or not there.
mkdir $WORK/textfile
file=$WORK/textfile/tsw.prom
collect() { TSW=$TSW "$CONTRIB/node_exporter/tsw-metrics.sh" "$file" -n h1; }
check "a file for node_exporter" collect
check "promtool finds nothing to say" lints "$file"
check "all is well, says switch check" grep -qx 'tsw_check_ok{switch="h1"} 1' "$file"
is "readable, and nothing besides" "$(stat -c '%a %n' $WORK/textfile/*)" "644 $file"
ip -n h1 link set eth0 down
collect
check "the underlay is down" grep -qx \
	'tsw_underlay_up{switch="h1",device="eth0",ifindex="[0-9]*"} 0' "$file"
router h1 nft delete table inet tsw
collect
check "not all is well" grep -qx 'tsw_check_ok{switch="h1"} 0' "$file"
ip -n h1 link del eth0
sw h1 metrics >$WORK/m
check "the underlay is gone" grep -qx \
	'tsw_underlay_up{switch="h1",device="",ifindex="[0-9]*"} 0' $WORK/m
check "promtool has nothing to say of that" lints $WORK/m
cat >$WORK/dies <<END
#!/bin/sh
echo '# HELP half'
exit 1
END
chmod 755 $WORK/dies
dies() { TSW=$WORK/dies "$CONTRIB/node_exporter/tsw-metrics.sh" "$file"; }
check_fails "tsw that fails" dies
is "leaves nothing" "$(ls -A $WORK/textfile)" ""

# Big: time and size are in proportion.
N=${N:-2000}
seq $N | awk '{ print "tenant add t" $1 " id " $1 + 1000 }' | sw h1 -b -
start=${EPOCHREALTIME/./}
sw h1 metrics >$WORK/m
took=$(((${EPOCHREALTIME/./} - start) / 1000))
note "$N tenants: $took ms, $(wc -c <$WORK/m) octets, $(grep -vc '^#' $WORK/m) series"
check "promtool takes $N tenants" lints $WORK/m
slow=${TSW_SLOW:-1} # squared: this is all computing, which an emulated machine does worst
check "within $((N / 2)) ms" test $took -lt $((N * slow * slow / 2))
sw h1 metrics tenants off >$WORK/off
check "tenants off: as small as without them" test "$(wc -c <$WORK/off)" -lt 22000
finish
