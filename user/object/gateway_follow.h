/* SPDX-License-Identifier: GPL-2.0-only */
/* Published ports and peerings, which need their tenant's gateway. */
#ifndef TSW_GATEWAY_FOLLOW_H
#define TSW_GATEWAY_FOLLOW_H

#include "kernel/nft.h"
#include "store/tsw.h"

/* Updates a tenant's from the present record of its gateway; TENANT 0: those of all tenants. */
int gateway_follow(struct tsw *t, __u32 tenant);

/* Deletes a tenant's with FORCE. -EBUSY: without it there are some. */
int gateway_leave(struct tsw *t, __u32 tenant, bool force);

/* Adds all nftables elements of gateways, published ports and peerings, for door_rebuild(). */
int gateways_fill(struct tsw *t, struct nft_change *c);

#endif
