// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/err.h"
#include "base/ids.h"
#include "base/problem.h"
#include "check/maps.h"
#include "record/endpoint_find.h"
#include "record/share.h"
#include "store/pins.h"

enum { FULL_PERCENT = 90 };

static void check_tenants(const struct snapshot *s, __u32 *ids, json_t *problems)
{
	const struct rows *tenants = &s->rows[MAP_TENANTS], *endpoints = &s->rows[MAP_ENDPOINTS];
	size_t n, i;

	for (i = 0; i < endpoints->n; i++)
		ids[i] = ((const struct tsw_endpoint_key *)row_key(endpoints, i))->tenant;
	qsort(ids, endpoints->n, sizeof(*ids), ids_compare);
	for (i = 0; i < tenants->n; i++) {
		const struct tsw_tenant *tenant = row_value(tenants, i);

		n = ids_count(ids, endpoints->n, *(const __u32 *)row_key(tenants, i));
		if (n != tenant->endpoints)
			problem(problems, "count", tenant->name,
				"the tenant has %zu endpoints and %u are counted", n,
				tenant->endpoints);
	}
}

/* Warns when most of a tenant's share of endpoints or addresses is taken. */
static void check_part(const struct tsw_tenant *tenant, const char *what, size_t have, __u64 most,
		       json_t *warnings)
{
	if (have * 100 >= most * FULL_PERCENT)
		problem(warnings, "nearly_full", tenant->name,
			"it has %zu of the %llu %s of its share, see max-endpoints", have, most,
			what);
}

static int check_shares(const struct tsw *t, const struct snapshot *s, json_t *problems,
			json_t *warnings)
{
	static const struct tsw_share none;
	const struct rows *tenants = &s->rows[MAP_TENANTS], *addrs = &s->rows[MAP_ADDRS];
	/* An interrupted upgrade has yet to count them. */
	const bool counted = !pins_has(t->instance, PINS_NEXT);
	__u32 *ids = calloc(addrs->n + 1, sizeof(*ids));
	size_t n, i, have;
	int err = ids ? share_holders(addrs, &s->rows[MAP_GATEWAYS], ids, &n) : fail_memory();

	if (!err)
		qsort(ids, n, sizeof(*ids), ids_compare);
	for (i = 0; !err && i < tenants->n; i++) {
		const struct tsw_tenant *tenant = row_value(tenants, i);
		const __u32 *id = row_key(tenants, i);
		const struct tsw_share *share = snapshot_get(s, MAP_SHARES, id) ?: (void *)&none;
		const __u32 most = share_endpoints(&t->config, share->endpoints);

		have = ids_count(ids, n, *id);
		if (counted && have != share->addrs)
			problem(problems, "count", tenant->name,
				"its endpoints have %zu addresses and %u are counted", have,
				share->addrs);
		if (most >= t->config.max_endpoints)
			continue; /* the share is all of the switch, which is checked below */
		check_part(tenant, "endpoints", tenant->endpoints, most, warnings);
		check_part(tenant, "addresses", have, share_addrs(&t->config, most), warnings);
	}
	free(ids);
	return err;
}

static void check_hosts(const struct snapshot *s, __u32 *ids, json_t *problems)
{
	const struct rows *hosts = &s->rows[MAP_HOSTS];
	const size_t n = places_hosts(&s->rows[MAP_FDB], &s->rows[MAP_MOVES], ids);
	size_t i, have;

	qsort(ids, n, sizeof(*ids), ids_compare);
	for (i = 0; i < hosts->n; i++) {
		const struct tsw_host *host = row_value(hosts, i);

		have = ids_count(ids, n, *(const __u32 *)row_key(hosts, i));
		if (have != host->endpoints)
			problem(problems, "count", host->name,
				"the host has %zu endpoints and %u are counted", have,
				host->endpoints);
	}
}

/* How many objects exist, how many are counted, and how many fit. */
struct count {
	const char *object;
	size_t have;
	__u32 counted;
	__u32 room;
};

static void check_count(const struct count *c, json_t *problems, json_t *warnings)
{
	if (c->have != c->counted)
		problem(problems, "count", c->object, "there are %zu and %u are counted", c->have,
			c->counted);
	if (c->have * 100 >= (size_t)c->room * FULL_PERCENT)
		problem(warnings, "nearly_full", c->object, "%zu of %u are taken", c->have,
			c->room);
}

int check_counts(const struct tsw *t, const struct snapshot *s, json_t *problems, json_t *warnings)
{
	const struct tsw_totals *totals = &t->totals;
	struct map_usage drops;
	size_t n_drops = 0, i;
	const struct count all[] = {
		{"tenants", s->rows[MAP_TENANTS].n, totals->tenants, t->config.max_tenants},
		{"hosts", s->rows[MAP_HOSTS].n, totals->hosts, TSW_MAX_HOSTS},
		{"endpoints", s->rows[MAP_ENDPOINTS].n, totals->endpoints, t->config.max_endpoints},
		{"addresses", s->rows[MAP_ADDRS].n, totals->addrs,
		 maps_addrs(t->config.max_tenants, t->config.max_endpoints)},
		{"indexes", s->rows[MAP_MARKS].n, totals->indexes, TSW_GATEWAY_MAX},
	};
	__u32 *ids =
		calloc(s->rows[MAP_ENDPOINTS].n + s->rows[MAP_FDB].n + s->rows[MAP_MOVES].n + 1,
		       sizeof(*ids));
	int err;

	if (!ids)
		return fail_memory();
	check_tenants(s, ids, problems);
	check_hosts(s, ids, problems);
	free(ids);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		check_count(&all[i], problems, warnings);
	err = check_shares(t, s, problems, warnings);
	err = err ?: map_count(&t->maps, MAP_DROPS, &n_drops);
	err = err ?: map_usage(&t->maps, MAP_DROPS, &drops);
	if (!err)
		check_count(&(struct count){"drops", n_drops, (__u32)n_drops, drops.capacity},
			    problems, warnings);
	return err;
}
