/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The door between the tenants' gateways and the internet: the switch's router, which is a network
 * namespace with an nftables table of its own; the devices into it; and the host's uplinks. All
 * tenants share it. Each function may be called again, and completes what a killed command began.
 */
#ifndef TSW_DOOR_H
#define TSW_DOOR_H

#include <jansson.h>

#include "kernel/nft.h"
#include "store/tsw.h"

/* Adds to C the elements that belong into nftables' sets. */
typedef int door_fill(struct tsw *t, struct nft_change *c);

/* Makes what is missing, except nftables' elements. Once in each run is enough. */
int door_open(struct tsw *t);

/* Sets the door's MTU, which depends on how hosts are reached. Does nothing without a door. */
int door_fit(struct tsw *t);

/* Removes all of it. */
int door_close(struct tsw *t);

/* For `switch repair`, after door_open(): replaces nftables' table in one transaction. */
int door_rebuild(struct tsw *t, door_fill *fill);

/* The same only if something of the table differs. */
int door_refill(struct tsw *t, door_fill *fill);

/* Appends a problem for each part that is missing or wrong. */
int door_check(struct tsw *t, door_fill *fill, json_t *problems);

#endif
