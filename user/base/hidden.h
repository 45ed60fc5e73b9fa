/* SPDX-License-Identifier: GPL-2.0-only */
/* Characters that nobody sees, or that change how others are seen. */
#ifndef TSW_HIDDEN_H
#define TSW_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/*
 * Controls, those of writing direction too; what joins, parts or selects others; what is no
 * character; and every blank but U+0020.
 */
bool is_hidden(__u32 character);

/* The first such in TEXT, which is UTF-8; 0: there is none. */
__u32 hidden_in(const char *text);

/* TEXT with such as \xNN, octet by octet, for people; cut to ROOM. Returns OUT. */
const char *hidden_shown(const char *text, char *out, size_t room);

#endif
