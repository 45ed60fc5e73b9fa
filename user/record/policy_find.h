/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads policies from the maps: a tenant's mode, its groups of endpoints, and its rules. */
#ifndef TSW_POLICY_FIND_H
#define TSW_POLICY_FIND_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Reads the tenant's policy; all zero if it never had one. */
int policy_load(const struct tsw *t, __u32 tenant, struct tsw_policy *policy);

/* Sets the mode and default action in SPEC. A mode that is off stays off: see tenant_to_spec(). */
int policy_load_mode(const struct tsw *t, struct tsw_tenant_spec *spec);

/* The groups of one tenant, or of all, sorted by tenant and number. */
struct policy_groups {
	struct policy_group {
		__u32 tenant;
		__u32 number;
		struct tsw_name name;
	} * all;
	size_t n;
};

int policy_groups_read(const struct tsw *t, __u32 tenant, struct policy_groups *groups);
void policy_groups_free(struct policy_groups *groups);
/* Sorts by tenant and name. After this policy_group_get() no longer works. */
void policy_groups_sort(struct policy_groups *groups);

#define cleanup_policy_groups __attribute__((cleanup(policy_groups_free)))

/* Finds a group by its number; NULL: there is no such group. */
const struct policy_group *policy_group_get(const struct policy_groups *groups, __u32 tenant,
					    __u32 number);

/* Sets *NUMBER to that of the group NAME; -ENOENT with a message. */
int policy_group_find(const struct tsw *t, __u32 tenant, const struct tsw_name *name,
		      __u32 *number);

/* Reads the groups of the endpoint with that MAC; all zero: it is in no group. */
int policy_member_load(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
		       struct tsw_policy_member *member);
bool policy_member_any(const struct tsw_policy_member *member);

/* Adds to N[i] how many endpoints are in the i-th of GROUPS. */
int policy_members_count(const struct tsw *t, const struct policy_groups *groups, __u32 *n);

/* The names of the endpoint's groups, sorted. */
struct tsw_group_list policy_member_names(const struct policy_groups *groups, __u32 tenant,
					  const struct tsw_policy_member *member);

/* The specification of a rule from its entry. GROUPS has its tenant's groups. */
struct tsw_policy_spec policy_rule_spec(const struct policy_groups *groups,
					const struct tsw_policy_name *name,
					const struct tsw_policy_rule *rule);

__u8 policy_proto_number(__u32 proto); /* the number in IP headers */
/* Whether the protocol has ports. */
bool policy_proto_ports(__u32 proto);

#endif
