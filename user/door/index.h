/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Indexes of gateways and of directions of peerings: the lower half of a mark, and the number of a
 * conntrack zone. The map tsw_marks says who has which.
 */
#ifndef TSW_INDEX_H
#define TSW_INDEX_H

#include "store/tsw.h"

/* -ENOSPC: no index is free. */
int index_check(const struct tsw *t);
/* Takes a free index for WHAT. */
int index_take(struct tsw *t, const struct tsw_mark *what, __u32 *index);
int index_drop(struct tsw *t, __u32 index);

/* After a killed command: drops indexes without an owner, and counts the others. */
int indexes_settle(struct tsw *t);

#endif
