#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a cluster does, shown in a minute: `make demo-cluster`. etcd keeps the records, three hosts
# follow them, each by an agent; frames pass, whatever dies meanwhile. All of it in namespaces
# that are private to this script: nothing of the machine is touched.
. "$(dirname "$0")/lib.sh"
. "$LIB/lib_demo.sh"

ETCD=http://192.0.2.100:2379

etcd_begin() { # where its data is already it goes on with them
	nsenter --net=/run/netns/etcd -- etcd --data-dir $WORK/data --logger zap \
		--log-outputs $WORK/etcd.log --listen-client-urls $ETCD \
		--advertise-client-urls $ETCD --listen-peer-urls http://127.0.0.1:2380 \
		>$WORK/etcd.out 2>&1 &
	STORE=$!
	undo kill -9 $STORE
	check "etcd answers" retry 10 ctl get /
}
etcd_end() { stop $STORE KILL; }
ctl() { on etcd env ETCDCTL_API=3 etcdctl --endpoints $ETCD "$@" 2>&1; }

declare -A AGENT IP
agent() { # HOST
	bg "$1" "$TSW" -n "$1" agent
	AGENT[$1]=$BG
}

# container HOST TENANT NAME [WORD...]: it gets the MAC and the addresses that the cluster chose.
container() {
	local dev=$2-$3 got

	netns "$dev"
	ip -n "$1" link add "$dev" mtu 1450 type veth peer name eth0 mtu 1450 netns "$dev"
	ip -n "$1" link set "$dev" addrgenmode none up
	set -- "$1" -c -j endpoint add "$3" tenant "$2" dev "$dev" "${@:4}"
	echo "  $1\$ tsw ${*:2}"
	got=$(sw "$@")
	echo "    $got"
	IP[$dev]=$(jq -r '.[0].ip[0]' <<<"$got")
	sysctl_in "$dev" net.ipv6.conf.eth0.disable_ipv6=1
	ip -n "$dev" link set eth0 address "$(jq -r '.[0].mac' <<<"$got")" up
	ip -n "$dev" addr add "${IP[$dev]}/16" dev eth0
	retry 5 carrier "$dev" eth0
}

pings() { # red-a to red-c, 100 a second
	bg red-a ping -n -i 0.01 "${IP[red-c]}"
	PINGS=$BG PINGS_LOG=$BG_LOG
}
lost_none() { # DESC; behind a second of it, at the least
	retry 5 grep -q icmp_seq=100 "$PINGS_LOG"
	kill -INT $PINGS
	wait $PINGS
	is "$1: $(sed -n 's/\(.* transmitted, .* received\),.*/\1/p' "$PINGS_LOG")" \
		"$(sed -n 's/.* \([0-9.]*\)% packet loss.*/\1/p' "$PINGS_LOG")" 0
}

cat <<'END'

tenant-switch: three hosts, one cluster

      etcd 192.0.2.100      keeps the records; no frame passes it
            │
     ┌──────┼──────┐
    h1     h2     h3        each with a switch, and an agent that follows the records
   red-a  red-b  red-c      MACs and addresses: the cluster's choice
  blue-a        blue-c
END

title "1. etcd, three switches, three members"
cp -a /etc $WORK/etc && mount --bind $WORK/etc /etc && rm -rf /etc/tsw # private, as all else here
topo_hosts h1 h2 h3
netns etcd
cable etcd
ip -n etcd addr add 192.0.2.100/24 dev eth0
ip -n etcd link set eth0 up
etcd_begin
for host in h1 h2 h3; do
	undo sw $host switch down
	shown $host switch up dev eth0 name $host
	shown $host cluster join etcd $ETCD name campus
done
echo "  On each host: tsw agent"
for host in h1 h2 h3; do agent $host; done

title "2. Two tenants with equal networks, told to the cluster once"
shown h1 -c tenant add red net 10.0.0.0/16
shown h3 -c tenant add blue net 10.0.0.0/16

title "3. Containers: each command is given where the container is"
container h1 red a
container h2 red b
container h3 red c
container h1 blue a ip "${IP[red-a]}"
container h3 blue c
shown h2 cluster wait
is "all hosts have carried it out" $STATUS 0
shown h1 endpoint show
shown h2 endpoint show
echo "  h2 has nothing of blue's, and so it knows nothing of blue"

title "4. Who should talk does, and nobody else"
check "red-a reaches red-b" reach red-a "${IP[red-b]}"
check "red-a reaches red-c" reach red-a "${IP[red-c]}"
check "blue-a reaches blue-c" reach blue-a "${IP[blue-c]}"
check "red-a does not reach blue-c, ${IP[blue-c]}" no_reach red-a "${IP[blue-c]}"
check "blue-a does not reach red-b, ${IP[red-b]}" no_reach blue-a "${IP[red-b]}"
check "blue-a does not reach red-c, ${IP[red-c]}" no_reach blue-a "${IP[red-c]}"

title "5. etcd dies (SIGKILL), and red-a goes on with red-c"
pings
etcd_end
shown h2 -w 1 -c endpoint add d tenant red host h2
is "so an endpoint cannot be added meanwhile" $STATUS 1
echo "  etcd begins again"
etcd_begin
container h2 red d
check "now it can, and is reached" reach red-a "${IP[red-d]}"
lost_none "no frame was lost"

title "6. An agent dies (SIGKILL), and begins again"
pings
stop ${AGENT[h1]} KILL
shown h2 -c endpoint del d
agent h1
shown h2 cluster wait host h1
is "it has caught up" $STATUS 0
check_fails "h1 knows red-d no more" sw h1 endpoint show d tenant red
lost_none "no frame was lost"
shown h1 cluster show

title "7. Somebody deletes all of red's endpoints from etcd"
pings
id=$(sw h1 -j tenant show red | jq '.[0].id')
echo "  etcdctl del --prefix /tsw/1/campus/e/$id/"
ctl del --prefix /tsw/1/campus/e/"$id"/ >/dev/null
holds() { [ "$(sw h1 metrics | sed -n 's/^tsw_agent_held_deletions.* //p')" -gt 0 ]; }
check "agents do not believe it: they wait for tsw cluster accept" retry 5 holds
lost_none "no frame was lost"

title "8. Removing everything"
for host in h1 h2 h3; do
	stop ${AGENT[$host]}
	shown $host switch down
done
etcd_end
is "no pinned map is left" "$(find /sys/fs/bpf -path '*tsw*')" ""
demo_end
