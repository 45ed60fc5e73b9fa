#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cluster/rotate has refused tokens and certificates; unit_etcd has the client's errors
# long: it waits until silent members are noticed
# Faults of etcd itself, with three members: no space, rights that change under load, members that
# hang (one, the leader, all), defragmentation under load, members whose certificate has ended. Each
# is told, frames pass meanwhile, and agents go on by themselves. cluster/survives restores backups.
#
#   h1 192.0.2.1 ── h2 192.0.2.2      etcd: m1 m2 m3 in the case's own namespace
#    red-a .1        red-c .3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

cd $WORK
authority ca
certificate server ca IP:127.0.0.1,IP:127.0.0.2,IP:127.0.0.3
cp -p server.crt good.crt
cp -p server.key good.key
SCHEME=https
ETCD_FLAGS="--cert-file server.crt --key-file server.key"
STORE_FLAGS="-c ca.crt -w 4000"
MEMBERS="m1 m2 m3" cluster_switches h1 h2
ctl() { # any member
	ETCDCTL_API=3 etcdctl --endpoints "$(urls m1 m2 m3)" --cacert ca.crt "$@" 2>/dev/null
}
for host in h1 h2; do
	check "$host joins" sw $host cluster join etcd "$(urls m1 m2 m3)" name campus ca $WORK/ca.crt
done
put() { retry 10 store put "$CLUSTER/$1" "$2"; }
tenant red
lives red "a@h1 c@h2"
agent h1 h2
check "all are in step" in_step h2
check "red is whole" reach red-a 10.0.0.3
pings red-a 10.0.0.3

connected() { metric h1 tsw_agent_connected; }
problems() { sw h1 -w 8 -j cluster show | gojq -r '[.etcd[].problem // empty] | unique | .[]'; }
adds() { sw h2 -w 10 -c group add red "$1"; } # NAME
knows() { sw h1 -j group show red | grep -q "\"$1\"" && echo 1; }
# goes_on DESC NAME [SECONDS]: a change is possible, and h1 has it
goes_on() {
	local began=$EPOCHSECONDS

	check "$1: changes are possible" retry "${3:-9}" adds "$2"
	check "$1: h1 has them" retry "${3:-9}" knows "$2"
	note "$1: after $((EPOCHSECONDS - began)) s"
}

# ---- no member for a while -------------------------------------------------------
# By then an agent's pause between two tries is up to 30 s. A command that reaches etcd ends it.
down() { for m in m1 m2 m3; do member_end $m; done; }
down
sleep 25
member m1 m2 m3
check "all are back" retry 10 store put /up yes
set_ips() { sw h1 -c endpoint set a tenant red ip 10.0.0.1 "$@"; }
check "a command waits for the agent, which goes on at once" set_ips ip 10.0.0.11
check "so does the next" set_ips
check "all go on" in_step h1 45

# ---- no space --------------------------------------------------------------------
ETCD_FLAGS+=" --quota-backend-bytes"
small() { down && ETCD_FLAGS+=" $1" && member m1 m2 m3; }
small 200000
check "etcd is back with a small disk" retry 10 ctl get /up
fills() { ! store puts /full/ 3000 >/dev/null 2>&1; }
check "it is full" retry 10 fills
check "commands say so" grep -q "database space exceeded" <<<"$({ adds full || true; } 2>&1)"
comes "so does cluster show" 1 bash -c "grep -c NOSPACE <<<'$(problems)'"
is "the agent is connected" "$(connected)" 1
check "it is still alive" sw h1 -j cluster show h1
agent_end h1
agent h1
comes "an agent that begins now tells that it cannot say so" 1 told_by h1 \
	"cannot tell the cluster that this host is alive"
is "and has all" "$(endpoints h1)" '["red/a","red/c"]'
ETCD_FLAGS=${ETCD_FLAGS% *}
small 2000000000
check "it has room again" retry 10 ctl del --prefix /full/
check "and no alarm" retry 10 ctl alarm disarm
goes_on "with room" room
is "no member has a problem" "$(problems)" ""

# ---- rights change under load, and defragmentation ---------------------------------
users() {
	ctl user add root:root && ctl user grant-role root root && ctl auth enable
}
check "users" users >/dev/null
comes "who has none is told" 1 told_by h1 "etcd"
ctl --user root:root auth disable >/dev/null
goes_on "without users" nousers
for n in 1 2 3 4 5; do
	ctl defrag >/dev/null &
	defrag=$!
	adds defrag$n || note "defrag$n was refused"
	wait $defrag || true
done
goes_on "defragmented" defragged

# ---- members hang ----------------------------------------------------------------
leader() { # the member that leads
	local url

	url=$(sw h2 -w 8 -j cluster show | gojq -r '.etcd[] | select(.leader) | .url')
	url=${url##*127.0.0.} && echo "m${url%:*}"
}
for who in m1 leader; do
	m=$who
	[ $who = m1 ] || m=$(leader)
	kill -STOP "${MEMBER[$m]}"
	goes_on "$who hangs" hang$who 12
	check "$who hangs: cluster show tells which" grep -q "127.0.0.${m#m}" \
		<<<"$(sw h2 -w 8 -j cluster show | gojq -r '.etcd[] | select(.healthy | not) | .url')"
	kill -CONT "${MEMBER[$m]}"
done
check "all in step" in_step h2 10
kill -STOP "${MEMBER[m1]}" "${MEMBER[m2]}" "${MEMBER[m3]}"
comes "all hang: the agent tells" 1 told_by h1 "etcd does not answer"
comes "and metrics" 0 connected
check_fails "commands end in time" sw h1 -w 3 -c group add red never
kill -CONT "${MEMBER[m1]}" "${MEMBER[m2]}" "${MEMBER[m3]}"
goes_on "all go on" all

# ---- etcd's own certificate has ended ------------------------------------------------
certificate server ca IP:127.0.0.1,IP:127.0.0.2,IP:127.0.0.3 \
	faketime "$(date -d '-3 days' '+%F %T')"
down
member m1 m2 m3
comes "an ended certificate of etcd is told" 1 told_by h1 "certificate has expired"
comes "by metrics, too" 0 connected
cp -p good.crt server.crt
cp -p good.key server.key
goes_on "a new certificate" certificate
lost_none "all the while"
finish
