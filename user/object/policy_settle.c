// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/ids.h"
#include "base/lookup.h"
#include "object/policy_change.h"
#include "object/policy_cidr.h"
#include "object/policy_settle.h"
#include "object/policy_sweep.h"
#include "record/policy_find.h"

/*
 * The maps of policies whose keys begin with the tenant. cidrs_drop() does the same for networks,
 * and policy_sweep() for connections.
 */
static const enum map by_tenant[] = {MAP_POLICIES,     MAP_POLICY_GROUPS, MAP_POLICY_MEMBERS,
				     MAP_POLICY_RULES, MAP_POLICY_WAYS,	  MAP_POLICY_HITS};

static int drop_tenantless(const struct tsw *t, enum map map)
{
	cleanup_rows struct rows rows = {};
	struct tsw_tenant tenant;
	size_t i;
	int err = map_row_keys(&t->maps, map, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		err = map_get(&t->maps, MAP_TENANTS, (const __u32 *)row_key(&rows, i), &tenant);
		if (err == -ENOENT)
			err = map_del_any(&t->maps, map, row_key(&rows, i));
	}
	return err;
}

/* Makes a policy for each tenant with entries in MAP. */
static int make_missing(const struct tsw *t, enum map map)
{
	cleanup_rows struct rows rows = {};
	struct tsw_policy unused;
	size_t i;
	int err = map_row_keys(&t->maps, map, &rows);

	for (i = 0; !err && i < rows.n; i++)
		err = policy_make(t, *(const __u32 *)row_key(&rows, i), &unused);
	return err;
}

/* ---- ways ------------------------------------------------------------------------- */

/* Reverts the pending change. It stays pending until all ways are done, for a kill meanwhile. */
static int revert(const struct tsw *t, __u32 tenant, const struct tsw_policy *policy,
		  const struct rows *ways)
{
	struct tsw_policy as_before = *policy;
	struct tsw_policy_way way;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < ways->n; i++) {
		const struct tsw_policy_way_key *key = row_key(ways, i);

		memcpy(&way, row_value(ways, i), sizeof(way));
		if (key->tenant != tenant || way.generation != policy->pending)
			continue;
		way.then = way.now;
		err = way.now.number ? map_put(&t->maps, MAP_POLICY_WAYS, key, &way)
				     : map_del(&t->maps, MAP_POLICY_WAYS, key);
	}
	as_before.pending = 0;
	return err ?: map_put(&t->maps, MAP_POLICIES, &tenant, &as_before);
}

static int revert_all(const struct tsw *t)
{
	cleanup_rows struct rows policies = {}, ways = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICIES, &policies);

	err = err ?: map_rows(&t->maps, MAP_POLICY_WAYS, &ways);
	for (i = 0; !err && i < policies.n; i++) {
		const struct tsw_policy *policy = row_value(&policies, i);

		if (policy->pending)
			err = revert(t, *(const __u32 *)row_key(&policies, i), policy, &ways);
	}
	return err;
}

/* Collects the ways that are not as the rules say: ROWS are those that exist, IN finds them. */
static int find_edits(const struct rows *rows, const struct lookup *in,
		      const struct policy_ways *want, struct policy_change *c)
{
	static const struct tsw_policy_choice none;
	struct tsw_policy_choice then;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < rows->n; i++) {
		const struct tsw_policy_way_key *key = row_key(rows, i);

		if (key->tenant != c->tenant)
			continue;
		then = policy_ways_find(want, key);
		err = policy_change_add(
			c, key, policy_way_now(row_value(rows, i), c->policy.generation), &then);
	}
	for (i = 0; !err && i < want->n; i++)
		if (want->all[i].key.tenant == c->tenant &&
		    lookup_find(in, &want->all[i].key) == LOOKUP_NONE)
			err = policy_change_add(c, &want->all[i].key, &none, &want->all[i].choice);
	return err;
}

