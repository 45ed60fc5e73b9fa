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

/*
 * Settles at once what failed half-way, or where that fails too leaves it to the next
 * command. Returns the failure that was set before.
 */
int settle_failure(struct tsw *t);

#endif
