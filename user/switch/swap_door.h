/* SPDX-License-Identifier: GPL-2.0-only */
/* Gateways of ABI 7 and before move into the router, while programs are swapped. */
#ifndef TSW_SWAP_DOOR_H
#define TSW_SWAP_DOOR_H

#include "store/tsw.h"

/* In front of the swap: the router is there, whole, and knows all connections. */
int swap_door_begin(struct tsw *t);

/* Behind it: it knows those, too, that began meanwhile; and what was in its place goes. */
int swap_door_end(struct tsw *t);

#endif
