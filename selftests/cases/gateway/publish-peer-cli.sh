#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 fd00::1 ─┐
#   blue-a 10.1.0.1 ────────┴─ h1 192.0.2.1 ─── 192.0.2.2 h2      gateways of red and blue on h1,
#   red r 10.0.0.9 lives on h2                                    green's and grey's on h2
#
# Published ports and peerings as commands: what is refused, with which words, and changes nothing;
# what `show` prints. The same words complete a command that was killed.
. "$(dirname "$0")/../../lib.sh"

topo_hosts h1 h2
sysctl_in h1 net.ipv6.conf.{all,default,lo,eth0}.disable_ipv6=0
switch_up h1
sw h1 -q -b - <<-END
	tenant add red id 100
	tenant add blue id 200
	tenant add green id 300
	tenant add grey id 400
	tenant add bare id 500
	endpoint add r tenant red mac 02:00:00:00:00:09 ip 10.0.0.9 ip fd00::9 host h2
	endpoint add g tenant green mac 02:00:00:00:00:09 ip 10.2.0.9 host h2
	endpoint add b tenant bare mac 02:00:00:00:00:09 ip 10.9.0.9 host h2
END
container red a h1 10.0.0.1/24 fd00::1/64 endpoint off
container blue a h1 10.1.0.1/24 endpoint off
sw h1 endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 dev red-a
sw h1 endpoint add a tenant blue mac 02:00:00:00:00:01 ip 10.1.0.1 dev blue-a
sw h1 -q -b - <<-END
	gateway add red ip 10.0.0.254/24 ip fd00::fe/64
	gateway add blue ip 10.1.0.254/24 ip 10.1.1.254/24
	gateway add green ip 10.2.0.254/24 host h2
	gateway add grey ip 10.1.1.254/24 ip 10.7.0.254/16 host h2
END

elements() { # what nftables has, without its counters, and without the host's uplinks
	router h1 nft -j list table inet tsw | gojq -c '[.nftables[] | .set, .map | select(.) |
		select(.elem and (.name | startswith("uplink") | not)) |
		{name, elem: (.elem | sort)}] | sort_by(.name)[]'
}
pins=() maps=(peer_routes marks peers publish)
for map in "${maps[@]}"; do pins+=("$(map_pin h1 $map)"); done
state() {
	printf '%s\n' 'publish show' 'peer show' 'gateway show' | sw h1 -j -b -
	printf 'map dump pinned %s\n' "${pins[@]}" | bpftool -j batch file - |
		gojq -c '.[].output | map(.formatted) | sort_by(.key | tostring)'
	elements
}
# All that state() tells, as it comes: what is equal here is equal there.
raw_pins=("${pins[@]}")
for map in gateways hosts tenants addrs endpoints; do raw_pins+=("$(map_pin h1 $map)"); done
raw() {
	printf 'map dump pinned %s\n' "${raw_pins[@]}" | bpftool batch file -
	router h1 nft -s list table inet tsw
}
remember() { before=$(state) before_raw=$(raw); }

# refused STATUS TEXT WORD...: tsw refuses these words on h1, says TEXT, in one line, and nothing
# has changed.
refused() {
	local want=$1 text=$2 status=0 wrong=()

	shift 2
	sw h1 "$@" >$WORK/out 2>$WORK/err || status=$?
	[ $status = "$want" ] || wrong+=("exit status $status, not $want")
	grep -qF -- "$text" $WORK/err || wrong+=("the message does not say <$text>")
	[ "$(grep -c . $WORK/err)" = 1 ] || wrong+=("the message is not one line")
	[ ! -s $WORK/out ] || wrong+=("something is on stdout")
	sw h1 -j "$@" >$WORK/out 2>/dev/null || true
	gojq -e '.error and .code' $WORK/out >/dev/null 2>&1 || wrong+=("-j gives no error in JSON")
	[ "$(raw)" = "$before_raw" ] || [ "$(state)" = "$before" ] ||
		wrong+=("the state has changed")
	is "refused: tsw ${*@Q}" "$(printf '%s\n' ${wrong[@]+"${wrong[@]}"} \
		${wrong[0]:+"$(<$WORK/err)"})" ""
}
remember
start=$before

# ---- publish: the words -------------------------------------------------------------
tcp=(publish add red proto tcp port)
for to in 10.0.0.1 10.0.0.1: :80 10.0.0.1:0 10.0.0.1:65536 10.0.0.1:8x fd00::1:80 '[fd00::1]' \
	'[10.0.0.1]:80' '[fd00::1:80' 10.0.0.1/24:80 0.0.0.0:80 127.0.0.1:80 '[::1]:80' \
	'[::ffff:10.0.0.1]:80' name:80 ''; do
	refused 2 "\"$to\"" "${tcp[@]}" 80 to "$to"
done
for port in 0 65536 -1 http ''; do refused 2 "\"$port\"" "${tcp[@]}" "$port" to 10.0.0.1:80; done
refused 2 '"sctp" is not one of tcp, udp' publish add red proto sctp port 80 to 10.0.0.1:80
refused 2 '"to" is missing' "${tcp[@]}" 80
refused 2 '"proto" is missing' publish add red port 80 to 10.0.0.1:80
refused 2 '"port" is missing' publish del red proto tcp
refused 2 '"to" is given twice' "${tcp[@]}" 80 to 10.0.0.1:80 to 10.0.0.1:81

