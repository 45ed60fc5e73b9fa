/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose a file is, for messages. */
#ifndef TSW_OWNER_H
#define TSW_OWNER_H

#include <sys/types.h>

enum { OWNER_LEN = 192 };

/* `uid 1000 ("bob")`, or without a name where it has none. Returns OWNER. */
const char *owner_text(uid_t uid, char owner[OWNER_LEN]);

#endif
