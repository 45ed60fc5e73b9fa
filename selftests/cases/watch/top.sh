#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   red-a ─ h1 ══ 8 Mbit/s of UDP ══► h2 ─ red-c       `top` in a terminal, which is tmux:
#   blue-a ─ 2 Mbit/s ─► blue-b                        rates, order, keys, and how it ends
. "$(dirname "$0")/../../lib.sh"

topo h1 h2
tenants red 100 blue 200 中abcx 300
# As an older tsw took it: what comes next is read from the right.
for host in "${HOSTS[@]}"; do
	"$PY" "$TOOLS/rename.py" '\u4e2dabcx' '\u4e2d\u202ex' "$(map_pin "$host" tenants)" \
		"$(map_pin "$host" tenant_ids)"
done
populate h1 red-a blue-a blue-b h2 red-c
check "reachable" reach red-a 10.0.0.3
check "reachable" reach blue-a 10.0.0.2

stream() { # FROM TO IP BITS: in datagrams of 1000 octets, 1042 as frames
	bg "$2" iperf3 -s -1
	retry 5 on "$2" sh -c 'ss -Hltn sport = 5201 | grep -q .'
	bg "$1" iperf3 -u -c "$3" -b "$4" -l 1000 -t 60
}
stream red-a red-c 10.0.0.3 8M
stream blue-a blue-b 10.0.0.2 2M

# near GOT WANT: within a fifth
near() { awk -v g="$1" -v w="$2" 'BEGIN { print g; exit !(g >= w * 0.8 && g <= w * 1.2) }'; }
rate() { jq -r --arg t "$1" --arg f "$2" '.[] | select(.tenant == $t)[$f]' $WORK/rates; }
flows() { [ "$(js h1 top interval 1 '[.[] | select(.bits > 1500000)] | length')" = 2 ]; }
check "both streams flow" retry 5 flows

# ---- not in a terminal
# A sender that does not get its CPU sends less: one second of some is as it should be.
measured() {
	sw h1 -j top interval 1 >$WORK/rates
	near "$(rate red tx_bits)" 8336000 && near "$(rate red tx_packets)" 1000 &&
		near "$(rate blue local_bits)" 2084000
}
retry 10 measured || true
check "bits sent to the other host" near "$(rate red tx_bits)" 8336000
check "packets" near "$(rate red tx_packets)" 1000
check "bits here" near "$(rate blue local_bits)" 2084000
is "the busiest first" "$(gojq -r '.[0:2][].tenant' $WORK/rates)" red$'\n'blue
is "no drops" "$(rate red drops)" 0
check "as text" sh -c "'$TSW' -n h1 top interval 1 | grep -q '^red bits [0-9]* packets '"
check_fails "an interval of nothing" sw h1 top interval 0
check_fails "no switch" "$TSW" -i nothing top
batch() { printf 'top\ntenant add more id 400\n' | sw h1 -b -; }
check_fails "not beside what changes the switch" batch
check_fails "and then nothing is changed" sw h1 tenant show more

# ---- in a terminal
terminal() { tmux -S $WORK/tmux -f /dev/null "$@"; }
screen() { terminal capture-pane -p; }
shows() { screen | grep -qE -- "$1"; }
see() { # DESC PATTERN
	if retry 5 shows "$2"; then ok "$1"; else
		not_ok "$1"
		note "$(screen)"
	fi
}
press() { terminal send-keys "$@"; }
run() { press "$*" Enter; } # in the terminal's shell
line_of() { screen | grep -nE "^$1 " | head -n 1 | cut -d: -f1; }
above() { [ "$(line_of "$1")" -lt "$(line_of "$2")" ]; }
column() { screen | awk -v t="$1" -v c="$2" '$1 == t { print $c }'; } # in bit/s and so on
plain() { # 8.34M
	awk -v v="$1" 'BEGIN { n = v + 0; u = substr(v, length(v))
		print u == "k" ? n * 1e3 : u == "M" ? n * 1e6 : u == "G" ? n * 1e9 : n }'
}
column_near() { near "$(plain "$(column "$1" "$2")")" "$3"; }
restored() { # nothing of the view is left, and the terminal is as it was
	[ "$(terminal display -p '#{alternate_on} #{cursor_flag}')" = "0 1" ] || return 1
	run clear
	run 'stty -g >'$WORK/stty.now
	retry 5 test -s $WORK/stty.now && cmp $WORK/stty $WORK/stty.now
}

