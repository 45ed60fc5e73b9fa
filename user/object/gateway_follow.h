/* SPDX-License-Identifier: GPL-2.0-only */
/* What goes by a tenant's gateway: published ports and peerings. */
#ifndef TSW_GATEWAY_FOLLOW_H
#define TSW_GATEWAY_FOLLOW_H

#include "kernel/nft.h"
#include "store/tsw.h"

/* Makes them as the gateway's record is now; TENANT 0: those of all. */
int gateway_follow(struct tsw *t, __u32 tenant);

/* Refuses while there are any; FORCE: deletes them. */
int gateway_leave(struct tsw *t, __u32 tenant, bool force);

/* All that gateways, published ports and peerings have in nftables, for door_rebuild(). */
int gateways_fill(struct tsw *t, struct nft_change *c);

#endif
