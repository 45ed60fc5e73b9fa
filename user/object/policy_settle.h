/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_POLICY_SETTLE_H
#define TSW_POLICY_SETTLE_H

#include "store/tsw.h"

/*
 * After a killed command: reverts a pending change, makes again what follows from groups, rules and
 * members, which all have an endpoint, and deletes entries without a tenant.
 */
int policy_settle(struct tsw *t);

#endif
