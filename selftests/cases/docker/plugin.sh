#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   world 198.51.1.2 ─┐
#             a1, b1 ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ a2        red and blue have equal subnets
#
# tsw-docker, called as Docker's daemon does: networks, addresses, endpoints, ports; what is
# refused; what is left after kills.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kill.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_docker.sh"

docker_hosts
# all: whatever a refused call could have changed
all() { sw h1 save && ip -n h1 -br link show type veth && kept h1; }
# refused DESC SAID COMMAND...: with an error that says so, and nothing has changed
refused() {
	local desc=$1 said=$2 before out status=0

	shift 2
	before=$(all)
	out=$("$@") || status=$?
	is "$desc: an error" "$status $(gojq -c keys <<<"$out")" '1 ["Err"]'
	check "$desc: says so" grep -qF -- "$said" <<<"$(gojq -r .Err <<<"$out")"
	is "$desc: nothing has changed" "$(all)" "$before"
}

# ---- what needs no switch -----------------------------------------------------------------------

is "Plugin.Activate" "$(call h1 Plugin.Activate)" '{"Implements":["NetworkDriver","IpamDriver"]}'
is "its scope" "$(call h1 NetworkDriver.GetCapabilities)" \
	'{"Scope":"local","ConnectivityScope":"local","GwAllocChecker":true}'
is "it need not be told again" "$(call h1 IpamDriver.GetCapabilities)" \
	'{"RequiresMACAddress":false,"RequiresRequestReplay":false}'
is "its address space" "$(call h1 IpamDriver.GetDefaultAddressSpaces)" \
	'{"LocalDefaultAddressSpace":"tsw","GlobalDefaultAddressSpace":"tsw"}'
for name in DiscoverNew DiscoverDelete; do
	is "$name is heard" "$(call h1 NetworkDriver.$name '{"DiscoveryType":1,"DiscoveryData":{}}')" '{}'
done

# ---- pools and networks -------------------------------------------------------------------------

is "a pool is the tenant's net, with its gateway" "$(pool h1 red)" \
	'{"PoolID":"h1/red/10.0.0.0/24","Pool":"10.0.0.0/24","Data":{"com.docker.network.gateway":"10.0.0.254/24"}}'
is "of IPv6, too" "$(pool h1 red '' true)" \
	'{"PoolID":"h1/red/fd00:a::/64","Pool":"fd00:a::/64","Data":{"com.docker.network.gateway":"fd00:a::fe/64"}}'
is "one that is asked for" "$(pool h1 red 10.0.0.0/24 | gojq -c .Pool)" '"10.0.0.0/24"'
is "blue has an equal one, without a gateway" "$(pool h1 blue)" \
	'{"PoolID":"h1/blue/10.0.0.0/24","Pool":"10.0.0.0/24","Data":{}}'
sw h1 tenant add lan id 300 net 192.0.0.0/16
is "a net of the host itself: Docker before 27 would ask for ever" "$(pool h1 lan | gojq -r .Err)" \
	"Docker would refuse this pool, since the host has 192.0.2.0/24; use --subnet 192.0.0.0/16"
is "it does not where the user says it" "$(pool h1 lan 192.0.0.0/16 | gojq -r .Pool)" 192.0.0.0/16
sw h1 tenant set lan net 203.0.113.0/24
echo "nameserver 203.0.113.53" >$WORK/resolv.conf
printf '#!/bin/sh\nmount --bind %s /etc/resolv.conf && exec "$@"\n' $WORK/resolv.conf >$WORK/resolver
chmod +x $WORK/resolver
check "nor with a resolver of the host in it" grep -q 'the host has 203.0.113.53/32; use' \
	<<<"$(VIA="unshare --mount $WORK/resolver" pool h1 lan)"
