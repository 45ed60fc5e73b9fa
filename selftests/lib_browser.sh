# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A browser that shows a page: source this after lib.sh.

needs "the page in a browser" chromium
mkdir $WORK/home
BROWSER=() # more options

# browse HOST URL [MS]: opens it in HOST's namespace for MS of the page's own time. The document is
# then in $WORK/dom, the browser's messages in $WORK/browser.log. Root needs --no-sandbox.
browse() {
	local profile

	profile=$(mktemp -d $WORK/home/XXXXXX)
	HOME=$profile on "$1" timeout 120 chromium --headless --no-sandbox --disable-gpu \
		--no-first-run --disable-background-networking --enable-logging=stderr \
		--user-data-dir="$profile" \
		--virtual-time-budget="${3:-6000}" "${BROWSER[@]}" --dump-dom "$2" \
		>$WORK/dom 2>$WORK/browser.log
}
# shown ID: the text of this element, of each row a line.
shown() { "$PY" "$TOOLS/dom.py" $WORK/dom "$1"; }
shows() { # DESC ID PATTERN
	if grep -qE -- "$3" <<<"$(shown "$2")"; then ok "$1"; else
		not_ok "$1"
		note "$(shown "$2")"
	fi
}
