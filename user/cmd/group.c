// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/json.h"
#include "base/parse.h"
#include "cmd/cmd.h"
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

/* One group, and how many there are in it and of it. */
struct shown {
	const char *tenant;
	const struct policy_group *group;
	__u32 endpoints, rules;
};

struct counts {
	struct policy_groups groups;
	struct shown *all; /* of each group */
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

static int compare(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;
	const int order = strcmp(x->tenant, y->tenant);

	return order ?: strcmp(x->group->name.s, y->group->name.s);
}

static int read_all(const struct tsw *t, __u32 tenant, const struct tenants *tenants,
		    struct counts *c)
{
	cleanup_free __u32 *endpoints = NULL;
	const struct tsw_tenant *its;
	size_t i;
	int err = policy_groups_read(t, tenant, &c->groups);

	if (err)
		return err;
	c->all = calloc(c->groups.n + 1, sizeof(*c->all));
	endpoints = calloc(c->groups.n + 1, sizeof(*endpoints));
	if (!c->all || !endpoints)
		return fail_memory();
	err = policy_members_count(t, &c->groups, endpoints);
	for (i = 0; i < c->groups.n; i++) {
		its = tenants_find(tenants, c->groups.all[i].tenant);
		c->all[i] =
			(struct shown){its ? its->name : "", &c->groups.all[i], endpoints[i], 0};
	}
	return err ?: count_rules(t, c);
}

static void print(struct cli *cli, const struct shown *s)
{
	out_item(&cli->out, json_pack("{s:o, s:o, s:I, s:I}", "tenant", json_text(s->tenant),
				      "name", json_text(s->group->name.s), "endpoints",
				      (json_int_t)s->endpoints, "rules", (json_int_t)s->rules));
}

int cmd_group_show(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_tenants struct tenants tenants = {};
	struct counts counts = {};
	struct tsw_tenant unused;
	__u32 tenant = 0;
	size_t i;
	int err = w->given & W_NAME ? tenant_find(t, &w->name, &tenant, &unused) : 0;

	if (!err)
		err = tenants_read(t, &tenants);
	if (!err)
		err = read_all(t, tenant, &tenants, &counts);
	if (!err) {
		qsort(counts.all, counts.groups.n, sizeof(*counts.all), compare);
		out_list_begin(&cli->out);
		for (i = 0; i < counts.groups.n; i++)
			print(cli, &counts.all[i]);
		out_list_end(&cli->out);
	}
	policy_groups_free(&counts.groups);
	free(counts.all);
	return err;
}
