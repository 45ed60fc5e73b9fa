/* SPDX-License-Identifier: GPL-2.0-only */
/* The network namespace of this thread: setns(2) moves one thread and not its process. */
#ifndef TSW_NETNS_H
#define TSW_NETNS_H

#include <linux/types.h>
#include <stdbool.h>

/* A descriptor. -EINVAL: it is no namespace. Nothing else is opened, for a FIFO would wait. */
int netns_open(const char *path);

/* A descriptor of the one it is in. */
int netns_own(void);

/* Takes the descriptor, for netns_router() alone; tells whether it is another than before. */
bool netns_set_router(int fd);
bool netns_has_router(void);

/*
 * Between these two this thread is in the router. They nest; rtnetlink has sockets of its own for
 * each place. -ENOENT without message: there is none.
 */
int netns_visit(void);
int netns_leave(int err); /* returns ERR, or that there was no way back */
bool netns_is_visit(void);
/* During a visit: a descriptor of where the thread came from. */
int netns_home(void);

/* Which one it is in: the inode number that /proc/thread-self/ns/net shows. */
int netns_inode(__u32 *inode);

#endif
