/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tenant's share of the switch's room for endpoints and their addresses, so that no tenant takes
 * all of it: tsw_shares. What an endpoint has in other maps goes with its one entry.
 */
#ifndef TSW_SHARE_H
#define TSW_SHARE_H

#include "store/tsw.h"

/*
 * Endpoints that it may have, where it was given so many (0: it was not), and addresses of those;
 * all that the switch has where the share is the whole.
 */
__u32 share_endpoints(const struct tsw_config *config, __u32 given);
__u32 share_addrs(const struct tsw_config *config, __u32 endpoints);

/* Zero where there is no entry. */
int share_load(const struct tsw *t, __u32 tenant, struct tsw_share *share);
/* As it is counted; what is all zero needs no entry. */
int share_store(const struct tsw *t, __u32 tenant, const struct tsw_share *share);
/* GIVEN is its share from now on; what it has stays counted. */
int share_put(const struct tsw *t, __u32 tenant, __u32 given);

/*
 * The tenants whose endpoints have the addresses of tsw_addrs, each as often as it has one; those
 * of gateways are left out. IDS has room for all of ADDRS. -ENOMEM with the message.
 */
int share_holders(const struct rows *addrs, const struct rows *gateways, __u32 *ids, size_t *n);

#endif
