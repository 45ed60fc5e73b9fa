/* SPDX-License-Identifier: GPL-2.0-only */
/* The uplinks that the router should have, from the host's present devices and addresses. */
#ifndef TSW_UPLINK_PLAN_H
#define TSW_UPLINK_PLAN_H

#include "door/table.h"
#include "kernel/address.h"
#include "kernel/link.h"
#include "store/tsw.h"

/* A device, or the way by it into one of its further networks. */
struct uplink {
	struct link link;
	struct tsw_uplink_net net; /* of its next hops; TSW_UPLINK_ANY for a device */
	__u32 slot;
	bool underlay;
	struct tsw_addr src[TSW_FAMILIES]; /* as which tenants leave by it; zero: they cannot */
};

struct plan {
	struct uplink *at;
	size_t n;
	struct addresses local;	  /* the host's; ifindex 0: the device is no uplink */
	struct link without_slot; /* a device that got no slot; ifindex 0: all got one */
	__u32 first;		  /* index in `at` of the host's own default uplink */
};

/* Makes the plan, still without slots and without the first uplink. */
int plan_make(struct tsw *t, struct plan *plan);
/* Chooses the host's default route's device, or else the one with the lowest slot. */
int plan_choose_first(struct plan *plan);
void plan_free(struct plan *plan);

#define cleanup_plan __attribute__((cleanup(plan_free)))

static inline bool uplink_is_device(const struct uplink *uplink)
{
	return uplink->net.len == TSW_UPLINK_ANY;
}

/* Next hops in the network of A, by its device. */
static inline struct tsw_uplink_net uplink_net(const struct address *a)
{
	return (struct tsw_uplink_net){TSW_UPLINK_ANY + a->net.len, a->ifindex, a->net.addr};
}

/* The kernel sends from the device's first address in the next hop's network, so A is used: */
enum leaves {
	LEAVES_NEVER,	/* never: an earlier address covers its network, or it is temporary */
	LEAVES_FIRST,	/* first of its family, so also for next hops outside of all networks */
	LEAVES_FURTHER, /* for next hops in its network */
};

enum leaves plan_leaves(const struct plan *plan, const struct address *a);

/* Finds the device. NULL: it is no uplink. */
const struct uplink *plan_find(const struct plan *plan, __u32 ifindex);
/* Finds an address of this host; prefers an uplink's to another device's. NULL: not this host's. */
const struct address *plan_address(const struct plan *plan, const struct tsw_addr *addr);

/* Makes the router's default routes. */
void plan_ways(const struct plan *plan, struct ways *ways);

#endif
