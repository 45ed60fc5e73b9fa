#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# gateways_serve() of libtsw makes another ranked host serve, and back, while connections last. What
# show, diff, apply and check say; wrong calls, and calls that are killed.
#
#   red-a 10.0.0.1 ── h1 ╮                    ╭ up0 203.0.113.1
#   red-b 10.0.0.2 ── h2 ├ underlay     h1-h3 ┤ up0 203.0.113.2   out 203.0.113.9
#   red-c 10.0.0.3 ── h3 ╯                    ╰ up0 203.0.113.3
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_failover.sh"
. "$LIB/lib_kill.sh"

FLIP=${BUILD:-$ROOT/build}/flip
[ -x "$FLIP" ] || { echo "# $FLIP is missing: run 'make tests' first" && exit 1; }
SILENT=1 HOLD=3
three_outside
tenants blue 200
for host in h1 h2 h3; do
	for tenant in red blue; do
		sw $host gateway add $tenant ip $GATEWAY4/24 ip $GATEWAY6/64 host h1 host h2
	done
done

# Host indexes, as each host took them in topo_hosts' order; 0 is itself.
index() { # AT HOST
	local host n=0

	[ "$1" != "$2" ] || { echo 0 && return; }
	for host in "${HOSTS[@]}"; do
		[ "$host" = "$1" ] || n=$((n + 1))
		[ "$host" != "$2" ] || { echo $n && return; }
	done
}
# flip AT HOST [DRAIN [DOWN [WHY]]]: at AT, red's gateway is HOST's.
flip() { "$FLIP" "$1" 100 "$(index "$1" "$2")" "${3:-0}" "${4:-0}" "${5:-$SILENT}"; }
all_of() { map_dump "$1" gateways | gojq -c 'map([.key, .value])'; }

# ---- what is shown -----------------------------------------------------------------------
sw h3 save >$WORK/h3.json
blue() { map_dump h3 gateways | gojq -c '.[] | select(.key[0] == "0xc8").value'; }
before=$(blue)
check "h3 finds h1 silent" flip h3 h2 0 1
is "it is shown: who, why, who is dead" \
	"$(shown h3 '.[0] | [.host, .hosts, .flip, .down, .drain]')" \
	'["h2",["h1","h2"],"silent",["h1"],null]'
check "also as text" grep -q silent <<<"$(sw h3 gateway show red)"
is "another tenant's gateway is as it was" "$(blue)" "$before"
is "new connections go there" "$(leaves_by red-c)" h2
is "diff finds nothing" "$(sw h3 diff $WORK/h3.json)" ""
is "save has the same" "$(sw h3 save | diff - $WORK/h3.json)" ""
check "apply has nothing to do" sw h3 apply $WORK/h3.json
is "and leaves it" "$(shown h3 '.[0] | [.host, .flip]')" '["h2","silent"]'
sw h3 gateway set red resolver 203.0.113.9
is "another change leaves it" "$(shown h3 '.[0].host')" '"h2"'
sw h3 gateway set red host h1 host h2
is "who names hosts is obeyed" "$(shown h3 '.[0] | [.host, .flip]')" '["h1",null]'
sw h3 gateway set red resolver none
flip h3 h2 0 1
is "check is content" "$(sw h3 -j switch check | gojq -c .ok)" true
metric() { sw h3 metrics | grep "^$1" | sed 's/.* //'; }
is "metrics tell which serves" "$(metric 'tsw_tenant_gateway_rank{.*red')" 2
is "of each tenant" "$(metric 'tsw_tenant_gateway_rank{.*blue')" 1
is "and how many a backup serves" "$(metric tsw_gateways_flipped)" 1
check "graph: at h2, and h1 behind it" test "$(sw h3 graph tenant red |
	grep -c 'style=dashed, dir=none, label="rank [0-9]"')" = 1
is "nothing is pending" "$(shown h3 '.[0].pending')" null
since=$(shown h3 '.[0].flip_seconds')
check "the same again" flip h3 h2 0 1
check "began when it began" test "$(shown h3 '.[0].flip_seconds')" -ge "$since"
check "h1 is back, and held off" flip h3 h2 0 0 $HOLD
is "that is shown too" "$(shown h3 '.[0] | [.host, .flip, .down]')" '["h2","hold",null]'
check "it serves again" flip h3 h1
is "then nothing is told of it" "$(shown h3 '.[0] | [.host, .flip, .flip_seconds, .down]')" \
	'["h1",null,null,null]'