static int settle_tenant(const struct tsw *t, __u32 tenant, const struct rows *rows,
			 const struct lookup *in, const struct policy_ways *want)
{
	cleanup_policy_change struct policy_change c = {};
	const __u32 lengths = policy_ways_lengths(want, tenant);
	int err = policy_change_begin(t, tenant, &c);

	err = err ?: find_edits(rows, in, want, &c);
	if (err || (!c.n && c.policy.lengths == lengths))
		return err;
	err = policy_change_write(t, &c);
	return err ?: policy_change_commit(t, &c, lengths);
}

/* The result of a quick look at a tenant's policy. */
struct state_of {
	__u32 lengths; /* a bit for each length of a key that the rules ask for */
	bool differs;
};

static struct state_of *find_state(struct state_of *all, const struct lookup *in, __u32 tenant)
{
	const size_t i = lookup_find(in, &tenant);

	return i == LOOKUP_NONE ? NULL : &all[i];
}

/* Finds the tenants whose ways are not as the rules say. */
static void compare_ways(const struct rows *policies, const struct rows *rows,
			 const struct policy_ways *want, const struct lookup *in,
			 const struct lookup *tenants, struct state_of *all)
{
	struct state_of *its;
	size_t i;

	for (i = 0; i < want->n; i++) {
		its = find_state(all, tenants, want->all[i].key.tenant);
		if (!its)
			continue;
		its->lengths |= 1U << want->all[i].key.length;
		if (lookup_find(in, &want->all[i].key) == LOOKUP_NONE)
			its->differs = true;
	}
	for (i = 0; i < rows->n; i++) {
		const struct tsw_policy_way_key *key = row_key(rows, i);
		const struct tsw_policy_choice then = policy_ways_find(want, key);
		const struct tsw_policy *policy;

		its = find_state(all, tenants, key->tenant);
		if (!its)
			continue;
		policy = row_value(policies, its - all);
		if (!policy_same_choice(policy_way_now(row_value(rows, i), policy->generation),
					&then))
			its->differs = true;
	}
	for (i = 0; i < policies->n; i++)
		if (((const struct tsw_policy *)row_value(policies, i))->lengths != all[i].lengths)
			all[i].differs = true;
}

static int settle_each(const struct tsw *t, const struct rows *policies, const struct rows *rows,
		       const struct policy_ways *want)
{
	struct state_of *all = calloc(policies->n + 1, sizeof(*all));
	struct lookup in = {}, tenants = {};
	size_t i;
	int err = all ? lookup_make(&in, rows->keys, rows->n, rows->key_size, rows->key_size)
		      : fail_memory();

	err = err
		      ?: lookup_make(&tenants, policies->keys, policies->n, policies->key_size,
				     policies->key_size);
	if (!err)
		compare_ways(policies, rows, want, &in, &tenants, all);
	for (i = 0; !err && i < policies->n; i++)
		if (all[i].differs)
			err = settle_tenant(t, *(const __u32 *)row_key(policies, i), rows, &in,
					    want);
	lookup_free(&in);
	lookup_free(&tenants);
	free(all);
	return err;
}

/* Deletes ways without a choice, now or after a change: a killed command left them. */
static int drop_empty(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	struct tsw_policy policy;
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICY_WAYS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_policy_way_key *key = row_key(&rows, i);
		const struct tsw_policy_way *way = row_value(&rows, i);

		if (way->then.number)
			continue;
		err = policy_load(t, key->tenant, &policy);
		if (!err && !policy_way_now(way, policy.generation)->number)
			err = map_del(&t->maps, MAP_POLICY_WAYS, key);
	}
	return err;
}

static int settle_ways(const struct tsw *t, const struct rows *rules)
{
	cleanup_policy_ways struct policy_ways want = {};
	cleanup_rows struct rows policies = {}, rows = {};
	int err = policy_ways_make(rules, &want);

	err = err ?: map_rows(&t->maps, MAP_POLICIES, &policies);
	err = err ?: map_rows(&t->maps, MAP_POLICY_WAYS, &rows);
	err = err ?: settle_each(t, &policies, &rows, &want);
	return err ?: drop_empty(t);
}

