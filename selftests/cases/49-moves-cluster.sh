#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red vm 10.0.0.1, first here ─ h1 ┐
#                                    ├─ h3 ─ red p 10.0.0.3      members of a cluster, with agents
#   red vm 10.0.0.1, then here ── h2 ┘
#
# The members are told of both places each by itself; agents leave that in peace, and settle it when
# the record says where the endpoint is.
. "$(dirname "$0")/../lib.sh"
. "$LIB/lib_etcd.sh"
. "$LIB/lib_cluster.sh"

cluster_up h1 h2 h3
agent h1 h2 h3
VM=02:00:00:00:00:01
container red vm h1 10.0.0.1/24 endpoint off
container red new h2 10.0.0.1/24 mac $VM endpoint off
container red p h3 10.0.0.3/24 endpoint off
sw h1 -c tenant add red id 100 net 10.0.0.64/26
sw h1 -c endpoint add vm tenant red mac $VM ip 10.0.0.1 dev red-vm
# A member knows a tenant that has an endpoint there.
for host in h1 h2; do
	sw h1 -c endpoint add on-$host tenant red mac auto ip auto host $host >/dev/null
done
sw h3 -c endpoint add p tenant red mac 02:00:00:00:00:03 ip 10.0.0.3 dev red-p
check "all know" in_step h1
check "p reaches it" reach red-p 10.0.0.1

place() { # HOST
	sw "$1" -j endpoint show vm tenant red |
		gojq -c '.[0] | [.dev, .host, .to_dev, .to_host, .moved] | map(select(. != null))'
}
places() { echo "$(place h1) $(place h2) $(place h3)"; }
check_fails "not without -f" sw h1 endpoint set vm tenant red to-host h2
is "nor by the record" \
	"$({ sw h1 -j -c endpoint set vm tenant red to-host h2 2>/dev/null || true; } | gojq -r .code)" EINVAL
sw h2 -f endpoint set vm tenant red to-dev red-new
sw h1 -f endpoint set vm tenant red to-host h2
sw h3 -f endpoint set vm tenant red to-host h2
before='["red-vm","h2",false] ["h1","red-new",false] ["h1","h2",false]'
is "told of both" "$(places)" "$before"
sw h1 -c endpoint add other tenant red mac auto ip 10.0.0.9 host h2 >/dev/null
check "records go on" in_step h1
for host in h1 h2 h3; do agent_end $host; done
agent h1 h2 h3
check "agents begin anew, and compare all" in_step h1
is "that changes nothing of it" "$(places)" "$before"

inject red-new eth0 eth src=$VM dst=ff:ff:ff:ff:ff:ff / \
	arp op=1 sha=$VM spa=10.0.0.1 tpa=10.0.0.1
check "p reaches it where it is now" reach red-p 10.0.0.1
moved='["red-vm","h2",true] ["h1","red-new",true] ["h1","h2",true]'
is "all have followed" "$(places)" "$moved"
sw h1 -c endpoint del other tenant red
check "records go on" in_step h1
is "what has moved stays" "$(places)" "$moved"
sw h2 -c endpoint set vm tenant red dev red-new
check "the record says so" in_step h1
is "one place again" "$(places)" '["h2"] ["red-new"] ["h2"]'
check "p reaches it" reach red-p 10.0.0.1
for host in h1 h2 h3; do
	is "$host: all is well" "$(sw $host -j switch check | gojq -c .problems)" "[]"
done

check "a domain" sw h3 -c tenant set red domain corp.example
check "all are in step" in_step h1
for host in h1 h2 h3; do
	is "$host has it" "$(sw $host -j tenant show red | gojq -r '.[0].domain')" corp.example
done

# ---- libvirt's hook, by the records -------------------------------------------------------------

HOOK=$ROOT/contrib/libvirt/qemu
hook() { # HOST OPERATION
	on "$1" unshare --mount bash -c "echo '$TSW -i $1 -c' >$WORK/words &&
		touch /etc/tsw/libvirt &&
		mount --bind $WORK/words /etc/tsw/libvirt && exec '$HOOK' web '$2' begin -" <<-END
		<domain><metadata><tsw:interfaces xmlns:tsw='urn:tenant-switch:libvirt:1'>
		<tsw:interface dev='tap-web' tenant='red' ip='10.0.0.20'/>
		</tsw:interfaces></metadata>
		<devices><interface type='ethernet'><mac address='02:00:00:00:00:20'/>
		<target dev='tap-web' managed='no'/></interface></devices></domain>
	END
}
record() { sw h3 -j -c endpoint show web tenant red | gojq -c '.[0] | [.host, .dev]'; }
taps() {
	local on_h1 on_h2
	on_h1=$(ip -n h1 -br link show type tun | wc -l)
	on_h2=$(ip -n h2 -br link show type tun | wc -l)
	echo "$on_h1 $on_h2"
}
check "a VM begins on h1" hook h1 prepare
is "its record is there" "$(record)" '["h1","tap-web"]'
check_fails "h2 does not await its migration" hook h2 migrate
check "it begins on h2, by a tap of the same name" hook h2 prepare
is "and so is its record" "$(record)" '["h2","tap-web"]'
check "h1 releases it" hook h1 release
is "which is not its own any more" "$(record) $(taps)" '["h2","tap-web"] 0 1'
check "h2 releases it" hook h2 release
check_fails "no record is left" record
is "and no tap" "$(taps)" "0 0"
finish
