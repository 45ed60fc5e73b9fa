#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# `tsw -c`: the objects of a cluster in etcd. A refused command has changed nothing there, and
# nobody gets what another has. The same words complete a command that was killed half-way.
#
#   h1 192.0.2.1   h2 192.0.2.2   h3 192.0.2.3      etcd in the case's own namespace, which each
#        └── 127.0.0.1:2379, by a forwarder ──┘     host reaches as its own 127.0.0.1
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_cluster.sh"

cluster_hosts h1 h2 h3
switch_up

c() { sw "$1" -c "${@:2}"; } # HOST WORD...
# All records but pulses; claims without the number of their change. Pulses: those alone.
dump() { store read /tsw/ | sed 's/ [0-9]*$//; s/,"nonce":"[0-9a-f]*"//; /^revision/d'; }
records() { dump | sed '\| {"by":|d; \|/rest/|d'; }
having() { records | grep -wE "$1" || true; } # PATTERN
below() { records | sed -n "s|^/tsw/1/campus/$1||p"; } # PREFIX
pulses_too() { store read /tsw/ | sed '/^revision/d'; }
UNCHANGED=pulses_too
refused() { refuses "${@:1:3}" c "${@:4}"; } # DESC STATUS TEXT HOST WORD...
shown() { c h1 -j "$@" | gojq -c .; }

refused "no member" 1 "tsw cluster join" h1 tenant add red
for host in h1 h2 h3; do check "$host joins" sw $host cluster join etcd $URL name campus; done
refused "a command that is a host's own" 2 "not available with -c" h1 switch show

