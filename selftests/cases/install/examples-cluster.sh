#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# examples/ in a cluster. etcd.sh sets up an etcd with TLS, where each client is who its certificate
# says, and container.sh makes containers. A failure or a deletion leaves nothing.
#
#   h1 192.0.2.1   h2 192.0.2.2      etcd: see lib_cluster.sh
#    one            two
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

EXAMPLES=$ROOT/examples

# ---- etcd.sh ---------------------------------------------------------------------
pki=$WORK/pki
addresses="a=127.0.0.1 b=127.0.0.2 c=127.0.0.3"
# shellcheck disable=SC2086 # several
make_store() { ETCD_DIR=$WORK/at "$EXAMPLES/cluster/etcd.sh" members $pki $addresses; }
files() { find $pki -type f ! -name '*.srl' -exec sha256sum {} + | sort; }
check "members" make_store
check "clients" "$EXAMPLES/cluster/etcd.sh" client $pki root h1
before=$(files)
check "members, once more" make_store
check "clients, once more" "$EXAMPLES/cluster/etcd.sh" client $pki root h1
is "keep what is there" "$(files)" "$before"
is "nobody else reads a key" "$(find $pki -type f -perm /077)" ""
for words in "members $pki" "members $pki a" "members $pki a;b=127.0.0.1" "client $pki ../x" \
	"client $WORK/none h1" "frob $pki a=127.0.0.1"; do
	# shellcheck disable=SC2086 # several
	check_fails "refused: $words" "$EXAMPLES/cluster/etcd.sh" $words
done
for m in a b c; do # all of them on one machine, where 127.0.0.1 is a's alone
	mapfile -t settings < <(sed "s|$WORK/at|$pki/member-$m|
		s|,https://127.0.0.1:2379$||" $pki/member-$m/etcd.env)
	env "${settings[@]}" ETCD_DATA_DIR=$WORK/$m etcd >$WORK/$m.out 2>&1 &
	undo kill -9 $!
	PIDS+=($!)
done
as() { # NAME WORD...: etcdctl with that one's certificate
	ETCDCTL_API=3 etcdctl --command-timeout $((5 * ${TSW_SLOW:-1}))s --cacert $pki/ca.crt \
		--cert "$pki/$1.crt" --key "$pki/$1.key" \
		--endpoints https://127.0.0.1:2379,https://127.0.0.3:2379 "${@:2}"
}
check "the store is up" retry 10 as root put /up yes
check "root is a user" as root user add root --no-password
check "with its role" as root user grant-role root root
check "h1 is one" as root user add h1 --no-password
check "users count" as root auth enable
check "root may" as root put /up again
check_fails "h1 may not" as h1 put /up no
check_fails "who has no certificate is not heard" curl -sk https://127.0.0.1:2379/version
check_fails "nor is a client's one a member's" curl -sk --cert $pki/h1.crt --key $pki/h1.key \
	https://127.0.0.1:2380/version
kill -9 "${PIDS[@]}"
wait "${PIDS[@]}" 2>/dev/null || true

# ---- container.sh ----------------------------------------------------------------
cluster_up h1 h2
agent h1 h2
example() { on "$1" env TSW="$TSW -n $1" "$EXAMPLES/container.sh" "${@:2}"; }
everything() {
	ls /run/netns
	ip -n h1 -br link | sort
	ip -n one -br link
	sw h1 -c -j endpoint show
}
first() { sw h1 -c -j endpoint show "$1" | gojq -r '.[0].ip[0]'; }
for ns in one two; do ip netns add $ns; done
check "a tenant" sw h1 -c tenant add red net 10.0.0.0/24 net fd00:a::/64
check "a bare one" sw h1 -c tenant add bare
check "a gateway" sw h1 -c gateway add red ip 10.0.0.254/24 ip fd00:a::fe/64 host h1
check "and another's endpoint" sw h1 -c endpoint add other tenant red host h2
check "all hosts know" sw h1 cluster wait
before=$(everything)
for words in "add one none one" "add one bare one" "add one red none" "add other red one" \
	"add one red" "frob one red one" "add one red one 10.0.0.300/24" "del other red"; do
	# shellcheck disable=SC2086 # several words
	check_fails "refused: $words" example h1 $words
done
is "and nothing has changed" "$(everything)" "$before"

# A member's switch has only the tenants that concern it. h2 has nothing of red yet but `other`.
sw h1 -c endpoint del other tenant red
of_h2() { sw h2 -j tenant show red | gojq -c '.[0] | [.mtu, .endpoints, .net, .max_endpoints]'; }
comes "h2 has no tenant" '[]' sw h2 -j tenant show
is "but shows one of the cluster by its name" "$(of_h2)" '[1450,0,["10.0.0.0/24","fd00:a::/64"],57344]'
is "with the keys of one that it has" "$(sw h2 -s -j tenant show red | gojq -c '.[0] | keys')" \
	"$(sw h1 -s -j tenant show red | gojq -c '.[0] | keys')"
is "-c has its MTU on this host, too" "$(sw h2 -c -j tenant show | gojq -c 'map(.mtu)')" '[1450,1450]'
check "one that the cluster does not have" grep -q 'there is no tenant "none"' \
	<<<"$(sw h2 tenant show none 2>&1 || true)"
kill -STOP "${MEMBER[m1]}"
check "without etcd it says what it does not know" grep -q \
	"this host's switch has no tenant \"red\", and the cluster's records cannot be read" \
	<<<"$(sw h2 tenant show red 2>&1 || true)"
kill -CONT "${MEMBER[m1]}"

before=$(everything)
check "add, by a namespace's name" example h1 add one red one
check "on the other host, by its path and at that address" \
	example h2 add two red /run/netns/two 10.0.0.77/24
check_fails "again: refused" example h1 add one red one
check "all hosts know" sw h1 cluster wait
check "they reach each other" retry 5 reach two "$(first one)"
is "at the tenant's MTU" "$(ip -n one -j link show eth0 | gojq '.[0].mtu')" \
	"$(js h1 tenant show red '.[0].mtu')"
is "with an address of each net" "$(ip -n one -br addr show eth0 | grep -oE '/24|fd00.*/64' |
	sed 's|.*/|/|' | xargs)" "/24 /64"
