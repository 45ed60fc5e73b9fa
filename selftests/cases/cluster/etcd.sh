#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_etcd, unit_etcd_watch and unit_etcd_lies; cluster/records uses the real etcd
# long: it waits until a silent etcd is noticed
# The client of etcd, with the real etcd: what it reads, writes and follows, and each way to fail.
#
#   m1 127.0.0.1   m2 127.0.0.2   m3 127.0.0.3      members of one store, in the case's namespace
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_etcd.sh"

write_each() { # WORDS...: in the background
	BG_LOG=$WORK/each.log
	store "$@" >$BG_LOG 2>&1 &
	BG=$!
	undo kill $BG
}
last_revision() { store read "$1" | sed -n 's/^revision //p'; }

# ---- one member ------------------------------------------------------------------
store_up "a store of one" m1
is "a key is created once" "$(store create /a/x 1 | cut -d' ' -f1; store create /a/x 2)" \
	$'created\nthere: 1'
check "and put over" store put /a/x 3
is "and read" "$(store read /a/ | cut -d' ' -f1,2 | head -n 1)" "/a/x 3"
check "3,000 keys" store puts /n/ 3000
is "all are read, in pages" "$(store read /n/ | grep -c ^/n/)" 3000
before=$(last_revision /n/)
check "one more" store put /n/9 9
is "as they were before" "$(store read /n/ "$before" | grep -c ^/n/)" 3000
# A page of an old revision tells the store's own in its header: the first page's is meant.
is "and of that revision" "$(store read /n/ "$before" | tail -n 1)" "revision $before"
check "all are deleted" store del /n/
is "and gone" "$(store read /n/ | grep -c ^/n/)" 0
lease=$(store lease 2 /a/leased 1)
check "a lease is kept" store keep "$lease"
gone() { [ "$(store read /a/leased | wc -l)" = 1 ]; }
check "until nobody does, and takes its key along" retry 5 gone
refuses "it ended, and says so" 1 "has ended" store keep "$lease"
is "the member tells of itself" "$(store members | cut -d' ' -f1,3)" "http://127.0.0.1:2379 leader"

# ---- what is wrong with a URL, what does not answer ------------------------------
for url in x http:// ftp://a http://a:0 http://a:65536 http://a:1x http://a/v3 'http://a b' \
	'http://[::1' http://user@a "http://$(printf 'a%.0s' {1..300})" http://a,,http://b; do
	refuses "URL ${url:0:20}" 2 '"' "$ETCDCALL" "$url" members
done
refuses "17 of them" 2 "more than 16" \
	"$ETCDCALL" "http://a$(printf ',http://a%.0s' {1..16})" members
refuses "a certificate alone" 2 "go together" "$ETCDCALL" -C x http://a members
refuses "a user alone" 2 "go together" "$ETCDCALL" -u x http://a members
begin=$EPOCHSECONDS
refuses "nobody there" 1 "cannot reach etcd" "$ETCDCALL" -w 1000 http://127.0.0.9 read /a/
check "in a second, or two" test $((EPOCHSECONDS - begin)) -le $((2 * ${TSW_SLOW:-1}))
"$PY" -m http.server -b 127.0.0.8 2379 >/dev/null 2>&1 &
undo kill $!
"$PY" -c 'import socket, time
s = socket.create_server(("127.0.0.7", 2379))
time.sleep(600)' &
undo kill $!
they_listen() { [ "$(ss -ltn | grep -cE '127.0.0.[78]:2379')" = 2 ]; }
check "they listen" retry 5 they_listen
refuses "a web server" 1 "127.0.0.8" "$ETCDCALL" -w 1000 http://127.0.0.8 read /a/
refuses "who never answers" 1 "127.0.0.7" "$ETCDCALL" -w 1000 http://127.0.0.7 read /a/
check "one that does is found behind these" "$ETCDCALL" -w 8000 \
	http://127.0.0.9,http://127.0.0.7,http://127.0.0.1 read /a/
check "whatever proxy there is" env http_proxy=http://127.0.0.9 ALL_PROXY=http://127.0.0.9 \
	"$ETCDCALL" "$(urls m1)" read /a/

