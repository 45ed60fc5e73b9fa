// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/text.h"
#include "object/policy_change.h"
#include "object/policy_mode.h"
#include "object/policy_sweep.h"
#include "object/port_flags.h"
#include "record/policy_find.h"

/* ---- on and off ------------------------------------------------------------------- */

/* Forgets all connections: a responder's frame passes only if the rules allow it. */
static int forget(const struct tsw *t, __u32 tenant, struct tsw_policy *policy)
{
	__u32 table = policy->table + 1;
	size_t unused;
	int err;

	if (getrandom(&table, sizeof(table), 0) < 0 ||
	    TSW_POLICY_OWNER(table) == TSW_POLICY_OWNER(policy->table))
		table = policy->table + 1;
	policy->table = table;
	err = map_put(&t->maps, MAP_POLICIES, &tenant, policy);
	return err ?: policy_sweep(t, false, &unused);
}

static bool says_nothing(const struct tsw_tenant_spec *spec)
{
	return spec->policy == TSW_POLICY_OFF && spec->deny == TSW_POLICY_ALLOW;
}

/*
 * The maximum of connections that the policy follows: the tenant's `connections`, as at its
 * gateway. Without a limit it is TSW_POLICY_CONNS_MOST, because all tenants share one table.
 */
static __u32 share(const struct tsw_tenant_spec *spec)
{
	return spec->limits.connections == TSW_FAIR_NONE ? TSW_POLICY_CONNS_MOST
							 : spec->limits.connections;
}

/* Writes the policy before programs look it up, and stops them before it goes. */
int policy_mode_begin(const struct tsw *t, const struct tsw_tenant_spec *spec, __u32 flags)
{
	struct tsw_policy policy;
	bool other_share;
	int err = policy_load(t, spec->id, &policy);

	if (!err && spec->policy == TSW_POLICY_OFF && flags & TSW_TENANT_POLICY)
		err = port_flags_put(t, spec->id, TSW_PORT_POLICY, false);
	if (err || (says_nothing(spec) && !policy.mode && !policy.deny))
		return err;
	err = policy_make(t, spec->id, &policy);
	if (err || (policy.deny == spec->deny && policy.connections == share(spec) &&
		    (policy.mode == spec->policy || spec->policy == TSW_POLICY_OFF)))
		return err;
	other_share = policy.connections != share(spec) && policy.mode != TSW_POLICY_OFF;
	policy.deny = spec->deny;
	policy.connections = share(spec);
	if (spec->policy != TSW_POLICY_OFF)
		policy.mode = spec->policy;
	policy.generation++;
	if (!other_share)
		return map_put(&t->maps, MAP_POLICIES, &spec->id, &policy);
	/* The number of buckets decides in which bucket a connection is. */
	note(&t->log,
	     "because its number of connections changes, tenant %s forgets the connections that its "
	     "policy followed: answers pass again after the initiator's next frame",
	     quoted(spec->name.s));
	return forget(t, spec->id, &policy);
}

int policy_mode_end(const struct tsw *t, const struct tsw_tenant_spec *spec)
{
	struct tsw_policy policy;
	int err = policy_load(t, spec->id, &policy);

	if (err || spec->policy != TSW_POLICY_OFF)
		return err ?: port_flags_put(t, spec->id, TSW_PORT_POLICY, true);
	if (policy.mode == TSW_POLICY_OFF)
		return 0;
	policy.mode = TSW_POLICY_OFF;
	policy.generation++;
	return forget(t, spec->id, &policy);
}

/* ---- with the tenant -------------------------------------------------------------- */

static __u32 tenant_of(enum map map, const void *key)
{
	return map == MAP_POLICY_CIDRS ? ((const struct tsw_policy_cidr_key *)key)->tenant
				       : *(const __u32 *)key;
}

static int purge(const struct tsw *t, enum map map, __u32 tenant)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_row_keys(&t->maps, map, &rows);

	for (i = 0; !err && i < rows.n; i++)
		if (tenant_of(map, row_key(&rows, i)) == tenant)
			err = map_del_any(&t->maps, map, row_key(&rows, i));
	return err;
}

int policy_purge(const struct tsw *t, __u32 tenant)
{
	static const enum map maps[] = {MAP_POLICY_RULES,   MAP_POLICY_WAYS,   MAP_POLICY_CIDRS,
					MAP_POLICY_MEMBERS, MAP_POLICY_GROUPS, MAP_POLICY_HITS};
	struct tsw_policy policy;
	size_t i;
	int err = map_get(&t->maps, MAP_POLICIES, &tenant, &policy);

	if (err)
		return err == -ENOENT ? 0 : err; /* the tenant never had a policy */
	for (i = 0; !err && i < sizeof(maps) / sizeof(maps[0]); i++)
		err = purge(t, maps[i], tenant);
	err = err ?: forget(t, tenant, &policy);
	return err ?: map_del(&t->maps, MAP_POLICIES, &tenant);
}

static int any_of(const struct tsw *t, enum map map, __u32 tenant, bool *any)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_row_keys(&t->maps, map, &rows);

	for (i = 0; !err && i < rows.n; i++)
		*any = *any || tenant_of(map, row_key(&rows, i)) == tenant;
	return err;
}

int policy_is_there(const struct tsw *t, __u32 tenant, bool *there)
{
	struct tsw_policy policy;
	int err = map_get(&t->maps, MAP_POLICIES, &tenant, &policy);

	*there = false;
	if (err)
		return err == -ENOENT ? 0 : err;
	err = any_of(t, MAP_POLICY_GROUPS, tenant, there);
	return err ?: any_of(t, MAP_POLICY_RULES, tenant, there);
}
