/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_POLICY_SETTLE_H
#define TSW_POLICY_SETTLE_H

#include "store/tsw.h"

/*
 * After a command that was killed: a change that nothing was decided about is taken back, and all
 * that follows from groups, rules and ENDPOINTS is as they say; what belongs to no tenant goes.
 */
int policy_settle(struct tsw *t, const struct rows *endpoints);

#endif