for dev in h1:veth1 h2:veth7; do
	ip -n ${dev%:*} link add ${dev#*:} type veth peer name other
	ip -n ${dev%:*} link set ${dev#*:} up
done

# ---- tenants ----------------------------------------------------------------------
check "a tenant" c h1 tenant add red id 100 net 10.0.0.0/24
is "its records" "$(below tenant; below vni)" \
	'/red {"name":"red","id":100,"encap":"vxlan","broadcast":true,"net":["10.0.0.0/24"]}
/100 {"owner":"red"}'
is "and who changed it" "$(dump | grep '/tenant/ ')" '/tsw/1/campus/tenant/ {"by":"h1"}'
c h1 tenant set red domain Corp.Example
is "a domain of its own" "$(below tenant/red)" \
	' {"name":"red","id":100,"encap":"vxlan","broadcast":true,"domain":"corp.example","net":["10.0.0.0/24"]}'
is "is shown" "$(shown tenant show red | gojq -r '.[0].domain')" corp.example
refused "one that is none" 2 'has a hyphen at the end' h1 tenant set red domain a-.b
c h1 tenant set red domain tsw.internal
is "the default is none" "$(below tenant/red | grep -c domain || true)" 0
refused "a boot server without a file" 1 'needs a boot-file' h1 tenant set red boot-server 10.0.0.9
c h1 tenant set red boot-server 10.0.0.9 boot-server fd00::9 boot-file pxelinux.0
is "a boot server" "$(shown tenant show red | gojq -c '.[0] | [.boot_server, .boot_file]')" \
	'[["10.0.0.9","fd00::9"],"pxelinux.0"]'
refused "its file taken away" 1 'needs a boot-file' h2 tenant set red boot-file none
c h1 tenant set red boot-server none boot-file none
is "none is no record" "$(below tenant/red | grep -c boot || true)" 0
c h1 tenant set red dhcp relay 10.0.0.9 dhcp-relay fd00::9
is "a DHCP server of its own" "$(shown tenant show red | gojq -c '.[0] | [.dhcp, .dhcp_relay]')" \
	'[true,["10.0.0.9","fd00::9"]]'
c h1 tenant set red dhcp off dhcp-relay none
is "none is no record" "$(below tenant/red | grep -c dhcp || true)" 0
refused "the same name" 1 'tenant "red" exists, with id 100' h2 tenant add red
refused "the same id" 1 'tenant "red" already has the id 100' h2 tenant add blue id 100
check "an id is chosen" c h2 tenant add blue
is "between 1 and 16777215" "$(shown tenant show blue | gojq '.[0].id | . >= 1 and . <= 16777215')" true
check "set" c h2 tenant set red mtu 1400 description "a b"
is "shows" "$(shown tenant show red)" \
	'[{"broadcast":true,"connections":32768,"default":"allow","description":"a b","encap":"vxlan","endpoints":0,"half_open":4096,"id":100,"mtu":1400,"name":"red","net":["10.0.0.0/24"],"policy":"off"}]'
check "replace" c h2 tenant replace red net 10.0.0.0/24
is "keeps the id alone" "$(below tenant/red)" \
	' {"name":"red","id":100,"encap":"vxlan","broadcast":true,"net":["10.0.0.0/24"]}'
check "another id" c h2 tenant set red id 101
is "is claimed, and the old one free" "$(below vni | grep red)" '/101 {"owner":"red"}'
check "and back" c h2 tenant set red id 100
refused "set of what is not there" 1 'no tenant "green"' h1 tenant set green mtu 1400
refused "del of what is not there" 1 'no tenant "green"' h1 tenant del green
refused "del of what is not there, by force" 1 'no tenant "green"' h1 tenant del green force on

# ---- endpoints --------------------------------------------------------------------
is "an endpoint gets a MAC and an address" \
	"$(c h1 -j endpoint add a tenant red dev veth1 | gojq -c '.[0] | .mac = (.mac | length) | .ip = (.ip[0] | startswith("10.0.0."))')" \
	'{"dev":"veth1","group":[],"host":"h1","ip":true,"mac":17,"name":"a","tenant":"red"}'
check "one as it is told" c h1 endpoint add b tenant red host h2 mac 02:00:00:00:00:0b ip 10.0.0.11 ip 10.9.0.1
is "its records" "$(having b)" \
	'/tsw/1/campus/at/h2/100/b {}
/tsw/1/campus/e/100/b {"name":"b","mac":"02:00:00:00:00:0b","ip":["10.0.0.11","10.9.0.1"],"host":"h2"}
/tsw/1/campus/ip/100/10.0.0.11 {"owner":"b"}
/tsw/1/campus/ip/100/10.9.0.1 {"owner":"b"}
/tsw/1/campus/mac/100/02:00:00:00:00:0b {"owner":"b"}'
refused "an address that another has" 1 'tenant "red" already has the address 10.0.0.11 of endpoint "b"' h3 \
	endpoint add c tenant red host h3 ip 10.0.0.11
refused "a MAC that another has" 1 'the MAC 02:00:00:00:00:0b of endpoint "b"' h3 \
	endpoint add c tenant red host h3 mac 02:00:00:00:00:0b
refused "the same name" 1 'already has an endpoint "b"' h3 endpoint add b tenant red host h3
refused "a host that is none" 1 '"h9" is no host of cluster "campus"' h1 \
	endpoint add c tenant red host h9
refused "a tenant that is none" 1 'no tenant "green"' h1 endpoint add c tenant green host h2
refused "no place" 2 "lives at one place" h1 endpoint add c tenant red
refused "a name that stands for the gateway" 2 "stands for the gateway" h1 \
	endpoint add '(gateway)' tenant red host h1
refused "ip auto without a net" 1 "has no net" h1 endpoint add c tenant blue host h1 ip auto
refused "an id that is in use" 1 "has endpoints (2)" h1 tenant set red id 101
refused "a tenant that is in use" 1 "still has endpoints (2)" h1 tenant del red
check "without nets it has no address" c h1 endpoint add c tenant blue host h1
is "none" "$(shown endpoint show c | gojq -c '.[0].ip')" '[]'
check "the same address in another tenant" c h1 endpoint set c ip 10.0.0.11
check "it moves" c h1 endpoint set b host h3
is "with its place" "$(below at/ | grep /b)" 'h3/100/b {}'
check "to a device here" c h2 endpoint set b dev veth7
is "of this host" "$(shown endpoint show b | gojq -c '.[0] | .host, .dev')" '"h2"
"veth7"'
check "set of its addresses" c h1 endpoint set b ip 10.0.0.12
is "gives the others up" "$(below ip/100 | grep '"b"')" '/10.0.0.12 {"owner":"b"}'
is "which rest" "$(dump | grep -c /rest/100/10)" 2
check "replace" c h1 endpoint replace b tenant red host h2
is "keeps MAC and an address of the net" "$(below e/100/b)" \
	' {"name":"b","mac":"02:00:00:00:00:0b","ip":["10.0.0.12"],"host":"h2"}'
before=$(records)
check "the same again" c h1 endpoint replace b tenant red host h2
is "changes nothing" "$(records)" "$before"
check "ip none" c h1 endpoint set b ip none rate-out 10mbit server on
is "has none" "$(below e/100/b)" \
	' {"name":"b","mac":"02:00:00:00:00:0b","ip":[],"host":"h2","server":true,"rate_out":10000000}'
check "no server any more" c h1 endpoint set b server off
is "shows no such thing" "$(shown endpoint show b | gojq -c '.[0].server')" null
check "a name of its own" c h1 endpoint add b2 tenant blue host h1
check "the same name in two tenants" c h1 endpoint add b tenant blue host h1
refused "is told by its tenant" 1 "say which with tenant T" h1 endpoint del b
check "so" c h1 endpoint del b tenant blue
check "without a tenant where there is one" c h1 endpoint del b2
refused "what is gone" 1 'no endpoint "b2"' h1 endpoint del b2
is "all of them, by tenant and name" "$(shown endpoint show | gojq -c '[.[] | .tenant + "/" + .name]')" \
	'["blue/c","red/a","red/b"]'
check "del" c h1 endpoint del b
is "leaves none of it" "$(having b)" ""

# ---- auto -------------------------------------------------------------------------
check "a small net" c h1 tenant add small net 10.1.0.0/29 net fd00::/126
fill() { # HOST: until it is full
	local i=0

	while sw "$1" -c -j endpoint add "$1-$i" tenant small host "$1" ip auto 2>>$WORK/why.$1; do
		i=$((i + 1))
	done >$WORK/got.$1
}
pids=()
for host in h1 h2 h3; do
	fill $host &
	pids+=($!)
done
wait "${pids[@]}"
got() { cat $WORK/got.h? | gojq -r 'arrays[0].ip[]'; }
is "three hosts fill it" "$(got | grep -c fd00)" 3
is "none is given twice" "$(got | sort | uniq -d)" ""
is "neither the network's nor the anycast address" "$(got | grep -cxE '10.1.0.0|10.1.0.7|fd00::' || true)" 0
check "who came last is told why" grep -q 'no address of net "fd00::/126" is free' $WORK/why.h1
one=$(shown endpoint show tenant small | gojq -r '.[0].name')
its=$(shown endpoint show tenant small | gojq -r '.[0].ip[1]')
check "an address is given up" c h1 endpoint del $one
refused "and rests" 1 'given up in the last 60 s: 1' h1 endpoint add x tenant small host h1
check "by number it can be had" c h1 endpoint add x tenant small host h1 ip $its

check "a net with the switch's own address" c h1 tenant add own net 169.254.169.252/31
is "another is given" "$(sw h1 -c -j endpoint add own tenant own host h1 ip auto |
	gojq -r 'arrays[0].ip[]')" 169.254.169.252
refused "and not that" 1 'no address of net "169.254.169.252/31" is free' \
	h1 endpoint add more tenant own host h1
check "del of it" c h1 endpoint del own
check "and of its tenant" c h1 tenant del own

# Of a net that is all but used up the last is found, and then none: 1,022 in four blocks; of the
# two that have 256 one is full, of the other 255 are taken.
check "a larger net" c h1 tenant add large id 4000 net 10.8.0.0/22
all_but_one() { # BEFORE [BEHIND]: a line each, a hundred a transaction
	local i

	for ((i = 1; i < 1023; i++)); do
		[ $i = 333 ] || echo "$1 $CLUSTER/ip/4000/10.8.$((i / 256)).$((i % 256))${2:+ $2}"
	done
}
transact() { # lines of `put` or `del`
	local lines

	while mapfile -t -n 100 lines && [ ${#lines[@]} != 0 ]; do
		printf '%s\n' '' "${lines[@]}" '' '' | ctl txn >/dev/null
	done
}
all_but_one put "'{\"owner\":\"e/4000/other\",\"nonce\":\"0\"}'" | transact
is "the last one" "$(sw h1 -c -j endpoint add last tenant large host h1 ip auto |
	gojq -r 'arrays[0].ip[]')" 10.8.1.77
refused "no other" 1 'no address of net "10.8.0.0/22" is free' h1 endpoint add more tenant large host h1
check "del" c h1 endpoint del last
refused "it rests" 1 'given up in the last 60 s: 1' h1 endpoint add more tenant large host h1
all_but_one del | transact
check "del of the tenant" c h1 tenant del large

# ---- addresses that move ------------------------------------------------------------
check "a tenant with vips" c h1 tenant add vips id 500 net 10.9.0.0/29
for name in x y; do check "$name" c h1 endpoint add $name tenant vips host h1 ip auto vip 10.9.0.6; done
is "both claim it together" "$(below ip/500/10.9.0.6)" ' {"owner":"(vip)","members":["x","y"]}'
is "is shown" "$(shown endpoint show y tenant vips | gojq -c '.[0].vip')" '["10.9.0.6"]'
refused "as an endpoint's own address" 1 'already has the address 10.9.0.6 as a vip' h2 \
	endpoint add z tenant vips host h2 ip 10.9.0.6
refused "as the gateway's" 1 'already has the address 10.9.0.6 as a vip' h2 \
	gateway add vips ip 10.9.0.6/29
refused "another's address as vip" 1 'of endpoint "x"' h2 endpoint set y tenant vips \
	vip "$(shown endpoint show x tenant vips | gojq -r '.[0].ip[0]')"
refused "ip and vip at once" 2 'as ip and as vip' h2 endpoint set y tenant vips \
	ip 10.9.0.5 vip 10.9.0.5
refused "an endpoint of that name" 2 'it stands for vips' h2 endpoint add '(vip)' tenant vips host h1
check "auto chooses others" c h2 endpoint add z1 tenant vips host h2
is "until none is left" "$(for n in 2 3 4 5; do c h2 endpoint add z$n tenant vips host h2 2>&1
	done | grep -c 'no address of net')" 2
refused "a broadcast address" 2 'no address that a host can have' h1 \
	endpoint set x tenant vips vip 10.9.0.7
check "x gives it up" c h1 endpoint set x tenant vips vip none
is "y alone claims it" "$(below ip/500/10.9.0.6)" ' {"owner":"(vip)","members":["y"]}'
is "both at once become members" "$(for name in x z1; do
	c h1 endpoint set $name tenant vips vip 10.9.0.6 & done
	wait; below ip/500/10.9.0.6 | gojq -Rc '.[1:] | fromjson.members | sort')" '["x","y","z1"]'