# ---- publish: what it is about ------------------------------------------------------
refused 1 'no tenant "nobody"' publish add nobody proto tcp port 80 to 10.0.0.1:80
refused 1 'tenant "bare" has no gateway' publish add bare proto tcp port 80 to 10.9.0.9:80
refused 1 'no endpoint of tenant "red" has the address 10.0.0.77' "${tcp[@]}" 80 to 10.0.0.77:80
refused 1 'no endpoint of tenant "red" has the address 10.1.0.1' "${tcp[@]}" 80 to 10.1.0.1:80
refused 1 "10.0.0.254 is the gateway's own" "${tcp[@]}" 80 to 10.0.0.254:80
sw h1 endpoint set a tenant blue ip 10.1.0.1 ip fd01::1
refused 1 'gateway of tenant "blue" has no IPv6' publish add blue proto tcp port 80 \
	to '[fd01::1]:80'
sw h1 endpoint set a tenant blue ip 10.1.0.1
refused 1 "udp port 4789 belongs to the switch" publish add red proto udp port 4789 to 10.0.0.1:80
refused 1 "udp port 4789 belongs to the switch" publish add red proto udp port 4789 to '[fd00::1]:80'
for port in 10000 29999; do
	refused 1 "ports 10000-29999 are reserved for outgoing NAT" \
		publish add red proto tcp port $port to 10.0.0.1:80
done

# ---- publish: where the gateway was served before, and is not now --------------------
sw h1 gateway set red host h2
sw h1 -q publish add red proto tcp port 80 to 10.0.0.1:8080
check "published where it is served no longer: switch check finds nothing" sw h1 switch check
sw h1 publish del red proto tcp port 80
check "and withdrawn there" sw h1 switch check
sw h1 gateway set red host none
is "served again: as it was" "$(state)" "$start"

# ---- publish: sockets of this host --------------------------------------------------
cat >$WORK/hold.py <<-'END'
	"""hold.py PROTO ADDRESS PORT [v6only] [connect]: a socket there, until killed."""
	import socket, sys, time
	proto, address, port, *flags = sys.argv[1:]
	kind = socket.SOCK_STREAM if proto == "tcp" else socket.SOCK_DGRAM
	s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, kind)
	s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
	if ":" in address:
	    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, "v6only" in flags)
	s.bind((address, int(port)))
	if "connect" in flags:
	    s.connect(("192.0.2.2" if "." in address else "fd00:5::2", 9))
	elif proto == "tcp":
	    s.listen(1)
	print("ready", flush=True)
	time.sleep(1000)
END
sw6='[fd00::1]:80' sw4=10.0.0.1:80
# held PROTO ADDRESS [FLAG]... -- FAMILY...: with such a socket these families are refused, the
# others are taken
held() {
	local proto=$1 address=$2 flags=() said=$2 to family

	shift 2
	while [ "$1" != -- ]; do flags+=("$1") && shift; done
	shift
	case $address in 0.0.0.0 | ::) said='all addresses' ;; esac
	bg h1 "$PY" $WORK/hold.py "$proto" "$address" 700 ${flags[@]+"${flags[@]}"}
	retry 5 grep -q ready "$BG_LOG"
	for family in 4 6; do
		to=sw$family
		case " $* " in
		*" $family "*)
			remember
			refused 1 "at $said" publish add red proto "$proto" port 700 to "${!to}"
			;;
		*)
			check "$proto at $address ${flags[*]-}: IPv$family is free" \
				sw h1 publish add red proto "$proto" port 700 to "${!to}"
			sw h1 publish del red proto "$proto" port 700
			;;
		esac
	done
	check "the other protocol is free" sw h1 publish add red \
		proto "$([ "$proto" = tcp ] && echo udp || echo tcp)" port 700 to 10.0.0.1:80
	sw h1 publish del red proto "$([ "$proto" = tcp ] && echo udp || echo tcp)" port 700
	kill $BG
	wait $BG 2>/dev/null || true
}
ip -n h1 addr add fd00:5::1/64 dev eth0 nodad
for proto in tcp udp; do
	held $proto 0.0.0.0 -- 4
	held $proto 127.0.0.1 -- 4
	held $proto 192.0.2.1 -- 4
	held $proto :: -- 4 6
	held $proto :: v6only -- 6
	held $proto fd00:5::1 -- 6
done
held udp 192.0.2.1 connect -- 4
is "and nothing is left of it" "$(state)" "$start"
# A connection that is over, or to elsewhere, is nobody who listens.
on h1 "$PY" - <<-'END'
	import socket
	s = socket.socket()
	s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
	s.bind(("127.0.0.1", 700))
	s.listen(1)
	c = socket.create_connection(("127.0.0.1", 700))
	p, _ = s.accept()
	p.close()
	c.close()
