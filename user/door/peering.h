/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a peering that packets meet: tsw_peer_routes, indexes, nftables' elements. */
#ifndef TSW_PEERING_H
#define TSW_PEERING_H

#include "kernel/nft.h"
#include "record/peer_pair.h"
#include "store/tsw.h"

/*
 * Opens a peering as far as its halves exist, in two steps. Commit C between them, so that routes
 * never lead to an unfinished peering. Doing it again changes nothing.
 */
int peering_prepare(struct tsw *t, struct pair *pair, struct nft_change *c);
int peering_open(struct tsw *t, const struct pair *pair);

/* Closes it as if the first side's half did not exist. That half's record must be pending. */
int peering_close(struct tsw *t, struct pair *pair);

/* Drops routes of TENANT's peerings, both ways, without a half that gives them; 0: all tenants. */
int peering_sweep(const struct tsw *t, __u32 tenant);

/* Does the pair have indexes on this host? Then peering_put() adds its elements. */
bool peering_is_here(const struct pair *pair);
void peering_put(struct nft_change *c, const struct pair *pair);

#endif
