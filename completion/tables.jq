# SPDX-License-Identifier: GPL-2.0-only
# The tables of the completion, from `tsw -j help`, and $text, which `tsw help` prints.

def command: [.object, .verb // empty] | join(" ");

def row(table; index; value): "\(table)[\(index | @sh)]=\(value | @sh)";

($text | split("\n")[] | capture("^  -(?<letter>[^-, ]|-[a-z-]+),?(?<word> --[a-z]+)? (?<value>[A-Z]*)") |
	row("_tsw_options"; .letter, (.word // empty | ltrimstr(" -")); .value // "")),
(group_by(.object)[] |
	row("_tsw_verbs"; .[0].object; [.[].verb // empty] | join(" "))),
(.[] | command as $c |
	row("_tsw_names"; $c; .name + " " + (.synopsis | capture("(?<first>[A-Z]+)").first? // "")),
	(select(.second) | row("_tsw_seconds"; $c; .second)),
	row("_tsw_keys"; $c; [.keys[] | .key + (if .list then "+" else "" end)] | join(" ")),
	(.keys[] | row("_tsw_kinds"; "\($c) \(.key)"; .kind),
		(select(.choices) | row("_tsw_choices"; "\($c) \(.key)"; .choices | join(" "))),
		(select(.auto) | row("_tsw_choices"; "\($c) \(.key)"; "auto"))))
