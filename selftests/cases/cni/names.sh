#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_cni has names and rates; answer/udhcpc asks for names
#
#   p1, p2 ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ p3      members of a cluster, or h1 alone
#
# Names by tsw-cni: by a label, a pod's annotation, CNI_ARGS, or the pod's own name. Neighbours find
# them by DNS. What is refused, and which name gives way. DEL, which is given no name, deletes this
# container's endpoint and no other's. Rates come by the same words.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_cni.sh"

cluster_switches h1 h2
said() { printf '{"key":"app","value":"x"}'; printf ',{"key":"tsw.%s","value":"%s"}' "$@"; }
# As a runtime hands a container's labels on, by the conventions of the specification.
labels() { printf '"args":{"cni":{"labels":[%s]}}' "$(said "$@")"; } # WORD VALUE [WORD VALUE]...
# As containerd and CRI-O hand a pod's annotations on.
annotation() { printf '"runtimeConfig":{"io.kubernetes.cri.pod-annotations":{"a/b":"c","tsw.%s":%s}}' "$@"; }
names() { sw "${1:-h1}" -j endpoint show | gojq -c 'map(.name | sub("^cni-[a-z2-7]{10}-[a-z2-7]{7}-"; "~")) | sort'; }
# named DESC WANT [JSON]: what p2 is called then, beside p1, who is `one`; ARGS
named() {
	pod h1 red p2 "${3:-}"
	is "$1" "$(names)" "$2"
	is "$1: CHECK" "$(conf h1 red "${3:+$3,}\"prevResult\":$(gojq -c . <<<"$RESULT")" |
		cni h1 CHECK p2)" ""
	ARGS='' NETNS='' cni h1 DEL p2 <<<"$(conf h1 red)" # it is told nothing of that
	is "$1: DEL" "$(names) $(kept | wc -l)" '["one"] 1'
	ip netns del p2
}
rules() { # what holds on a switch by itself and on a member
	pod h1 red p1 "$(labels name one)"
	named "a label" '["one","web"]' "$(labels name web)"
	named "an annotation" '["one","web"]' "$(annotation name '"web"')"
	ARGS='IgnoreUnknown=1;TSW_NAME=web' named "by CNI_ARGS" '["one","web"]'
	ARGS='TSW_NAME=web;K8S_POD_NAME=pod' named "the same twice, before the pod's" '["one","web"]' \
		"$(labels name web)"
	ARGS='IgnoreUnknown=1;K8S_POD_NAME=web-0' named "the pod's" '["one","web-0"]'
	ARGS='K8S_POD_NAME=one' named "the pod's gives way to who has it" '["one","~p2-eth0"]'
	ARGS="K8S_POD_NAME=$(printf 'x%.0s' {1..64})" named "or where it is no name" \
		'["one","~p2-eth0"]'
	ARGS='K8S_POD_NAME=web-0' named "unless the network names them" '["one","~p2-eth0"]' \
		'"nameFrom":"id"'
	named "nobody says any" '["one","~p2-eth0"]' '"nameFrom":"pod"'
	refused "one that is another's" 100 'already has an endpoint "one"' "$(labels name one)"
	refused "no name" 7 'label tsw.name: "a b" cannot be a name' "$(labels name 'a b')"
	refused "no word" 7 'label "tsw.nmae" is unknown' "$(labels nmae web)" # unit_cni has more
	own=$(js h1 endpoint show '.[0].name')
	conf h1 red | cni h1 DEL p1
	ip netns del p1
	is "nothing is left" "$own $(names) $(kept)" "one [] "
}
netns c

# ---- a switch by itself -----------------------------------------------------------
sw h1 tenant add red id 100 net 10.0.0.0/16 net fd00:a::/64 dns on
rules

# By DNS: without a gateway it is the switch's own address, to which there is a way.
pod h1 red p1 "$(labels name one)"
pod h1 red p2 "$(labels name two)"
is "whom to ask" "$(gojq -c '[.dns, (.routes | map(.dst))]' <<<"$RESULT")" "$(gojq -c . <<-'END'
	[{"nameservers":["169.254.169.253","fd00:ec2::253"],"search":["red.tsw.internal"]},
	 ["169.254.169.253/32","fd00:ec2::253/128"]]
END
)"
address=$(address 10.0.0.)
ask() { on "$1" dig +short +time=2 +tries=1 "@$2" "$3" "${@:4}"; } # NS SERVER NAME WORD...
is "its neighbour finds it by name" "$(ask p1 169.254.169.253 two.red.tsw.internal)" "$address"
is "by IPv6" "$(ask p1 fd00:ec2::253 two AAAA)" "$(gojq -r '.ips[1].address[:-3]' <<<"$RESULT")"
is "and by its address" "$(ask p1 169.254.169.253 -x "$address")" two.red.tsw.internal.
gojq -r '.dns | (.nameservers[] | "nameserver " + .), "search " + .search[0]' <<<"$RESULT" \
	>$WORK/resolv.conf
