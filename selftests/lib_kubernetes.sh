# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Kubernetes itself: nodes that are members of a tsw cluster, and a control plane on a machine
# beside them. Source this after lib.sh.
#
#   h1 192.0.2.1 ═╗
#   h2 192.0.2.2 ═╩═ 192.0.2.3 cp     etcd for Kubernetes and for tsw, apiserver,
#                                     controller-manager, scheduler; also the world outside
#
# A node is a machine as far as its programs can see. It has a network, process and mount namespace.
# It has /run and /sys/fs/bpf in memory, and a disk that outlives a power cut. So containerd,
# kubelet and tsw-cni use their usual places.

. "$LIB/lib_box.sh"

KUBE=${KUBE:-${BUILD:-$ROOT/build}/tools/kubernetes}
CNI=${TSW%/*}/tsw-cni
CP=192.0.2.3
DISK=$WORK/disk # of node HOST: $DISK/HOST
CGROUP=tsw-test-$$-$RANDOM
declare -A NODE # host -> its first process

kube_needs() {
	needs "$1" containerd ctr runc etcd nft
	[ -x "$KUBE/kubectl" ] || { skip "$1" "no $KUBE: scripts/deps.sh kubernetes" && finish && exit; }
	[ -x "$CNI" ] || { echo "# $CNI is missing: run 'make' first" && exit 1; }
}

# ---- the control plane ---------------------------------------------------------------------------

# daemon NAME CMD...: runs on cp.
daemon() {
	nsenter --net=/run/netns/cp -- "${@:2}" >"$WORK/$1.log" 2>&1 &
	undo kill -9 $!
}

kubectl() { on cp "$KUBE/kubectl" --kubeconfig $WORK/kubeconfig "$@"; }
etcd_ctl() { on cp env ETCDCTL_API=3 etcdctl --endpoints http://$CP:2379 "$@"; }

kubeconfig() {
	cat >$WORK/kubeconfig <<-END
		apiVersion: v1
		kind: Config
		clusters: [{name: c, cluster: {server: "https://$CP:6443", insecure-skip-tls-verify: true}}]
		users: [{name: u, user: {token: secret}}]
		contexts: [{name: c, context: {cluster: c, user: u}}]
		current-context: c
	END
}

# control_plane HOST...: cp, and the underlay of these hosts.
control_plane() {
	local host

	topo_hosts "$@" cp
	HOSTS=("$@")
	for host; do ip -n "$host" route add default via $CP; done
	mkdir -p $WORK/cp
	kubeconfig
	daemon etcd etcd --data-dir $WORK/cp/etcd --logger zap --unsafe-no-fsync \
		--listen-client-urls http://$CP:2379 --advertise-client-urls http://$CP:2379 \
		--listen-peer-urls http://127.0.0.1:2380 \
		--initial-advertise-peer-urls http://127.0.0.1:2380 \
		--initial-cluster default=http://127.0.0.1:2380
	openssl genrsa -out $WORK/cp/sa.key 2048 2>/dev/null
	echo 'secret,admin,1,"system:masters"' >$WORK/cp/tokens
	daemon apiserver "$KUBE/kube-apiserver" --etcd-servers=http://$CP:2379 --cert-dir=$WORK/cp \
		--bind-address=$CP --advertise-address=$CP --token-auth-file=$WORK/cp/tokens \
		--authorization-mode=AlwaysAllow --service-cluster-ip-range=10.96.0.0/24 \
		--service-account-issuer=https://$CP --service-account-key-file=$WORK/cp/sa.key \
		--service-account-signing-key-file=$WORK/cp/sa.key \
		--disable-admission-plugins=ServiceAccount \
		--kubelet-preferred-address-types=InternalIP
	retry 60 kubectl get --raw /readyz || { tail -n 5 $WORK/apiserver.log && return 1; }
	daemon controller-manager "$KUBE/kube-controller-manager" --kubeconfig=$WORK/kubeconfig \
		--leader-elect=false --node-monitor-grace-period=20s \
		--service-account-private-key-file=$WORK/cp/sa.key
	daemon scheduler "$KUBE/kube-scheduler" --kubeconfig=$WORK/kubeconfig --leader-elect=false
}

# ---- a node --------------------------------------------------------------------------------------

# node HOST CMD...: runs there.
node() { nsenter --target "${NODE[$1]}" --mount --net --pid -- "${@:2}"; }

# sw as in lib.sh, for nodes: the switch's pins are in the node's own bpffs.
sw() { node "$1" "$TSW" -i "$@"; }

# runs_there HOST NAME CMD...: a daemon of the node, ended with it; its pid there is in
# /run/NAME.pid. end HOST NAME [SIGNAL]: ends it.
runs_there() {
	# shellcheck disable=SC2016 # the inner shell's
	node "$1" setsid --fork sh -c 'echo $$ >"/run/$0.pid" || exit
		for group in $1; do echo 0 >"$group/cgroup.procs" || exit; done
		shift && exec "$@"' "$2" "$(cgroups "$1")" "${@:3}" >>"$DISK/$1/$2.log" 2>&1 </dev/null
}
end() {
	# shellcheck disable=SC2016
	node "$1" sh -c 'kill "-$1" "$(cat "/run/$0.pid")"' "$2" "${3:-KILL}"
	retry 10 not_there "$1" "$2"
}
# shellcheck disable=SC2016
not_there() { node "$1" sh -c '! kill -0 "$(cat "/run/$0.pid")"' "$2"; }

# Cgroups are the machine's. Those of a node are below one of its own, which goes with the node.
hierarchies() { findmnt -n -l -t cgroup,cgroup2 -o TARGET; }
cgroups() { # HOST: makes them and prints where they are
	local top word

	for top in $(hierarchies); do
		mkdir -p "$top/$CGROUP/$1"
		for word in cpuset.cpus cpuset.mems; do # empty at first, in version 1
			[ ! -e "$top/tasks" ] || [ ! -e "$top/$word" ] ||
				tee "$top/$CGROUP/$word" "$top/$CGROUP/$1/$word" <"$top/$word" >/dev/null
		done
		echo "$top/$CGROUP/$1"
	done
}
no_cgroups() { # [HOST]: the processes have ended
	local top all=()

	for top in $(hierarchies); do
		[ ! -e "$top/$CGROUP/${1:-}" ] || all+=("$top/$CGROUP/${1:-}")
	done
	[ ${#all[@]} = 0 ] || find "${all[@]}" -depth -type d -exec rmdir {} +
}

# kubelet gives these settings of the machine these values. A node has files in their place.
KUBELET_SETS='vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000'

# node_on HOST: the machine, without a daemon yet.
node_on() {
	local disk=$DISK/$1

	mkdir -p "$disk"/{run/work,cni/bin,cni/net.d,tsw,lib/tsw-cni,log}
	ln -sf "$CNI" /usr/lib/cni/loopback "$disk/cni/bin"
	# Its first process takes what others leave behind.
	# shellcheck disable=SC2016
	nsenter --net="/run/netns/$1" -- unshare --mount --pid --fork --kill-child --mount-proc \
		--propagation private bash -c '
		mount -t tmpfs -o mode=755 tmpfs "$0/run" && mkdir "$0/run/work" &&
		mount --bind /run/work "$0/run/work" && mount --rbind "$0/run" /run &&
		mount -t bpf -o mode=700 bpf /sys/fs/bpf &&
		mount --bind "$0/lib" /var/lib && mount --bind "$0/log" /var/log &&
		mount --bind "$0/tsw" /etc/tsw && mount --bind "$0/cni/net.d" /etc/cni/net.d &&
		mount --bind "$0/cni" /opt/cni && mkdir -p /run/netns || exit
		while read -r key value; do
			echo "$value" >"/run/${key##*/}" &&
				mount --bind "/run/${key##*/}" "/proc/sys/$key" || exit
		done
		touch /run/on && sleep infinity & wait' "$disk" \
		<<<"$KUBELET_SETS" >>"$disk/machine.log" 2>&1 &
	NODE[$1]=$!
	retry 5 first_process "$1"
	undo retry 5 no_cgroups
	undo kill -9 "${NODE[$1]}"
	retry 10 node "$1" test -e /run/on || { cat "$disk/machine.log" && return 1; }
}
first_process() { # HOST: the child of unshare
	local child

	child=$(pgrep -P "${NODE[$1]}") && NODE[$1]=$child
}

