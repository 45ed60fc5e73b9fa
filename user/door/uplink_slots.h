/* SPDX-License-Identifier: GPL-2.0-only */
/* The slots of uplinks: who has which one is kept in a map. */
#ifndef TSW_UPLINK_SLOTS_H
#define TSW_UPLINK_SLOTS_H

#include "door/uplink_plan.h"

/* The whole plan: each keeps the slot that it has; those beyond the last slot are left out. */
int slots_plan(struct tsw *t, struct plan *plan);

/* Adds to DIFFER how many entries of the map are not as planned. DROP: what is of no slot goes. */
int slots_compare(struct tsw *t, const struct plan *plan, bool drop, size_t *differ);
int slots_put(struct tsw *t, const struct plan *plan);

#endif