check "the records agree" c h1 check
for name in x z1 y; do check "$name is deleted" c h1 endpoint del $name tenant vips; done
is "no claim is left" "$(below ip/500/10.9.0.6)" ""
check "and the tenant" c h1 tenant del vips force on

# ---- gateways, published ports, peerings -------------------------------------------
refused "a gateway of no tenant" 1 'no tenant "green"' h1 gateway add green ip 10.0.0.254/24
refused "an address that an endpoint has" 1 'of endpoint "a"' h1 \
	gateway add red ip "$(shown endpoint show a | gojq -r '.[0].ip[0]')/24"
refused "a host that is none" 1 '"h9" is no host' h1 gateway add red ip 10.0.0.254/24 host h9
refused "drain" 2 '"drain" is a switch' h1 gateway set red host h2 drain 5
refused "a backup that is no host" 1 '"h9" is no host' h1 gateway add red ip 10.0.0.254/24 \
	host h2 host h9
refused "a host twice" 2 'host "h2" is given twice' h1 gateway add red ip 10.0.0.254/24 \
	host h2 backup h2
refused "a backup of none" 2 'host none takes no backups' h1 gateway add red ip 10.0.0.254/24 \
	host none host h2
check "a gateway" c h1 gateway add red ip 10.0.0.254/24 host h2
is "its record" "$(below gateway)" \
	'/red {"ip":["10.0.0.254/24"],"host":"h2","mac":"02:74:00:00:00:64","nat":true,"snat":[]}'
