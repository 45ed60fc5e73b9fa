/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_NETNS_H
#define TSW_NETNS_H

#include <linux/types.h>

/* Moves this process into a network namespace, by name or by path; pins stay where they are. */
int netns_enter(const char *netns);

/* Which one it is in: the inode number that /proc/self/ns/net shows. */
int netns_inode(__u32 *inode);

#endif