TERM=screen terminal new-session -d -x 100 -y 14 "PS1='ready ' exec bash --norc --noprofile"
undo terminal kill-server
see "a shell" '^ready'
run 'stty -g >'$WORK/stty
run "tsw() { LC_ALL=C.UTF-8 $TSW -n h1 \"\$@\"; echo ended \$? >$WORK/ended; }"
ended() { retry 5 grep -qx "ended $1" $WORK/ended; }
start() {
	rm -f $WORK/ended $WORK/stty.now
	run clear
	run tsw top "$@"
}

start interval 1
see "the switch" '^tsw top: h1 \(h1\), 3 tenants, 1 hosts, 4 endpoints; sorted by b/s, every 1 s'
see "rates" '^red +[0-9.]+M .* 0$'
check "bits to the other host" retry 5 column_near red 4 8336000
check "packets to it" retry 5 column_near red 5 1000
check "bits here" retry 5 column_near blue 8 2084000
check "and of all" retry 5 column_near '(all)' 2 10420000
check "the busiest on top" above red blue
see "no control character in a name" '^中\?x +0 '
press Left
see "sorted by name" 'sorted by NAME,'
check "blue above red" above blue red
press r
see "the other way" 'sorted by NAME reversed'
check "red above blue" above red blue
press r Right Right Right
see "by what is sent" 'sorted by TX b/s,'
check "red above blue again" above red blue

# Frames with another's MAC are dropped while they come.
"$PY" "$TOOLS/inject.py" -n red-a eth0 -c 100000000 eth src=02:00:00:00:00:09 \
	dst=02:00:00:00:00:03 / pad 60 &
flood=$!
undo kill $flood
see "drops a second" '^red .* [0-9.]+k$'
press Enter
see "the chosen tenant's drops" '^drops of red'
see "by reason" '^spoofed_mac +from_endpoint +[0-9.]+k +[0-9]+'
stop $flood
see "no more, and how many there were" '^spoofed_mac +from_endpoint +0 +[0-9]+'
press Enter
see "back" '^NAME '

seq 40 | awk '{ print "tenant add t" $1 + 100 " id " $1 + 1000 }' | sw h1 -b -
see "tenants that come" '43 tenants'
press End
see "the last one" '^t140'
press PageUp PageUp PageUp PageUp PageUp PageUp
see "and the first" '^red'
terminal resize-window -x 60 -y 20
see "narrower: fewer columns" 'LO b/s$|GW b/s$|RX p/s$'
see "and more rows" '^t113'
terminal resize-window -x 30 -y 5
see "too small" '^too small: need 40 x 6'
terminal resize-window -x 100 -y 14
see "large again" 'DROP/s$'
press q
check "q ends it" ended 0
check "the terminal is as before" restored

start interval 1
see "at work" '^red '
press C-c
check "so does control C" ended 0
check "the terminal is as before" restored
start interval 1
see "at work" '^red '
kill -TERM "$(pgrep -x -n tsw)"
check "and a signal" ended 0
check "the terminal is as before" restored
run "TERM=nonsense tsw top"
see "an unknown terminal" 'type TERM="nonsense" is unknown here'

start interval 1
see "at work" '^red '
sw h1 switch down
check "the switch is taken down: it fails" ended 1
see "and says so" 'top.*: no switch "h1" is up'
check "the terminal is as before" restored
finish
