/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens a file that tsw believes, such as a key: nobody but root and the caller may own it. */
#ifndef TSW_TRUSTED_FILE_H
#define TSW_TRUSTED_FILE_H

/* What others must not have: bits of st_mode. */
enum { OTHERS_WRITE = 022, OTHERS_ANY = 077 };

/*
 * Returns the fd. -EPERM: others own the open file, or have one of the rights MASK. Refuses pipes.
 * Follows links: the file counts. -ENOENT: it does not exist.
 */
int trusted_file_open(const char *path, unsigned int mask);

/* The same as a check: 0 or the error. */
int trusted_file_check(const char *path, unsigned int mask);

#endif