# power_cut HOST: all its processes end in the same moment, and what it had in memory is gone.
power_cut() {
	kill -9 "${NODE[$1]}"
	retry 10 test ! -e "/proc/${NODE[$1]}"
	retry 5 no_cgroups "$1"
	netns_del "$1"
}
# plugged_in HOST: the network of a host after power_cut.
plugged_in() { # HOST
	netns "$1"
	sysctl_in "$1" net.ipv6.conf.{all,default}.disable_ipv6=1
	cable "$1"
	underlay_net "$1"
	ip -n "$1" route add default via $CP
	retry 5 carrier "$1" eth0
}

# Daemons, in the order of their units.
switch_on() { sw "$1" switch up dev eth0 name "$1" nat-ports 11000-29999; }
node_agent() {
	switch_on "$1"
	runs_there "$1" agent "$TSW" -i "$1" agent
}
node_containerd() { runs_there "$1" containerd containerd --config "$DISK/$1/containerd.toml"; }
node_kubelet() {
	runs_there "$1" kubelet "$KUBE/kubelet" --config="$WORK/kubelet.yaml" \
		--kubeconfig=$WORK/kubeconfig --hostname-override="$1" --node-ip="${VTEP[$1]}" --v=2
}
node_proxy() {
	runs_there "$1" proxy "$KUBE/kube-proxy" --config="$WORK/proxy.yaml" --hostname-override="$1"
}
node_daemons() { # HOST
	node_agent "$1"
	node_containerd "$1"
	retry 10 ct "$1" version
	node_kubelet "$1"
	node_proxy "$1"
}

