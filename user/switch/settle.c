// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/ids.h"
#include "base/text.h"
#include "object/gateway.h"
#include "object/group.h"
#include "object/tenant.h"
#include "record/endpoint_find.h"
#include "record/share.h"
#include "switch/mend.h"
#include "switch/settle.h"

/* Drops names that lead to no object of that name. OFFSET is where the object has its name. */
static int drop_names(const struct tsw *t, enum map names, enum map objects, size_t offset)
{
	cleanup_rows struct rows rows = {};
	struct tsw_host room; /* the larger of both kinds */
	size_t i;
	int err = map_rows(&t->maps, names, &rows);

	_Static_assert(sizeof(struct tsw_host) >= sizeof(struct tsw_tenant), "room");
	for (i = 0; !err && i < rows.n; i++) {
		err = map_get_any(&t->maps, objects, row_value(&rows, i), &room);
		if (err == -ENOENT || (!err && strcmp((char *)&room + offset, row_key(&rows, i))))
			err = map_del_any(&t->maps, names, row_key(&rows, i));
	}
	return err;
}

/* Drops objects whose name does not lead to them. */
static int drop_nameless(const struct tsw *t, enum map objects, enum map names, size_t offset)
{
	cleanup_rows struct rows rows = {};
	__u32 id;
	size_t i;
	int err = map_rows(&t->maps, objects, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const __u32 *own = row_key(&rows, i);

		err = map_get_any(&t->maps, names, (const char *)row_value(&rows, i) + offset, &id);
		if (!err && id == *own)
			continue;
		err = err && err != -ENOENT ? err : map_del_any(&t->maps, objects, own);
		if (!err && objects == MAP_TENANTS)
			err = tenant_drop_counters(t, *own);
	}
	return err;
}

static bool has_address(const struct tsw_host *host, const struct tsw_addr *addr)
{
	return addr_equal(&host->addr[addr_family(addr)], addr);
}

/* Drops tunnel addresses that lead to no host with that address; such frames must not enter. */
static int drop_vteps(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	struct tsw_host host;
	size_t i;
	int err = map_rows(&t->maps, MAP_VTEPS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		err = map_get(&t->maps, MAP_HOSTS, row_value(&rows, i), &host);
		if (err == -ENOENT || (!err && !has_address(&host, row_key(&rows, i))))
			err = map_del(&t->maps, MAP_VTEPS, row_key(&rows, i));
	}
	return err;
}

/* Drops the keys of deleted hosts. */
static int drop_keys(const struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	struct tsw_host host;
	size_t i;
	int err = map_rows(&t->maps, MAP_HOST_KEYS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		err = map_get(&t->maps, MAP_HOSTS, row_key(&rows, i), &host);
		if (err == -ENOENT)
			err = map_del_any(&t->maps, MAP_HOST_KEYS, row_key(&rows, i));
	}
	return err;
}

static int restore_stats(const struct tsw *t, enum map stats, const void *id)
{
	union {
		struct tsw_tenant_stats tenant;
		struct tsw_host_stats host;
	} unused;
	int err = map_sum_any(&t->maps, stats, id, &unused);

	return err == -ENOENT ? map_zero_any(&t->maps, stats, id) : err;
}

static int restore_vteps(const struct tsw *t, const struct tsw_host *host, const void *id)
{
	int err = 0, family;

	for (family = 0; !err && family < TSW_FAMILIES; family++)
		if (!addr_is_none(&host->addr[family]))
			err = map_put(&t->maps, MAP_VTEPS, &host->addr[family], id);
	return err;
}

/* Restores parts that a killed `del` had removed. The object is whole again and can be deleted. */
static int restore_parts(const struct tsw *t)
{
	cleanup_rows struct rows tenants = {}, hosts = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_TENANTS, &tenants);

	for (i = 0; !err && i < tenants.n; i++)
		err = restore_stats(t, MAP_STATS, row_key(&tenants, i));
	if (!err)
		err = map_rows(&t->maps, MAP_HOSTS, &hosts);
	for (i = 0; !err && i < hosts.n; i++) {
		err = restore_vteps(t, row_value(&hosts, i), row_key(&hosts, i));
		if (!err)
			err = restore_stats(t, MAP_HOST_STATS, row_key(&hosts, i));
	}
	return err;
}

/* Endpoints of a tenant are counted by their records, those of a host by their places. */
static int count_tenants(const struct tsw *t, const __u32 *ids, size_t n)
{
	cleanup_rows struct rows rows = {};
	struct tsw_tenant tenant;
	size_t i;
	int err = map_rows(&t->maps, MAP_TENANTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		memcpy(&tenant, row_value(&rows, i), sizeof(tenant));
		tenant.endpoints = (__u32)ids_count(ids, n, *(const __u32 *)row_key(&rows, i));
		err = map_put(&t->maps, MAP_TENANTS, row_key(&rows, i), &tenant);
	}
	return err;
}

static int count_hosts(const struct tsw *t, const __u32 *ids, size_t n)
{
	cleanup_rows struct rows rows = {};
	struct tsw_host host;
	size_t i;
	int err = map_rows(&t->maps, MAP_HOSTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		memcpy(&host, row_value(&rows, i), sizeof(host));
		host.endpoints = (__u32)ids_count(ids, n, *(const __u32 *)row_key(&rows, i));
		err = map_put(&t->maps, MAP_HOSTS, row_key(&rows, i), &host);
	}
	return err;
}

