/* SPDX-License-Identifier: GPL-2.0-only */
/* Text as characters. */
#ifndef TSW_UTF8_H
#define TSW_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* Octets of the UTF-8 character at TEXT and its number; 0: it is none. */
size_t utf8_next(const char *text, __u32 *character);

bool text_is_utf8(const char *text);

/* Writes one character of TEXT, escaped, and moves on behind it; returns how long that is. */
#define ESCAPE_LEN 8
typedef size_t escape_fn(const char **text, char out[ESCAPE_LEN]);

/* As many characters as there is ROOM for, none in pieces. Returns OUT. */
const char *text_escape(const char *text, escape_fn *one, char *out, size_t room);

/* TEXT was cut to fit LEN octets: now it ends in "...", and no character is in pieces. */
void text_cut(char *text, size_t len);

#endif
