#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
#   h1 192.0.2.1 ─── 192.0.2.2 h2
#
# `make install` puts files where it is told, and `make uninstall` removes them. The manual page and
# the completion have all commands, and the completion knows the switch's objects.
. "$(dirname "$0")/../../lib.sh"

B=${BUILD:-$ROOT/build}

# ---- make install -----------------------------------------------------------------------------

# As nobody, who may write nothing but what is below $WORK.
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs "$@"; }
dest=$WORK/dest
install -d -o 65534 -m 700 $dest
chmod 755 $WORK
installs() { # VARIABLE...: with a umask that lets nobody else read
	(umask 077 && as_nobody make -s -C "$ROOT" BUILD="$B" DESTDIR=$dest "$@")
}
check "make install, by nobody" installs install prefix=/usr unitdir=/lib/systemd/system
is "all may read what is there" \
	"$(find $dest -mindepth 1 ! -type d ! -perm -444 -o -mindepth 1 -type d ! -perm -555)" ""
files=$(cd $dest && find . ! -type d | sort)
for file in usr/sbin/tsw usr/lib/cni/tsw-cni usr/lib/tsw/tsw-docker \
	usr/share/man/man8/tsw{,-cni,-docker,-migrate}.8 \
	lib/systemd/system/tsw-docker{.socket,@.service} \
	usr/share/bash-completion/completions/tsw \
	usr/lib/{systemd/network/05-tsw.network,NetworkManager/conf.d/tsw.conf} \
	usr/share/doc/tenant-switch/{operations.md,examples/container.sh}; do
	check "$file is there" grep -qx "./$file" <<<"$files"
done
# From there it needs nothing of this tree, not even to check a state file.
migrates() { # DIRECTORY: where the program is below $dest
	(cd / && PATH=$dest/$1:/usr/bin as_nobody tsw-migrate merge "$ROOT/examples/cluster.json")
}
check "tsw-migrate is in the PATH, and runs" eval "migrates usr/bin | grep -q '\"format\":1'"
check "docs/benchmarks/README.md is there, too" \
	test -s $dest/usr/share/doc/tenant-switch/benchmarks/README.md
is "nothing is empty" "$(find $dest -type f -empty)" ""
check "the programs may be run" test -x $dest/usr/sbin/tsw -a \
	-x $dest/usr/share/doc/tenant-switch/examples/container.sh
is "what is installed runs" "$("$dest/usr/sbin/tsw" -j version | gojq -r .tsw)" \
	"$(<"$ROOT/VERSION")"
echo other >$dest/usr/sbin/other
check "make uninstall" installs uninstall prefix=/usr unitdir=/lib/systemd/system
is "leaves what it did not bring, and nothing else" "$(cd $dest && find . ! -type d)" ./usr/sbin/other
check "make uninstall again" installs uninstall prefix=/usr unitdir=/lib/systemd/system
rm $dest/usr/sbin/other
check "make install to a prefix of its own" installs install prefix=/opt/t unitdir=/opt/t/units
is "puts nothing elsewhere" "$(find $dest ! -type d ! -path "$dest/opt/t/*")" ""
check "tsw-migrate runs from there, too" eval "migrates opt/t/bin | grep -q format"
check "the manual page tells where" grep -q /opt/t/share/doc/tenant-switch \
	$dest/opt/t/share/man/man8/tsw.8
is "that of tsw-cni, too" "$(grep -oE '/(usr|opt)/[a-z/]*' $dest/opt/t/share/man/man8/tsw-cni.8 |
	sort -u | xargs)" "/opt/t/lib/cni/tsw /opt/t/share/doc/tenant"
is "the unit calls what is there" "$(sed -n 's/^ExecStart=//p' $dest/opt/t/units/tsw-docker@.service)" \
	/opt/t/lib/tsw/tsw-docker

# ---- the manual page --------------------------------------------------------------------------

page=$B/tsw.8
for file in "$page" "$B/tsw-cni.8" "$B/tsw-docker.8" "$B/tsw-migrate.8"; do
	is "${file##*/}: mandoc finds nothing wrong" "$(mandoc -Tlint -Wwarning "$file" 2>&1)" ""
	is "${file##*/}: nor does groff" "$(groff -ww -z -man -Tutf8 "$file" 2>&1)" ""
