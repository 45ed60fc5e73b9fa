/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Peerings: two tenants that both said so reach each other. The halves are in tsw_peers, and one
 * half-way made or removed is marked pending. Each half alone has routes without an index in
 * tsw_peer_routes; both together, where one of the gateways is or was served here, have an
 * index for each direction, and what packets meet in nftables.
 */
#ifndef TSW_PEER_H
#define TSW_PEER_H

#include "kernel/nft.h"
#include "store/tsw.h"

int peer_add(struct tsw *t, const struct tsw_name *of, const struct tsw_name *with,
	     const struct tsw_peer *half);
int peer_del(struct tsw *t, const struct tsw_name *of, const struct tsw_name *with);

/* What packets meet in nftables of all peerings that are open here. */
int peer_fill(struct tsw *t, struct nft_change *c);

/* After the gateway of a tenant has moved or has other networks, and its record says so; 0: any. */
int peer_refresh(struct tsw *t, __u32 tenant);

/* Before that: with WANT for a gateway the tenant's peerings would still be possible. */
int peer_check_prefixes(const struct tsw *t, __u32 tenant, const struct tsw_gateway *want);

/* Before a gateway goes: its own halves, and those that others gave for it. */
int peer_del_all(struct tsw *t, __u32 tenant);

#endif
