/* SPDX-License-Identifier: GPL-2.0-only */
/* Characters that are invisible, or change how others look. */
#ifndef TSW_HIDDEN_H
#define TSW_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/*
 * Controls, including those of writing direction; joiners, separators and variation selectors; code
 * points that are not characters; and every blank except U+0020.
 */
bool is_hidden(__u32 character);

/* The first hidden character in TEXT, which is UTF-8; 0 without any. */
__u32 hidden_in(const char *text);

/* TEXT with hidden characters as \xNN, octet by octet; cut to ROOM. Returns OUT. */
const char *hidden_shown(const char *text, char *out, size_t room);

#endif
