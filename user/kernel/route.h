/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's answers about one destination: its route, and a neighbour. */
#ifndef TSW_ROUTE_H
#define TSW_ROUTE_H

#include <stdbool.h>

#include <tsw/abi.h>

struct route {
	__u32 ifindex;
	struct tsw_addr via; /* the destination itself, where it is on the link */
	__u32 mtu;	     /* less than the device's by configuration; 0: it is the device's */
	__u32 learned;	     /* what an ICMP error told, less than either; 0: none did */
};

/* From FROM to TO; returns -errno without message, as -ENETUNREACH where there is none. */
int route_ask(const struct tsw_addr *from, const struct tsw_addr *to, struct route *route);

/* The device of the default route that counts, or 0: there is none. */
int route_default(enum tsw_family family, __u32 *ifindex);

/* Does the kernel know, or still think that it knows, the MAC of a neighbour? */
bool neighbour_known(__u32 ifindex, const struct tsw_addr *addr, struct tsw_mac *mac);

#endif
