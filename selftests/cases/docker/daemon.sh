#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: docker/plugin makes the same calls
#
#   world 198.51.1.2 ─┐
#          containers ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ container   red and blue have equal subnets
#
# Docker's daemon calls tsw-docker: networks and containers that it makes, starts and ends itself.
# It is restarted and killed meanwhile.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_dockerd.sh"

dockerd_need
docker_hosts
dockerd_on h1 # with a bridge and iptables of its own
dockerd_on h2 --bridge=none --iptables=false --ip-forward=false
for host in h1 h2; do image $host; done

# create HOST TENANT [WORD]...: a network of that name, or of NAME
create() {
	dock "$1" network create -d tsw -o instance="$1" -o tenant="$2" --ipam-driver tsw \
		--ipam-opt instance="$1" --ipam-opt tenant="$2" "${@:3}" "${NAME:-$2}"
}
# start HOST NAME NETWORK [WORD]...: a container that waits
start() {
	dock "$1" run -d --name "$2" --network "$3" "${@:4}" box /bin/busybox sleep 1000 2>&1
}
inside() { dock h1 exec "$1" /bin/busybox "${@:2}"; } # NAME WORD...
ip_of() { dock "$1" inspect "$2" | gojq -r '.[0].NetworkSettings.Networks[].IPAddress'; } # HOST NAME
ping_of() { inside "$1" ping -c 1 -W 2 "$2"; }
published() { js h1 publish show 'map([.port, .to]) | sort'; }
own() { js "$1" endpoint show 'map(select(.dev) | .tenant + " " + .ip[0]) | sort'; }

# ---- networks -----------------------------------------------------------------------------------

nets=(--subnet 10.0.0.0/24 --subnet fd00:a::/64 --ipv6)
check "a network of red" create h1 red "${nets[@]}"
check "one of blue, with an equal subnet" create h1 blue --subnet 10.0.0.0/24
check "and of red on the other host" create h2 red "${nets[@]}"
said() { create "$@" 2>&1 || true; } # ...: what is said of a network that is refused
check "an unknown tenant is refused" grep -q 'there is no tenant \\*"pink' <<<"$(said h1 pink)"
check "a net that is not the tenant's, too" grep -q 'has no net 10.9.0.0/24' \
	<<<"$(NAME=no said h1 red --subnet 10.9.0.0/24)"
check "another gateway, too" grep -q "the tenant's is 10.0.0.254" \
	<<<"$(NAME=no said h1 red --subnet 10.0.0.0/24 --gateway 10.0.0.1)"
is "and leaves nothing" "$(kept h1 | wc -l)" 2

# ---- containers ---------------------------------------------------------------------------------

check "a container" start h1 aa red
check "another" start h1 bb red --ip 10.0.0.50 --mac-address 02:00:00:00:00:50 -p 4080:80
check "one of blue, with an equal address" start h1 cc blue --ip 10.0.0.50
check "one on the other host" start h2 dd red --ip 10.0.0.60 --ip6 fd00:a::60
is "Docker tells their addresses" "$(ip_of h1 aa) $(ip_of h1 bb) $(ip_of h1 cc) $(ip_of h2 dd)" \
	"10.0.0.1 10.0.0.50 10.0.0.50 10.0.0.60"
is "as h1 has them" "$(own h1)" '["blue 10.0.0.50","red 10.0.0.1","red 10.0.0.50"]'
is "the interface" "$(inside bb ip addr show dev eth0 | sed -nE 's/.* (mtu [0-9]+) .*/\1/p
	s/.*(ether [0-9a-f:]+) .*/\1/p
	s/.* (inet6? [0-9a-f.:]+\/[0-9]+).* scope global.*/\1/p' | xargs)" \
	"mtu 1450 ether 02:00:00:00:00:50 inet 10.0.0.50/24 inet6 fd00:a::2/64"
is "its routes" "$(inside bb ip route | xargs) $(inside bb ip -6 route show default | xargs)" \
	"default via 10.0.0.254 dev eth0 10.0.0.0/24 dev eth0 scope link src 10.0.0.50$(
	) default via fd00:a::fe dev eth0 metric 1024"
is "blue has no gateway, and Docker gives it none" "$(inside cc ip route | xargs)" \
	"10.0.0.0/24 dev eth0 scope link src 10.0.0.50"
