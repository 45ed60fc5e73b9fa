/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tenant's share of the switch's room for endpoints and their addresses, so that no tenant takes
 * all of it: tsw_shares.
 */
#ifndef TSW_SHARE_H
#define TSW_SHARE_H

#include "store/tsw.h"

/*
 * The most endpoints of a tenant whose `max_endpoints` is GIVEN (0: the default), and the most
 * addresses of a tenant with that many ENDPOINTS. A share of the whole switch has all addresses.
 */
__u32 share_endpoints(const struct tsw_config *config, __u32 given);
__u32 share_addrs(const struct tsw_config *config, __u32 endpoints);

/* Reads the tenant's share and its counts; zero: no entry. */
int share_load(const struct tsw *t, __u32 tenant, struct tsw_share *share);
/* Stores the share, or deletes the entry if all is zero. */
int share_store(const struct tsw *t, __u32 tenant, const struct tsw_share *share);
/* Sets the tenant's share to GIVEN endpoints, and keeps the counts. */
int share_put(const struct tsw *t, __u32 tenant, __u32 given);

/*
 * Sets IDS to the tenants that own the addresses ADDRS, once for each address, and *N to how many.
 * Leaves gateways' addresses out. IDS has room for all of ADDRS. -ENOMEM with a message.
 */
int share_holders(const struct rows *addrs, const struct rows *gateways, __u32 *ids, size_t *n);

#endif
