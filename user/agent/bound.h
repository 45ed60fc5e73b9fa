/* SPDX-License-Identifier: GPL-2.0-only */
/* Whoever may write a tenant's records may write more endpoints than its share of this switch. */
#ifndef TSW_AGENT_BOUND_H
#define TSW_AGENT_BOUND_H

#include "agent/complaints.h"
#include "state/state.h"
#include "store/tsw.h"

/*
 * Leaves endpoints out of WANT that are beyond their tenant's share, and tells of each such tenant.
 * What HAVE has already stays. *N: how many are left out.
 */
int bound_shares(const struct tsw *t, const struct state *have, struct state *want,
		 struct complaints *complaints, size_t *n);

#endif