on p1 unshare --mount sh -c "mount --bind $WORK/resolv.conf /etc/resolv.conf && getent ahostsv4 two" \
	>$WORK/said || true
is "so does glibc, as it is told" "$(awk 'NR == 1 { print $1 }' $WORK/said)" "$address"
conf h1 red '"dns":{"nameservers":[]}' | cni h1 ADD c >$WORK/said
is "the network's file wants none" "$(gojq -c '[.dns, .routes]' $WORK/said)" '[{"nameservers":[]},[]]'
conf h1 red | cni h1 DEL c
sw h1 gateway add red ip 10.0.255.254/16
told() { # JSON: what c is told of
	conf h1 red "${1:-}" | cni h1 ADD c | gojq -c .dns
	conf h1 red | cni h1 DEL c
}
is "a gateway that knows no resolver: it would lose the world" "$(told)" '{}'
sw h1 gateway set red resolver 192.0.2.53
is "one that does" "$(told)" \
	'{"nameservers":["10.0.255.254","fd00:ec2::253"],"search":["red.tsw.internal"]}'
is "what to search is said already" "$(told '"dns":{"search":["x.y"]}')" \
	'{"nameservers":["10.0.255.254","fd00:ec2::253"],"search":["x.y"]}'
is "whom to ask is said by the runtime" "$(told '"runtimeConfig":{"dns":{"servers":["10.0.0.53"]}}')" \
	'{"nameservers":["10.0.0.53"]}'
sw h1 tenant set red dns off
is "with dns off nobody is" "$(told)" '{}'

# Rates, by the same words.
rates() { # JSON
	conf h1 red "$1" | cni h1 ADD c >/dev/null
	sw h1 -j endpoint show | gojq -c '.[] | select(.name | startswith("cni-")) |
		[.rate_in, .rate_out, .burst]'
	conf h1 red | cni h1 DEL c
}
bandwidth='"runtimeConfig":{"bandwidth":{"ingressRate":5000000,"ingressBurst":800000}}'
is "rates by labels" "$(rates "$(labels rate-in 80mbit burst 300k)")" '[80000000,null,307200]'
is "by CNI_ARGS" "$(ARGS='TSW_RATE_OUT=1gbit;TSW_RATE_IN=1mbit' rates '')" '[1000000,1000000000,null]'
is "the network's" "$(rates '"rate-in":"10mbit","rate-out":"20mbit"')" '[10000000,20000000,null]'
is "less by the runtime" "$(rates "\"rate-in\":\"10mbit\",$bandwidth")" '[5000000,null,100000]'
is "less by a label" "$(rates "\"rate-in\":\"10mbit\",$(labels rate-in 9mbit)")" '[9000000,null,null]'
refused "a burst without a rate" 100 'burst' "$(labels burst 300k)"

# What was given to another meanwhile: an old DEL, which comes late, is not about that.
sw h1 endpoint del one
conf h1 red "$(labels name one)" | cni h1 ADD c >/dev/null
conf h1 red | cni h1 DEL p1
is "a late DEL leaves another's" "$(names) $(kept | wc -l)" '["one","two"] 2'
dev=$(js h1 endpoint show one '.[0].dev')
check "which is sound" ip -n h1 link show dev "$dev"
conf h1 red | cni h1 DEL c
# A container that is gone with its device, whose number is another's by now.
ip netns del p2
gone() { [ "$(js h1 endpoint show two '.[0].dev // ""')" = '' ]; }
check "two's device goes" retry 5 gone
conf h1 red | NETNS='' cni h1 DEL p2
is "DEL finds its endpoint, too" "$(names) $(kept)" "[] "
for name in one two; do
	netns g$name
	conf h1 red "$(labels name $name)" | cni h1 ADD g$name >/dev/null