is "and claims" "$(having '.gateway.')" '/tsw/1/campus/ip/100/10.0.0.254 {"owner":"(gateway)"}
/tsw/1/campus/mac/100/02:74:00:00:00:64 {"owner":"(gateway)"}'
refused "another" 1 'already has a gateway' h1 gateway add red ip 10.0.0.253/24
refused "its address is taken" 1 'the address 10.0.0.254 of its gateway' h1 \
	endpoint add g tenant red host h1 ip 10.0.0.254
check "a host without endpoints" c h1 host add h7 ip 192.0.2.7
check "serves it" c h1 gateway set red host h7
refused "such a host stays" 1 'serves the gateway of tenant "red"' h3 host del h7
check "set" c h1 gateway set red host none ip 10.0.0.253/24
is "what is named" "$(shown gateway show red)" \
	'[{"everywhere":true,"host":null,"ip":["10.0.0.253/24"],"mac":"02:74:00:00:00:64","nat":true,"snat":[],"tenant":"red"}]'
refused "a resolver of its own network" 1 "own network 10.0.0.253/24" h1 \
	gateway set red resolver 10.0.0.9
check "a resolver" c h1 gateway set red resolver 203.0.113.9
is "is told" "$(shown gateway show red | gojq -c '.[0].resolver')" '["203.0.113.9"]'
is "in its record, too" "$(below gateway | gojq -cR 'split(" ")[1] | fromjson | .resolver')" \
	'["203.0.113.9"]'
