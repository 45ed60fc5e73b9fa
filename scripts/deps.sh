#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Usage: deps.sh install   install the Debian packages that are missing, and only those
#        deps.sh clang N...  the same for these versions of clang, which only test-kernels needs
#        deps.sh promtool  fetch Prometheus' promtool into build/tools, which only the tests need
#        deps.sh resolved  the same with systemd-resolved
#        deps.sh cnitool   build cnitool into build/tools, which only a test needs
#        deps.sh deb        the same for what only the Debian package and its test need
#        deps.sh bench      the same for what only make bench needs
#        deps.sh check     can this machine build? Installs nothing
#        deps.sh list      package and what it is for

set -eu
export PATH=$PATH:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive LC_ALL=C

packages() {
	cat <<-END
		gcc             compiler of the command
		libc6-dev       its headers
		linux-libc-dev  the kernel's headers that user programs see
		make            build
		clang           compiler of the programs in the kernel
		libclang-rt-dev  libFuzzer and sanitizers of clang, for make fuzz
		llvm            llvm-objdump, to read the compiled programs
		libbpf-dev      loads BPF programs
		bpftool         embeds the BPF programs; shows maps
		libmnl-dev      talks netlink
		libjansson-dev  JSON
		libnftables-dev  the gateways' rules
		libcurl4-openssl-dev  talks to etcd, over HTTP/2; loaded by who does
		libprotobuf-c-dev  messages of etcd
		protobuf-c-compiler  the same
		libncurses-dev  the terminal of tsw top
		pkgconf         how programs find libtsw, in tests
		libcmocka-dev   unit and packet tests
		iproute2        hosts and containers of demo and tests
		iputils-ping    demo and tests
		ethtool         offloads on and off, in tests
		iperf3          throughput in demo and bench
		tcpdump         proof by capture
		tshark          reads captures with comments, in the tests
		nfdump          a collector of flows, in a test
		jq              makes the completion's tables; reads JSON in demo and bench
		gojq            the same in the tests, 5,600 times, and starts in a tenth
		nftables        reads rules in the tests; a rule to compare with, in bench
		python3         frames and transfers in the tests
		python3-jsonschema  a saved state against its schema, in the tests
		systemd         systemd-analyze, for the unit in the tests
		util-linux      unshare, nsenter, setpriv
		procps          sysctl
		qemu-system-x86 other kernels, in the tests
		busybox-static  their first program
		cpio            packs it
		kmod            their modules
		xz-utils        unpacks these
		tmux            a terminal for tsw top, in tests
		graphviz        reads what tsw graph prints, in tests
		openvswitch-switch  another's VTEP to speak with, in tests
		etcd-server     the store of a cluster, in the tests
		etcd-client     its users, its compaction
		openssl         its certificates
		faketime        clocks that jump
		valgrind        memory of the command, in a test
		strace          makes calls of the command fail, in a test
		lxc             a container of examples/, run in the tests
		libvirt-clients libvirt, whose hook makes a VM an endpoint, in the tests
		libvirt-daemon
		libvirt-daemon-driver-qemu
		podman          a runtime that calls tsw-cni, in the tests
		crun            starts its containers
		containerd      another, whose own client calls tsw-cni, in the tests
		runc            starts its containers
		curl            calls tsw-docker, in the tests
		docker.io       a third, whose daemon calls tsw-docker, in the tests
		isc-dhcp-client  a client of DHCP, in the tests
		dhcpcd-base     another
		bind9-dnsutils  dig, which asks for names, in the tests
		dnsmasq-base    a resolver that other names are asked of, in a test
		musl-tools      another C library, which asks for names, in a test
		systemd-container  systemd-nspawn, a container of examples/, in the tests
		man-db          the manual page as its reader sees it, in the tests
		mandoc          its other reader, which finds faults in it
		shellcheck      make lint
		clang-format    make lint
	END
}

for_deb() {
	cat <<-END
		dpkg-dev        make deb
		debhelper       make deb
		lintian         finds faults in the package
		debootstrap     make test-deb: a fresh Debian to install it in
	END
}