static size_t tenants_of(const struct rows *endpoints, __u32 *ids)
{
	size_t i;

	for (i = 0; i < endpoints->n; i++)
		ids[i] = ((const struct tsw_endpoint_key *)row_key(endpoints, i))->tenant;
	qsort(ids, i, sizeof(*ids), ids_compare);
	return i;
}

static size_t hosts_of(const struct rows *fdb, const struct rows *moves, __u32 *ids)
{
	const size_t n = places_hosts(fdb, moves, ids);

	qsort(ids, n, sizeof(*ids), ids_compare);
	return n;
}

/* Stores how many addresses each tenant's endpoints have. */
static int count_shares(const struct tsw *t, const __u32 *ids, size_t n)
{
	cleanup_rows struct rows rows = {};
	struct tsw_share share;
	__u32 addrs;
	size_t i;
	int err = map_row_keys(&t->maps, MAP_TENANTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const __u32 *id = row_key(&rows, i);

		err = share_load(t, *id, &share);
		addrs = (__u32)ids_count(ids, n, *id);
		if (err || share.addrs == addrs)
			continue;
		share.addrs = addrs;
		err = share_store(t, *id, &share);
	}
	return err;
}

int settle_shares(const struct tsw *t)
{
	cleanup_rows struct rows addrs = {}, gateways = {};
	__u32 *ids;
	size_t n;
	int err = map_rows(&t->maps, MAP_ADDRS, &addrs);

	if (!err)
		err = map_rows(&t->maps, MAP_GATEWAYS, &gateways);
	if (err)
		return err;
	ids = calloc(addrs.n + 1, sizeof(*ids));
	err = ids ? share_holders(&addrs, &gateways, ids, &n) : fail_memory();
	if (!err) {
		qsort(ids, n, sizeof(*ids), ids_compare);
		err = count_shares(t, ids, n);
	}
	free(ids);
	return err;
}

static int count_endpoints(const struct tsw *t)
{
	cleanup_rows struct rows endpoints = {}, fdb = {}, moves = {};
	__u32 *ids;
	int err = map_rows(&t->maps, MAP_ENDPOINTS, &endpoints);

	if (!err)
		err = map_rows(&t->maps, MAP_FDB, &fdb);
	if (!err)
		err = map_rows(&t->maps, MAP_MOVES, &moves);
	if (err)
		return err;
	ids = calloc(endpoints.n + fdb.n + moves.n + 1, sizeof(*ids));
	if (!ids)
		return fail_memory();
	err = count_tenants(t, ids, tenants_of(&endpoints, ids));
	if (!err)
		err = count_hosts(t, ids, hosts_of(&fdb, &moves, ids));
	free(ids);
	return err;
}

static int count_rows(const struct tsw *t, enum map map, __u32 *count)
{
	cleanup_rows struct rows rows = {};
	int err = map_rows(&t->maps, map, &rows);

	*count = (__u32)rows.n;
	return err;
}

int settle_count(struct tsw *t)
{
	int err = count_rows(t, MAP_TENANTS, &t->totals.tenants);

	if (!err)
		err = count_rows(t, MAP_HOSTS, &t->totals.hosts);
	if (!err)
		err = count_rows(t, MAP_ENDPOINTS, &t->totals.endpoints);
	return err ?: count_rows(t, MAP_ADDRS, &t->totals.addrs);
}

static int settle_names(struct tsw *t)
{
	const size_t tenant = offsetof(struct tsw_tenant, name);
	const size_t host = offsetof(struct tsw_host, name);
	int err = drop_names(t, MAP_TENANT_IDS, MAP_TENANTS, tenant);

	if (!err)
		err = drop_nameless(t, MAP_TENANTS, MAP_TENANT_IDS, tenant);
	if (!err)
		err = drop_names(t, MAP_HOST_IDS, MAP_HOSTS, host);
	if (!err)
		err = drop_nameless(t, MAP_HOSTS, MAP_HOST_IDS, host);
	if (!err)
		err = drop_vteps(t);
	if (!err)
		err = drop_keys(t);
	return err ?: restore_parts(t);
}

int settle(struct tsw *t)
{
	int err;

	t->counted_tenant.id = t->counted_host.id = 0; /* they are counted again */
	t->ids_taken = 0;
	err = settle_names(t);
	if (!err)
		err = gateways_settle(t);
	if (!err)
		err = mend(t);
	if (!err)
		err = groups_rebuild(t);
	if (!err)
		err = count_endpoints(t);
	if (!err)
		err = settle_shares(t);
	return err ?: settle_count(t);
}

/* Restores lost names. Half-made objects of killed commands are gone by now. */
static int restore_names(const struct tsw *t, enum map names, enum map objects, size_t offset)
{
	cleanup_rows struct rows rows = {};
	const char *name;
	__u32 id;
	size_t i;
	int err = map_rows(&t->maps, objects, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		name = (const char *)row_value(&rows, i) + offset;
		err = map_get_any(&t->maps, names, name, &id);
		if (err == -ENOENT)
			err = map_put_any(&t->maps, names, name, row_key(&rows, i));
	}
	return err;
}

int settle_restore(struct tsw *t)
{
	int err = restore_names(t, MAP_TENANT_IDS, MAP_TENANTS, offsetof(struct tsw_tenant, name));

	if (!err)
		err = restore_names(t, MAP_HOST_IDS, MAP_HOSTS, offsetof(struct tsw_host, name));
	return err ?: settle(t);
}

void settle_torn(struct tsw *t)
{
	struct failure why;

	if (!t->torn)
		return;
	why = *failure();
	t->torn = settle(t) != 0;
	fail_again(&why);
}