sw h1 tenant del lan
gateway() { # TENANT ADDRESS
	call h1 IpamDriver.RequestAddress "{\"PoolID\":\"h1/$1/10.0.0.0/24\",\"Address\":\"$2\",$(
		)\"Options\":{\"RequestAddressType\":\"com.docker.network.gateway\"}}"
}
is "Docker wants a gateway: nobody's address" "$(gateway blue '')" '{"Address":"10.0.0.0/24","Data":{}}'
is "the tenant's, where it has one" "$(gateway red 10.0.0.254)" '{"Address":"10.0.0.254/24","Data":{}}'
skips() { # TENANT: what Docker 28 asks before a network
	call h1 NetworkDriver.GwAllocCheck "$(printf '{"Options":{"%s":{"instance":"h1","tenant":"%s"}}}' \
		com.docker.network.generic "$1")"
}
is "Docker 28 asks first: red has gateways" "$(skips red)" '{"SkipIPv4":false,"SkipIPv6":false}'
is "blue has none" "$(skips blue)" '{"SkipIPv4":true,"SkipIPv6":true}'
saved=$(sw h1 save)
is "a network of red" "$(network h1 red nr)" '{}'
is "and of blue" "$(IPV6=false network h1 blue nb)" '{}'
is "each is kept in a file of root's" "$(find $WORK/kept-h1 -type f -printf '%m %f\n' | sort)" \
	"$(for n in nr nb; do echo "600 $(id $n)"; done | sort)"
VIA="strace -qq -y -e trace=fsync -o $WORK/synced" network h1 red nr >/dev/null
is "again, and a crash leaves it: file and name are on the disk" \
	"$(grep -c "fsync([0-9]*<$WORK/kept-h1[/>].* = 0" $WORK/synced)" 2
is "the switch has not changed" "$(sw h1 save)" "$saved"

# ---- containers ---------------------------------------------------------------------------------

box h1 red nr a1
ip4=$IP4 ip6=$IP6
is "its addresses" "$ip4 $ip6" "10.0.0.1 fd00:a::1"
is "the MAC alone is told, the addresses Docker knows" "$(gojq -c '.Interface | keys' $WORK/made)" \
	'["MacAddress"]'
is "the MTU" "$(ip -n a1 -j link show dev eth0 | gojq '.[0].mtu')" 1450
is "Join where Docker has the device already" "$({ about h1 Join nr a1 || true; } |
	sed -E 's/(there is no device [^ ]*) .*/\1/')" "{\"Err\":\"there is no device \\\"$(
	ip -n h1 -br link show type veth | sed -nE 's/^tsw([a-z2-7]{12})@.*/tsx\1/p')\\\""
is "of red's net nobody else is given that" "$(address h1 red 10.0.0.0/24)" 10.0.0.2/24
is "nor what was asked for a moment ago" "$(address h1 red 10.0.0.0/24)" 10.0.0.3/24
is "nor does the switch give it" "$(js h1 endpoint add x tenant red mac auto ip auto host h2 \
	'.[0].ip')" '["10.0.0.4","fd00:a::2"]'
is "whoever asks by number gets it" "$(address h1 red 10.0.0.0/24 10.0.0.2)" 10.0.0.2/24
sw h1 endpoint del x tenant red
sw h1 tenant add small id 300 net 10.0.3.0/29
all_of_small() { for i in {1..6}; do address h1 small 10.0.3.0/29; done; }
is "all of a small net, each once" "$(all_of_small | sort -u | wc -l)" 6
check "then none is free" grep -q 'no address of net "10.0.3.0/29" is free; given up in the last 60 s: 6' \
	<<<"$(address h1 small 10.0.3.0/29)"
is "nor for the switch" "$(sw h1 endpoint add x tenant small mac auto ip auto host h2 2>&1 |
	grep -o 'no address of net')" "no address of net"
is "but by number" "$(address h1 small 10.0.3.0/29 10.0.3.3)" 10.0.3.3/29
sw h1 tenant del small
box h2 red nr2 other 2>/dev/null || true # without a network
check "an endpoint without its network is refused" grep -q 'is not known here' $WORK/made
network h2 red nr2 >/dev/null
ip netns del other 2>/dev/null || true
netns a2
endpoint h2 nr2 a2 10.0.0.77/24 fd00:a::77/64 '"rate-in":"80mbit","burst":"300k"' 02:00:00:00:00:77 >$WORK/made
is "a MAC that was given is not told" "$(<$WORK/made)" '{"Interface":{}}'
is "rates" "$(js h2 endpoint show '.[0] | [.rate_in, .rate_out, .burst, .mac]')" \
	'[80000000,null,307200,"02:00:00:00:00:77"]'
is "Join tells device and gateways, and wants no other interface" "$(about h2 Join nr2 a2 |
	gojq -c '.InterfaceName.SrcName |= .[0:3]')" \
	'{"DisableGatewayService":true,"Gateway":"10.0.0.254","GatewayIPv6":"fd00:a::fe","InterfaceName":{"DstPrefix":"eth","SrcName":"tsx"}}'
