/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of a cluster's tenants: `policy/ID/group/NAME`. Rules, and endpoints, `e/ID/NAME`, name
 * them: what names one is written on condition that it is there, and one goes on condition that
 * nobody has written either kind of that tenant since all of them were looked at.
 */
#ifndef TSW_CLUSTER_GROUP_H
#define TSW_CLUSTER_GROUP_H

#include <tsw/object.h>

#include "cluster/record.h"

/* All of them, or, where one is there, none. */
int cluster_groups_add(struct records *r, const struct tsw_name *tenant,
		       const struct tsw_name *name, size_t n);
/* -EBUSY: an endpoint or a rule names it. */
int cluster_group_del(struct records *r, const struct tsw_name *tenant,
		      const struct tsw_name *name);

/* Into L, for the next two; ID is the tenant's. */
size_t group_look(const struct records *r, __u32 id, const struct tsw_name *name, struct look *l);
/* -ENOENT: what was SEEN is that it is not there. */
int group_is_there(const struct seen *seen, const struct tsw_name *tenant);
/* The same in C, and that it stays. */
int group_need(struct change *c, const struct seen *seen, const struct tsw_name *tenant);

/*
 * What is done to a tenant's groups and rules: by policy_begin() the tenant, and the first that L
 * looks at, where it is empty, is the claim on its id. When L is read policy_change() makes that,
 * and the pulse, part of C; AGAIN as cluster_tenant_owns() has it.
 */
int policy_begin(const struct records *r, const struct tsw_name *tenant,
		 struct tsw_tenant_spec *spec, struct look *l);
int policy_change(const struct records *r, const struct tsw_tenant_spec *tenant,
		  const struct look *l, bool again, struct change *c);

#endif
