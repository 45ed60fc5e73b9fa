// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lookup.h"
#include "record/gateway_find.h"
#include "record/peer_pair.h"
#include "record/prefix_find.h"
#include "tools/graph/dot.h"
#include "tools/graph/read.h"

/*
 * If a tenant has more than GROUP_MOST endpoints on a host, they become one node. If there are more
 * than MANY in all, each tenant has at most one node on a host.
 */
enum { GROUP_MOST = 20, MANY = 300 };

static size_t index_of(const struct graph *g, const struct tenant_row *row)
{
	return (size_t)(row - g->tenants.row);
}

static int read_tenants(const struct tsw *t, struct graph *g)
{
	unsigned char *slot;
	__u32 *ids;
	size_t i;
	int err = tenants_read(t, &g->tenants);

	if (err)
		return err;
	g->shown = calloc(g->tenants.n + 1, sizeof(*g->shown));
	g->colour = calloc(g->tenants.n + 1, sizeof(*g->colour));
	slot = calloc(g->tenants.n + 1, sizeof(*slot));
	ids = calloc(g->tenants.n + 1, sizeof(*ids));
	if (g->shown && g->colour && slot && ids) {
		for (i = 0; i < g->tenants.n; i++)
			ids[i] = g->tenants.row[g->tenants.by_id[i]].id;
		dot_colours(ids, g->tenants.n, slot);
		for (i = 0; i < g->tenants.n; i++)
			g->colour[g->tenants.by_id[i]] = slot[i];
	} else {
		err = fail_memory();
	}
	free(slot);
	free(ids);
	return err;
}

static void show(struct graph *g, __u32 tenant)
{
	const struct tenant_row *row = tenants_row(&g->tenants, tenant);

	if (row)
		g->shown[index_of(g, row)] = true;
}

static int read_peer(const struct tsw *t, const struct tsw_peer_key *key, struct graph *g)
{
	struct graph_peer *to = &g->peer[g->n_peers];
	struct pair pair;
	int err = pair_load(t, key->of, key->with, &pair);

	if (err || !tenants_row(&g->tenants, key->of) || !tenants_row(&g->tenants, key->with))
		return err;
	*to = (struct graph_peer){.key = *key};
	to->open = pair.side[0].there && pair.side[1].there &&
		   peer_common(&pair, &to->proto, &to->port);
	show(g, key->of);
	show(g, key->with);
	g->n_peers++;
	return 0;
}

/* Of the peers of a single TENANT only their names are shown. */
static int choose_tenants(const struct tsw *t, __u32 tenant, struct graph *g)
{
	struct tsw_peer_key *keys = NULL;
	size_t n = 0, i;
	int err = peer_list(t, tenant, &keys, &n);

	for (i = 0; i < g->tenants.n; i++)
		g->shown[i] = !tenant || g->tenants.row[i].id == tenant;
	g->peer = calloc(n + 1, sizeof(*g->peer));
	if (!err && !g->peer)
		err = fail_memory();
	for (i = 0; !err && i < n; i++)
		err = read_peer(t, &keys[i], g);
	free(keys);
	return err;
}

size_t graph_place(const struct graph *g, __u32 id)
{
	const struct host_row *row = hosts_row(&g->hosts, id);

	if (!id)
		return GRAPH_HERE;
	return row ? (size_t)(row - g->hosts.row) + 1 : g->hosts.n + 1;
}

static size_t place_of(const struct graph *g, const struct rows *fdb, const struct lookup *in,
		       const struct tsw_fdb_key *key)
{
	const size_t found = lookup_find(in, key);
	const struct tsw_fdb *at = found == LOOKUP_NONE ? NULL : row_value(fdb, found);

	if (!at || !at->id)
		return g->hosts.n + 1;
	return at->place == TSW_PLACE_HOST ? graph_place(g, at->id) : GRAPH_HERE;
}

static int compare_endpoints(const void *a, const void *b)
{
	const struct graph_endpoint *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	return strcmp(x->name.s, y->name.s);
}

static bool is_group(const struct graph_endpoint *a, const struct graph_endpoint *b)
{
	return a->place == b->place && a->tenant == b->tenant;
}

static void group_endpoints(struct graph *g)
{
	const size_t most = g->n_endpoints > MANY ? 1 : GROUP_MOST;
	size_t first, end, i;

	for (first = 0; first < g->n_endpoints; first = end) {
		for (end = first; end < g->n_endpoints; end++)
			if (!is_group(&g->endpoint[first], &g->endpoint[end]))
				break;
		for (i = first; i < end; i++) {
			g->endpoint[i].group = end - first > most ? first : i;
			g->endpoint[g->endpoint[i].group].n++;
		}
	}
}

/* TENANT: only its endpoints; 0: all. */
static int collect(const struct rows *rows, __u32 tenant, const struct rows *fdb,
		   const struct lookup *in, struct graph *g)
{
	size_t i;

	g->endpoint = calloc(rows->n + 1, sizeof(*g->endpoint));
	if (!g->endpoint)
		return fail_memory();
	for (i = 0; i < rows->n; i++) {
		const struct tsw_endpoint_key *key = row_key(rows, i);
		const struct tsw_endpoint *record = row_value(rows, i);
		const struct tsw_fdb_key at = {.tenant = key->tenant, .mac = record->mac};
		const struct tenant_row *row = tenants_row(&g->tenants, key->tenant);

		if (!row || (tenant && key->tenant != tenant))
			continue;
		g->endpoint[g->n_endpoints++] =
			(struct graph_endpoint){.place = place_of(g, fdb, in, &at),
						.tenant = index_of(g, row),
						.name = key->name,
						.key = at,
						.first = record->first};
	}
	qsort(g->endpoint, g->n_endpoints, sizeof(*g->endpoint), compare_endpoints);
	group_endpoints(g);
	return 0;
}

