/* SPDX-License-Identifier: GPL-2.0-only */
/* The owners of files. */
#ifndef TSW_OWNER_H
#define TSW_OWNER_H

#include <sys/types.h>

enum { OWNER_LEN = 192 };

/* `uid 1000 ("bob")`, or without a name. Returns OWNER. */
const char *owner_text(uid_t uid, char owner[OWNER_LEN]);

/*
 * Checks that PATH, in the directory PARENT, is a directory of the caller that nobody else can
 * write or replace. -ENOENT without message: PATH does not exist, and PARENT is safe.
 */
int owner_check_directory(const char *path, const char *parent);

#endif
