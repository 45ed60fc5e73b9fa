/* SPDX-License-Identifier: GPL-2.0-only */
/* Enters another network namespace or changes the router, and closes sockets of the old one. */
#ifndef TSW_NETNS_MOVE_H
#define TSW_NETNS_MOVE_H

/* Moves this thread into a network namespace, by name or path. The mounts, with pins, stay. */
int netns_enter(const char *netns);
/* Returns to the namespace of a descriptor from netns_own(). */
int netns_return(int fd);

/*
 * Sets the router of this thread's switch, where netfilter's sockets are opened, see netns.h. Takes
 * the descriptor; -1: no router.
 */
void netns_router(int fd);

#endif
