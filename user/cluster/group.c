// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/endpoint.h"
#include "cluster/group.h"
#include "cluster/policy.h"
#include "cluster/tenant.h"

/* ---- the tenant ------------------------------------------------------------------- */

int policy_begin(const struct records *r, const struct tsw_name *tenant,
		 struct tsw_tenant_spec *spec, struct look *l)
{
	int err = cluster_tenant_get(r, tenant, spec, NULL);

	if (!err)
		look_at(l, r, "vni/%u", spec->id);
	return err;
}

int policy_change(const struct records *r, const struct tsw_tenant_spec *tenant,
		  const struct look *l, bool again, struct change *c)
{
	int err = cluster_tenant_owns(&l->at[0], &tenant->name, again);

	if (err)
		return err;
	change_check(c, l->at[0].key, l->at[0].modified);
	record_pulse(r, c, "policy/%u/", tenant->id);
	return 0;
}

/* ---- for rules and endpoints that name a group ------------------------------------ */

size_t group_look(const struct records *r, __u32 id, const struct tsw_name *name, struct look *l)
{
	return look_at(l, r, "policy/%u/group/%s", id, name->s);
}

int group_is_there(const struct seen *seen, const struct tsw_name *tenant)
{
	return seen->value ? 0 : rule_lacks(tenant->s, "group", record_name(seen->key));
}

int group_need(struct change *c, const struct seen *seen, const struct tsw_name *tenant)
{
	int err = group_is_there(seen, tenant);

	if (!err)
		change_check(c, seen->key, seen->modified);
	return err;
}

/* ---- adding ----------------------------------------------------------------------- */

/* The groups NAME, N of them, to add or to delete. */
struct ask {
	const struct tsw_name *tenant, *name;
	size_t n;
};

/* SEEN: the new groups. With AGAIN, and if all of them exist, an earlier try made them: *THERE. */
static int check_absent(const struct ask *a, const struct seen *seen, bool again, bool *there)
{
	size_t i;

	*there = again;
	for (i = 0; i < a->n; i++)
		*there = *there && seen[i].value;
	for (i = 0; !*there && i < a->n; i++)
		if (seen[i].value)
			return rule_has(a->tenant->s, "a group", a->name[i].s);
	return 0;
}

static int put_groups(const struct ask *a, const struct seen *seen, struct change *c)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < a->n; i++)
		err = record_put(c, OBJECT_GROUP, seen[i].key, &a->name[i], 0);
	return err;
}

static int add_once(struct records *r, void *context, bool again, struct change *c)
{
	const struct ask *a = context;
	cleanup_look struct look look = {};
	struct tsw_tenant_spec tenant;
	size_t i, count = 0;
	bool there;
	int err = policy_begin(r, a->tenant, &tenant, &look);

	if (!err) {
		for (i = 0; i < a->n; i++)
			group_look(r, tenant.id, &a->name[i], &look);
		count = look_count(&look, r, "policy/%u/group/", tenant.id);
		err = look_read(r, &look);
	}
	err = err ?: check_absent(a, look.at + 1, again, &there);
	if (err || there)
		return err;
	err = rule_groups(a->tenant->s, (__u64)look.at[count].count, a->name, a->n);
	err = err ?: policy_change(r, &tenant, &look, again, c);
	return err ?: put_groups(a, look.at + 1, c);
}

int cluster_groups_add(struct records *r, const struct tsw_name *tenant,
		       const struct tsw_name *name, size_t n)
{
	struct ask a = {tenant, name, n};

	return record_change(r, add_once, NULL, &a);
}

/* ---- deleting --------------------------------------------------------------------- */

static bool names(const struct tsw_policy_who *who, const struct tsw_name *group)
{
	return who->who == TSW_WHO_GROUP && !strcmp(who->group.s, group->s);
}

/* A rule that is invalid here, perhaps of a newer version of tsw, may name the group, too. */
static int check_rules(const struct ask *a, const struct policy_records *all)
{
	size_t i;

	for (i = 0; i < all->n_rules; i++)
		if (names(&all->rule[i].spec.from, a->name) ||
		    names(&all->rule[i].spec.to, a->name))
			return rule_group_named(all->rule[i].spec.name.s);
	if (!all->refused_rules)
		return 0;
	return fail(EBUSY,
		    "records of the tenant's policies are invalid here, and may name it: %zu",
		    all->refused_rules);
}

static int check_endpoint(void *context, const struct etcd_entry *entry)
{
	const struct ask *a = context;
	struct tsw_endpoint_spec spec = {};
	__u32 i;

	if (cluster_endpoint_read(entry->key, entry->value, &spec))
		return fail(EBUSY,
			    "the record of endpoint %s is invalid here; it may be in the group",
			    quoted(record_name(entry->key)));
	for (i = 0; i < spec.group.n; i++)
		if (!strcmp(spec.group.at[i].s, a->name->s))
			return rule_group_member(spec.name.s);
	return 0;
}

/* Checks all endpoints and rules of the tenant. They must stay unchanged until the commit. */
static int check_unused(const struct records *r, __u32 id, struct ask *a, struct change *c)
{
	struct policy_records all = {};
	int err = records_read(r, c, check_endpoint, a, "e/%u/", id);

	err = err ?: policy_records_read(r, c, id, &all);
	err = err ?: check_rules(a, &all);
	policy_records_free(&all);
	return err;
}

static int del_once(struct records *r, void *context, bool again, struct change *c)
{
	struct ask *a = context;
	cleanup_look struct look look = {};
	struct tsw_tenant_spec tenant;
	size_t at = 0;
	int err = policy_begin(r, a->tenant, &tenant, &look);

	if (!err) {
		at = group_look(r, tenant.id, a->name, &look);
		err = look_read(r, &look);
	}
	if (err || (again && !look.at[at].value))
		return err;
	err = group_is_there(&look.at[at], a->tenant);
	err = err ?: policy_change(r, &tenant, &look, again, c);
	err = err ?: check_unused(r, tenant.id, a, c);
	if (!err)
		change_del(c, look.at[at].key, look.at[at].modified);
	return err;
}

int cluster_group_del(struct records *r, const struct tsw_name *tenant, const struct tsw_name *name)
{
	struct ask a = {tenant, name, 1};

	return record_change(r, del_once, NULL, &a);
}
