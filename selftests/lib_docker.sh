# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# tsw-docker as Docker's daemon calls it: a request on its standard input. Source this after lib.sh.

PLUGIN=${TSW%/*}/tsw-docker
[ -x "$PLUGIN" ] || { echo "# $PLUGIN is missing: run 'make' first" && exit 1; }
kept() { ls -A $WORK/kept-"$1"; } # HOST: the networks that it knows
id() { sha256sum <<<"$1" | cut -c 1-64; }

# Red and blue on h1 and h2, with equal subnets; a world beside h1. Needs lib_gateway.sh.
docker_hosts() {
	topo h1 h2
	uplink h1 world 1
	mkdir -m 700 $WORK/kept-h1 $WORK/kept-h2
	sw_all tenant add red id 100 net 10.0.0.0/24 net fd00:a::/64
	sw_all tenant add blue id 200 net 10.0.0.0/24
	sw_all gateway add red ip 10.0.0.254/24 ip fd00:a::fe/64 host h1
}

# call HOST CALL [BODY]: prints the answer's body; fails if it is an error. VIA is a command that
# runs the plugin.
call() {
	local body=${3-} out status=0

	out=$(printf '%s\r\n' "POST /$2 HTTP/1.1" 'Host: ' 'User-Agent: Go-http-client/1.1' \
		"Content-Length: ${#body}" 'Accept: application/vnd.docker.plugins.v1.2+json' \
		'' "$body" | head -c -2 | on_plugin "$1") || status=$?
	[ -n "${VIA:-}" ] || sed $'1,/^\r$/d' <<<"$out"
	[ -z "${VIA:-}" ] || echo "$out"
	return $status
}
# shellcheck disable=SC2086 # several words
on_plugin() { STATE_DIRECTORY=$WORK/kept-$1 on "$1" ${VIA:-} "$PLUGIN" 2>>$WORK/plugin.err; }

# The bodies are as Docker 20.10's daemon sends them.
ids() { printf '"NetworkID":"%s"' "$(id "$1")${2:+\",\"EndpointID\":\"$(id "$2")}"; } # NETWORK [ENDPOINT]

# pool HOST TENANT [POOL [V6]]: RequestPool
pool() {
	call "$1" IpamDriver.RequestPool "$(printf '{"AddressSpace":"tsw","Pool":"%s","SubPool":"",%s,"V6":%s}' \
		"${3:-}" "\"Options\":{\"instance\":\"$1\",\"tenant\":\"$2\"}" "${4:-false}")"
}
# address HOST TENANT NET [ADDRESS]: RequestAddress
address() {
	call "$1" IpamDriver.RequestAddress \
		"{\"PoolID\":\"$1/$2/$3\",\"Address\":\"${4:-}\",\"Options\":null}" | gojq -r '.Address // .Err'
}
# network HOST TENANT NETWORK [OPTIONS [TOP]]: CreateNetwork; TOP: JSON beside its options
network() {
	call "$1" NetworkDriver.CreateNetwork "$(printf '{%s,"Options":{"%s":%s,%s},%s,%s}' \
		"$(ids "$3")" com.docker.network.enable_ipv6 "${IPV6:-true}" \
		"\"com.docker.network.generic\":{\"instance\":\"$1\",\"tenant\":\"$2\"${4:+,$4}}${5:+,$5}" \
		"\"IPv4Data\":[{\"AddressSpace\":\"tsw\",\"Pool\":\"${POOL:-10.0.0.0/24}\"}]" \
		'"IPv6Data":[]')"
}
# endpoint HOST NETWORK ENDPOINT [IP [IP6 [OPTIONS [MAC]]]]: CreateEndpoint
endpoint() {
	call "$1" NetworkDriver.CreateEndpoint "$(printf '{%s,%s,"Options":{%s%s}}' "$(ids "$2" "$3")" \
		"\"Interface\":{\"Address\":\"${4:-}\",\"AddressIPv6\":\"${5:-}\",\"MacAddress\":\"${7:-}\"}" \
		'"com.docker.network.endpoint.exposedports":[]' "${6:+,$6}")"
}
about() { call "$1" "NetworkDriver.$2" "{$(ids "$3" "${4:-}")${5:+,$5}}"; } # HOST CALL NETWORK [ENDPOINT [JSON]]
ports() { # PROTO:HOST:CONTAINER...: as Docker tells them
	local one rest all=''

	for one; do
		rest=${one#*:}
		all+=",{\"Proto\":${one%%:*},\"IP\":\"\",\"Port\":${rest#*:},\"HostIP\":\"\","
		all+="\"HostPort\":${rest%:*},\"HostPortEnd\":${rest%:*}}"
	done
	echo "\"com.docker.network.portmap\":[${all#,}]"
}

# box HOST TENANT NETWORK NS [PORTS]: a container, whose namespace is NS; its addresses are in $IP4
# and $IP6.
box() {
	local join

	[ -e /run/netns/"$4" ] || netns "$4"
	IP4=$(address "$1" "$2" 10.0.0.0/24)
	IP6=''
	[ "$2" != red ] || IP6=$(address "$1" "$2" fd00:a::/64)
	endpoint "$1" "$3" "$4" "$IP4" "$IP6" "${5:-}" >$WORK/made
	join=$(about "$1" Join "$3" "$4" "\"SandboxKey\":\"/run/netns/$4\",\"Options\":{}")
	# libnetwork does the same: it sets the MAC that it was told.
	ip -n "$1" link set "$(gojq -r .InterfaceName.SrcName <<<"$join")" netns "$4" name eth0 \
		address "$(gojq -r .Interface.MacAddress $WORK/made)"
	ip -n "$4" addr add "$IP4" dev eth0
	[ -z "$IP6" ] || ip -n "$4" addr add "$IP6" dev eth0 nodad
	ip -n "$4" link set eth0 up
	if [ -n "${5:-}" ]; then
		about "$1" ProgramExternalConnectivity "$3" "$4" "\"Options\":{$5}" >/dev/null
	fi
	if grep -q '"Gateway"' <<<"$join"; then
		ip -n "$4" route add default via "$(gojq -r .Gateway <<<"$join")"
	fi
	IP4=${IP4%/*} IP6=${IP6%/*}
}
unbox() { # HOST NETWORK NS
	about "$1" RevokeExternalConnectivity "$2" "$3"
	about "$1" Leave "$2" "$3"
	about "$1" DeleteEndpoint "$2" "$3"
}

# tell HOST OTHER NETWORK ENDPOINT TENANT: tells OTHER of that endpoint on HOST.
tell() {
	tell_of ".name == \"docker-$(id "$3" | cut -c 1-12)-$(id "$4" | cut -c 1-12)\"" "$1" "$2" "$5"
}
tell_all() { tell_of .dev "$1" "$2"; } # HOST OTHER: of all endpoints of red that HOST has
devices() { ip -n "${1:-h1}" -br link show type veth | grep -c '^ts[wx][a-z2-7]' || true; }
endpoints() { sw "${1:-h1}" -j endpoint show | gojq -c 'map(.tenant + " " + .ip[0]) | sort'; }
