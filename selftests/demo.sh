#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What tenant-switch does, shown in a minute: `make demo`. Two hosts, joined by a virtual
# cable; red and blue have containers with the same MACs and IP addresses on both. All of it in
# namespaces that are private to this script: nothing of the machine is touched.
. "$(dirname "$0")/lib.sh"
. "$LIB/lib_demo.sh"

shown() { # run it and show it
	echo "  \$ tsw ${*@Q}" | tr -d "'"
	"$TSW" "$@" | sed 's/^/    /'
}

cat <<'END'

tenant-switch: two tenants, two hosts, the same addresses

     red-a 10.0.0.1 ─┐                             ┌─ red-c  10.0.0.3
     red-b 10.0.0.2 ─┤   ┌────┐   VXLAN   ┌────┐   │
    blue-a 10.0.0.1 ─┼───┤ h1 ├───────────┤ h2 ├───┼─ blue-c 10.0.0.3
    blue-b 10.0.0.2 ─┘   └────┘           └────┘   └─ blue-d 10.0.0.9
                      192.0.2.1           192.0.2.2
END

title "1. Setting up"
topo_hosts h1 h2
shown -n h1 switch up dev eth0 local 192.0.2.1 name h1
shown -n h2 switch up dev eth0 local 192.0.2.2 name h2
undo sw h1 switch down
undo sw h2 switch down
shown -n h1 host add h2 ip 192.0.2.2
shown -n h2 host add h1 ip 192.0.2.1
echo "  On both hosts: tenant add red id 100, tenant add blue id 200, and for each container:"
echo "  endpoint add a tenant red mac 02:00:00:00:00:01 ip 10.0.0.1 ip fd00::1 dev red-a"
tenants
for tenant in red blue; do
	container $tenant a h1 10.0.0.1/24 fd00::1/64
	container $tenant b h1 10.0.0.2/24 fd00::2/64
	container $tenant c h2 10.0.0.3/24 fd00::3/64
done
container blue d h2 10.0.0.9/24 fd00::9/64
shown -n h1 endpoint show

title "2. Who should talk does"
for tenant in red blue; do
	for to in 10.0.0.2 fd00::2; do
		check "$tenant-a reaches $tenant-b on the same host: $to" reach $tenant-a $to
	done
	for to in 10.0.0.3 fd00::3; do
		check "$tenant-a reaches $tenant-c on the other host: $to" reach $tenant-a $to
	done
done

title "3. Red never reaches blue"
capture blue-a blue-a eth0
capture blue-c blue-c eth0
capture blue-d blue-d eth0
inject_as_red() { inject red-a eth0 "$@"; }
forged="ip src=10.0.0.1 dst=10.0.0.9 / udp / text FROM-RED"
check "10.0.0.9 is blue's alone: red-a gets no answer" no_reach red-a 10.0.0.9
check "nor over IPv6" no_reach red-a fd00::9
# shellcheck disable=SC2086
{
	inject_as_red eth src=02:00:00:00:00:01 dst=02:00:00:00:00:09 / $forged
	inject_as_red eth src=02:00:00:00:00:01 dst=ff:ff:ff:ff:ff:ff / $forged
	inject_as_red eth src=02:00:00:00:00:09 dst=02:00:00:00:00:03 / $forged
	inject_as_red eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 / $forged
	inject_as_red eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 / vlan vid=200 / \
		ip src=10.0.0.1 dst=10.0.0.3 / udp / text FROM-RED
	inject_as_red eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 / ip src=10.0.0.2 \
		dst=10.0.0.3 / udp / text FROM-RED
}
echo "  red-a also sent: to blue-d's MAC, to all, with a forged MAC, a forged IP, a VLAN tag"
check "blue goes on talking" reach blue-a 10.0.0.9
capture_stop blue-a blue-c blue-d
is "frames of red that blue's containers saw: 0 of $(($(captured blue-a) + $(captured blue-c) + \
	$(captured blue-d)))" "$(cat $WORK/blue-*.pcap | grep -ac FROM-RED)" 0

title "4. Throughput, one TCP flow (Gb/s)"
speed() { # FROM ADDRESS: of a gigabyte
	on "$1" iperf3 -c "$2" -n 1G -f m 2>/dev/null |
		awk '/receiver/ { printf "%.2f\n", $7 / 1000 }'
}
bg h2 iperf3 -s -B 192.0.2.2
bg red-c iperf3 -s -B 10.0.0.3
bg red-b iperf3 -s -B 10.0.0.2
listens() { on "$1" ss -Hltn 'sport = 5201' | grep -q .; }
for ns in h2 red-c red-b; do retry 5 listens $ns; done
: >$WORK/speeds
echo "  round   h1 to h2 itself   red-a to red-c (h1 to h2)   red-a to red-b (on h1)"
for round in 1 2 3; do
	line="$(speed h1 192.0.2.2) $(speed red-a 10.0.0.3) $(speed red-a 10.0.0.2)"
	echo "$line" >>$WORK/speeds
	# shellcheck disable=SC2086
	printf '  %5s   %15s   %25s   %22s\n' $round $line
done
median() { awk -v f="$1" '{ print $f }' $WORK/speeds | sort -n | sed -n 2p; } # COLUMN
ratio=$(awk -v tsw="$(median 2)" -v host="$(median 1)" 'BEGIN { printf "%.2f", tsw / host }')
echo "  between hosts tsw reaches $ratio of what the hosts reach themselves (medians)"
echo "  Both hosts share this machine's CPUs, and no program is bound to one: a round may be half of"
echo "  another, the hosts' own, too. docs/benchmarks tells why, and measures with a CPU for each."
is "data crossed in every round" "$(awk '$1 > 0 && $2 > 0 && $3 > 0' $WORK/speeds | wc -l)" 3

title "5. What the switch counted on h1"
shown -n h1 -s tenant show
shown -n h1 stats drops

title "6. Removing everything"
shown -n h1 switch down
shown -n h2 switch down
is "no pinned map is left" "$(find /sys/fs/bpf -path '*tsw*')" ""
check_fails "no tunnel device is left on h1" ip -n h1 link show tsw-vx
check_fails "no tunnel device is left on h2" ip -n h2 link show tsw-vx
demo_end
