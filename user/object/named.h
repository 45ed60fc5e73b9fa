/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose MAC it is, for the answers that the programs give: tsw_names, in tenants that want any. */
#ifndef TSW_NAMED_H
#define TSW_NAMED_H

#include "store/tsw.h"

/* Where its tenant is answered for; else nothing is to do. */
int named_put(const struct tsw *t, const struct tsw_endpoint_key *key, const struct tsw_mac *mac);

/* Of all endpoints that the tenant has: before its programs look for them, and after. */
int named_fill(const struct tsw *t, __u32 tenant);
int named_drop(const struct tsw *t, __u32 tenant);

/* Of all ENDPOINTS that there are, and no others: after a kill half-way in any of the above. */
int named_settle(const struct tsw *t, const struct rows *endpoints);

#endif
