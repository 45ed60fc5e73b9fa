/* SPDX-License-Identifier: GPL-2.0-only */
/* What there is to be of uplinks, as the host's devices and their addresses are now. */
#ifndef TSW_UPLINK_PLAN_H
#define TSW_UPLINK_PLAN_H

#include "door/table.h"
#include "kernel/address.h"
#include "kernel/link.h"
#include "store/tsw.h"

struct uplink {
	struct link link;
	__u32 slot;
	bool underlay;
	struct tsw_addr src[TSW_FAMILIES]; /* as which tenants leave by it; zero: not at all */
};

struct plan {
	struct uplink *at;
	size_t n;
	struct addresses local; /* the host's; ifindex 0: of a device that is no uplink */
	__u32 first;		/* index in `at` of the one by which the host itself leaves */
};

int plan_make(struct tsw *t, struct plan *plan);
void plan_free(struct plan *plan);

#define cleanup_plan __attribute__((cleanup(plan_free)))

/* NULL: it is no uplink. */
const struct uplink *plan_find(const struct plan *plan, __u32 ifindex);
/* An uplink's before another device's; NULL: it is not this host's. */
const struct address *plan_address(const struct plan *plan, const struct tsw_addr *addr);

/* The router's default routes. */
void plan_ways(const struct plan *plan, struct ways *ways);

#endif
