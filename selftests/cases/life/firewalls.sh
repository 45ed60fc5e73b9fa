#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: life/repaired repairs what others flush; gateway/foreign-mark drops all in the host
# long: a minute
#
#   red-a ─ h1 up0 203.0.113.1 ─╮                      h1: firewalld, then ufw
#            ║ wire             ├─ out 203.0.113.9     red's gateway: h1
#   red-b ─ h2 up0 203.0.113.2 ─╯                      blue's: h2, then h1
#   blue-b ─╯
#
# firewalld and ufw themselves, at a host with gateways, published ports and an agent. Whatever they
# are told, tenants lose no frame and no connection, and the agent has nothing to repair. Their
# usual rules keep out UDP super-frames of tunnels, and the words of docs/operations.md let them in.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_etcd.sh"
. "$LIB/lib_cluster.sh"
. "$LIB/lib_outside.sh"
. "$LIB/lib_gateway.sh"
. "$LIB/lib_managers.sh"
managers "firewalld and ufw" firewalld ufw dbus-daemon

cluster_up h1 h2
outside h1 h2
agent h1 h2
tenants_() { # TENANT ID HOST... : the gateway's
	check "tenant $1" sw h1 -c tenant add "$1" id "$2"
	check "its gateway" sw h1 -c gateway add "$1" ip $GATEWAY4/24 "${@:3}"
}
tenants_ red 100 host h1
tenants_ blue 200 host h2 host h1 snat 203.0.113.88
for at in red-a@h1=1 red-b@h2=2 blue-b@h2=2; do
	ns=${at%@*} host=${at#*@} n=${at#*=}
	container "${ns%-*}" "${ns#*-}" "${host%=*}" "10.0.0.$n/24" endpoint off
	check "$ns" sw "${host%=*}" -c endpoint add "${ns#*-}" tenant "${ns%-*}" dev "$ns" \
		mac "$(mac_of "10.0.0.$n")" ip "10.0.0.$n"
	ip -n "$ns" route add default via $GATEWAY4
done
check "a published port" sw h1 -c publish add red proto tcp port 8080 to 10.0.0.1:80
in_step h1
in_step h2
serve out 7
serve red-a 80
ip -n out route add 203.0.113.88 via 203.0.113.2

# What the switch has at h1, and in the router.
have() {
	ip -n h1 route show table all proto 116
	ip -n h1 -o addr | grep ' tsw-' || true
	on h1 sh -c 'grep . /proc/sys/net/ipv*/conf/tsw-*/forwarding'
	router h1 nft -s list ruleset
	router h1 ip rule
	router h1 ip route show table all
}

ping_out() { on h1 ping -n -c 1 -W 1 $SERVER4; }

# told DESC COMMAND...: h1's firewall is told so, and two seconds later tenants have lost nothing.
told() {
	check "$1" on h1 "${@:2}"
	sleep 2
	check "  red goes on to the world" goes_on_of "$TO_WORLD"
	check "  the world goes on to the published port" goes_on_of "$FROM_WORLD"
	is "  and so do new ones" \
		"$(ask red-a tcp $SERVER4 7), $(ask out tcp 203.0.113.1 8080)" \
		"out 203.0.113.1, red-a 203.0.113.9"
	is "  the switch has the same" "$(have)" "$before"
	check "  and nothing is wrong" sw h1 switch check
}
goes_on_of() { HELD_LOG=$1 goes_on; }

# What others' rules may keep out: UDP super-frames from h2, and what h2's agent tells of flows.
# Both agents send each 10 s, so to the firewall these are answers.
super_frames() { xfer red-b red-a udpgso 10.0.0.1 count=20; }
heard_of() { [ "$(metric h1 tsw_agent_flows_received_total)" -gt "$1" ]; }
let_in() {
	local was

	"$1" "  UDP super-frames come in" super_frames
	was=$(metric h1 tsw_agent_flows_received_total)
	is "  blue leaves by h2" "$(ask blue-b tcp $SERVER4 7)" "out 203.0.113.88"
	check "  whose agent tells h1 of the flow" retry 15 heard_of "$was"
}

before=$(have)
held red-a tcp $SERVER4 7
TO_WORLD=$HELD_LOG
held out tcp 203.0.113.1 8080
FROM_WORLD=$HELD_LOG
pings red-b 10.0.0.1
let_in check

# ---- firewalld -------------------------------------------------------------------------

ln -s org.fedoraproject.FirewallD1.server.policy.choice \
	/usr/share/polkit-1/actions/org.fedoraproject.FirewallD1.policy # as postinst does
bus 2>/dev/null
bg h1 firewalld --nofork --nopid
firewalld=$BG
running() { on h1 firewall-cmd --state; }
check "firewalld runs" retry 20 running
told "its rules are there" nft list table inet firewalld
let_in check_fails
told "firewall-cmd --permanent --add-port" firewall-cmd --permanent --add-port=4789/udp
told "--reload" firewall-cmd --reload
let_in check
told "--complete-reload" firewall-cmd --complete-reload
told "--add-masquerade" firewall-cmd --add-masquerade
told "--add-interface tsw-gw to zone drop" firewall-cmd --zone drop --add-interface tsw-gw
told "--panic-on" firewall-cmd --panic-on
check_fails "h1 itself reaches nobody" ping_out
check_fails "  nor the store" sw h1 -w 2 -c tenant show
check "a record that changes meanwhile" sw h2 -c endpoint set b tenant red ip 10.0.0.2 ip 10.0.0.22
told "--panic-off" firewall-cmd --panic-off
now=${EPOCHREALTIME/./}
comes "h1 follows the store again" '["10.0.0.2","10.0.0.22"]' js h1 endpoint show b tenant red '.[0].ip'
note "after $(((${EPOCHREALTIME/./} - now) / 1000)) ms"
stop $firewalld
told "firewalld ends" true
on h1 nft flush ruleset

# ---- ufw -------------------------------------------------------------------------------

cp /usr/share/ufw/iptables/*.rules /usr/share/ufw/{before.init,after.init,ufw.conf} /etc/ufw
told "ufw enable" ufw --force enable
let_in check_fails
told "ufw allow" ufw allow proto udp from 192.0.2.0/24 to any port 4789
told "ufw reload" ufw reload
let_in check
told "ufw disable" ufw disable
told "ufw enable" ufw --force enable
told "ufw reset" ufw --force reset
told "ufw's flush-all" /usr/lib/ufw/ufw-init flush-all

lost_none "red to red all the time"
is "the agent had nothing to repair" \
	"$(grep -cE ': (repaired|cannot repair|broken again)' "${AGENT_LOG[h1]}" || true)" 0
finish
