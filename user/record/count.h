/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many endpoints a tenant has, with how many addresses; and how many are on another host. What
 * was counted is written when another's turn comes, or by the flush.
 */
#ifndef TSW_COUNT_H
#define TSW_COUNT_H

#include "store/tsw.h"

/* MORE endpoints, with so many more addresses. */
int tenant_count(struct tsw *t, __u32 id, int more, int addrs);
/* As they are counted by now; -ENOENT: there is none. */
int tenant_counted(const struct tsw *t, __u32 id, struct tsw_tenant *tenant,
		   struct tsw_share *share);
int tenant_flush(struct tsw *t);

int host_count(struct tsw *t, __u32 id, int more);
int host_flush(struct tsw *t);

#endif
