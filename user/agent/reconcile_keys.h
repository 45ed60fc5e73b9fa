/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What comes most often, an endpoint, a group or a rule that comes, changes or goes, is carried out
 * by itself: not all that there is is compared for it.
 */
#ifndef TSW_AGENT_RECONCILE_KEYS_H
#define TSW_AGENT_RECONCILE_KEYS_H

#include "agent/replica.h"
#include "store/tsw.h"

/*
 * Carries out F's list of what is fresh. Not 0: some of it did not go so, and all is to be
 * compared, which also tells why.
 */
int reconcile_keys(struct tsw *t, struct replica *rp);

#endif
