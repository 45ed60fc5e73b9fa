#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The style that a program can check. Prints FILE:LINE: what is wrong; exit 1 if anything is.

set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
CLANG=${CLANG:-clang} CC=${CC:-gcc}
bad=$(mktemp)
trap 'rm -f "$bad"' EXIT

MAX_FUNCTION=60 MAX_C=500 MAX_HEADER=300 MAX_PARAMETERS=6

files() { # PATTERN...: of the tree, whether committed yet or not
	git ls-files -co --exclude-standard -- "$@" | sort -u | while read -r f; do
		[ ! -f "$f" ] || echo "$f"
	done
}
mapfile -t C < <(files '*.c')
mapfile -t H < <(files '*.h')
mapfile -t SH < <(files '*.sh' '*.bash' '.ci/run' 'contrib/systemd/tsw-save' \
	'contrib/systemd/tsw-router' 'bench/run')
mapfile -t OTHER < <(files '*.py' '*.awk' '*.jq' 'Makefile' 'debian/rules' '.clang-format' 'man/*' \
	'*.service' '*.socket' '*.yml' '.editorconfig' 'contrib/migrate/tsw-migrate')

step() { echo "lint: $*"; }
fail() { tee -a "$bad" | sed 's/^/  /'; } # reads what is wrong

format() {
	step "format"
	clang-format --dry-run "${C[@]}" "${H[@]}" 2>&1 | awk -F: '
		/^[^ ]+:[0-9]+:/ && !n[$1]++ { first[$1] = $2 }
		END { for (f in first)
			print f ":" first[f] ": " n[f] " places for: clang-format -i " f }' | fail
	grep -nP '^ +\t|[ \t]+$' "${C[@]}" "${H[@]}" "${SH[@]}" /dev/null |
		sed -E 's/^([^:]+:[0-9]+):.*/\1: white space at an end, or space before tab/' | fail
	# A string is not broken for it: it is looked for as a whole.
	local f
	for f in "${C[@]}" "${H[@]}" "${SH[@]}" "${OTHER[@]}"; do
		expand "$f" | sed -E 's/"([^"\\]|\\.)*"/""/g; s/ *\\$//' |
			LC_ALL=C.UTF-8 grep -nP '.{101}' |
			sed "s|^\([0-9]*\):.*|$f:\1: over 100 columns|"
	done | fail
}

spdx() {
	step "SPDX"
	local f line
	local SPDX='SPDX-License-Identifier: GPL-2.0-only'
	for f in "${C[@]}" "${H[@]}" "${SH[@]}" "${OTHER[@]}"; do
		line=1
		case $(head -c 2 "$f") in '#!') line=2 ;; esac
		sed -n "${line}p" "$f" | grep -q "$SPDX" || echo "$f:$line: no $SPDX"
	done | fail
}

words() {
	step "words"
	grep -nwE 'TO''DO|FIX''ME|XX''X|HA''CK' "${C[@]}" "${H[@]}" "${SH[@]}" "${OTHER[@]}" \
		/dev/null | fail
	# One form for a step that runs only if all before it went well: err = err ?: step();
	awk 'FNR == 1 { last = plain = "" }
		plain && !/^\t+else/ { print plain ": write err = err ?: ..." }
		{ plain = last ~ /^\t+if \(!err\)$/ && /^\t+err = .*;$/ ? FILENAME ":" FNR : "" }
		{ last = $0 }' "${C[@]}" | grep -v ^examples/ | fail
}

shell() {
	step "shellcheck"
	# A few files at a time: it takes long, and uses one processor.
	printf '%s\0' "${SH[@]}" |
		xargs -0 -n 8 -P "$(nproc)" shellcheck -x -P SCRIPTDIR -f gcc | fail
}

