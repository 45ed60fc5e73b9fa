#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An etcd of several members with TLS: certificates, and each member's settings.
#
#   etcd.sh members DIR NAME=ADDRESS...
#   etcd.sh client DIR NAME...
#   etcd.sh roles CLUSTER HOST=ADDRESS[,ADDRESS]...[@ID[,ID]...]...
#
# `members` makes in DIR, with openssl, who signs (ca.crt, ca.key; peer-ca.* for what members say to
# each other), and for each member a directory member-NAME: its certificates, keys, and `etcd.env`,
# which Debian's service of etcd reads as /etc/default/etcd. It tells what to do on each machine.
# Three members go on without one of them, five without two.
#
# `client` makes NAME.crt and NAME.key for a host of the cluster, or an operator. etcd takes NAME
# for its user where `etcdctl auth enable` was given.
#
# `roles` prints the commands of etcdctl, for `| sh`, that make each host a user with the least
# rights that it needs in that cluster, by the addresses of its switch. They also make the roles
# tsw-ops, which may write all of the cluster, and tsw-reader. docs/cluster.md tells what each may
# do. More hosts may come later by the same words. A host writes endpoints of all tenants, or of
# those alone whose IDs are told behind an @. What a role may already is not taken from it.
#
# The same again keeps what is there. ca.key signs whom etcd believes: leave DIR on a machine that
# is neither a host nor a member. DAYS: how long certificates are good (825). ETCD_DIR: where they
# will be on the member (/etc/etcd). Needs openssl.
set -eu
umask 077
DAYS=${DAYS:-825} ETCD_DIR=${ETCD_DIR:-/etc/etcd}

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

check_name() {
	case $1 in "" | *[!A-Za-z0-9._-]* | .*) die "'$1' is no name" ;; esac
}

# For URLs.
bracketed() { case $1 in *:*) echo "[$1]" ;; *) echo "$1" ;; esac; }

authority() { # NAME: who signs
	[ ! -e "$DIR/$1.key" ] || return 0
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \
		-subj "/CN=$1 of etcd" -addext basicConstraints=critical,CA:TRUE \
		-addext keyUsage=critical,keyCertSign,cRLSign \
		-keyout "$DIR/$1.key" -out "$DIR/$1.crt" 2>/dev/null
}

# Of that name for that use; ADDRESS, if any, is what others reach it by.
certificate() { # AUTHORITY FILE NAME USE [ADDRESS]
	[ ! -e "$2.crt" ] || return 0
	cat >"$2.ext" <<-END
		basicConstraints=critical,CA:FALSE
		keyUsage=critical,digitalSignature
		extendedKeyUsage=$4
		${5:+subjectAltName=IP:$5,IP:127.0.0.1}
	END
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$3" \
		-keyout "$2.key" -out "$2.csr" 2>/dev/null
	openssl x509 -req -in "$2.csr" -CA "$DIR/$1.crt" -CAkey "$DIR/$1.key" -CAcreateserial \
		-days "$DAYS" -extfile "$2.ext" -out "$2.crt.new" 2>/dev/null ||
		die "openssl makes no certificate for '$3' ${5:-}"
	rm "$2.csr" "$2.ext"
	mv "$2.crt.new" "$2.crt"
}

settings() { # NAME ADDRESS
	at=$(bracketed "$2")
	cat <<-END
		ETCD_NAME=$1
		ETCD_INITIAL_CLUSTER=$peers
		ETCD_INITIAL_CLUSTER_TOKEN=tsw
		ETCD_LISTEN_PEER_URLS=https://$at:2380
		ETCD_INITIAL_ADVERTISE_PEER_URLS=https://$at:2380
		ETCD_LISTEN_CLIENT_URLS=https://$at:2379,https://127.0.0.1:2379
		ETCD_ADVERTISE_CLIENT_URLS=https://$at:2379
		ETCD_CERT_FILE=$ETCD_DIR/member.crt
		ETCD_KEY_FILE=$ETCD_DIR/member.key
		ETCD_TRUSTED_CA_FILE=$ETCD_DIR/ca.crt
		ETCD_CLIENT_CERT_AUTH=true
		ETCD_PEER_CERT_FILE=$ETCD_DIR/peer.crt
		ETCD_PEER_KEY_FILE=$ETCD_DIR/peer.key
		ETCD_PEER_TRUSTED_CA_FILE=$ETCD_DIR/peer-ca.crt
		ETCD_PEER_CLIENT_CERT_AUTH=true
		ETCD_ENABLE_GRPC_GATEWAY=false
		ETCD_AUTO_COMPACTION_MODE=periodic
		ETCD_AUTO_COMPACTION_RETENTION=1h
		ETCD_QUOTA_BACKEND_BYTES=4294967296
		ETCD_LOGGER=zap
	END
}

