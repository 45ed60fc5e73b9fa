// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "base/err.h"
#include "object/flow_mode.h"
#include "object/port_flags.h"
#include "record/flow_list.h"
#include "store/attach.h"

/* ---- buckets ---------------------------------------------------------------------- */

/* Makes the buckets that do not exist yet. */
static int make_buckets(const struct tsw *t, __u32 tenant, __u32 n)
{
	const struct tsw_flow_bucket empty = {.tenant = tenant};
	struct tsw_flow_bucket_key key = {.tenant = tenant};
	struct tsw_flow_bucket old;
	int err = 0;

	for (; !err && key.bucket < n; key.bucket++) {
		err = map_get(&t->maps, MAP_FLOW_CACHE, &key, &old);
		if (err == -ENOENT)
			err = map_put(&t->maps, MAP_FLOW_CACHE, &key, &empty);
	}
	return err;
}

/*
 * Waits until no program uses the buckets: the memory of a deleted bucket can be another tenant's
 * at once.
 */
static int drop_buckets(const struct tsw *t, __u32 tenant, __u32 n)
{
	struct tsw_flow_bucket_key key = {.tenant = tenant};
	int err = 0;

	if (n)
		wait_for_programs();
	for (; !err && key.bucket < n; key.bucket++)
		err = map_del(&t->maps, MAP_FLOW_CACHE, &key);
	return err;
}

/* The table keeps the number of entries that was asked for, but has no buckets. */
static int close_table(const struct tsw *t, __u32 tenant, struct tsw_flow_table table)
{
	const __u32 n = table.buckets;
	int err = 0;

	if (n) {
		table.buckets = 0;
		err = map_put(&t->maps, MAP_FLOW_TABLES, &tenant, &table);
	}
	return err ?: drop_buckets(t, tenant, n);
}

/* Makes the buckets first, so that a program that finds the table finds them too. */
static int open_table(const struct tsw *t, __u32 tenant, __u32 entries)
{
	const struct tsw_flow_table table = {.entries = entries, .buckets = flow_buckets(entries)};
	int err = make_buckets(t, tenant, table.buckets);

	return err ?: map_put(&t->maps, MAP_FLOW_TABLES, &tenant, &table);
}

/* ---- on and off ------------------------------------------------------------------- */

static __u32 wanted_buckets(const struct tsw_tenant_spec *spec)
{
	return spec->flows ? flow_buckets(spec->flow_entries) : 0;
}

int flows_check(const struct tsw *t, const struct tsw_tenant_spec *spec)
{
	cleanup_rows struct rows rows = {};
	__u64 taken = 0;
	size_t i;
	int err;

	if (!spec->flows)
		return 0;
	err = map_rows(&t->maps, MAP_FLOW_TABLES, &rows);
	for (i = 0; !err && i < rows.n; i++)
		if (*(const __u32 *)row_key(&rows, i) != spec->id)
			taken += ((const struct tsw_flow_table *)row_value(&rows, i))->buckets;
	if (err || taken + wanted_buckets(spec) <= TSW_FLOW_BUCKETS)
		return err;
	return fail(ENOSPC,
		    "there is room for %llu more flows, and the tenant needs %u: set flow-entries "
		    "of this or of other tenants",
		    (TSW_FLOW_BUCKETS - taken) * TSW_FLOW_BUCKET,
		    wanted_buckets(spec) * TSW_FLOW_BUCKET);
}

/* While a tenant's flows are not counted, its table has no buckets, but the size asked for. */
static int put_closed(const struct tsw *t, const struct tsw_tenant_spec *spec,
		      const struct tsw_flow_table *old)
{
	const struct tsw_flow_table closed = {.entries = spec->flow_entries};

	if (old->entries == closed.entries && !old->buckets)
		return 0;
	return closed.entries ? map_put(&t->maps, MAP_FLOW_TABLES, &spec->id, &closed)
			      : map_del(&t->maps, MAP_FLOW_TABLES, &spec->id);
}

/*
 * Makes the table before the flag makes programs look at it, and clears the flag before the table
 * goes. The size decides in which bucket a flow is, so a table of another size begins empty.
 */
int flows_begin(const struct tsw *t, const struct tsw_tenant_spec *spec, __u32 flags)
{
	struct tsw_flow_table table;
	int err = flow_table_load(t, spec->id, &table);

	if (err)
		return err;
	if (!spec->flows)
		return flags & TSW_TENANT_FLOWS ? port_flags_put(t, spec->id, TSW_PORT_FLOWS, false)
						: put_closed(t, spec, &table);
	if (table.buckets == wanted_buckets(spec) && table.entries == spec->flow_entries)
		return 0;
	err = close_table(t, spec->id, table);
	return err ?: open_table(t, spec->id, spec->flow_entries);
}

int flows_end(const struct tsw *t, const struct tsw_tenant_spec *spec)
{
	struct tsw_flow_table table;
	int err;

	if (spec->flows)
		return port_flags_put(t, spec->id, TSW_PORT_FLOWS, true);
	err = flow_table_load(t, spec->id, &table);
	err = err ?: close_table(t, spec->id, table);
	return err ?: put_closed(t, spec, &table);
}

int flows_purge(const struct tsw *t, __u32 tenant)
{
	struct tsw_flow_table table;
	int err = flow_table_load(t, tenant, &table);

	err = err ?: close_table(t, tenant, table);
	return err ?: map_del(&t->maps, MAP_FLOW_TABLES, &tenant);
}

/* ---- after a kill ----------------------------------------------------------------- */

/* Removes tables without a tenant, and closes those of tenants whose flows are not counted. */
static int settle_tables(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	struct tsw_tenant tenant;
	size_t i;
	int err = map_rows(&t->maps, MAP_FLOW_TABLES, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const __u32 *id = row_key(&rows, i);
		const struct tsw_flow_table *table = row_value(&rows, i);

		err = map_get(&t->maps, MAP_TENANTS, id, &tenant);
		if (err == -ENOENT)
			err = flows_purge(t, *id);
		else if (!err && !(tenant.flags & TSW_TENANT_FLOWS))
			err = close_table(t, *id, *table);
	}
	return err;
}

/* Makes what is missing of the table of each tenant with `flows on`. */
static int settle_tenants(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	struct tsw_flow_table table;
	size_t i;
	int err = map_rows(&t->maps, MAP_TENANTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const __u32 *id = row_key(&rows, i);

		if (!(((const struct tsw_tenant *)row_value(&rows, i))->flags & TSW_TENANT_FLOWS))
			continue;
		err = flow_table_load(t, *id, &table);
		if (!err && table.buckets)
			err = make_buckets(t, *id, table.buckets);
		else if (!err)
			err = open_table(t, *id, table.entries);
	}
	return err;
}

/* Deletes buckets that belong to no table. */
static int drop_strays(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	struct tsw_flow_table table = {};
	__u32 tenant = 0;
	size_t i;
	int err = map_row_keys(&t->maps, MAP_FLOW_CACHE, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_flow_bucket_key *key = row_key(&rows, i);

		if (!i || key->tenant != tenant)
			err = flow_table_load(t, key->tenant, &table);
		tenant = key->tenant;
		if (!err && key->bucket >= table.buckets)
			err = map_del(&t->maps, MAP_FLOW_CACHE, key);
	}
	return err;
}

int flows_settle(const struct tsw *t)
{
	int err = settle_tables(t);

	err = err ?: drop_strays(t);
	return err ?: settle_tenants(t);
}
