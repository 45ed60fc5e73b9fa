#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   p1, p2 ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ p3        red and blue have equal subnets
#
# tsw-cni, called by hand: its verbs in all versions, what it refuses, and what a kill leaves.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_cni.sh"

cni_hosts
endpoints() { sw "${1:-h1}" -j endpoint show | gojq -c 'map(.tenant + "/" + .name) | sort'; }

# ---- what needs no switch -----------------------------------------------------------------------

is "VERSION, as nobody" "$(CNI_COMMAND=VERSION setpriv --reuid 65534 --clear-groups \
	"$CNI" </dev/null | gojq -c .)" \
	'{"cniVersion":"1.1.0","supportedVersions":["0.3.0","0.3.1","0.4.0","1.0.0","1.1.0"]}'

# ---- ADD in each version ------------------------------------------------------------------------

netns c
n=0
for V in 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0; do
	n=$((n + 1))
	pod h1 red p$n
	is "$V: version, interfaces" "$(gojq -c '[.cniVersion, (.interfaces | map(keys))]' <<<"$RESULT")" \
		"[\"$V\",$([ $V = 1.1.0 ] && echo '[["mac","mtu","name"],["mac","mtu","name","sandbox"]]' ||
			echo '[["mac","name"],["mac","name","sandbox"]]')]"
	is "$V: addresses" "$(gojq -c '.ips | map([.version, .address, .gateway, .interface])' <<<"$RESULT")" \
		"[[$([[ $V = 1* ]] && echo null || echo '"4"'),\"10.0.0.$n/24\",\"10.0.0.254\",1],[$(
			[[ $V = 1* ]] && echo null || echo '"6"'),\"fd00:a::$n/64\",\"fd00:a::fe\",1]]"
	is "$V: routes" "$(gojq -c '.routes' <<<"$RESULT")" \
		'[{"dst":"0.0.0.0/0","gw":"10.0.0.254"},{"dst":"::/0","gw":"fd00:a::fe"}]'
	is "$V: the device has what is told" "$(ip -n p$n -j addr show dev eth0 | gojq -c '.[0] |
		[.address, .mtu, (.addr_info | map(select(.scope == "global") |
			.local + "/" + (.prefixlen | tostring)))]')" \
		"[$(gojq -c '.interfaces[1].mac' <<<"$RESULT"),1450,[\"10.0.0.$n/24\",\"fd00:a::$n/64\"]]"
	is "$V: the host's device is told" \
		"$(ip -n h1 -j link show dev "$(gojq -r '.interfaces[0].name' <<<"$RESULT")" |
			gojq -c '.[0] | [.address, .mtu, .operstate]')" \
		"[$(gojq -c '.interfaces[0].mac' <<<"$RESULT"),1450,\"UP\"]"
	is "$V: default routes" "$(for f in 4 6; do ip -n p$n -$f route show default; done | xargs)" \
		"default via 10.0.0.254 dev eth0 proto static default via fd00:a::fe dev eth0 proto static metric 1024 pref medium"
	prev="\"prevResult\":$(gojq -c . <<<"$RESULT")"
	if [[ $V = 0.3.* ]]; then
		cni_refuses "$V: CHECK" 1 'has no CHECK' CHECK p$n <<<"$(conf h1 red "$prev")"
	else
		is "$V: CHECK" "$(conf h1 red "$prev" | cni h1 CHECK p$n)" ""
	fi
	[ $V = 1.1.0 ] || cni_refuses "$V: GC" 1 'has no GC' GC <<<"$(conf h1 red)"
done
is "the switch finds nothing wrong" "$(js h1 switch check .ok)" true

# ---- CHECK finds what is missing ----------------------------------------------------------------

differs() { # DESC SAID
	cni_refuses "CHECK: $1" 101 "$2" CHECK p5 <<<"$(conf h1 red "$prev")"
}
dev=$(gojq -r '.interfaces[0].name' <<<"$RESULT")
ip -n p5 addr del 10.0.0.5/24 dev eth0
differs "an address" "no address 10.0.0.5"
ip -n p5 addr add 10.0.0.5/24 dev eth0
differs "a route" "no route to 0.0.0.0/0"
ip -n p5 route add default via 10.0.0.254
was=$(ip -n p5 -j link show dev eth0 | gojq -r '.[0].address')
ip -n p5 link set eth0 address 02:00:00:00:99:99
differs "the MAC" "has the MAC 02:00:00:00:99:99"
ip -n p5 link set eth0 address "$was"
ip -n h1 link set "$dev" down
differs "the host's device is down" "is down"
ip -n h1 link set "$dev" up
ip -n p5 -6 route replace default via fd00:a::fe dev eth0
is "all is mended" "$(conf h1 red "$prev" | cni h1 CHECK p5)" ""
cni_refuses "CHECK without prevResult" 7 "prevResult is missing" CHECK p5 <<<"$(conf h1 red)"
name=$(js h1 endpoint show '.[].name | select(contains("-p5-"))')
sw h1 endpoint del "$name"
differs "the endpoint" "-p5-eth0"
ip -n h1 link del "$dev"
differs "the interface" "has no interface \"eth0\""

# ---- DEL ----------------------------------------------------------------------------------------

is "DEL of what is half gone" "$(conf h1 red "$prev" | cni h1 DEL p5)" ""
is "DEL" "$(conf h1 red "$prev" | cni h1 DEL p4)" ""
is "again" "$(conf h1 red | cni h1 DEL p4)" ""
is "without CNI_NETNS" "$(conf h1 red | NETNS='' cni h1 DEL p3)" ""
ip netns del p2
is "with the namespace gone" "$(conf h1 red | cni h1 DEL p2)" ""
is "by another tenant's configuration" \
	"$(conf h1 red | sed 's/"tenant":"red"/"tenant":"blue"/' | cni h1 DEL p1)" ""
is "what never was" "$(conf h1 red | cni h1 DEL other)" ""
is "nothing is left" "$(endpoints) $(devices)" "[] 0"
is "the container's end neither" "$(ip -n p1 -o link show type veth | wc -l)" 0

# ---- frames pass --------------------------------------------------------------------------------

before="$(drops h1 spoofed_ip) $(drops h1 spoofed_mac)"
pod h1 red a1 && ip4=$(address 10.0.0.) && ip6=$(address fd00)
pod h2 red a2
check "on h2 there is one, too" test -n "$(address 10.0.0.)"
conf h2 red | cni h2 DEL a2
RESULT=$(conf h2 red '"runtimeConfig":{"ips":["10.0.0.77/24","fd00:a::77/64"]}' | cni h2 ADD a2)
is "those asked for" "$(gojq -c '.ips | map(.address)' <<<"$RESULT")" \
	'["10.0.0.77/24","fd00:a::77/64"]'
mac=$(gojq -c '.interfaces[1].mac' <<<"$RESULT")
conf h2 red | cni h2 DEL a2
RESULT=$(conf h2 red '"runtimeConfig":{"ips":["10.0.0.77/24","fd00:a::77/64"]}' | cni h2 ADD a2)
is "started again it has the MAC that others remember" \
	"$(gojq -c '.interfaces[1].mac' <<<"$RESULT")" "$mac"
tell h1 h2 a1 red
tell h2 h1 a2 red
pod h1 blue b1 '"runtimeConfig":{"ips":["10.0.0.77"],"mac":"02:00:00:00:00:b1"}'
is "blue has an equal address, and the MAC that was asked for" \
	"$(gojq -c '[.interfaces[1].mac, .ips[0].address]' <<<"$RESULT")" \
	'["02:00:00:00:00:b1","10.0.0.77/24"]'
check "to the other host by IPv4" reach a1 10.0.0.77
check "by IPv6" reach a1 fd00:a::77
check "and back" reach a2 "$ip4"
check "and back by IPv6" reach a2 "$ip6"
check "blue's does not get there" no_reach b1 "$ip4"
pod h1 blue b2
check "but to its own" reach b2 10.0.0.77
is "nothing was dropped as a wrong address" "$(drops h1 spoofed_ip) $(drops h1 spoofed_mac)" "$before"

# ---- what is asked for --------------------------------------------------------------------------

netns d
made() { sw h1 -j endpoint show | gojq -c ".[] | select(.name | contains(\"-d-\")) | $1"; }
add() { # JSON: d, in red
	conf h1 red | cni h1 DEL d
	RESULT=$(conf h1 red "$1" | cni h1 ADD d)
}
ARGS='IgnoreUnknown=1;IP=10.0.0.99;MAC=02:00:00:00:00:99;X=y' add ''
is "CNI_ARGS" "$(gojq -c '[.interfaces[1].mac, (.ips | map(.address))]' <<<"$RESULT") $(made .ip)" \
	'["02:00:00:00:00:99",["10.0.0.99/24"]] ["10.0.0.99"]'
add '"runtimeConfig":{"bandwidth":{"ingressRate":1000000,"ingressBurst":800000,"egressRate":2000000,"egressBurst":1600000}}'
is "bandwidth" "$(made '[."rate_in", ."rate_out", .burst]')" '[1000000,2000000,200000]'
add '"mtu":1400,"dns":{"nameservers":["10.0.0.53"],"domain":"x"},"runtimeConfig":{"dns":{"servers":["10.0.0.54"],"searches":["a.b"]}}'
is "mtu" "$(gojq -c '.interfaces | map(.mtu)' <<<"$RESULT") $(ip -n d -j link show eth0 | gojq '.[0].mtu')" \
	'[1400,1400] 1400'
is "dns" "$(gojq -c .dns <<<"$RESULT")" '{"domain":"x","nameservers":["10.0.0.54"],"search":["a.b"]}'
add '"runtimeConfig":{"portMappings":[{"hostPort":8080,"containerPort":80,"protocol":"tcp"}]}'
is "portMappings" "$(js h1 publish show 'map([.tenant, .proto, .port, .to]) | sort')" \
	"[[\"red\",\"tcp\",8080,\"$(address 10.0.0.):80\"],[\"red\",\"tcp\",8080,\"[$(address fd00)]:80\"]]"
conf h1 red | cni h1 DEL d
is "go with DEL" "$(sw h1 -j publish show)" '[]'
# podman itself listens at a container's ports, and gives an address twice when it makes a network
# anew. Its process has the container's id as an argument.
listens() { # WORD: a process with this argument
	stop "${LISTENER:-}"
	bg h1 "$PY" -c 'import socket, time
s = socket.create_server(("", 8080))
time.sleep(999)' "$1"
	LISTENER=$BG
	check "a process with the argument $1 listens" retry 5 is_heard
}
is_heard() { on h1 ss -Hltn 'sport = :8080' | grep -q .; }
busy='"runtimeConfig":{"ips":["10.0.0.50","10.0.0.50/24"],"portMappings":[{"hostPort":8080,"containerPort":80}]}'
listens d
add "$busy"
is "a port that the container's runtime holds" "$(js h1 publish show 'map([.port, .to])')" \
	'[[8080,"10.0.0.50:80"]]'
conf h1 red | cni h1 DEL d
listens other
refused "one that another program holds" 100 'tcp port 8080 is in use on this host: a socket listens' \
	"$busy"
stop "$LISTENER"
# As containerd and nerdctl write it (go-cni): keys as Go's fields, 4294967295 for no burst.
add '"runtimeConfig":{"portMappings":[
	{"HostPort":8080,"ContainerPort":80,"Protocol":"tcp","HostIP":"0.0.0.0"},
	{"HostPort":8080,"ContainerPort":80,"Protocol":"tcp","HostIP":"::"},
	{"HostPort":0,"ContainerPort":81,"Protocol":"tcp","HostIP":""}],
	"bandwidth":{"IngressRate":1000000,"IngressBurst":4294967295,"EgressRate":2000000,"EgressBurst":4294967295},
	"dns":{"Servers":["10.0.0.54"],"Searches":["a.b"],"Options":null}}'
