/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of a cluster's tenants: `policy/ID/group/NAME`. Rules and endpoints name them. These are
 * written on condition that the group exists. A group is deleted on condition that no rule and no
 * endpoint of the tenant was written since all of them were checked.
 */
#ifndef TSW_CLUSTER_GROUP_H
#define TSW_CLUSTER_GROUP_H

#include <tsw/object.h>

#include "cluster/record.h"

/* Adds all N groups, or none. -EEXIST: one of them exists. */
int cluster_groups_add(struct records *r, const struct tsw_name *tenant,
		       const struct tsw_name *name, size_t n);
/* -EBUSY: an endpoint or a rule names it. */
int cluster_group_del(struct records *r, const struct tsw_name *tenant,
		      const struct tsw_name *name);

/* Adds the group's key to L, and returns its index. ID is the tenant's. */
size_t group_look(const struct records *r, __u32 id, const struct tsw_name *name, struct look *l);
/* -ENOENT: SEEN, what was read of the key, says that TENANT has no such group. */
int group_is_there(const struct seen *seen, const struct tsw_name *tenant);
/* The same. Also adds to C the condition that the group is unchanged. */
int group_need(struct change *c, const struct seen *seen, const struct tsw_name *tenant);

/*
 * A change of a tenant's groups and rules begins with policy_begin(). It reads the tenant into
 * SPEC, and adds the claim on the tenant's id to L, which must be empty. After look_read(),
 * policy_change() adds to C the condition on that claim, and the pulse. AGAIN: as in
 * cluster_tenant_owns().
 */
int policy_begin(const struct records *r, const struct tsw_name *tenant,
		 struct tsw_tenant_spec *spec, struct look *l);
int policy_change(const struct records *r, const struct tsw_tenant_spec *tenant,
		  const struct look *l, bool again, struct change *c);

#endif
