#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cni/plugin makes the same calls
#
#   pods of red and blue ─ h1 ═╗
#   pods of red and blue ─ h2 ═╩═ cp     control plane, and the world outside of tenants
#
# Kubernetes itself: two nodes, whose pods are in the tenant that has their namespace's name. Who
# reaches whom, published ports, rates, names, Services as far as they go, and deletion.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kubernetes.sh"

kube_needs "pods of Kubernetes"
nodes h1 h2
for host in h1 h2; do check "$host is ready" retry 30 ready $host; done
two_tenants 10.0.0.0/28 10.0.0.14/28 fd00:a::/64 fd00:a::fe/64
nothing=$(left)

# ---- twenty pods ---------------------------------------------------------------------------------

{ deployment red web 10; echo ---; deployment blue web 10; } | kubectl apply -f - >/dev/null
for tenant in red blue; do
	check "ten pods of $tenant run" retry 60 running $tenant 10
	is "on both nodes" "$(pods $tenant .spec.nodeName | uniq | xargs)" "h1 h2"
	if [ "$(pods red .status.podIP)" = "$(pods blue .status.podIP)" ]; then # by chance
		kubectl -n blue delete pod "$(first_on h1 blue)" >/dev/null
		check "one of blue comes again, at another address" retry 60 running blue 10
	fi
	addresses=$(pods $tenant .status.podIP)
	is "each has its own address" "$(uniq <<<"$addresses" | wc -l)" 10
	is "which its tenant's endpoints have" \
		"$(js h1 endpoint show tenant $tenant '.[].ip[0]' | sort)" "$addresses"
done
equal=$(comm -12 <(pods red .status.podIP) <(pods blue .status.podIP))
check "the tenants have addresses in common" test -n "$equal"
note "in common: ${equal//$'\n'/ }"

# ---- who reaches whom ----------------------------------------------------------------------------

