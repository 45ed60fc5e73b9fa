#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cluster/agent goes on without etcd; unit_etcd has the client's errors
# Certificates that end and clocks that jump: agents say what is wrong, frames pass meanwhile, and
# with a new certificate or the right time they go on by themselves.
#
#   h1 192.0.2.1 ── h2 192.0.2.2      etcd with TLS both ways: see lib_cluster.sh
#    red-a .1        red-c .3         h2's agent has a clock of its own
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cluster.sh"

cd $WORK
authority ca
for host in h1 h2; do certificate $host ca DNS:$host; done
certificate server ca IP:127.0.0.1
cp -p h1.crt good.crt
cp -p h1.key good.key
# h1_lives SECONDS: h1 gets a certificate that ends then, as if it had been signed a day before;
# ENDS is when, in seconds since 1970.
h1_lives() {
	certificate h1 ca DNS:h1 faketime "$(date -d "-1 day $1 seconds" '+%F %T')"
	ENDS=$(date -d "$(openssl x509 -in h1.crt -noout -enddate | cut -d= -f2)" +%s)
}

SCHEME=https
ETCD_FLAGS="--cert-file server.crt --key-file server.key --client-cert-auth --trusted-ca-file ca.crt"
STORE_FLAGS="-c ca.crt -C h2.crt -k h2.key -w 2000"
cluster_hosts h1 h2
switch_up
for host in h1 h2; do
	check "$host joins" sw $host cluster join etcd "$(urls m1)" name campus ca $WORK/ca.crt \
		cert $WORK/$host.crt key $WORK/$host.key
done
tenant red
lives red "a@h1 c@h2"

# The library fakes what the file says, and not the clock of intervals.
jump() { echo "$1" >$WORK/time.new && mv $WORK/time.new $WORK/time; } # +3d
jump +0
agent h1
library=$(dpkg -L libfaketime | grep 'libfaketime.so.1$')
h2_agent() {
	bg h2 env LD_PRELOAD="$library" FAKETIME_TIMESTAMP_FILE=$WORK/time FAKETIME_NO_CACHE=1 \
		FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1 "$TSW" -n h2 agent
	AGENT[h2]=$BG AGENT_LOG[h2]=$BG_LOG
}
h2_agent
check "all are in step" in_step h2
check "red is whole" reach red-a 10.0.0.3
pings red-a 10.0.0.3

# ---- a host's certificate ends -----------------------------------------------------
again() { member_end m1 && member m1; } # all have to connect anew
h1_follows() { retry 3 sw h2 -w 2 cluster wait host h1 timeout 2; }
is_good() { [ "$(date +%s)" -lt "$ENDS" ]; }
# A busy machine may need longer to connect than the certificate lives: then one that lives longer.
in_time=no
for seconds in 10 40 160; do
	h1_lives $seconds
	again
	if h1_follows && is_good; then in_time=yes && break; fi
done
is "h1 connects with a certificate that ends soon" $in_time yes
while is_good; do sleep 0.2; done
sleep 1 # it is good for all of its last second
check "what is connected goes on" h1_follows
again
comes "a certificate has ended, which is told" 1 told_by h1 "may have expired"
check_fails "also by commands" sw h1 -w 2 cluster show
check "with the same reason" grep -q "may have expired" <<<"$(sw h1 -w 2 cluster show 2>&1)"
check "others go on" retry 10 sw h2 -w 5 cluster wait host h2 timeout 5
put e/100/ '{"by":"test"}'
endpoint red d h2 4 nodevice
mv good.crt h1.crt
mv good.key h1.key
comes "with a new one the agent goes on by itself" '["red/a","red/c","red/d"]' endpoints h1
check "and is in step" in_step h2

# ---- a clock jumps ----------------------------------------------------------------
# An agent's pause between two tries doubles up to 30 s while etcd, too, begins anew.
PAUSE=45
said() { tail -n +$((was + 1)) "${AGENT_LOG[h2]}" | grep -c "certificate" || true; }
says() { [ "$(said)" != 0 ]; }
told_once() { # DESC
	check "$1" retry $PAUSE says
	is "$1, once" "$(said)" 1
}
for by in +3d -3d; do
	jump $by
	sleep 1.5
	check "by $by: what is connected goes on" in_step h1
	was=$(wc -l <"${AGENT_LOG[h2]}")
	again
	told_once "by $by: a certificate is good no more, or not yet"
	jump +0
	check "by $by: with the right time it goes on" in_step h1 $PAUSE
done

# A machine without a battery boots in the year 2000, until it has asked a time server.
agent_end h2
jump -9000d
was=0
h2_agent
told_once "at boot in the year 2000 no certificate is good yet, which is told"
jump +0
check "  and with the right time it goes on by itself" in_step h1 $PAUSE
lost_none "all the while"
finish