is "nor another interface" "$(inside cc ls /sys/class/net | xargs)" "eth0 lo"
tell_all h1 h2
tell_all h2 h1
check "aa reaches bb" retry 5 ping_of aa 10.0.0.50
check "and dd, on the other host" retry 5 ping_of aa 10.0.0.60
check "by IPv6" retry 5 ping_of aa fd00:a::60
check_fails "blue's reaches none of red's" ping_of cc 10.0.0.1
check_fails "nor on the other host" ping_of cc 10.0.0.60
is "bb is published" "$(published)" '[[4080,"10.0.0.50:80"],[4080,"[fd00:a::2]:80"]]'
inside bb sh -c 'echo hello >/index.html; /bin/busybox httpd -p 80 -h /'
web() { on world "$PY" -c 'import urllib.request as web
print(web.urlopen("http://198.51.1.1:4080/index.html", timeout=3).read().decode().strip())'; }
comes "it answers the world, whatever Docker's own iptables forward" hello web
check "and aa reaches that" retry 5 ping_of aa 198.51.1.2
check "Docker tells aa of bb by its name" retry 5 ping_of aa bb
check "an address that is taken is refused" grep -q '10.0.0.50' <<<"$(start h1 ee red --ip 10.0.0.50 || true)"
check "it has left nothing" dock h1 rm ee
check "a port that is taken, too" grep -q 4080 <<<"$(start h1 ee red -p 4080:80 || true)"
check "which has left nothing" dock h1 rm ee
check "rates by --driver-opt" start h1 ee name=red,driver-opt=rate-in=80mbit
is "are the endpoint's" "$(js h1 endpoint show '[.[].rate_in | select(.)]')" '[80000000]'

# An endpoint's own words: what the network gives and offers, and nothing that a container takes.
check "a network that gives a word and offers another" \
	eval 'NAME=words create h1 red --subnet 10.0.0.0/24 -o xdp=on -o server-choice=on \
		-o vip-choice=10.0.0.96/28 -o macs=2'
check "a container that chooses" start h1 w1 name=words,driver-opt=server=on
is "has both" "$(js h1 endpoint show 'map(select(.xdp) | .server)')" '[true]'
check "one that does not" start h1 w2 words
is "has the network's" "$(js h1 endpoint show 'map(select(.xdp) | .server == true) | sort')" '[false,true]'
check "a list, in quotes" start h1 w4 'name=words,"driver-opt=vip=10.0.0.100,10.0.0.101"'
is "the endpoint has both" "$(js h1 endpoint show 'map(select(.vip).vip) | first')" \
	'["10.0.0.100","10.0.0.101"]'
check "an address out of what is offered" grep -q 'choose vip' \
	<<<"$(start h1 w5 name=words,driver-opt=vip=10.0.0.200 || true)"
check "what is not offered is refused" grep -q 'choose server' \
	<<<"$(start h1 w3 name=red,driver-opt=server=on || true)"
check "as is what is no value" grep -q 'option .*xdp.*maybe' <<<"$(NAME=no said h1 red -o xdp=maybe)"
is "each has the network's macs" "$(js h1 endpoint show 'map(select(.xdp).macs) | unique')" '[2]'
check "they go" dock h1 rm -f w1 w2 w3 w4 w5
check "with their network" dock h1 network rm words

# Names, by which other hosts' containers find a container, too; Docker must be told whom to ask.
sw_all tenant set red dns on
sw_all gateway set red resolver 198.51.1.2
resolver=(--dns 10.0.0.254 --dns-search red.tsw.internal)
check "one with a name, by --driver-opt" \
	start h2 n2 name=red,driver-opt=name=near "${resolver[@]}"
check "and another" \
	start h1 n1 name=red,driver-opt=name=far,driver-opt=rate-in=90mbit "${resolver[@]}"
tell_all h1 h2 2>/dev/null || true
tell_all h2 h1 2>/dev/null || true
is "they have these names" "$(for host in h1 h2; do js $host endpoint show \
	'.[] | select(.dev).name | select(startswith("docker-") | not)'; done | xargs)" "far near"
check "one finds the other, on another host" retry 5 ping_of n1 near
check "by its whole name, too" ping_of n1 near.red.tsw.internal
check_fails "not by Docker's" ping_of n1 n2
check "a name that is another's is refused" grep -q 'already has an endpoint \\*"far' \
	<<<"$(start h1 n3 name=red,driver-opt=name=far || true)"
check "it has left nothing" dock h1 rm n3
check "one is begun again" dock h1 restart -t 0 n1
is "and has its name" "$(js h1 endpoint show far '.[0].rate_in')" 90000000
check "dns is no option of a driver" grep -q 'docker run --dns' \
	<<<"$(start h1 n3 name=red,driver-opt=dns=on || true)"
check "it has left nothing" dock h1 rm n3
for host in h1 h2; do js $host endpoint show '.[] | select(.host).name' |
	while read -r name; do sw $host endpoint del "$name"; done; done
check "they go" dock h1 rm -f n1
check "on h2, too" dock h2 rm -f n2
is "with their names" "$(js h1 endpoint show 'map(select(.name == "far"))') $(
	find $WORK/kept-* -name 'docker-*' | wc -l)" "[] 0"
