#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# For cases of published ports and peerings: who answers, and which address it sees. Source this
# after lib.sh.

# uplink HOST NS N: the namespace NS behind a device of its own of HOST. HOST has 198.51.N.1 there,
# NS 198.51.N.2 and fd51:N::2. NS has a route only to that network.
uplink() {
	netns "$2"
	ip -n "$1" link add "up$3" type veth peer name eth0 netns "$2"
	sysctl_in "$1" "net.ipv6.conf.up$3.disable_ipv6=0"
	ip -n "$1" addr add "198.51.$3.1/24" dev "up$3"
	ip -n "$1" addr add "fd51:$3::1/64" dev "up$3" nodad
	ip -n "$2" addr add "198.51.$3.2/24" dev eth0
	ip -n "$2" addr add "fd51:$3::2/64" dev eth0 nodad
	ip -n "$1" link set "up$3" up
	ip -n "$2" link set eth0 up
	retry 5 carrier "$2" eth0
}

# way_out NS IP...: default routes by these gateways
way_out() {
	local ns=$1 ip

	shift
	for ip in "$@"; do ip -n "$ns" route add default via "$ip" dev eth0; done
}

# serve NS PORT...: answers there "NS ADDRESS"
serve() {
	bg "$1" "$PY" "$TOOLS/who.py" serve "$@"
	retry 5 grep -q ready "$BG_LOG"
}

# ask NS PROTO ADDRESS PORT [from=PORT] [wait=S]: prints the answer, or what came instead
ask() {
	local ns=$1 out status=0

	shift
	out=$(on "$ns" "$PY" "$TOOLS/who.py" ask "$@" 2>&1) || status=$?
	case $status in
	0) echo "$out" ;;
	1) echo silence ;;
	*) echo "${out#*] }" ;; # without the number in []
	esac
}

# pushes DESC NS ADDRESS PORT: a megabyte gets there by TCP
pushes() { is "$1" "$(on "$2" "$PY" "$TOOLS/who.py" push "$3" "$4" 1000000 2>&1)" 1000000; }

# answers DESC NS PROTO ADDRESS PORT ANSWER: TCP, UDP or, with PROTO both, each of them
answers() {
	local protos=$3 proto

	[ "$protos" != both ] || protos='tcp udp'
	for proto in $protos; do
		is "$1, $proto" "$(ask "$2" "$proto" "$4" "$5")" "$6"
	done
}
# silent DESC NS PROTO ADDRESS PORT: there is neither an answer nor an error
silent() {
	local protos=$3 proto

	[ "$protos" != both ] || protos='tcp udp'
	for proto in $protos; do
		is "$1, $proto" "$(ask "$2" "$proto" "$4" "$5" wait=0.7)" silence
	done
}

# no_answer DESC NS PROTO ADDRESS PORT: there is no answer, but there may be an error
no_answer() {
	local protos=$3 proto got

	[ "$protos" != both ] || protos='tcp udp'
	for proto in $protos; do
		got=$(ask "$2" "$proto" "$4" "$5" wait=0.7)
		case $got in silence | *refused* | *nreachable* | *'No route'*) got=none ;; esac
		is "$1, $proto" "$got" none
	done
}

# held NS PROTO ADDRESS PORT: a connection that asks again and again, in $HELD and $HELD_LOG
held() {
	bg "$1" "$PY" "$TOOLS/who.py" hold "${@:2}"
	HELD=$BG HELD_LOG=$BG_LOG
	retry 5 more_answers 3
}
more_answers() { [ "$(wc -l <"$HELD_LOG")" -ge "$1" ]; }
# goes_on: it still gets answers
goes_on() { retry 5 more_answers $(($(wc -l <"$HELD_LOG") + 5)); }
# ended: it got no more answers, and has given up
ended() { retry 8 gone; }
gone() { ! kill -0 "$HELD"; }