ip -n h2 link set "$(about h2 Join nr2 a2 | gojq -r .InterfaceName.SrcName)" netns a2 name eth0
ip -n a2 addr add 10.0.0.77/24 dev eth0
ip -n a2 addr add fd00:a::77/64 dev eth0 nodad
ip -n a2 link set eth0 up
tell h1 h2 nr a1 red
tell h2 h1 nr2 a2 red
before="$(drops h1 spoofed_ip) $(drops h1 spoofed_mac)"
box h1 blue nb b1
is "blue has an equal address, and no gateway" "$IP4 $(ip -n b1 route show default)" "10.0.0.1 "
check "to the other host by IPv4" reach a1 10.0.0.77
check "by IPv6" reach a1 fd00:a::77
check "and back" reach a2 $ip4
check "blue's does not get there" no_reach b1 10.0.0.77
is "nothing was dropped as a wrong address" "$(drops h1 spoofed_ip) $(drops h1 spoofed_mac)" "$before"
is "EndpointOperInfo" "$(about h1 EndpointOperInfo nr a1)" '{"Value":{}}'

# Without an IPAM driver that gives any, the addresses are the tenant's.
null='"IPv4Data":[{"AddressSpace":"null","Pool":"0.0.0.0/0"}],"IPv6Data":[]'
is "a network of Docker's IPAM driver null" "$(call h1 NetworkDriver.CreateNetwork \
	"{$(ids n0),\"Options\":{\"com.docker.network.generic\":{\"instance\":\"h1\",\"tenant\":\"red\"}},$null}")" '{}'
is "then the address is told, too" "$(endpoint h1 n0 e0 | gojq -c '.Interface | [keys, .Address]')" \
	'[["Address","MacAddress"],"10.0.0.5/24"]'
has() { # NETWORK ENDPOINT: the addresses that the switch has of it
	sw h1 -j endpoint show "docker-$(id $1 | cut -c 1-12)-$(id $2 | cut -c 1-12)" tenant red |
		gojq -c '.[0].ip'
}
is "and no other is the endpoint's" "$(has n0 e0)" '["10.0.0.5"]'
about h1 DeleteNetwork n0 >/dev/null
network h1 red n6 '"com.docker.network.enable_ipv4":"false"' '"com.docker.network.enable_ipv4":false' >/dev/null
is "a network without IPv4, of Docker 28" "$(endpoint h1 n6 e6 | gojq -c '.Interface | keys') $(has n6 e6)" \
	'["AddressIPv6","MacAddress"] ["fd00:a::3"]'
is "and Join" "$(about h1 Join n6 e6 | gojq -c '[.Gateway, .GatewayIPv6]')" '[null,"fd00:a::fe"]'
about h1 DeleteNetwork n6 >/dev/null
sed -i /ipv4/d $WORK/kept-h1/"$(id nr)"
is "a network of an earlier tsw-docker has IPv4" "$(endpoint h1 nr e0 | gojq -c '.Interface | keys')" \
	'["Address","AddressIPv6","MacAddress"]'
about h1 DeleteEndpoint nr e0 >/dev/null
is "a network takes what is left of it along" "$(endpoints)" '["blue 10.0.0.1","red 10.0.0.1","red 10.0.0.77"]'
is "with its device" "$(devices)" 2

# ---- published ports ----------------------------------------------------------------------------

published() { js h1 publish show 'map([.proto, .port, .to]) | sort'; }
box h1 red nr web "$(ports 6:8080:80 17:5353:53)"
is "published" "$(published)" \
	"[[\"tcp\",8080,\"$IP4:80\"],[\"tcp\",8080,\"[$IP6]:80\"],[\"udp\",5353,\"$IP4:53\"],[\"udp\",5353,\"[$IP6]:53\"]]"
