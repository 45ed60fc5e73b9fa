// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "cli/options.h"

/* clang-format off */
const struct option_help option_helps[] = {
	{'n', NULL, "NETNS", "act in that network namespace, by name or path"},
	{'i', NULL, "NAME",  "instance, which names a switch; default: `default`, or with -n the namespace's name"},
	{'b', NULL, "FILE",  "run the commands of FILE, one a line, # comments; - is standard input; stops at the first error"},
	{'w', NULL, "SECONDS", "wait at most so long for another command on the switch, or for etcd; default 10; 0: not at all"},
	{'c', NULL, NULL,    "act on the records of this host's cluster, not on its switch"},
	{'j', "json", NULL,    "print JSON"},
	{'p', "pretty", NULL,    "print indented JSON"},
	{'s', NULL, NULL,    "print counters, too"},
	{'q', NULL, NULL,    "quiet: only errors on standard error, no notes"},
	{'f', NULL, NULL,    "with -b, continue after an error; `switch down`: also if its namespace is gone; `switch upgrade`: also to the same or an older version"},
	{'v', NULL, NULL,    "print each step; twice: also messages of libbpf"},
	{OPTION_CHANGES_NOTHING, "dry-run", NULL, "print what a command would change, and change nothing"},
	{'V', "version", NULL,    "print the version"},
	{'h', "help", NULL,    "print this help"},
	{},
};
/* clang-format on */

void options_letters(const char *prefix, char *text, size_t len)
{
	const struct option_help *o;
	size_t used = (size_t)snprintf(text, len, "%s", prefix);

	for (o = option_helps; o->help && used < len; o++)
		if (o->letter < OPTION_LONG)
			used += (size_t)snprintf(text + used, len - used, "%c%s", o->letter,
						 o->value ? ":" : "");
}

void options_words(struct option *all, size_t room)
{
	const struct option_help *o;

	memset(all, 0, room * sizeof(*all));
	for (o = option_helps; o->help && room > 1; o++)
		if (o->word) {
			*all++ = (struct option){o->word, no_argument, NULL, o->letter};
			room--;
		}
}

bool option_is(const char *word)
{
	return word[0] == '-' && word[1];
}

/* Of letters in one word, the first that takes a value ends the word, or takes what follows. */
bool option_takes_next(const char *word)
{
	const struct option_help *o;

	if (word[1] == '-')
		return false;
	for (word++; *word; word++)
		for (o = option_helps; o->help; o++)
			if (*word == o->letter && o->value)
				return !word[1];
	return false;
}

const char *option_text(const struct option_help *o)
{
	static _Thread_local char text[32];
	const bool both = o->letter < OPTION_LONG && o->word;

	snprintf(text, sizeof(text), "%s%c%s%s%s%s%s", o->letter < OPTION_LONG ? "-" : "",
		 o->letter < OPTION_LONG ? o->letter : '-', both ? ", -" : "", o->word ? "-" : "",
		 o->word ? o->word : "", o->value ? " " : "", o->value ? o->value : "");
	return text;
}
