/* SPDX-License-Identifier: GPL-2.0-only */
/* What there is to be of uplinks, as the host's devices and their addresses are now. */
#ifndef TSW_UPLINK_PLAN_H
#define TSW_UPLINK_PLAN_H

#include "door/table.h"
#include "kernel/address.h"
#include "kernel/link.h"
#include "store/tsw.h"

/* A device; or, where it has addresses in several networks, the way by it into one of these. */
struct uplink {
	struct link link;
	struct tsw_uplink_net net; /* of its next hops; a device's is TSW_UPLINK_ANY */
	__u32 slot;
	bool underlay;
	struct tsw_addr src[TSW_FAMILIES]; /* as which tenants leave by it; zero: not at all */
};

struct plan {
	struct uplink *at;
	size_t n;
	struct addresses local;	  /* the host's; ifindex 0: of a device that is no uplink */
	struct link without_slot; /* the device that got none; ifindex 0: each got one */
	__u32 first;		  /* index in `at` of the device by which the host itself leaves */
};

/* Without slots, and none is the first yet. */
int plan_make(struct tsw *t, struct plan *plan);
/* The host's default route's, else the one of the lowest slot. */
int plan_choose_first(struct plan *plan);
void plan_free(struct plan *plan);

#define cleanup_plan __attribute__((cleanup(plan_free)))

static inline bool uplink_is_device(const struct uplink *uplink)
{
	return uplink->net.len == TSW_UPLINK_ANY;
}

/* The next hops in an address' network, by its device. */
static inline struct tsw_uplink_net uplink_net(const struct address *a)
{
	return (struct tsw_uplink_net){TSW_UPLINK_ANY + a->net.len, a->ifindex, a->net.addr};
}

/* What the kernel makes of an uplink's address: it leaves as the first one for the next hop. */
enum leaves {
	LEAVES_NEVER, /* an earlier one has all of its network; or it is not to stay */
	LEAVES_FIRST, /* of its family, and so for next hops in none of the networks as well */
	LEAVES_FURTHER,
};

enum leaves plan_leaves(const struct plan *plan, const struct address *a);

/* The device. NULL: it is no uplink. */
const struct uplink *plan_find(const struct plan *plan, __u32 ifindex);
/* An uplink's before another device's; NULL: it is not this host's. */
const struct address *plan_address(const struct plan *plan, const struct tsw_addr *addr);

/* The router's default routes. */
void plan_ways(const struct plan *plan, struct ways *ways);

#endif
