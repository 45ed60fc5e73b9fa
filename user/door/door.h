/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The door between the tenants' gateways and the world: the switch's router, a network namespace
 * with an nftables table of its own, the devices into it, and the host's uplinks. One for all
 * tenants. Each of these may be done again, and completes what was killed.
 */
#ifndef TSW_DOOR_H
#define TSW_DOOR_H

#include <jansson.h>

#include "kernel/nft.h"
#include "store/tsw.h"

/* Puts the elements that belong into nftables' sets. */
typedef int door_fill(struct tsw *t, struct nft_change *c);

/* Makes what is missing; of nftables' elements none. Once a run is enough. */
int door_open(struct tsw *t);

/* Its MTU, which depends on how the hosts are reached; there may be no door. */
int door_fit(struct tsw *t);

/* Takes all of it away. */
int door_close(struct tsw *t);

/* What `switch repair` does behind door_open(): the table anew, in one transaction. */
int door_rebuild(struct tsw *t, door_fill *fill);

/* Appends what is missing. */
int door_check(struct tsw *t, door_fill *fill, json_t *problems);

#endif
