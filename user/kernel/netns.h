/* SPDX-License-Identifier: GPL-2.0-only */
/* The network namespace of this thread; setns(2) moves only the calling thread. */
#ifndef TSW_NETNS_H
#define TSW_NETNS_H

#include <linux/types.h>
#include <stdbool.h>

/* A descriptor. -EINVAL: not a namespace. Opens nothing else, because a FIFO would wait. */
int netns_open(const char *path);

/* A descriptor of the thread's namespace. */
int netns_own(void);

/* Only for netns_router(): takes the descriptor, and returns whether the router is another one. */
bool netns_set_router(int fd);
bool netns_has_router(void);

/*
 * Between these two calls this thread is in the router's namespace, where rtnetlink has sockets of
 * its own. They may be nested. -ENOENT: there is no router.
 */
int netns_visit(void);
int netns_leave(int err); /* returns ERR, or the failure to return */
bool netns_is_visit(void);
/* During a visit: a descriptor of the namespace that the thread came from. */
int netns_home(void);

/* The inode number of the thread's namespace, as in /proc/thread-self/ns/net. */
int netns_inode(__u32 *inode);

#endif
