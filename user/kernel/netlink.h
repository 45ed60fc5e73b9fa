/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink sockets of this thread's network namespace, one a family; rtnetlink is the usual. They
 * stay open for the next request, and in the namespace where they were opened. The router has its
 * own ones, and all of netfilter's.
 */
#ifndef TSW_NETLINK_H
#define TSW_NETLINK_H

#include <stdbool.h>
#include <stddef.h>

#include <libmnl/libmnl.h>

#define NETLINK_BUFFER 4096

/* Begins a request in BUFFER, which has NETLINK_BUFFER octets, with a zeroed header behind. */
struct nlmsghdr *netlink_begin(void *buffer, int type, int flags, size_t header);

/*
 * Sends it, gives each answer to CB, waits for the end. Returns -errno without message; -EDEADLK
 * to a CB that asks something else meanwhile.
 */
int netlink_talk(struct nlmsghdr *request, mnl_cb_t cb, void *data);

/* The same with another FAMILY than rtnetlink, one of NETLINK_*. */
int netlink_talk_on(int family, struct nlmsghdr *request, mnl_cb_t cb, void *data);

/*
 * A socket that is not kept. Netfilter's are the router's, see netns.h: NULL with ENOENT where
 * there is none. FLAGS as of socket(2).
 */
struct mnl_socket *netlink_open(int family, int flags);

/* Before the thread goes to another namespace, or ends. */
void netlink_close(void);
/* Those alone that are in the router. */
void netlink_close_router(void);

/* Dumps of routes are then of the table that is asked for, not of all. */
void netlink_strict(bool on);

#endif
