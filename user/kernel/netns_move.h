/* SPDX-License-Identifier: GPL-2.0-only */
/* To another network namespace, or another router: sockets that are kept would stay behind. */
#ifndef TSW_NETNS_MOVE_H
#define TSW_NETNS_MOVE_H

/* Moves this thread into a network namespace, by name or by path; pins stay where they are. */
int netns_enter(const char *netns);
/* The way back to what netns_own() told. */
int netns_return(int fd);

/*
 * The router of the switch that this thread works for: netfilter's sockets are opened there, see
 * netns.h. Takes the descriptor; -1: there is none.
 */
void netns_router(int fd);

#endif
