/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves gateways of ABI 7 and older into the router while programs are swapped. */
#ifndef TSW_SWAP_DOOR_H
#define TSW_SWAP_DOOR_H

#include "store/tsw.h"

/* Before the swap: makes the router complete, with all connections. */
int swap_door_begin(struct tsw *t);

/* After the swap: copies connections that began meanwhile, and removes the old gateway devices. */
int swap_door_end(struct tsw *t);

#endif
