// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "check/maps.h"
#include "record/policy_conns.h"
#include "record/policy_ways.h"

enum { FULL_PERCENT = 90 };

/* What was found of each policy, in the order of the map's rows. */
struct found {
	size_t ways; /* how many are not as the rules say */
	size_t members;
	__u32 lengths;
};

static struct found *find(const struct snapshot *s, struct found *all, __u32 tenant)
{
	const struct rows *rows = &s->rows[MAP_POLICIES];
	const char *value = snapshot_get(s, MAP_POLICIES, &tenant);

	return value ? &all[(size_t)(value - rows->values) / rows->value_size] : NULL;
}

static void compare_ways(const struct snapshot *s, const struct policy_ways *want,
			 struct found *all)
{
	const struct rows *rows = &s->rows[MAP_POLICY_WAYS];
	const struct tsw_policy *policy;
	struct found *found;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const struct tsw_policy_way_key *key = row_key(rows, i);
		const struct tsw_policy_choice then = policy_ways_find(want, key);

		found = find(s, all, key->tenant);
		policy = snapshot_get(s, MAP_POLICIES, &key->tenant);
		if (found && !policy_same_choice(
				     policy_way_now(row_value(rows, i), policy->generation), &then))
			found->ways++;
	}
	for (i = 0; i < want->n; i++) {
		found = find(s, all, want->all[i].key.tenant);
		if (!found)
			continue;
		found->lengths |= 1U << want->all[i].key.length;
		found->ways += !snapshot_get(s, MAP_POLICY_WAYS, &want->all[i].key);
	}
}

static void count_members(const struct snapshot *s, struct found *all)
{
	const struct rows *rows = &s->rows[MAP_POLICY_MEMBERS];
	struct found *found;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		found = find(s, all, *(const __u32 *)row_key(rows, i));
		if (found)
			found->members++;
	}
}

static void check_one(const struct snapshot *s, __u32 tenant, const struct tsw_policy *policy,
		      const struct found *found, json_t *problems)
{
	const struct tsw_tenant *its = snapshot_get(s, MAP_TENANTS, &tenant);
	const char *name = snapshot_tenant(s, tenant);

	if (!its)
		problem(problems, "policy_entry", name, "the tenant of this policy is gone");
	else if (!(its->flags & TSW_TENANT_POLICY) != !policy->mode)
		problem(problems, "policy_entry", name,
			its->flags & TSW_TENANT_POLICY
				? "its policy is off, but the tenant's flag says otherwise"
				: "its policy is not off, but the tenant's flag says so");
	if (policy->pending)
		problem(problems, "policy_entry", name,
			"a change of its policy was interrupted and has no effect");
	else if (found->ways || policy->lengths != found->lengths)
		problem(problems, "policy_entry", name,
			"%zu of its entries in tsw_policy_ways differ from its rules", found->ways);
	if (policy->members != found->members)
		problem(problems, "count", name,
			"the tenant has %zu endpoints in groups and %u are counted", found->members,
			policy->members);
}

static bool has_group(const struct snapshot *s, __u32 tenant, __u16 number)
{
	const struct rows *rows = &s->rows[MAP_POLICY_GROUPS];
	size_t i;

	if (number == TSW_POLICY_ANY || number & TSW_POLICY_CIDR)
		return true;
	for (i = 0; i < rows->n; i++) {
		const struct tsw_policy_name *name = row_key(rows, i);

		if (name->tenant == tenant && *(const __u32 *)row_value(rows, i) == number)
			return true;
	}
	return false;
}

/* Rules with a missing group; only the user knows which group was meant. */
static void check_rules(const struct snapshot *s, json_t *problems)
{
	const struct rows *rows = &s->rows[MAP_POLICY_RULES];
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const struct tsw_policy_name *name = row_key(rows, i);
		const struct tsw_policy_rule *rule = row_value(rows, i);

		if (!has_group(s, name->tenant, rule->from.who) ||
		    !has_group(s, name->tenant, rule->to.who))
			problem(problems, "policy_entry", snapshot_tenant(s, name->tenant),
				"its rule %s names a group that is gone", quoted(name->name.s));
	}
}

/* Checks the room that all tenants share. */
static void check_room(const struct policy_uses *uses, json_t *warnings)
{
	if (uses->buckets * 100 >= (size_t)uses->room * FULL_PERCENT)
		problem(warnings, "nearly_full", "connections",
			"%zu of %u buckets for the connections of policies are taken",
			uses->buckets, uses->room);
	if (uses->promised > uses->room)
		problem(warnings, "overcommitted", "connections",
			"the tenants' shares of connections need %llu buckets, and there are %u: "
			"give tenants a smaller `connections`",
			uses->promised, uses->room);
}

/* Warns before the room is full and new connections are dropped (policy_full). */
int check_policy_conns(const struct tsw *t, const struct snapshot *s, json_t *warnings)
{
	cleanup_policy_uses struct policy_uses uses = {};
	size_t i;
	int err = policy_uses_read(t, &uses);

	for (i = 0; !err && i < uses.n; i++) {
		const struct policy_use *use = &uses.all[i];

		if ((__u64)use->open * 100 >= (__u64)use->share * FULL_PERCENT)
			problem(warnings, "nearly_full", snapshot_tenant(s, use->tenant),
				"its policy follows %u open connections, and may follow %u",
				use->open, use->share);
	}
	if (!err && uses.n)
		check_room(&uses, warnings);
	return err;
}

int check_policies(const struct snapshot *s, json_t *problems)
{
	const struct rows *rows = &s->rows[MAP_POLICIES];
	struct found *all = calloc(rows->n + 1, sizeof(*all));
	cleanup_policy_ways struct policy_ways want = {};
	size_t i;
	int err = all ? policy_ways_make(&s->rows[MAP_POLICY_RULES], &want) : fail_memory();

	if (!err) {
		compare_ways(s, &want, all);
		count_members(s, all);
		for (i = 0; i < rows->n; i++)
			check_one(s, *(const __u32 *)row_key(rows, i), row_value(rows, i), &all[i],
				  problems);
		check_rules(s, problems);
	}
	free(all);
	return err;
}