ct() { node "$1" ctr -n k8s.io "${@:2}"; }

# nodes HOST...: control plane, nodes, a tsw cluster of them, and an image `box`.
nodes() {
	local host

	cp -a /etc $WORK/etc && mount --bind $WORK/etc /etc
	mkdir -p /etc/tsw /etc/cni/net.d /opt
	mount -t tmpfs tmpfs /opt && mkdir /opt/cni
	control_plane "$@"
	node_files
	for host; do
		node_on "$host"
		network_file "$host" >"$DISK/$host/cni/net.d/10-tsw.conflist"
		{
			echo 'version = 2'
			cri_toml docker.io/library/box:1 /opt/cni/bin /etc/cni/net.d
		} >"$DISK/$host/containerd.toml"
		switch_on "$host"
		sw "$host" cluster join etcd http://$CP:2379 name campus
		node_daemons "$host"
		ct "$host" image import --snapshotter native $WORK/image/box.tar >/dev/null
	done
	for host; do retry 30 ready "$host"; done
}

# ---- their files ---------------------------------------------------------------------------------

network_file() { # HOST
	cat <<-END
		{
		  "cniVersion": "1.0.0",
		  "name": "tenants",
		  "plugins": [{
		    "type": "tsw-cni",
		    "instance": "$1",
		    "tenantFrom": "namespace",
		    "tenantChoice": ["red", "blue"],
		    "capabilities": {"portMappings": true, "bandwidth": true,
		                     "io.kubernetes.cri.pod-annotations": true}
		  }]
		}
	END
}

node_files() {
	cat >$WORK/kubelet.yaml <<-END
		apiVersion: kubelet.config.k8s.io/v1beta1
		kind: KubeletConfiguration
		containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
		authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
		authorization: {mode: AlwaysAllow}
		failCgroupV1: false
		failSwapOn: false
		cgroupsPerQOS: false
		enforceNodeAllocatable: []
		cgroupDriver: cgroupfs
		localStorageCapacityIsolation: false
		makeIPTablesUtilChains: false
		imageGCHighThresholdPercent: 100
		evictionHard: {memory.available: 1Mi}
		nodeStatusUpdateFrequency: 4s
	END
	cat >$WORK/proxy.yaml <<-END
		apiVersion: kubeproxy.config.k8s.io/v1alpha1
		kind: KubeProxyConfiguration
		clientConnection: {kubeconfig: $WORK/kubeconfig}
		mode: ${PROXY:-nftables}
		conntrack: {maxPerCore: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
	END
	box_file
}

# /bin/serve serves the pod's name on port 80.
box_file() {
	local dir=$WORK/image

	box_root $dir/root
	mkdir $dir/root/www
	cat >$dir/root/bin/serve <<-'END'
		#!/bin/busybox sh
		/bin/busybox hostname >/www/index.html
		trap exit TERM
		/bin/busybox httpd -f -p 80 -h /www & wait
	END
	chmod 755 $dir/root/bin/serve
	box_tar $dir docker.io/library/box:1
}

# ---- what a case asks ----------------------------------------------------------------------------

# deployment NAMESPACE NAME REPLICAS: prints one
deployment() {
	cat <<-END
		apiVersion: apps/v1
		kind: Deployment
		metadata: {name: $2, namespace: $1}
		spec:
		  replicas: $3
		  selector: {matchLabels: {app: $2}}
		  template:
		    metadata: {labels: {app: $2}}
		    spec: $(pod_spec)
	END
}
# pod_of NAMESPACE NAME [ANNOTATIONS [CONTAINER [SPEC]]]: prints a pod.
pod_of() {
	cat <<-END
		apiVersion: v1
		kind: Pod
		metadata: {name: $2, namespace: $1, labels: {app: $2}, annotations: {${3:-}}}
		spec: $(pod_spec "${4:-}" "${5:-}")
	END
}
pod_spec() { # [CONTAINER [SPEC]]: more keys of them
	echo "{terminationGracePeriodSeconds: 2${2:+, $2}, containers: [{name: box, image: box:1,$(
	) command: [/bin/serve]${1:+, $1}}]}"
}

