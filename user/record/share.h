/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tenant's share of the switch's room for endpoints and their addresses, so that no tenant takes
 * all of it: tsw_shares.
 */
#ifndef TSW_SHARE_H
#define TSW_SHARE_H

#include "store/tsw.h"

/*
 * How many endpoints a tenant may have that was given so many (0: the default), and how many
 * addresses. A share of the whole switch has all addresses.
 */
__u32 share_endpoints(const struct tsw_config *config, __u32 given);
__u32 share_addrs(const struct tsw_config *config, __u32 endpoints);

/* Zero: no entry. */
int share_load(const struct tsw *t, __u32 tenant, struct tsw_share *share);
/* Stores the share; one of zeros needs no entry. */
int share_store(const struct tsw *t, __u32 tenant, const struct tsw_share *share);
/* Sets its share to GIVEN, and keeps the counts. */
int share_put(const struct tsw *t, __u32 tenant, __u32 given);

/*
 * The tenants whose endpoints have the addresses of tsw_addrs, once for each address. Gateways'
 * addresses are left out. IDS has room for all of ADDRS. -ENOMEM with the message.
 */
int share_holders(const struct rows *addrs, const struct rows *gateways, __u32 *ids, size_t *n);

#endif
