// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/json.h"
#include "base/parse.h"
#include "cluster/policy.h"
#include "cmd/cmd.h"
#include "cmd/show.h"
#include "record/counters.h"
#include "record/policy_find.h"
#include "record/tenant_find.h"

int fit_group(struct words *w)
{
	struct tsw_name unused;
	char *const *word;
	int err = 0;

	for (word = w->all; !err && *word; word++)
		err = parse_group(*word, &unused);
	return err;
}

int groups_read(const struct words *w, struct tsw_name **name, size_t *n)
{
	size_t i;
	int err = 0;

	for (*n = 0; w->all[*n]; ++*n)
		;
	*name = calloc(*n + 1, sizeof(**name));
	if (!*name)
		return fail_memory();
	for (i = 0; !err && i < *n; i++)
		err = parse_group(w->all[i], &(*name)[i]);
	return err;
}

/* The groups, and of each the item that `show` prints. */
struct counts {
	struct policy_groups groups;
	struct cluster_group *all;
};

static void count(const struct policy_group *group, struct counts *c)
{
	if (group)
		c->all[group - c->groups.all].rules++;
}

/* A rule from a group to itself counts once. */
static int count_rules(const struct tsw *t, struct counts *c)
{
	cleanup_rows struct rows rows = {};
	const struct policy_group *from, *to;
	size_t i;
	int err = map_rows(&t->maps, MAP_POLICY_RULES, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_policy_name *name = row_key(&rows, i);
		const struct tsw_policy_rule *rule = row_value(&rows, i);

		from = policy_group_get(&c->groups, name->tenant, rule->from.who);
		to = policy_group_get(&c->groups, name->tenant, rule->to.who);
		count(from, c);
		if (to != from)
			count(to, c);
	}
	return err;
}

static int read_all(const struct tsw *t, __u32 tenant, struct counts *c)
{
	cleanup_tenants struct tenants tenants = {};
	cleanup_free __u32 *endpoints = NULL;
	const struct tsw_tenant *its;
	size_t i;
	int err = tenants_read(t, &tenants);

	err = err ?: policy_groups_read(t, tenant, &c->groups);
	if (err)
		return err;
	c->all = calloc(c->groups.n + 1, sizeof(*c->all));
	endpoints = calloc(c->groups.n + 1, sizeof(*endpoints));
	if (!c->all || !endpoints)
		return fail_memory();
	err = policy_members_count(t, &c->groups, endpoints);
	for (i = 0; i < c->groups.n; i++) {
		its = tenants_find(&tenants, c->groups.all[i].tenant);
		c->all[i].name = c->groups.all[i].name;
		c->all[i].endpoints = endpoints[i];
		if (its)
			memcpy(c->all[i].tenant.s, its->name, sizeof(c->all[i].tenant.s));
	}
	return err ?: count_rules(t, c);
}

static int add(void *show, const struct cluster_group *group)
{
	const struct show *s = show;

	json_array_append_new(s->list, json_pack("{s:o, s:o, s:I, s:I}", "tenant",
						 json_text(group->tenant.s), "name",
						 json_text(group->name.s), "endpoints",
						 (json_int_t)group->endpoints, "rules",
						 (json_int_t)group->rules));
	return 0;
}

static int show_switch(struct show *s)
{
	static const char *const order[] = {"tenant", "name", NULL};
	struct tsw *t = &s->cli->tsw;
	struct counts counts = {};
	__u32 tenant;
	size_t i;
	int err = tenant_id(t, &s->w->name, &tenant);

	err = err ?: read_all(t, tenant, &counts);
	for (i = 0; !err && i < counts.groups.n; i++)
		add(s, &counts.all[i]);
	policy_groups_free(&counts.groups);
	free(counts.all);
	return err ?: show_sort(s, order);
}

int show_groups(struct show *s)
{
	return s->r ? cluster_groups(s->r, &s->w->name, &s->refused, add, s) : show_switch(s);
}
