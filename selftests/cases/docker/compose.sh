#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: docker/plugin makes the same calls of a container in two networks
#
#   world 198.51.1.2 ─── h1 ─┬─ web: front (red, with a gateway) and back, port 8080
#                            └─ db: back alone, which has no gateway
#
# docker-compose and Docker's daemon: a container with published ports in several networks, of
# which one has a gateway, none, or several. Docker joins them in any order, moves the ports with
# the default route, is killed, and crashes with all containers.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_dockerd.sh"

dockerd_need
[ -x /usr/bin/docker-compose ] || { skip "docker-compose" "it is missing" && finish && exit; }
docker_hosts
sw h1 -q -b - <<-END
	tenant add back id 300 net 10.5.0.0/24 dns on
	tenant add rear id 301 net 10.7.0.0/24 dns on
	tenant add also id 302 net 10.6.0.0/24 net fd00:6::/64
	gateway add also ip 10.6.0.254/24 ip fd00:6::fe/64
END
dockerd_on h1
JOURNAL=$BG_LOG # of tsw-docker
image h1

compose() {
	DOCKER_HOST=unix://$DOCKERD/h1/sock \
		/usr/bin/docker-compose -p shop -f $WORK/shop.yml "$@"
}
net() { # NAME TENANT [FURTHER]
	cat <<-END
		  $1:
		    driver: tsw
		    driver_opts: {tenant: $2, instance: h1}
		    ${3:-enable_ipv6: false}
		    ipam: {driver: tsw, options: {tenant: $2, instance: h1}${4:+, config: [$4]}}
	END
}
shop() { # PORTS
	cat <<-END
		version: "2.4"
		services:
		  web:
		    image: box
		    command: ["/bin/busybox", "httpd", "-f", "-p", "80", "-h", "/bin"]
		    networks: [front, back]
		    ports: [$1]
		    restart: always
		  db:
		    image: box
		    command: ["/bin/busybox", "sleep", "1000"]
		    networks: [back]
		    restart: always
		networks:
	END
	net front red 'enable_ipv6: true' '{subnet: 10.0.0.0/24}, {subnet: "fd00:a::/64"}'
	net back back
}
inside() { dock h1 exec "$1" /bin/busybox "${@:2}"; } # NAME WORD...
way_of() { inside "$1" ip route | grep -o 'default via [0-9.]*' || true; } # NAME
published() { js h1 publish show 'map([.tenant, .port, .to]) | sort'; }
of_web() { # IP TENANT: its address in the network of that tenant
	js h1 endpoint show "map(select(.tenant == \"$2\").ip[$1 // 0]) | .[]"
}
own() { js h1 endpoint show 'map(select(.dev).tenant) | sort'; }
answers_world() { [[ $(ask world tcp 198.51.1.1 8080 | head -c 8) = HTTP/1.1 ]]; }
left() { echo "$(own) $(devices) $(kept h1)"; }
start() { # NAME NETWORK [WORD]...
	dock h1 run -d --name "$1" --network "$2" "${@:3}" box /bin/busybox sleep 1000 2>&1
}

# ---- front and back -----------------------------------------------------------------------------

shop '"8080:80"' >$WORK/shop.yml
check "compose up" compose up -d
is "web is an endpoint of both, db of one" "$(own)" '["back","back","red"]'
web4=$(of_web 0 red) web6=$(of_web 1 red)
is "the ports are front's" "$(published)" \
	"[[\"red\",8080,\"$web4:80\"],[\"red\",8080,\"[$web6]:80\"]]"
check "and answer the world" retry 5 answers_world
check "web reaches db by its name" retry 5 inside shop_web_1 ping -c 1 -W 2 db
db4=$(inside shop_db_1 ip -4 -o addr show eth0 | grep -oE '10\.5\.[0-9.]+' | head -n 1)
is "db has no way out" "$(way_of shop_db_1)" ""
check_fails "nor a way to front" inside shop_db_1 ping -c 1 -W 1 "$web4"

