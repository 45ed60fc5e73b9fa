/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of state_load.c that are about gateways. */
#ifndef TSW_STATE_LOAD_TENANT_H
#define TSW_STATE_LOAD_TENANT_H

#include "base/lookup.h"
#include "state/state.h"
#include "store/tsw.h"

/* TENANTS: where each id's tenant is. WHERE: likewise of each host index. */
int state_load_gateways(const struct tsw *t, const struct lookup *tenants, const __u32 *where,
			struct state *s);
int state_load_publishes(const struct tsw *t, const struct lookup *tenants, struct state *s);
int state_load_peers(const struct tsw *t, const struct lookup *tenants, struct state *s);

#endif
