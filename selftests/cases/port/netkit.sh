#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Containers behind netkit devices: tsw_from_port runs where they transmit. This case has what
# matters most, because `make test-all` runs it in an emulated Linux 6.12; port/netkit-life and
# guard/netkit-hostile have the rest.
#
#   red-a 10.0.0.1   ┐
#   red-b 10.0.0.2   ├ h1 192.0.2.1 ═══ 192.0.2.2 h2, without a switch; red-c 10.0.0.3 lives there
#   blue-b 10.0.0.2  ┘
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_netkit.sh"
. "$LIB/lib_wire.sh"

topo_hosts h1 h2
switch_up h1
HOSTS=(h1)
tenants
containers4 red "a@h1 b@h1"
containers4 blue b@h1
for tenant in red blue; do
	sw h1 endpoint add c tenant $tenant mac 02:00:00:00:00:03 ip 10.0.0.3 host h2
done
# Nobody says anything but what is sent here.
ip -n h2 addr flush dev eth0
ip -n h1 neigh replace 192.0.2.2 lladdr "$(mac_on h2 eth0)" dev eth0 nud permanent

# Frames that came to red-b, to blue-b and by the wire to h2.
heard() {
	local ns

	for ns in red-b blue-b h2; do
		ip -n $ns -s -j link show dev eth0
	done | gojq -s -c 'map(.[0].stats64.rx.packets)'
}
more() { gojq -n -c "[$1, $(heard)] | transpose | map(.[1] - .[0])"; } # SINCE
are_more() { [ "$(more "$1")" = "$2" ]; }
# hear DESC WANT COMMAND...: so many more have they heard then.
hear() {
	local before

	before=$(heard)
	"${@:3}"
	retry 2 are_more "$before" "$2" || true
	is "$1" "$(more "$before")" "$2"
}
knows() { ip -n "$1" neigh show "$2" | grep -q "$3"; } # NS IP MAC
send() { inject red-a eth0 "$@" -; } # [OPTION]... <FRAMES
a=02:00:00:00:00:01 b=02:00:00:00:00:02 data='icmp type=0 / text FRAME' # which nobody answers
good="eth src=$a dst=$b / ip src=10.0.0.1 dst=10.0.0.2 / $data"

# ---- ways ---------------------------------------------------------------------------------------

check "to another container, and back" reach red-a 10.0.0.2
hear "two frames to it" '[2,0,0]' send -c 2 <<<"$good"
hear "one to another host" '[0,0,1]' \
	send <<<"eth src=$a dst=${b/%2/3} / ip src=10.0.0.1 dst=10.0.0.3"
# from_there VNI DST LAYERS
# shellcheck disable=SC2046,SC2086 # words of a frame
from_there() { inject h2 eth0 $(tunnel 192.0.2.2 h1 "$1") eth src=${b/%2/3} dst=$2 / $3; }
for tenant in '100 [1,0,0]' '200 [0,1,0]'; do
	hear "one from there, to ${tenant% *}" "${tenant#* }" \
		from_there "${tenant% *}" $b "ip src=10.0.0.3 dst=10.0.0.2 / $data"
done
sysctl_in red-b net.ipv4.neigh.eth0.locktime=0
for to in $b ff:ff:ff:ff:ff:ff; do
	ip -n red-b neigh replace 10.0.0.3 lladdr 02:00:00:00:00:99 dev eth0 nud stale
	from_there 100 $to "arp op=2 sha=${b/%2/3} spa=10.0.0.3 tpa=10.0.0.2"
	check "ARP from there to $to is heard as ARP" retry 2 knows red-b 10.0.0.3 ${b/%2/3}
done
is "nothing was dropped" "$(all_drops h1)" ""

# ---- what a container may not -------------------------------------------------------------------

# The last frame is good: when it is heard, what else was to be heard has been.
hear "of forged frames none is heard" '[1,0,0]' send -M 65537 <<-END
	eth src=02:00:00:00:00:09 dst=$b / ip src=10.0.0.1 dst=10.0.0.2 / $data
	eth src=$a dst=$b / ip src=10.0.0.77 dst=10.0.0.2 / $data
	eth src=$a dst=$b / ip src=10.0.0.2 dst=10.0.0.1 / $data
	eth src=$a dst=ff:ff:ff:ff:ff:ff / arp op=2 sha=$a spa=10.0.0.2 tpa=10.0.0.1
	$good
END
is "a neighbour's MAC, others' addresses: each is known" "$(all_drops h1)" \
	"$(printf '%s\n' "red spoofed_ip from_endpoint 3" "red spoofed_mac from_endpoint 1")"
program red-a eth0 egress beside
hear "with cb, priority, tc_index: a good one is heard" '[1,0,0]' send <<-END
	eth src=$a dst=$b / ip src=10.0.0.77 dst=10.0.0.2 / $data
	$good
END
hear "other octets than the kernel noted: none" '[0,0,0]' send -M $((0x0806 << 16)) <<<"$good"
hear "the host's own frames: none" '[0,0,0]' inject h1 red-b eth dst=$b type=0x88b5 / text HOST
is "each is known" "$(all_drops h1)" "$(printf '%s\n' "red forged_metadata from_endpoint 1" \
	"red not_stamped to_endpoint 1" "red spoofed_ip from_endpoint 4" \
	"red spoofed_mac from_endpoint 1")"
is "its root changes nothing of the pair" "$(root_of red-a "$(link_id red-a)" | cut -d' ' -f 2 |
	sort -u | xargs)" "EACCES EPERM"
bpftool link detach pinned "$(peer_pin red-a)"
hear "without its link nothing comes out" '[0,0,0]' send <<<"$good"
is "and check says so" "$({ sw h1 -j switch check 2>/dev/null || true; } | gojq -r '
	.problems[] | select(.object == "red-a").detail')" \
	"tsw_from_port is not attached to the other end of the netkit pair"
finish
