/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's answers about one destination: its route, and a neighbour. */
#ifndef TSW_TRACE_ROUTE_H
#define TSW_TRACE_ROUTE_H

#include <stdbool.h>

#include <tsw/abi.h>

struct route_answer {
	__u32 ifindex;
	struct tsw_addr via; /* the destination itself, where it is on the link */
	__u32 mtu; /* the route's own, or learned, as far as forwarding minds it; 0: none */
};

/* From FROM to TO; returns -errno without message, as -ENETUNREACH where there is none. */
int route_ask(const struct tsw_addr *from, const struct tsw_addr *to, struct route_answer *answer);

/* Does the kernel know, or still think that it knows, the MAC of a neighbour? */
bool neighbour_known(__u32 ifindex, const struct tsw_addr *addr, struct tsw_mac *mac);

#endif
