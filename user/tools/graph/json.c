// SPDX-License-Identifier: GPL-2.0-only
#include "base/json.h"
#include "base/text.h"
#include "record/tenant_find.h"
#include "tools/graph/json.h"

/* This host's and other hosts' names; null: on no host that is known. */
static json_t *place_json(const struct tsw *t, const struct graph *g, size_t place)
{
	if (place == GRAPH_HERE)
		return json_text(t->config.name);
	return place > g->hosts.n ? json_null() : json_text(g->hosts.row[place - 1].host.name);
}

static json_t *tenant_json(const struct graph *g, size_t tenant)
{
	return json_text(g->tenants.row[tenant].tenant.name);
}

static json_t *hosts_json(const struct tsw *t, const struct graph *g)
{
	const struct tsw_addr *local = t->config.local;
	json_t *list = json_array();
	size_t i;

	for (i = GRAPH_HERE; i <= g->hosts.n; i++) {
		const struct tsw_host *host = i ? &g->hosts.row[i - 1].host : NULL;
		const struct tsw_addr *ip =
			host ? &host->addr[host->family & 1]
			     : &local[addr_is_none(&local[TSW_IPV4]) ? TSW_IPV6 : TSW_IPV4];

		json_array_append_new(list,
				      json_pack("{s:o, s:s, s:b}", "name", place_json(t, g, i),
						"ip", addr_text(ip), "here", i == GRAPH_HERE));
	}
	return list;
}

static json_t *tenants_json(const struct graph *g)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < g->tenants.n; i++)
		if (g->shown[i])
			json_array_append_new(
				list, json_pack("{s:o, s:I, s:s}", "name", tenant_json(g, i), "id",
						(json_int_t)g->tenants.row[i].id, "encap",
						encap_text(g->tenants.row[i].tenant.encap)));
	return list;
}

/* Endpoints that share a node have no name, only their number. */
static json_t *endpoints_json(const struct tsw *t, const struct graph *g)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < g->n_endpoints; i++) {
		const struct graph_endpoint *ep = &g->endpoint[i];
		const bool one = ep->n == 1;

		if (!ep->n)
			continue;
		json_array_append_new(list,
				      json_pack("{s:o, s:o, s:o, s:o, s:I}", "tenant",
						tenant_json(g, ep->tenant), "name",
						json_text_or_null(one ? ep->name.s : NULL), "ip",
						json_text_or_null(one && !addr_is_none(&ep->first)
									  ? addr_text(&ep->first)
									  : NULL),
						"host", place_json(t, g, ep->place), "endpoints",
						(json_int_t)ep->n));
	}
	return list;
}

/* `host` serves it, unless it is everywhere; `hosts` are its ranks. */
static json_t *gateways_json(const struct tsw *t, const struct graph *g)
{
	json_t *list = json_array();
	size_t i;
	__u32 n;

	for (i = 0; i < g->n_gateways; i++) {
		const struct tsw_gateway *gw = &g->gateway[i].gw;
		const bool all = gw->flags & TSW_GATEWAY_ALL;
		json_t *ip = json_array(), *ranks = json_array();

		for (n = 0; n < gw->n_addrs && n < TSW_GATEWAY_ADDRS; n++)
			json_array_append_new(ip, json_string(prefix_text(&gw->addr[n])));
		for (n = 0; n < gw->n_ranks && n < TSW_GATEWAY_RANKS; n++)
			json_array_append_new(ranks, place_json(t, g, graph_place(g, gw->rank[n])));
		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o, s:o, s:b, s:b}", "tenant",
					tenant_json(g, g->gateway[i].tenant), "ip", ip, "host",
					all ? json_null() : place_json(t, g, g->gateway[i].place),
					"hosts", ranks, "everywhere", all, "nat",
					!!(gw->flags & TSW_GATEWAY_NAT)));
	}
	return list;
}

/* An open peering once, as in DOT. */
static json_t *peers_json(const struct graph *g)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < g->n_peers; i++) {
		const struct graph_peer *peer = &g->peer[i];
		const struct tenant_row *of = tenants_row(&g->tenants, peer->key.of);
		const struct tenant_row *with = tenants_row(&g->tenants, peer->key.with);

		if (!of || !with || (peer->open && peer->key.of > peer->key.with))
			continue;
		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:b, s:s, s:i}", "tenant", json_text(of->tenant.name),
				  "with", json_text(with->tenant.name), "open", peer->open, "proto",
				  peer->open && peer->proto ? proto_text(peer->proto) : "any",
				  "port", peer->port));
	}
	return list;
}

static json_t *publishes_json(const struct graph *g)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < g->n_publish; i++) {
		const struct publish *p = &g->publish[i].p;

		json_array_append_new(list,
				      json_pack("{s:o, s:s, s:s, s:i, s:s, s:b}", "tenant",
						tenant_json(g, g->publish[i].tenant), "family",
						family_text(p->key.family), "proto",
						proto_text(p->key.proto), "port", (int)p->key.port,
						"to", target_text(&p->to.addr, p->to.port),
						"active", g->publish[i].active));
	}
	return list;
}

json_t *graph_json(const struct tsw *t, const struct graph *g)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "hosts", hosts_json(t, g), "tenants",
			 tenants_json(g), "endpoints", endpoints_json(t, g), "gateways",
			 gateways_json(t, g), "peers", peers_json(g), "publishes",
			 publishes_json(g));
}
