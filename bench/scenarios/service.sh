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

for peer in "${PEERS[@]}"; do
	[ -n "${SKIPPED[$peer]:-}" ] || page_server "${TO[$peer]}"
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
