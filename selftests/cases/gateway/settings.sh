#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The router has the host's settings below /proc/sys/net for ICMP errors and fragments, so what
# operators set there holds for tenants.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_outside.sh"

HIGH=ipv4/ipfrag_high_thresh LOW=ipv4/ipfrag_low_thresh
topo_hosts h1
outside h1
switch_up
tenants red 100
container red a h1 10.0.0.1/24 fd00::1/64
at() { # HOST|ROUTER NAME
	if [ "$1" = h1 ]; then on h1 cat /proc/sys/net/"$2"; else router h1 cat /proc/sys/net/"$2"; fi
}
found() { { sw h1 -j switch check || true; } | gojq -r '[.problems[].what] | unique | join(",")'; }
declare -A SET=([ipv4/ip_default_ttl]=61 [ipv4/icmp_ratelimit]=0 [ipv4/icmp_ratemask]=2056
	[ipv6/icmp/ratelimit]=0 [ipv6/icmp/ratemask]="0-1,3-127" [$HIGH]=8000000 [$LOW]=6000000
	[ipv4/ip_forward_use_pmtu]=1 [netfilter/nf_conntrack_frag6_timeout]=17)
host_has() { sysctl_in h1 "net.${1//\//.}=$2"; } # NAME VALUE
for name in "${!SET[@]}"; do [ $name = $LOW ] || host_has $name ${SET[$name]}; done
host_has $LOW ${SET[$LOW]} # which may not be above the other
sysctl_in h1 net.ipv6.conf.default.hop_limit=62
gateway red h1
leave red-a
for name in "${!SET[@]}"; do is "the router has the host's $name" "$(at r $name)" "${SET[$name]}"; done
check "in order" healthy h1

# hops: with how many hops a time exceeded of the router's begins, by each family
hops() {
	bg red-a timeout 10 tcpdump -lnvc 2 -i eth0 'icmp[0] == 11 or icmp6[0] == 3'
	retry 5 grep -q "listening on" "$BG_LOG"
	on red-a ping -n -c 1 -W 1 -t 1 $SERVER4 >/dev/null || true
	on red-a ping -n -c 1 -W 1 -t 1 $SERVER6 >/dev/null || true
	wait $BG || true
	sed -nE 's/^[0-9].*(ttl|hlim) ([0-9]+),.*/\2/p' "$BG_LOG" | sort | paste -sd ' '
}
is "ICMP errors begin with the host's TTL and hop limit" "$(hops)" "61 62"

# ---- changed while it runs -------------------------------------------------------------
host_has $LOW 1000000
host_has $HIGH 2000000
host_has ipv4/icmp_ratelimit 500
is "changed at the host: check tells" "$(found)" gateway_setting
check "repair" sw h1 switch repair
is "they follow" "$(at r $LOW) $(at r $HIGH) $(at r ipv4/icmp_ratelimit)" "1000000 2000000 500"
check "in order" healthy h1
router h1 sh -c 'echo 7 >/proc/sys/net/ipv4/icmp_ratelimit'
is "changed in the router: check tells" "$(found)" gateway_setting
check "any command that changes the switch mends it" sw h1 gateway set red fast off
is "as at the host" "$(at r ipv4/icmp_ratelimit)" 500
check "in order" healthy h1
finish
