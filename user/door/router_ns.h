/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The network namespace of a switch's router. No process keeps it: a bind mount in /run/netns does,
 * where `ip netns` sees it. Each function may be called again, and completes what was killed.
 */
#ifndef TSW_ROUTER_NS_H
#define TSW_ROUTER_NS_H

#include <linux/types.h>

/* Its name in /run/netns: tsw-gw of the instance `default`, else tsw-gw.INSTANCE. */
const char *router_ns_name(const char *instance);

/* Makes it where it is missing; this thread stays in its own. */
int router_ns_make(const char *instance);

/* A descriptor. -ENOENT without message: there is none. */
int router_ns_open(const char *instance);

/* Its number in this thread's namespace, which it gets where it has none. */
int router_ns_number(int fd, __s32 *nsid);

/* Calls FN for the instance of each that there is, until it returns other than 0. */
int router_ns_each(int (*fn)(const char *instance, void *data), void *data);

/* Removes it. Its devices go with it, unless a process is in it. Where the
 * caller may not unmount, it stays, and routers_sweep() takes it away. */
int router_ns_remove(const char *instance);

#endif
