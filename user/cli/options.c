// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "cli/options.h"

/* clang-format off */
const struct option_help option_helps[] = {
	{'n', "NETNS", "act in that network namespace, by name or path"},
	{'i', "NAME",  "instance, which names a switch; default: `default`, or with -n the namespace's name"},
	{'b', "FILE",  "run the commands of FILE, one a line, # comments; - is standard input; stops at the first error"},
	{'w', "SECONDS", "wait at most so long for another command on the switch, or for etcd; default 10; 0: not at all"},
	{'c', NULL,    "act on the records of this host's cluster, not on its switch"},
	{'j', NULL,    "print JSON"},
	{'p', NULL,    "print indented JSON"},
	{'s', NULL,    "print counters, too"},
	{'q', NULL,    "quiet: only errors on standard error, no notes"},
	{'f', NULL,    "with -b, continue after an error; `switch down`: also if its namespace is gone; `switch upgrade`: also to the same or an older version"},
	{'v', NULL,    "print each step; twice: also messages of libbpf"},
	{'V', NULL,    "print the version"},
	{'h', NULL,    "print this help"},
	{0, NULL, NULL},
};
/* clang-format on */

void options_letters(const char *prefix, char *text, size_t len)
{
	const struct option_help *o;
	size_t used = (size_t)snprintf(text, len, "%s", prefix);

	for (o = option_helps; o->letter && used < len; o++)
		used += (size_t)snprintf(text + used, len - used, "%c%s", o->letter,
					 o->value ? ":" : "");
}