END
check "TIME_WAIT is there" grep -q TIME-WAIT <(on h1 ss -tan 'sport = 700')
check "and does not hinder" sw h1 publish add red proto tcp port 700 to 10.0.0.1:80
sw h1 publish del red proto tcp port 700

# ---- publish: mappings --------------------------------------------------------------
sw h1 publish add red proto tcp port 80 to 10.0.0.1:8080
sw h1 publish add red proto tcp port 80 to '[fd00::1]:8080'
sw h1 publish add red proto udp port 53 to 10.0.0.9:53
sw h1 publish add blue proto tcp port 81 to 10.1.0.1:8080
sw h1 publish add green proto tcp port 82 to 10.2.0.9:80 2>$WORK/err
check "one that is not served here is taken, and the user is told" \
	grep -q 'does not serve the gateway' \
	$WORK/err
remember
refused 1 'tcp port 80 is already published by tenant "red", to 10.0.0.1:8080' \
	"${tcp[@]}" 80 to 10.0.0.9:80
refused 1 'tcp port 80 is already published by tenant "red", to 10.0.0.1:8080' \
	"${tcp[@]}" 80 to 10.0.0.1:8080
refused 1 'tcp port 80 of IPv6 is already published by tenant "red", to [fd00::1]:8080' \
	"${tcp[@]}" 80 to '[fd00::9]:80'
refused 1 'tcp port 81 is already published by tenant "blue", to 10.1.0.1:8080' \
	"${tcp[@]}" 81 to 10.0.0.1:80
refused 1 'tcp port 82 is already published by tenant "green"' "${tcp[@]}" 82 to 10.0.0.1:80
refused 1 'tenant "red" does not publish udp port 80' publish del red proto udp port 80
refused 1 'tenant "red" does not publish tcp port 81' publish del red proto tcp port 81
refused 1 'no tenant "nobody"' publish del nobody proto tcp port 81
refused 1 'leads to 10.0.0.1:8080' publish del red proto tcp port 80 to 10.0.0.1:80
refused 1 'no tenant "nobody"' publish show nobody
refused 1 'published ports (3) and halves of peerings (0)' gateway del red
is "show tells all of it" "$(sw h1 -j publish show | jq -c '.[]')" \
'{"tenant":"blue","proto":"tcp","port":81,"to":"10.1.0.1:8080","active":true,"endpoint":"a"}
{"tenant":"green","proto":"tcp","port":82,"to":"10.2.0.9:80","active":false,"endpoint":"g"}
{"tenant":"red","proto":"tcp","port":80,"to":"10.0.0.1:8080","active":true,"endpoint":"a"}
{"tenant":"red","proto":"tcp","port":80,"to":"[fd00::1]:8080","active":true,"endpoint":"a"}
{"tenant":"red","proto":"udp","port":53,"to":"10.0.0.9:53","active":true,"endpoint":"r"}'
is "of one tenant" "$(sw h1 publish show green)" \
	"green proto tcp port 82 to 10.2.0.9:80 active off endpoint g"
is "of none" "$(sw h1 -j publish show bare)" "[]"
sw h1 endpoint set r tenant red ip fd00::9
is "an address that is taken away leaves the mapping" \
	"$(sw h1 -j publish show red | gojq -c '.[2] | [.to, .endpoint]')" '["10.0.0.9:53",null]'
sw h1 endpoint set r tenant red ip 10.0.0.9 ip fd00::9
is "and has it again" "$(state)" "$before"
sw h1 publish del red proto tcp port 80 to '[fd00::1]:8080'
is "del with an address takes that family" \
	"$(sw h1 -j publish show red | gojq -r '.[].to' | tr '\n' ' ')" "10.0.0.1:8080 10.0.0.9:53 "
sw h1 publish add red proto tcp port 80 to '[fd00::1]:8080'
is "it is back" "$(state)" "$before"
# move WHERE: red's gateway. What packets meet is there only while it is served here.
active() { sw h1 -j publish show red | gojq -c 'map(.active) | unique'; }
ways() {
	elements | gojq -cs '[.[] | select(.name | test("^(publish|published|hairpins)[46]$")) |
		.elem | length] | add // 0'
}
is "active, in nftables three maps for each" "$(active) $(ways)" "[true] 12"
sw h1 gateway set red host h2
is "moved away: inactive" "$(active) $(ways)" "[false] 3"
sw h1 gateway set red host h1
is "moved back: active" "$(active) $(ways)" "[true] 12"
sw h1 gateway set red ip 10.0.0.253/24 ip fd00::fe/64
is "its own connections come from the gateway's new address" \
	"$(elements | gojq 'select(.name == "hairpin_snat4").elem | length')" "2"
check "which is this" grep -q 10.0.0.253 <(elements)
check_fails "and not that" grep -q 10.0.0.254 <(elements)
sw h1 gateway set red ip 10.0.0.254/24 ip fd00::fe/64 host none
sw h1 publish del red proto tcp port 80
sw h1 publish del red proto udp port 53
sw h1 publish del blue proto tcp port 81
sw h1 publish del green proto tcp port 82
is "del has taken all of it" "$(state)" "$start"

. "$(dirname "$0")/../../cli_peer.sh"
finish