is "go-cni's keys: rates, names" "$(made '[."rate_in", ."rate_out", .burst]') $(gojq -c .dns <<<"$RESULT")" \
	'[1000000,2000000,null] {"nameservers":["10.0.0.54"],"search":["a.b"]}'
is "ports; one twice is one, and 0 is none" "$(js h1 publish show 'map([.proto, .port, .to]) | sort')" \
	"[[\"tcp\",8080,\"$(address 10.0.0.):80\"],[\"tcp\",8080,\"[$(address fd00)]:80\"]]"
conf h1 red | cni h1 DEL d
conf h1 red '"kubeconfig":"x"' | cni h1 ADD d 2>$WORK/log >/dev/null
is "an unknown key is told" "$(cat $WORK/log)" \
	"tsw-cni: network \"net-red\": the network's configuration: key \"kubeconfig\" is unknown, and ignored"
conf h1 red | cni h1 DEL d

# ---- the tenant, by the pod's namespace or by its choice ----------------------------------------

conf h1 red | sed 's/"tenant":"red"/"tenantFrom":"namespace"/' >$WORK/from
RESULT=$(ARGS='IgnoreUnknown=1;K8S_POD_NAMESPACE=blue' cni h1 ADD d <$WORK/from)
is "the tenant is the pod's namespace" "$(made .tenant)" '"blue"'
is "DEL finds it without" "$(cni h1 DEL d <$WORK/from)$(made .tenant)" ""
ARGS='K8S_POD_NAMESPACE=green' cni_refuses "a namespace without a tenant" 7 \
	"there is no tenant \"green\", which is the pod's Kubernetes namespace" ADD c <$WORK/from
