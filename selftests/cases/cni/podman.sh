#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cni/plugin makes the same calls
#
#   world 198.51.1.2 ─┐
#          containers ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ container   red and blue have equal subnets
#
# podman with its CNI back end calls tsw-cni: containers that it starts and ends itself.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_podman.sh"
. "$LIB/lib_gateway.sh"

needs "containers of podman" podman crun
topo h1 h2
uplink h1 world 1
sw_all tenant add red id 100 net 10.0.0.0/24 net fd00:a::/64
sw_all tenant add blue id 200 net 10.0.0.0/24
sw_all gateway add red ip 10.0.0.254/24 host h1
podman_up $PLUGINS
conflists $PODMAN/net.d h1-red h1-blue h2-red h2-blue
# start HOST TENANT NAME [WORD]...: a container that waits
start() {
	podman_on "$1" run -d --name "$3" --network "$1-$2" "${@:4}" box \
		/bin/busybox sleep 1000 >/dev/null
}
inside() { podman_on h1 exec "$1" /bin/busybox "${@:2}"; } # NAME WORD...
ip_of() { podman_on h1 inspect "$1" | gojq -r '.[0].NetworkSettings.Networks[].IPAddress'; }
ping_of() { inside "$1" ping -c 1 -W 2 "$2"; }
endpoints() { js "$1" endpoint show 'map(.tenant + " " + .ip[0]) | sort'; }

check "a container" start h1 red a
check "another" start h1 red b --ip 10.0.0.50 --mac-address 02:00:00:00:00:50 -p 8080:80
check "one of blue, with an equal address" start h1 blue c --ip 10.0.0.50
check "one on the other host" start h2 red d --ip 10.0.0.60
is "podman tells their addresses" "$(ip_of a) $(ip_of b) $(ip_of c) $(ip_of d)" \
	"10.0.0.1 10.0.0.50 10.0.0.50 10.0.0.60"
is "as h1 has them" "$(endpoints h1)" '["blue 10.0.0.50","red 10.0.0.1","red 10.0.0.50"]'
is "the MAC that was asked for" "$(inside b cat /sys/class/net/eth0/address)" 02:00:00:00:00:50
tell h1 h2 10.0.0.1 red
tell h1 h2 10.0.0.50 red
tell h2 h1 10.0.0.60 red
check "a reaches b" retry 5 ping_of a 10.0.0.50
check "and d, on the other host" retry 5 ping_of a 10.0.0.60
check "d reaches b" retry 5 ping_of d 10.0.0.50
check_fails "blue's reaches none of red's" ping_of c 10.0.0.1
check "b is published" test "$(js h1 publish show 'map([.port, .to])')" = '[[8080,"10.0.0.50:80"]]'

# podman tells tsw-cni the container's name, and the container whom to ask: who has a gateway, once
# that knows a resolver.
is "they have podman's names" "$(js h1 endpoint show 'map(.tenant + " " + .name) | sort')" \
	'["blue c","red a","red b","red d"]'
is "without dns on a asks whom the host asks" "$(inside a cat /etc/resolv.conf | grep -c tsw || true)" 0
sw_all tenant set red dns on
sw_all gateway set red resolver 198.51.1.2
check "a is begun again" podman_on h1 restart -t 0 a
sw h2 endpoint del a tenant red
tell h1 h2 "$(ip_of a)" red
is "it asks the tenant, and behind that whom podman adds, which is the host's" \
	"$(inside a cat /etc/resolv.conf | head -n 3 | xargs)" \
	"search red.tsw.internal nameserver 10.0.0.254 nameserver fd00:ec2::253"
check "a finds b by its name" retry 5 ping_of a b
check "and d, on the other host" retry 5 ping_of a d.red.tsw.internal
is "as its resolver does" "$(inside a nslookup b | sed -nE '/^Name/,$ s/^Address[^:]*: ([0-9.]+)$/\1/p')" \
	10.0.0.50
check_fails "blue's is not found" inside a nslookup c
inside b sh -c 'echo hello >/index.html; /bin/busybox httpd -p 80 -h /'
web() { on world "$PY" -c 'import urllib.request as web
print(web.urlopen("http://198.51.1.1:8080/index.html", timeout=3).read().decode().strip())'; }
comes "and answers the world" hello web
check "an address that is taken is refused" grep -q "10.0.0.50" \
	<<<"$(start h1 red e --ip 10.0.0.50 2>&1 || true)"
podman_on h1 rm -f -t 0 e >/dev/null 2>&1 || true
check "a container that is stopped" podman_on h1 stop -t 0 a
is "has no endpoint" "$(endpoints h1)" '["blue 10.0.0.50","red 10.0.0.50","red 10.0.0.60"]'
check "and has one again when it is started" podman_on h1 start a
check "which is reached" retry 5 ping_of b "$(ip_of a)"
sed -e 's/h1-red/h1-words/' -e 's/"tenant"/"xdp": true, "vip": ["10.0.0.100"], "macs": 2, "serverChoice": "any", &/' \
	$PODMAN/net.d/h1-red.conflist >$PODMAN/net.d/h1-words.conflist
check "a network that gives a word" start h1 words e --label tsw.server=on
is "podman hands on no labels" "$(js h1 endpoint show 'map(select(.xdp) | [.server, .vip, .macs])')" \
	'[[null,["10.0.0.100"],2]]'
check "all are removed" podman_on h1 rm -f -t 0 a b c e
check "on h2, too" podman_on h2 rm -f -t 0 d
is "no endpoint is left" "$(endpoints h1)" '["red 10.0.0.60"]'
is "no published port" "$(sw h1 -j publish show)" '[]'
is "no device" "$(ip -n h1 -br link show type veth | grep -c '^tsw[a-z2-7]' || true)" 0
finish
