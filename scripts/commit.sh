#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Which commit this tree is of: git's answer, or without git the file COMMIT of a release's tar, or
# "unknown". A tree that was changed since has "-modified" behind it.
# Usage: commit.sh           prints it
#        commit.sh time      prints when it was made, in seconds, if that is known
#        commit.sh FILE.c    writes it as a string of C, unless the file has it already

set -eu
cd "$(dirname "$0")/.."

# Whoever builds, as root by `sudo make install`, need not own the tree. A tree that lies in
# another one, as an unpacked tar may, is no commit of that one.
tree() { git --no-optional-locks -c safe.directory='*' "$@" 2>/dev/null; }
FORM='^([0-9a-f]{12})[0-9a-f]*(-modified)? ([0-9]+)$'
commit() {
	local hash modified=

	if [ -e .git ] && hash=$(tree rev-parse HEAD); then
		[ -z "$(tree status --porcelain -uno)" ] || modified=-modified
		echo "${hash:0:12}$modified $(tree log -1 --format=%ct)"
	elif [[ $(cat COMMIT 2>/dev/null) =~ $FORM ]]; then
		echo "${BASH_REMATCH[1]}${BASH_REMATCH[2]} ${BASH_REMATCH[3]}"
	else
		echo unknown
	fi
}

read -r name time < <(commit)
case ${1:-} in
'') echo "$name" ;;
time) echo "$time" ;;
*)
	new="const char build_commit[] = \"$name\";"
	# Who may not write here builds nothing, and installs what was built.
	if [ "$(cat "$1" 2>/dev/null)" != "$new" ] && { [ ! -e "$1" ] || [ -w "$1" ]; }; then
		echo "$new" >"$1"
	fi
	;;
esac
