#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The scripts of examples/cluster/. etcd.sh sets up an etcd with TLS, where each client is who its
# certificate says, and container.sh makes containers. A failure or a deletion leaves nothing.
#
#   h1 192.0.2.1   h2 192.0.2.2      etcd: see lib_cluster.sh
#    one            two
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_etcd.sh"
. "$LIB/lib_cluster.sh"

EXAMPLES=$ROOT/examples/cluster

# ---- etcd.sh ---------------------------------------------------------------------
pki=$WORK/pki
addresses="a=127.0.0.1 b=127.0.0.2 c=127.0.0.3"
# shellcheck disable=SC2086 # several
make_store() { ETCD_DIR=$WORK/at "$EXAMPLES/etcd.sh" members $pki $addresses; }
files() { find $pki -type f ! -name '*.srl' -exec sha256sum {} + | sort; }
check "members" make_store
check "clients" "$EXAMPLES/etcd.sh" client $pki root h1
before=$(files)
check "members, once more" make_store
check "clients, once more" "$EXAMPLES/etcd.sh" client $pki root h1
is "keep what is there" "$(files)" "$before"
is "nobody else reads a key" "$(find $pki -type f -perm /077)" ""
for words in "members $pki" "members $pki a" "members $pki a;b=127.0.0.1" "client $pki ../x" \
	"client $WORK/none h1" "frob $pki a=127.0.0.1"; do
	# shellcheck disable=SC2086 # several
	check_fails "refused: $words" "$EXAMPLES/etcd.sh" $words
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
	ip netns list | sort
	ip -n h1 -br link | sort
	sw h1 -c -j endpoint show
}
first() { sw h1 -c -j endpoint show "$1" | gojq -r '.[0].ip[0]'; }
check "a tenant" sw h1 -c tenant add red net 10.0.0.0/24 net fd00:a::/64
check "a bare one" sw h1 -c tenant add bare
before=$(everything)
for words in "add one none" "add one bare" "add thirteen-long red" "add h1 red" "frob one red" \
	"add one red 10.0.0.300/24"; do
	# shellcheck disable=SC2086 # several
	check_fails "refused: $words" example h1 $words
done
is "and nothing has changed" "$(everything)" "$before"
check "add" example h1 add one red
check "on the other host, at that address" example h2 add two red 10.0.0.77/24
check_fails "again: refused" example h1 add one red
check "all hosts know" sw h1 cluster wait
check "they reach each other" reach two "$(first one)"
is "at the tenant's MTU" "$(ip -n one -j link show eth0 | gojq '.[0].mtu')" \
	"$(js h1 tenant show red '.[0].mtu')"
is "with an address of each net" "$(ip -n one -br addr show eth0 | grep -oE '/24|fd00.*/64' |
	sed 's|.*/|/|' | xargs)" "/24 /64"
for again in once 'once more'; do
	check "del, $again" example h1 del one red
	check "del on the other host, $again" example h2 del two red
done
is "all is as it was" "$(everything)" "$before"
finish
