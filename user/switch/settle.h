/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_SETTLE_H
#define TSW_SETTLE_H

#include "store/tsw.h"

/*
 * After a command that was killed or failed half-way: takes away what half-made
 * tenants, hosts and endpoints left, makes the broadcast rings anew, counts all again.
 */
int settle(struct tsw *t);

/* The same for what somebody else took from the maps of a switch that was in order. */
int settle_restore(struct tsw *t);

/* Only counts how many there are of each thing, into t->totals. */
int settle_count(struct tsw *t);

/* Counts the addresses of each tenant's endpoints, in tsw_shares: an older version has none. */
int settle_shares(const struct tsw *t);

/* What failed half-way in this run, or it stays for the next. The failure that is set stays. */
void settle_torn(struct tsw *t);

#endif
