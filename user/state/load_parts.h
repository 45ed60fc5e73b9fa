/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of load.c that is about gateways, published ports, peerings and policies. */
#ifndef TSW_STATE_LOAD_PARTS_H
#define TSW_STATE_LOAD_PARTS_H

#include "base/lookup.h"
#include "record/policy_find.h"
#include "state/state.h"
#include "store/tsw.h"

struct loading {
	const struct tsw *t; /* its maps are a snapshot */
	struct state *s;
	struct lookup tenants;		/* of each id the tenant's place in S */
	struct policy_groups groups;	/* of all tenants */
	__u32 where[TSW_MAX_HOSTS + 1]; /* of each host's index its place in S; 0: this host */
};

/* After tenants and endpoints. */
int state_load_parts(const struct loading *l);

#endif