serve web 80
comes "and answers the world" "web 198.51.1.2" ask world tcp 198.51.1.1 8080
is "RevokeExternalConnectivity" "$(about h1 RevokeExternalConnectivity nr web) $(published)" "{} []"
is "again" "$(about h1 RevokeExternalConnectivity nr web)" '{}'
refused_by_port() { # DESC SAID PORTS
	refused "$1" "$2" about h1 ProgramExternalConnectivity nr web "\"Options\":{$3}"
}
sw h1 publish add red proto tcp port 81 to $ip4:80
refused_by_port "a port that is published" 81 "$(ports 6:8082:80 6:81:80)"
sw h1 publish del red proto tcp port 81
is "opened again" "$(about h1 ProgramExternalConnectivity nr web "\"Options\":{$(ports 6:8080:80)}")" '{}'
comes "it answers" "web 198.51.1.2" ask world tcp 198.51.1.1 8080
# Docker 29, where the container's other network becomes its gateway of IPv6.
said="$(ports 6:8080:80),\"com.docker.network.driver.private.no_proxy_6to4\":true"
is "again, without IPv6" "$(about h1 ProgramExternalConnectivity nr web "\"Options\":{$said}") $(published)" \
	"{} [[\"tcp\",8080,\"$IP4:80\"]]"
both=$(ports 6:8081:80 6:8081:80 | sed 's/"HostIP":""/"HostIP":"0.0.0.0"/; s/"HostIP":""/"HostIP":"::"/')
is "each family by its own word" "$(about h1 ProgramExternalConnectivity nr web "\"Options\":{$both}") $(published)" \
	"{} [[\"tcp\",8081,\"$IP4:80\"],[\"tcp\",8081,\"[$IP6]:80\"]]"
is "one of them" "$(about h1 ProgramExternalConnectivity nr web "\"Options\":{${both%%,\{*}]}") $(published)" \
	"{} [[\"tcp\",8081,\"$IP4:80\"]]"
is "without ports" "$(about h1 ProgramExternalConnectivity nr a1 '"Options":{}')" '{}'

# A container in two networks: Docker tells its ports to both, and opens them where its gateway is.
port=$(ports 6:8083:80)
for order in 'nr nb' 'nb nr'; do
	for net in $order; do
		is "$order: CreateEndpoint in $net" "$(endpoint h1 $net two 10.0.0.70/24 '' "$port" |
			gojq -c '.Interface | keys')" '["MacAddress"]'
	done
	is "$order: nothing is published yet" "$(published | gojq -c 'map(select(.[1] == 8083))')" '[]'
	is "$order: the one with a gateway" \
		"$(about h1 ProgramExternalConnectivity nr two "\"Options\":{$port}")" '{}'
	refused "$order: the one without" 'tenant "blue" has no gateway to publish a port at' \
		about h1 ProgramExternalConnectivity nb two "\"Options\":{$port}"
	is "$order: blue's end leaves red's ports" "$(about h1 DeleteEndpoint nb two) $(published |
		gojq -c 'map(select(.[1] == 8083))')" '{} [["tcp",8083,"10.0.0.70:80"]]'
	is "$order: red's end" "$(about h1 DeleteEndpoint nr two) $(published |
		gojq -c 'map(select(.[1] == 8083))')" '{} []'
done
is "the journal tells of blue alone" "$(grep -o 'tenant "[a-z]*" has no gateway: only' $WORK/plugin.err |
	sort -u)" 'tenant "blue" has no gateway: only'
refused "a port of Docker's choice, also without a gateway" 'needs a port of the host' \
	endpoint h1 nb two 10.0.0.70/24 '' "$(ports 6:0:80)"
unbox h1 nr web >$WORK/said
is "DeleteEndpoint" "$(xargs <$WORK/said) $(published)" "{} {} {} []"
is "again, and of what never was" "$(about h1 DeleteEndpoint nr web) $(about h1 DeleteEndpoint nr none)" "{} {}"
is "of a network that is forgotten" "$(about h1 DeleteEndpoint gone none)" '{}'
is "the container's end is gone" "$(ip -n web -o link show type veth | wc -l)" 0

netns try
if on try "$PY" "$TOOLS/netkit.py" n0 n1 /run/netns/try >/dev/null; then
	skip "device=netkit on a kernel without" "this one has it, see port/netkit"
else
	network h1 red nk '"device":"netkit"' >/dev/null
	is "device=netkit on a kernel without" \
		"$(endpoint h1 nk k 10.0.0.66/24 fd00:a::66/64 | gojq -r .Err)" \
		"this kernel has no netkit: it came with Linux 6.7"
	about h1 DeleteNetwork nk >/dev/null
	network h1 red nk '"device":"auto"' >/dev/null
	is "auto is a veth there" "$(endpoint h1 nk k 10.0.0.66/24 fd00:a::66/64 |
		gojq -c '.Interface | keys')" '["MacAddress"]'
	about h1 DeleteEndpoint nk k >/dev/null
	about h1 DeleteNetwork nk >/dev/null
fi

# ---- groups -------------------------------------------------------------------------------------

