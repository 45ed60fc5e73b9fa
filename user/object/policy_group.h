/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of a tenant's endpoints in tsw_policy_groups, and their members in tsw_policy_members. */
#ifndef TSW_POLICY_GROUP_H
#define TSW_POLICY_GROUP_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Adds N groups, or none if one is impossible. */
int policy_groups_add(struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		      size_t n);
int policy_group_del(struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name);

/* Finds the numbers of the groups in LIST. -ENOENT: a group does not exist. */
int member_find(const struct tsw *t, __u32 tenant, const struct tsw_group_list *list,
		struct tsw_policy_member *member);

/* Sets the groups of the endpoint with that MAC; MEMBER zero: none. */
int member_put(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
	       const struct tsw_policy_member *member);

#endif
