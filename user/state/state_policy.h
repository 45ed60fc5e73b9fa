/* SPDX-License-Identifier: GPL-2.0-only */
/* A tenant's groups and rules in a state, and who is in which group. */
#ifndef TSW_STATE_POLICY_H
#define TSW_STATE_POLICY_H

#include "base/field_json.h"
#include "state/state.h"

/* Of the tenant that was read last, as json_each() calls them. */
json_item state_read_group;
json_item state_read_policy;
json_item state_read_group_object; /* a group by itself, as {"name": ...} */

/* What an endpoint is in, behind all that others are in. */
int state_add_members(struct state *s, const struct tsw_group_list *list,
		      struct state_endpoint *ep);
struct tsw_group_list state_members(const struct state *s, const struct state_endpoint *ep);

/* In what is sorted; TENANT is its place there. */
bool state_has_group(const struct state *s, __u32 tenant, const struct tsw_name *name);
bool state_has_policy(const struct state *s, __u32 tenant, const struct tsw_name *name);

/* NULL where there is none; keys of the tenant with that number. */
json_t *state_groups_json(const struct state *s, __u32 tenant);
json_t *state_policies_json(const struct state *s, __u32 tenant);
json_t *state_policy_json(const struct state *s, __u32 i);

/* misuse() with the path: names are given once, what is named is there, none is too much. */
int state_check_policies(const struct state *s);

#endif
