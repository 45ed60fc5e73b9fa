#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Membership: hosts join a cluster and leave it. Each is known with its addresses, and no host gets
# a name or an address that another has.
#
#   h1 192.0.2.1   h2 192.0.2.2   h3 192.0.2.3      etcd in the case's own namespace, which each
#        └── 127.0.0.1:2379, by a forwarder ──┘     host reaches as its own 127.0.0.1
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

cluster_hosts h1 h2 h3
switch_up

UNCHANGED=records
refused() { refuses "${@:1:3}" sw "${@:4}"; } # DESC STATUS TEXT HOST WORD...
# Without host/, which tells who changed the records behind it last.
records() {
	store read /tsw/ | sed 's/ [0-9]*$//; s/,"nonce":"[0-9a-f]*"//; /^revision/d; /\/ {"by":/d'
}
hosts() { sw "$1" -j cluster show | gojq -c '[.hosts[] | [.name, .ip[]]]'; }

# ---- joining ---------------------------------------------------------------------
refused "no member yet" 1 "tsw cluster join" h1 cluster show
check "h1 joins" sw h1 cluster join etcd $URL name campus
is "its record, and a claim on its address" "$(records | grep /tsw/)" \
	'/tsw/1/campus/host/h1 {"name":"h1","ip":["192.0.2.1"]}
/tsw/1/campus/vtep/192.0.2.1 {"owner":"h1","own":true,"mtu":1500}'
is "root alone reads how" "$(stat -c '%a %U' /etc/tsw/h1.cluster)" "600 root"
before=$(records)
check "again" sw h1 cluster join etcd $URL name campus
is "changes nothing" "$(records)" "$before"
check "h2 joins" sw h2 cluster join etcd $URL name campus
is "both are known to both" "$(hosts h1) $(hosts h2)" \
	'[["h1","192.0.2.1"],["h2","192.0.2.2"]] [["h1","192.0.2.1"],["h2","192.0.2.2"]]'
is "one alone" "$(sw h1 -j cluster show h2 | gojq -c '[.hosts[].name]')" '["h2"]'
refused "a host that is none" 1 '"h9"' h1 cluster show h9
is "etcd is well" "$(sw h1 -j cluster show | gojq -c '.etcd | map(.url, .healthy, .leader)')" \
	'["http://127.0.0.1:2379",true,true]'
check "another cluster in the same store" sw h3 cluster join etcd $URL
is "has hosts of its own" "$(hosts h3)" '[["h3","192.0.2.3"]]'
check "and is left" sw h3 cluster leave
check_fails "by whom it then is no member" test -e /etc/tsw/h3.cluster
is "which takes record and claim along" "$(records | grep -c /tsw/1/default || true)" 0

# ---- what another has ------------------------------------------------------------
sw h3 switch down
sw h3 switch up dev eth0 local "${VTEP[h3]}" name h1
refused "a name that is taken" 1 'already has a host "h1"' h3 cluster join etcd $URL name campus
sw h3 switch down
on h3 ip addr add 192.0.2.2/32 dev eth0
sw h3 switch up dev eth0 local 192.0.2.2 name h3
refused "an address that is taken" 1 '192.0.2.2 is already host "h2"' h3 \
	cluster join etcd $URL name campus
check_fails "no member by that" test -e /etc/tsw/h3.cluster
on h3 ip addr del 192.0.2.2/32 dev eth0
sw h3 switch set local "${VTEP[h3]}"
check "its own is free" sw h3 cluster join etcd $URL name campus
refused "a second cluster" 1 "leave that first" h3 cluster join etcd $URL name other

# ---- an address changes ----------------------------------------------------------
ip -n h3 addr add 192.0.2.33/24 dev eth0
sw h3 switch set local 192.0.2.33
check "joined again" sw h3 cluster join etcd $URL name campus
is "it has the new address" "$(hosts h1 | gojq -c '.[2]')" '["h3","192.0.2.33"]'
is "and a claim on that alone" "$(records | grep '"h3"' | grep vtep)" \
	'/tsw/1/campus/vtep/192.0.2.33 {"owner":"h3","own":true,"mtu":1500}'

# ---- bad input, etcd away, a store that somebody wrote in ------------------------
refused "no URL" 2 '"x"' h3 cluster join etcd x name campus
refused "a certificate without its key" 2 "go together" h3 cluster join etcd $URL cert /etc/passwd
refused "a file that is not there" 1 '"/nowhere"' h3 cluster join etcd $URL ca /nowhere name campus
echo secret >$WORK/word && chmod 644 $WORK/word
refused "a password that others may read" 1 "chmod 600" h3 \
	cluster join etcd $URL user h password-file $WORK/word name campus
refused "a name with a slash" 2 '"a/b"' h3 cluster join etcd $URL name a/b
check "etc that others can write" chmod g+w /etc/tsw
refused "is not believed" 1 "chmod go-w" h3 cluster show
chmod g-w /etc/tsw
# What was opened counts, not the name: a link to a file of root's is as good as that.
not_believed() { # DESC TEXT FILE WORD...: of which each command of h3's makes use
	local file=$3

	cp -a "$file" $WORK/kept
	"${@:4}" "$file"
	refused "$1" 1 "$2" h3 cluster show
	cp -a $WORK/kept "$file"
}
cp -a /etc/tsw/h3.cluster $WORK/h3.cluster
for mode in 620 602 666; do
	not_believed "a file of membership of mode $mode" "chmod go-w" /etc/tsw/h3.cluster chmod $mode