check "none" c h1 gateway set red resolver none
check "the host goes" c h1 host del h7
check "metadata" c h1 gateway set red metadata on
is "is told" "$(shown gateway show red | gojq -c '.[0].metadata')" true
is "in its record, too" "$(below gateway | gojq -cR 'split(" ")[1] | fromjson | .metadata')" true
check "off" c h1 gateway set red metadata off
is "its record says nothing of it" "$(below gateway | grep -c metadata || true)" 0
check "without nat" c h1 gateway set red nat off
check "a second tenant's" c h1 gateway add blue ip 10.0.0.1/24
refused "both without nat" 1 'must not overlap 10.0.0.253/24 of tenant "red"' h1 gateway set blue nat off
check "replace" c h1 gateway replace blue ip 10.5.0.1/24
refused "a tenant with a gateway" 1 "still has " h1 tenant del blue
check "an endpoint to publish" c h1 endpoint add web tenant red host h1 ip 10.0.0.80
check "a port" c h1 publish add red proto tcp port 80 to 10.0.0.80:8080
is "its record" "$(below publish)" \
	'/red/tcp/80/ipv4 {"proto":"tcp","port":80,"to":"10.0.0.80:8080"}'
refused "the same port" 1 'tcp port 80 is already published by tenant "red"' h1 \
	publish add red proto tcp port 80 to 10.0.0.80:81
refused "to nobody" 1 'no endpoint of tenant "red" has' h1 \
	publish add red proto tcp port 81 to 10.0.0.81:81
check "on one host" c h1 publish add red proto udp port 53 to 10.0.0.80:53 host h2
is "shown" "$(shown publish show | gojq -c '.[] | [.tenant, .proto, .port, .to, .host]')" \
	'["red","tcp",80,"10.0.0.80:8080",null]
["red","udp",53,"10.0.0.80:53","h2"]'
refused "one that is not there" 1 'does not publish tcp port 81' h1 publish del red proto tcp port 81
check "del" c h1 publish del red proto udp port 53
refused "a peering of a tenant without a gateway" 1 'has no gateway' h1 peer add small with red
refused "with itself" 1 'with itself' h1 peer add red with red
check "half a peering" c h1 peer add red with blue proto tcp port 80
refused "the same" 1 'already a peer' h1 peer add red with blue
check "the other half" c h1 peer add blue with red
is "is open" "$(shown peer show blue)" \
	'[{"open":true,"port":null,"prefix":[],"proto":null,"tenant":"blue","with":"red"}]'
is "its record" "$(below peer/red)" \
	'/blue {"tenant":"red","with":"blue","proto":"tcp","port":80,"prefix":[]}'
check "del of a half" c h1 peer del blue with red
refused "what is gone" 1 'no peer' h1 peer del blue with red
refused "a gateway that is needed" 1 "published ports (1) and halves of peerings (1)" h1 gateway del red
check "by force" c h1 gateway del red force on
is "takes them along" "$(below '\(publish\|peer\|gateway.red\)')$(having '10.0.0.253|02:74:00:00:00:64')" ""
check "and a tenant its own" c h1 tenant del blue force on
is "wholly" "$(having 'blue')" ""

# ---- hosts ------------------------------------------------------------------------
check "a host that has not joined" c h1 host add h8 ip 192.0.2.8
is "is shown" "$(shown host show h8)" \
	'[{"endpoints":0,"ip":"192.0.2.8","ips":["192.0.2.8"],"name":"h8"}]'
