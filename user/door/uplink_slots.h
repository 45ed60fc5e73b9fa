/* SPDX-License-Identifier: GPL-2.0-only */
/* The slots of uplinks: who has which one is kept in a map. */
#ifndef TSW_UPLINK_SLOTS_H
#define TSW_UPLINK_SLOTS_H

#include "door/uplink_plan.h"

/* Each keeps the one that it has. Those beyond the last one go out of the plan. */
int slots_give(struct tsw *t, struct plan *plan);

/* Adds to DIFFER how many entries of the map are not as planned. DROP: what is of no slot goes. */
int slots_compare(struct tsw *t, const struct plan *plan, bool drop, size_t *differ);
int slots_put(struct tsw *t, const struct plan *plan);

#endif
