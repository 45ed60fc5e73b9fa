// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "record/tenant_find.h"
#include "tools/graph/dot.h"
#include "tools/graph/json.h"
#include "tools/graph/policy.h"
#include "tools/graph/read.h"

/*
 * Nodes are named by what they are and a number, so that no user's text can be taken for one:
 * t tenant, e endpoint, w gateway (a way out), p published port.
 */

static const char *colour(const struct graph *g, size_t tenant)
{
	return dot_colour(g->colour[tenant]);
}

static const char *tenant_name(const struct graph *g, size_t tenant)
{
	return g->tenants.row[tenant].tenant.name;
}

static void print_groups(const struct graph *g, const struct graph_endpoint *ep)
{
	const struct tsw_group_list list =
		policy_member_names(&g->groups, g->tenants.row[ep->tenant].id, &ep->member);
	__u32 i;

	for (i = 0; i < list.n; i++)
		printf("%s%s", i ? ", " : "\\ngroup ", dot_label(list.at[i].s));
}

static void print_endpoint(const struct graph *g, size_t i)
{
	const struct graph_endpoint *ep = &g->endpoint[i];

	if (!ep->n)
		return;
	if (ep->n > 1)
		printf("\t\te%zu [shape=box3d, label=\"%zu endpoints\\n%s", i, ep->n,
		       dot_label(tenant_name(g, ep->tenant)));
	else
		printf("\t\te%zu [shape=box, label=\"%s\\n%s", i, dot_label(ep->name.s),
		       addr_is_none(&ep->first) ? mac_text(&ep->key.mac) : addr_text(&ep->first));
	print_groups(g, ep);
	printf("\", fillcolor=\"%s\"];\n", colour(g, ep->tenant));
}

static void print_gateway(const struct graph *g, size_t i)
{
	const struct graph_gateway *gateway = &g->gateway[i];
	const struct tsw_gateway *gw = &gateway->gw;
	__u32 n;

	printf("\t\tw%zu [shape=house, label=\"gateway of %s%s", i,
	       dot_label(tenant_name(g, gateway->tenant)),
	       gw->flags & TSW_GATEWAY_ALL ? ", on all hosts" : "");
	for (n = 0; n < gw->n_addrs; n++)
		printf("\\n%s", prefix_text(&gw->addr[n]));
	printf("\\n%s\", fillcolor=\"%s\"];\n", gw->flags & TSW_GATEWAY_NAT ? "nat" : "routed",
	       colour(g, gateway->tenant));
}

static void print_title(const struct tsw *t, const struct graph *g, size_t place)
{
	const struct tsw_addr *local = t->config.local;

	printf("\tsubgraph cluster_%zu {\n\t\tlabel=\"", place);
	if (place == GRAPH_HERE) {
		printf("%s, this host\\n%s\";\n", dot_label(t->config.name),
		       addr_text(&local[addr_is_none(&local[TSW_IPV4]) ? TSW_IPV6 : TSW_IPV4]));
	} else if (place > g->hosts.n) {
		printf("on no host that is known\";\n");
	} else {
		const struct tsw_host *host = &g->hosts.row[place - 1].host;

		printf("%s\\n%s\";\n", dot_label(host->name), addr_text(&host->addr[host->family]));
	}
}

/* Is that host to serve a gateway, if need be? */
static bool has_rank(const struct graph *g, size_t place)
{
	const struct tsw_gateway *gw;
	size_t i;
	__u32 n;

	for (i = 0; i < g->n_gateways; i++) {
		gw = &g->gateway[i].gw;
		for (n = 0; n < gw->n_ranks && n < TSW_GATEWAY_RANKS; n++)
			if (graph_place(g, gw->rank[n]) == place)
				return true;
	}
	return false;
}

/* *EP and *GW are where the last host's end. */
static void print_host(const struct tsw *t, const struct graph *g, size_t place, size_t *ep,
		       size_t *gw)
{
	const size_t first_ep = *ep, first_gw = *gw;
	size_t i;

	while (*ep < g->n_endpoints && g->endpoint[*ep].place == place)
		++*ep;
	while (*gw < g->n_gateways && g->gateway[*gw].place == place)
		++*gw;
	if ((place > g->hosts.n || !g->whole) && *ep == first_ep && *gw == first_gw &&
	    !has_rank(g, place))
		return;
	print_title(t, g, place);
	printf("\t\th%zu [shape=point, style=invis];\n", place); /* empty it would not be drawn */
	for (i = first_ep; i < *ep; i++)
		print_endpoint(g, i);
	for (i = first_gw; i < *gw; i++)
		print_gateway(g, i);
	printf("\t}\n");
}

