#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: docker/plugin makes the same calls; port/netkit has the devices
#
#   world 198.51.1.2 ─┐
#              aa, bb ─ h1 192.0.2.1 ─── 192.0.2.2 h2 ─ p1, p2
#
# Containers behind netkit devices, made by those who make them: Docker's daemon calls tsw-docker on
# h1, cnitool calls tsw-cni on h2.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_netkit.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_dockerd.sh"

dockerd_need
CNITOOL=${BUILD:-$ROOT/build}/tools/cnitool
[ -x "$CNITOOL" ] || { skip "cnitool" "there is none: scripts/deps.sh cnitool" && finish && exit; }
docker_hosts
dockerd_on h1 --iptables=false --bridge=none
image h1

start() { # NAME [WORD]...: a container that waits
	dock h1 run -d --name "$1" --network red "${@:2}" box /bin/busybox sleep 1000 2>&1
}
ping_of() { dock h1 exec "$1" /bin/busybox ping -c 1 -W 2 "$2"; }
netkits() { ip -n "$1" -br link show type netkit | wc -l; } # HOST

# ---- Docker -------------------------------------------------------------------------------------

check "a network of Docker's, device=netkit" dock h1 network create -d tsw -o instance=h1 \
	-o tenant=red -o device=netkit --ipam-driver tsw --ipam-opt instance=h1 \
	--ipam-opt tenant=red --subnet 10.0.0.0/24 red
check "a container" start aa
check "another, with a port" start bb -p 8080:80
is "behind netkits" "$(netkits h1)" 2
is "with a link each" "$(find /sys/fs/bpf/tsw/h1/links -name '*-peer' | wc -l)" 2
check "aa reaches bb" retry 5 ping_of aa 10.0.0.2
dock h1 exec bb /bin/busybox sh -c 'echo hello >/index.html; /bin/busybox httpd -p 80 -h /'
web() { on world "$PY" -c 'import urllib.request as web
print(web.urlopen("http://198.51.1.1:8080/index.html", timeout=3).read().decode().strip())'; }
comes "bb answers the world by its port" hello web

# ---- CNI ----------------------------------------------------------------------------------------

tool() { # VERB NS KIND
	conflists $WORK/net-"$3" h2-red
	sed -i "s/1.0.0/1.1.0/; s/\"tenant\":/\"device\": \"$3\", &/" $WORK/net-"$3"/*
	NETCONFPATH=$WORK/net-$3 CNI_PATH=$PLUGINS CAP_ARGS="{\"ips\":[\"10.0.0.7$N/24\"]}" \
		on h2 "$CNITOOL" "$1" h2-red "/run/netns/$2"
}
for N in 1:netkit 2:auto; do
	kind=${N#*:} N=${N%:*}
	netns "p$N"
	check "cnitool adds one, device $kind" tool add "p$N" "$kind"
done
is "behind netkits" "$(netkits h2)" 2
tell_all h1 h2
tell_all h2 h1
own() { ip -n "$1" -j addr show dev eth0 | gojq -r '.[0].addr_info[0].local'; }
check "aa reaches p1, on the other host" retry 5 ping_of aa "$(own p1)"
check "p2 reaches bb" reach p2 10.0.0.2
check "p1 reaches p2" reach p1 "$(own p2)"

# ---- the end ------------------------------------------------------------------------------------

check "Docker removes its containers" dock h1 rm -f aa bb
check "and the network" dock h1 network rm red
is "nothing is left on h1" "$(netkits h1) $(sw h1 -j publish show) $(kept h1) $(
	js h1 endpoint show 'map(select(.dev))') $(
	find /sys/fs/bpf/tsw/h1/links -name 'port-*' | wc -l)" "0 []  [] 0"
N=1 tool del p1 netkit
N=2 tool del p2 auto
is "nor on h2" "$(netkits h2) $(js h2 endpoint show 'map(select(.dev))') $(
	find /sys/fs/bpf/tsw/h2/links -name 'port-*' | wc -l)" "0 [] 0"
for host in h1 h2; do check "$host: check is content" sw $host switch check; done
daemon_ends h1 TERM
finish