sw h1 group add red web app db
network h1 red ng '"group":"web","group-choice":"app,db"' >/dev/null
in_group() { # DRIVER-OPT [WORD NETWORK]: what an endpoint is in, of the network and by choice
	local net=${3:-ng}

	endpoint h1 $net g 10.0.0.67/24 fd00:a::67/64 "$1" >$WORK/made
	gojq -r '.Err // empty' $WORK/made
	sw h1 -j endpoint show "docker-$(id $net | cut -c 1-12)-$(id g | cut -c 1-12)" tenant red \
		2>/dev/null | gojq -c ".[0].${2:-group}" || true
	about h1 DeleteEndpoint $net g >/dev/null
}
is "an endpoint is in its network's group" "$(in_group '')" '["web"]'
is "and in what it chooses beside" "$(in_group '"group":"db,app"')" '["app","db","web"]'
refused "a group that is not offered" 'the network does not let its containers choose group "x"' \
	endpoint h1 ng g 10.0.0.67/24 fd00:a::67/64 '"group":"x"'
refused "nor any where none is" 'choose group "db"' \
	endpoint h1 nr g 10.0.0.67/24 fd00:a::67/64 '"group":"db"'
sw h1 group del red db
refused "one that is gone meanwhile" 'tenant "red" has no group "db"' \
	endpoint h1 ng g 10.0.0.67/24 fd00:a::67/64 '"group":"db"'
about h1 DeleteNetwork ng >/dev/null

# Other words of an endpoint: of the network, or offered by it. cni/groups has the same table.
while read -r word value json; do
	network h1 red nw "\"$word\":\"$value\"" >/dev/null
	is "$word of the network" "$(in_group '' $word nw)" "$json"
	about h1 DeleteNetwork nw >/dev/null
	network h1 red nw "\"$word-choice\":\"any\"" >/dev/null
	is "$word of no choice" "$(in_group '' $word nw)" null
	is "$word of a choice" "$(in_group "\"$word\":\"$value\"" $word nw)" "$json"
	about h1 DeleteNetwork nw >/dev/null
	refused "$word that is not offered" "let its containers choose $word \"${value%%,*}\"" \
		endpoint h1 nr g 10.0.0.67/24 fd00:a::67/64 "\"$word\":\"$value\""
done <<'END'
server on true
xdp on true
vip 10.0.0.100 ["10.0.0.100"]
vip 10.0.0.100,fd00:a::100 ["10.0.0.100","fd00:a::100"]
prefix 10.8.0.0/24 ["10.8.0.0/24"]
macs 4 4
END
sw h1 -q -b - <<-END
	group del red web
	group del red app
END

# ---- names --------------------------------------------------------------------------------------

named() {
	js h1 endpoint show tenant red 'map(.name | select(startswith("docker-") | not)) | sort'
}
name() { endpoint h1 nr "$1" "${3:-10.0.0.68}"/24 '' "\"name\":\"$2\""; } # ENDPOINT NAME [IP]
name w web >/dev/null
is "a name by --driver-opt" "$(named) $(kept h1 | grep -c ^docker-)" '["web"] 1'
is "it joins" "$(about h1 Join nr w | gojq -r .Gateway)" 10.0.0.254
about h1 ProgramExternalConnectivity nr w "\"Options\":{$(ports 6:8080:80)}" >/dev/null
is "it is published" "$(published)" '[["tcp",8080,"10.0.0.68:80"]]'
refused "a name that is another's" 'already has an endpoint "web"' name x web 10.0.0.69
refused "one of the network's own" 'begins like the names that this network makes' \
	name x "docker-$(id nr | cut -c 1-12)-x" 10.0.0.69
refused "-o ip" 'option "ip" is not accepted here; ' network h1 red n '"ip":"x"'
is "its ports go" "$(about h1 RevokeExternalConnectivity nr w) $(published)" "{} []"
is "DeleteEndpoint, which is not told the name" "$(about h1 DeleteEndpoint nr w) $(named)" "{} []"
is "again" "$(about h1 DeleteEndpoint nr w) $(kept h1 | grep -c ^docker- || true)" "{} 0"
name w web >/dev/null
sw h1 endpoint del web tenant red
name y web 10.0.0.69 >/dev/null
about h1 ProgramExternalConnectivity nr y "\"Options\":{$(ports 6:8080:80)}" >/dev/null
is "one that is another's by now does not join" "$(about h1 Join nr w | gojq -r .Err)" \
	"endpoint \"web\" belongs to another container by now"
