#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# full: watch/web asks the server of the page, unit_web has its guards; only a browser runs the page
#
#   Chromium ─ 127.0.0.1 ─► `tsw web` ─► switch of h1 ── h2      and h3, which is not there
#
# What the page shows, that it is alive, and what other pages and slow clients get.
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_browser.sh"

ODD='"><script>document.title=1<script>' # no name has a blank or a slash
LONG=$(printf 'x%.0s' {1..63})

topo h1 h2
tenants red 100 blue 200
populate h1 red-a blue-a blue-b h2 red-c
ip -n h1 link set lo up
sw h1 host add h3 ip 192.0.2.9
sw h1 tenant add "$ODD" id 300 description "$ODD </script><img src=x onerror=document.title=1>"
sw h1 endpoint add "$LONG" tenant "$ODD" mac 02:00:00:00:00:09 ip 10.0.0.9 host h2
sw h1 tenant set red flows on
sw h1 gateway add red ip 10.2.0.254/24
sw h1 publish add red proto tcp port 5080 to 10.0.0.1:80
bg h1 "$TSW" -n h1 web
WEB=$BG
retry 5 grep -q '#' "$BG_LOG"
URL=$(sed 's/^url //' "$BG_LOG")
check "reachable" reach red-a 10.0.0.3
# What is dropped is seen in the next sample.
on red-a ip address add 10.0.0.66/24 dev eth0
on red-a ping -I 10.0.0.66 -c 20 -i 0.02 -W 1 10.0.0.3 >/dev/null || true
is "frames are dropped" "$(js h1 stats drops '[.[] | select(.reason == "spoofed_ip")] | length > 0')" true

# ---- what is shown
dropped() { browse h1 "$URL" && shown drops | grep -q spoofed_ip; }
check "drops by reason" retry 30 dropped
shows "another host answers" hosts '^h2 \| 192.0.2.2 \| ● answers \| 1,500 \| 2$'
shows "one does not" hosts '^h3 \| 192.0.2.9 \| ▲ does not answer '
shows "a tenant" tenants '^red \| 100 \| vxlan \| 1,450 \| 2 \| '
check "an odd name and description as they are" grep -qF \
	"$ODD | 300 | vxlan | 1,450 | 1 | – | 0 | $ODD </script><img src=x onerror=document.title=1>" \
	<<<"$(shown tenants)"
shows "a gateway" gateways '^red \| 10.2.0.254/24 \| each host \| – \| on \| ● all its hosts answer$'
shows "how many" cards '^Endpoints$'
is "no name became an element" "$("$PY" "$TOOLS/dom.py" $WORK/dom --tags | grep -E '^(script|img) ')" \
	"script 1"
is "nor ran" "$(shown name)" "tsw h1"
check "nothing is refused or wrong in the browser's console" sh -c "! grep -a CONSOLE $WORK/browser.log"
check_fails "the token is not in the document" grep -q "${URL#*#}" $WORK/dom

browse h1 "$URL/endpoints"
shows "an endpoint" list '^c \| red \| 10.0.0.3 \| 02:00:00:00:00:03 \| host h2 \| ● ok$'
shows "a long name" list "^$LONG \\|"
shows "all of them" pages '1–5 of 5'
browse h1 "$URL/flows"
shows "a flow" flow-list '^red \| 10.0.0.1 \(a\) \| 10.0.0.3 \(c\) \| icmp \| out \| .* ● forwarded '
browse h1 "$URL/graph"
shows "the graph has a host" drawing 'h1, this host +192.0.2.1'
shows "and an endpoint" drawing 'c \| 10.0.0.3'
shows "and a published port" drawing 'tcp 5080 → 10.0.0.1:80'
ip -n red-a link set eth0 down
ip -n h1 link del red-a
browse h1 "$URL"
shows "what switch check finds" problems 'red/a'

# ---- it is alive
browse_while() { # COMMAND...: runs while the page is open, for 400 s of its own time
	browse h1 "$URL" 400000 &
	sleep 3
	"$@"
	wait $!
}
browse_while sw h1 tenant add later id 400
shows "a tenant that comes while it is open" tenants '^later '
sw h1 tenant del later

# ---- other pages
mkdir $WORK/evil
cat >$WORK/evil/index.html <<END
<p id="got"></p><p id="script">blocked</p>
<iframe src="http://127.0.0.1:8480/"></iframe>
<script src="http://127.0.0.1:8480/page.js" onload="document.getElementById('script').textContent = 'run'"></script>
<script>
const say = text => document.getElementById('got').append(text + ' ');
for (const [name, options] of Object.entries({
		plain: {}, cookies: {credentials: 'include'}, post: {method: 'POST', body: 'x'},
		token: {headers: {Authorization: 'Bearer ${URL#*#}'}}}))
	fetch('http://127.0.0.1:8480/api/status', options).then(
		a => a.text().then(t => say(name + '=' + t)), () => say(name + '=nothing'));
fetch('http://127.0.0.1:8480/api/status', {mode: 'no-cors'}).then(
	a => a.text().then(t => say('opaque=' + t)), () => say('opaque=nothing'));
</script>
END
bg h1 "$PY" -m http.server --bind 127.0.0.1 --directory $WORK/evil 9000
retry 5 on h1 sh -c 'ss -Hltn sport = 9000 | grep -q .'
browse h1 http://127.0.0.1:9000/
is "another page gets nothing, even with the token" \
	"$(shown got | tr ' ' '\n' | sed 's/opaque=$/opaque=nothing/' | sort | tr '\n' ' ')" \
	"cookies=nothing opaque=nothing plain=nothing post=nothing token=nothing "
is "nor its scripts" "$(shown script)" blocked
BROWSER=(--host-resolver-rules='MAP evil.example 127.0.0.1')
browse h1 "http://evil.example:8480/#${URL#*#}"
check "nor one that gave its name this address" grep -q 'only by the name' $WORK/dom
BROWSER=()
browse h1 http://127.0.0.1:8480/
shows "without a token it says so" error 'open the URL that tsw web printed'
browse h1 "http://127.0.0.1:8480/#$(tr 0-9a-f a-f0-9 <<<"${URL#*#}")"
shows "with a wrong one, too" error 'the token is missing or wrong'

# ---- a request that never ends
check "an octet a second: it is ended" on h1 "$PY" "$TOOLS/web_clients.py" slow 8480 60

# ---- the server ends while the page is open
browse_while stop $WEB
shows "the page says so" error 'tsw web does not answer'
finish
