/* SPDX-License-Identifier: GPL-2.0-only */
/* Networks that rules name, in tsw_policy_cidrs: each has a number while a rule needs it. */
#ifndef TSW_POLICY_CIDR_H
#define TSW_POLICY_CIDR_H

#include "store/tsw.h"

/*
 * Sets the network numbers in both ends of a rule, and chooses a number for a new network. Writes
 * nothing. -ENOSPC: the tenant has the maximum of networks. -E2BIG: too many contain one another.
 */
int cidrs_number(const struct tsw *t, __u32 tenant, struct tsw_policy_rule *rule);

/* Counts a rule at its networks, or counts it off; a network without a rule is deleted. */
int cidrs_take(const struct tsw *t, __u32 tenant, const struct tsw_policy_rule *rule);
int cidrs_give_up(const struct tsw *t, __u32 tenant, const struct tsw_policy_rule *rule);

/* After a kill, for all tenants: restores the networks that RULES name, with their counts. */
int cidrs_restore(const struct tsw *t, const struct rows *rules);
/* Deletes the networks that no rule names. */
int cidrs_drop(const struct tsw *t, const struct rows *rules);

#endif
