/* SPDX-License-Identifier: GPL-2.0-only */
/* What all gateways of this host are in nftables. */
#ifndef TSW_GATEWAYS_FILL_H
#define TSW_GATEWAYS_FILL_H

#include "kernel/nft.h"
#include "store/tsw.h"

/* All that gateways, publishes and peerings have, for door_rebuild(). */
int gateways_fill(struct tsw *t, struct nft_change *c);

#endif
