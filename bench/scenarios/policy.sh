#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: Who may talk to whom: what a policy of 1,000 rules costs, and accounts of flows
#
#    h1 ── container       h2 ── container      each peer
#
# policy is tsw with 1,000 rules between groups, one of them for the flow. accounts is tsw with
# `flows on` at both ends. filtered is a Linux bridge and vxlan device whose frames go by the host's
# own rules (br_netfilter), as with OpenStack's security groups. It has conntrack on both hosts, and
# the same 1,000 ports in one set of nftables.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"
APART=1

PEERS=(tsw policy accounts bridge filtered)
PPS=${TSW%/*}/bench_pps
RULES=1000
WIRES=(offload frames)
[ -z "$QUICK" ] || PEERS=(tsw policy filtered) WIRES=(frames)

rules() { # PORT...: 1,000 rules of which these are some
	local port

	for port in "$@"; do echo "$port"; done
	seq 20001 $((20000 + RULES - $#))
}

between_policy() {
	local host

	tsw_between policy 300 vxlan
	for host in h1 h2; do
		{
			echo group add policy web db
			rules 9 80 5201 5300 | while read -r port; do
				for proto in tcp udp; do
					[ $proto = tcp ] || [ "$port" = 9 ] || continue
					echo policy add policy $proto-$port from group web \
						to group db proto $proto port "$port"
				done
			done
			echo policy add policy ping from any to any proto icmp
			echo endpoint set a tenant policy group web
			echo endpoint set c tenant policy group db
			echo tenant set policy policy on
		} | sw $host -b -
	done
}

between_accounts() {
	local host

	tsw_between accounts 301 vxlan
	for host in h1 h2; do
		sw $host tenant set accounts flows on
	done
}

filtered_host() { # HOST
	sysctl_in $1 net.bridge.bridge-nf-call-iptables=1
	on $1 nft -f - <<-END
		table ip filter {
			set allowed {
				type inet_proto . inet_service
				elements = { $(for port in $(rules 80 5201 5300); do
					echo "tcp . $port,"
				done) udp . 9 }
			}
			chain forward {
				type filter hook forward priority filter; policy drop;
				ct state established,related accept
				ip protocol icmp accept
				ip saddr 10.1.0.1 ip daddr 10.1.0.3 \
					meta l4proto . th dport @allowed accept
			}
		}
	END
}

between_filtered() {
	filtered_host $A
	filtered_host $B
	bridge_vxlan $A $B
	bridge_vxlan $B $A
	bridge_box filtered-a $A 10.1.0.1/24
	bridge_box filtered-c $B 10.1.0.3/24
	ends filtered filtered-a filtered-c 10.1.0.3
}

scenario policy 'Who may talk to whom'
needs iperf3 iperf3
needs sockperf sockperf
needs wrk wrk
needs apache2 apache2-bin
[ -x "$PPS" ] || { echo "policy: no $PPS: run make bench" >&2 && exit 1; }
topo_hosts h1 h2
peer_make "${PEERS[@]}"
peer_serve "${PEERS[@]}"
for peer in "${PEERS[@]}"; do
	[ -z "${SKIPPED[$peer]:-}" ] || continue
	[ -n "$QUICK" ] || page_server "${TO[$peer]}"
	# Or the ports that a client chooses from, 14,116 of one kind, wait for their end
	# (TIME_WAIT) after some turns, and what is measured is its search for one.
	sysctl_in "${FROM[$peer]}" net.ipv4.tcp_tw_reuse=1
done

connections() { # PEER: a second, each for one page
	at "${FROM[$1]}" wrk -t 4 -c 16 -d "$SECONDS_EACH" -H 'Connection: close' \
		"http://${ADDR[$1]}/" | sed -nE 's/^Requests\/sec: *([0-9.]+).*/\1/p'
}

received() { # PEER: frames a second
	"$PPS" from ${FROM[$1]} to ${TO[$1]} ip ${ADDR[$1]} mac "$(next_mac $1)" length 64 \
		threads 1 ms $((SECONDS_EACH * 1000)) | jq .received
}

for wire in "${WIRES[@]}"; do
	peer_wire $wire
	figure tcp-$wire "One TCP flow, wire: $wire" Gb/s more tsw
	goal policy tsw 0.97
	goal policy filtered 1.5
	rounds "${PEERS[@]}" -- peer_flow
done
figure frames 'Frames of 64 octets' '1/s' more tsw
goal policy tsw 0.85
goal policy filtered 1.5
rounds "${PEERS[@]}" -- received
[ -z "$QUICK" ] || exit 0
figure rr 'TCP request and response, percentile 50' us less tsw
rounds "${PEERS[@]}" -- peer_trip 50.000
figure connections 'New connections, one page each' '1/s' more tsw
goal policy tsw 0.9
rounds "${PEERS[@]}" -- connections
