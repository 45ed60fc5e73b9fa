/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose a file is. */
#ifndef TSW_OWNER_H
#define TSW_OWNER_H

#include <sys/types.h>

enum { OWNER_LEN = 192 };

/* `uid 1000 ("bob")`, or without a name where it has none. Returns OWNER. */
const char *owner_text(uid_t uid, char owner[OWNER_LEN]);

/*
 * PATH, in the directory PARENT, is a directory of the caller's that nobody else can write, or put
 * another in its place. Nothing is there: -ENOENT without message, if PARENT is as it should be.
 */
int owner_check_directory(const char *path, const char *parent);

#endif
