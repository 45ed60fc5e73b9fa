#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2
#
# A tenant's description: up to 127 octets of UTF-8, shown, saved, compared, and gone with it.
. "$(dirname "$0")/../../lib.sh"

topo h1 h2
described() { js h1 tenant show "${1:-red}" '.[0].description'; }
entries() { bpftool -j map dump pinned /sys/fs/bpf/tsw/h1/maps/tsw_descriptions | gojq length; }

sw h1 tenant add red id 100 description 'Biology, prof. Müller: "lab" 3'
sw h1 tenant add blue id 200
is "it is shown" "$(described)" 'Biology, prof. Müller: "lab" 3'
is "who has none shows none" "$(described blue)" null
check "as text, too" grep -qF 'description "Biology, prof. Müller: \"lab\" 3"' \
	<<<"$(sw h1 tenant show red)"
sw h1 tenant set red mtu 1400
is "it stays when another word is set" "$(described)" 'Biology, prof. Müller: "lab" 3'

# ---- files

sw h1 save >$WORK/state.json
is "it is saved" "$(gojq -r '.tenants[] | select(.name == "red").description' $WORK/state.json)" \
	'Biology, prof. Müller: "lab" 3'
is "diff finds nothing" "$(sw h1 -j diff $WORK/state.json)" '[]'
sw h1 tenant set red description physics
is "diff tells what differs, and what it was" "$({ sw h1 -j diff $WORK/state.json || true; } |
		gojq -c '.[] | [.change, .description, .was.description]')" \
	'["set","Biology, prof. Müller: \"lab\" 3","physics"]'
sw h1 apply $WORK/state.json >/dev/null
is "apply brings it back" "$(described)" 'Biology, prof. Müller: "lab" 3'
gojq 'del(.tenants[].description)' $WORK/state.json >$WORK/without.json
sw h1 apply $WORK/without.json >/dev/null
is "a file without it takes it away" "$(described) $(entries)" 'null 0'
sw h1 apply $WORK/state.json >/dev/null

# ---- what it may be

longest=$(printf 'ä%.0s' {1..63})x
sw h1 tenant set red description "$longest"
is "127 octets are taken" "$(described)" "$longest"
# tests/unit_refused.c has more of what is refused.
before=$(sw h1 save)
check "128 octets are not" grep -q 'is longer than 127 octets' \
	<<<"$(sw h1 tenant set red description "${longest}x" 2>&1 || true)"
is "and nothing changed" "$(sw h1 save)" "$before"
gojq '.tenants[0].description = "a\u202eb"' $WORK/state.json >$WORK/hidden.json
check "in a file, too: the place is told" \
	grep -qF 'tenants[0].description: ' <<<"$(sw h1 apply $WORK/hidden.json 2>&1 || true)"
printf 'tenant set red description "two words"\ntenant set blue description one\n' | sw h1 -b -
is "a batch takes quotes" "$(described), $(described blue)" 'two words, one'

# ---- and gone

sw h1 tenant set red id 300
is "another id keeps it" "$(described)" 'two words'
sw h1 tenant replace red id 300
is "replace without it takes it away" "$(described)" null
sw h1 tenant set blue description ''
is "and so does an empty one" "$(described blue) $(entries)" 'null 0'
sw h1 tenant set red description gone
sw h1 tenant del red
is "it goes with its tenant" "$(entries)" 0
# As a command that was killed may leave it.
# shellcheck disable=SC2046
bpftool map update pinned /sys/fs/bpf/tsw/h1/maps/tsw_descriptions key 44 1 0 0 \
	value 97 $(printf '0 %.0s' {1..127})
is "one of nobody is there" "$(entries)" 1
sw h1 switch repair
is "and goes with repair" "$(entries)" 0
finish
