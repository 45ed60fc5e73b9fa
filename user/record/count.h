/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many endpoints a tenant has, and how many are on another host. What was counted is written
 * when another's turn comes, or by the flush.
 */
#ifndef TSW_COUNT_H
#define TSW_COUNT_H

#include "store/tsw.h"

int tenant_count(struct tsw *t, __u32 id, int more);
int tenant_flush(struct tsw *t);

int host_count(struct tsw *t, __u32 id, int more);
int host_flush(struct tsw *t);

#endif
