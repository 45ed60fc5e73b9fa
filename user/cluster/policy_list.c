// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/parse.h"
#include "cluster/endpoint.h"
#include "cluster/policy.h"
#include "cluster/tenant.h"
#include "record/policy_spec.h"

/* ---- reading ---------------------------------------------------------------------- */

struct reading {
	const struct records *r;
	struct policy_records *all;
	size_t prefix; /* octets of a key before the tenant's id */
};

void policy_records_free(struct policy_records *all)
{
	free(all->group);
	free(all->rule);
	*all = (struct policy_records){};
}

/* Is the record at its own key? A record under another key could hide one. */
static bool is_keyed(const struct reading *reading, const struct etcd_entry *entry,
		     const char *part, const char *name, __u32 *id)
{
	const char *text = entry->key + reading->prefix;
	char number[16];

	snprintf(number, sizeof(number), "%.*s", (int)strcspn(text, "/"), text);
	return !parse_number(number, 1, ~0U, id) &&
	       record_is_at(reading->r, entry->key, "policy/%u/%s/%s", *id, part, name);
}

static int take(void *context, const struct etcd_entry *entry)
{
	const bool is_rule = record_is_kind(OBJECT_POLICY, entry->key);
	struct rule_record rule = {.spec = TSW_POLICY_DEFAULTS};
	struct reading *reading = context;
	struct policy_records *all = reading->all;
	struct group_record group = {};

	if (is_rule && !record_read(OBJECT_POLICY, entry->value, &rule.spec) &&
	    is_keyed(reading, entry, "rule", rule.spec.name.s, &rule.id))
		return list_append(&all->rule, &all->n_rules, &rule, sizeof(rule));
	if (!is_rule && !record_read(OBJECT_GROUP, entry->value, &group.name) &&
	    is_keyed(reading, entry, "group", group.name.s, &group.id))
		return list_append(&all->group, &all->n_groups, &group, sizeof(group));
	all->refused++;
	all->refused_rules += is_rule;
	return 0;
}

int policy_records_read(const struct records *r, struct change *c, __u32 id,
			struct policy_records *all)
{
	struct reading reading = {.r = r, .all = all};
	char key[MEMBER_KEY], part[16] = "";

	*all = (struct policy_records){};
	record_key(r, key, "policy/");
	reading.prefix = strlen(key);
	if (id)
		snprintf(part, sizeof(part), "%u/", id);
	return records_read(r, c, take, &reading, "policy/%s", part);
}

/* Reads the groups and rules of one tenant or of all, and the tenants, sorted by id. */
static int read_all(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		    struct tenant_ids *tenants, struct policy_records *all)
{
	int err = tenant_ids_read(r, tenant, refused, tenants);

	tenant_ids_sort(tenants);
	err = err ?: policy_records_read(r, NULL, *tenant->s ? tenants->all[0].id : 0, all);
	*refused += all->refused;
	return err;
}

/* ---- groups ----------------------------------------------------------------------- */

struct groups {
	struct cluster_group *all;
	size_t n;
};

static int compare_groups(const void *a, const void *b)
{
	const struct cluster_group *x = a, *y = b;
	const int order = strcmp(x->tenant.s, y->tenant.s);

	return order ?: strcmp(x->name.s, y->name.s);
}

static struct cluster_group *find(const struct groups *groups, const struct tsw_name *tenant,
				  const struct tsw_name *name)
{
	const struct cluster_group key = {.tenant = *tenant, .name = *name};

	return groups->n ? bsearch(&key, groups->all, groups->n, sizeof(key), compare_groups)
			 : NULL;
}

static int count_endpoint(void *context, const struct tsw_endpoint_spec *spec)
{
	struct cluster_group *group;
	__u32 i;

	for (i = 0; i < spec->group.n; i++) {
		group = find(context, &spec->tenant, &spec->group.at[i]);
		if (group)
			group->endpoints++;
	}
	return 0;
}