# ---- following, over a restart, a compaction, another store ----------------------
follow 1 /a/ /b/
check "what was before is told" retry 5 told "^1 put /a/x 3"
check "and up to where" told "^1 mark"
check "a change" store put /b/y 1
check "is told to who follows it" retry 5 told "^2 put /b/y 1"
check "a deletion" store del /b/
check "too" retry 5 told "^2 del /b/y"
member_end m1 9
check "it notices when etcd is killed" retry 5 told ^down
member m1
check "comes back with it" retry 10 told ^up
check "a change then" retry 5 store put /b/y 2
check "is told" retry 5 told "^2 put /b/y 2"
is "and nothing twice" "$(grep -c '^2 put /b/y 1' "$FOLLOWED")" 1

revision=$(last_revision /b/)
kill $FOLLOWER
check "compacted" ctl compact "$revision"
follow 2 /a/
check "what is compacted is not told as if it were all" retry 5 told "^1 lost -116 .*compacted"
# What is put before it has read anew it has read, and is not told.
agains() { [ "$(grep -c "^1 again" "$FOLLOWED")" = "$1" ]; }
check "it reads anew" retry 5 agains 1
store put /a/x 4
check "and tells" retry 5 told "^1 put /a/x 4"
refuses "an old revision cannot be read" 1 compacted store read /a/ 2

member_end m1
rm -r $WORK/m1
TOKEN=another member m1
check "another store in its place" retry 10 told "^1 lost -116 .*another store"
check "is followed as it is" retry 10 agains 2
check "a change then" retry 10 store put /a/x 5
check "from then on" retry 5 told "^1 put /a/x 5"
kill $FOLLOWER
# A backup that is restored has the same cluster id and term, but less in it.
check "a backup" ctl snapshot save $WORK/backup
for n in 1 2 3 4 5; do store put /a/x later$n; done
follow "$(($(last_revision /a/) + 1))" /a/
check "what is behind it" retry 5 store put /a/x later6
check "is told" retry 5 told later6
member_end m1
rm -r $WORK/m1
ETCDCTL_API=3 etcdctl snapshot restore $WORK/backup --data-dir $WORK/m1 --name m1 \
	--initial-cluster m1=http://127.0.0.1:2380 --initial-cluster-token another \
	--initial-advertise-peer-urls http://127.0.0.1:2380 >/dev/null 2>&1
TOKEN=another member m1
check "a restored backup is found out" retry 10 told "^1 lost -116 .*older"
check "and followed as it is" retry 10 agains 1
check "a change then" retry 10 store put /a/x anew
check "from then on" retry 5 told "^1 put /a/x anew"
kill $FOLLOWER
member_end m1
rm -r $WORK/m1

# ---- three members ---------------------------------------------------------------
store_up "a store of three" m1 m2 m3
is "one of them leads" "$(store members | cut -d' ' -f3 | sort | uniq -c | tr -s ' ')" \
	$' 2 follower\n 1 leader'
follow 1 /a/
write_each each /a/n 400 20
check "it is written" retry 5 told "put /a/n 20 "
for m in m1 m2 m3; do # rolling
	member_end $m
	member $m
	check "$m is back" retry 10 bash -c "'$ETCDCALL' -w 500 $(store_url $m) put /up $m"
done
ends_well "400 changes"
check "all are told" retry 10 told "put /a/n 399 "
# One that is put twice was asked for twice: its first answer went with a member.
is "in order, over a restart of each" \
	"$(sed -nE 's/^1 put .a.n ([0-9]+) .*/\1/p' "$FOLLOWED" | uniq |
		awk '$1 != n++ { bad++ } END { print n, bad + 0 }')" "400 0"
is "each revision once" "$(awk '$2 == "put" { print $5 }' "$FOLLOWED" | sort | uniq -d | wc -l)" 0
is "and nothing was lost" "$(grep -c lost "$FOLLOWED")" 0

