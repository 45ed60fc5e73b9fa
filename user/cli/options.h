/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of options. getopt's list, usage, manual page and completion follow from it. */
#ifndef TSW_OPTIONS_H
#define TSW_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

/* Options without a letter have numbers that no letter has. */
enum { OPTION_LONG = 256, OPTION_CHANGES_NOTHING };

struct option_help {
	int letter;
	const char *word;  /* the same as --WORD; or NULL */
	const char *value; /* the name of its value; NULL: it takes none */
	const char *help;
};

extern const struct option_help option_helps[]; /* ends with a row without help */

/* PREFIX and all letters in getopt's form. */
void options_letters(const char *prefix, char *text, size_t len);

/* The words in getopt's form, up to a row of zeroes. ROOM: rows of ALL. */
void options_words(struct option *all, size_t room);

/* Whether WORD looks like an option: it begins with -, and is not - alone. */
bool option_is(const char *word);

/* Whether the next word is the value of the option WORD. */
bool option_takes_next(const char *word);

/* How the option is typed: `-n NETNS`, `-j, --json`. One buffer, used again. */
const char *option_text(const struct option_help *o);

#endif
