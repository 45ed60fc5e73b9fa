/* SPDX-License-Identifier: GPL-2.0-only */
/* The network namespace of this thread: setns(2) moves one thread and not its process. */
#ifndef TSW_NETNS_H
#define TSW_NETNS_H

#include <linux/types.h>

/* A descriptor. -EINVAL: it is no namespace. Nothing else is opened, for a FIFO would wait. */
int netns_open(const char *path);

/* Moves this thread into a network namespace, by name or by path; pins stay where they are. */
int netns_enter(const char *netns);

/* A descriptor of the one it is in, and the way back to that. */
int netns_own(void);
int netns_return(int fd);

/* Which one it is in: the inode number that /proc/thread-self/ns/net shows. */
int netns_inode(__u32 *inode);

#endif