/* To each of its hosts that does not serve it now. */
static void print_ranks(const struct graph *g, size_t i)
{
	const struct tsw_gateway *gw = &g->gateway[i].gw;
	__u32 n;

	for (n = 0; n < gw->n_ranks && n < TSW_GATEWAY_RANKS; n++)
		if (gw->rank[n] != gw->host)
			printf("\tw%zu -> h%zu [style=dashed, dir=none, label=\"rank %u\"];\n", i,
			       graph_place(g, gw->rank[n]), n + 1);
}

static void print_tenants(const struct graph *g)
{
	size_t i;

	for (i = 0; i < g->tenants.n; i++)
		if (g->shown[i])
			printf("\tt%u [shape=ellipse, label=\"%s\\n%s %u\", fillcolor=\"%s\"];\n",
			       g->tenants.row[i].id, dot_label(tenant_name(g, i)),
			       encap_text(g->tenants.row[i].tenant.encap), g->tenants.row[i].id,
			       colour(g, i));
	for (i = 0; i < g->n_endpoints; i++)
		if (g->endpoint[i].n)
			printf("\tt%u -> e%zu [dir=none];\n",
			       g->tenants.row[g->endpoint[i].tenant].id, i);
	for (i = 0; i < g->n_gateways; i++) {
		printf("\tt%u -> w%zu [dir=none, style=bold];\n",
		       g->tenants.row[g->gateway[i].tenant].id, i);
		print_ranks(g, i);
	}
}

/* An open peering once, from the smaller id; else the half that is there. */
static void print_peer(const struct graph_peer *peer)
{
	const struct tsw_peer_key *key = &peer->key;

	if (!peer->open)
		printf("\tt%u -> t%u [style=dashed, label=\"peering, closed\"];\n", key->of,
		       key->with);
	else if (key->of < key->with && peer->proto)
		printf("\tt%u -> t%u [dir=both, label=\"peering, %s %u\"];\n", key->of, key->with,
		       proto_text(peer->proto), peer->port);
	else if (key->of < key->with)
		printf("\tt%u -> t%u [dir=both, label=\"peering\"];\n", key->of, key->with);
}

static void print_publish(const struct graph *g, size_t i)
{
	const struct graph_publish *publish = &g->publish[i];
	const struct publish *p = &publish->p;

	printf("\tp%zu [shape=cds, margin=\"0.2,0.05\", label=\"%s %u\\n%s\", fillcolor=\"%s\"];\n\tp%zu -> ",
	       i, proto_text(p->key.proto), p->key.port, family_text(p->key.family),
	       colour(g, publish->tenant), i);
	if (publish->endpoint != GRAPH_NONE)
		printf("e%zu", publish->endpoint);
	else
		printf("t%u", p->to.tenant);
	printf(" [label=\"%s\"%s];\n", target_text(&p->to.addr, p->to.port),
	       publish->active ? "" : ", style=dashed");
}

static void print(const struct tsw *t, const struct graph *g)
{
	size_t place, ep = 0, gw = 0, i;

	printf("digraph tsw {\n\tgraph [label=\"switch %s of %s\", rankdir=LR, ranksep=1.5, "
	       "fontname=\"sans-serif\"];\n"
	       "\tnode [style=filled, fontname=\"sans-serif\", fontcolor=black];\n"
	       "\tedge [color=gray40, fontname=\"sans-serif\", fontsize=10];\n",
	       dot_label(t->instance), dot_label(t->config.name));
	for (place = GRAPH_HERE; place <= g->hosts.n + 1; place++)
		print_host(t, g, place, &ep, &gw);
	print_tenants(g);
	for (i = 0; i < g->n_publish; i++)
		print_publish(g, i);
	for (i = 0; i < g->n_peers; i++)
		print_peer(&g->peer[i]);
	printf("}\n");
}

int cmd_graph(struct cli *cli, const struct words *w)
{
	struct tsw *t = &cli->tsw;
	cleanup_graph struct graph g = {};
	__u32 id;
	int err;

	if (cli->out.json && w->given & FIELD(OPTION_POLICIES))
		return misuse("graph policies prints DOT: leave -j and -p out");
	err = tenant_id(t, &w->option.tenant, &id);
	if (!err && w->given & FIELD(OPTION_POLICIES))
		return graph_policies(t, id);
	err = err ?: graph_read(t, id, &g);
	if (!err && cli->out.json)
		out_object(&cli->out, graph_json(t, &g));
	else if (!err)
		print(t, &g);
	return err;
}
