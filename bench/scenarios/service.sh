#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Title: A long-running service: one page of an apache2, by httping and by wrk
# Quick: no
#
#    h1 192.0.2.1 ───────────── 192.0.2.2 h2     host: from h1 to h2, no container at all
#      ├ httping, wrk            apache2   ┤     each other peer: a container on either
#
# httping opens a connection for each page, wrk keeps 16.
. "$(dirname "$0")/../lib.sh"
. "$BENCH/peers.sh"
APART=1

PEERS=(host tsw tsw-gre bridge routed macvlan tun ovs)
[ -z "$QUICK" ] || PEERS=(host tsw bridge)
PAGES=$((100 * SECONDS_EACH))

scenario service 'A page of a web server'
needs apache2 apache2-bin
needs httping httping
needs wrk wrk
topo_hosts h1 h2
peer_make "${PEERS[@]}"

# A server of its own in each namespace, with nothing but a page of 10 KiB.
apache() { # NS
	local dir=$WORK/apache-$1 modules=/usr/lib/apache2/modules

	mkdir -p "$dir/htdocs"
	chmod -R a+rX $WORK "$dir"
	head -c 10240 /dev/zero | tr '\0' x >"$dir/htdocs/index.html"
	cat >"$dir/conf" <<-END
		ServerRoot $dir
		ServerName page
		PidFile $dir/pid
		ErrorLog $dir/errors
		DefaultRuntimeDir $dir
		LoadModule mpm_event_module $modules/mod_mpm_event.so
		LoadModule authz_core_module $modules/mod_authz_core.so
		LoadModule dir_module $modules/mod_dir.so
		User www-data
		Group www-data
		Listen 80
		DocumentRoot $dir/htdocs
		DirectoryIndex index.html
		MaxKeepAliveRequests 0
	END
	at_bg "$1" apache2 -f "$dir/conf" -X
	retry 10 listens "$1" 80
}
for peer in "${PEERS[@]}"; do
	[ -n "${SKIPPED[$peer]:-}" ] || apache "${TO[$peer]}"
done

one_page() { # PEER: milliseconds, the mean
	at "${FROM[$1]}" httping -c $PAGES -i 0.005 -g "http://${ADDR[$1]}/" 2>/dev/null |
		sed -nE 's/^round-trip.*= [0-9.]+\/([0-9.]+)\/.*/\1/p'
}
pages() { # PEER: a second
	at "${FROM[$1]}" wrk -t 1 -c 16 -d "$SECONDS_EACH" "http://${ADDR[$1]}/" |
		sed -nE 's/^Requests\/sec: *([0-9.]+).*/\1/p'
}

figure page 'One page by httping' ms less host
published 'Docklet container' 37.5 31.5 'Docklet, table 5'
rounds "${PEERS[@]}" -- one_page
figure pages 'Pages, 16 connections' '1/s' more host
rounds "${PEERS[@]}" -- pages
