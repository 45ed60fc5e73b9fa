/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uplinks: the host's Ethernet devices with an address, which may lead to the internet. The router
 * knows each by a slot: its addresses, a route by it, and the address as which tenants leave by it.
 * A program on the device takes packets for the router; on an underlay its own program does that.
 */
#ifndef TSW_UPLINK_H
#define TSW_UPLINK_H

#include <jansson.h>

#include "kernel/nft.h"
#include "store/tsw.h"

/* Adapts everything to the present devices. AFRESH: nftables' maps were emptied. */
int uplinks_mend(struct tsw *t, bool afresh);
/* Removes the programs and entries that are outside of the router. */
int uplinks_close(struct tsw *t);

/* Adds their elements of nftables' maps and sets. uplink_maps: the names of these, up to a NULL. */
extern const char *const uplink_maps[];
int uplinks_fill(struct tsw *t, struct nft_change *c);

/*
 * Appends a problem for each difference from the devices. 1: the router does not know all of them,
 * so its elements in nftables are old, too.
 */
int uplinks_check(struct tsw *t, json_t *problems);

#endif