ways() { for f in -4 -6; do ip -n one $f route show default | grep -o 'via [^ ]*'; done | xargs; }
is "and a default route of each family" "$(ways)" "via 10.0.0.254 via fd00:a::fe"

tap() { on "$1" env TSW="$TSW -c -n $1" "$EXAMPLES/qemu-tap.sh" "${@:2}"; }
check "a VM's tap, also where TSW has -c" tap h1 add vm red auto
is "it prints the MTU" "$(tap h1 options vm red | grep -o 'host_mtu=.*')" host_mtu=1450
is "it is the cluster's" "$(js h2 -c endpoint show vm '.[0] | [.host, .dev]')" '["h1","tap-vm"]'
for words in "add vm red auto" "add vm2 none auto"; do
	# shellcheck disable=SC2086 # several words
	check_fails "refused: qemu-tap.sh $words" tap h1 $words
done
check "it goes" tap h1 del vm red
check "again" tap h1 del vm red

# A container that was killed has lost its device.
had=$(js h1 -c endpoint show one '.[0] | [.mac, .ip]')
ip -n one link del eth0
check "begun again" example h1 add one red one
is "it has its MAC and addresses" "$(js h1 -c endpoint show one '.[0] | [.mac, .ip]')" "$had"
check "and is reached" retry 5 reach two "$(first one)"
kill -STOP "${MEMBER[m1]}"
check_fails "del without etcd says so" example h1 del one red
is "but the device is gone" "$(ip -n one -br link | grep -c eth0)" 0
kill -CONT "${MEMBER[m1]}"
check "the store answers" retry 10 sw h1 -c tenant show
for again in once 'once more'; do
	check "del, $again" example h1 del one red
	check "del on the other host, $again" example h2 del two red
done
is "all is as it was" "$(everything)" "$before"
finish
