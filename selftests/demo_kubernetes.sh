#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Kubernetes, shown in two minutes: `make demo-kubernetes`. Two nodes with containerd, kubelet and
# kube-proxy, a control plane, and two tenants, each for the Kubernetes namespace of its name. All
# of it in namespaces that are private to this script: nothing of the machine is touched.
. "$(dirname "$0")/lib.sh"
. "$LIB/lib_demo.sh"
. "$LIB/lib_kubernetes.sh"

kube_shown() { # WORD...
	echo "  cp\$ kubectl $*"
	kubectl "$@" 2>&1 | sed 's/^/    /'
}
applied() { # reads YAML, shows it, applies it
	sed 's/^/    /' | tee $WORK/applied
	kubectl apply -f $WORK/applied >/dev/null
}
all_of() { # NAMESPACE: `ADDRESS NAME` of each pod
	pods "$1" '.status.podIP + " " + .metadata.name'
}

cat <<'END'

tenant-switch: pods of Kubernetes

   red's and blue's pods ─ h1 192.0.2.1 ═╗
   red's and blue's pods ─ h2 192.0.2.2 ═╩═ 192.0.2.3 cp      both tenants: 10.0.0.0/27
END
[ -x "$KUBE/kubectl" ] || { echo "there is no $KUBE: run scripts/deps.sh kubernetes" && exit 1; }

title "1. Two nodes, two tenants with equal networks"
nodes h1 h2
kube_shown get nodes -o wide
echo "  /etc/cni/net.d/10-tsw.conflist of h1:"
sed 's/^/    /' $DISK/h1/cni/net.d/10-tsw.conflist
for tenant in red:100 blue:200; do
	shown h1 -c tenant add ${tenant%:*} id ${tenant#*:} net 10.0.0.0/27 dns on
	shown h1 -c gateway add ${tenant%:*} ip 10.0.0.30/27 host h1
	kube_shown create namespace ${tenant%:*}
done
for host in h1 h2; do sw $host -w 20 cluster wait timeout 10; done
nothing=$(left)

title "2. Twenty pods"
for tenant in red blue; do
	kube_shown -n $tenant create deployment web --image box:1 --replicas 10 -- /bin/serve
done
for tenant in red blue; do check "$tenant's ten pods run" retry 60 running $tenant 10; done
columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,NODE:.spec.nodeName,IP:.status.podIP
kube_shown get pods -A -o custom-columns=$columns
shown h1 endpoint show

title "3. Who should talk does, and nobody else"
for tenant in red blue; do
	mapfile -t all < <(all_of $tenant)
	pod=$(first_on h1 $tenant)
	is "$pod reaches all ten of $tenant" "$(says $tenant "$pod" "${all[@]% *}")" \
		"$(printf '%s\n' "${all[@]#* }")"
done
only=$(comm -13 <(pods red .status.podIP) <(pods blue .status.podIP) | head -n 1)
pod=$(first_on h1 red)
is "$only is blue's alone: red's pod gets no answer" "$(says red "$pod" "$only")" silence

title "4. A port of the host, rates, names"
pod_of red door '"kubernetes.io/ingress-bandwidth": 10M, "kubernetes.io/egress-bandwidth": 20M' \
	'ports: [{containerPort: 80, hostPort: 8080}]' \
	'dnsPolicy: None, dnsConfig: {nameservers: [10.0.0.30], searches: [red.tsw.internal]}' |
	applied
check "it runs" retry 30 runs red door
shown h1 publish show
shown h1 endpoint show door
world_asks() { on cp busybox timeout 3 busybox wget -q -O - "http://${VTEP[h1]}:8080/"; }
check "the world reaches it by port 8080 of h1" retry 10 world_asks
kube_shown -n red exec door -- /bin/busybox nslookup "$pod.red.tsw.internal"

title "5. h1 loses its power"
power_cut h1
plugged_in h1
node_on h1
node_daemons h1
running_again() { begun_again h1 red blue && running blue 10 && running red 11; }
SECONDS=0
check "all pods of h1 run again" retry 60 running_again
echo "  after $SECONDS s"
mapfile -t all < <(all_of red)
is "red's pod on h2 reaches all of red" "$(says red "$(first_on h2 red)" "${all[@]% *}")" \
	"$(printf '%s\n' "${all[@]#* }")"
shown h1 switch check

title "6. Kubernetes removes them"
kube_shown delete namespace red blue
comes "no endpoint, device, record or file is left" "$nothing" left
for host in h1 h2; do shown $host switch down; done
demo_end
