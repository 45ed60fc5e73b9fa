#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   curl ─ 127.0.0.1 ─► `tsw web` ─► tsw -j ... ─► switch of h1 ── h2
#
# Who may ask `tsw web` and who may not; what it answers; that it changes nothing.
. "$(dirname "$0")/../../lib.sh"

NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups)
ODD='"><script>alert(1)<script>' # no name has a blank or a slash

topo h1 h2
tenants red 100 blue 200
populate h1 red-a blue-a blue-b h2 red-c
ip -n h1 link set lo up
on h1 sysctl -qw net.ipv6.conf.lo.disable_ipv6=0
sw h1 tenant add "$ODD" id 300 description "$ODD </script> <b>"
sw h1 endpoint add "$ODD" tenant "$ODD" mac 02:00:00:00:00:09 host h2

# ---- what is refused at once
touch $WORK/file
"$PY" -c "import socket; socket.socket(socket.AF_UNIX).bind('$WORK/left')"
bg h1 "$PY" -m http.server --bind 127.0.0.1 8099
retry 5 on h1 sh -c 'ss -Hltn sport = 8099 | grep -q .'
web_refused() { refuses "$1" "$2" "$3" timeout 20 "$TSW" -n h1 web "${@:4}"; }
web_refused "port 99999" 2 '"99999"' port 99999
web_refused "port 0" 2 '"0"' port 0
web_refused "an address that others reach" 2 '"192.0.2.1"' listen 192.0.2.1
web_refused "any address" 2 '"::"' listen ::
web_refused "no address" 2 '"here"' listen here
web_refused "a socket and a port" 2 'stands alone' socket $WORK/s port 80
web_refused "a long path" 2 '1 to 107 octets' socket "/$(printf 'x%.0s' {1..200})"
web_refused "no path" 2 '1 to 107 octets' socket ''
web_refused "a directory that is missing" 1 'No such file' socket $WORK/none/s
web_refused "a port in use" 1 'Address already in use' port 8099
web_refused "a file that exists" 1 'name another file' socket $WORK/file
web_refused "a socket that exists" 1 'if no other tsw web uses it, remove it' socket $WORK/left
check "which are still there" test -f $WORK/file -a -S $WORK/left
refuses "no switch" 1 'no switch' "$TSW" -i nothing web
refuses "no cluster" 1 'no member of a cluster' "$TSW" -n h1 -c web
refuses "not root" 1 'needs' on h1 "${NOBODY[@]}" "$TSW" -i h1 web
batch() { printf 'tenant add more id 400\nweb\n' | "$TSW" -n h1 -b -; }
refuses "in a batch that changes the switch" 2 'cannot be in a batch' batch
sw h1 tenant del more

# ---- by TCP
bg h1 "$TSW" -n h1 web
WEB=$BG LOG=$BG_LOG
retry 5 grep -q '#' "$LOG"
TOKEN=$(sed 's/.*#//' "$LOG")
is "the URL with a token" "$(sed 's/#.*//' "$LOG") ${#TOKEN}" "url http://127.0.0.1:8480/ 64"

# get PATH [OPTION]...: the status, and the answer in $WORK/got
get() { on h1 curl -s -m 20 --path-as-is -o $WORK/got -w '%{http_code}' "${@:2}" "http://127.0.0.1:8480$1" || true; }
AUTH=(-H "Authorization: Bearer $TOKEN")
status() { is "$1" "$(get "${@:3}")" "$2"; } # DESC STATUS PATH [OPTION]...
answer() { get "$1" "${AUTH[@]}" >/dev/null && gojq -cr "$2" $WORK/got; }
strip() { gojq -c 'walk(if type == "object" then del(.packets, .bytes, .drops, .last) else . end)'; }

for part in 'status:status' 'tenants:-s tenant show' 'gateways:gateway show' 'graph:graph' \
	'check:switch check' 'flows:flows show top 100'; do
	status "${part%%:*} is answered" 200 "/api/${part%%:*}" "${AUTH[@]}"
	# shellcheck disable=SC2086 # words
	is "as by tsw -j ${part#*:}" "$(strip <$WORK/got)" "$(sw h1 -j ${part#*:} | strip)"
done
is "all endpoints" "$(answer /api/endpoints '"\(.total) \(.endpoints | length)"')" "5 5"
is "as by tsw -j endpoint show" "$(answer /api/endpoints .endpoints)" \
	"$(sw h1 -j endpoint show | gojq -c .)"
