/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The network namespace of a switch's router. A bind mount in /run/netns keeps it, not a process,
 * so `ip netns` sees it. Each function may be called again, and completes what a killed command
 * began.
 */
#ifndef TSW_ROUTER_NS_H
#define TSW_ROUTER_NS_H

#include <linux/types.h>

/* Its name in /run/netns: tsw-gw for the instance `default`, otherwise tsw-gw.INSTANCE. */
const char *router_ns_name(const char *instance);

/* Makes it if it is missing. The thread stays in its own namespace. */
int router_ns_make(const char *instance);

/* Returns a descriptor. -ENOENT without message: there is no router. */
int router_ns_open(const char *instance);

/* Finds its number (nsid) in this thread's namespace; gives it one if it has none. */
int router_ns_number(int fd, __s32 *nsid);

/* Calls FN for the instance of each router, until FN returns other than 0. */
int router_ns_each(int (*fn)(const char *instance, void *data), void *data);

/*
 * Removes it, and with it its devices, unless a process is in it. If the caller may not unmount, it
 * stays, and routers_sweep() removes it later.
 */
int router_ns_remove(const char *instance);

#endif
