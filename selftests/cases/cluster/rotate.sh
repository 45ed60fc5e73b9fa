#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A host's password, certificate, key and CA are replaced while its agent runs. A file that is
# missing, half-written or too open at that moment is told. Afterwards the agent goes on by itself,
# and so do commands. Frames pass meanwhile.
#
#   h1 192.0.2.1 ── h2 192.0.2.2      etcd with TLS both ways, and users: see lib_cluster.sh
#    red-a .1        red-c .3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

umask 077
cd $WORK
authority ca
for name in h1 h2 root; do certificate $name ca DNS:$name; done
certificate server ca IP:127.0.0.1
cp ca.crt trusted.crt
echo rootpw >root.word
echo first >word
SCHEME=https
ETCD_FLAGS="--cert-file server.crt --key-file server.key --client-cert-auth
	--trusted-ca-file trusted.crt"
STORE_FLAGS="-c ca.crt -C root.crt -k root.key -w 2000"
cluster_switches h1 h2
ctl() {
	ETCDCTL_API=3 etcdctl --endpoints "$(store_url m1)" --cacert server-ca.crt --cert root.crt \
		--key root.key "$@" 2>/dev/null
}
cp ca.crt server-ca.crt
users() {
	ctl user add root:rootpw && ctl user grant-role root root && ctl role add tsw &&
		ctl role grant-permission tsw --prefix=true readwrite /tsw/ &&
		ctl user add hosts:first && ctl user grant-role hosts tsw && ctl auth enable
}
check "hosts have a user with a password" users
STORE_FLAGS+=" -u root -p root.word"
join=(etcd "$(urls m1)" name campus ca "$WORK/ca.crt"
	user hosts password-file "$WORK/word")
for host in h1 h2; do
	check "$host joins" sw $host cluster join "${join[@]}" cert $WORK/$host.crt key $WORK/$host.key
done
tenant red
lives red "a@h1 c@h2"
agent h1 h2
check "all are in step" in_step h2
check "red is whole" reach red-a 10.0.0.3
pings red-a 10.0.0.3

again() { member_end m1 && member m1; } # all have to connect anew
refused() { # DESC TEXT
	comes "$1 is told" 1 told_by h1 "$2"
	check "also by commands" grep -qF -- "$2" <<<"$({ sw h1 -w 5 cluster show || true; } 2>&1)"
}
is_out() { [ "$(metric h1 tsw_agent_connected)" = 0 ]; }
back() { # DESC: an agent does not wait for the end of its pause, which may be 30 s
	local began=$EPOCHSECONDS

	check "$1: the agent is back at once" retry 2 sw h2 -w 3 cluster wait host h1 timeout 3
	note "$1: the agent was back after $((EPOCHSECONDS - began)) s"
}

# ---- a password ----------------------------------------------------------------------
ctl --user root:rootpw user passwd hosts --interactive=false <<<second >/dev/null
again
refused "an old password" "authentication failed"
check "metrics have it" retry 5 is_out
: >word
refused "a file that is being written" "has no password"
mv word kept
refused "a file that is away" "cannot read \"$WORK/word\""
echo second >word
chmod 644 word
refused "a file that others may read" "chmod 600"
chmod 600 word
back "a new password"

# ---- users and roles change, so each token is refused once -----------------------------
for n in 1 2 3 4 5; do
	ctl --user root:rootpw role add role$n >/dev/null
	sw h1 -c group add red g$n >/dev/null || note "group g$n: refused"
done
check "commands go on" test "$(sw h1 -j -c group show red | gojq length)" = 5
check "so does the agent" in_step h2

# ---- certificates, with a key that does not fit for a moment ----------------------------
cp h1.crt old.crt
certificate h1 ca DNS:h1
cp h1.crt new.crt && cp old.crt h1.crt # the new key is here, its certificate is not yet
again
comes "a key without its certificate is told" 1 told_by h1 "set private key"
cp new.crt h1.crt
back "a new certificate"

# ---- a new CA, for etcd and for hosts ----------------------------------------------------
mkdir next && (cd next && authority ca && certificate server ca IP:127.0.0.1)
cp next/server.* . && cp next/ca.crt server-ca.crt
again
refused "a server of another CA" "SSL certificate problem"
cat ca.crt next/ca.crt >both.crt && mv both.crt ca.crt
back "a new CA"

# ---- an agent that begins while a file is away --------------------------------------------
agent_end h1
mv word kept
agent h1
comes "it tells so, and stays" 1 told_by h1 "cannot read \"$WORK/word\""
mv kept word
back "the file"
lost_none "all the while"
finish
