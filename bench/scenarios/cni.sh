#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: A container's interface, by CNI
#
#    tsw-a ─ h1: tsw-cni     clsact-a ─ h2: the same        bridge-a ─ h3: the plugin `bridge`
#     box0 ─┘ box1 ...          box0 ─┘   `attach clsact`       box0 ─┘    with host-local
#
# A turn makes interfaces in empty network namespaces, one after the other, as a runtime does, and
# deletes them again. It gives the medians of ADD and DEL from the plugin's start to its end. A
# third median is from ADD's start until the new container has an answer to its ping of an older one
# on the same host. Each has an IPv4 address of a /16 and a default route; masquerading is off at
# `bridge`, and at tsw the gateway's, made once. Debian's plugins, called by environment and
# standard input like tsw's.
. "$(dirname "$0")/../lib.sh"

EACH=20
[ -z "$QUICK" ] || EACH=5
PLUGINS=/usr/lib/cni # where Debian has them
declare -A AT=([tsw]=h1 [clsact]=h2 [bridge]=h3) PLUGIN=() PEER=()

scenario cni "A container's interface"
topo_hosts h1 h2 h3
switch_up h1
UP_ARGS='attach clsact' switch_up h2
for host in h1 h2; do
	sw $host tenant add red id 100 net 10.0.0.0/16
	sw $host gateway add red ip 10.0.255.254/16
done
mkdir $WORK/conf
for peer in tsw clsact; do
	PLUGIN[$peer]=${TSW%/*}/tsw-cni
	echo '{"cniVersion": "1.0.0", "name": "red", "type": "tsw-cni", "tenant": "red",
		"instance": "'${AT[$peer]}'"}' >$WORK/conf/$peer
done
PLUGIN[bridge]=$PLUGINS/bridge
echo '{"cniVersion": "1.0.0", "name": "red", "type": "bridge", "bridge": "cni0", "isGateway": true,
	"ipam": {"type": "host-local", "dataDir": "'$WORK/local'", "subnet": "10.0.0.0/16",
		"routes": [{"dst": "0.0.0.0/0"}]}}' >$WORK/conf/bridge
[ -x "${PLUGIN[bridge]}" ] ||
	skip_peer bridge "no $PLUGINS/bridge: apt install containernetworking-plugins"

# What follows runs in a shell that is on the host already: nothing but the plugin is timed.
call() { # PLUGIN CONF VERB NS
	CNI_COMMAND=$3 CNI_CONTAINERID=$4 CNI_NETNS=/run/netns/$4 CNI_IFNAME=eth0 \
		CNI_PATH=$(dirname "$1") "$1" <"$2"
}
answers() { nsenter --net="/run/netns/$1" ping -n -q -c 1 -w 5 -i 0.01 "$2"; } # NS ADDRESS
boxes() { # PLUGIN CONF ADDRESS N: microseconds of each
	local i begin

	for ((i = 0; i < $4; i++)); do
		begin=${EPOCHREALTIME/./}
		call "$1" "$2" ADD "box$i" >/dev/null
		echo "add $((${EPOCHREALTIME/./} - begin))"
		answers "box$i" "$3" >/dev/null
		echo "reach $((${EPOCHREALTIME/./} - begin))"
	done
	for ((i = 0; i < $4; i++)); do
		begin=${EPOCHREALTIME/./}
		call "$1" "$2" DEL "box$i" >/dev/null
		echo "del $((${EPOCHREALTIME/./} - begin))"
	done
}
on_host() { # PEER FUNCTION ARG...
	on "${AT[$1]}" bash -c "set -e; $(declare -f call answers boxes); \"\$@\"" bash "${@:2}"
}

for ((i = 0; i < EACH; i++)); do netns box$i; done
for peer in tsw clsact bridge; do
	[ -z "${SKIPPED[$peer]:-}" ] || continue
	netns $peer-a
	PEER[$peer]=$(on_host $peer call "${PLUGIN[$peer]}" $WORK/conf/$peer ADD $peer-a |
		jq -r '.ips[0].address | split("/")[0]')
done

turn_of() { # PEER: the median of each figure
	local name

	on_host "$1" boxes "${PLUGIN[$1]}" "$WORK/conf/$1" "${PEER[$1]}" $EACH >$WORK/turn
	for name in add reach del; do
		awk -v n=$name '$1 == n { print $2 / 1000 }' $WORK/turn | sort -n |
			awk -v n=$name '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)], n }'
	done
}
figure reach 'ADD, until a ping is answered' ms less bridge
goal_value tsw 40
goal_value clsact 12
figure del 'DEL' ms less bridge
figure add 'ADD' ms less bridge
rounds tsw clsact bridge -- turn_of
