/* SPDX-License-Identifier: GPL-2.0-only */
/* The fate of each existing object. diff.c decides it, and order.c makes changes from it. */
#ifndef TSW_STATE_FATE_H
#define TSW_STATE_FATE_H

#include "state/diff.h"

enum fate {
	FATE_KEEP,
	FATE_SET_EARLY, /* changed in step 2 of diff.h: others need what it gives away */
	FATE_SET,
	FATE_REMAKE,	 /* deleted, and made again */
	FATE_GONE_EARLY, /* deleted in step 1, although hosts go in step 4 */
	FATE_GONE,
};

/* The objects of one kind in both states, matched by what identifies them. */
struct match {
	__u32 *want; /* for each existing object the wanted one, or STATE_NONE */
	__u32 *have; /* for each wanted object the existing one, or STATE_NONE */
	__u8 *fate;  /* for each existing object: enum fate */
	__u8 *gives; /* for each existing object: another gets what it has */
	__u8 *takes; /* for each existing object: it gets what another has */
	size_t n_have;
	size_t n_want;
};

struct diff {
	const struct state *have;
	const struct state *want;
	struct match host, tenant, endpoint, gateway, publish, peer, group, policy;
};

static inline bool fate_is_set(__u8 fate)
{
	return fate == FATE_SET || fate == FATE_SET_EARLY;
}

/* The object is deleted, for good or until it is made again. */
static inline bool fate_is_away(__u8 fate)
{
	return fate == FATE_REMAKE || fate == FATE_GONE || fate == FATE_GONE_EARLY;
}

/* The existing owner that matches the wanted OWNER of resource.h; STATE_NONE without one. */
__u32 diff_owner_now(const struct diff *d, __u32 owner);

/* Marks that the existing owner GIVES something up which TAKES gets. STATE_NONE: nobody. */
void diff_exchange(struct diff *d, __u32 gives, __u32 takes);

/* Marks owners between which a network, or an address in one, changes hands. */
int diff_mark_networks(struct diff *d);

/* Whether an existing tenant is changed after endpoints and gateways. */
bool fate_tenant_is_late(const struct diff *d, __u32 i);

/* Makes the changes from the fates. */
int state_order(const struct diff *d, struct changes *c);

#endif