refused "the same" 1 'host "h8" exists' h1 host add h8 ip 192.0.2.9
refused "an address that another has" 1 '192.0.2.8 is already host "h8"' h1 host add h9 ip 192.0.2.8
check "another address" c h1 host set h8 ip 192.0.2.9
is "is claimed alone" "$(having h8)" '/tsw/1/campus/host/h8 {"name":"h8","ip":["192.0.2.9"]}
/tsw/1/campus/vtep/192.0.2.9 {"owner":"h8"}'
check "an endpoint there" c h1 endpoint add far tenant red host h8
check "and another" c h1 endpoint add far2 tenant small host h8 ip 10.9.9.9
refused "a host with endpoints" 1 "still has endpoints (2): red/far, small/far2; move" h1 host del h8
is "tells them" "$(shown host show h8 | gojq '.[0].endpoints')" 2
check "it serves a gateway" c h1 gateway add small ip 10.9.9.8/24 host h8
refused "by force, too" 1 'serves the gateway of tenant "small"' h1 host del h8 force on
check "nobody serves it" c h1 gateway del small
check "by force" c h1 host del h8 force on
is "they go along" "$(having 'h8|far2?')" ""
refused "what is gone" 1 'no host "h8"' h1 host del h8
refused_leave() { ! sw h1 cluster leave 2>/dev/null && test -e /etc/tsw/h1.cluster; }
check "nobody leaves with endpoints" refused_leave
check "the small tenant goes, wherever it is" c h1 tenant del small force on
check "h3 leaves" sw h3 cluster leave
check "is told of" c h1 host add h3 ip 192.0.2.3
check "and takes that over when it joins" sw h3 cluster join etcd $URL name campus

# ---- many at once -----------------------------------------------------------------
WRITERS=20
check "a tenant for many" c h1 tenant add many id 200 net 10.2.0.0/16
pids=()
for ((i = 0; i < WRITERS; i++)); do
	for k in 1 2 3; do c h$((i % 3 + 1)) endpoint add e$i-$k tenant many host h1; done \
		>$WORK/many.$i 2>&1 &
	pids+=($!)
done
for ((i = 0; i < WRITERS; i++)); do wait ${pids[i]} || note "$(cat $WORK/many.$i)"; done
is "all are there" "$(below e/200 | wc -l)" $((3 * WRITERS))
is "with a claim each" "$(below ip/200 | wc -l) $(below mac/200 | wc -l) $(below at/h1/200 | wc -l)" "60 60 60"
pids=()
for ((i = 0; i < WRITERS; i++)); do
	c h$((i % 3 + 1)) tenant set many mtu $((1400 + i)) &
	pids+=($!)
done
failed=0
for pid in "${pids[@]}"; do wait "$pid" || failed=$((failed + 1)); done
is "20 that set the same all come to an end" $failed 0
is "and one of them was the last" "$(shown tenant show many | gojq '.[0].mtu >= 1400')" true

# With TSW_QUICK at each fifth call, and 100 lines in place of 1,000.
STEP=1 LINES=1000
[ -z "${TSW_QUICK:-}" ] || STEP=5 LINES=100
# ---- killed -----------------------------------------------------------------------
steps() { # DESC COMMAND CHECK: each killed at its Nth call, then completed by itself
	local n=1 wrong=()

	while killed $n -c $2; do
		c h1 $2 >/dev/null 2>&1 || true
		$3 || wrong+=("$n ($AT)")
		n=$((n + STEP))
	done
	is "$1: killed at any of $n calls and completed" "${wrong[*]}" ""
	check "$1: there were some" test $n -gt 5
}
added() {
	local all

	all=$(having k | wc -l)
	c h1 endpoint del k tenant red && [ "$all" = 4 ] && [ -z "$(having k)" ]
}
steps "endpoint add" "endpoint add k tenant red host h2 mac 02:00:00:00:00:77 ip 10.99.0.77" added
deleted() {
	[ -z "$(having k)" ] && c h1 endpoint add k tenant red host h2 mac 02:00:00:00:00:77 ip 10.99.0.77
}
steps "endpoint del" "endpoint del k tenant red" deleted # the last `add` came to its end
emptied() {
	[ -z "$(having '300|gone')" ] && filled
}
filled() {
	c h1 -q -b - <<-END
		tenant add gone id 300 net 10.3.0.0/24
		endpoint add a tenant gone host h1 mac 02:00:00:00:00:01 ip 10.3.0.1
		endpoint add b tenant gone host h2 mac 02:00:00:00:00:02 ip 10.3.0.2
	END
}
filled
steps "tenant del by force" "tenant del gone force on" emptied
# Half gone: the id is not to be had until it is wholly, and goes to nobody with what was there.
filled
for ((n = 1; n < 100; n++)); do
	killed $n -c tenant del gone force on
	[ -z "$(below tenant/gone)" ] && break
