/* SPDX-License-Identifier: GPL-2.0-only */
/* Policies of a cluster's tenants: their rules, `policy/ID/rule/NAME`, and lists of groups. */
#ifndef TSW_CLUSTER_POLICY_H
#define TSW_CLUSTER_POLICY_H

#include <tsw/object.h>

#include "cluster/record.h"

/* GIVEN: FIELD() of policy_fields. -ENOENT: a group that the rule names does not exist. */
int cluster_policy_put(struct records *r, const struct tsw_name *tenant,
		       const struct tsw_policy_spec *spec, __u64 given, enum spec_how how);
int cluster_policy_del(struct records *r, const struct tsw_name *tenant,
		       const struct tsw_name *name);

/* ---- all of them ------------------------------------------------------------------ */

struct policy_records {
	struct group_record {
		__u32 id; /* the tenant's */
		struct tsw_name name;
	} * group;
	size_t n_groups;
	struct rule_record {
		__u32 id;
		struct tsw_policy_spec spec;
	} * rule;
	size_t n_rules;
	size_t refused, refused_rules; /* invalid records, and those of them that are rules */
};

/*
 * Reads all groups and rules of the tenant ID, or with ID 0 of all tenants, at one revision. Adds
 * to C the condition that they are unchanged. C may be NULL, and must be with ID 0.
 */
int policy_records_read(const struct records *r, struct change *c, __u32 id,
			struct policy_records *all);
void policy_records_free(struct policy_records *all);

/* Calls EACH for every group, sorted by tenant and name. TENANT empty: all. */
struct cluster_group {
	struct tsw_name tenant, name;
	size_t endpoints, rules; /* that name it */
};
typedef int cluster_each_group(void *context, const struct cluster_group *group);
int cluster_groups(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		   cluster_each_group *each, void *context);

/* Calls EACH for every rule, sorted by tenant and precedence. TENANT or NAME empty: any. */
typedef int cluster_each_policy(void *context, const char *tenant,
				const struct tsw_policy_spec *spec);
int cluster_policies(const struct records *r, const struct tsw_name *tenant,
		     const struct tsw_name *name, size_t *refused, cluster_each_policy *each,
		     void *context);

#endif
