/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The door of gateways up to ABI 7, in the switch's own network namespace: a pair tsw-gw and
 * tsw-gwp, nftables' tables, ip rules, programs at uplinks' egress, and forwarding of the host's
 * devices. TSW_CFG_OLD_DOOR says that it exists. Then connections use it until the programs are
 * upgraded.
 */
#ifndef TSW_OLD_DOOR_H
#define TSW_OLD_DOOR_H

#include "store/tsw.h"

/* Copies connections that the router, which exists already, does not know yet. */
int old_door_copy(struct tsw *t);

/* ON: the router refuses TCP connections without a SYN, while connections are copied. */
int old_door_strict(bool on);

/* Removes it and restores the settings that it changed. Does nothing without an old door. */
int old_door_close(struct tsw *t);

#endif
