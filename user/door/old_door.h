/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What gateways had in the switch's own network namespace up to ABI 7: a pair tsw-gw and tsw-gwp,
 * nftables' tables, ip rules, programs at uplinks' egress, forwarding of the host's devices. While
 * TSW_CFG_OLD_DOOR says that it is there, connections go by it until the programs are new.
 */
#ifndef TSW_OLD_DOOR_H
#define TSW_OLD_DOOR_H

#include "store/tsw.h"

/* The router, which is there, gets the connections that it does not know yet. */
int old_door_copy(struct tsw *t);

/* While connections are copied the router takes none for a new one in its midst. */
int old_door_strict(bool on);

/* Takes all of it away; settings are as they were found. Without an old door nothing is done. */
int old_door_close(struct tsw *t);

#endif
