/* SPDX-License-Identifier: GPL-2.0-only */
/* What packets meet of a peering: routes of tsw_peer_routes, indexes, nftables. */
#ifndef TSW_PEERING_H
#define TSW_PEERING_H

#include "kernel/nft.h"
#include "record/peer_pair.h"
#include "store/tsw.h"

/*
 * Makes it as the halves are that are there, in two steps, with what C gets from the first one
 * committed between: so routes lead to what is ready. Again: nothing changes.
 */
int peering_prepare(struct tsw *t, struct pair *pair, struct nft_change *c);
int peering_open(struct tsw *t, const struct pair *pair);

/* As if the half of the first side were not there. Its record must be pending. */
int peering_close(struct tsw *t, struct pair *pair);

/* Drops routes of a tenant's peerings, both ways, that no half gives; 0: of all. */
int peering_sweep(const struct tsw *t, __u32 tenant);

/* The pair has indexes here: what it has in nftables. */
bool peering_is_here(const struct pair *pair);
void peering_put(struct nft_change *c, const struct pair *pair);

#endif
