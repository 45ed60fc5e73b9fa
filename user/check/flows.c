// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/problem.h"
#include "check/maps.h"

static const struct tsw_flow_table no_table;

static const struct tsw_flow_table *table_of(const struct snapshot *s, __u32 tenant)
{
	return snapshot_get(s, MAP_FLOW_TABLES, &tenant) ?: (const void *)&no_table;
}

/* How many buckets TENANT's table has; adds to *STRAYS those outside of any table. */
static __u32 count_buckets(const struct snapshot *s, const struct rows *keys, __u32 tenant,
			   size_t *strays)
{
	__u32 n = 0;
	size_t i;

	for (i = 0; i < keys->n; i++) {
		const struct tsw_flow_bucket_key *key = row_key(keys, i);
		const bool has = key->bucket < table_of(s, key->tenant)->buckets;

		n += has && key->tenant == tenant;
		*strays += !has;
	}
	return n;
}

static void check_tenant(const struct snapshot *s, const struct rows *keys, __u32 id,
			 const struct tsw_tenant *tenant, json_t *problems)
{
	const struct tsw_flow_table *table = table_of(s, id);
	const bool on = tenant->flags & TSW_TENANT_FLOWS;
	size_t strays = 0;
	__u32 n;

	if (on != (table->buckets != 0))
		problem(problems, "flow_entry", tenant->name,
			on ? "its flows are to be counted, but it has no table for them"
			   : "its flows are not to be counted, but it has a table for them");
	if (!table->buckets)
		return;
	n = count_buckets(s, keys, id, &strays);
	if (n != table->buckets)
		problem(problems, "flow_entry", tenant->name,
			"its table has %u of its %u buckets in tsw_flow_cache", n, table->buckets);
}

int check_flows(const struct tsw *t, const struct snapshot *s, json_t *problems)
{
	const struct rows *tenants = &s->rows[MAP_TENANTS], *tables = &s->rows[MAP_FLOW_TABLES];
	cleanup_rows struct rows keys = {};
	size_t strays = 0, i;
	int err = map_row_keys(&t->maps, MAP_FLOW_CACHE, &keys);

	if (err)
		return err;
	for (i = 0; i < tenants->n; i++)
		check_tenant(s, &keys, *(const __u32 *)row_key(tenants, i), row_value(tenants, i),
			     problems);
	for (i = 0; i < tables->n; i++)
		if (!snapshot_get(s, MAP_TENANTS, row_key(tables, i)))
			problem(problems, "flow_entry",
				snapshot_tenant(s, *(const __u32 *)row_key(tables, i)),
				"a table of flows exists, but its tenant is gone");
	count_buckets(s, &keys, 0, &strays);
	if (strays)
		problem(problems, "flow_entry", "tsw_flow_cache",
			"%zu buckets belong to no tenant's table", strays);
	return 0;
}
