// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/ids.h"
#include "base/text.h"
#include "door/routed.h"
#include "object/gateway.h"
#include "object/flood_list.h"
#include "object/host.h"
#include "object/tenant.h"
#include "record/endpoint_find.h"
#include "record/share.h"
#include "switch/mend.h"
#include "switch/settle.h"

/* Objects of a kind have names that lead to them. */
struct kind {
	enum map objects, names;
	size_t name;	  /* where the object has its name */
	size_t endpoints; /* and the count of its endpoints */
};

static const struct kind tenants = {MAP_TENANTS, MAP_TENANT_IDS, offsetof(struct tsw_tenant, name),
				    offsetof(struct tsw_tenant, endpoints)};
static const struct kind hosts = {MAP_HOSTS, MAP_HOST_IDS, offsetof(struct tsw_host, name),
				  offsetof(struct tsw_host, endpoints)};

/* Has room for an object of either kind. */
union object {
	struct tsw_tenant tenant;
	struct tsw_host host;
};

/* Drops names that lead to no object of that name. */
static int drop_names(const struct tsw *t, const struct kind *kind)
{
	cleanup_rows struct rows rows = {};
	union object object;
	size_t i;
	int err = map_rows(&t->maps, kind->names, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		err = map_get_any(&t->maps, kind->objects, row_value(&rows, i), &object);
		if (err == -ENOENT ||
		    (!err && strcmp((char *)&object + kind->name, row_key(&rows, i))))
			err = map_del_any(&t->maps, kind->names, row_key(&rows, i));
	}
	return err;
}

/* Drops objects whose name does not lead to them. */
static int drop_nameless(const struct tsw *t, const struct kind *kind)
{
	cleanup_rows struct rows rows = {};
	__u32 id;
	size_t i;
	int err = map_rows(&t->maps, kind->objects, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const __u32 *own = row_key(&rows, i);
		const char *name = (const char *)row_value(&rows, i) + kind->name;

		err = map_get_any(&t->maps, kind->names, name, &id);
		if (!err && id == *own)
			continue;
		err = err && err != -ENOENT ? err : map_del_any(&t->maps, kind->objects, own);
		if (!err && kind == &tenants)
			err = tenant_drop_counters(t, *own);
	}
	return err;
}

static bool has_address(const struct tsw_host *host, const struct tsw_addr *addr)
{
	return addr_equal(&host->addr[addr_family(addr)], addr);
}

/* Drops tunnel addresses that lead to no host with that address; such frames must not enter. */
static int drop_vtep(void *context, const void *key, const void *value)
{
	const struct tsw *t = context;
	struct tsw_host host;
	int err = map_get(&t->maps, MAP_HOSTS, value, &host);

	if (err == -ENOENT || (!err && !has_address(&host, key)))
		err = map_del(&t->maps, MAP_VTEPS, key);
	return err;
}

