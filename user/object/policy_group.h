/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of a tenant's endpoints: tsw_policy_groups, and who is in which: tsw_policy_members. */
#ifndef TSW_POLICY_GROUP_H
#define TSW_POLICY_GROUP_H

#include <tsw/object.h>

#include "store/tsw.h"

/* All of them or, where one cannot be, none. */
int policy_groups_add(struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		      size_t n);
int policy_group_del(struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name);

/* By their names, which must be there. */
int member_find(const struct tsw *t, __u32 tenant, const struct tsw_group_list *list,
		struct tsw_policy_member *member);

/* Zero: it is in no group. What is so already is left alone. */
int member_put(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
	       const struct tsw_policy_member *member);

#endif