static struct cluster_group *end_of(const struct groups *groups, const struct tsw_name *tenant,
				    const struct tsw_policy_who *who)
{
	return who->who == TSW_WHO_GROUP ? find(groups, tenant, &who->group) : NULL;
}

/* A rule from a group to the same group counts once. */
static void count_rules(const struct groups *groups, const struct tenant_ids *tenants,
			const struct policy_records *all)
{
	const struct tsw_name *tenant;
	struct cluster_group *from, *to;
	size_t i;

	for (i = 0; i < all->n_rules; i++) {
		tenant = tenant_ids_name(tenants, all->rule[i].id);
		from = tenant ? end_of(groups, tenant, &all->rule[i].spec.from) : NULL;
		to = tenant ? end_of(groups, tenant, &all->rule[i].spec.to) : NULL;
		if (from)
			from->rules++;
		if (to && to != from)
			to->rules++;
	}
}

static int name_groups(const struct policy_records *all, const struct tenant_ids *tenants,
		       struct groups *groups, size_t *refused)
{
	const struct tsw_name *tenant;
	struct cluster_group group = {};
	size_t i;

	for (i = 0; i < all->n_groups; i++) {
		tenant = tenant_ids_name(tenants, all->group[i].id);
		*refused += !tenant;
		if (!tenant)
			continue;
		group.tenant = *tenant;
		group.name = all->group[i].name;
		if (list_append(&groups->all, &groups->n, &group, sizeof(group)))
			return -ENOMEM;
	}
	if (groups->n)
		qsort(groups->all, groups->n, sizeof(*groups->all), compare_groups);
	return 0;
}

int cluster_groups(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		   cluster_each_group *each, void *context)
{
	const struct tsw_name any = {};
	struct policy_records all = {};
	cleanup_tenant_ids struct tenant_ids tenants = {};
	struct groups groups = {};
	size_t i;
	int err = read_all(r, tenant, refused, &tenants, &all);

	err = err ?: name_groups(&all, &tenants, &groups, refused);
	if (!err && groups.n)
		err = cluster_endpoints(r, tenant, &any, refused, count_endpoint, &groups);
	if (!err)
		count_rules(&groups, &tenants, &all);
	for (i = 0; !err && i < groups.n; i++)
		err = each(context, &groups.all[i]);
	policy_records_free(&all);
	free(groups.all);
	return err;
}

/* ---- rules ------------------------------------------------------------------------ */

struct row {
	const char *tenant;
	const struct tsw_policy_spec *spec;
};

/* By tenant. Within a tenant the rule that decides comes first. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return strcmp(x->tenant, y->tenant) ?: policy_spec_order(x->spec, y->spec);
}

int cluster_policies(const struct records *r, const struct tsw_name *tenant,
		     const struct tsw_name *name, size_t *refused, cluster_each_policy *each,
		     void *context)
{
	struct policy_records all = {};
	cleanup_tenant_ids struct tenant_ids tenants = {};
	const struct tsw_name *of;
	struct row *rows = NULL;
	size_t n = 0, i;
	int err = read_all(r, tenant, refused, &tenants, &all);

	if (!err) {
		rows = calloc(all.n_rules + 1, sizeof(*rows));
		err = rows ? 0 : fail_memory();
	}
	for (i = 0; !err && i < all.n_rules; i++) {
		of = tenant_ids_name(&tenants, all.rule[i].id);
		*refused += !of;
		if (of && (!*name->s || !strcmp(name->s, all.rule[i].spec.name.s)))
			rows[n++] = (struct row){of->s, &all.rule[i].spec};
	}
	if (n)
		qsort(rows, n, sizeof(*rows), compare_rows);
	for (i = 0; !err && i < n; i++)
		err = each(context, rows[i].tenant, rows[i].spec);
	free(rows);
	policy_records_free(&all);
	return err;
}