done
is "killed half-way the id is still claimed" "$(below vni/300)" ' {"owner":"gone"}'
check "who asks for that id" c h3 tenant add other id 300
is "gets it with nothing of before" "$(having 300)" '/tsw/1/campus/tenant/other {"name":"other","id":300,"encap":"vxlan","broadcast":true}
/tsw/1/campus/vni/300 {"owner":"other"}'

# ---- the whole --------------------------------------------------------------------
c h1 -q -b - <<-END
	tenant add green id 400 net 10.4.0.0/24 rate-out 1gbit burst 100k
	endpoint add w1 tenant green host h1 ip 10.4.0.1 mac 02:00:00:00:04:01
	endpoint add w2 tenant green host h2 ip 10.4.0.2 mac 02:00:00:00:04:02 rate-in 10mbit
	gateway add green ip 10.4.0.254/24 host h3
	tenant add yellow id 401
	gateway add yellow ip 10.5.0.254/24 ip fd05::fe/64
	publish add green proto tcp port 443 to 10.4.0.1:8443
	peer add green with yellow
	peer add yellow with green proto udp port 53
END
check "save" c h1 save >$WORK/all.json
c h1 save >$WORK/all.json
is "has format 1, all hosts and tenants" \
	"$(gojq -c '[.format, (.hosts | length), ([.tenants[].name] | sort)]' $WORK/all.json)" \
	'[1,3,["green","many","other","red","yellow"]]'
is "diff with itself" "$(c h1 diff $WORK/all.json)" ""
# A file has no word about who gave an address: the host itself says so again.
all=$(records | sed 's/,"own":true,"mtu":1500}/}/')
check "the store is emptied by hand" store del /tsw/1/campus/
check "apply onto the empty cluster" c h1 apply $WORK/all.json >/dev/null
is "makes the same records" "$(diff <(echo "$all") <(records))" ""
is "and save the same file" "$(c h1 save | cmp - $WORK/all.json)" ""
is "again: nothing" "$(c h1 -j apply $WORK/all.json)" '[]'
# Two swap their addresses, a third's host and the tenant's id change, a gateway goes.
gojq '(.tenants[] | select(.name == "green") | .endpoints) |=
	(.[0].ip = ["10.4.0.2"] | .[1].ip = ["10.4.0.1"] | .[0].host = "h3") |
	(.tenants[] | select(.name == "yellow")) |= (.id = 402 | del(.gateway)) |
	del(.peers) | del(.hosts[] | select(.name == "h2") | .none)' $WORK/all.json >$WORK/other.json
status=0
c h1 -j diff $WORK/other.json >$WORK/diff || status=$?
is "diff tells by its status" $status 1
is "what would change" "$(gojq -r '[.[] | .change + " " + .object + " " + .name] | sort[]' $WORK/diff)" \
	"add endpoint green/w1
add endpoint green/w2
add tenant yellow
del endpoint green/w1
del endpoint green/w2
del gateway yellow
del peer green/yellow
del peer yellow/green
del tenant yellow"
is "and changed nothing" "$(records)" "$all"
check "apply of it" c h1 apply $WORK/other.json >/dev/null
is "leaves no difference" "$(c h1 diff $WORK/other.json)" ""
check "and back" c h1 apply $WORK/all.json >/dev/null
is "to the same" "$(diff <(echo "$all") <(records))" ""
gojq '.hosts |= [.[] | select(.name != "h3")] | .tenants = [] | .peers = []' \
	$WORK/all.json >$WORK/less.json
c h2 apply $WORK/less.json >/dev/null 2>$WORK/said
check "a host that the file has not is left, and told" grep -q "that are left: 1" $WORK/said
is "all else is gone" "$(records | sed 's|/tsw/1/campus/||; s|/.*||' | sort | uniq -c | tr -s ' \n' ' ')" \
	" 3 host 3 vtep "
cat >$WORK/new.json <<-END
	{"format": 1, "hosts": [{"name": "h9", "ip": ["192.0.2.9"], "switch": {"dev": ["eth0"]}}],
	 "tenants": [{"name": "red", "id": 7, "endpoints": [{"name": "a",
		"mac": "02:00:00:00:00:01", "ip": ["10.0.0.1"], "host": "h9", "dev": "v1"}]}]}