for_bench() {
	cat <<-END
		qperf           bandwidth and latency by message size
		sockperf        request and response, with percentiles
		socat           a tunnel in userspace, to compare with
		mpich           a batch job over several containers: starts it
		libmpich-dev    the same: its headers
		apache2-bin     a web server, without its service
		httping         asks it
		wrk             asks it, many times at once
		wireguard-tools  a WireGuard device by hand, to compare with
		ovn-central     OVN's databases and ovn-northd, to compare with
		ovn-host        its controller on a host
		containernetworking-plugins  a bridge for containers, to compare with
	END
}

compilers() { printf 'clang-%s\n' "${versions[@]}"; }

missing() { # LIST
	local package status

	"$1" | while read -r package _; do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
		[ "$status" = installed ] || echo "$package"
	done
}

install_missing() { # LIST
	local want

	command -v dpkg-query >/dev/null || {
		echo "deps: not a Debian system; needed are, by Debian's names:" >&2
		"$1" >&2
		exit 1
	}
	mapfile -t want < <(missing "$1")
	[ ${#want[@]} -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ]; then
		echo "deps: missing packages: ${want[*]}" >&2
		echo "deps: to install them: sudo make deps" >&2
		exit 1
	fi
	echo "deps: installing ${want[*]}"
	hold_services
	# The lists may be absent or too old to be of use; then, and only then, fetch them.
	apt_install "${want[@]}" >/dev/null 2>&1 || {
		apt-get -qq update
		apt_install "${want[@]}"
	}
}

# Tests run daemons of their own. A service that comes with a package is not started, neither
# now (invoke-rc.d asks the policy, unless the machine has one already) nor at boot.
SERVICES='openvswitch-switch uuidd lxc lxc-net lxc-monitord etcd ovn-central ovn-host
ovn-ovsdb-server-nb ovn-ovsdb-server-sb podman podman.socket podman-restart podman-auto-update
podman-auto-update.timer containerd docker docker.socket nfdump' POLICY=/usr/sbin/policy-rc.d

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
		! unit "$service" || systemctl --root=/ --quiet disable "$service"
	done
}

apt_install() {
	apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 install "$@" </dev/null
}

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

# Debian has no cnitool, and no Go that can build this one. Where the machine has none either,
# Debian's is unpacked and fetches one from the module proxy. None of it is installed; all but the
# tool goes.
CNITOOL=github.com/containernetworking/cni/cnitool@v1.3.0
TOOLCHAIN=golang.org/toolchain@v0.0.1-go1.21.13.linux- GO_LEAST=1.21

fetch_cnitool() {
	local to=${BUILD:-build}/tools dir

	[ ! -x "$to/cnitool" ] || return 0
	echo "deps: building cnitool"
	mkdir -p "$to"
	dir=$(cd "$to" && mktemp -d "$PWD/cnitool.XXXXXX")
	(
		trap 'rm -rf "$dir"' EXIT
		cd "$dir"
		export GOPATH=$dir GOBIN=$dir GOCACHE=$dir/cache GOFLAGS=-modcacherw GOENV=off
		export GO111MODULE=on GOTOOLCHAIN=local CGO_ENABLED=0
		new_go
		timeout 300 "$GO" install $CNITOOL
		mv cnitool ..
	)
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

check_tools() {
	local tool header lacking=()

	for tool in "${CC:-gcc}" "${CLANG:-clang}" "${BPFTOOL:-bpftool}" jq protoc-c; do
		command -v "$tool" >/dev/null || lacking+=("$tool")
	done
	for header in bpf/libbpf.h libmnl/libmnl.h jansson.h nftables/libnftables.h curl/curl.h \
		ncurses.h; do
		echo "#include <$header>" | "${CC:-gcc}" -E -x c - >/dev/null 2>&1 ||
			lacking+=("$header")
	done
	[ ${#lacking[@]} -gt 0 ] || return 0
	echo "deps: missing to build: ${lacking[*]}" >&2
	echo "deps: to install what is missing: sudo make deps" >&2
	exit 1
}

case ${1:-} in
install) install_missing packages ;;
deb) install_missing for_deb ;;
bench) install_missing for_bench ;;
clang) versions=("${@:2}") && install_missing compilers ;;
promtool) fetch_promtool ;;
resolved) fetch_resolved ;;
cnitool) fetch_cnitool ;;
check) check_tools ;;
list) packages && for_deb && for_bench ;;
*)
	sed -n '3,10s/^# //p' "$0" >&2
	exit 2
	;;
esac
