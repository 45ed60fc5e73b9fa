/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of options. getopt's list, usage, manual page and completion follow from it. */
#ifndef TSW_OPTIONS_H
#define TSW_OPTIONS_H

#include <stddef.h>

struct option_help {
	char letter;
	const char *value; /* the name of its value; NULL: it takes none */
	const char *help;
};

extern const struct option_help option_helps[]; /* ends with a row without a letter */

/* PREFIX and all options in getopt's form. */
void options_letters(const char *prefix, char *text, size_t len);

#endif
