/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads gateways, published ports, peerings and policies, for load.c. */
#ifndef TSW_STATE_LOAD_PARTS_H
#define TSW_STATE_LOAD_PARTS_H

#include "base/lookup.h"
#include "record/policy_find.h"
#include "state/state.h"
#include "store/tsw.h"

struct loading {
	const struct tsw *t; /* its maps are a snapshot */
	struct state *s;
	struct lookup tenants;		/* tenant id -> index in S */
	struct policy_groups groups;	/* of all tenants */
	__u32 where[TSW_MAX_HOSTS + 1]; /* host id -> index in S; host id 0: this host */
};

/* Call after tenants and endpoints are loaded. */
int state_load_parts(const struct loading *l);

#endif
