#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a 10.0.0.1 ── h1 192.0.2.1 ═ HTB, fq ═ 192.0.2.2 h2 ── red-c 10.0.0.3
#   x0 ─ x1 ╯         blue-a ╯                                 ╰ blue-c 10.0.0.3
#
# A container's root, which may load programs, sends by redirect_peer and writes the priority and
# the time of its frames, which the host's queues read. They must not choose how the host sends
# them.
. "$(dirname "$0")/../../lib.sh"

topo_standard
for host in h1 h2; do sw $host tenant set blue encap gre; done
for tenant in red blue; do
	ip -n $tenant-a link add x0 type veth peer name x1
	sysctl_in $tenant-a net.ipv6.conf.{x0,x1}.disable_ipv6=1
	ip -n $tenant-a link set x0 up
	ip -n $tenant-a link set x1 up
	check "$tenant reaches $tenant" reach $tenant-a 10.0.0.3
	check "$tenant reaches $tenant, IPv6" reach $tenant-a fd00::3
done
quiet h1 h2

beside() { # TENANT WORD=VALUE: from now on
	local target

	target=$(ip -n "$1-a" -j link show eth0 | gojq '.[0].ifindex')
	clang -O2 -g -target bpf -I"/usr/include/$(uname -m)-linux-gnu" -DTARGET="$target" "-D$2" \
		-c "$TOOLS/beside.bpf.c" -o "$WORK/beside.o"
	on "$1-a" tc qdisc replace dev x1 clsact
	on "$1-a" tc filter replace dev x1 ingress prio 1 handle 1 bpf da obj "$WORK/beside.o" sec tc
}
send() { # TENANT N IP-LAYER...: to c
	inject "$1-a" x0 -c "$2" eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 / "${@:3}" / \
		udp dport=9 / text BESIDE
}
sent() { stat_of h1 "$1" tunnel_tx; } # TENANT
sends() { # TENANT N IP-LAYER...
	local before

	before=$(sent "$1")
	send "$@"
	retry 5 [ "$(sent "$1")" -ge $((before + $2)) ]
}

# ---- the time of arrival is the receiver's to know -------------------------------------------

came() { # NS ADDRESS: seconds from a datagram's arrival there to its reading, by the kernel's note
	on "$1" "$PY" - "$2" <<-'END'
		import select, socket, struct, sys, time
		family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
		receiver = socket.socket(family, socket.SOCK_DGRAM)
		receiver.bind((sys.argv[1], 9))
		receiver.setsockopt(socket.SOL_SOCKET, 35, 1)  # SO_TIMESTAMPNS
		receiver.setblocking(False)
		print("ready", flush=True)
		select.select([receiver], [], [], 10)
		time.sleep(0.5)
		seconds, ns = struct.unpack("qq", receiver.recvmsg(1, 64)[1][0][2])
		print("noted" if time.time() - seconds - ns / 1e9 > 0.4 else "not noted", flush=True)
	END
}
for at in red-b=10.0.0.2 red-b=fd00::2 red-c=10.0.0.3 red-c=fd00::3; do
	: >$WORK/came
	came ${at%=*} ${at#*=} >$WORK/came &
	retry 5 grep -q ready $WORK/came
	on red-a bash -c "echo >/dev/udp/${at#*=}/9"
	check "${at/=/, }: told when a datagram came" retry 5 grep -qx noted $WORK/came
	wait $!
done

# ---- priority: the class ---------------------------------------------------------------------

tc -n h1 qdisc add dev eth0 root handle 1: htb default 20
tc -n h1 class add dev eth0 parent 1: classid 1:10 htb rate 100mbit quantum 3000
tc -n h1 class add dev eth0 parent 1: classid 1:20 htb rate 1gbit quantum 3000
packets() { # CLASSID
	tc -n h1 -s class show dev eth0 | awk -v c="$1" '$3 == c { on = 1 } on && $1 == "Sent" {
		print $4; exit }'
}
for tenant in red blue; do
	beside $tenant PRIORITY=0x00010010
	check "$tenant, IPv4, a class of the host's" sends $tenant 10 ip src=10.0.0.1 dst=10.0.0.3
	check "$tenant, IPv6" sends $tenant 10 ip6 src=fd00::1 dst=fd00::3
	# Not IP, so by the kernel's device where there is one.
	inject $tenant-a x0 -c 10 eth src=02:00:00:00:00:01 dst=02:00:00:00:00:03 type=0x88b5 / \
		pad 50
	is "$tenant: none came into that class" "$(packets 1:10)" 0
done
tc -n h1 qdisc del dev eth0 root

# ---- the time to send ------------------------------------------------------------------------

pings() { on blue-a ping -n -q -c 20 -i 0.05 -W 2 10.0.0.3 >$WORK/ping; }
if tc -n h1 qdisc add dev eth0 root fq limit 400 2>$WORK/fq.err; then
	for family in 'ip src=10.0.0.1 dst=10.0.0.3' 'ip6 src=fd00::1 dst=fd00::3'; do
		beside red SECONDS=8
		# shellcheck disable=SC2086 # words
		check "red, ${family%% *}: 600 frames for later" sends red 600 $family
		check "blue is not kept waiting behind them" pings
		beside red ARRIVED=8
		# shellcheck disable=SC2086 # words
		check "red, ${family%% *}: 600 frames that came later" sends red 600 $family
		check "blue is not kept waiting behind these" pings
	done
	tc -n h1 qdisc del dev eth0 root
else
	skip "red sends for later, blue is not kept waiting" "$(<$WORK/fq.err)"
fi
finish
