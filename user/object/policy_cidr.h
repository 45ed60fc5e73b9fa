/* SPDX-License-Identifier: GPL-2.0-only */
/* Networks that rules name: tsw_policy_cidrs, where each has a number while a rule needs it. */
#ifndef TSW_POLICY_CIDR_H
#define TSW_POLICY_CIDR_H

#include "store/tsw.h"

/* Both ends of a rule get the numbers of their networks, new ones where they have none yet. */
int cidrs_number(const struct tsw *t, __u32 tenant, struct tsw_policy_rule *rule);

/* The networks of one more rule, and of one less. */
int cidrs_take(const struct tsw *t, __u32 tenant, const struct tsw_policy_rule *rule);
int cidrs_give_up(const struct tsw *t, __u32 tenant, const struct tsw_policy_rule *rule);

/* Of all tenants: those that RULES name are there, with how often; and no others. */
int cidrs_restore(const struct tsw *t, const struct rows *rules);
int cidrs_drop(const struct tsw *t, const struct rows *rules);

#endif
