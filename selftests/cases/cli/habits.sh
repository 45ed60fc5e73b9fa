#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a user of ip and bpftool types without a thought is understood, and a slip is answered by
# one short line with the next step.
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2     (h2 has no switch)
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
switch_up h1
sw h1 tenant add red id 100
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 host h2

# said STATUS WORD...: the exit status if it is not STATUS, and what tsw printed.
said() {
	local want=$1 status=0

	shift
	sw h1 "$@" >$WORK/said 2>&1 || status=$?
	[ $status = "$want" ] || echo "exit status $status"
	cat $WORK/said
}

# ---- shortened, other names, options anywhere ------------------------------------------

shown=$(sw h1 tenant show)
is "shortened" "$(sw h1 ten sh; sw h1 tenant sho red)" "$shown"$'\n'"$shown"
is "list and ls" "$(sw h1 tenant list; sw h1 ten ls red)" "$shown"$'\n'"$shown"
json=$(sw h1 -j tenant show)
for words in "tenant show -j" "tenant -j show" "tenant show red --json" "ten list -qj"; do
	# shellcheck disable=SC2086 # several words
	is "an option anywhere: $words" "$(sw h1 $words)" "$json"
done
is "--pretty" "$(sw h1 tenant show --pretty)" "$(sw h1 -p tenant show)"
is "-n and -i, too" "$("$TSW" tenant show -j -n h1 -i h1)" "$json"
sw h1 tenant set red description -j
is "a value is no option" "$(js h1 tenant show '.[0].description')" -j
sw h1 ten set red description --json -q
is "whatever it looks like" "$(js h1 tenant show '.[0].description')" --json
is "behind -- no word is an option" "$(said 2 tenant show red -- -j)" \
	'tsw: tenant show red "-j": unknown word "-j": options stand on the command line'
sw h1 ten ad blue id 200
sw h1 ten delete blue
is "delete" "$(sw h1 -j ten ls | gojq length)" 1
echo 'ten sh' | sw h1 -b - >$WORK/said
is "in a batch, too" "$(<$WORK/said)" "$(sw h1 tenant show)"
is "but no options" "$(echo 'tenant show red -j' | said 2 -b - | grep -o 'options stand.*line')" \
	"options stand on the command line"

# ---- a slip -----------------------------------------------------------------------------

# slip TEXT WORD...: one line that ends so, exit status 2, and JSON with -j at the end.
slip() {
	local text=$1 got

	shift
	got=$(said 2 "$@")
	[[ $got == *"$text" && $(wc -l <$WORK/said) = 1 && ${#got} -le 160 ]] && got=$text
	is "tsw $*" "$got" "$text"
	is "... -j" "$({ sw h1 -j "$@" 2>/dev/null || true; } | gojq -r .code)" EINVAL
}

slip 'unknown command "tenat"; did you mean "tenant"?' tenat show
slip 'unknown command "xyzzy"; see: tsw help' xyzzy
slip '"t" is ambiguous: tenant, trace, top, test' t show
slip '"s" is ambiguous: set, show' tenant s
slip '"shwo" is not one of add, replace, set, del, show; did you mean "show"?' tenant shwo
slip 'unknown word "encpa"; did you mean "encap"?' tenant add x id 5 encpa gre
slip 'unknown word "i"; see: tsw tenant add help' tenant add x i 5
slip 'unknown word "colour"; see: tsw tenant add help' tenant add x id 5 colour blue
slip '"id" is missing: id N|auto' tenant add x
slip '"mac" needs a value: mac MAC|auto' endpoint add x tenant red mac
slip 'option "--jsn" is unknown; did you mean --json?' tenant show --jsn
slip 'option "-n" needs a value; see: tsw help' tenant show -n

# ---- help -------------------------------------------------------------------------------

brief=$(said 2)
is "without a command: at most ten lines, with two examples" \
	"$(($(wc -l <<<"$brief") <= 10)) $(grep -c '^  tsw ' <<<"$brief")" "1 2"
for words in help "tenant help" "tenant add help" "help tenant add" "ten --help" "ten add red -h" \
	"stats help" "flows help" -h; do
	# shellcheck disable=SC2086 # several words
	is "tsw $words begins with an example" "$(said 0 $words | sed -n '1s/ [^ ]*$//p' |
		grep -o '^example: tsw')" "example: tsw"
done
is "of one command" "$(said 0 host set --help | grep -c '^  tsw ')" 1
is "of one object" "$(said 0 host --help | grep -c '^  tsw host ')" \
	"$(sw h1 host help -j | gojq length)"
is "of none" "$(said 2 hots --help)" 'tsw: "hots": unknown command "hots"; did you mean "host"?'
is "an example in JSON" "$(sw h1 host add help -j | gojq -r '.[0].example')" \
	"host add h2 ip 192.0.2.2"
finish
