// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/list.h"
#include "base/parse.h"
#include "record/fields.h"
#include "record/policy_spec.h"
#include "state/keys.h"
#include "state/policy.h"

/* ---- reading ---------------------------------------------------------------------- */

int state_read_group(const json_t *value, const struct json_at *at, void *to)
{
	struct state *s = to;
	struct state_group *group = list_grow(&s->group, &s->n_groups, sizeof(*group));
	const char *text = json_string_value(value);

	if (!group)
		return -ENOMEM;
	group->tenant = (__u32)s->n_tenants - 1;
	group->at = (__u32)at->index;
	if (!text)
		misuse("a group must be a name");
	return !text || parse_group(text, &group->name) ? json_where(at) : 0;
}

int state_read_group_object(const json_t *value, const struct json_at *at, void *to)
{
	struct tsw_name unused = {};
	int err = fields_read(value, at, group_keys, &unused, NULL);

	return err ?: state_read_group(json_object_get(value, "name"), at, to);
}

int state_read_policy(const json_t *value, const struct json_at *at, void *to)
{
	struct state *s = to;
	struct state_policy *policy = list_grow(&s->policy, &s->n_policies, sizeof(*policy));
	int err;

	if (!policy)
		return -ENOMEM;
	*policy = (struct state_policy){.spec = TSW_POLICY_DEFAULTS,
					.tenant = (__u32)s->n_tenants - 1,
					.at = (__u32)at->index};
	err = fields_read(value, at, policy_keys, &policy->spec, NULL);
	if (!err && policy_spec_check(&policy->spec))
		err = json_where(at);
	return err;
}

int state_add_members(struct state *s, const struct tsw_group_list *list, struct state_endpoint *ep)
{
	struct tsw_name *name;
	__u32 i;

	ep->first_group = s->n_members;
	ep->n_groups = list->n;
	for (i = 0; i < list->n; i++) {
		name = list_grow(&s->member, &s->n_members, sizeof(*name));
		if (!name)
			return -ENOMEM;
		*name = list->at[i];
	}
	return 0;
}

struct tsw_group_list state_members(const struct state *s, const struct state_endpoint *ep)
{
	struct tsw_group_list list = {.n = ep->n_groups};

	if (list.n)
		memcpy(list.at, s->member + ep->first_group, list.n * sizeof(list.at[0]));
	return list;
}

/* ---- finding ---------------------------------------------------------------------- */

bool state_has_group(const struct state *s, __u32 tenant, const struct tsw_name *name)
{
	const struct state_group key = {.name = *name, .tenant = tenant};

	return s->n_groups &&
	       bsearch(&key, s->group, s->n_groups, sizeof(key), state_compare_groups);
}

bool state_has_policy(const struct state *s, __u32 tenant, const struct tsw_name *name)
{
	const struct state_policy key = {.spec.name = *name, .tenant = tenant};

	return s->n_policies &&
	       bsearch(&key, s->policy, s->n_policies, sizeof(key), state_compare_policies);
}

/* ---- writing ---------------------------------------------------------------------- */

static json_t *or_null(json_t *list)
{
	if (json_array_size(list))
		return list;
	json_decref(list);
	return NULL;
}

json_t *state_groups_json(const struct state *s, __u32 tenant)
{
	json_t *list = json_array();
	size_t i = ids_first(s->group, s->n_groups, sizeof(*s->group),
			     offsetof(struct state_group, tenant), tenant);

	for (; i < s->n_groups && s->group[i].tenant == tenant; i++)
		json_array_append_new(list, json_text(s->group[i].name.s));
	return or_null(list);
}

json_t *state_policy_json(const struct state *s, __u32 i)
{
	return fields_json(policy_fields, ~0ULL, &s->policy[i].spec);
}

json_t *state_policies_json(const struct state *s, __u32 tenant)
{
	json_t *list = json_array();
	size_t i = ids_first(s->policy, s->n_policies, sizeof(*s->policy),
			     offsetof(struct state_policy, tenant), tenant);

	for (; i < s->n_policies && s->policy[i].tenant == tenant; i++)
		json_array_append_new(list, state_policy_json(s, (__u32)i));
	return or_null(list);
}
