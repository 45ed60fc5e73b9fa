/* SPDX-License-Identifier: GPL-2.0-only */
/* The slots of uplinks, which a map keeps. */
#ifndef TSW_UPLINK_SLOTS_H
#define TSW_UPLINK_SLOTS_H

#include "door/uplink_plan.h"

/* Makes the whole plan. Uplinks keep their slots; those beyond the last slot are left out. */
int slots_plan(struct tsw *t, struct plan *plan);

/* Adds to DIFFER the map's entries that are not as planned. DROP: deletes those of no slot. */
int slots_compare(struct tsw *t, const struct plan *plan, bool drop, size_t *differ);
int slots_put(struct tsw *t, const struct plan *plan);

#endif
