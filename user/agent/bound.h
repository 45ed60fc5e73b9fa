/* SPDX-License-Identifier: GPL-2.0-only */
/* Holds tenants to their share of this switch: records may ask for more endpoints. */
#ifndef TSW_AGENT_BOUND_H
#define TSW_AGENT_BOUND_H

#include "agent/complaints.h"
#include "state/state.h"
#include "store/tsw.h"

/*
 * Removes endpoints beyond their tenant's share from WANT, and adds a complaint for each such
 * tenant. Endpoints that HAVE has already stay. *N: how many were removed.
 */
int bound_shares(const struct tsw *t, const struct state *have, struct state *want,
		 struct complaints *complaints, size_t *n);

#endif