/* Drops what is known of deleted hosts: their keys and MTUs. */
static int drop_of_hosts(const struct tsw *t, enum map map)
{
	cleanup_rows struct rows rows = {};
	struct tsw_host host;
	size_t i;
	int err = map_rows(&t->maps, map, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		err = map_get(&t->maps, MAP_HOSTS, row_key(&rows, i), &host);
		if (err == -ENOENT)
			err = map_del_any(&t->maps, map, row_key(&rows, i));
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
static int restore_tenant(void *context, const void *key, const void *value)
{
	(void)value;
	return restore_stats(context, MAP_STATS, key);
}

static int restore_host(void *context, const void *key, const void *value)
{
	int err = restore_vteps(context, value, key);

	return err ?: restore_stats(context, MAP_HOST_STATS, key);
}

/* Stores how many endpoints each object of a kind has. Sorts IDS, one for each endpoint. */
static int count_kind(const struct tsw *t, const struct kind *kind, __u32 *ids, size_t n)
{
	cleanup_rows struct rows rows = {};
	union object object;
	size_t i;
	int err = map_rows(&t->maps, kind->objects, &rows);

	qsort(ids, n, sizeof(*ids), ids_compare);
	for (i = 0; !err && i < rows.n; i++) {
		memcpy(&object, row_value(&rows, i), rows.value_size);
		*(__u32 *)((char *)&object + kind->endpoints) =
			(__u32)ids_count(ids, n, *(const __u32 *)row_key(&rows, i));
		err = map_put_any(&t->maps, kind->objects, row_key(&rows, i), &object);
	}
	return err;
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

	err = err ?: map_rows(&t->maps, MAP_GATEWAYS, &gateways);
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

/* Endpoints of a tenant are counted by their records, those of a host by their places. */
static int count_endpoints(const struct tsw *t)
{
	cleanup_rows struct rows endpoints = {}, fdb = {}, moves = {};
	__u32 *ids;
	size_t i;
	int err = map_rows(&t->maps, MAP_ENDPOINTS, &endpoints);

	err = err ?: map_rows(&t->maps, MAP_FDB, &fdb);
	err = err ?: map_rows(&t->maps, MAP_MOVES, &moves);
	if (err)
		return err;
	ids = calloc(endpoints.n + fdb.n + moves.n + 1, sizeof(*ids));
	if (!ids)
		return fail_memory();
	for (i = 0; i < endpoints.n; i++)
		ids[i] = ((const struct tsw_endpoint_key *)row_key(&endpoints, i))->tenant;
	err = count_kind(t, &tenants, ids, endpoints.n);
	err = err ?: count_kind(t, &hosts, ids, places_hosts(&fdb, &moves, ids));
	free(ids);
	return err;
}

static int count_rows(const struct tsw *t, enum map map, __u32 *count)
{
	size_t n;
	int err = map_count(&t->maps, map, &n);

	*count = (__u32)n;
	return err;
}

int settle_count(struct tsw *t)
{
	int err = count_rows(t, MAP_TENANTS, &t->totals.tenants);

	err = err ?: count_rows(t, MAP_HOSTS, &t->totals.hosts);
	err = err ?: count_rows(t, MAP_ENDPOINTS, &t->totals.endpoints);
	return err ?: count_rows(t, MAP_ADDRS, &t->totals.addrs);
}

static int settle_names(struct tsw *t)
{
	int err = drop_names(t, &tenants);

	err = err ?: drop_nameless(t, &tenants);
	err = err ?: drop_names(t, &hosts);
	err = err ?: drop_nameless(t, &hosts);
	err = err ?: map_walk(&t->maps, MAP_VTEPS, drop_vtep, t);
	err = err ?: drop_of_hosts(t, MAP_HOST_KEYS);
	err = err ?: drop_of_hosts(t, MAP_HOST_MTUS);
	err = err ?: map_walk(&t->maps, MAP_TENANTS, restore_tenant, t);
	return err ?: map_walk(&t->maps, MAP_HOSTS, restore_host, t);
}

int settle(struct tsw *t)
{
	int err;

	t->counted_tenant.id = t->counted_host.id = 0; /* they are counted again */
	t->ids_taken = 0;
	err = settle_names(t);
	err = err ?: hosts_settle(t);
	err = err ?: gateways_settle(t);
	err = err ?: mend(t);
	/* An error here, such as another route of the host, must not stop the command. */
	if (!err && routed_mend(t))
		detail(&t->log, "%s", failure()->text);
	err = err ?: flood_lists_rebuild(t);
	err = err ?: count_endpoints(t);
	err = err ?: settle_shares(t);
	return err ?: settle_count(t);
}

/* Restores lost names. Half-made objects of killed commands are gone by now. */
static int restore_names(const struct tsw *t, const struct kind *kind)
{
	cleanup_rows struct rows rows = {};
	const char *name;
	__u32 id;
	size_t i;
	int err = map_rows(&t->maps, kind->objects, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		name = (const char *)row_value(&rows, i) + kind->name;
		err = map_get_any(&t->maps, kind->names, name, &id);
		if (err == -ENOENT)
			err = map_put_any(&t->maps, kind->names, name, row_key(&rows, i));
	}
	return err;
}

int settle_restore(struct tsw *t)
{
	int err = restore_names(t, &tenants);

	err = err ?: restore_names(t, &hosts);
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