member() { # NAME ADDRESS
	mkdir -p "$DIR/member-$1"
	certificate ca "$DIR/member-$1/member" "$1" serverAuth "$2"
	certificate peer-ca "$DIR/member-$1/peer" "$1" serverAuth,clientAuth "$2"
	cp "$DIR/ca.crt" "$DIR/peer-ca.crt" "$DIR/member-$1/"
	settings "$1" "$2" >"$DIR/member-$1/etcd.env"
	cat <<-END
		$1: copy $DIR/member-$1 to $2:$ETCD_DIR, and there:
		    chown -R etcd: $ETCD_DIR && cp $ETCD_DIR/etcd.env /etc/default/etcd
		    systemctl restart etcd    # or, to try it: env \$(cat $ETCD_DIR/etcd.env) etcd
	END
}

members() { # NAME=ADDRESS...
	peers='' urls=''
	for of; do
		case $of in *=*) ;; *) die "'$of' is not NAME=ADDRESS" ;; esac
		check_name "${of%%=*}"
		at=$(bracketed "${of#*=}")
		peers=$peers${peers:+,}${of%%=*}=https://$at:2380
		urls=$urls${urls:+,}https://$at:2379
	done
	authority ca
	authority peer-ca
	for of; do member "${of%%=*}" "${of#*=}"; done
	echo "Then each host: tsw cluster join etcd $urls ca ca.crt cert HOST.crt key HOST.key"
}

client() { # NAME...
	[ -e "$DIR/ca.key" ] || die "there is no $DIR/ca.key: make members first"
	for name; do
		check_name "$name"
		certificate ca "$DIR/$name" "$name" clientAuth
		echo "$name: copy ca.crt, $name.crt and $name.key from $DIR to /etc/tsw there"
	done
}

make() { # user|role NAME [OPTION]: one that is there stays
	echo "etcdctl $1 get $2 >/dev/null 2>&1 || etcdctl $1 add $2 ${3:-}"
}
grant() { # ROLE read|readwrite KEY: with a star at its end all below
	case $3 in
	*\*) echo "etcdctl role grant-permission $1 --prefix=true $2 $K/${3%\*}" ;;
	*) echo "etcdctl role grant-permission $1 $2 $K/$3" ;;
	esac
}

any_host() { # ROLE: what every host needs
	grant "$1" read '*'
	grant "$1" readwrite host/ # its pulse alone
	for kind in answer call/wait; do grant "$1" readwrite "$kind/*"; done
}
endpoints() { # ROLE BELOW: of all tenants, or of one by its ID
	for kind in e ip mac net rest; do grant "$1" readwrite "$kind/$2"; done
}

# What each host may write is its own alone, or what endpoints of all hosts share.
host_role() { # NAME ADDRESSES [IDS]
	make role "tsw-$1"
	grant "tsw-$1" readwrite "host/$1"
	grant "tsw-$1" readwrite "alive/$1"
	grant "tsw-$1" readwrite "at/$1/*"
	for address in $2; do grant "tsw-$1" readwrite "vtep/$address"; done
	make user "$1" --no-password
	echo "etcdctl user grant-role $1 tsw-$1"
	[ "$3" ] || echo "etcdctl user grant-role $1 tsw-host"
	[ "$3" ] || return 0
	any_host "tsw-$1"
	for id in $3; do endpoints "tsw-$1" "$id/*"; done
	echo "etcdctl user revoke-role $1 tsw-host >/dev/null 2>&1 || true"
}

words() { echo "$1" | tr , ' '; }

roles() { # HOST=ADDRESS[,ADDRESS]...[@ID[,ID]...]
	for of; do
		case $of in *=*) check_name "${of%%=*}" ;; *) die "'$of' is not HOST=ADDRESS" ;; esac
		case ${of%%=*} in host | ops | reader | root) die "'${of%%=*}' has a role of that name" ;; esac
		at=${of#*=}
		case ${at%%@*} in "" | *[!0-9a-f.:,]*) die "'${at%%@*}' is no address" ;; esac
		case $at in *@ | *@*[!0-9,]*) die "'${at#*@}' is no ID of a tenant" ;; esac
	done
	make role tsw-host
	any_host tsw-host
	endpoints tsw-host '*'
	make role tsw-ops
	grant tsw-ops readwrite '*'
	make role tsw-reader
	grant tsw-reader read '*'
	for of; do
		at=${of#*=} ids=''
		case $at in *@*) ids=${at#*@} ;; esac
		host_role "${of%%=*}" "$(words "${at%%@*}")" "$(words "$ids")"
	done
}

[ $# -ge 3 ] || die "usage: members DIR NAME=ADDRESS... | client DIR NAME... |
	roles CLUSTER HOST=ADDRESS[,ADDRESS]...[@ID[,ID]...]..."
verb=$1 DIR=$2
shift 2
case $verb in
members | client) mkdir -p "$DIR" ;;
roles) check_name "$DIR" && K=/tsw/1/$DIR ;;
*) die "'$verb' is not members, client or roles" ;;
esac
"$verb" "$@"