is "nor does it close the other's ports" "$(about h1 RevokeExternalConnectivity nr w) $(published)" \
	'{} [["tcp",8080,"10.0.0.69:80"]]'
is "nor go with it" "$(about h1 DeleteEndpoint nr w) $(named)" '{} ["web"]'
ip -n h1 link del "$(js h1 endpoint show web tenant red '.[0].dev')"
is "with its device gone it goes, too" "$(about h1 DeleteEndpoint nr y) $(named)" '{} []'
# Docker crashed, and nobody says DeleteEndpoint. The unit has a directory of files of its own.
name g web >/dev/null
about h1 ProgramExternalConnectivity nr g "\"Options\":{$(ports 6:8080:80)}" >/dev/null
ip -n h1 link del "$(js h1 endpoint show web tenant red '.[0].dev')"
before=$(all)
is "a dry run of gc names a dead container and its port" \
	"$(sw h1 -j switch gc dry-run on | gojq -c '.removed | map(.object)')" '["red/web","red/tcp/8080"]'
is "and takes nothing" "$(all)" "$before"
check "gc takes them" sw h1 -q switch gc
is "with its file" "$(named) $(published) $(kept h1 | grep -c ^docker- || true)" "[] [] 0"
network h1 red nn >/dev/null
endpoint h1 nn v 10.0.0.68/24 '' '"name":"web"' >/dev/null
is "and with its network" "$(about h1 DeleteNetwork nn) $(named) $(kept h1 | grep -c ^docker- || true)" '{} [] 0'
sw h1 tenant set blue dns on
endpoint h1 nb w 10.0.0.68/24 >/dev/null
is "the way to who answers for names without a gateway" "$(about h1 Join nb w | gojq -c .StaticRoutes)" \
	'[{"Destination":"169.254.169.253/32","RouteType":1}]'
# Docker starts no container with two equal routes: the first of its networks has the only one.
endpoint h1 nb w2 10.0.0.69/24 >/dev/null
has_way() { # ENDPOINT SANDBOX
	about h1 Join nb "$1" "\"SandboxKey\":\"/run/docker/netns/$2\"" | gojq '.StaticRoutes != null'
}
is "the first of a container has the way" "$(has_way w one) $(has_way w2 one)" "true false"
is "again, and of another container" "$(has_way w one) $(has_way w2 two)" "true true"
about h1 DeleteEndpoint nb w >/dev/null
is "the next has it when that one is gone" "$(has_way w2 one)" true
about h1 DeleteEndpoint nb w2 >/dev/null
sw h1 tenant set blue dns off

# ---- what is refused; tests/unit_docker.c has options, ids and ports ----------------------------

refused "an unknown call" '"NetworkDriver.Fly"' call h1 NetworkDriver.Fly '{}'
refused "no body" 'no body' call h1 NetworkDriver.Join
refused "no JSON" 'not JSON: line 1' call h1 NetworkDriver.Join '{"NetworkID'
refused "no object" 'not a JSON object' call h1 NetworkDriver.Join '[]'
refused "a key twice" 'duplicate' call h1 NetworkDriver.Join '{"NetworkID":"a","NetworkID":"b"}'
refused "Join of a network that is unknown" 'is not known here' about h1 Join none a1
refused "Join of an endpoint that is" 'no endpoint' about h1 Join nr none
refused "an unknown tenant" '"green"' network h1 green n
refused "an unknown option" 'option "colour" is unknown' network h1 red n '"colour":"red"'
refused "an MTU that does not fit" 'mtu: 1451 is not between' network h1 red n '"mtu":"1451"'
refused "a group that is none" 'tenant "red" has no group "ghost"' network h1 red n '"group":"ghost"'
refused "--internal" '--internal' network h1 red n '' '"com.docker.network.internal":true'
refused "no switch" 'no switch "other" is up' call h1 NetworkDriver.CreateNetwork \
	"{$(ids n),\"Options\":{\"com.docker.network.generic\":{\"tenant\":\"red\",\"instance\":\"other\"}}}"
generic() { # OPTIONS [IPV4DATA]
	call h1 NetworkDriver.CreateNetwork "$(printf '{%s,"Options":{"%s":%s},"IPv4Data":[%s]}' \
		"$(ids n)" com.docker.network.generic "$1" "${2:-}")"
}
refused "options that are a text" 'com.docker.network.generic: "\"com\"" is not an object' \
	generic '"com"'