END
check "import" sw h1 cluster import $WORK/new.json >/dev/null
is "adds the host, too" "$(below host/h9)" ' {"name":"h9","ip":["192.0.2.9"]}'
is "with the device" "$(below e/7)" \
	'/a {"name":"a","mac":"02:00:00:00:00:01","ip":["10.0.0.1"],"dev":"v1","host":"h9"}'
sed 's/, "dev": "v1"//' $WORK/new.json >$WORK/nodev.json
is "a file that does not tell a device" "$(sw h1 cluster import $WORK/nodev.json)" ""
is "leaves it" "$(below e/7 | grep -c '"dev":"v1"')" 1
refused "a tenant with another id" 1 "import deletes nothing" h1 cluster import $WORK/all.json
refused "what contradicts the cluster" 2 "with what is in the cluster already" h1 \
	cluster import - <<<'{"format": 1, "hosts": [{"name": "h1", "ip": ["192.0.2.1"]}], "tenants": [
		{"name": "blue", "id": 7}]}'
sed 's/"red", "id": 7/"red2", "id": 8/; s/h9/h8/; s/2.9"/2.88"/; s/"h9"/"h8"/' $WORK/new.json >$WORK/more.json
check "import of more" sw h1 cluster import $WORK/more.json >/dev/null
is "deletes nothing" "$(below e/ | wc -l)" 2
refused "words that are a host's" 2 "takes no more words" h1 apply $WORK/new.json name h1
refused "no file" 1 "cannot open" h1 apply /nowhere
refused "no state" 2 '"format" is missing' h1 apply - <<<'{}'

# ---- check ------------------------------------------------------------------------
is "all agree" "$(c h1 -j check)" '{"ok":true,"problems":[],"warnings":[]}'
store put /tsw/1/campus/ip/7/10.0.0.9 '{"owner":"z","nonce":"1"}'
store put /tsw/1/campus/vni/9 '{"owner":"none","nonce":"1"}'
store put /tsw/1/campus/gateway/red '{'
store del /tsw/1/campus/mac/7/02:00:00:00:00:01
store del /tsw/1/campus/at/h8/8/a
store del /tsw/1/campus/host/h9
check_fails "what does not, by its status" c h1 -j check
is "is told" "$({ c h1 -j check || true; } | gojq -c '[.problems[] | [.what, .object]] | sort[]')" \
	'["bad_record","gateway/red"]
["missing_claim","at/h8/8/a"]
["missing_claim","mac/7/02:00:00:00:00:01"]
["orphan_claim","ip/7/10.0.0.9"]
["orphan_claim","vni/9"]
["orphan_claim","vtep/192.0.2.9"]
["unknown_host","e/7/a"]'
store del /tsw/1/campus/gateway/red
check "an orphan's id is free" c h1 tenant add nine id 9
check "an endpoint claims again what it lacks" c h1 endpoint set a tenant red host h1
check "and its index" c h1 endpoint set a tenant red2 host h8
store del /tsw/1/campus/ip/7/10.0.0.9
is "all agree again" "$({ c h1 -j check || true; } | gojq -c '[.problems[] | [.what, .object]]')" \
	'[["orphan_claim","vtep/192.0.2.9"]]'

# ---- a batch ----------------------------------------------------------------------
c h1 tenant add batch id 500 net 10.8.0.0/16
for ((i = 0; i < LINES; i++)); do echo "endpoint add b$i tenant batch host h$((i % 3 + 1))"; done >$WORK/batch
from=$(date +%s%N)
check "$LINES endpoints in a batch" c h1 -q -b $WORK/batch >/dev/null
note "$((($(date +%s%N) - from) / 1000000)) ms"
is "are there" "$(below ip/500 | wc -l) $(shown tenant show batch | gojq '.[0].endpoints')" "$LINES $LINES"
from=$(date +%s%N)
check "and go at once" c h1 tenant del batch force on
note "$((($(date +%s%N) - from) / 1000000)) ms"
is "with all that they had" "$(having 500)" ""

# ---- etcd does not answer ---------------------------------------------------------
kill -STOP "${MEMBER[m1]}"
SECONDS=0
is "etcd stopped" "$({ sw h1 -w 2 -c -j tenant add late 2>/dev/null || true; } | gojq -r .code)" EHOSTUNREACH
check "ends in time" test $SECONDS -le 4
kill -CONT "${MEMBER[m1]}"
check "and goes on" retry 5 c h1 -w 1 tenant replace late
finish
