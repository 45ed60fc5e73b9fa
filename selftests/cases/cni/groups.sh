#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   p1, p2 ─ h1 192.0.2.1 ─── 192.0.2.2 h2      members of a cluster, or h1 alone
#
# Groups by tsw-cni, for the tenant's policy, and an endpoint's other words: those of the network,
# those that a container may choose, and what is refused. On a single switch and on a member of a
# cluster, with frames.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_cni.sh"

cluster_switches h1 h2
labels() { # VALUE [WORD]: as a runtime hands a container's labels on
	printf '"args":{"cni":{"labels":[{"key":"app","value":"x"},{"key":"tsw.%s","value":"%s"}]}}' \
		"${2:-group}" "$1"
}
groups() { # HOST CONTAINER [WORD]
	sw "$1" -j endpoint show | gojq -c "map(select(.name | contains(\"-$2-\")).${3:-group})[0]"
}
added() { # DESC WANT JSON [WORD]: which groups a container has then, or what else WORD says
	pod h1 red p0 "$3"
	is "$1" "$(groups h1 p0 ${4:-})" "$2"
	is "$1: CHECK" "$(conf h1 red "$3,\"prevResult\":$(gojq -c . <<<"$RESULT")" |
		cni h1 CHECK p0)" ""
	conf h1 red | cni h1 DEL p0
	ip netns del p0
}
# A value of each word, which the network gives, offers, or does not offer.
words() {
	local word value json

	while read -r word value json; do
		added "$word of the network" "$json" "\"$word\":$json" $word
		added "$word of a label" "$json" "\"${word}Choice\":\"any\",$(labels $value $word)" $word
		refused "$word that nobody offers" 7 \
			"label tsw.$word: the network does not let its containers choose $word \"${value%%,*}\"" \
			"$(labels $value $word)"
	done <<-'END'
		server on true
		xdp on true
		vip 10.0.0.100 ["10.0.0.100"]
		vip 10.0.0.100,fd00:a::100 ["10.0.0.100","fd00:a::100"]
		prefix 10.8.0.0/24 ["10.8.0.0/24"]
		macs 4 4
	END
}
# What holds on a switch by itself and on a member.
rules() {
	added "the network's" '["db","web"]' '"groups":["web","db"]'
	added "one alone" '["web"]' '"groups":"web"'
	added "none" '[]' '"groups":[]'
	added "a label, where it is offered" '["db"]' "\"groupChoice\":[\"db\",\"app\"],$(labels db)"
	added "beside the network's, which stay" '["app","db","web"]' \
		"\"groups\":[\"web\"],\"groupChoice\":\"any\",$(labels app,db)"
	added "one that it has" '["web"]' "\"groups\":[\"web\"],$(labels web)"
	ARGS='IgnoreUnknown=1;TSW_GROUP=app,db' added "by CNI_ARGS" '["app","db"]' '"groupChoice":"any"'
	refused "a label that nobody offers" 7 'label tsw.group: the network does not let its containers choose group "db"' \
		"\"groups\":[\"web\"],$(labels db)"
	refused "a group that is none" 7 'tenant "red" has no group "ghost"' '"groups":["web","ghost"]'
	refused "one of a label" 7 'tenant "red" has no group "ghost"' "\"groupChoice\":\"any\",$(labels ghost)"
	words
}
netns c

# ---- a switch by itself -----------------------------------------------------------
sw h1 tenant add red id 100 net 10.0.0.0/24
sw h1 group add red web app db
rules
pod h1 red p1 '"groups":["web"]'
prev="\"groups\":[\"web\"],\"prevResult\":$(gojq -c . <<<"$RESULT")"
name=$(js h1 endpoint show .[0].name)
sw h1 endpoint set "$name" group web db
is "one more is no harm" "$(conf h1 red "$prev" | cni h1 CHECK p1)" ""
sw h1 endpoint set "$name" group db
is "CHECK finds one that is gone" "$(conf h1 red "$prev" | { cni h1 CHECK p1 || true; } |
	gojq -c '[.code, .msg]')" "[101,\"endpoint \\\"$name\\\" has no group \\\"web\\\"\"]"
is "CHECK finds a word that is gone" "$(conf h1 red "\"xdp\":true,$prev" | { cni h1 CHECK p1 || true; } |
	gojq -c '[.code, .msg]')" "[101,\"endpoint \\\"$name\\\" has another value of \\\"xdp\\\"\"]"
conf h1 red | cni h1 DEL p1
ip netns del p1
sw h1 tenant del red

# ---- a member ---------------------------------------------------------------------
cluster_join h1 h2
agent h1 h2
sw h1 -c tenant add red id 100 net 10.0.0.0/24 >/dev/null
sw h1 -c group add red web app db
sw h1 -c policy add red ping from group web to group db proto icmp
sw h1 -c tenant set red policy on
rules
pod h1 red p1 '"groups":["web"]'
pod h2 red p2 '"groups":["db"]'
db=$(address 10.0.0.)
pod h2 red p3 '"groups":["app"]'
app=$(address 10.0.0.)
comes "the other host is told" '["web"]' groups h2 p1
check "what a rule allows" reach p1 "$db"
check "and no more" no_reach p1 "$app"
for at in h1:p1 h2:p2 h2:p3; do conf "${at%:*}" red | cni "${at%:*}" DEL "${at#*:}"; done
is "nothing is left" "$(store read $CLUSTER/ | grep -E "$CLUSTER/(e|at|ip|mac)/" |
	grep -cv '"by"' || true) $(devices)" "0 0"
finish
