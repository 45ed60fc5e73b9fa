#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What runs the examples of the documents notices each kind of false one.
# shellcheck disable=SC2016 # what the pages have is for their shells
. "$(dirname "$0")/../../lib.sh"
. "$LIB/lib_docs.sh"

netns machine
machines machine

# page KIND: a page with one such block, which is read
page() { { echo "\`\`\`$1"; cat; echo '```'; } >$WORK/page.md; }
right() { check "fits: $1" runs_well; }
false() { check_fails "differs: $1" runs_well; }
runs_well() (
	FAILED=0
	runs $WORK/page.md machine
	[ $FAILED = 0 ]
)
# console OUTPUT PRINTED: a page that tells OUTPUT, of a command that prints PRINTED
console() { printf '# printf %q\n%s\n' "$2" "$1" | page console; }

while IFS='|' read -r verdict what told printed; do
	console "${told//@/$'\n'}" "${printed//@/$'\n'}"
	$verdict "$what"
done <<'END'
right|equal lines|one@two|one@two@
false|another line|one@two|one@three@
false|a line less|one|one@two@
false|a line more|one@two@three|one@two@
false|nothing is told||one@
right|lines that are left out|one@…@four|one@two@three@four@
false|the line behind those|one@…@five|one@two@three@four@
right|text that is left out|a … c|a b c@
right|a counter|packets 3 bytes 9|packets 4 bytes 10@
false|a counter of 0|packets 0|packets 4@
false|a counter that is 0|packets 4|packets 0@
right|ifindex, time|ifindex 4 time=0.1 ms|ifindex 71 time=12 ms@
false|an id|id 100|id 101@
false|an address|ip 10.0.0.1|ip 10.0.0.2@
false|a MAC that was given|mac 02:00:00:00:00:01|mac 02:00:00:00:00:02@
right|a random MAC, twice|22:00:00:00:00:01@22:00:00:00:00:01|3a:12:00:00:00:01@3a:12:00:00:00:01@
false|two for one|22:00:00:00:00:01@22:00:00:00:00:01|3a:12:00:00:00:01@3a:12:00:00:00:02@
false|one for two|22:00:00:00:00:01@22:00:00:00:00:02|3a:12:00:00:00:01@3a:12:00:00:00:01@
END

printf '# [ a = b ]\n' | page console
false "a command without output that fails"
printf 'x=1\nfor i in $x 2; do\n\ttest $i\ndone\n' | page sh
right "a script"
printf 'for i in 1 2; do\n\ttest $i = 2\ndone\n' | page sh
false "a script of which a command fails"
printf '# x=1; echo \\\n  $x\n1\n# for i in a b; do\n  echo $i$x\ndone\na1\nb1\n' | page console
right "commands of several lines, and variables that stay"
printf '# exit 3\n' | page console
false "a shell that ends"

cd "$ROOT"
marks() { "$PY" "$TOOLS/docs.py" lint $WORK/page.md; }
echo | page 'text it is a drawing'
check "a block that is not run, with its reason" marks
echo | page text
check_fails "a block that is not run, without" marks
echo | page ''
check_fails "a block without a mark" marks
echo '# true' | page console
check_fails "a page that no case runs" marks
echo '{"a": 1}' | page json
check "JSON" marks
echo '{"a": 1,}' | page json
check_fails "no JSON" marks
finish