for tenant in red blue; do
	mapfile -t all < <(pods $tenant '.status.podIP + " " + .metadata.name')
	for host in h1 h2; do
		pod=$(first_on $host $tenant)
		is "$tenant's pod on $host reaches all ten of $tenant" \
			"$(says $tenant "$pod" "${all[@]% *}")" "$(printf '%s\n' "${all[@]#* }")"
	done
	mapfile -t all < <(pods $tenant '"[\(.status.podIPs[1].ip)] \(.metadata.name)"')
	is "$tenant's pod on h1 reaches all ten by IPv6" \
		"$(says $tenant "$(first_on h1 $tenant)" "${all[@]% *}")" \
		"$(printf '%s\n' "${all[@]#* }")"
done

# An address that only blue has.
blue_only=$(comm -13 <(pods red .status.podIP) <(pods blue .status.podIP) | head -n 1)
check "blue has an address that red has not" test -n "$blue_only"
for pod in $(pods blue .metadata.name); do capture "$pod" "$(ns_of blue "$pod")" eth0; done
pod=$(first_on h1 red)
from=$(js h1 endpoint show "$pod" tenant red '.[0].mac')
is "red's pod does not reach it" "$(says red "$pod" "$blue_only")" silence
check_fails "nor by ping" in_pod red "$pod" ping -c 2 -W 1 "$blue_only"
is "nor others of blue, at addresses that both have" "$(says red "$pod" $equal | sort)" \
	"$(for ip in $equal; do pods red "select(.status.podIP == \"$ip\").metadata.name"; done | sort)"
mapfile -t all < <(pods blue '.status.podIP + " " + .metadata.name')
is "blue's pods reach each other meanwhile" "$(says blue "$(first_on h2 blue)" "${all[@]% *}")" \
	"$(printf '%s\n' "${all[@]#* }")"
seen=0 foreign=0
for pod in "${all[@]#* }"; do
	capture_has "$pod" 1 tcp
	seen=$((seen + $(captured "$pod" tcp))) foreign=$((foreign + $(captured "$pod" ether src "$from")))
	capture_stop "$pod"
done
is "of red's frames blue's pods got" $foreign 0
note "of their own $seen"

# ---- ports of the host, rates, names -------------------------------------------------------------

{
	pod_of red door '"kubernetes.io/ingress-bandwidth": 10M, "kubernetes.io/egress-bandwidth": 20M' \
		'ports: [{containerPort: 80, hostPort: 8080}]' 'nodeName: h2'
	echo ---
	pod_of red named '' '' 'dnsPolicy: None, dnsConfig: {nameservers: [10.0.0.14],
		searches: [red.tsw.internal]}'
} | kubectl apply -f - >/dev/null
check "a pod with a port of the host runs, and one with a name server" retry 30 running red 12
is "its port, of both families" \
	"$(js h1 publish show 'map([.tenant, .proto, .port, (.to | split(":")[-1])]) | unique[]')" \
	'["red","tcp",8080,"80"]'
world_asks() { on cp busybox timeout 3 busybox wget -q -O - "http://${VTEP[h1]}:8080/"; }
comes "from outside it answers at the gateway's host" door world_asks
is "its rates" "$(js h1 endpoint show door tenant red '.[0] | [.rate_in, .rate_out]')" \
	'[10000000,20000000]'
addresses=$(pods red 'select(.metadata.name == "door").status.podIPs[].ip')
found() { in_pod "$1" "$2" nslookup "${@:3}" | awk '/^Address: / { print $2 }'; } # NAMESPACE POD ...
is "a name of the tenant's" "$(found red named door.red.tsw.internal | sort)" "$addresses"
is "the short name, by the pod's own configuration" "$(says red named door)" door
check_fails "blue has no such name" found blue "$(first_on h1 blue)" door.blue.tsw.internal 10.0.0.14

pod_of default guest 'tsw.tenant: blue' | kubectl apply -f - >/dev/null
pod_of default stranger | kubectl apply -f - >/dev/null
check "a pod of another namespace runs, whose annotation names its tenant" retry 30 runs default guest
is "it is in that tenant" "$(js h1 endpoint show guest '.[].tenant')" blue
why() {
	kubectl get events -o json | gojq -r '.items[].message' |
		grep -o 'there is no [^;]*' | head -n 1
}
comes "one without is told why not" \
	"there is no tenant \"default\", which is the pod's Kubernetes namespace" why

# ---- Services ------------------------------------------------------------------------------------

for kind in '' --cluster-ip=None; do
	# shellcheck disable=SC2086
	kubectl -n red expose deployment web --port 80 --name "service${kind:+-headless}" $kind >/dev/null
done
slice() {
	kubectl -n red get endpointslices -l kubernetes.io/service-name="$1" -o json |
		gojq -r '.items[].endpoints[].addresses[]' | sort
}
comes "a headless Service lists the pods' addresses" "$(pods red 'select(.metadata.name |
	startswith("web-")).status.podIP')" slice service-headless
service=$(kubectl -n red get service service -o jsonpath='{.spec.clusterIP}')
has_rule() { on h1 nft list ruleset | grep -q "$service"; }
check "kube-proxy has rules for the other one" retry 10 has_rule
pod=$(first_on h1 red)
is "a pod's frames do not pass them" "$(says red "$pod" "$service")" silence
opens() { retry "$1" in_pod red "$2" nc -w 2 "$3" "$4" </dev/null; } # SECONDS POD ADDRESS PORT
for host in h1 h2; do
	pod=$(first_on $host red)
	check "a pod on $host reaches the apiserver's own address" opens 5 "$pod" $CP 6443
	for other in h1 h2; do
		check_fails "and not the kubelet of $other" opens 0 "$pod" ${VTEP[$other]} 10250
	done
done

# ---- deletion ------------------------------------------------------------------------------------

kubectl delete pod guest stranger >/dev/null
kubectl delete namespace red blue --wait=false >/dev/null
for tenant in red blue; do check "$tenant's pods go" retry 60 none_left $tenant; done
comes "nothing of them is left" "$nothing" left
for host in h1 h2; do is "$host checks well" "$(js $host switch check .ok)" true; done
finish