is "those of a tenant" "$(answer '/api/endpoints?tenant=blue' '[.endpoints[].name] | join(" ")')" "a b"
is "from the second on" "$(answer '/api/endpoints?tenant=blue&from=1' \
	'"\(.total) \(.endpoints[].name)"')" "2 b"
is "with a text in them" "$(answer '/api/endpoints?text=0.0.3' '.endpoints[].name')" c
is "behind the end" "$(answer '/api/endpoints?from=4294967295' '"\(.total) \(.endpoints)"')" "5 []"
is "of an odd name" "$(get /api/endpoints "${AUTH[@]}" -G --data-urlencode "tenant=$ODD") $(
	gojq -r '.endpoints[].name' $WORK/got)" "200 $ODD"
for from in -1 x 99999999999 1e3; do status "from=$from" 400 "/api/endpoints?from=$from" "${AUTH[@]}"; done
status "no such part" 404 /api/save "${AUTH[@]}"
status "no cluster" 503 /api/cluster "${AUTH[@]}"
check "which says why" gojq -e '.error | test("no member of a cluster")' $WORK/got

# ---- the page has no secret and asks nobody else
for path in / /page.js /page.css; do
	status "$path needs no token" 200 $path -D $WORK/head
	check "$path: nothing foreign" grep -q "^Content-Security-Policy: default-src 'none';" $WORK/head
	check_fails "$path: no URL elsewhere" sh -c "grep -oE '(https?:)?//[a-z0-9.]+' $WORK/got | grep -v '^http://www.w3.org$'"
done
get /page.js >/dev/null
check_fails "no text becomes HTML" \
	grep -qE '(inner|outer)HTML|insertAdjacent|document.write|eval\(|Function\(' $WORK/got
for path in /../../etc/passwd /%2e%2e/%2e%2e/etc/passwd //etc/passwd /api/../page.js /page.js/ \
	/api/ /api/status/ /api//status /api/%00 "/$(printf 'a%.0s' {1..4000})"; do
	status "${path:0:30} is nothing" 404 "$path" "${AUTH[@]}"
done

# ---- who has no token
status "no token" 401 /api/status
status "a user without it" 401 /api/status
is "another user" "$(on h1 "${NOBODY[@]}" curl -s -m 20 -w '%{http_code}' -o /dev/null \
	http://127.0.0.1:8480/api/status)" 401
for wrong in "${TOKEN:0:63}" "${TOKEN}0" "${TOKEN:1}${TOKEN:0:1}" "$(tr 0-9a-f a-f0-9 <<<"$TOKEN")" ''; do
	status "a wrong token of ${#wrong}" 401 /api/status -H "Authorization: Bearer $wrong"
done
status "as another scheme" 401 /api/status -H "Authorization: Basic $TOKEN"
status "in the URL" 401 "/api/status?token=$TOKEN" -H "Cookie: token=$TOKEN"
check "no part tells it" sh -c "! grep -rqF $TOKEN $WORK/got"
check "nor the list of processes" sh -c "! tr '\\0' ' ' </proc/$WEB/cmdline | grep -qF $TOKEN"

# ---- other pages of a browser
for host in evil.example evil.example:8480 127.0.0.1.evil.example localhost.evil.example \
	localhost:evil 192.0.2.1:8480 'localhost:' '[::1' ''; do
	status "by the name \"$host\"" 403 / -H "Host: $host"
done
for host in localhost LOCALHOST:8480 127.0.0.1:1 '[::1]:65535'; do
	status "by the name $host" 200 / -H "Host: $host"
done
for origin in http://evil.example https://127.0.0.1:8480 http://127.0.0.1:80 null; do
	status "from the page $origin" 403 /api/status "${AUTH[@]}" -H "Origin: $origin"
done
status "from itself" 200 /api/status "${AUTH[@]}" -H "Origin: http://127.0.0.1:8480"

# ---- nothing can be changed
before=$(sw h1 save)
for method in POST PUT DELETE PATCH HEAD OPTIONS TRACE CONNECT get X; do
	head="$method /api/tenants HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Bearer $TOKEN"
	is "$method" "$(on h1 "$PY" "$TOOLS/web_clients.py" raw 8480 "$head\\r\\n\\r\\n")" \
		"HTTP/1.1 405 Method Not Allowed"
done
status "with a body" 400 /api/status "${AUTH[@]}" -X GET -d '{"name":"x"}'
status "with pieces of one" 400 /api/status "${AUTH[@]}" -X GET -H 'Transfer-Encoding: chunked' -d x
is "nothing has changed" "$(sw h1 save)" "$before"