# A header that compiles alone names all that it needs.
headers() {
	step "headers compile alone"
	local f marc

	marc=-I/usr/include/$($CC -print-multiarch)
	for f in "${H[@]}"; do
		case $f in
		bpf/*) alone "$f" "$CLANG" -target bpf -mcpu=v3 -Ibpf "$marc" ;;
		include/tsw/abi*.h | */drops.h)
			alone "$f" "$CLANG" -target bpf "$marc"
			alone "$f" "$CC"
			;;
		include/*) alone "$f" "$CC" ;;
		*) alone "$f" "$CC" -D_GNU_SOURCE -Iuser -Itests -I"${BUILD:-build}" ;;
		esac
	done | fail
}

alone() { # HEADER COMPILER...
	local header=$1

	shift
	echo "#include \"$header\"" |
		"$@" -Iinclude -I. -O2 -Wall -Werror -Wno-unused-function -Wno-unused-variable \
			-fsyntax-only -x c - 2>&1 | grep -E 'error|warning'
	return 0
}

# Functions are what stands between a line `{` and a line `}`.
budgets() {
	step "budgets"
	awk -v max=$MAX_FUNCTION -v most=$MAX_PARAMETERS '
		FNR == 1 { head = ""; inside = 0 }
		inside && /^}/ {
			if (FNR - start + 1 > max)
				print FILENAME ":" start ": function of " FNR - start + 1 " lines"
			inside = 0; head = ""
		}
		!inside && /^{$/ && head ~ /\)[ \t]*$/ {
			start = FNR; inside = 1
			sub(/^.*attribute__\(\([^)]*\)\)/, "", head)
			# libmicrohttpd says which its callbacks have.
			if (gsub(/,/, "", head) + 1 > most && head !~ /struct MHD_Connection \*/)
				print FILENAME ":" start ": more than " most " parameters"
		}
		inside { next }
		/^[ \t]*$|;[ \t]*$|^#|\*\/[ \t]*$|^}/ { head = ""; next }
		{ head = head " " $0 }
	' "${C[@]}" "${H[@]}" /dev/null | fail
	budget_file $MAX_C "${C[@]}" | fail
	budget_file $MAX_HEADER "${H[@]}" | fail
}

budget_file() { # MAX FILE...
	local max=$1 f n

	shift
	for f in "$@"; do
		n=$(wc -l <"$f")
		[ "$n" -le "$max" ] || echo "$f:$n: $n lines, at most $max"
	done
}

