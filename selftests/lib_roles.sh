# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A cluster with TLS, whose hosts have the roles that docs/cluster.md gives them. Source this after
# lib.sh.

. "$LIB/lib_cluster.sh"

PKI=$WORK/pki
SCHEME=https URL=https://127.0.0.1:2379
ETCD_FLAGS="--cert-file $PKI/member-m1/member.crt --key-file $PKI/member-m1/member.key"
ETCD_FLAGS+=" --client-cert-auth --trusted-ca-file $PKI/ca.crt --enable-grpc-gateway=false"
STORE_FLAGS="-c $PKI/ca.crt -C $PKI/root.crt -k $PKI/root.key"
# etcdctl as the user NAME: NAME WORD...
as() {
	ETCDCTL_API=3 etcdctl --endpoints $URL --cacert $PKI/ca.crt --cert "$PKI/$1.crt" \
		--key "$PKI/$1.key" "${@:2}"
}
denied() { grep -q 'permission denied' <<<"$(as "$@" 2>&1 || true)"; }

# only_may HOST REGEX LEAST KEY...: it writes no other key than REGEX has, neither one that is there
# nor one of these; they are more than LEAST.
only_may() {
	local key keys tried=0 wrong=()

	mapfile -t keys < <(as root get --prefix --keys-only $CLUSTER/ | grep . | sed "s|^$CLUSTER/||")
	for key in "${keys[@]}" "${@:4}"; do
		[[ $key =~ $2 ]] && continue
		tried=$((tried + 1))
		denied "$1" put "$CLUSTER/$key" '{}' || wrong+=("put $key")
		denied "$1" del "$CLUSTER/$key" || wrong+=("del $key")
		denied "$1" del --prefix "$CLUSTER/$key" || wrong+=("del --prefix $key")
	done
	is "of $tried keys that are not its own none is written" "${wrong[*]}" ""
	check "that were some" test $tried -gt "$3"
}

# roles HOST=ADDRESS...: gives the roles, as an operator does.
roles() {
	"$ROOT/examples/cluster/etcd.sh" roles campus "$@" |
		ETCDCTL_API=3 ETCDCTL_ENDPOINTS=$URL ETCDCTL_CACERT=$PKI/ca.crt \
			ETCDCTL_CERT=$PKI/root.crt ETCDCTL_KEY=$PKI/root.key sh -e
}

# cluster_roles HOST=ADDRESS[@IDS]...: hosts that have joined, without agents. `ops` and `reader`
# are instances of h1 without a switch.
cluster_roles() {
	local host user hosts=("${@%%=*}")

	"$ROOT/examples/cluster/etcd.sh" members $PKI m1=127.0.0.1 >/dev/null
	"$ROOT/examples/cluster/etcd.sh" client $PKI root ops reader "${hosts[@]}" >/dev/null
	cluster_hosts "${hosts[@]}"
	{
		as root user add root --no-password && as root user grant-role root root
		roles "$@"
		for user in ops reader; do
			as root user add $user --no-password
			as root user grant-role $user tsw-$user
		done
		as root auth enable
	} >$WORK/roles 2>&1 || note "$(tail -3 $WORK/roles)"
	for host in "${hosts[@]}"; do
		# shellcheck disable=SC2086 # several
		sw "$host" switch up dev eth0 local "${VTEP[$host]}" name "$host"
		undo sw "$host" switch down
		check "$host joins, as itself" sw "$host" cluster join etcd $URL name campus \
			ca $PKI/ca.crt cert "$PKI/$host.crt" key "$PKI/$host.key"
	done
	for user in ops reader; do
		sed "s|\"host\": \"h1\"|\"host\": \"$user\"|; s|/h1\.|/$user.|" \
			/etc/tsw/h1.cluster >/etc/tsw/$user.cluster
	done
}
ops() { on h1 "$TSW" -i ops "$@"; }

# cluster_two: h1 and h2 have joined, with agents; red-b lives on h1 and red-a on h2. They are no
# endpoints yet, and there is no tenant.
cluster_two() {
	cluster_roles h1=192.0.2.1 h2=192.0.2.2
	agent h1 h2
	container red a h2 10.0.0.1/24 endpoint off
	container red b h1 10.0.0.2/24 endpoint off
}
add() { # HOST TENANT NAME IP
	sw "$1" -c endpoint add "$3" tenant "$2" mac "$(mac_of "$4/24")" ip "$4" dev "$2-$3"
}
