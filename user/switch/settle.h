/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_SETTLE_H
#define TSW_SETTLE_H

#include "store/tsw.h"

/*
 * After a command that was killed or failed half-way: removes half-made tenants, hosts and
 * endpoints, rebuilds the broadcast rings, and counts everything again.
 */
int settle(struct tsw *t);

/* The same after somebody removed entries from a sound switch: also restores names. */
int settle_restore(struct tsw *t);

/* Only counts the objects of each kind, into t->totals. */
int settle_count(struct tsw *t);

/* Counts the addresses of each tenant's endpoints in tsw_shares, which older versions lack. */
int settle_shares(const struct tsw *t);

/* Settles a change that failed in this run, or leaves it to the next. The set failure stays. */
void settle_torn(struct tsw *t);

#endif
