#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Containers that podman starts, shown in a minute: `make demo-podman`. Two tenants have containers
# with equal addresses on two hosts; each is started and removed by podman alone, which calls
# tsw-cni. All of it in namespaces that are private to this script: nothing of the machine is
# touched.
. "$(dirname "$0")/lib.sh"
. "$LIB/lib_demo.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_podman.sh"
. "$LIB/lib_gateway.sh"

podman_shown() { # HOST WORD...
	local word line=

	for word in "${@:2}"; do
		[[ $word != *' '* ]] || word="'$word'"
		line+=" $word"
	done
	echo "  $1\$ podman$line"
	podman_on "$@" >$WORK/shown 2>&1
	STATUS=$?
	sed 's/^/    /' $WORK/shown
}
start() { # HOST TENANT NAME [WORD]...: it serves its name on port 80
	podman_shown "$1" run -d --name "$3" --network "$1-$2" "${@:4}" box \
		/bin/busybox sh -c "while :; do echo $3 | /bin/busybox nc -l -p 80; done"
}
says() { podman_on h1 exec "$1" /bin/busybox timeout 2 /bin/busybox nc "$2" 80 </dev/null; }
ping_of() { podman_on h1 exec "$1" /bin/busybox ping -c 1 -W 2 "$2"; }
from_world() { on world busybox timeout 2 busybox nc 198.51.1.1 8080 </dev/null; }

cat <<'END'

tenant-switch: containers that podman starts

   world ─┐
          h1 192.0.2.1 ═══ 192.0.2.2 h2
    red-1 .1, blue-1 .1          red-2 .2, blue-2 .2      all of 10.0.0.0/24
END

title "1. Two hosts, two tenants with equal networks"
topo_hosts h1 h2
for host in h1 h2; do
	undo sw $host switch down
	shown $host switch up dev eth0 name $host
done
uplink h1 world 1
for host in h1 h2; do
	other=$([ $host = h1 ] && echo h2 || echo h1)
	shown $host host add $other ip "${VTEP[$other]}"
	shown $host tenant add red id 100 net 10.0.0.0/24
	shown $host tenant add blue id 200 net 10.0.0.0/24
	shown $host gateway add red ip 10.0.0.254/24 host h1
done
podman_up $PLUGINS
echo "  /etc/cni/net.d/red.conflist of h1:"
conflists $PODMAN/net.d h1-red h1-blue h2-red h2-blue
sed 's/^/    /' $PODMAN/net.d/h1-red.conflist

title "2. podman starts containers"
start h1 red red-1 -p 8080:80
start h1 blue blue-1
start h2 red red-2 --ip 10.0.0.2
start h2 blue blue-2 --ip 10.0.0.2
shown h1 endpoint show
echo "  Without a cluster the other host is told of each by hand:"
for tenant in red blue; do
	for from in h1 h2; do
		other=$([ $from = h1 ] && echo h2 || echo h1)
		read -r name mac ip < <(sw $from -j endpoint show tenant $tenant |
			jq -r '.[] | select(.dev) | "\(.name) \(.mac) \(.ip[0])"')
		shown $other endpoint add "$name" tenant $tenant mac "$mac" ip "$ip" host $from
	done
done

title "3. Who should talk does, and nobody else"
check "red-1 reaches 10.0.0.2" retry 5 ping_of red-1 10.0.0.2
is "which is red's" "$(says red-1 10.0.0.2)" red-2
is "for blue-1 it is blue's" "$(says blue-1 10.0.0.2)" blue-2
check "the world reaches red-1 by port 8080 of h1" retry 5 from_world
is "and it is red's" "$(from_world)" red-1

title "4. podman removes them"
podman_shown h1 rm -f -t 0 red-1 blue-1
podman_shown h2 rm -f -t 0 red-2 blue-2
shown h1 publish show
for host in h1 h2; do
	is "no container is left on $host" "$(sw $host -j endpoint show | jq -c 'map(select(.dev))')" '[]'
	shown $host switch down
done
demo_end