# A member that stops without a word: the call goes on to the next, the watch asks for life.
leader=$(store members | awk '$3 == "leader" { print $1 }')
for m in m1 m2 m3; do kill -STOP "${MEMBER[$m]}" && break; done
check "m1 is stopped ($leader leads)" retry 10 store put /a/s 1
check "who follows hears it all the same" retry 30 told "put /a/s 1"
kill -CONT "${MEMBER[m1]}"
check "m1 is back" retry 10 bash -c "'$ETCDCALL' -w 500 $(store_url m1) put /up m1"

# Without two of three nothing is written, and nobody takes silence for peace.
: >"$FOLLOWED"
kill -STOP "${MEMBER[m2]}" "${MEMBER[m3]}"
for m in m2 m3; do retry 5 grep -q '^State:.*stopped' "/proc/${MEMBER[$m]}/status"; done
refuses "a write without a quorum" 1 "timed out" "$ETCDCALL" -w 3000 "$(urls m1 m2 m3)" put /a/q 1
check "who follows is told" retry 20 told ^down
kill -CONT "${MEMBER[m2]}" "${MEMBER[m3]}"
check "it goes on" retry 20 store put /a/q 2
check "and is told" retry 30 told "put /a/q 2"
kill $FOLLOWER

# ---- who may ---------------------------------------------------------------------
member_end m1 && member_end m2 && member_end m3
rm -r $WORK/m[123]
store_up "a store of one again" m1
{
	ctl user add root:secret && ctl user grant-role root root
	ctl user add host:word && ctl role add hosts
	ctl role grant-permission hosts --prefix=true readwrite /a/
	ctl user grant-role host hosts
	ctl auth enable
} >/dev/null 2>&1
refuses "without a name" 1 "user name" store put /a/x 1
(umask 077 && echo word >$WORK/word && echo wrong >$WORK/wrong)
STORE_FLAGS="-u host -p $WORK/wrong"
refuses "with a wrong password" 1 '"host"' store put /a/x 1
STORE_FLAGS="-u host -p $WORK/word"
check "with the right one" store put /a/x 1
refuses "not where it may not" 1 "permission denied" store put /b/x 1
refuses "nor read" 1 "permission denied" store read /b/
follow 1 /a/ /b/
check "what it may follow is told" retry 5 told "^1 put /a/x 1"
check "what it may not is refused" retry 5 told "^2 lost -13"
# Tokens do not outlive the process that gave them.
write_each each /a/t 60 50
check "it writes" retry 5 told "put /a/t 5 "
member_end m1
member m1
ends_well "on with a new token"
check "and follows with one" retry 10 told "put /a/t 59 "
STORE_FLAGS=''
kill $FOLLOWER
member_end m1
rm -r $WORK/m1

# ---- TLS -------------------------------------------------------------------------
cd $WORK
authority ca
authority other
certificate server ca IP:127.0.0.1
certificate client ca DNS:h1
certificate stranger other DNS:h1
SCHEME=https STORE=m1
ETCD_FLAGS="--cert-file server.crt --key-file server.key --client-cert-auth"
ETCD_FLAGS+=" --trusted-ca-file ca.crt"
member m1
STORE_FLAGS="-c ca.crt -C client.crt -k client.key -w 2000"
check "by TLS, both ways" retry 10 store put /a/x 1
check "several calls on one connection" store puts /a/ 500
follow 1 /a/
check "followed by TLS" retry 5 told "^1 put /a/000499"
kill $FOLLOWER
STORE_FLAGS="-c ca.crt -w 500"
refuses "without a certificate" 1 "cannot reach etcd" store put /a/x 2
STORE_FLAGS="-c ca.crt -C stranger.crt -k stranger.key -w 500"
refuses "with a stranger's" 1 "cannot reach etcd" store put /a/x 2
STORE_FLAGS="-c other.crt -C client.crt -k client.key -w 500"
refuses "from a server that another CA knows" 1 "certificate" store put /a/x 2
STORE_FLAGS="-C client.crt -k client.key -w 500"
refuses "that none of the system's knows" 1 "certificate" store put /a/x 2
STORE_FLAGS="-c none.crt -C client.crt -k client.key -w 500"
refuses "with a file that is not there" 1 "none.crt" store put /a/x 2
member_end m1
SCHEME=http
finish
