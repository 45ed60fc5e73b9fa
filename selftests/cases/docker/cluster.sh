#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: docker/plugin has the same calls on one host; cluster/claims has claims at once
#
#   a1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ a2, b2      members of a cluster, with agents
#
# tsw-docker on members of a cluster. No two endpoints get the same address, and the other host
# reaches what one host makes. Neither refused calls nor kills leave a record.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_docker.sh"

cluster_up h1 h2
mkdir -m 700 $WORK/kept-h1 $WORK/kept-h2
check "red" sw h1 -c tenant add red id 100 net 10.0.0.0/24 net fd00:a::/64
check "its gateway" sw h1 -c gateway add red ip 10.0.0.254/24 host h1
check "blue" sw h1 -c tenant add blue id 200 net 10.0.0.0/24
check "a small one" sw h1 -c tenant add small id 300 net 10.0.3.0/28
records() { store read $CLUSTER/ | grep -E "$CLUSTER/(e|at|ip|mac|publish)/" | grep -v '"by"' || true; }
resting() { store read "$CLUSTER/rest/$1/" | grep -c "rest/$1/1" || true; } # ID
clean=$(records)

# ---- without agents -----------------------------------------------------------------------------

is "networks" "$(network h1 red n1) $(IPV6=false network h2 blue nb)" "{} {}"
is "of the other host, too" "$(network h2 red n2)" "{}"
is "CreateEndpoint without an agent" "$(endpoint h1 n1 p0 | gojq -c '.Interface | keys')" \
	'["Address","AddressIPv6","MacAddress"]'
is "DeleteEndpoint" "$(about h1 DeleteEndpoint n1 p0) $(devices h1)" "{} 0"
is "leaves no record" "$(records)" "$clean"

# ---- with agents --------------------------------------------------------------------------------

agent h1 h2
alive() { store read "$CLUSTER/alive/" | grep -c '"since"'; }
comes "both are alive" 2 alive
box h1 red n1 a1
first=$IP4 first6=$IP6
box h2 red n2 a2
second=$IP4
is "another address" "$([ "$first" != "$second" ] && echo yes)" yes
check "the other host's is reached" reach a2 "$first"
check "by IPv6" reach a2 "$first6"
check "and back" reach a1 "$second"
netns b2
endpoint h2 nb b2 "$first/24" >/dev/null
ip -n h2 link set "$(about h2 Join nb b2 | gojq -r .InterfaceName.SrcName)" netns b2 name eth0
ip -n b2 addr add "$first/24" dev eth0
ip -n b2 link set eth0 up
check "blue has an equal address, which leads nowhere in red" no_reach b2 "$second"
before=$(records)
refused() { # DESC SAID COMMAND...
	local out

	out=$("${@:3}" || true)
	out=${out//\\/}
	check "$1: says so" grep -qF -- "$2" <<<"$out"
	is "$1: nothing is left" "$(records) $(devices h1)" "$before 1"
}
refused "an address that is the other host's" "$second of endpoint" endpoint h1 n1 c "$second/24"
refused "the same before" "$second of endpoint" address h1 red 10.0.0.0/24 "$second"
refused "the gateway's" 'the address 10.0.0.254 of its gateway' address h1 red 10.0.0.0/24 10.0.0.254
refused "an unknown tenant" 'no tenant "green"' network h1 green n3
is "one that is free" "$(address h1 red 10.0.0.0/24 10.0.0.99)" 10.0.0.99/24
is "is the other's, if that takes it first" \
	"$(endpoint h2 n2 c 10.0.0.99/24 | gojq -c '.Interface | keys')" '["MacAddress"]'
before=$(records)
refused "and then the first is refused" '10.0.0.99 of endpoint' endpoint h1 n1 c 10.0.0.99/24
about h2 DeleteEndpoint n2 c >/dev/null
before=$(records)

# ---- addresses at once --------------------------------------------------------------------------

# 14 hosts fit into the net. Whoever asks by `auto` is no other than whoever asks by Docker.
for i in {1..20}; do
	host=h$((i % 2 + 1))
	if [ $i -le 4 ]; then
		sw $host -c -j endpoint add e$i tenant small host $host 2>/dev/null
	else
		call $host IpamDriver.RequestAddress "{\"PoolID\":\"$host/small/10.0.3.0/28\"}"
	fi >$WORK/m.$i & PIDS+=($!)
done
all_ended
got=$(cat $WORK/m.* | grep -oE '10\.0\.3\.[0-9]+(/28"|")' | grep -oE '10\.0\.3\.[0-9]+' |
	grep -vx 10.0.3.0)
for i in {1..4}; do sw h1 -c endpoint del e$i tenant small 2>/dev/null || true; done
is "20 at once by two hosts: none is given twice" "$(sort <<<"$got" | uniq -d)" ""
is "and none is left over" "$(sort <<<"$got" | wc -l)" 14
check "the others are told" grep -q 'no address of net' $WORK/m.*
is "what is not used rests" "$(resting 300)" 14
is "and is no record" "$(records)" "$before"

# The command that chooses is slow: each of its writes waits for 0.3 s, of which the ninth asks what
# is free, and Docker asks around that time.
both=()
for i in {1..6}; do
	sw h1 -c tenant add one$i id 30$i net 10.1.$i.0/30 >/dev/null
	sw h1 -c endpoint add first tenant one$i ip 10.1.$i.1 host h1 >/dev/null
done
for i in {1..6}; do
	strace -qq -o /dev/null -e trace=sendto -e inject=sendto:delay_enter=300000 \
		"$TSW" -n h1 -i h1 -c -j endpoint add e tenant one$i host h1 >$WORK/s.$i 2>/dev/null &
	PIDS+=($!)
done
sleep 2
for i in {1..6}; do
	sleep 0.25
	# On a slow machine it comes second, and is refused.
	call h2 IpamDriver.RequestAddress "{\"PoolID\":\"h2/one$i/10.1.$i.0/30\"}" >$WORK/d.$i || true
done
all_ended
for i in {1..6}; do both+=("$(cat $WORK/s.$i $WORK/d.$i | grep -o "10\.1\.$i\.2" | wc -l)"); done
is "one that chooses slowly is not given what is reserved meanwhile" "${both[*]}" "1 1 1 1 1 1"
for i in {1..6}; do sw h1 -c tenant del one$i force on; done
is "and no record is left" "$(records)" "$before"

# ---- published ports ----------------------------------------------------------------------------

port=$(ports 6:8080:80)
is "ProgramExternalConnectivity" "$(about h1 ProgramExternalConnectivity n1 a1 "\"Options\":{$port}")" '{}'
is "is of the cluster" "$(sw h2 -c -j publish show | gojq -c 'map([.tenant, .port, .to])')" \
	"[[\"red\",8080,\"$first:80\"]]"