done
not_believed "one that is another's" "chown root" /etc/tsw/h3.cluster chown nobody
rm /etc/tsw/h3.cluster && mkfifo /etc/tsw/h3.cluster
refused "a pipe" 1 "is not a regular file" h3 cluster show
ln -sf $WORK/h3.cluster /etc/tsw/h3.cluster
check "a link to root's own is followed" sw h3 cluster show
mv $WORK/h3.cluster /etc/tsw/h3.cluster
for file in ca cert key; do (umask 077 && echo x >"$WORK/$file"); done
sed -i "s|^{|{\"ca\":\"$WORK/ca\",\"cert\":\"$WORK/cert\",\"key\":\"$WORK/key\",|" /etc/tsw/h3.cluster
check "files of TLS that root alone reads" sw h3 cluster show
chmod 644 $WORK/ca $WORK/cert
check "a certificate may be read" sw h3 cluster show
for file in ca cert key; do
	not_believed "$file that others can write" "chown root" $WORK/$file chmod o+w
	not_believed "$file that is another's" "chown root" $WORK/$file chown nobody
done
for mode in 644 640 604; do
	not_believed "a key of mode $mode" "can be read by others than root" $WORK/key chmod $mode
done
mv $WORK/key $WORK/..data && ln -s ..data $WORK/key
check "a key behind a link" sw h3 cluster show
chmod 644 $WORK/..data
refused "whose mode counts" 1 "chmod 600" h3 cluster show
refused "and is refused before it joins" 1 "chmod 600" h3 cluster join etcd $URL name campus \
	ca $WORK/ca cert $WORK/cert key $WORK/key
chmod 600 $WORK/..data
check "with its right mode it is well" sw h3 cluster join etcd $URL name campus
check "a batch may ask" sw h3 -q -b - <<<"cluster show"
is "but not with the switch's lock" "$({ sw h3 -q -b - 2>&1 || true; } <<-END | grep -o 'before all that changes'
	switch set xdp off
	cluster show
END
)" "before all that changes"
# Somebody deletes a record: its host finds its claims by itself.
check "h3's record is deleted by hand" store del /tsw/1/campus/host/h3
check "h3 joins again" sw h3 cluster join etcd $URL name campus
is "with its record" "$(hosts h1 | gojq -c '.[2]')" '["h3","192.0.2.33"]'
store put /tsw/1/campus/host/x/h2 '{"name":"h2","ip":["192.0.2.67"]}' # below a deeper key
store put /tsw/1/campus/host/h0 '{"name":"h1","ip":["192.0.2.66"]}' # as another than its key
store put /tsw/1/campus/host/hx 'not json'
is "records that are none are left out" "$(hosts h1 2>/dev/null)" \
	'[["h1","192.0.2.1"],["h2","192.0.2.2"],["h3","192.0.2.33"]]'
check "and told" grep -q 'left out: 3' <<<"$(sw h1 cluster show 2>&1 >/dev/null)"
for file in '{' '{"etcd":"http://a"}' '{"etcd":1,"cluster":"c","host":"h"}'; do
	echo "$file" >/etc/tsw/h2.cluster
	refused "a broken file of membership: $file" 1 /etc/tsw/h2.cluster h2 cluster show
done
rm /etc/tsw/h2.cluster
check "is mended by joining again" sw h2 cluster join etcd $URL name campus
member_end m1 9
is "without etcd" "$({ sw h1 -w 1 -j cluster show 2>/dev/null || true; } | gojq -r .code)" EHOSTUNREACH
refused_away() { ! sw h1 -w 1 cluster leave 2>/dev/null && test -e /etc/tsw/h1.cluster; }
check "it cannot be left" refused_away
check "but by force" sw h1 -w 1 cluster leave force on
check_fails "then it is no member" test -e /etc/tsw/h1.cluster
member m1
check "etcd is back" retry 5 store put /up yes
check "who left by force may join again" sw h1 cluster join etcd $URL name campus
sed -i 's/"store": "[0-9a-f]*"/"store": "123"/' /etc/tsw/h2.cluster
refused "another store than was joined" 1 "another store" h2 cluster leave
check "is left by force" sw h2 cluster leave force on
check "and joined anew" sw h2 cluster join etcd $URL name campus
for host in h1 h2 h3; do check "$host leaves" sw $host cluster leave; done
is "nothing is left but what was never ours" "$(records | grep -o '/tsw/[^ ]*')" \
	'/tsw/1/campus/host/h0
/tsw/1/campus/host/hx
/tsw/1/campus/host/x/h2'

# ---- the least that a host's user may --------------------------------------------
{
	ctl user add root:secret && ctl user grant-role root root && ctl role add tsw-hosts
	ctl role grant-permission tsw-hosts --prefix=true read /tsw/1/campus/
	for kind in host vtep at alive call answer; do
		ctl role grant-permission tsw-hosts --prefix=true readwrite /tsw/1/campus/$kind/
	done
	ctl user add h1:word && ctl user grant-role h1 tsw-hosts && ctl auth enable
} >/dev/null 2>&1
(umask 077 && echo word >$WORK/h1.word && echo wrong >$WORK/wrong && echo secret >$WORK/root.word)
STORE_FLAGS="-u root -p $WORK/root.word"
refused "without a user" 1 "user name" h1 cluster join etcd $URL name campus
refused "with a wrong password" 1 'as user "h1"' h1 \
	cluster join etcd $URL name campus user h1 password-file $WORK/wrong
check "with the right one" sw h1 cluster join etcd $URL name campus user h1 \
	password-file $WORK/h1.word
is "it sees the hosts" "$(hosts h1 2>/dev/null)" '[["h1","192.0.2.1"]]'
refused "another cluster is not its own" 1 "permission denied" h2 \
	cluster join etcd $URL name other user h1 password-file $WORK/h1.word
check_fails "no password is in the file of membership" grep -qx ".*\"word\".*" /etc/tsw/h1.cluster
check "it leaves" sw h1 cluster leave
finish