static int read_endpoints(const struct tsw *t, __u32 tenant, struct graph *g)
{
	cleanup_rows struct rows rows = {}, fdb = {};
	struct lookup in = {};
	int err = map_rows(&t->maps, MAP_ENDPOINTS, &rows);

	err = err ?: map_rows(&t->maps, MAP_FDB, &fdb);
	err = err ?: lookup_make(&in, fdb.keys, fdb.n, fdb.key_size, fdb.key_size);
	err = err ?: collect(&rows, tenant, &fdb, &in, g);
	lookup_free(&in);
	return err;
}

/* Reads the groups of endpoints that have a node of their own. */
static int read_members(const struct tsw *t, __u32 tenant, struct graph *g)
{
	size_t i;
	int err = policy_groups_read(t, tenant, &g->groups);

	for (i = 0; !err && g->groups.n && i < g->n_endpoints; i++) {
		struct graph_endpoint *ep = &g->endpoint[i];

		if (ep->n == 1)
			err = policy_member_load(t, ep->key.tenant, &ep->key.mac, &ep->member);
	}
	return err;
}

static int compare_gateways(const void *a, const void *b)
{
	const struct graph_gateway *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->tenant < y->tenant ? -1 : x->tenant > y->tenant;
}

static int read_gateways(const struct tsw *t, __u32 tenant, struct graph *g)
{
	cleanup_rows struct rows rows = {};
	struct graph_gateway *to;
	size_t i;
	int err = map_rows(&t->maps, MAP_GATEWAYS, &rows);

	if (err)
		return err;
	g->gateway = calloc(rows.n + 1, sizeof(*g->gateway));
	if (!g->gateway)
		return fail_memory();
	for (i = 0; i < rows.n; i++) {
		const __u32 *id = row_key(&rows, i);
		const struct tenant_row *row = tenants_row(&g->tenants, *id);

		if (!row || (tenant && *id != tenant))
			continue;
		to = &g->gateway[g->n_gateways++];
		memcpy(&to->gw, row_value(&rows, i), sizeof(to->gw));
		to->tenant = index_of(g, row);
		to->place = graph_place(g, to->gw.host);
	}
	qsort(g->gateway, g->n_gateways, sizeof(*g->gateway), compare_gateways);
	return 0;
}

static size_t find_owner(const struct tsw *t, const struct graph *g, const struct lookup *owners,
			 const struct tsw_publish *to)
{
	const struct tsw_addr_key at = {.tenant = to->tenant, .addr = to->addr};
	struct tsw_fdb_key key = {.tenant = to->tenant};
	size_t found;

	if (addr_owner(t, &at, &key.mac))
		return GRAPH_NONE;
	found = lookup_find(owners, &key);
	return found == LOOKUP_NONE ? GRAPH_NONE : g->endpoint[found].group;
}

static void add_publish(const struct tsw *t, const struct publish *p, const struct lookup *owners,
			struct graph *g)
{
	const struct tenant_row *row = tenants_row(&g->tenants, p->to.tenant);
	struct tsw_gateway gw;

	if (!row)
		return;
	g->publish[g->n_publish++] = (struct graph_publish){
		.p = *p,
		.tenant = index_of(g, row),
		.active = !gateway_get(t, p->to.tenant, &gw) && publish_is_active(&gw, &p->to),
		.endpoint = find_owner(t, g, owners, &p->to)};
}

static int read_publish(const struct tsw *t, __u32 tenant, struct graph *g)
{
	struct lookup owners = {};
	struct publish *all = NULL;
	size_t n = 0, i;
	int err = publish_list(t, tenant, &all, &n);

	g->publish = calloc(n + 1, sizeof(*g->publish));
	if (!err && !g->publish)
		err = fail_memory();
	err = err
		      ?: lookup_make(&owners, &g->endpoint->key, g->n_endpoints,
				     sizeof(*g->endpoint), sizeof(g->endpoint->key));
	for (i = 0; !err && i < n; i++)
		add_publish(t, &all[i], &owners, g);
	free(all);
	lookup_free(&owners);
	return err;
}

int graph_read(const struct tsw *t, __u32 tenant, struct graph *g)
{
	int err = read_tenants(t, g);

	g->whole = !tenant;
	err = err ?: choose_tenants(t, tenant, g);
	err = err ?: hosts_read(t, &g->hosts);
	err = err ?: read_endpoints(t, tenant, g);
	err = err ?: read_members(t, tenant, g);
	err = err ?: read_gateways(t, tenant, g);
	return err ?: read_publish(t, tenant, g);
}

void graph_free(struct graph *g)
{
	tenants_free(&g->tenants);
	hosts_free(&g->hosts);
	policy_groups_free(&g->groups);
	free(g->shown);
	free(g->colour);
	free(g->endpoint);
	free(g->gateway);
	free(g->peer);
	free(g->publish);
}
