#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: unit_cni, unit_cni_call and cni/plugin have go-cni's keys, and a pod's choices
#
#   pods ─ h1 192.0.2.1 ─── 192.0.2.2 h2        h1 alone, then both as members of a cluster
#          └── 198.51.1.2 world
#
# Pods by the calls that the kubelet makes, to containerd's CRI plugin, which calls tsw-cni: ports,
# rates, DNS, addresses, a tenant of the pod's choice. Twenty at once, stops that are repeated,
# containerd killed in the middle, and a reboot. Nothing is left of any of it.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_cni.sh"
. "$LIB/lib_containerd.sh"

cri_need "pods of containerd's CRI"
cluster_switches h1 h2
uplink h1 world 1
sysctl_in h1 net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1

T=() # -c in a cluster
hosts_own() { # what survives no reboot without a state file
	sw h1 "${T[@]}" tenant add red id 100 net 10.0.0.0/24 net fd00:a::/64 dns on
	sw h1 "${T[@]}" tenant add blue id 200 net 10.0.0.0/24
	sw h1 "${T[@]}" gateway add red ip 10.0.0.254/24 ip fd00:a::fe/64 host h1
} >/dev/null
left() { # what must be gone with the last pod
	echo "$(sw h1 -j endpoint show)$(sw h1 -j publish show) $(devices) $(kept) $(records)"
}
records() {
	[ ${#T[@]} = 0 ] || store read $CLUSTER/ | grep -E "$CLUSTER/(e|at|ip|mac|publish)/" |
		grep -v '"by"' || true
}
nothing() { is "$1: nothing is left" "$(left)" "$CLEAN"; }
take_all() { # as the kubelet cleans up
	local id

	for id in $(sandboxes); do sandbox_stop "$id" && sandbox_remove "$id" || return; done
}
annotated() { # KEY VALUE...
	printf '"annotations":{"%s":"%s"' "$1" "$2"
	[ $# = 2 ] || printf ',"%s":"%s"' "${@:3}"
	printf '}'
}
refused_pod() { # DESC SAID NAME ATTEMPT [JSON]
	local said

	if said=$(sandbox_run "${@:3}" 2>&1); then said="id $said"; fi
	check "$1: says so" grep -qF -- "$2" <<<"$said"
	is "$1: nothing is left" "$(left)" "$LEFT"
}

network() { # JSON
	cat >$CONTAINERD/nd/10-pods.conflist <<-END
		{"cniVersion": "1.0.0", "name": "pods", "plugins": [{"type": "tsw-cni", "instance": "h1",
		  $1, "addressChoice": ["10.0.0.64/26", "fd00:a::/64"],
		  "capabilities": {"portMappings": true, "bandwidth": true, "dns": true,
		   "io.kubernetes.cri.pod-annotations": true}}]}
	END
}

# ---- a pod's wishes, as the kubelet hands them on -----------------------------------------------

pods() {
	local id from i ns

	port='"port_mappings":[{"protocol":0,"container_port":80,"host_port":8080},
		{"protocol":1,"container_port":80,"host_port":8080,"host_ip":"0.0.0.0"},
		{"protocol":0,"container_port":81}]'
	dns='"dns_config":{"servers":["9.9.9.9"],"searches":["corp.example"],"options":["ndots:2"]}'
	id=$(sandbox_run web 0 "$port,$dns,$(annotated kubernetes.io/ingress-bandwidth 10M \
		kubernetes.io/egress-bandwidth 20M tsw.ip 10.0.0.70,fd00:a::70 \
		tsw.mac 02:00:00:00:00:70)")
	is "its address, for the kubelet" "$(sandbox_info "$id" '[.status.network.ip, .status.state]')" \
		'["10.0.0.70",null]'
	is "its rates, address and MAC" "$(js h1 endpoint show web '.[0] | [.tenant, .mac, .ip,
		.rate_in, .rate_out, .burst]')" \
		'["red","02:00:00:00:00:70",["10.0.0.70","fd00:a::70"],10000000,20000000,null]'
	comes "its ports; one without a port of the host has none" "$(gojq -c . <<-'END'
		[["tcp",8080,"10.0.0.70:80"],["tcp",8080,"[fd00:a::70]:80"],
		 ["udp",8080,"10.0.0.70:80"],["udp",8080,"[fd00:a::70]:80"]]
	END
	)" js h1 publish show 'map([.proto, .port, .to]) | sort'
	is "the DNS settings that containerd got back" \
		"$(sandbox_info "$id" '.cniResult.DNS | map(select(.nameservers))[0]')" \
		'{"nameservers":["9.9.9.9"],"options":["ndots:2"],"search":["corp.example"]}'
	ns=$(sandbox_info "$id" '[.runtimeSpec.linux.namespaces[] | select(.type == "network").path][0]')
	ns=$(basename "$(gojq -r . <<<"$ns")")
	serve "$ns" 80
	answers "from outside" world both 198.51.1.1 8080 "$ns 198.51.1.2"
	stop $BG

	LEFT=$(left)
	refused_pod "the same port again" 8080 other 0 "$port"
	refused_pod "SCTP" 'protocol "sctp" is not supported' other 0 \
		'"port_mappings":[{"protocol":2,"container_port":80,"host_port":81}]'
	refused_pod "one address of the host" 'hostIP "192.0.2.1" is not supported' other 0 \
		'"port_mappings":[{"container_port":80,"host_port":81,"host_ip":"192.0.2.1"}]'
	refused_pod "an address that is not offered" 'choose address "10.0.0.7"' other 0 "$(annotated tsw.ip 10.0.0.7)"
	refused_pod "another's" '10.0.0.70' other 0 "$(annotated tsw.ip 10.0.0.70)"
	refused_pod "a tenant that is not offered" 'choose tenant "green"' other 0 "$(annotated tsw.tenant green)"
	refused_pod "a word that is unknown" 'annotation "tsw.tenat" is unknown' other 0 "$(annotated tsw.tenat red)"
	sandbox_run other 1 "$(annotated tsw.tenant blue tsw.ip 10.0.0.70)" >/dev/null
	is "the next attempt, in its own tenant" "$(js h1 endpoint show other 'map([.tenant, .ip[0]])')" \
		'[["blue","10.0.0.70"]]'

	for i in 1 2; do check "stop $i" sandbox_stop "$id"; done
	is "a stopped pod has neither endpoint nor port" "$(js h1 endpoint show 'map(.name)') $(
		sw h1 -j publish show)" '["other"] []'
	for i in 1 2; do check "remove $i" sandbox_remove "$id"; done
	check "the other one, too" take_all
	nothing "two pods"

	from=$(date +%s%N)
	for i in {1..20}; do sandbox_run m$i >$WORK/m.$i & PIDS+=($!); done
	all_fine "20 at once: none fails"
	note "20 pods at once: $((($(date +%s%N) - from) / 1000000)) ms"
	is "each has an address of its own" "$(js h1 endpoint show 'map(.ip[0]) | unique | length')" 20
	for i in {1..20}; do { sandbox_stop "$(<$WORK/m.$i)" && sandbox_remove "$(<$WORK/m.$i)"; } & PIDS+=($!); done
	all_fine "and their ends"
	nothing "20 at once"
}

