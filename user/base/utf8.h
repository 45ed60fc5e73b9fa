/* SPDX-License-Identifier: GPL-2.0-only */
/* Text as characters. */
#ifndef TSW_UTF8_H
#define TSW_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* The length of the UTF-8 character at TEXT, and its number; 0: not a character, or the end. */
size_t utf8_next(const char *text, __u32 *character);

bool text_is_utf8(const char *text);

/* Writes one character of TEXT, escaped, and moves TEXT behind it. Returns the length written. */
#define ESCAPE_LEN 8
typedef size_t escape_fn(const char **text, char out[ESCAPE_LEN]);

/* Writes as many whole characters as ROOM allows. Returns OUT. */
const char *text_escape(const char *text, escape_fn *one, char *out, size_t room);

/* Ends TEXT, which was cut to fit LEN octets, in "..." behind a whole character. */
void text_cut(char *text, size_t len);

#endif