# Words that the code prints, one a line on standard input, are those of the tables below a heading.
explained() { # DOC HEADING
	diff <(sort -u) <(table_of "$1" "$2" | sort -u) | sed -nE \
		-e "s|^< (.*)|$1:1: \1 has no row below '$2'|p" \
		-e "s|^> (.*)|$1:1: there is no \1, which has a row below '$2'|p" | fail
}
# shellcheck disable=SC2016 # the document's quotes
table_of() { # DOC HEADING: the words in code of the tables' first column
	awk -F'|' -v want="$2" '/^ *```/ { code = !code } code { next }
		/^#+ / { here = $0 == want }
		here && row && !/^\|-/ { print row }
		{ row = /^\| *`/ ? $2 : "" }
		END { if (here && row) print row }' "$1" | grep -o '`[a-z0-9_]*`' | tr -d '`'
}
words_of() { # CALL FILE...: the first text that each call of a function has
	local call=$1

	shift
	grep -Pzoh "\b($call)\([^;\"]*\"[a-z_]+\"( : \"[a-z_]+\")?" "$@" | tr '\0' '\n' |
		grep -o '"[a-z_]*"' | tr -d '"'
}

# A row `| limit | number … | `NAME` |` has the number of that constant.
# shellcheck disable=SC2016 # the document's quotes
limits() {
	local line name value told

	grep -nE '^\|.*\| `[A-Z_]+` \|$' docs/limits.md | while IFS= read -r line; do
		name=$(grep -oE '`[A-Z_]+` \|$' <<<"$line" | tr -d '` |')
		told=$(cut -d'|' -f3 <<<"$line" | tr -d ',' | grep -oE '[0-9]+' | head -n 1)
		value=$(grep -rhoP "(#define $name|\b$name =) \K[0-9]+(?=U?L*\b)" include/tsw user)
		[ "$told" = "$value" ] ||
			echo "docs/limits.md:${line%%:*}: $name is ${value:-nowhere}"
	done
}

# Examples of JSON in manual pages and documents: from a line that begins with {" or [ on, until all
# brackets are closed. An … stands for what is left out.
json() {
	local file text

	for file in man/*.in ./*.md docs/*.md docs/design/*.md; do
		case $file in
		man/*) mandoc -T ascii "$file" | col -bx ;;
		*) awk '/^ *```/ { code = !code; next } code' "$file" ;;
		esac | awk '!depth && /^ *(\{"|\[[{"[0-9])/ { text = "" ; depth = 0; inside = 1 }
			inside { text = text $0; depth += gsub(/[[{]/, "&") - gsub(/[]}]/, "&") }
			inside && depth <= 0 { print text; inside = depth = 0 }
			END { if (inside) print text }' | while IFS= read -r text; do
			[[ $text = *…* ]] || jq . <<<"$text" >/dev/null 2>&1 ||
				echo "$file:1: no valid JSON: $text"
		done
	done
}

documents() {
	step "documents"
	local doc=docs/troubleshooting.md word number version found
	sed -nE 's/^\s*X\([A-Z0-9_]+, "([a-z0-9_]+)"\).*/\1/p' include/tsw/drops.h |
		explained $doc '## Drop reasons'
	mapfile -t found < <(git grep -lw problem user ':!user/trace' ':!user/cluster/check.c')
	words_of 'problem|check_names' "${found[@]}" | explained $doc '### What switch check finds'
	words_of 'problem' user/cluster/{check,orphans}.c user/cmd/cluster_show.c |
		explained docs/cluster.md '## Checking the records'
	words_of 'report_(add|about|row)' user/tools/doctor/{doctor,hosts}.c |
		explained $doc '## Begin with tsw doctor'
	words_of 'trace_problem|problem' user/{trace/*,record/container}.c |
		explained docs/observe.md '### Problems'
	grep -oP '\[TRACE_(?!NEXT)[A-Z]+\] = "\K[a-z_]+' user/trace/step.c |
		explained docs/observe.md '### Verdicts'
	grep -rhoE '"tsw_[a-z_]+"' user/tools/metrics | tr -d '"' |
		explained docs/observe.md '## Metrics'
	limits | fail
	json | fail
	# The numbers of packages in docs/building.md are those of the list.
	# shellcheck disable=SC2016 # the document's quotes
	sed -nE 's/^\| `make ?([a-z-]*)`[^|]*\| ([0-9]+) .*/\1 \2/p' docs/building.md |
		while read -r word number; do
			case $number in '') number=$word word=build ;; esac
			[ "$(scripts/deps.sh list "$word" | wc -l)" = "$number" ] ||
				echo "docs/building.md:1: number of packages of $word"
		done | fail
	"${BUILD:-build}"/schema | cmp -s - docs/state.schema.json ||
		echo "docs/state.schema.json:1: not what the tables say: make schema" | fail
	scripts/links.py ./*.md docs/*.md docs/*/*.md | fail
	selftests/tools/docs.py lint {README,SECURITY,CONTRIBUTING}.md docs/*.md docs/design/*.md |
		fail
	version=$(<VERSION)
	head -n 1 debian/changelog | grep -qF " ($version) " ||
		echo "debian/changelog:1: not version $version, as the file VERSION has it" | fail
}

# What the heads of selftests say, and which tests documents name.
cases() {
	step "cases"
	scripts/cases.py | fail
}

# Sentences that a reader need not read twice.
english() {
	step "english"
	scripts/english.py | fail
}

# The core and its tunnels include no feature. The walk through it names files and functions that
# are there.
core() {
	step "core"
	local word row files doc=docs/core.md

	grep -nE '^#include "' bpf/{core,tunnel}/*.h |
		grep -vE '#include "core/|^bpf/tunnel/.*#include "tunnel/' |
		sed -E 's/^([^:]+:[0-9]+):#include (.*)/\1: the core includes no \2/' | fail
	# shellcheck disable=SC2016 # the document's quotes
	grep -oE '`((bpf|user|include)/[a-z0-9_/.]+|[a-z0-9_]+\(\))`' $doc | tr -d '`' | sort -u |
		while read -r word; do
			case $word in
			*/*) [ -e "$word" ] || echo "$doc:1: there is no file $word" ;;
			*) grep -rqE "\b${word%()}\(" bpf user || echo "$doc:1: there is no $word" ;;
			esac
		done | fail
	# A row of the walk names the files of its functions.
	# shellcheck disable=SC2016 # the document's quotes
	grep -nE '^\| [0-9]+ \|' $doc | while IFS= read -r row; do
		mapfile -t files < <(grep -oE '`(bpf|user)/[a-z0-9_/.]+`' <<<"$row" | tr -d '`')
		grep -oE '`[a-z0-9_]+\(\)`' <<<"$row" | tr -d '`()' | while read -r word; do
			grep -qE "\b$word\(" "${files[@]}" ||
				echo "$doc:${row%%:*}: $word() is in none of ${files[*]}"
		done
	done | fail
}

