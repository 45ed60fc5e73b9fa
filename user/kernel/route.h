/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks the kernel for the route to a destination, and for a neighbour. */
#ifndef TSW_ROUTE_H
#define TSW_ROUTE_H

#include <stdbool.h>

#include <tsw/abi.h>

struct route {
	__u32 ifindex;
	struct tsw_addr via; /* the router, or the destination if it is on the link */
	__u32 mtu;	     /* configured, less than the device's; 0: the device's */
	__u32 learned;	     /* from an ICMP error, less than either; 0: none */
};

/* The route from FROM to TO. Returns -errno without message, such as -ENETUNREACH. */
int route_ask(const struct tsw_addr *from, const struct tsw_addr *to, struct route *route);

/* The device of the default route with the lowest metric, or 0. */
int route_default(enum tsw_family family, __u32 *ifindex);

/* Whether the kernel has the MAC of a neighbour, even an old one. */
bool neighbour_known(__u32 ifindex, const struct tsw_addr *addr, struct tsw_mac *mac);

#endif
