/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens to each existing object: between diff.c and order.c. */
#ifndef TSW_STATE_FATE_H
#define TSW_STATE_FATE_H

#include "state/diff.h"

enum fate {
	FATE_KEEP,
	FATE_SET_EARLY, /* others need what it gives away */
	FATE_SET,
	FATE_REMAKE, /* deleted, and made again */
	FATE_GONE_EARLY,
	FATE_GONE,
};

/* One kind of objects, matched by what identifies them. */
struct match {
	__u32 *want; /* for each existing object its wanted one, or STATE_NONE */
	__u32 *have; /* and the reverse */
	__u8 *fate;  /* of each existing one */
	__u8 *gives; /* for each existing one: another gets what it has */
	__u8 *takes; /* for each existing one: it gets what another has */
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

/* It is deleted, for a moment or for good. */
static inline bool fate_is_away(__u8 fate)
{
	return fate == FATE_REMAKE || fate == FATE_GONE || fate == FATE_GONE_EARLY;
}

/* Makes the changes from the fates. */
int state_order(const struct diff *d, struct changes *c);

#endif
