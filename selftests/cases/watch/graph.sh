#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   h1 ── h2, tenants red, blue and one whose name tries to leave its quotes; gateways, a published
#   port, a peering: `graph` has each of them once, and Graphviz reads it.
. "$(dirname "$0")/../../lib.sh"

# What ends a string, an escape, an entity, a label of HTML, a comment; and letters of no ASCII.
# shellcheck disable=SC1003
ODD='"];x->y[label="\N&lt;b>%\'
LETTERS='grün-中'

topo h1 h2
tenants
sw h1 tenant add "$ODD" id 300 encap gre
container red a h1 10.0.0.1/24
container red c h2 10.0.0.3/24
container blue c h2 10.0.0.3/24
sw h1 endpoint add "$ODD" tenant "$ODD" mac 02:00:00:00:00:09 host h2
sw h1 endpoint add "$LETTERS" tenant red mac 02:00:00:00:00:0a ip 10.0.0.10 host h2
sw h1 host add "<b>&amp;" ip 192.0.2.9
sw h1 gateway add red ip 10.2.0.254/24
sw h1 gateway add blue ip 10.3.0.254/24 host h2
sw h1 publish add red proto tcp port 5080 to 10.0.0.1:80
sw h1 peer add red with blue proto tcp port 22

# drawn FILE: Graphviz takes it and has nothing to say; FILE.svg, and FILE.json, which has all
# nodes, clusters and edges.
drawn() {
	dot -Tsvg -o "$1.svg" -Tdot_json -o "$1.json" "$1" >"$1.err" 2>&1 || return
	cat "$1.err"
	[ ! -s "$1.err" ]
}
labels() { gojq -r '.objects[].label // empty' "$1.json" | sort; } # FILE
has() { labels $WORK/g | grep -qxF -- "$1"; }
# edges FILE FROM TO: between nodes whose labels begin like that; how many, and each one's style.
edges() {
	jq -r --arg a "$2" --arg b "$3" '
		(.objects | map({(._gvid | tostring): (.label // "")}) | add) as $l |
		.edges[] | select(($l[.tail | tostring] | startswith($a)) and
			($l[.head | tostring] | startswith($b))) |
		"\(.style // "-") \(.label // "-") \(.dir // "-")"' "$1.json"
}

sw h1 graph >$WORK/g
check "Graphviz takes it" drawn $WORK/g
check "this host" has 'h1, this host\n192.0.2.1'
check "the other one" has 'h2\n192.0.2.2'
check "one without an endpoint" has '<b>&amp;amp;\n192.0.2.9'
check "a tenant" has 'red\nvxlan 100'
check "an endpoint" has 'a\n10.0.0.1'
check "letters" has "$LETTERS"'\n10.0.0.10'
check "a gateway on all hosts" has 'gateway of red, on all hosts\n10.2.0.254/24\nnat'
check "a gateway elsewhere" has 'gateway of blue\n10.3.0.254/24\nnat'
is "the published port leads to its endpoint" "$(edges $WORK/g 'tcp 5080' 'a\n')" "- 10.0.0.1:80 -"
is "half a peering" "$(edges $WORK/g 'red\n' 'blue\n')" "dashed peering, closed -"
is "nodes: 3 tenants, 5 endpoints, 2 gateways, 1 port" \
	"$(gojq '[.objects[] | select(.nodes == null and .style != "invis")] | length' \
		$WORK/g.json)" 11
# In the picture a name is what it is; SVG has its own escapes.
"$PY" - "$ODD" $WORK/g.svg <<'END' >$WORK/found
import sys, xml.etree.ElementTree as tree
texts = [t.text for t in tree.parse(sys.argv[2]).iter('{http://www.w3.org/2000/svg}text')]
print(texts.count(sys.argv[1]), texts.count('<b>&amp;'))
END
is "an odd name reads as it is, as tenant and as endpoint; and a host's" "$(<$WORK/found)" "2 1"
sw h1 peer add blue with red
sw h1 graph >$WORK/g
check "Graphviz takes it" drawn $WORK/g
is "an open peering, once" "$(edges $WORK/g 'red\n' 'blue\n'; edges $WORK/g 'blue\n' 'red\n')" \
	"- peering, tcp 22 both"

fills() { # FILE: colour and tenant
	gojq -r '.objects[] | select(.shape == "ellipse") |
		"\(.label | split("\\n")[0]) \(.fillcolor)"' "$1.json" | sort
}
is "each tenant has a colour of its own" \
	"$(fills $WORK/g | awk '{ print $NF }' | sort -u | wc -l)" 3
fills $WORK/g >$WORK/fills
sw h1 graph tenant blue >$WORK/b
check "of one tenant: Graphviz takes it" drawn $WORK/b
is "it and its peer, in the same colours" "$(fills $WORK/b)" "$(grep -E '^(red|blue) ' $WORK/fills)"
is "and only its own endpoint" "$(labels $WORK/b | grep -c '10\.0\.0')" 1
check_fails "no such tenant" sw h1 graph tenant green
is "with -j: 3 hosts, 3 tenants, 5 endpoints, 2 gateways, 1 peering, 1 port" \
	"$(js h1 graph '[.hosts, .tenants, .endpoints, .gateways, .peers, .publishes | length] | join(" ")')" \
	"3 3 5 2 1 1"
is "an endpoint, at its host" "$(js h1 graph '.endpoints[] | select(.name == "c" and .tenant == "red") |
	"\(.host) \(.ip) \(.endpoints)"')" "h2 10.0.0.3 1"
# shellcheck disable=SC2016 # a variable of gojq
is "an odd name as it is" "$(sw h1 -j graph | gojq --arg o "$ODD" \
	'[.tenants[].name, .endpoints[].name] | map(select(. == $o)) | length')" 2
is "a peering with its port" "$(js h1 graph '.peers[] | "\(.tenant) \(.with) \(.open) \(.proto) \(.port)"')" \
	"red blue true tcp 22"
out=$(sw h1 -j graph policies 2>/dev/null || echo "status $?")
check "rules with -j: no, in JSON" grep -q '"code":"EINVAL"' <<<"$out"
check "as a wrong command" grep -qx 'status 2' <<<"$out"

# Groups and rules.
sw h1 group add red web db '"<b>'
sw h1 endpoint set a tenant red group db web
sw h1 policy add red sql from group web to group db proto tcp port 5432-5433
sw h1 policy add red '"no"' from any to group db action deny priority 7
sw h1 policy add red out from group web to cidr 198.51.100.0/24 proto udp
for ((i = 1; i < 7; i++)); do sw h1 policy add red m$i from group db to group web; done
sw h1 group add blue other
sw h1 tenant set red policy audit default deny
sw h1 graph >$WORK/g
check "an endpoint with its groups" drawn $WORK/g
check "has them in its label" has 'a\n10.0.0.1\ngroup db, web'
sw h1 graph policies >$WORK/g
check "policies: Graphviz takes it" drawn $WORK/g
check "a group" has 'web\n1 endpoints'
check "an odd one" has '"<b>\n0 endpoints'
check "a tenant and its mode" has 'red\npolicy audit, default deny'
check "one that has groups alone" has 'blue\npolicy off, default allow'
is "a rule" "$(edges $WORK/g web db)" '- sql\ntcp 5432-5433 -'
is "one that denies" "$(edges $WORK/g any db)" 'dashed "no"\nany, priority 7 -'
is "to a network" "$(edges $WORK/g web 198.51.100.0/24)" '- out\nudp -'
is "many from one to another are one" "$(edges $WORK/g db web)" '- 6 rules -'
sw h1 graph tenant blue policies >$WORK/g
check "of one tenant: Graphviz takes it" drawn $WORK/g
is "and no other's" "$(labels $WORK/g | grep -c policy)" 1
sw h1 endpoint set a tenant red group none

# From the map itself, past the command's checks: a control character, and no UTF-8.
key=$(printf '%d 0 0 0' 200)
value=$(bpftool -j map lookup pinned "$(map_pin h1 tenants)" key $key | gojq -r '.value | map(
	ltrimstr("0x")) | .[16] = "07" | .[17] = "ff" | .[18] = "1b" | .[19] = "5b" | join(" ")')
bpftool map update pinned "$(map_pin h1 tenants)" key $key value hex $value
sw h1 graph >$WORK/g
check "a name of no UTF-8: Graphviz takes it" drawn $WORK/g
check "it is shown as what it is" has '\\x07\\xff\\x1b[\nvxlan 200'

# Many: more than 20 of a tenant on a host become one node, and where there are many, all do.
many() { # TENANT FROM TO
	seq "$2" "$3" | awk -v t="$1" '{ printf "endpoint add m%d tenant %s ", $1, t
		printf "mac 02:00:00:01:%02x:%02x host h2\n", $1 / 256, $1 % 256 }' | sw h1 -b -
}
sw h1 tenant add big id 400
sw h1 tenant add small id 401
many big 1 21
many small 1 20
sw h1 graph >$WORK/g
check "some more" drawn $WORK/g
check "21 are one node" has '21 endpoints\nbig'
is "20 are 20" "$(edges $WORK/g 'small\n' m | wc -l)" 20
many big 22 1000
sw h1 publish add red proto udp port 53 to 10.0.0.10:53 2>/dev/null
sw h1 graph >$WORK/g
limit=$((10 * ${TSW_SLOW:-1}))
start=$SECONDS
check "many more" drawn $WORK/g
check "Graphviz is quick" test $((SECONDS - start)) -lt $limit
check "a thousand" has '1000 endpoints\nbig'
check "then 20 are one, too" has '20 endpoints\nsmall'
check "one alone stays itself" has 'a\n10.0.0.1'
is "a port leads to the node that has its endpoint" "$(edges $WORK/g 'udp 53' '2 endpoints\nred')" \
	"- 10.0.0.10:53 -"
check "it stays small" test "$(wc -l <$WORK/g)" -lt 60
finish
