/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Applies changes of single endpoints, groups and rules, the most frequent ones, without comparing
 * the whole state.
 */
#ifndef TSW_AGENT_RECONCILE_KEYS_H
#define TSW_AGENT_RECONCILE_KEYS_H

#include "agent/replica.h"
#include "store/tsw.h"

/*
 * Applies RP's list of fresh keys. Not 0: some could not be applied in this way, and the caller
 * compares the whole state, which also reports why.
 */
int reconcile_keys(struct tsw *t, struct replica *rp);

#endif
