#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Usage: deps.sh install FOR...  install the Debian packages that are missing for it: nothing is
#                                removed, and no service starts
#        deps.sh list [FOR...]   these packages and what each is for; FOR: see scripts/packages.txt
#        deps.sh check [TOOL...] can this machine build, and has it these? Installs nothing
#        deps.sh mirror          where this machine gets Debian from; MIRROR says another place
#        deps.sh promtool        fetch Prometheus' promtool into build/tools, which only tests need
#        deps.sh resolved        the same with systemd-resolved
#        deps.sh managers        unpack firewalld, ufw, NetworkManager and cloud-init there
#        deps.sh cnitool         build cnitool into build/tools, which only a test needs
#        deps.sh kubernetes      the same with Kubernetes, which takes minutes and 3 GB meanwhile
#        deps.sh cri             the same with selftests/tools/cri, a client of a runtime's CRI

set -eu
export PATH=$PATH:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive LC_ALL=C
TABLE=$(dirname "$0")/packages.txt
TARGETS="build demo demo-cluster demo-podman demo-kubernetes test test-all bench deb test-deb lint \
fuzz compilers"

rows() { # FOR...: `PACKAGE[:COMMAND] WHY`, a line each; all lines without FOR
	awk -v targets="$*" '
		BEGIN {
			n = split(targets, of)
			for (i = 1; i <= n; i++) {
				want[of[i]]
				if (of[i] ~ /^(test|test-all|bench|deb|lint)$/)
					want["build"]
				if (of[i] == "test-all")
					want["test"]
			}
		}
		/^[a-z]/ {
			takes = !n || $2 == "all"
			m = split($2, of, ",")
			for (i = 1; i <= m; i++)
				takes = takes || of[i] in want
			name = $1
			$1 = $2 = ""
			if (takes)
				print name $0
		}' "$TABLE"
}

# A runtime counts as there if its command is.
missing() { # FOR...
	local package status

	rows "$@" | while read -r package _; do
		case $package in *:*) ! command -v "${package#*:}" >/dev/null || continue ;; esac
		package=${package%:*}
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
		[ "$status" = installed ] || echo "$package"
	done
}

# ---- installing ---------------------------------------------------------------------

APT=(apt-get -q --no-install-recommends -o APT::Get::AutomaticRemove=false -o Dpkg::Use-Pty=0)

# plan PACKAGE...: what apt would do is in PLAN, and in WHY what keeps it from that: nothing, if no
# other package has to go.
plan() {
	if PLAN=$("${APT[@]}" -s install "$@" 2>&1 </dev/null); then
		WHY=$(sed -n 's/^Remv \([^ ]*\).*/\1/p' <<<"$PLAN" | xargs)
		WHY=${WHY:+apt would remove $WHY}
	else
		WHY=$({ grep -E '^ *[a-z0-9][^ ]* : ' <<<"$PLAN" || grep '^E:' <<<"$PLAN"; } |
			sed 's/^ *//' | paste -sd ' ')
	fi
}

# without PACKAGE: the targets of make that do not need it.
without() {
	local target targets=()

	for target in $TARGETS; do
		rows "$target" | grep -qE "^$1[: ]" || targets+=("$target")
	done
	echo "${targets[*]:-nothing}"
}