# ---- a network whose tenant is the namespace's --------------------------------------------------

namespaces() {
	local id

	network '"tenantFrom": "namespace"'
	retry 10 configured namespace
	id=$(POD_NAMESPACE=blue sandbox_run web)
	is "the namespace's tenant" "$(js h1 endpoint show web 'map(.tenant)')" '["blue"]'
	LEFT=$(left)
	POD_NAMESPACE=kube-system refused_pod "a namespace without one" \
		"there is no tenant \"kube-system\", which is the pod's Kubernetes namespace" other 0
	sandbox_stop "$id" && sandbox_remove "$id"
	nothing "namespaces"
	network '"tenant": "red", "tenantChoice": ["blue"]'
	retry 10 configured tenantChoice
}
configured() { cri Status '{"verbose":true}' | gojq -r .info.cniconfig | grep -q "$1"; }

# ---- containerd killed in the middle of twenty --------------------------------------------------

cut_off() { # ENDPOINTS: how many there are then
	local i told=0

	for i in {1..20}; do
		{ trap - ERR && sandbox_run k$i 0; } >$WORK/k.$i 2>/dev/null & PIDS+=($!)
	done
	check "$1 of 20 pods have an endpoint" retry 10 made "$1"
	kill -KILL $CRI_PID
	{ wait $CRI_PID "${PIDS[@]}" || true; } 2>/dev/null
	PIDS=()
	for i in {1..20}; do [ ! -s $WORK/k.$i ] || told=$((told + 1)); done
	note "containerd was killed with $(js h1 endpoint show length) endpoints; $told pods were told"
	cri_up h1
	check "the kubelet takes away what containerd knows of" take_all
	nothing "killed at $1"
}
made() { [ "$(js h1 endpoint show length)" -ge "$1" ]; }
again() { # the kubelet's next attempt
	for i in {1..20}; do sandbox_run k$i 1 >$WORK/k.$i & PIDS+=($!); done
	all_fine "the next attempt of all succeeds"
	check "and their ends" take_all
	nothing "all twenty"
}

# ---- a reboot -----------------------------------------------------------------------------------

boot() {
	sw h1 switch up dev eth0 local 192.0.2.1 name h1
	if [ ${#T[@]} = 0 ]; then hosts_own; else agent h1; fi
}
reboot() { # lost|kept: does containerd know its pods then?
	local i id

	port='"port_mappings":[{"protocol":0,"container_port":80,"host_port":8080}]'
	sandbox_run web 0 "$port" >$WORK/id
	sandbox_run named 0 "$(annotated tsw.name label tsw.ip 10.0.0.70)" >/dev/null
	is "$1: they run" "$(js h1 endpoint show 'map(.name) | sort')" '["label","web"]'
	cri_cut
	[ ${#T[@]} = 0 ] || agent_end h1 KILL
	sw h1 switch down
	find /var/lib/tsw-cni -type f -exec touch -d 2001-01-01 {} + # before this boot
	[ $1 = kept ] || rm -r $CONTAINERD/root
	[ $1 = lost ] || { cri_up h1 && check "kept: a stop before the switch is up" sandbox_stop "$(<$WORK/id)"; }
	boot
	[ $1 = kept ] || cri_up h1
	check "$1: the kubelet takes away what containerd knows of" take_all
	check "$1: the next attempt" eval "sandbox_run web 1 '$port' >$WORK/id"
	check "$1: with the same label and address" retry 10 sandbox_run named 1 \
		"$(annotated tsw.name label tsw.ip 10.0.0.70)"
	is "$1: they run again" "$(js h1 endpoint show 'map(.name) | sort')" '["label","web"]'
	check "$1: they end" take_all
	comes "$1: nothing is left" "$CLEAN" left
}

# ---- alone, and as a member of a cluster --------------------------------------------------------

life() {
	CLEAN=$(left)
	pods
	namespaces
	for n in 1 7 15; do cut_off $n; done
	again
	reboot kept
	reboot lost
}
hosts_own
cri_config
network '"tenant": "red", "tenantChoice": ["blue"]'
cri_up h1
life
sw h1 tenant del red force on
sw h1 tenant del blue
cluster_join h1 h2
agent h1 h2
T=(-c)
hosts_own
life
finish
