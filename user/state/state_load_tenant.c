// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/list.h"
#include "record/gateway_find.h"
#include "state/state_load_tenant.h"

/* Who is to serve it: who does may be found out, and is no part of a state. */
static void load_hosts(const struct tsw_gateway *its, const __u32 *where, struct state_gateway *gw)
{
	__u32 i, host;

	gw->host = STATE_NONE;
	for (i = 0; i < its->n_ranks && i < TSW_GATEWAY_RANKS; i++) {
		host = its->rank[i] <= TSW_MAX_HOSTS ? where[its->rank[i]] : STATE_NONE;
		if (!i)
			gw->host = host;
		else if (host != STATE_NONE)
			gw->backup[gw->n_backups++] = host;
	}
}

static void load_gateway(const struct tsw_gateway *its, const __u32 *where,
			 struct state_tenant *tenant)
{
	struct state_gateway *gw = &tenant->gateway;

	tenant->has_gateway = true;
	gateway_to_spec(its, &gw->spec);
	gw->pending = its->flags & TSW_GATEWAY_PENDING;
	load_hosts(its, where, gw);
}

int state_load_gateways(const struct tsw *t, const struct lookup *tenants, const __u32 *where,
			struct state *s)
{
	cleanup_rows struct rows rows = {};
	size_t i, tenant;
	int err = map_rows(&t->maps, MAP_GATEWAYS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		tenant = lookup_find(tenants, row_key(&rows, i));
		if (tenant != LOOKUP_NONE)
			load_gateway(row_value(&rows, i), where, &s->tenant[tenant]);
	}
	return err;
}

int state_load_publishes(const struct tsw *t, const struct lookup *tenants, struct state *s)
{
	cleanup_rows struct rows rows = {};
	struct state_publish *p;
	size_t i, tenant;
	int err = map_rows(&t->maps, MAP_PUBLISH, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_publish *to = row_value(&rows, i);

		tenant = lookup_find(tenants, &to->tenant);
		if (tenant == LOOKUP_NONE)
			continue;
		p = list_grow(&s->publish, &s->n_publishes, sizeof(*p));
		if (!p)
			return -ENOMEM;
		memcpy(&p->key, row_key(&rows, i), sizeof(p->key));
		p->to = *to;
		p->tenant = (__u32)tenant;
		p->host = s->own;
	}
	return err;
}

int state_load_peers(const struct tsw *t, const struct lookup *tenants, struct state *s)
{
	cleanup_rows struct rows rows = {};
	struct state_peer *peer;
	size_t i, of, with;
	int err = map_rows(&t->maps, MAP_PEERS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_peer_key *key = row_key(&rows, i);

		of = lookup_find(tenants, &key->of);
		with = lookup_find(tenants, &key->with);
		if (of == LOOKUP_NONE || with == LOOKUP_NONE)
			continue;
		peer = list_grow(&s->peer, &s->n_peers, sizeof(*peer));
		if (!peer)
			return -ENOMEM;
		peer->tenant = (__u32)of;
		peer->with = (__u32)with;
		memcpy(&peer->half, row_value(&rows, i), sizeof(peer->half));
	}
	return err;
}
