#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: cni/plugin makes the same calls
#
#   pods of red and blue ─ h1 ═╗
#   pods of red and blue ─ h2 ═╩═ cp
#
# What happens to a node of Kubernetes: kubelet and containerd are killed, pods come and go many
# times, a node loses its power. All comes back by itself, and nothing is left.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_kubernetes.sh"

kube_needs "a node of Kubernetes through its life"
PROXY=iptables # cni/kubernetes has the other mode
nodes h1 h2
for host in h1 h2; do check "$host is ready" retry 30 ready $host; done
two_tenants 10.0.0.0/24 10.0.0.254/24
nothing=$(left)

on_node() { # NODE NAMESPACE NAME
	pod_of "$2" "$3" '' '' "nodeName: $1" | kubectl apply -f - >/dev/null
}
{ deployment red web 4; echo ---; deployment blue web 4; } | kubectl apply -f - >/dev/null
for tenant in red blue; do check "$tenant's pods run" retry 60 running $tenant 4; done
has_rules() { on h1 nft list ruleset | grep -q KUBE-SERVICES; }
check "kube-proxy has rules, by iptables" retry 10 has_rules
restarts() {
	for tenant in red blue; do
		pods $tenant '.status.containerStatuses[0].restartCount'
	done | sort -u
}
reached() { # TENANT...: each pod reaches all of its tenant, from both nodes
	local tenant all host

	for tenant; do
		mapfile -t all < <(pods "$tenant" '.status.podIP + " " + .metadata.name')
		for host in h1 h2; do
			[ "$(says "$tenant" "$(first_on $host "$tenant")" "${all[@]% *}")" = \
				"$(printf '%s\n' "${all[@]#* }")" ] || return
		done
	done
}
check "all are reached" retry 5 reached red blue

# pings DESC CMD...: a pod on h1 pings one on h2 meanwhile, and nothing is lost
pings() {
	local ns log pid lost

	ns=$(ns_of red "$(first_on h1 red)")
	bg "$ns" ping -n -i 0.05 "$(pods red 'select(.spec.nodeName == "h2").status.podIP' | head -n 1)"
	pid=$BG log=$BG_LOG
	"${@:2}"
	kill -INT "$pid"
	wait "$pid" || true
	lost=$(sed -n 's/.* \([0-9.]*\)% packet loss.*/\1/p' "$log")
	is "$1: no frame is lost" "$lost" 0
}

# ---- a daemon is killed --------------------------------------------------------------------------

kubelet_dies() {
	end h1 kubelet KILL
	on_node h1 red late
	node_kubelet h1
	check "a pod that came meanwhile runs" retry 60 running red 5
}
containerd_dies() {
	end h1 containerd KILL
	on_node h1 blue late
	node_containerd h1
	check "a pod that came meanwhile runs" retry 60 running blue 5
}
pings "kubelet is killed" kubelet_dies
pings "containerd is killed" containerd_dies
is "no container has begun again" "$(restarts)" 0
check "all are reached" retry 5 reached red blue

# ---- a pod that is made again and again --------------------------------------------------------

[ -n "${TSW_QUICK:-}" ] && turns=8 || turns=48
again() { # TURNS NAME
	local i

	for ((i = 0; i < $1; i++)); do
		on_node h1 red "$2" && retry 30 runs red "$2" || return
		kubectl -n red delete pod "$2" --grace-period=1 >/dev/null || return
	done
}
stable=$(left | sort)
for name in one two three four; do again $((turns / 4)) $name & PIDS+=($!); done
all_fine "$turns times a pod comes and goes"
comes "nothing of it is left" "$stable" eval 'left | sort'

# ---- a node loses its power --------------------------------------------------------------------

before=$(js h2 endpoint show 'map(.tenant + "/" + .name) | sort')
power_cut h1
plugged_in h1
node_on h1
node_daemons h1
running_again() { begun_again h1 red blue && running red 5 && running blue 5; }
SECONDS=0
check "all pods of h1 run again" retry 60 running_again
note "after $SECONDS s"
check "all are reached" retry 10 reached red blue
comes "h2 knows the same endpoints as before" "$before" \
	js h2 endpoint show 'map(.tenant + "/" + .name) | sort'
is "what is left of them is that of living pods" "$(node h1 find /var/lib/tsw-cni -type f | wc -l)" \
	"$(js h1 endpoint show 'map(select(.dev)) | length')"
for host in h1 h2; do is "$host checks well" "$(js $host switch check .ok)" true; done

# ---- deletion ------------------------------------------------------------------------------------

kubectl delete namespace red blue --wait=false >/dev/null
for tenant in red blue; do check "$tenant's pods go" retry 60 none_left $tenant; done
comes "nothing of them is left" "$nothing" left
finish