# ---- wrong calls ---------------------------------------------------------------------------
before=$(all_of h3)
got=0
said=$("$FLIP" h3 100 77 0 0 1 2>&1) || got=$?
is "a host that is no rank: status" $got 1
is "and why" "$said" "flip: -22: the host is not one of the gateway's hosts"
got=0
said=$("$FLIP" h3 100 0 0 0 1 2>&1) || got=$?
is "nor is this host one: status" $got 1
check "with -EINVAL" grep -qF "flip: -22:" <<<"$said"
is "nothing has changed" "$(all_of h3)" "$before"
check "tenants that are gone are passed over" "$FLIP" h3 999 1 0 0 1 100 2 0 1 1 998 1 0 0 1
is "and the others are not" "$(shown h3 '.[0].host')" '"h2"'
flip h3 h1
sw h3 gateway set blue host none
check_fails "a gateway that is everywhere has no ranks" "$FLIP" h3 200 0 0 0 1
sw h3 gateway set blue host h1 host h2

# ---- a backup that does not serve --------------------------------------------------------
# Its own container's traffic goes by h1: nothing of it gets out, or is noted, at h2.
capture leak h2 up0 'ip and (net 10.0.0.0/8 or src host 203.0.113.2)'
is "h2's own container leaves by h1" "$(leaves_by red-b)" h1
check "also a ping" reach red-b $SERVER4
capture_stop leak
is "nothing of it leaves h2 by its uplink" "$(captured leak)" 0

# ---- connections that last ---------------------------------------------------------------
bg out "$PY" -c 'import socketserver
class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(line)
socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer(("203.0.113.9", 7000), Echo).serve_forever()'
# shellcheck disable=SC2016 # expanded over there
talk='exec 3<>/dev/tcp/203.0.113.9/7000 || exit
while read -r line; do echo "$line" >&3; read -r -t 3 back <&3; echo "${back:-none}"; done'
listens() { on out ss -Htln "sport = 7000" | grep -q .; }
retry 10 listens
coproc OLD { on red-c bash -c "$talk" 2>/dev/null; }
says() { # IN OUT TEXT: comes back
	local answer=

	echo "$3" >&"$1" && read -r -t 8 answer <&"$2" && [ "$answer" = "$3" ]
}
old() { says "${OLD[1]}" "${OLD[0]}" "$1"; }
check "a connection by h1" old one
everywhere() { # HOST [WORD...]: all hosts hear of it
	local at

	for at in h1 h2 h3; do flip $at "$@" || return 1; done
}
check "all flip to h2" everywhere h2 60 0
check "the old connection goes on" old two
is "a new one goes by h2" "$(leaves_by red-c)" h2
check "all flip back" everywhere h1 60 0
check "the old connection goes on" old three
is "a new one goes by h1" "$(leaves_by red-c)" h1

# h3 takes h2 for the one that serves and h1 for dead; h2 knows better, and has no NAT for it.
check "h3 takes h1 for dead" flip h3 h2 0 1
check "what h1 holds goes on all the same: h2 sends it on" old four
check "h2 keeps in mind what it sent on" test "$(sent_on h2)" -ge 1
# What is under way, as an acknowledgement that waits, goes to h1 again before h2 takes over.
check "h3 hears of h1" flip h3 h1
check "h2 serves" flip h2 h2 0 1
is "and has forgotten it" "$(sent_on h2)" 0
is "with nothing pending" "$(shown h2 '.[0] | [.host, .flip, .pending]')" '["h2","silent",null]'
check "all are one again" everywhere h1
check "the old connection is well" old five

# ---- killed ----------------------------------------------------------------------------------
wrong=()
for ((n = 1; n < 100; n += ${KILL_STEP:-1})); do
	flip h2 h1
	flip h3 h2 0 1
	old "n$n" || wrong+=("$n: the connection is lost")
	[ "$(sent_on h2)" -ge 1 ] || wrong+=("$n: nothing to forget")
	flip h3 h1
	status=0
	"$KILLAT" $n "$FLIP" h2 100 0 0 1 1 >/dev/null 2>&1 || status=$?
	flip h2 h2 0 1
	[ "$(sent_on h2)" = 0 ] || wrong+=("$n: still in conntrack")
	[ "$(shown h2 '.[0] | [.host, .pending]')" = '["h2",null]' ] || wrong+=("$n: $(shown h2 .)")
	[ $status = 0 ] || break
done
check "there were calls to be killed at" test $n -gt 2
is "killed at, and not as it should be" "${wrong[*]}" ""
everywhere h1
check "all is in order" healthy h1 h2 h3
finish