/* ---- hits ------------------------------------------------------------------------- */

/* Each rule has an entry, and number 0 counts the frames that no rule decides. */
static int settle_hits(const struct tsw *t, const struct rows *rules)
{
	struct tsw_policy_hit_key *want = calloc(rules->n + 1, sizeof(*want));
	cleanup_rows struct rows rows = {};
	struct lookup in = {};
	struct tsw_counter unused;
	size_t i;
	int err = want ? map_row_keys(&t->maps, MAP_POLICY_HITS, &rows) : fail_memory();

	for (i = 0; !err && i < rules->n; i++) {
		const struct tsw_policy_name *name = row_key(rules, i);
		const struct tsw_policy_rule *rule = row_value(rules, i);

		want[i] = (struct tsw_policy_hit_key){name->tenant, rule->number};
		err = map_sum(&t->maps, MAP_POLICY_HITS, &want[i], &unused);
		if (err == -ENOENT)
			err = map_zero(&t->maps, MAP_POLICY_HITS, &want[i]);
	}
	err = err ?: lookup_make(&in, want, rules->n, sizeof(*want), sizeof(*want));
	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_policy_hit_key *key = row_key(&rows, i);

		if (key->number && lookup_find(&in, key) == LOOKUP_NONE)
			err = map_del(&t->maps, MAP_POLICY_HITS, key);
	}
	lookup_free(&in);
	free(want);
	return err;
}

/* ---- modes ------------------------------------------------------------ */

/* Without the tenant's flag the policy is off: a killed command had turned it on or off halfway. */
static int settle_policy(const struct tsw *t, __u32 tenant, const struct tsw_policy *policy,
			 __u32 members)
{
	struct tsw_policy want = *policy;
	struct tsw_tenant its;
	int err = map_get(&t->maps, MAP_TENANTS, &tenant, &its);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (!(its.flags & TSW_TENANT_POLICY))
		want.mode = TSW_POLICY_OFF;
	want.members = members;
	if (!memcmp(&want, policy, sizeof(want)))
		return 0;
	want.generation++;
	return map_put(&t->maps, MAP_POLICIES, &tenant, &want);
}

static int settle_policies(const struct tsw *t)
{
	cleanup_rows struct rows policies = {}, members = {};
	__u32 *ids = NULL;
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICIES, &policies);

	err = err ?: map_row_keys(&t->maps, MAP_POLICY_MEMBERS, &members);
	if (!err)
		ids = calloc(members.n + 1, sizeof(*ids));
	if (!err && !ids)
		err = fail_memory();
	for (i = 0; !err && i < members.n; i++)
		ids[i] = *(const __u32 *)row_key(&members, i);
	if (!err && members.n)
		qsort(ids, members.n, sizeof(*ids), ids_compare);
	for (i = 0; !err && i < policies.n; i++) {
		const __u32 tenant = *(const __u32 *)row_key(&policies, i);

		err = settle_policy(t, tenant, row_value(&policies, i),
				    (__u32)ids_count(ids, members.n, tenant));
	}
	free(ids);
	return err;
}

int policy_settle(struct tsw *t)
{
	cleanup_rows struct rows rules = {};
	size_t unused, i;
	int err = 0;

	for (i = 0; !err && i < sizeof(by_tenant) / sizeof(by_tenant[0]); i++)
		err = drop_tenantless(t, by_tenant[i]);
	err = err ?: make_missing(t, MAP_POLICY_GROUPS);
	err = err ?: make_missing(t, MAP_POLICY_RULES);
	err = err ?: revert_all(t);
	err = err ?: map_rows(&t->maps, MAP_POLICY_RULES, &rules);
	err = err ?: cidrs_restore(t, &rules);
	err = err ?: settle_ways(t, &rules);
	err = err ?: cidrs_drop(t, &rules);
	err = err ?: settle_hits(t, &rules);
	err = err ?: settle_policies(t);
	return err ?: policy_sweep(t, false, &unused);
}