# make_way: takes out of WANT the runtimes that another package is in the way of. Anything else in
# the way is an error.
make_way() {
	local package bad='' all=("${WANT[@]}")

	WANT=()
	for package in "${all[@]}"; do
		plan "$package"
		if [ -z "$WHY" ]; then
			WANT+=("$package")
		elif rows | grep -q "^$package:"; then
			echo "deps: left out, and its tests are skipped: $package: $WHY"
		else
			bad=1
			echo "deps: $package cannot be installed: $WHY" >&2
			echo "deps: these targets do not need $package: $(without "$package")" >&2
		fi
	done
	if [ -z "$bad" ] && [ ${#WANT[@]} != 0 ]; then
		plan "${WANT[@]}"
		bad=$WHY
		[ -z "$bad" ] || echo "deps: ${WANT[*]} cannot be installed: $WHY" >&2
	fi
	[ -z "$bad" ] || { echo "deps: nothing was installed or removed" >&2 && exit 1; }
}

# announce FOR...: what apt is about to install, as PLAN has it.
announce() {
	local new old

	mapfile -t new < <(awk -v want=" ${WANT[*]} " '
		/^Inst / && $3 !~ /^\[/ && !index(want, " " $2 " ") { print $2 }' <<<"$PLAN")
	mapfile -t old < <(awk '/^Inst / && $3 ~ /^\[/ { print $2 }' <<<"$PLAN")
	{
		echo "deps: for $*, apt installs ${#WANT[@]} packages: ${WANT[*]}"
		[ ${#new[@]} = 0 ] || echo "deps: what these need, ${#new[@]} packages: ${new[*]}"
		[ ${#old[@]} = 0 ] || echo "deps: in a newer version: ${old[*]}"
	} | fold -s -w 99
}

install_missing() { # FOR...
	mapfile -t WANT < <(missing "$@")
	[ ${#WANT[@]} -gt 0 ] || return 0
	command -v apt-get >/dev/null || {
		echo "deps: not a Debian system; needed are, by Debian's names:" >&2
		rows "$@" >&2
		exit 1
	}
	if [ "$(id -u)" != 0 ]; then
		echo "deps: missing packages: ${WANT[*]}" >&2
		echo "deps: to install them: sudo scripts/deps.sh install $*" >&2
		exit 1
	fi
	# The lists may be absent or too old to be of use; then, and only then, fetch them.
	plan "${WANT[@]}"
	[ -z "$WHY" ] || { apt-get -qq update && plan "${WANT[@]}"; }
	[ -z "$WHY" ] || make_way
	[ ${#WANT[@]} -gt 0 ] || return 0
	announce "$@"
	hold_services
	apt_install "${WANT[@]}" >/dev/null 2>&1 || {
		apt-get -qq update
		apt_install "${WANT[@]}" >/dev/null
	}
}

# Tests run daemons of their own. A service that comes with a package is not started, neither
# now (invoke-rc.d asks the policy, unless the machine has one already) nor at boot.
SERVICES='openvswitch-switch uuidd lxc lxc-net lxc-monitord etcd ovn-central ovn-host
ovn-ovsdb-server-nb ovn-ovsdb-server-sb podman podman.socket podman-restart podman-auto-update
podman-auto-update.timer containerd docker docker.socket nfdump keepalived bird'
POLICY=/usr/sbin/policy-rc.d

# unit SERVICE: is it one for systemd alone? Sockets and timers have their whole names.
unit() {
	[ ! -e /etc/init.d/"$1" ] &&
		{ [ -e /lib/systemd/system/"$1".service ] || [ -e /lib/systemd/system/"$1" ]; }
}

hold_services() {
	local service new=()

	for service in $SERVICES; do
		[ -e /etc/init.d/"$service" ] || unit "$service" || new+=("$service")
	done
	trap 'release_services '"${new[*]}" EXIT
	trap 'exit 1' INT TERM
	if [ ! -e $POLICY ]; then
		printf '#!/bin/sh\nexit 101 # %s\n' "$0" >$POLICY
		chmod 755 $POLICY
	fi
}

release_services() {
	local service

	! grep -qs "# $0\$" $POLICY || rm $POLICY
	for service in "$@"; do
		[ ! -e /etc/init.d/"$service" ] || update-rc.d "$service" disable
		! unit "$service" || disable "$service"
	done
}

# A bare Debian has no systemctl, but what packages themselves call.
disable() { # UNIT
	if command -v systemctl >/dev/null; then
		systemctl --root=/ --quiet disable "$1"
	else
		case $1 in *.*) ;; *) set -- "$1.service" ;; esac
		deb-systemd-helper disable "$1" >/dev/null
	fi
}

# A package that would have to go for it is an error, whatever was planned.
apt_install() { "${APT[@]}" -y --no-remove install "$@" </dev/null; }

# unpack PACKAGE PATH: a package with one file of it that is wanted, and services that nobody wants
# here. It is not installed.
unpack() {
	local to=${BUILD:-build}/tools name=${2##*/} dir

	[ ! -x "$to/$name" ] || return 0
	echo "deps: fetching $name"
	mkdir -p "$to"
	dir=$(cd "$to" && mktemp -d "$PWD/$name.XXXXXX")
	(
		trap 'rm -rf "$dir"' EXIT
		cd "$dir"
		download "$1" || { apt-get -qq update && download "$1"; }
		dpkg-deb -x "$1"_*.deb tree
		mv "tree/$2" ..
	)
}

# One that is installed does as well.
fetch_promtool() { command -v promtool >/dev/null || unpack prometheus usr/bin/promtool; }

# Installed, it would become the machine's own resolver.
fetch_resolved() {
	[ -x /lib/systemd/systemd-resolved ] ||
		unpack systemd-resolved lib/systemd/systemd-resolved
}

# Other managers of a host's network, with what they need and the machine lacks. Installed, they
# would manage this machine.
MANAGERS='firewalld ufw network-manager cloud-init'
fetch_managers() {
	local to=${BUILD:-build}/tools dir

	[ ! -e "$to/managers" ] || return 0
	echo "deps: fetching $MANAGERS"
	mkdir -p "$to"
	dir=$(cd "$to" && mktemp -d "$PWD/managers.XXXXXX")
	(
		trap 'rm -rf "$dir"' EXIT
		cd "$dir"
		all_managers || { apt-get -qq update && all_managers; }
		for package in *.deb; do dpkg-deb -x "$package" tree; done
		cp -a tree/lib/. tree/usr/lib # as in a Debian whose /lib is a link
		mv tree ../managers
	)
}
all_managers() {
	local package plan

	# shellcheck disable=SC2086 # words
	plan=$("${APT[@]}" -s install $MANAGERS)
	sed -n 's/^Inst \([^ ]*\).*/\1/p' <<<"$plan" | while read -r package; do
		download "$package" || return
	done
}

# Debian has no cnitool, an old Kubernetes, and no Go that can build these. Where the machine has no
# such Go either, Debian's is unpacked and fetches one from the module proxy. None of it is
# installed; all but the tools goes.
CNITOOL=github.com/containernetworking/cni/cnitool@v1.3.0
KUBERNETES=1.34.4
TOOLCHAIN=golang.org/toolchain@v0.0.1-go1.24.9.linux- GO_LEAST=1.24

# fetch_by_go NAME: build_NAME makes NAME in a directory of its own, with the command $GO.
fetch_by_go() {
	local to=${BUILD:-build}/tools dir

	[ ! -e "$to/$1" ] || return 0
	echo "deps: building $1"
	mkdir -p "$to"
	dir=$(cd "$to" && mktemp -d "$PWD/$1.XXXXXX")
	(
		trap 'rm -rf "$dir"' EXIT
		cd "$dir"
		export GOPATH=$dir GOBIN=$dir GOCACHE=$dir/cache GOFLAGS=-modcacherw
		export GO111MODULE=on GOTOOLCHAIN=local GOENV=off CGO_ENABLED=0
		new_go
		"build_$1"
		mv "$1" ..
	)
}

build_cnitool() { timeout 300 "$GO" install $CNITOOL; }

CRI=$(readlink -f "$(dirname "$0")/../selftests/tools/cri")
build_cri() { (cd "$CRI" && timeout 900 "$GO" install .); }

# Kubernetes has its libraries in its own tree, where other modules cannot use them. They are also
# published as modules, with another first number. It takes six minutes of two processors.
build_kubernetes() {
	local main=k8s.io/kubernetes file library

	mkdir module && cd module # the place of GOPATH itself can have no module
	"$GO" mod init tools
	"$GO" mod edit "-require=$main@v$KUBERNETES"
	file=$("$GO" mod download -json "$main@v$KUBERNETES" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
	sed -n 's|.*\(k8s.io/[^ ]*\) => ./staging/.*|\1|p' "$file" | while read -r library; do
		"$GO" mod edit "-replace=$library=$library@v0.${KUBERNETES#1.}"
	done
	timeout 3600 "$GO" build -mod=mod -trimpath -o ../kubernetes/ \
		-ldflags="-s -w -X k8s.io/component-base/version.gitVersion=v$KUBERNETES" \
		"$main"/cmd/{kube-{apiserver,controller-manager,scheduler,proxy},kubelet,kubectl}
	cd ..
}

new_go() { # in a directory of its own: $GO
	local arch old

	GO=$(command -v go || true)
	old=$([ -z "$GO" ] || "$GO" env GOVERSION)
	! printf 'go%s\n%s\n' $GO_LEAST "$old" | sort -CV || return 0
	arch=$(dpkg --print-architecture)
	download golang-1.19-go || { apt-get -qq update && download golang-1.19-go; }
	dpkg-deb -x golang-1.19-go_*.deb tree
	GOROOT=$PWD/tree/usr/lib/go-1.19 timeout 300 tree/usr/lib/go-1.19/bin/go \
		mod download "$TOOLCHAIN$arch"
	GO=$PWD/pkg/mod/${TOOLCHAIN}$arch/bin/go
	chmod -R a+x "${GO%/*}" "${GO%/bin/go}/pkg/tool"
}

download() { apt-get -qq -o APT::Sandbox::User=root download "$1" </dev/null >/dev/null; }

mirror() {
	# shellcheck disable=SC2016 # apt's
	echo "${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' 2>/dev/null |
		sed -n 1p)}"
}

check_tools() { # TOOL...
	local tool header lacking=()

	for tool in "${CC:-gcc}" "${CLANG:-clang}" "${BPFTOOL:-bpftool}" protoc-c "$@"; do
		command -v "$tool" >/dev/null || lacking+=("$tool")
	done
	for header in bpf/libbpf.h libmnl/libmnl.h jansson.h nftables/libnftables.h curl/curl.h \
		ncurses.h microhttpd.h; do
		echo "#include <$header>" | "${CC:-gcc}" -E -x c - >/dev/null 2>&1 ||
			lacking+=("$header")
	done
	[ ${#lacking[@]} -gt 0 ] || return 0
	echo "deps: missing to build: ${lacking[*]}" >&2
	echo "deps: to install what is missing: sudo make deps" >&2
	exit 1
}

verb=${1:-}
[ $# = 0 ] || shift
case $verb in
install | list)
	for target; do
		case " $TARGETS " in
		*" $target "*) ;;
		*) echo "deps: \"$target\": use one of: $TARGETS" >&2 && exit 2 ;;
		esac
	done
	;;
esac
case $verb in
install) install_missing "$@" ;;
list) rows "$@" ;;
check) check_tools "$@" ;;
mirror) mirror ;;
promtool) fetch_promtool ;;
resolved) fetch_resolved ;;
managers) fetch_managers ;;
cnitool | kubernetes) fetch_by_go "$verb" ;;
cri)
	[ ! "$CRI/cri.go" -nt "${BUILD:-build}/tools/cri" ] || rm -f "${BUILD:-build}/tools/cri"
	fetch_by_go cri
	;;
*)
	sed -n '3,14s/^# //p' "$0" >&2
	exit 2
	;;
esac