# The table of maps has those that the programs declare, and no others, and which reach them.
maps() {
	step "maps"
	scripts/maps.py --check docs/architecture.md "${BUILD:-build}"/bpf/*.o | fail
	diff <(declared_maps | sort -u) <(told_maps | sort -u) |
		sed -nE -e 's/^< (.*)/\1 is not in the table of maps/p' \
			-e 's/^> (.*)/there is no map \1/p' |
		sed 's|^|docs/architecture.md:1: |' | fail
}
declared_maps() {
	grep -rhoE '^TSW_[A-Z_]+\(tsw_[a-z0-9_]+,' bpf | sed -E 's/.*\((.*),/\1/'
	grep -rhoE '^\} tsw_[a-z0-9_]+ TSW_MAP' bpf | cut -d' ' -f2
}
told_maps() {
	awk -F'|' '/^## /{ here = /^## Maps/ } here && /^\| `/ { print $2 }' docs/architecture.md |
		grep -o 'tsw_[a-z0-9_]*'
}

# Older ones are what they are.
subjects() {
	step "subjects of commits"
	git rev-parse --git-dir >/dev/null 2>&1 || return 0
	# With no time of day, git takes the present one.
	git log --since=2026-11-28T00:00 --no-merges --format='%h %s' |
		awk '{ hash = $1; sub(/^[^ ]* /, "") } length > 60 { print hash ": " $0 }' | fail
}

# Whoever calls upwards, by the objects of the last build.
floors() {
	step "floors"
	scripts/floors.py "${BUILD:-build}" | fail
}

# The table of commands speaks for itself, by `help`. What is made from it must have all of it, and
# its synopses, written by hand, the keys that are read.
commands() {
	local B=${BUILD:-build} f
	local page words object verb key option command

	step "commands"
	for f in tsw tsw.8 tsw.bash; do
		[ -s "$B/$f" ] || { echo "$B/$f:1: missing: run make first" | fail && return; }
	done
	page=$(mandoc -T ascii "$B/tsw.8" | col -b)
	"$B/tsw" -j help | jq -r '.[] | [.object, .verb // "-", (.keys[].key)] | join(" ")' |
		while read -r object verb words; do
			verb=${verb#-}
			command=$object${verb:+ $verb}
			grep -qE "^ *tsw $command( |$)" <<<"$page" ||
				echo "man/tsw.8.in:1: no $command"
			grep -qE "^_tsw_verbs\['$object'\]='(.* )?${verb:-.*}( .*)?'$" "$B/tsw.bash" ||
				echo "completion/tables.jq:1: no $command"
			for key in $words; do
				grep -qF "_tsw_kinds['$command $key']=" "$B/tsw.bash" ||
					echo "completion/tables.jq:1: no $command ... $key"
			done
		done | fail
	"$B/tsw" -j help | jq -r '.[] | "\(.object) \(.verb // "")" as $command |
		([.keys[] | .key, (.choices[]? | splits(",")), (select(.auto) | "auto")] +
			["none"]) as $known |
		[.synopsis | scan("[A-Za-z0-9-]+") | select(test("[a-z]"))] as $said |
		((.keys | map(.key)) - $said | .[] | "its synopsis lacks the key \(.)"),
			($said - $known | .[] | "its synopsis has \(.), which it does not take") |
		"user/cli/command_table.c:1: \($command): \(.)"' | fail
	"$B/tsw" help | sed -nE 's/^  -(-[a-z-]+|.),? .*/\1/p' | while read -r option; do
		grep -qE "^ *-$option([ ,]|$)" <<<"$page" || echo "man/tsw.8.in:1: no option -$option"
		grep -qF "_tsw_options['$option']=" "$B/tsw.bash" ||
			echo "completion/tables.jq:1: no option -$option"
	done | fail
}

format
spdx
words
shell
headers
budgets
maps
floors
subjects
documents
cases
english
core
commands
n=$(wc -l <"$bad")
[ "$n" = 0 ] || { echo "lint: $n complaints" && exit 1; }
echo "lint: clean"