tell_all h1 h2
tell_all h2 h1

sw h1 tenant add green id 300 net 10.3.0.0/24 dns on
check "a tenant with another net" create h1 green
check "aa gets an interface in that" dock h1 network connect green aa
check "and cc" dock h1 network connect green cc
check "by which they talk" retry 5 ping_of aa 10.3.0.2
is "there is a way to who answers for names without a gateway" \
	"$(inside cc ip route show 169.254.169.253 | xargs)" "169.254.169.253 dev eth1 scope link"
check "which answers" inside cc nslookup -type=a "$(js h1 endpoint show tenant green \
	'.[0].name').green.tsw.internal" 169.254.169.253
check "aa loses it" dock h1 network disconnect green aa
check "and cc" dock h1 network disconnect green cc
is "with the endpoints" "$(own h1 | gojq -c 'map(select(startswith("green")))')" '[]'
check "and still reaches bb" retry 5 ping_of aa 10.0.0.50
check "prune takes that network, and no other" grep -qx green <<<"$(dock h1 network prune -f)"
check "ee is removed" dock h1 rm -f ee
check "a network without an IPAM driver" dock h1 network create -d tsw -o instance=h1 -o tenant=red \
	--ipam-driver null plain
check "a container there" start h1 ee plain
is "has an address of the tenant's, too" "$(ip_of h1 ee)" \
	"$(own h1 | gojq -r 'map(select(startswith("red 10.0.0.") and . != "red 10.0.0.1" and
		. != "red 10.0.0.50")) | .[0] | split(" ")[1]')"
check "by which it reaches bb" retry 5 ping_of ee 10.0.0.50
check "ee is removed" dock h1 rm -f ee
check "its network is pruned" dock h1 network rm plain

# ---- the daemon ends and begins -----------------------------------------------------------------

for signal in TERM KILL; do
	daemon_ends h1 $signal
	check "$signal: the daemon is away" retry 5 test -z "$(dock h1 version -f '{{.Server.Version}}' 2>/dev/null)"
	is "$signal: bb goes on" "$(ask world tcp 198.51.1.1 4080 | head -c 8)" "HTTP/1.1"
	daemon_begins h1
	is "$signal: back again, it knows its networks" \
		"$(dock h1 network ls --filter driver=tsw --format '{{.Name}}' | sort | xargs)" "blue red"
	check "$signal: and its containers, which talk" retry 5 ping_of bb 10.0.0.60
	check "$signal: one is stopped" dock h1 stop -t 0 aa
	is "$signal: and has no endpoint" "$(own h1)" '["blue 10.0.0.50","red 10.0.0.50"]'
	check "$signal: and has one again when it is started" dock h1 start aa
	check "$signal: which is reached" retry 5 ping_of bb "$(ip_of h1 aa)"
	check "$signal: a new one" start h1 new red
	check "$signal: reaches aa" retry 5 ping_of new "$(ip_of h1 aa)"
	check "$signal: goes" dock h1 rm -f new
done
check "bb is restarted" dock h1 restart -t 0 bb
is "and published again" "$(published | gojq -c 'map(.[0])') $(published | gojq -c '.[0]')" \
	'[4080,4080] [4080,"10.0.0.50:80"]'

# ---- the end ------------------------------------------------------------------------------------

check "all are removed" dock h1 rm -f aa bb
is "their endpoints and ports are gone" "$(own h1) $(published)" '["blue 10.0.0.50"] []'
check "prune" dock h1 network prune -f
is "takes what nobody uses" \
	"$(dock h1 network ls --filter driver=tsw --format '{{.Name}}') $(kept h1 | wc -l)" "blue 1"
check "the last goes" dock h1 rm -f cc
check "its network, too" dock h1 network rm blue
is "and nothing is left" "$(own h1) $(devices) $(kept h1)" "[] 0 "
check "on h2 either" dock h2 rm -f dd
check "and its network" dock h2 network rm red
is "nothing" "$(own h2) $(devices h2) $(kept h2)" "[] 0 "
is "the switch finds nothing wrong" "$(js h1 switch check .ok)" true
for host in h1 h2; do daemon_ends $host TERM; done
is "no namespace of a container is left" "$(lsns -n -t net -o NS,COMMAND | grep -c 'busybox sleep' || true)" 0
finish
