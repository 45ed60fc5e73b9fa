/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own tunnel devices. The sockets of tsw-vx and tsw-gnv are GRO's anchors; they,
 * tsw-gre and tsw-gre6 are the slow path.
 */
#ifndef TSW_TUNNEL_H
#define TSW_TUNNEL_H

#include <stdbool.h>

#include <tsw/abi.h>

#include "kernel/link.h"

enum tunnel {
	TUNNEL_VXLAN,
	TUNNEL_GRE,
	TUNNEL_GRE6,
	TUNNEL_GENEVE,
	TUNNELS /* all of them, or none */
};

/*
 * Makes it, down, and says its index; PORT is VXLAN's. For the others -EOPNOTSUPP and -EEXIST come
 * without message: the kernel has no such device, or another takes all keys, or Geneve's port,
 * already.
 */
int tunnel_make(enum tunnel tunnel, const char *instance, __u16 port, __u32 *ifindex);

/* UP false: something else holds the UDP port, the switch does without the slow path. */
int tunnel_start(__u32 ifindex, bool *up);

/* What it needs besides, alias and settings: also on one that somebody else has changed. */
int tunnel_configure(__u32 ifindex, const char *instance);

/* All that the instance made, or all of one kind; also what a killed `up` for that port left. */
int tunnel_delete(enum tunnel tunnel, const char *instance, __u16 port);

/* Whose tunnel device this is; NULL: nobody's. */
const char *tunnel_instance(const struct link *link);

/* The device is the instance's, so we are in its network namespace. */
bool tunnel_is_of(__u32 ifindex, const char *instance);

/* Calls FN with each instance that has its tsw-vx here, until it returns other than 0. */
int tunnel_each(int (*fn)(const char *instance, void *data), void *data);

#endif
