/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules of a tenant's policy in tsw_policy_rules; tsw_policy_ways has the ways made from them. */
#ifndef TSW_POLICY_H
#define TSW_POLICY_H

#include <tsw/object.h>

#include "store/tsw.h"

/*
 * OLD is the rule with that name, or NULL. WANT is the rule that takes its place: its own number
 * and the numbers of its networks are ignored and chosen here. Other rules are read only if OLD
 * exists. -ENOSPC: the tenant has the maximum of rules or networks.
 */
int policy_rule_put(struct tsw *t, const struct tsw_policy_name *name,
		    const struct tsw_policy_rule *old, const struct tsw_policy_rule *want);
int policy_rule_del(struct tsw *t, const struct tsw_policy_name *name,
		    const struct tsw_policy_rule *old);

#endif
