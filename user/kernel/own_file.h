/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens a file that the user names for output. */
#ifndef TSW_OWN_FILE_H
#define TSW_OWN_FILE_H

/*
 * Makes the file with mode 0600, or empties one of the caller, and locks it. Refuses files that
 * others may have put there: symbolic links, files of other users, and files with several hard
 * links. Pipes and devices of the caller or root are opened as they are. /dev/stdout and /dev/fd/N
 * are the caller's open files. Returns the fd.
 */
int own_file_open(const char *path);

#endif