# pods NAMESPACE FILTER: what gojq makes of each pod, sorted
pods() { kubectl -n "$1" get pods -o json | gojq -r ".items[] | $2" | sort; }
running() { # NAMESPACE N: N pods run, and no others are there
	[ "$(pods "$1" 'select(.metadata.deletionTimestamp == null) |
		"\(.status.phase) \((.status.containerStatuses // [{}])[0].ready)"' |
		sort | uniq -c | xargs)" = "$2 Running true" ]
}
runs() { [ "$(kubectl -n "$1" get pod "$2" -o jsonpath='{.status.phase}')" = Running ]; } # NAMESPACE POD
# begun_again HOST NAMESPACE...: each container there has begun again. Of a container that ended
# without a word Kubernetes believes for a while that it runs.
begun_again() {
	local namespace

	for namespace in "${@:2}"; do
		[ -z "$(pods "$namespace" "select(.spec.nodeName == \"$1\" and
			.status.containerStatuses[0].restartCount == 0).metadata.name")" ] || return
	done
}
none_left() { [ -z "$(kubectl -n "$1" get pods -o name)" ]; } # NAMESPACE
ready() { # HOST
	kubectl get node "$1" -o json |
		gojq -e '.status.conditions[] | select(.type == "Ready") | .status == "True"'
}
in_pod() { kubectl -n "$1" exec "$2" -- /bin/busybox "${@:3}"; } # NAMESPACE POD WORD...
# says NAMESPACE POD ADDRESS...: who serves at each of them, as that pod sees it
says() {
	# shellcheck disable=SC2016 # the inner shell's
	in_pod "$1" "$2" sh -c 'for at; do /bin/busybox timeout 5 /bin/busybox wget -q -O - \
		"http://$at/" 2>/dev/null || echo silence; done' sh "${@:3}"
}
first_on() { # HOST NAMESPACE: a pod's name
	pods "$2" "select(.spec.nodeName == \"$1\").metadata.name" | head -n 1
}

# two_tenants NET GATEWAY [NET6 GATEWAY6]: red and blue, with these networks and a gateway on h1,
# and namespaces of their names. An address rests for a minute after its pod: NET needs room.
two_tenants() {
	local tenant id=100

	for tenant in red blue; do
		sw h1 -c tenant add $tenant id $id net "$1" ${3:+net "$3"} dns on
		sw h1 -c gateway add $tenant ip "$2" ${4:+ip "$4"} host h1
		kubectl create namespace $tenant >/dev/null
		id=$((id + 100))
	done
	for host in "${!NODE[@]}"; do sw "$host" -w 20 cluster wait timeout 10; done
}

# left: what pods have left on the nodes and in the store
left() {
	local host

	for host in "${!NODE[@]}"; do
		js "$host" endpoint show '.[] | [.tenant, .name]'
		js "$host" publish show '.[]'
		ip -n "$host" -br link show type veth | grep '^tsw[a-z2-7]\{10\}' || true
		node "$host" find /var/lib/tsw-cni -type f
		node "$host" find /run/netns -name 'cni-*'
	done
	etcd_ctl get --prefix --keys-only /tsw/1/campus/ | grep -E '/(e|at|publish)/.*[^/]$' || true
}

# ns_of TENANT POD: its namespace, as a name below /run/netns
ns_of() {
	local host mac at

	host=$(kubectl -n "$1" get pod "$2" -o jsonpath='{.spec.nodeName}')
	mac=$(js "$host" endpoint show tenant "$1" ".[] | select(.name == \"$2\").mac")
	for at in "/proc/${NODE[$host]}/root/run/netns"/cni-*; do
		! nsenter --net="$at" ip -br link show eth0 | grep -q "$mac" || echo "../..$at"
	done
}
