/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules of a tenant's policy: tsw_policy_rules, and what comes of them in tsw_policy_ways. */
#ifndef TSW_POLICY_H
#define TSW_POLICY_H

#include <tsw/object.h>

#include "store/tsw.h"

/*
 * WANT has its ends and no numbers; OLD is what is there under that name, or NULL. What there is
 * of other rules is looked at only where one goes or changes.
 */
int policy_rule_put(struct tsw *t, const struct tsw_policy_name *name,
		    const struct tsw_policy_rule *old, const struct tsw_policy_rule *want);
int policy_rule_del(struct tsw *t, const struct tsw_policy_name *name,
		    const struct tsw_policy_rule *old);

#endif