done
is "tsw-cni's errors are in its page" "$(man -l "$B/tsw-cni.8" 2>/dev/null |
	sed -n '/^EXIT/,/^FILES/s/^ *\([0-9][0-9, ]*\)  .*/\1/p' | grep -oE '[0-9]+' | xargs)" \
	"$(sed -nE 's/^\tCNI_[A-Z_]+ = ([0-9]+),.*/\1/p' "$ROOT/user/cni/cni.h" | xargs)"
text=$(MANWIDTH=1000 MAN_KEEP_FORMATTING='' man -l "$page" 2>/dev/null | sed 's/  */ /g')
commands=$("$TSW" -j help)
missing=$(jq -r '.[] | "tsw \([.object, .verb // empty, .synopsis | select(. != "")] | join(" "))",
	.help' <<<"$commands" | while read -r line; do
	grep -qF -- "${line//\`/}" <<<"$text" || echo "$line"
done)
is "it has each command and what it does" "$missing" ""
options=$("$TSW" help | sed -nE 's/^  (-[a-zA-Z]|--[a-z-]+)(, (--[a-z-]+))? .*/\1\n\3/p' | grep .)
missing=$(while read -r option; do
	grep -qE -- "^ *(-., )?$option([ ,]|$)" <<<"$text" || echo "$option"
done <<<"$options")
is "and each option" "$missing" ""

# ---- completion: the tables -----------------------------------------------------------------

topo_hosts h1 h2
. "$B/tsw.bash"
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'

# completed WORD... : what TAB offers at the end of the line, sorted.
completed() {
	local COMP_LINE="$TSW $1" COMP_POINT COMP_WORDS COMP_CWORD COMPREPLY

	trap - ERR # what finds nothing fails
	COMP_POINT=${#COMP_LINE}
	read -ra COMP_WORDS <<<"$COMP_LINE"
	case $COMP_LINE in *' ') COMP_WORDS+=('') ;; esac
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_tsw || true
	words <<<"${COMPREPLY[*]}"
}
words() { tr -s ' \n' '\n' | sort | xargs; } # sorts what it reads
offers() { is "TAB behind <$1>" "$(completed "$1")" "$(words <<<"$2")"; }

offers '' "$(gojq -r '.[].object' <<<"$commands" | sort -u) help"
offers - "$options"
offers 'ten' tenant
offers '-jn nowhere -i x ten' tenant
offers 'nonsense ' ''
offers 'features ' ''
# Where the verb may be left out the others are offered beside the keys.
# shellcheck disable=SC2016 # it knows jq, and not gojq
wrong=$(gojq -r '. as $all | .[] | .object as $o | [.object, .verb // "", .name, .second // "",
	([.keys[].key, (select(.verb == null) | [$all[] | select(.object == $o).verb | strings] |
	select(. != []) | .[], "help")] | join(" "))] | join("|")' <<<"$commands" |
	while IFS='|' read -r o v n second keys; do
		[ -z "$v" ] || case " $(completed "$o ") " in *" $v "*) ;; *) echo "$o $v" ;; esac
		[ "$n" != must ] || v+=" x${second:+ y}"
		# The name that may come is asked of the switch, and none is up yet.
		[ "$(completed "$o${v:+ $v} ")" = "$(words <<<"$keys")" ] || echo "$o $v: $keys"
	done)
is "each command has its verbs and keys" "$wrong" ""
wrong=$(jq -r '.[] | . as $c | .keys[] | select(.choices) | [$c.object, $c.verb // "", $c.name,
	$c.second // "", .key, (.choices | join(" "))] | join("|")' <<<"$commands" |
	while IFS='|' read -r o v n second key choices; do
		[ "$n" = none ] || v+=" x${second:+ y}"
		[ "$(completed "$o $v $key ")" = "$(words <<<"$choices")" ] || echo "$o $v $key"
	done)
is "each choice is offered" "$wrong" ""
offers 'tenant add red encap gre en' ''
offers 'tenant add red encap gre mt' mtu
offers 'endpoint add a ip 10.0.0.1 ip' ip
offers 'gateway place central host h1 host h2 ho' host
offers 'gateway place --a' --apply

# ---- completion: what there is ---------------------------------------------------------------