choice() { # TENANT JSON: d's pod chooses it
	echo "$2,\"runtimeConfig\":{\"io.kubernetes.cri.pod-annotations\":{\"tsw.tenant\":\"$1\",\"tsw.name\":\"web\"}}"
}
sw h1 endpoint add web tenant red mac auto ip auto host h2 >/dev/null
add "$(choice blue '"tenantChoice":["blue","green"]')"
is "its own choice" "$(js h1 endpoint show web 'map(.tenant)')" '["blue","red"]'
is "CHECK finds it beside another tenant's of that name" "$(conf h1 red \
	"\"tenantChoice\":[\"green\"],\"prevResult\":$(gojq -c . <<<"$RESULT")" | cni h1 CHECK d)" ""
is "DEL takes it alone" "$(conf h1 red | cni h1 DEL d)$(js h1 endpoint show web 'map(.tenant)')" '["red"]'
sw h1 endpoint del web
# A runtime that lost its state in a power cut calls no DEL. The next ADD with a name sweeps.
netns dead
conf h1 red | ARGS='K8S_POD_NAME=dead' cni h1 ADD dead >/dev/null
ip -n dead link del eth0
sw h1 endpoint del dead
touch -d 2001-01-01 /var/lib/tsw-cni/*
ARGS='K8S_POD_NAME=next' add ''
is "a dead container's file of an earlier boot goes" "$(kept | wc -l) $(kept | grep -c -- -d-eth0)" "1 1"
touch -d 2001-01-01 /var/lib/tsw-cni/*
conf h1 red | ARGS='K8S_POD_NAME=other' cni h1 ADD dead >/dev/null
is "a living one's stays" "$(kept | wc -l)" 2
conf h1 red | cni h1 DEL dead
conf h1 red | cni h1 DEL d
refused "a choice that is not there" 7 'there is no tenant "green", which is the container'"'"'s own choice' \
	"$(choice green '"tenantChoice":"any"')"
refused "one that is not offered" 7 \
	'annotation tsw.tenant: the network does not let its containers choose tenant "blue"' \
	"$(choice blue '"tenantChoice":["green"]')"
refused "without any offer" 7 'does not let its containers choose tenant "blue"' "$(choice blue '"mtu":1400')"
refused "a key with a letter too few" 7 'did you mean "tenantChoice"?' '"tenantChoce":"any"'

# An IPAM plugin: it gives what it has in a file, and notes what it was asked for.
cat >$PLUGINS/choose <<END
#!/bin/bash
echo "\$CNI_COMMAND \$CNI_CONTAINERID" >>$WORK/asked
[ "\$(gojq -r .ipam.type)" = choose ] || exit 9
[ ! -e $WORK/choose.\$CNI_COMMAND ] || { cat $WORK/choose.\$CNI_COMMAND && exit 1; }
[ "\$CNI_COMMAND" != ADD ] || cat $WORK/choose.json
END
chmod +x $PLUGINS/choose
echo '{"cniVersion":"1.1.0","ips":[{"address":"10.7.0.5/16","gateway":"10.7.0.1"}],
	"routes":[{"dst":"0.0.0.0/0"},{"dst":"10.8.0.0/16","gw":"10.7.0.2"}],
	"dns":{"nameservers":["10.7.0.53"]}}' >$WORK/choose.json
asked() { xargs <$WORK/asked && rm $WORK/asked; }
add '"ipam":{"type":"choose"}'
is "another plugin's addresses, routes, names" "$(gojq -c '[(.ips | map([.address, .gateway, .interface])),
	(.routes | map([.dst, .gw])), .dns.nameservers] | tojson' <<<"$RESULT") $(made .ip)" \
	"\"[[[\\\"10.7.0.5/16\\\",\\\"10.7.0.1\\\",1]],[[\\\"0.0.0.0/0\\\",\\\"10.7.0.1\\\"],[\\\"10.8.0.0/16\\\",\\\"10.7.0.2\\\"]],[\\\"10.7.0.53\\\"]]\" [\"10.7.0.5\"]"
is "the routes are made" "$(ip -n d route | xargs -n 100 | tr -s ' ')" \
	"default via 10.7.0.1 dev eth0 proto static 10.7.0.0/16 dev eth0 proto kernel scope link src 10.7.0.5 10.8.0.0/16 via 10.7.0.2 dev eth0 proto static"
conf h1 red '"ipam":{"type":"choose"}' | cni h1 DEL d
is "it is asked at ADD and DEL" "$(asked)" "ADD d DEL d"
ipam='"ipam":{"type":"choose"}'
echo '{"code":111,"msg":"all are taken","details":"d"}' >$WORK/choose.ADD
refused "it fails: its own error" 111 "all are taken" "$ipam"
is "and it is asked to take that back" "$(asked)" "ADD c DEL c"
echo 'Traceback' >$WORK/choose.ADD
refused "it fails without one" 100 'plugin "choose" failed at ADD with status 1' "$ipam"
rm $WORK/choose.ADD
cni_refuses "it gives what another has" 100 "10.0.0.77" ADD c <<<"$(
	echo '{"ips":[{"address":"10.0.0.77/24"}]}' >$WORK/choose.json; conf h1 red "$ipam")"
is "which is taken back" "$(asked | grep -o '[A-Z]* c$')" "DEL c"
cni_refuses "it gives one twice" 100 "address 10.0.0.50 is given twice" ADD c <<<"$(
	echo '{"ips":[{"address":"10.0.0.50/24"},{"address":"10.0.0.50/24"}]}' >$WORK/choose.json
	conf h1 red "$ipam")"
echo '{"ips":[{"address":"x/24"}]}' >$WORK/choose.json
refused "it gives nonsense" 7 '"x' "$ipam"
refused "there is none" 7 'no plugin "nothing" in CNI_PATH' '"ipam":{"type":"nothing"}'
refused "a path is no name" 7 '"../choose"' '"ipam":{"type":"../choose"}'

# ---- what is refused; tests/unit_cni.c has what is read ------------------------------------------

cni_refuses "no verb" 4 'CNI_COMMAND: "FOO"' FOO c <<<"$(conf h1 red)"
cni_refuses "no JSON" 6 'is not JSON' ADD c <<<'{"cniVersion'
cni_refuses "a name that is none" 7 'name: "a b"' ADD c <<<'{"cniVersion":"1.1.0","name":"a b"}'
cni_refuses "an unknown tenant" 7 '"green"' ADD c <<<"$(conf h1 green)"
refused "no switch" 11 'no switch "other" is up' '"instance":"other"'
cni_refuses "a device's name that is none" 4 'CNI_IFNAME: "eth/0"' ADD c eth/0 <<<"$(conf h1 red)"
NETNS=/run/nothing refused "one that is not there" 3 '"/run/nothing"'
NETNS=/proc/self/exe refused "one that is none" 3 'not a network namespace'
mkfifo $WORK/fifo
NETNS=$WORK/fifo VIA="timeout 10" refused "nobody waits at a FIFO" 3 'not a network namespace'
NETNS=/run/netns/h1 refused "the host's own" 4 "the host's own"
ip -n c link add eth0 type veth peer name other
refused "an interface of that name is there" 4 'already has an interface "eth0"'
ip -n c link del eth0
cni_refuses "ADD twice" 4 'was added, and not deleted' ADD a1 <<<"$(conf h1 red)"
ips() { echo "\"runtimeConfig\":{\"ips\":[\"$1\"]}"; }
refused "an address that another has" 100 "10.0.0.77" "$(ips 10.0.0.77)"
refused "the gateway's" 100 "10.0.0.254" "$(ips 10.0.0.254)"
ends="is no address that a host can have in net"
for ip in 10.0.0.0 10.0.0.255 fd00:a::; do
	refused "$ip, an end of the net" 100 "$ip $ends" "$(ips $ip)"
done
refused "one of no net" 7 '10.99.0.1/24' "$(ips 10.99.0.1)"
refused "what is no address" 7 '"x"' "$(ips x)"
ARGS=IP=10.0.0 refused "nor this" 4 '"10.0.0"'
ARGS=MAC=01:00:00:00:00:01 refused "a group's MAC" 4 '01:00:00:00:00:01'
cni_refuses "a MAC that another has" 100 '02:00:00:00:00:b1' ADD c \
	<<<"$(conf h1 blue '"runtimeConfig":{"mac":"02:00:00:00:00:b1"}')"
refused "an MTU that does not fit" 7 'mtu: 1451 is not between' '"mtu":1451'
refused "a small one" 7 'mtu: 100 is' '"mtu":100'
refused "a device of no kind" 7 'device: "tap" is unknown' '"device":"tap"'
netns try
if on try "$PY" "$TOOLS/netkit.py" n0 n1 /run/netns/try >/dev/null; then
	skip "netkit on a kernel without" "this one has it, see port/netkit"
else
	refused "netkit on a kernel without" 100 'this kernel has no netkit' '"device":"netkit"'
	pod h1 red auto '"device":"auto"'
	is "auto is a veth there" "$(on auto ip -j -d link show dev eth0 |
		gojq -r '.[0].linkinfo.info_kind')" veth
	conf h1 red | cni h1 DEL auto
fi
refused "prevResult at ADD" 2 'first plugin' '"prevResult":{}'
runtime() { conf h1 "$1" "\"runtimeConfig\":{$2}"; }
port='"hostPort":80,"containerPort":80'
sw h1 publish add red proto tcp port 81 to "$ip4:80"
cni_refuses "one that is published" 100 '81' ADD c \
	<<<"$(runtime red '"portMappings":[{"hostPort":82,"containerPort":80},{"hostPort":81,"containerPort":80}]')"

# ---- container ids that are chosen --------------------------------------------------------------

# Two that are named alike: the name has 35 bits of a hash without a key.
one=aaaaaaaaaaaa76491 two=aaaaaaaaaaaa140800
netns twin
RESULT=$(conf h1 red | NETNS=/run/netns/c cni h1 ADD "$one")
was=$(sw h1 -j endpoint show) prev="\"prevResult\":$(gojq -c . <<<"$RESULT")"
check "one is there" test "$(endpoints | grep -c -- "-${one:0:12}-")" = 1
NETNS=/run/netns/twin cni_refuses "ADD of the other" 4 "is another container's" ADD "$two" <<<"$(conf h1 red)"
NETNS=/run/netns/c cni_refuses "CHECK of the other" 101 "belongs to another container" CHECK "$two" <<<"$(conf h1 red "$prev")"
is "DEL of the other" "$(conf h1 red | NETNS='' cni h1 DEL "$two")" ""
is "takes nothing of the one" "$(sw h1 -j endpoint show)" "$was"
is "which is whole" "$(conf h1 red "$prev" | NETNS=/run/netns/c cni h1 CHECK "$one")" ""
is "DEL of the one" "$(conf h1 red | NETNS='' cni h1 DEL "$one")" ""
RESULT=$(conf h1 red | NETNS=/run/netns/twin cni h1 ADD "$two")
check "then the other can be added" test "$(endpoints | grep -c -- "-${two:0:12}-")" = 1
conf h1 red | NETNS='' cni h1 DEL "$two"

# ---- STATUS, GC ---------------------------------------------------------------------------------

is "STATUS" "$(conf h1 red | cni h1 STATUS '')" ""
cni_refuses "no such tenant" 50 '"green"' STATUS <<<"$(conf h1 green)"
cni_refuses "no such switch" 50 'no switch "other" is up' STATUS <<<"$(conf h1 red '"instance":"other"')"
cni_refuses "GC with what is no list" 7 'cni.dev/valid-attachments: ' GC \
	<<<"$(conf h1 red '"cni.dev/valid-attachments":{}')"
pod h1 red g1
name=$(js h1 endpoint show tenant red '.[].name | select(contains("-g1-"))')
conf h1 red | cni h1 DEL g1
sw h1 endpoint add "$name" tenant red mac 02:00:00:00:77:78 host h2
conf h1 red | cni h1 DEL g1
check "another host's of that name stays" sw h1 -q endpoint show "$name" tenant red
sw h1 endpoint del "$name" tenant red
ip netns del g1
pod h1 red g1
pod h1 red g2
sw h1 endpoint add cni-hand tenant red mac 02:00:00:00:77:77 host h2
before=$(endpoints)
valid() { echo "\"$1\":[{\"containerID\":\"a1\",\"ifname\":\"eth0\"},{\"containerID\":\"g2\",\"ifname\":\"eth0\"}]"; }
conf h1 red "$(valid cni.dev/valid-attachments)" | cni h1 GC ''
is "GC takes what is not listed, and only that" "$(endpoints)" \
	"$(gojq -c 'map(select(contains("-g1-") | not))' <<<"$before")"
is "with its device" "$(devices)" 4
RESULT=$(conf h1 red | cni h1 ADD g1)
ip -n h1 link del "$(gojq -r '.interfaces[0].name' <<<"$RESULT")"
conf h1 red "$(valid cni.dev/attachments)" | cni h1 GC ''
is "also without its device, and by the key of before" "$(endpoints)" \
	"$(gojq -c 'map(select(contains("-g1-") | not))' <<<"$before")"
is "those that are listed still work" "$(reach a1 10.0.0.77 && echo yes)" yes
for name in g2 a1; do conf h1 red | cni h1 DEL $name; done
for name in b1 b2; do conf h1 blue | cni h1 DEL $name; done
check "DEL has taken a1's published port, too" \
	test "$(sw h1 -j publish show)" = '[]' -a "$(devices)" = 0

# ---- many at once -------------------------------------------------------------------------------

many=50
for ((i = 0; i < many; i++)); do ip netns add m$i; done
from=$(date +%s%N)
for ((i = 0; i < many; i++)); do
	conf h1 blue | cni h1 ADD m$i >$WORK/m.$i & PIDS+=($!)
done
all_fine "$many at once: none fails"
note "$many at once: $((($(date +%s%N) - from) / 1000000)) ms"
is "each has its own address" "$(cat $WORK/m.* | gojq -r '.ips[].address' | sort -u | wc -l)" $many
conf h1 blue '"cni.dev/valid-attachments":null' | cni h1 GC '' # as libcni says that none is valid
is "GC takes all of them" "$(endpoints | gojq -c 'map(select(startswith("blue/")))') $(devices)" "[] 0"
conf h1 blue | cni h1 ADD m0 >/dev/null
conf h1 blue | cni h1 GC ''
is "also where it says nothing" "$(endpoints | gojq -c 'map(select(startswith("blue/")))')" "[]"
from=$(date +%s%N)
for ((i = 0; i < many; i++)); do conf h1 blue | cni h1 ADD m$i >/dev/null; done
note "an ADD takes $((($(date +%s%N) - from) / 1000 / many)) us, with what calls it"
from=$(date +%s%N)
for ((i = 0; i < many; i++)); do conf h1 blue | cni h1 DEL m$i; done
note "a DEL takes $((($(date +%s%N) - from) / 1000 / many)) us, with what calls it"
for ((i = 0; i < many; i++)); do ip netns del m$i; done
is "and all are gone" "$(devices)" 0

# ---- killed -------------------------------------------------------------------------------------

step=${KILL_STEP:-1}
[ -z "${TSW_QUICK:-}" ] || step=3
wrong=()
port='"runtimeConfig":{"portMappings":[{"hostPort":8080,"containerPort":80}]}'
# What is given up rests: a net with room for all that a minute brings.
sw h1 tenant add wide id 900 net 10.128.0.0/16
sw h1 gateway add wide ip 10.128.255.254/16
conf h1 wide "$port" >$WORK/conf
conf h1 wide '"cni.dev/valid-attachments":[]' >$WORK/gc
clean=$(all | grep -v given_up)
for ((n = 1;; n = AT + step)); do
	killed_via $n cni h1 ADD c <$WORK/conf || break
	if [ $((KILLS % 2)) = 1 ]; then
		tried "DEL after $n" cni h1 DEL c <$WORK/conf
	else
		tried "GC after $n" cni h1 GC '' <$WORK/gc
	fi
	[ "$(all)" = "$clean" ] || wrong+=("$n ($AT)")
	tried "$n" sw h1 -q switch check
done
note "ADD: $n calls, $KILLS kills"
check "there were calls to be killed at" test $n -gt 20
for ((n = 1;; n = AT + step)); do
	cni h1 DEL c <$WORK/conf
	tried "ADD before DEL $n" cni h1 ADD c <$WORK/conf
	killed_via $n cni h1 DEL c <$WORK/conf || break
	tried "DEL again after $n" cni h1 DEL c <$WORK/conf
	[ "$(all)" = "$clean" ] || wrong+=("DEL $n ($AT)")
done
note "DEL: $n calls"
# GC of two, beside one that is listed.
pod h1 wide kept
conf h1 wide '"cni.dev/valid-attachments":[{"containerID":"kept","ifname":"eth0"}]' >$WORK/gc
clean=$(all | grep -v given_up)
KILLS=0
for ((n = 1;; n = AT + $(every 3 $step))); do
	tried "ADD before GC $n" cni h1 ADD c <$WORK/conf
	tried "ADD of d before GC $n" cni h1 ADD d <$WORK/gc
	killed_via $n cni h1 GC c <$WORK/gc || break
	if [ $((KILLS % 2)) = 1 ]; then
		tried "GC again after $n" cni h1 GC '' <$WORK/gc
	else
		for name in c d; do tried "DEL after GC $n" cni h1 DEL $name <$WORK/conf; done
	fi
	[ "$(all)" = "$clean" ] || wrong+=("GC $n ($AT)")
	tried "GC $n" sw h1 -q switch check
done
note "GC: $n calls, $KILLS kills"
check "GC, too" test $KILLS -gt 5
is "in the end it has taken both" "$(all)" "$clean"
killed_via 1 cni h1 STATUS c <$WORK/conf || true
is "STATUS has no call that changes anything" "$AT" ""
conf h1 wide | cni h1 DEL kept
is "killed and not taken away" "${wrong[*]}" ""

# ---- a container that is gone, and nobody said DEL -----------------------------------------------

port() { printf '"runtimeConfig":{"portMappings":[{"hostPort":%s,"containerPort":80}]}' "$1"; }
published() { js h1 publish show 'map(.port) | unique'; }
pod h1 red gone1 "$(port 8081)"
pod h1 red gone2 "$(port 8082),\"args\":{\"cni\":{\"labels\":[{\"key\":\"tsw.name\",\"value\":\"given\"}]}}"
pod h1 red lives "$(port 8083)"
ip -n h1 link add mine type veth peer name mine2
sw h1 endpoint add mine tenant red mac auto ip 10.0.0.201 dev mine
sw h1 publish add red proto tcp port 8084 to 10.0.0.201:80
is "four ports are published" "$(published)" '[8081,8082,8083,8084]'
ip -n h1 link del mine
netns_del gone1 gone2
check "gc" sw h1 -q switch gc
is "takes the ports of dead containers, and no others" "$(published)" '[8083,8084]'
is "and the file with a name" "$(kept | grep -c gone2 || true)" 0
check "nothing is wrong" sw h1 switch check
sw h1 publish del red proto tcp port 8084
conf h1 red | cni h1 DEL lives

# ---- without a switch ---------------------------------------------------------------------------

pod h1 red z1
sw h1 switch down
is "DEL without a switch" "$(conf h1 red | cni h1 DEL z1) $(devices)" " 0"
refused_down() { { conf h1 red | cni h1 "$1" c || true; } | gojq -c .code; }
is "ADD may be tried again" "$(refused_down ADD)" 11
is "STATUS tells it" "$(refused_down STATUS)" 50
finish