data() { generic '{"tenant":"red","instance":"h1"}' "{\"AddressSpace\":\"tsw\",$1}"; }
refused "a pool of another tenant" '10.9.0.0/24 is not a net of tenant "red"' data '"Pool":"10.9.0.0/24"'
refused "addresses of Docker's own choice" '172.18.0.0/16 is not a net of tenant "red"; use --ipam-driver tsw' \
	generic '{"tenant":"red","instance":"h1"}' '{"AddressSpace":"LocalDefault","Pool":"172.18.0.0/16"}'
refused "GwAllocCheck of an unknown tenant" '"green"' skips green
refused "--aux-address" '--aux-address' data '"Pool":"10.0.0.0/24","AuxAddresses":{"r":"10.0.0.9"}'
refused "a net that is none" 'tenant "red" has no net 10.9.0.0/24' pool h1 red 10.9.0.0/24
refused "no net of IPv6" 'tenant "blue" has no IPv6 net' pool h1 blue '' true
refused "no network" '"x"' pool h1 red x
refused "--ip-range" '--ip-range "10.0.0.0/28"' call h1 IpamDriver.RequestPool \
	'{"Pool":"10.0.0.0/24","SubPool":"10.0.0.0/28","Options":{"tenant":"red","instance":"h1"}}'
refused "--gateway" "--gateway 10.0.0.1: the tenant's is 10.0.0.254 in 10.0.0.0/24" gateway red 10.0.0.1
refused "--gateway of a tenant that has none" '--gateway 10.0.0.1: the tenant has none' gateway blue 10.0.0.1
ask() { call h1 IpamDriver.RequestAddress "{\"PoolID\":\"$1\",\"Address\":\"$2\",\"Options\":null}"; }
refused "a pool that is none" 'PoolID: "default"' ask default ''
refused "a net that went" 'the tenant no longer has the net 10.9.0.0/24' ask h1/red/10.9.0.0/24 ''
refused "an address that another has" '10.0.0.77' ask h1/red/10.0.0.0/24 10.0.0.77
refused "the gateway's" '10.0.0.254' ask h1/red/10.0.0.0/24 10.0.0.254
refused "the network's own" '10.0.0.0' ask h1/red/10.0.0.0/24 10.0.0.0
refused "of another net" '10.9.0.1' ask h1/red/10.0.0.0/24 10.9.0.1
refused "an address of another's" '10.0.0.77' endpoint h1 nr c 10.0.0.77/24
refused "a MAC of another's" '02:00:00:00:00:77' endpoint h1 nr c 10.0.0.9/24 '' '' 02:00:00:00:00:77
refused "no address" 'Address: "x"' endpoint h1 nr c x/24
refused "a group's MAC" '01:00:00:00:00:01' endpoint h1 nr c '' '' '' 01:00:00:00:00:01
refused "an endpoint twice" 'was added, and not deleted' endpoint h1 nr a1
printf '{"ipv6":true,"options":{"tenant":7}}' >$WORK/kept-h1/"$(id bad)"
refused "a file that is damaged" "$(id bad): option \"tenant\"" about h1 Join bad a1
is "its network can be deleted" "$(about h1 DeleteNetwork bad)" '{}'

# The reader: what is no request of Docker's. tests/unit_docker.c has all of these.
raw() { { printf %b "$1" | on_plugin h1 || true; } | head -n 1 | tr -d '\r'; }
is "an unknown call is 404, as Docker looks for" "$(raw 'POST /x HTTP/1.1\r\n\r\n')" "HTTP/1.1 404 Not Found"
is "a connection without a request" "$(raw '')" ""

# ---- as a service -------------------------------------------------------------------------------

STATE_DIRECTORY=$WORK/kept-h1 bg h1 systemd-socket-activate --accept --inetd -E STATE_DIRECTORY \
	-l $WORK/tsw.sock "$PLUGIN"
by_socket() { curl -s --unix-socket $WORK/tsw.sock -d "$2" "http://d/$1"; }
comes "by a socket" '{"Value":{}}' by_socket NetworkDriver.EndpointOperInfo "{$(ids nr a1)}"
many=30
for ((i = 0; i < many; i++)); do
	by_socket IpamDriver.RequestAddress '{"PoolID":"h1/blue/10.0.0.0/24"}' >$WORK/m.$i & PIDS+=($!)
done
all_ended
is "$many at once: each its own address" "$(cat $WORK/m.* | gojq -r .Address | sort -u | wc -l)" $many