# Docker's order is random.
first_of_web() { js h1 endpoint show "[.[] | select(.ip[0] != \"$db4\")] | min_by(.ifindex).tenant"; }
declare -A seen=()
wrong=()
for i in {1..24}; do
	dock h1 restart -t 0 shop_web_1 >/dev/null
	seen["$(first_of_web)"]=$i
	[ "$(published | gojq -c 'map(.[:2])')" = '[["red",8080],["red",8080]]' ] || wrong+=("$i: $(published)")
	[ "$(way_of shop_web_1)" = "default via 10.0.0.254" ] || wrong+=("$i: no route")
	[ ${#seen[@]} -lt 2 ] || break
done
is "restarts in both orders: the same each time" "${#seen[@]} ${wrong[*]}" "2 "
check "the journal tells of the network that cannot publish" \
	grep -q 'of tenant "back" has no gateway: only another network' $JOURNAL
check_fails "and not of front" grep -q 'of tenant "red" has no gateway' $JOURNAL
check "compose up, once more" compose up -d
is "and the same" "$(own)" '["back","back","red"]'

# ---- the ports go with the default route --------------------------------------------------------

create() { # TENANT [WORD]...
	dock h1 network create -d tsw -o instance=h1 -o tenant="$1" --ipam-driver tsw \
		--ipam-opt instance=h1 --ipam-opt tenant="$1" "${@:2}" "$1"
}
check "another network with a gateway" create also --ipv6 --subnet 10.6.0.0/24 --subnet fd00:6::/64
check "and one without" create rear
where() { published | gojq -c 'map(.[0]) | unique'; }
moves() { # DESC VERB NETWORK WHERE
	check "$1" dock h1 network "$2" "$3" shop_web_1
	is "$1: the ports" "$(where)" "$4"
}
moves "the one with a gateway, and first by its name" connect also '["also"]'
is "is the default route" "$(way_of shop_web_1)" "default via 10.6.0.254"
moves "the one without" connect rear '["also"]'
moves "it goes" disconnect rear '["also"]'
moves "the other, too" disconnect also '["red"]'
check "and the world is answered" retry 5 answers_world
moves "front goes" disconnect shop_front '[]'
is "with its endpoint" "$(own)" '["back","back"]'
moves "it comes to a running container" connect shop_front '["red"]'
check "and the world is answered again" retry 5 answers_world
moves "back goes" disconnect shop_back '["red"]'
moves "and comes" connect shop_back '["red"]'

# ---- the daemon is killed, and crashes with all that it runs ------------------------------------

for signal in KILL TERM; do
	daemon_ends h1 $signal
	check "$signal: web goes on" answers_world
	daemon_begins h1
	is "$signal: nothing has changed" "$(own) $(where)" '["back","back","red"] ["red"]'
	check "$signal: web is restarted" dock h1 restart -t 0 shop_web_1
	is "$signal: and published" "$(own) $(where)" '["back","back","red"] ["red"]'
	moves "$signal: front goes" disconnect shop_front '[]'
	moves "$signal: and comes" connect shop_front '["red"]'
done
crash() { # all processes of the daemon, its containers and their shims end at once
	local pid children

	children=$(pgrep -f -- "-address $DOCKERD/h1/exec/containerd" || true)
	{
		# shellcheck disable=SC2086 # several
		kill -KILL "${DAEMON[h1]}" $(<$DOCKERD/h1/exec/containerd/containerd.pid) $children
		find /sys/fs/cgroup -path "*/$CGROUP*" -name cgroup.procs -exec cat {} + |
			while read -r pid; do kill -KILL "$pid"; done
		wait "${DAEMON[h1]}"
	} 2>/dev/null || true
	# What a machine that crashes does not have any more, either.
	nsenter -t "${SERVED[h1]}" -m sh -c "umount $DOCKERD/h1/exec/netns/* 2>/dev/null || true"
	rm -rf $DOCKERD/h1/pid $DOCKERD/h1/exec
}
crash
no_devices() { [ "$(devices)" = 0 ]; }
check "a crash: the devices are gone" retry 10 no_devices
daemon_begins h1
runs_again() { [ "$(own) $(where)" = '["back","back","red"] ["red"]' ] && answers_world; }
check "Docker starts both again, and the world is answered" retry 20 runs_again
is "with one device for each endpoint" "$(devices)" 3
# docker0 is a new device: the next command about a gateway makes it an uplink.
is "the switch finds nothing else wrong" \
	"$({ sw h1 -j switch check || true; } | gojq -c '.problems | map(select(.what != "uplink"))')" '[]'

# ---- the end ------------------------------------------------------------------------------------

check "prune takes the unused networks alone" grep -qx also <<<"$(dock h1 network prune -f)"
is "and web's stay" "$(dock h1 network ls --filter driver=tsw --format '{{.Name}}' | sort | xargs)" \
	"shop_back shop_front"
check "compose stop" compose stop -t 0
is "no endpoint and no port is left" "$(own) $(where)" "[] []"
check "compose start" compose start
check "as before" retry 5 runs_again
check "compose down" compose down -t 0
is "nothing is left" "$(left)" "[] 0 "

# ---- refused ------------------------------------------------------------------------------------

refused() { # DESC SAID PORTS
	shop "$3" >$WORK/shop.yml
	compose up -d >$WORK/said 2>&1 && echo "# it started" >>$WORK/said
	check "$1 is refused" grep -q -- "$2" $WORK/said
	check_fails "$1: it does not run" dock h1 exec shop_web_1 /bin/busybox true
	is "$1: nothing is left" "$(compose down -t 0 2>/dev/null; left)" "[] 0 "
}
refused "a port that Docker chooses" 'port 80 of the container needs a port of the host' '"80"'
refused "SCTP" 'Proto: 132 is neither TCP nor UDP' '"8080:80/sctp"'
refused "a host's address" 'HostIP: .*192.0.2.1.* is not supported' '"192.0.2.1:8080:80"'

# ---- no network with a gateway, and two that have DNS -------------------------------------------

for tenant in back rear red; do create $tenant >/dev/null; done
: >$JOURNAL
check "a container whose only network has no gateway" start one back -p 8080:80
is "its ports are not published" "$(published)" '[]'
check "as the journal tells" grep -q 'of tenant "back" has no gateway: only another network' $JOURNAL
check "a second one, which has a DNS server at the same address" dock h1 network connect rear one
check "begun again with both" dock h1 restart -t 0 one
of_one() { js h1 endpoint show '[.[] | select(.tenant | IN("back", "rear")).tenant] | sort'; }
is "it is in both" "$(of_one)" '["back","rear"]'
is "with one way to the server" \
	"$(inside one ip route | grep -c 169.254.169.253)" 1
name_of() { js h1 endpoint show tenant "$1" '.[0].name'; } # TENANT
asks() { inside one nslookup -type=a "$(name_of "$1").$1.tsw.internal" 169.254.169.253; }
check "which answers for one of them" eval 'asks back || asks rear'
check "its first network with a gateway" dock h1 network connect red one
is "publishes them" "$(where)" '["red"]'
check "it goes" dock h1 rm -f one
check "system prune" dock h1 system prune -f
is "takes all" "$(left)" "[] 0 "
daemon_ends h1 TERM
finish
