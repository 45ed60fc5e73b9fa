# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# tsw-cni as a runtime calls it, by environment and standard input. Source this after lib.sh.

CNI=${TSW%/*}/tsw-cni
[ -x "$CNI" ] || { echo "# $CNI is missing: run 'make' first" && exit 1; }
PLUGINS=$WORK/plugins # CNI_PATH
mkdir -p $PLUGINS
ln -s "$CNI" $PLUGINS/tsw-cni
mount -t tmpfs tmpfs /var/lib # runtimes keep each result in /var/lib/cni
V=1.1.0 # cniVersion

# Red and blue on h1 and h2, with equal subnets.
cni_hosts() {
	topo h1 h2
	sw_all tenant add red id 100 net 10.0.0.0/24 net fd00:a::/64
	sw_all tenant add blue id 200 net 10.0.0.0/24
	sw_all gateway add red ip 10.0.0.254/24 ip fd00:a::fe/64 host h1
}
# How many endpoints of containers h1 has.
devices() { ip -n h1 -br link show type veth | grep -c '^tsw[a-z2-7]' || true; }

# conf HOST TENANT [JSON]: prints a configuration; JSON has more keys of it.
conf() {
	printf '{"cniVersion":"%s","name":"net-%s","type":"tsw-cni","instance":"%s","tenant":"%s"%s}' \
		"$V" "$2" "$1" "$2" "${3:+,$3}"
}

# cni HOST VERB CONTAINER [IFNAME] <CONF: calls tsw-cni. NETNS and ARGS are its CNI_NETNS and
# CNI_ARGS; VIA is a command that runs it.
cni() {
	# shellcheck disable=SC2086 # several words
	CNI_COMMAND=$2 CNI_CONTAINERID=${3:-} CNI_NETNS=${NETNS-/run/netns/${3:-}} \
		CNI_IFNAME=${4:-eth0} CNI_PATH=$PLUGINS CNI_ARGS=${ARGS:-} on "$1" ${VIA:-} "$CNI"
}

# pod HOST TENANT NS [JSON]: makes the namespace NS and adds it; the result is in $RESULT.
pod() {
	netns "$3"
	RESULT=$(conf "$1" "$2" "${4:-}" | cni "$1" ADD "$3")
}
address() { gojq -r "[.ips[].address | select(contains(\"$1\")) | split(\"/\")[0]][0]" <<<"$RESULT"; }

# What a refused call could have changed; given names are kept.
kept() { ls -A /var/lib/tsw-cni 2>/dev/null || true; }
all() {
	sw h1 save | grep -v given_up
	ip -n h1 -br link show type veth
	ip -n c -br addr
	kept
}
# cni_refuses DESC CODE SAID VERB [CONTAINER [IFNAME]] <CONF: it fails so on h1, and nothing has
# changed
cni_refuses() {
	local desc=$1 code=$2 said=$3 before status=0 out

	shift 3
	before=$(all)
	out=$(cni h1 "$@") || status=$?
	is "$desc: exit status and code" "$status $(gojq -c .code <<<"$out")" "1 $code"
	check "$desc: says so" grep -qF -- "$said" <<<"$(gojq -r .msg <<<"$out")"
	is "$desc: nothing has changed" "$(all)" "$before"
}
# refused DESC CODE SAID [JSON]: the same of ADD of c in red
refused() { cni_refuses "${@:1:3}" ADD c <<<"$(conf h1 red "${4:-}")"; }

# tell HOST OTHER NS|IP TENANT: tells OTHER of the endpoint that ADD has made on HOST.
tell() { tell_of "(.name | contains(\"-$3-\")) or (.ip | index(\"$3\"))" "$1" "$2" "$4"; }

# conflists DIRECTORY HOST-TENANT...: a network for each, of that name, for runtimes.
conflists() {
	local net

	mkdir -p "$1"
	for net in "${@:2}"; do
		cat >"$1/$net.conflist" <<-END
			{
			  "cniVersion": "1.0.0",
			  "name": "$net",
			  "plugins": [{
			    "type": "tsw-cni",
			    "instance": "${net%-*}",
			    "tenant": "${net#*-}",
			    "capabilities": {"ips": true, "mac": true, "portMappings": true}
			  }]
			}
		END
	done
}
