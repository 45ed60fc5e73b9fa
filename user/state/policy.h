/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups and rules of tenants in a state, and the groups that endpoints are in. */
#ifndef TSW_STATE_POLICY_H
#define TSW_STATE_POLICY_H

#include "base/field_json.h"
#include "state/state.h"

/* For json_each(): each reads one item of the last tenant. */
json_item state_read_group;
json_item state_read_policy;
json_item state_read_group_object; /* a single group, as {"name": ...} */

/* Appends the endpoint's groups to the list of all. */
int state_add_members(struct state *s, const struct tsw_group_list *list,
		      struct state_endpoint *ep);
struct tsw_group_list state_members(const struct state *s, const struct state_endpoint *ep);

/* The state must be sorted. TENANT is the tenant's index. */
bool state_has_group(const struct state *s, __u32 tenant, const struct tsw_name *name);
bool state_has_policy(const struct state *s, __u32 tenant, const struct tsw_name *name);

/* The lists of the tenant with that index as JSON. NULL: the list is empty. */
json_t *state_groups_json(const struct state *s, __u32 tenant);
json_t *state_policies_json(const struct state *s, __u32 tenant);
json_t *state_policy_json(const struct state *s, __u32 i);

/*
 * Checks that names are unique, that named groups exist, and that limits are kept. -EINVAL by
 * misuse(), whose message has the path of the mistake.
 */
int state_check_policies(const struct state *s);

#endif
