/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The devices of the host that lead to the world: Ethernet devices with an address. Each has a
 * slot, by which the router knows it: there are its addresses, a route by it, and as which address
 * tenants leave by it; and a program that takes what is the router's. An underlay's own does that
 * as well.
 */
#ifndef TSW_UPLINK_H
#define TSW_UPLINK_H

#include <jansson.h>

#include "kernel/nft.h"
#include "store/tsw.h"

/* All as the devices are now. AFRESH: nftables' maps were emptied. */
int uplinks_mend(struct tsw *t, bool afresh);
/* What is of them outside of the router. */
int uplinks_close(struct tsw *t);

/* Their elements in nftables' maps and sets; the names of these, up to a NULL. */
extern const char *const uplink_maps[];
int uplinks_fill(struct tsw *t, struct nft_change *c);

/*
 * Appends what is not in step with the devices. 1: the router does not know all of them, so that
 * its elements in nftables are those of before.
 */
int uplinks_check(struct tsw *t, json_t *problems);

#endif
