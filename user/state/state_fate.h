/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of each thing that is there: between state_diff.c and state_order.c. */
#ifndef TSW_STATE_FATE_H
#define TSW_STATE_FATE_H

#include "state/state_diff.h"

enum fate {
	FATE_KEEP,
	FATE_SET_EARLY, /* others wait for what it gives away */
	FATE_SET,
	FATE_REMAKE, /* taken away, and made again */
	FATE_GONE_EARLY,
	FATE_GONE,
};

/* One kind of things: matched by what they are known by. */
struct match {
	__u32 *want; /* of each that is there: the same in what is wanted, or STATE_NONE */
	__u32 *have; /* and the other way round */
	__u8 *fate;  /* of each that is there */
	__u8 *gives; /* of each that is there: somebody else is to have what it has */
	__u8 *takes; /* of each that is there: it is to have what somebody else has */
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

/* It goes, for a moment or for good. */
static inline bool fate_is_away(__u8 fate)
{
	return fate == FATE_REMAKE || fate == FATE_GONE || fate == FATE_GONE_EARLY;
}

/* The changes that the fates come to. */
int state_order(const struct diff *d, struct changes *c);

#endif
