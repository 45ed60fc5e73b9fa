/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The endpoint's name of each MAC, in tsw_names: from it the programs answer DNS and DHCP. Only
 * tenants whose flags ask for such answers have entries.
 */
#ifndef TSW_NAMED_H
#define TSW_NAMED_H

#include "store/tsw.h"

/* Writes the entry of an endpoint, if its tenant has entries. */
int named_put(const struct tsw *t, const struct tsw_endpoint_key *key, const struct tsw_mac *mac);

/* Writes or deletes the entries of all endpoints of a tenant, whatever its flags are. */
int named_fill(const struct tsw *t, __u32 tenant);
int named_drop(const struct tsw *t, __u32 tenant);

/* After a kill: makes the entries match ENDPOINTS, the rows of tsw_endpoints. */
int named_settle(const struct tsw *t, const struct rows *endpoints);

#endif
