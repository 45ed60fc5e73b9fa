/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What comes most often, an endpoint, a group or a rule that comes, changes or goes, is carried out
 * by itself: not all that there is is compared for it.
 */
#ifndef TSW_AGENT_QUICK_H
#define TSW_AGENT_QUICK_H

#include "agent/follow.h"
#include "store/tsw.h"

/*
 * Carries out F's list of what is fresh. Not 0: some of it did not go so, and all is to be
 * compared, which also tells why.
 */
int quick_carry(struct tsw *t, struct follow *f);

#endif