# ---- malformed requests
raw() { # DESC PATTERN TEXT: the first line of the answer, or none
	local line

	line=$(on h1 "$PY" "$TOOLS/web_clients.py" raw 8480 "$3")
	# shellcheck disable=SC2053 # a pattern
	if [[ $line == $2 ]]; then ok "$1"; else
		not_ok "$1"
		note "$line"
	fi
}
raw "no Host" 'HTTP/1.1 40[03]*' 'GET / HTTP/1.1\r\n\r\n'
raw "no Host in HTTP/1.0" 'HTTP/1.* 403*' 'GET / HTTP/1.0\r\n\r\n'
raw "a long header" '*4[13][314]*' "GET / HTTP/1.1\\r\\nHost: localhost\\r\\nX: $(printf 'a%.0s' {1..40000})\\r\\n\\r\\n"
raw "a long path" '*4[13][314]*' "GET /$(printf 'a%.0s' {1..40000}) HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n"
raw "no HTTP" '*' '\x16\x03\x01\x02\x00\x01\r\n\r\n'
status "a line's end in a word" 200 '/api/endpoints?tenant=x%0d%0aX-Bad:%20yes' "${AUTH[@]}" -D $WORK/head
check_fails "adds no header" grep -qi x-bad $WORK/head

# ---- clients that take all places
check "1,000 connections: one with the token is answered" \
	on h1 "$PY" "$TOOLS/web_clients.py" many 8480 "$TOKEN" 1000
retry 5 sh -c "[ \$(ls /proc/$WEB/fd | wc -l) -lt 30 ]"
check "they are gone" sh -c "[ \$(ls /proc/$WEB/fd | wc -l) -lt 30 ]"

# ---- from elsewhere
unreached() { ! on "$1" curl -s -m 2 -o /dev/null "http://$2:8480/"; }
check "not from another host" unreached h2 192.0.2.1
check "not from a container" unreached red-a 192.0.2.1
check "nor as its own" unreached red-a 127.0.0.1

# ---- how it lives
sw h1 switch down
sleep 1.1
status "the switch is gone" 503 /api/gateways "${AUTH[@]}"
check "it says so" gojq -e '.error | test("no switch")' $WORK/got
check "no map of it is held" sh -c "! ls -l /proc/$WEB/fd | grep -q bpf"
sw h1 switch up dev eth0 name h1
sleep 1.1
status "it is back" 200 /api/gateways "${AUTH[@]}"
stop $WEB
status "it has ended" 000 /
bg h1 "$TSW" -n h1 -j web listen ::1 port 8481
retry 5 grep -q url "$BG_LOG"
is "in JSON, by IPv6" "$(gojq -r '.url | sub("#.*"; "")' "$BG_LOG")" 'http://[::1]:8481/'
is "which answers" "$(on h1 curl -s -g -o /dev/null -w '%{http_code}' 'http://[::1]:8481/')" 200
kill $BG
ends_well "it ends well"

# ---- by a socket
bg h1 "$TSW" -n h1 web socket $WORK/s
retry 5 test -S $WORK/s
by_socket() { # COMMAND... that runs curl; the status
	"$@" curl -s -m 20 -o $WORK/got -w '%{http_code}' --unix-socket $WORK/s \
		http://localhost/api/tenants
}
is "only root may use it" "$(stat -c '%a %u' $WORK/s)" "600 0"
is "root needs no token" "$(by_socket env)" 200
chmod 755 $WORK
check_fails "another user cannot connect" by_socket "${NOBODY[@]}"
chmod 666 $WORK/s
chmod 777 $WORK/got
is "nor where somebody changed the mode" "$(by_socket "${NOBODY[@]}")" 403
is "the name is looked at" "$(on h1 curl -s -o /dev/null -w '%{http_code}' --unix-socket $WORK/s http://evil.example/)" 403
refuses "two at once" 1 'exists already' "$TSW" -n h1 web socket $WORK/s
kill $BG
ends_well "SIGTERM ends it well"
check_fails "the file is gone" test -e $WORK/s
bg h1 "$TSW" -n h1 web socket $WORK/s
retry 5 test -S $WORK/s
mv $WORK/s $WORK/s.old
touch $WORK/s
kill -INT $BG
ends_well "SIGINT, too"
check "another's file stays" test -f $WORK/s

finish