# ---- DeleteNetwork ------------------------------------------------------------------------------

unbox h1 nb b1 >/dev/null
unbox h1 nr a1 >/dev/null
is "nothing is left" "$(endpoints) $(devices)" '["red 10.0.0.77"] 0'
is "DeleteNetwork" "$(about h1 DeleteNetwork nr) $(about h1 DeleteNetwork nb) $(kept h1)" "{} {} "
is "again" "$(about h1 DeleteNetwork nr)" '{}'

# ---- killed -------------------------------------------------------------------------------------

step=${KILL_STEP:-1}
[ -z "${TSW_QUICK:-}" ] || step=3
wrong=()
# What is given up rests: a net with room for all that a minute brings.
sw h1 tenant add wide id 900 net 10.128.0.0/16
sw h1 gateway add wide ip 10.128.255.254/16
bare=$(all) POOL=10.128.0.0/16
network h1 wide nw >/dev/null
clean=$(all)
take_away() { # every other time with the network
	if [ $((KILLS % 2)) = 1 ]; then
		about h1 DeleteEndpoint nw c
	else
		about h1 DeleteNetwork nw && network h1 wide nw
	fi
}
port=$(ports 6:8080:80)
for ((n = 1;; n = AT + step)); do
	killed_via $n endpoint h1 nw c '' '' "$port" || break
	tried "CreateEndpoint $n" take_away
	[ "$(all)" = "$clean" ] || wrong+=("CreateEndpoint $n ($AT)")
	tried "$n" sw h1 -q switch check
done
note "CreateEndpoint: $n calls, $KILLS kills"
check "there were calls to be killed at" test $n -gt 20
for ((n = 1;; n = AT + step)); do
	killed_via $n about h1 ProgramExternalConnectivity nw c "\"Options\":{$port}" || break
	tried "ports $n" about h1 RevokeExternalConnectivity nw c
	[ "$(published)" = '[]' ] || wrong+=("ports $n ($AT): published")
done
note "ProgramExternalConnectivity: $n calls"
for ((n = 1;; n = AT + step)); do
	about h1 ProgramExternalConnectivity nw c "\"Options\":{$port}" >/dev/null 2>&1 || true
	killed_via $n about h1 DeleteEndpoint nw c || break
	tried "DeleteEndpoint $n" about h1 DeleteEndpoint nw c
	[ "$(all)" = "$clean" ] || wrong+=("DeleteEndpoint $n ($AT)")
	tried "CreateEndpoint after $n" endpoint h1 nw c
done
note "DeleteEndpoint: $n calls"
for ((n = 1;; n = AT + step)); do
	endpoint h1 nw c >/dev/null
	killed_via $n about h1 DeleteNetwork nw || break
	tried "DeleteNetwork $n" about h1 DeleteNetwork nw
	[ "$(all)" = "$bare" ] || wrong+=("DeleteNetwork $n ($AT)")
	tried "CreateNetwork after $n" network h1 wide nw
done
note "DeleteNetwork: $n calls"
for ((n = 1;; n = AT + step)); do
	killed_via $n network h1 wide nw || break
	tried "CreateNetwork after $n" network h1 wide nw
	[ "$(all)" = "$clean" ] || wrong+=("CreateNetwork $n ($AT)")
	tried "DeleteNetwork after $n" about h1 DeleteNetwork nw
done
note "CreateNetwork: $n calls"
for ((n = 1;; n = AT + step)); do
	killed_via $n call h1 IpamDriver.RequestAddress '{"PoolID":"h1/wide/10.128.0.0/16"}' || break
	[ "$(all)" = "$clean" ] || wrong+=("RequestAddress $n ($AT)")
	[[ $(address h1 wide 10.128.0.0/16) = 10.128.*/16 ]] || wrong+=("RequestAddress after $n")
done
note "RequestAddress: $n calls"
is "killed and not taken away" "${wrong[*]}" ""

# ---- without a switch ---------------------------------------------------------------------------

endpoint h1 nw c >/dev/null
sw h1 switch down
refused_down() { { "$@" || true; } | gojq -r .Err; }
check "CreateEndpoint without a switch" grep -q 'no switch "h1" is up' <<<"$(refused_down endpoint h1 nw d)"
is "DeleteEndpoint" "$(about h1 DeleteEndpoint nw c) $(devices)" "{} 0"
is "DeleteNetwork" "$(about h1 DeleteNetwork nw) $(kept h1)" "{} "
finish
