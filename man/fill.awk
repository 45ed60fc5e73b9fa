# SPDX-License-Identifier: GPL-2.0-only
# Makes the man page: fills the template, the second file, with options and commands from what
# `tsw help` prints, the first. Set by -v: version.

# Lower-case words, which are typed as they are, bold; what stands for something, italic.
function marked(text,    out, word) {
	while (match(text, /[A-Za-z-][A-Za-z0-9-]*/)) {
		word = substr(text, RSTART, RLENGTH)
		out = out plain(substr(text, 1, RSTART - 1)) \
			(word ~ /[a-z]/ ? "\\fB" : "\\fI") plain(word) "\\fR"
		text = substr(text, RSTART + RLENGTH)
	}
	return out plain(text)
}

# Text as roff.
function plain(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	return text
}

# No request of roff.
function start(text) {
	return (text ~ /^[.']/ ? "\\&" : "") text
}

# In lines of at most 80 octets, as manual pages have them.
function folded(text,    out, word, n, i, used) {
	n = split(text, word, " ")
	for (i = 1; i <= n; i++) {
		if (i > 1 && used + length(word[i]) >= 80) {
			out = out "\n"
			used = 0
		} else if (i > 1) {
			out = out " "
			used++
		}
		out = out (used == 0 ? start(word[i]) : word[i])
		used += length(word[i])
	}
	return out
}

# A sentence of help: `word` is typed as it is.
function sentence(text) {
	text = plain(text)
	while (match(text, /`[^`]*`/))
		text = substr(text, 1, RSTART - 1) "\\fB" substr(text, RSTART + 1, RLENGTH - 2) \
			"\\fR" substr(text, RSTART + RLENGTH)
	return folded(text)
}

# `  -j, --json   print JSON`, or `  -n NETNS     act ...`
NR == FNR && match($0, /^  -[^ ]*( [-A-Z][^ ]*)? +/) {
	text = substr($0, RSTART + RLENGTH)
	split($0, word, " ")
	options = options ".TP\n\\fB" plain(word[1]) "\\fR" \
		(word[2] ~ /^--/ ? " \\fB" plain(word[2]) "\\fR" : \
		 word[2] ~ /^[A-Z]+$/ ? " \\fI" word[2] "\\fR" : "") "\n" sentence(text) "\n"
}
NR == FNR && /^  tsw / {
	if ($2 != object)
		commands = commands ".SS " (object = $2) "\n"
	commands = commands ".TP\n\\fBtsw\\fR " marked(substr($0, 7)) "\n"
}
NR == FNR && /^        / {
	commands = commands sentence(substr($0, 9)) "\n"
}
NR == FNR {
	next
}
/^@OPTIONS@$/ {
	printf "%s", options
	next
}
/^@COMMANDS@$/ {
	printf "%s", commands
	next
}
{
	gsub(/@VERSION@/, version)
	print
}
