/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Peerings: two tenants reach each other after both have asked for it, each with a half in
 * tsw_peers. A half that is half-made or half-deleted is marked pending. One half alone has routes
 * without an index in tsw_peer_routes. Both halves together, on a host that serves or served one of
 * the gateways, have an index for each direction and elements in nftables.
 */
#ifndef TSW_PEER_H
#define TSW_PEER_H

#include "kernel/nft.h"
#include "store/tsw.h"

int peer_add(struct tsw *t, const struct tsw_name *of, const struct tsw_name *with,
	     const struct tsw_peer *half);
int peer_del(struct tsw *t, const struct tsw_name *of, const struct tsw_name *with);

/* Adds the nftables elements of all peerings that are open on this host. */
int peer_fill(struct tsw *t, struct nft_change *c);

/* Updates a tenant's peerings from the changed record of its gateway; 0: those of all tenants. */
int peer_refresh(struct tsw *t, __u32 tenant);

/* Checks that the tenant's peerings remain possible with the gateway WANT. Changes nothing. */
int peer_check_prefixes(const struct tsw *t, __u32 tenant, const struct tsw_gateway *want);

/* Deletes a tenant's halves, and the halves of other tenants with it, before its gateway goes. */
int peer_del_all(struct tsw *t, __u32 tenant);

#endif
