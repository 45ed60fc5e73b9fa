// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "cli/options.h"

/* clang-format off */
const struct option_help option_helps[] = {
	{'n', "NETNS", "act in that network namespace, by name or path"},
	{'i', "NAME",  "instance: which switch; without, `default`, or with -n the namespace's name"},
	{'b', "FILE",  "one command a line, # comments; - is standard input; stops at the first error"},
	{'w', "SECONDS", "wait so long for another command on the switch to end, or for etcd, default 10; 0: not at all"},
	{'c', NULL,    "act on the cluster's records, of which this host is a member, not on its switch"},
	{'j', NULL,    "JSON"},
	{'p', NULL,    "pretty JSON"},
	{'s', NULL,    "with counters"},
	{'q', NULL,    "quiet: no notes on standard error, errors still"},
	{'f', NULL,    "go on behind errors of -b; `switch down` when its namespace is gone, `switch upgrade` to the same or older"},
	{'v', NULL,    "tell each step; twice: what libbpf says, too"},
	{'V', NULL,    "version"},
	{'h', NULL,    "help"},
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
