/* SPDX-License-Identifier: GPL-2.0-only */
/* Indexes: the lower half of a mark, and a conntrack zone; tsw_marks. */
#ifndef TSW_INDEX_H
#define TSW_INDEX_H

#include "store/tsw.h"

/* That one is free. */
int index_check(const struct tsw *t);
/* A free one, which WHAT is written to. */
int index_take(struct tsw *t, const struct tsw_mark *what, __u32 *index);
int index_drop(struct tsw *t, __u32 index);

/* After a command that was killed: drops those that nothing has, and counts. */
int indexes_settle(struct tsw *t);

#endif
