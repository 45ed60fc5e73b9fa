/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that the user named for us to write. */
#ifndef TSW_OWN_FILE_H
#define TSW_OWN_FILE_H

/*
 * Made with mode 0600, or an old one of the caller's emptied, and locked. What was put in its place
 * is never written to: a symbolic link, a file of another's, another name of some file. A pipe or a
 * device, of the caller's or root's, is opened as it is; /dev/stdout and /dev/fd/N are what the
 * caller has open. Returns the fd.
 */
int own_file_open(const char *path);

#endif
