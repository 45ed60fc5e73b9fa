/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own tunnel devices: the slow path. The sockets of tsw-vx and tsw-gnv also make GRO
 * merge tunnel frames.
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
	TUNNELS /* any kind, or not a tunnel */
};

/*
 * Makes a device that is down, and returns its index. PORT is VXLAN's. For other kinds these come
 * without message: -EOPNOTSUPP: the kernel has no such device; -EEXIST: another device takes all
 * keys, or Geneve's port.
 */
int tunnel_make(enum tunnel tunnel, const char *instance, __u16 port, __u32 *ifindex);

/*
 * For a dry run: would tunnel_make() and tunnel_start() make this device, which the instance lacks,
 * and with which NAME? Loads no module of the kernel.
 */
bool tunnel_is_to_make(enum tunnel tunnel, const char *instance, char name[IFNAMSIZ]);

/* UP false: another socket has the UDP port, so the switch has no slow path. */
int tunnel_start(__u32 ifindex, bool *up);

/* Sets alias and settings, also again after somebody else has changed them. */
int tunnel_configure(__u32 ifindex, const char *instance);

/* Deletes the instance's devices of one kind or all, and those that a killed `up` left. */
int tunnel_delete(enum tunnel tunnel, const char *instance, __u16 port);

/* The instance that has this tunnel device, or NULL. */
const char *tunnel_instance(const struct link *link);

/* Whether the device is the instance's, which is then in this network namespace. */
bool tunnel_is_of(__u32 ifindex, const char *instance);

/* Calls FN for each instance that has its tsw-vx here, until it returns other than 0. */
int tunnel_each(int (*fn)(const char *instance, void *data), void *data);

#endif
