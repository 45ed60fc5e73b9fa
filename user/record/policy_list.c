// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "record/counters.h"
#include "record/policy_find.h"
#include "record/policy_list.h"

static int compare(const void *a, const void *b)
{
	const struct policy_row *x = a, *y = b;
	const int order = strcmp(x->tenant, y->tenant);

	return order ?: strcmp(x->key.name.s, y->key.name.s);
}

/* Adds the rule, unless its tenant no longer exists. */
static void add(struct policies *all, const struct tenants *tenants,
		const struct policy_groups *groups, const struct tsw_policy_name *key,
		const struct tsw_policy_rule *rule)
{
	const struct tsw_tenant *tenant = tenants_find(tenants, key->tenant);
	struct policy_row *row = &all->row[all->n];

	if (!tenant)
		return;
	*row = (struct policy_row){
		.key = *key, .number = rule->number, .spec = policy_rule_spec(groups, key, rule)};
	memcpy(row->tenant, tenant->name, sizeof(row->tenant));
	all->n++;
}

int policies_read(const struct tsw *t, __u32 tenant, struct policies *all)
{
	cleanup_policy_groups struct policy_groups groups = {};
	cleanup_tenants struct tenants tenants = {};
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = policy_groups_read(t, tenant, &groups);

	*all = (struct policies){};
	err = err ?: tenants_read(t, &tenants);
	err = err ?: map_rows(&t->maps, MAP_POLICY_RULES, &rows);
	if (err)
		return err;
	all->row = calloc(rows.n + 1, sizeof(*all->row));
	if (!all->row)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		const struct tsw_policy_name *key = row_key(&rows, i);

		if (!tenant || key->tenant == tenant)
			add(all, &tenants, &groups, key, row_value(&rows, i));
	}
	qsort(all->row, all->n, sizeof(*all->row), compare);
	return 0;
}

void policies_free(struct policies *all)
{
	free(all->row);
}

int policy_hits(const struct tsw *t, __u32 tenant, __u32 number, struct tsw_counter *hits)
{
	const struct tsw_policy_hit_key key = {tenant, number};
	int err = map_sum(&t->maps, MAP_POLICY_HITS, &key, hits);

	if (err == -ENOENT)
		*hits = (struct tsw_counter){};
	return err == -ENOENT ? 0 : err;
}
