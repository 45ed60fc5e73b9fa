/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of options: getopt's list, usage, man page and completion all come from it. */
#ifndef TSW_OPTIONS_H
#define TSW_OPTIONS_H

#include <stddef.h>

struct option_help {
	char letter;
	const char *value; /* what its value is called; NULL: takes none */
	const char *help;
};

extern const struct option_help option_helps[]; /* ended by one without a letter */

/* All of them as getopt wants it, behind PREFIX. */
void options_letters(const char *prefix, char *text, size_t len);

#endif