done
ip netns del gtwo
conf h1 red '"cni.dev/valid-attachments":[{"containerID":"gone","ifname":"eth0"}]' | cni h1 GC ''
is "GC takes those that are not valid" "$(names) $(kept | wc -l)" '["one"] 1'
conf h1 red | cni h1 GC ''
is "and all where none is" "$(names) $(kept) $(devices)" "[]  0"
echo '{' >/var/lib/tsw-cni/"$(printf 'cni-%s' broken)"
conf h1 red "$(labels name one)" | cni h1 ADD c >/dev/null
file=/var/lib/tsw-cni/$(kept | grep -v broken)
: >"$file" # as a crash of the machine may leave it
sw h1 endpoint del one
is "a file without text keeps no DEL from its end" "$(conf h1 red | cni h1 DEL c)$(kept)" cni-broken
rm /var/lib/tsw-cni/*

# A file that somebody damaged: its endpoint is found by its device.
conf h1 red "$(labels name web)" | cni h1 ADD c >/dev/null
damage() { file=/var/lib/tsw-cni/$(kept) && head -c 20 "$file" >$WORK/half && cp $WORK/half "$file"; }
damage
is "DEL with a damaged file takes the endpoint" "$(conf h1 red | cni h1 DEL c)$(names) $(kept)" "[] "
conf h1 red "$(labels name web)" | cni h1 ADD c >/dev/null
damage
ip -n c link del eth0
status=0
conf h1 red | cni h1 DEL c >$WORK/said || status=$?
is "without the device it says what is wrong" \
	"$status $(gojq -r .msg $WORK/said | grep -o 'is damaged and no endpoint has the device')" \
	"1 is damaged and no endpoint has the device"
sw h1 -q switch gc >/dev/null
rm "$file"
is "gc takes it, and DEL is done" "$(conf h1 red | cni h1 DEL c)$(names) $(kept)" "[] "

# ---- killed -----------------------------------------------------------------------

step=${KILL_STEP:-1}
[ -z "${TSW_QUICK:-}" ] || step=3
wrong=()
conf h1 red "$(labels name web)" >$WORK/conf
conf h1 red >$WORK/bare
clean=$(all)
for ((n = 1;; n = AT + step)); do
	killed_via $n cni h1 ADD c <$WORK/conf || break
	case $((KILLS % 3)) in
	0) tried "DEL after $n" cni h1 DEL c <$WORK/bare ;;
	1) tried "GC after $n" cni h1 GC '' <$WORK/bare ;;
	2) # what is done to a node that comes back: DEL, ADD, DEL
		tried "DEL after $n" cni h1 DEL c <$WORK/bare
		tried "ADD after $n" cni h1 ADD c <$WORK/conf
		tried "its DEL after $n" cni h1 DEL c <$WORK/bare
		;;
	esac
	[ "$(all)" = "$clean" ] || wrong+=("$n ($AT)")
done
note "ADD: $n calls, $KILLS kills"
check "there were calls to be killed at" test $n -gt 20
for ((n = 1;; n = AT + step)); do
	cni h1 DEL c <$WORK/bare
	tried "ADD before DEL $n" cni h1 ADD c <$WORK/conf
	killed_via $n cni h1 DEL c <$WORK/bare || break
	tried "DEL again after $n" cni h1 DEL c <$WORK/bare
	[ "$(all)" = "$clean" ] || wrong+=("DEL $n ($AT)")
done
note "DEL: $n calls"
is "killed and not taken away" "${wrong[*]}" ""
sw h1 tenant del red force on
netns_del p1

# ---- a member ---------------------------------------------------------------------

cluster_join h1 h2
agent h1 h2
sw h1 -c tenant add red id 100 net 10.0.0.0/24 dns on >/dev/null
rules
pod h1 red p1 "$(labels name one)"
one=$(address 10.0.0.)
pod h2 red p3 "$(labels name three)"
comes "the other host's finds it by name" "$one" ask p3 169.254.169.253 one.red.tsw.internal
refused "a name of the other host's" 100 '"three"' "$(labels name three)"
conf h1 red | ARGS=K8S_POD_NAME=three cni h1 ADD c >/dev/null
is "the pod's gives way to that, too" "$(names)" '["one","three","~c-eth0"]'
conf h1 red | cni h1 DEL c
check "an operator takes one away" sw h1 -c endpoint del one
conf h1 red "$(labels name one)" | cni h1 ADD c >/dev/null
conf h1 red | cni h1 DEL p1
is "a late DEL leaves another's here, too" "$(names)" '["one","three"]'
conf h1 red | cni h1 DEL c
netns_del p1
pod h1 red p1 "$(labels name one)"
conf h1 red | cni h1 DEL p1
check "the name is the other host's now" sw h2 -c endpoint add one tenant red mac auto ip auto host h2
conf h1 red | cni h1 DEL p1
is "which an old DEL leaves" "$(sw h1 -c -j endpoint show one | gojq -r '.[0].host') $(kept | wc -l)" "h2 1"
sw h2 -c endpoint del one
conf h2 red | cni h2 DEL p3
is "nothing is left" "$(store read $CLUSTER/ | grep -E "$CLUSTER/(e|at|ip|mac)/" |
	grep -cv '"by"' || true) $(devices) $(kept)" "0 0 "
finish
