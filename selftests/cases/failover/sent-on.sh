#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: packet_gateway_drain has what the old host sends on; failover/flip
# The old host of a gateway sends on what it does not hold, without NAT. Two tenants send the same
# there, from equal addresses and ports; then the gateway comes back to it.
#
#   red-c, blue-c 10.0.0.3 ── h3 ═ underlay ═ h1, then h2, then h1: up0 203.0.113.N
#                                                               out 203.0.113.9
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_failover.sh"
. "$LIB/lib_kill.sh"

topo_hosts h1 h2 h3
outside h1 h2 h3
switch_up
tenants red 100 blue 200
for tenant in red blue; do
	container $tenant c h3 10.0.0.3/24 fd00::3/64
	gateway $tenant h1
done
leave red-c blue-c

moves() { # TO [WORD...]: both, the host where they come to first
	local to=$1 tenant host

	shift
	for host in "$to" h1 h2 h3; do
		for tenant in red blue; do
			sw "$host" gateway set $tenant host "$to" "$@"
		done
	done
}
# same_flow ADDRESS PORT: each has its own answers, from one port. One begins after the other: of
# two that begin at the same instant conntrack refuses one, once.
same_flow() {
	local words=(sport=7000 port="$2" bytes=2000 wait=3) ns

	for ns in red-c blue-c; do
		exchange "$1" udp $ns "${words[@]}" >/dev/null
	done
	exchange "$1" udp red-c blue-c "${words[@]}"
}
sees() { # DESC ADDRESS PORT WANT
	is "$1" "$(same_flow "$2" "$3" | sort -u)" "blue-c $4"$'\n'"red-c $4"
}

# What waits for a neighbour's address has room for some hundred frames only.
for host in h1 h3; do
	reach $host "${VTEP[h2]}"
done
capture outside out br0 net 10.0.0.0/8 or net fd00::/8
moves h2 drain 60
sees "while h1 drains, both flows go by h2" $SERVER4 7100 203.0.113.2
sees "while h1 drains, both flows go by h2, IPv6" $SERVER6 7100 2001:db8:9::2
check "h1 keeps in mind what it sent on" test "$(sent_on h1)" -ge 4
moves h1
is "h1 forgets it when it serves again" "$(sent_on h1)" 0
sees "the same flows go by h1 again" $SERVER4 7100 203.0.113.1
sees "the same flows go by h1 again, IPv6" $SERVER6 7100 2001:db8:9::1

# The command that brings it back is killed at each call: what completes it forgets as well.
wrong=()
for ((n = 1; n < 200; n += ${KILL_STEP:-6})); do # 1: at each
	moves h2 drain 60
	same_flow $SERVER4 $((8000 + n)) >/dev/null || true
	killed $n gateway set red host h1 || break
	moves h1
	[ "$(sent_on h1)" = 0 ] || wrong+=("$n: still in conntrack")
	same_flow $SERVER4 $((8000 + n)) >/dev/null || wrong+=("$n: no answer")
done
check "there were calls to be killed at" test $n -gt 12
moves h1
is "killed at, and not as it should be" "${wrong[*]}" ""

# Nor does one get out that was on its way while the command forgot them: conntrack still has it.
router h1 nft -f - <<-'END'
	table inet late {
		chain early {
			type filter hook prerouting priority mangle - 1;
			iifname "tsw-gw" jump held
		}
		chain held {
			meta mark and 0xffff0000 == 0x74500000 meta mark set meta mark or 0x40000
		}
	}
END
same_flow $SERVER4 9999 >/dev/null || true
router h1 nft delete table inet late
check "one that came too late is in conntrack" test "$(sent_on h1)" -ge 2
bad=$(rules_count h1 bad_state)
same_flow $SERVER4 9999 >/dev/null || true
check "it is dropped" test "$(rules_count h1 bad_state)" -gt "$bad"

send=$(exchange $SERVER4 udp red-c sport=0 port=5000)
is "the gateway serves" "$send" "red-c 203.0.113.1"
capture_stop outside
is "no tenant's address was seen outside" "$(captured outside)" 0
check "all is in order" healthy h1 h2 h3
finish
