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
	char key[MEMBER_KEY];
	int err = cluster_tenant_get(r, tenant, spec, NULL);

	if (err)
		return err;
	record_key(r, key, "vni/%u", spec->id);
	look_at(l, key);
	return 0;
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

/* ---- who names one ---------------------------------------------------------------- */

size_t group_look(const struct records *r, __u32 id, const struct tsw_name *name, struct look *l)
{
	char key[MEMBER_KEY];

	record_key(r, key, "policy/%u/group/%s", id, name->s);
	return look_at(l, key);
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

struct adding {
	const struct tsw_name *tenant, *name;
	size_t n;
};

/* SEEN are those that are to be. AGAIN: where all of them are there, an earlier try did that. */
static int check_absent(const struct adding *a, const struct seen *seen, bool again, bool *there)
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

static int put_groups(const struct adding *a, const struct seen *seen, struct change *c)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < a->n; i++)
		err = record_put(c, OBJECT_GROUP, seen[i].key, &a->name[i], 0);
	return err;
}

static int add_once(struct records *r, void *context, bool again, struct change *c)
{
	const struct adding *a = context;
	cleanup_look struct look look = {};
	struct tsw_tenant_spec tenant;
	struct record_range range;
	size_t i, count = 0;
	bool there;
	int err = policy_begin(r, a->tenant, &tenant, &look);

	if (!err) {
		for (i = 0; i < a->n; i++)
			group_look(r, tenant.id, &a->name[i], &look);
		range = record_range(r, "policy/%u/group/", tenant.id);
		count = look_count(&look, &range);
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
	struct adding a = {tenant, name, n};

	return record_change(r, add_once, NULL, &a);
}

/* ---- deleting --------------------------------------------------------------------- */

struct deleting {
	const struct tsw_name *tenant, *name;
};

static bool names(const struct tsw_policy_who *who, const struct tsw_name *group)
{
	return who->who == TSW_WHO_GROUP && !strcmp(who->group.s, group->s);
}

/* What is not understood, as of a newer version, may name it, too. */
static int check_rules(const struct deleting *d, const struct policy_records *all)
{
	size_t i;

	for (i = 0; i < all->n_rules; i++)
		if (names(&all->rule[i].spec.from, d->name) ||
		    names(&all->rule[i].spec.to, d->name))
			return rule_group_named(all->rule[i].spec.name.s);
	return all->refused_rules ? fail(EBUSY,
					 "of the tenant's policies %zu are not understood, and may "
					 "name it",
					 all->refused_rules)
				  : 0;
}

static int check_endpoint(void *context, const struct etcd_entry *entry)
{
	const struct deleting *d = context;
	struct tsw_endpoint_spec spec = {};
	__u32 i;

	if (cluster_endpoint_read(entry->key, entry->value, &spec))
		return fail(EBUSY, "endpoint %s is not understood, and may be in it",
			    quoted(record_name(entry->key)));
	for (i = 0; i < spec.group.n; i++)
		if (!strcmp(spec.group.at[i].s, d->name->s))
			return rule_group_member(spec.name.s);
	return 0;
}

/* All endpoints and rules that the tenant has, and none comes meanwhile. */
static int check_unused(const struct records *r, __u32 id, struct deleting *d, struct change *c)
{
	struct policy_records all = {};
	int err = records_read(r, c, check_endpoint, d, "e/%u/", id);

	err = err ?: policy_records_read(r, c, id, &all);
	err = err ?: check_rules(d, &all);
	policy_records_free(&all);
	return err;
}

static int del_once(struct records *r, void *context, bool again, struct change *c)
{
	struct deleting *d = context;
	cleanup_look struct look look = {};
	struct tsw_tenant_spec tenant;
	size_t at = 0;
	int err = policy_begin(r, d->tenant, &tenant, &look);

	if (!err) {
		at = group_look(r, tenant.id, d->name, &look);
		err = look_read(r, &look);
	}
	if (err || (again && !look.at[at].value))
		return err;
	err = group_is_there(&look.at[at], d->tenant);
	err = err ?: policy_change(r, &tenant, &look, again, c);
	err = err ?: check_unused(r, tenant.id, d, c);
	if (!err)
		change_del(c, look.at[at].key, look.at[at].modified);
	return err;
}

int cluster_group_del(struct records *r, const struct tsw_name *tenant, const struct tsw_name *name)
{
	struct deleting d = {.tenant = tenant, .name = name};

	return record_change(r, del_once, NULL, &d);
}