switch_up h1
sw h1 tenant add red id 100
sw h1 tenant add blue id 200
sw h1 tenant add reddish id 300
sw h1 endpoint add web tenant red mac 02:00:00:00:00:01 host h2
sw h1 endpoint add wiki tenant blue mac 02:00:00:00:00:01 host h2
offers '-n h' 'h1 h2'
offers '-i ' h1
offers '-n h1 tenant del ' 'blue red reddish'
offers '-nh1 tenant del r' 'red reddish'
offers '-n h1 tenant add ' ''
offers '-n h1 gateway add b' blue
offers '-n h1 host set ' h2
offers '-n h1 host set h2 ' 'ip key mtu zone'
offers '-n h1 endpoint add x tenant blu' blue
offers '-n h1 endpoint show w' 'web wiki'
offers '-n h1 endpoint set web tenant ' 'blue red reddish'
offers '-n h1 endpoint add x host ' 'h1 h2'
offers '-n h1 endpoint add x dev et' eth0
offers '-n h1 peer add red with ' 'blue red reddish'
sw h1 group add blue app web
sw h1 policy add blue sql from any to any
offers '-n h1 group del ' 'blue red reddish'
offers '-n h1 group del blue ' 'app web'
offers '-n h1 policy set blue ' sql
offers '-n h1 policy add blue ' ''
offers '-n h1 policy add blue x from group ' 'app web'
offers '-n h1 policy add blue x from group web t' to
offers '-n h1 endpoint set wiki tenant blue group ' 'app none web'
offers '-n h2 tenant del ' ''
offers '-n nowhere tenant del ' ''
is "nobody is told nothing, in silence" "$(TSW='setpriv --reuid 65534 '$TSW completed \
	'-n h1 tenant del ' 2>&1)" ""
offers "-b $ROOT/Mak" "$ROOT/Makefile"

# ---- purge ------------------------------------------------------------------------------------

# What the programs keep, as their source has it.
mapfile -t kept < <(grep -rhoE '"/var/lib/tsw[a-z-]*"' "$ROOT/user" | tr -d '"' | sort -u)
is "three directories below /var/lib" "${kept[*]}" "/var/lib/tsw /var/lib/tsw-cni /var/lib/tsw-docker"
mount -t tmpfs tmpfs /var/lib
cp -a /etc $WORK/etc && mount --bind $WORK/etc /etc
links=/etc/systemd/system/multi-user.target.wants
mkdir -p $links
left() {
	{ find /etc/tsw /run/tsw /var/lib/* $links/tsw* -maxdepth 0 2>/dev/null || true; } |
		sort | xargs
}
for units in "$ROOT"/contrib/systemd/tsw*@*; do
	unit=${units##*/}
	enabled+=("$links/${unit/@/@h1}")
done
for how in "sh $ROOT/debian/tenant-switch.postrm purge" 'installs uninstall PURGE=yes' \
	"make -s -C $ROOT BUILD=$B prefix=$WORK/nowhere unitdir=$WORK/nowhere uninstall" \
	"make -s -C $ROOT BUILD=$B prefix=$WORK/nowhere unitdir=$WORK/nowhere uninstall PURGE=yes"; do
	mkdir -p /etc/tsw /run/tsw "${kept[@]}"
	touch /run/tsw/h1.agent /etc/tsw/h1.json $links/tsw-docker.socket "${enabled[@]}"
	all=$(left)
	check "$how" $how
	case $how in
	*' uninstall' | installs*) is "keeps what was saved" "$(left)" "$all" ;;
	*) is "leaves nothing" "$(left)" "" ;;
	esac
done
umount /etc /var/lib

# ---- completion: in a shell, names that are commands to it -----------------------------------

cd $WORK
ln -s "$TSW" tsw
# shellcheck disable=SC2016 # not meant to be expanded
evil='$(id>pwned)`id>pwned`;id>pwned'
sw h1 tenant add "$evil" id 400
sw h1 tenant add 'x:y"\z' id 500
tab() { PATH=$WORK:$PATH "$PY" "$TOOLS/tab.py" "$@"; }
typed=$(tab "$B/tsw.bash" 'tsw endp' 'tsw -n h1 tenant del bl' 'tsw -n h1 tenant del x' \
	'tsw -n h1 tenant del x:' 'tsw tenant add red encap gr')
is "TAB in a shell" "${typed// $'\n'/|}" "$(printf '%s|' 'tsw endpoint' \
	'tsw -n h1 tenant del blue' 'tsw -n h1 tenant del x:y\"\\z' \
	'tsw -n h1 tenant del x:y\"\\z')tsw tenant add red encap gre "
typed=$(tab --run "$B/tsw.bash" 'tsw -jn h1 tenant show \$')
is "a name that is a command is quoted" "$(tail -n +2 <<<"$typed" | gojq -r '.[0].name')" "$evil"
check_fails "and not run" test -e pwned
finish
