/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules of a cluster's tenants: `policy/ID/rule/NAME`; and, with them, all groups: see group.h. */
#ifndef TSW_CLUSTER_POLICY_H
#define TSW_CLUSTER_POLICY_H

#include <tsw/object.h>

#include "cluster/record.h"

/* GIVEN: FIELD() of policy_fields. -ENOENT: a group that it names. */
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
	size_t refused, refused_rules; /* records that are neither; rules, of these */
};

/* As of one revision. Of one tenant C is on condition that they stay; ID 0, C NULL: of all. */
int policy_records_read(const struct records *r, struct change *c, __u32 id,
			struct policy_records *all);
void policy_records_free(struct policy_records *all);

/* EACH by tenant and name, with how many endpoints and rules name it. TENANT empty: all. */
struct cluster_group {
	struct tsw_name tenant, name;
	size_t endpoints, rules;
};
typedef int cluster_each_group(void *context, const struct cluster_group *group);
int cluster_groups(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		   cluster_each_group *each, void *context);

/* EACH by tenant, and the rule first that counts first. NAME empty: all. */
typedef int cluster_each_policy(void *context, const char *tenant,
				const struct tsw_policy_spec *spec);
int cluster_policies(const struct records *r, const struct tsw_name *tenant,
		     const struct tsw_name *name, size_t *refused, cluster_each_policy *each,
		     void *context);

#endif
