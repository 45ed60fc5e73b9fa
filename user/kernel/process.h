/* SPDX-License-Identifier: GPL-2.0-only */
/* Other processes of this machine. */
#ifndef TSW_PROCESS_H
#define TSW_PROCESS_H

#include <linux/types.h>
#include <stdbool.h>

/*
 * Has a process that has the argument WORD opened the socket INODE? If this process may not see
 * which files such a process has opened, true as well.
 */
bool process_has_socket(const char *word, __u32 inode);

#endif
