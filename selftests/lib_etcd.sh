# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The real etcd, Debian's, for cases that source this after lib.sh: members m1, m2 ... of a store in
# the namespace of the case, each on an address of its own, 127.0.0.1 and on.

ETCDCALL=${BUILD:-$ROOT/build}/etcdcall
declare -A MEMBER=() # name -> pid
ip link set lo up

store_url() { echo "${SCHEME:-http}://127.0.0.${1#m}:2379"; }
urls() { # MEMBER...
	local all

	all=$(for m; do store_url "$m"; done)
	echo "${all//$'\n'/,}"
}

# member NAME...: starts these members of the store whose members STORE names. ETCD_FLAGS: more
# words.
member() {
	local m at peers

	peers=$(for m in $STORE; do echo "$m=http://127.0.0.${m#m}:2380"; done)
	for m; do
		at=127.0.0.${m#m}
		# shellcheck disable=SC2086 # several
		etcd --name "$m" --data-dir "$WORK/$m" --initial-cluster "${peers//$'\n'/,}" \
			--initial-cluster-token "${TOKEN:-store}" --logger zap --log-outputs "$WORK/$m.log" \
			--listen-peer-urls "http://$at:2380" --initial-advertise-peer-urls "http://$at:2380" \
			--listen-client-urls "$(store_url "$m")" --advertise-client-urls "$(store_url "$m")" \
			${ETCD_FLAGS:-} >"$WORK/$m.out" 2>&1 &
		MEMBER[$m]=$!
		undo kill -9 ${MEMBER[$m]}
	done
}

member_end() { stop "${MEMBER[$1]}" "${2:-TERM}"; } # NAME [SIGNAL]

# store_up DESC MEMBER...: a store of these. Do not call it by check, which is a subshell.
store_up() {
	STORE="${*:2}"
	member "${@:2}"
	check "$1" retry 10 store put /up yes
}

# store WORDS...: etcdcall with the store's members
store() {
	# shellcheck disable=SC2086 # several
	"$ETCDCALL" ${STORE_FLAGS:-} "$(urls $STORE)" "$@"
}
ctl() { # etcdctl of the first member
	ETCDCTL_API=3 etcdctl --endpoints "$(store_url "${STORE%% *}")" "$@"
}

# follow REVISION PREFIX...: follows in the background; the file FOLLOWED has the events.
follow() {
	FOLLOWED=$(mktemp $WORK/follow.XXXXXX)
	# shellcheck disable=SC2086 # several
	"$ETCDCALL" ${STORE_FLAGS:-} "$(urls $STORE)" watch "$@" >"$FOLLOWED" 2>&1 &
	FOLLOWER=$!
	undo kill $FOLLOWER
}
told() { grep -q -- "$1" "$FOLLOWED"; }

# For TLS, in the working directory. authority NAME: makes a certificate that signs others.
authority() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
		-subj "/CN=$1" -keyout "$1.key" -out "$1.crt" 2>/dev/null
}
# certificate NAME AUTHORITY SUBJECT-ALT [CMD...]: good for a day, from the time that CMD makes it.
certificate() {
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$1" \
		-keyout "$1.key" -out "$1.csr" 2>/dev/null
	"${@:4}" openssl x509 -req -in "$1.csr" -CA "$2.crt" -CAkey "$2.key" -CAcreateserial \
		-days 1 -extfile <(echo "subjectAltName=$3") -out "$1.crt" 2>/dev/null
}