is "RevokeExternalConnectivity" "$(about h1 RevokeExternalConnectivity n1 a1) $(records)" "{} $before"

# ---- killed -------------------------------------------------------------------------------------

step=${KILL_STEP:-5} wrong=()
network h1 red nk >/dev/null
for ((n = 1;; n = AT + step)); do
	killed_via $n endpoint h1 nk c || break
	if [ $((KILLS % 2)) = 1 ]; then
		tried "DeleteEndpoint after $n" about h1 DeleteEndpoint nk c
	else
		tried "DeleteNetwork after $n" about h1 DeleteNetwork nk
		network h1 red nk >/dev/null
	fi
	[ "$(records)" = "$before" ] || wrong+=("$n ($AT): a record")
	[ "$(devices h1)" = 1 ] || wrong+=("$n ($AT): a device")
done
note "CreateEndpoint: $n calls, $KILLS kills"
check "there were calls to be killed at" test $n -gt 20
about h1 DeleteEndpoint nk c >/dev/null
for ((n = 1;; n = AT + step)); do
	killed_via $n call h1 IpamDriver.RequestAddress '{"PoolID":"h1/red/10.0.0.0/24"}' || break
	[ "$(records)" = "$before" ] || wrong+=("RequestAddress $n ($AT): a record")
done
note "RequestAddress: $n calls"
is "killed and not taken away" "${wrong[*]}" ""
is "DeleteNetwork" "$(about h1 DeleteNetwork nk)" '{}'

# ---- etcd does not answer -----------------------------------------------------------------------

# One that no container was given by chance.
for free in 10.0.0.{88,89,90,91}; do grep -q "$free" <<<"$(records)" || break; done
is "an endpoint" "$(endpoint h1 n1 c "$free/24" | gojq -c '.Interface | keys')" '["MacAddress"]'
kill -STOP "${MEMBER[m1]}"
check_fails "DeleteEndpoint tells it" about h1 DeleteEndpoint n1 c
is "its device is gone" "$(devices h1)" 1
check "the containers go on" reach a2 "$first"
kill -CONT "${MEMBER[m1]}"
for host in h1 h2; do check "$host is in step" in_step $host; done
unbox h1 n1 a1 >/dev/null
unbox h2 n2 a2 >/dev/null
unbox h2 nb b2 >/dev/null
check "the record waits for the network's end" grep -q "$free" <<<"$(records)"
is "DeleteNetwork" "$(about h1 DeleteNetwork n1) $(about h2 DeleteNetwork n2) $(about h2 DeleteNetwork nb)" \
	"{} {} {}"
is "nothing is left" "$(records)$(kept h1)$(kept h2)" "$clean"
finish
