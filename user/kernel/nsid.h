/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers by which a network namespace knows others. */
#ifndef TSW_NSID_H
#define TSW_NSID_H

#include <linux/types.h>
#include <stdbool.h>

enum { NSID_NAME = 256 }; /* NAME_MAX and its end */

/* Numbers the namespace of FD. The kernel chooses; -EEXIST: it has a number. No message. */
int nsid_make(int fd);

/* The number of the namespace of FD; -ENOENT: it has none. No message. */
int nsid_get(int fd, __s32 *nsid);

/* The name in /run/netns of the namespace with that number. False: it has none there. */
bool nsid_name(__s32 nsid, char name[NSID_NAME]);

#endif
