/* SPDX-License-Identifier: GPL-2.0-only */
/* tsw-vx, the kernel's own tunnel device: its socket is GRO's anchor and the slow path. */
#ifndef TSW_TUNNEL_H
#define TSW_TUNNEL_H

#include <stdbool.h>

#include <tsw/abi.h>

#include "link.h"

/* Makes it, down, and says its index. */
int tunnel_make(const char *instance, __u16 port, __u32 *ifindex);

/* UP false: something else holds the UDP port, the switch does without the slow path. */
int tunnel_start(__u32 ifindex, bool *up);

/* What it needs besides, alias and settings: also on one that somebody else has changed. */
int tunnel_configure(__u32 ifindex, const char *instance);

/* All devices that the instance made, also what a killed `up` for that UDP port left. */
int tunnel_delete(const char *instance, __u16 port);

/* Whose tunnel device this is; NULL: nobody's. */
const char *tunnel_instance(const struct link *link);

/* The device is the instance's, so we are in its network namespace. */
bool tunnel_is_of(__u32 ifindex, const char *instance);

/* Calls FN with each instance that has its tunnel device here, until it returns other than 0. */
int tunnel_each(int (*fn)(const char *instance, void *data), void *data);

#endif
