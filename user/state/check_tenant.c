// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/spell.h"
#include "base/text.h"
#include "state/resource.h"

/* ---- published ports -------------------------------------------------------------- */

static int refuse_publish(const struct state *s, const struct state_publish *p, const char *why)
{
	return misuse("tenants[%u].publish[%u]: %s", s->tenant[p->tenant].at, p->at, why);
}

bool state_gateway_serves(const struct state_tenant *tenant, enum tsw_family family)
{
	const struct tsw_gateway_spec *gw = &tenant->gateway.spec;
	__u32 i;

	for (i = 0; tenant->has_gateway && i < gw->ip.n; i++)
		if (addr_family(&gw->ip.at[i].addr) == family)
			return true;
	return false;
}

static int check_target(const struct state *s, const struct resources *r,
			const struct state_publish *p)
{
	const struct state_tenant *tenant = &s->tenant[p->tenant];
	const struct resource *owner = resources_find_ip(r, p->tenant, &p->spec.to.addr);

	if (!tenant->has_gateway)
		return refuse_publish(s, p, "the tenant has no gateway");
	if (!state_gateway_serves(tenant, addr_family(&p->spec.to.addr)))
		return refuse_publish(s, p, "its gateway has no address of that family");
	/* An address without an owner may be published: endpoints may come later or be gone. */
	if (!owner || !(owner->owner & OWNER_GATEWAY))
		return 0;
	refuse_publish(s, p, "this is the gateway's own address: ");
	fail_more("%s", quoted(addr_text(&p->spec.to.addr)));
	return -EINVAL;
}

static int compare_keys(const void *a, const void *b)
{
	const struct state_publish *const *x = a, *const *y = b;

	return state_order_ports(&(*x)->spec, &(*y)->spec);
}

static bool same_host(const struct state_publish *a, const struct state_publish *b)
{
	return a->host == b->host || a->host == STATE_NONE || b->host == STATE_NONE;
}

static int refuse_port(const struct state *s, const struct state_publish *a,
		       const struct state_publish *b)
{
	const __u32 x = s->tenant[a->tenant].at, y = s->tenant[b->tenant].at;

	if (x > y || (x == y && a->at > b->at))
		return refuse_port(s, b, a);
	return misuse("tenants[%u].publish[%u].port: %s port %u is published by "
		      "tenants[%u].publish[%u] already",
		      y, b->at, word_protos[a->spec.proto], a->spec.port, x, a->at);
}

/* Fails if a port is published twice on the same host. */
static int check_ports(const struct state *s, const struct state_publish **all)
{
	size_t i, k;

	for (i = 0; i < s->n_publishes; i++)
		all[i] = &s->publish[i];
	qsort(all, s->n_publishes, sizeof(*all), compare_keys);
	for (i = 0; i < s->n_publishes; i++)
		for (k = i; k && !compare_keys(&all[k - 1], &all[i]); k--)
			if (same_host(all[k - 1], all[i]))
				return refuse_port(s, all[k - 1], all[i]);
	return 0;
}

static int check_publishes(const struct state *s)
{
	const struct state_publish **all = calloc(s->n_publishes + 1, sizeof(*all));
	cleanup_resources struct resources r = {};
	size_t i;
	int err = all ? check_ports(s, all) : fail_memory();

	free(all);
	if (err || !s->n_publishes)
		return err;
	err = resources_make(s, NULL, &r);
	for (i = 0; !err && i < s->n_publishes; i++)
		err = check_target(s, &r, &s->publish[i]);
	return err;
}

/* ---- peerings --------------------------------------------------------------------- */

static int refuse_peer(const struct state_peer *peer, const char *why)
{
	return misuse("peers[%u]: %s", peer->at, why);
}

/* Sets NETWORK to those of the tenant that its half opens; returns how many. */
static __u32 networks(const struct state *s, const struct state_peer *peer,
		      struct tsw_prefix network[TSW_GATEWAY_ADDRS])
{
	const struct state_gateway *gw = &s->tenant[peer->tenant].gateway;
	__u32 i;

	if (peer->spec.prefix.n) {
		memcpy(network, peer->spec.prefix.at, sizeof(peer->spec.prefix.at));
		return peer->spec.prefix.n;
	}
	for (i = 0; i < gw->spec.ip.n; i++)
		network[i] = (struct tsw_prefix){prefix_first(&gw->spec.ip.at[i]),
						 gw->spec.ip.at[i].len};
	return i;
}

static bool overlap(const struct tsw_prefix *a, __u32 n_a, const struct tsw_prefix *b, __u32 n_b)
{
	__u32 i, k;

	for (i = 0; i < n_a; i++)
		for (k = 0; k < n_b; k++)
			if (prefix_overlap(&a[i], &b[k]))
				return true;
	return false;
}

static bool is_within(const struct state_gateway *gw, const struct tsw_prefix *prefix)
{
	__u32 i;

	for (i = 0; i < gw->spec.ip.n; i++)
		if (gw->spec.ip.at[i].len <= prefix->len &&
		    prefix_has(&gw->spec.ip.at[i], &prefix->addr))
			return true;
	return false;
}

static int check_peer(const struct state *s, const struct state_peer *peer)
{
	const struct state_tenant *tenant = &s->tenant[peer->tenant];
	const struct state_tenant *with = &s->tenant[peer->with];
	struct tsw_prefix network[TSW_GATEWAY_ADDRS];
	__u32 n, i;
	size_t k;

	if (peer->tenant == peer->with)
		return refuse_peer(peer, "a tenant needs no peering with itself");
	if (!tenant->has_gateway || !with->has_gateway)
		return refuse_peer(peer, "a peering needs gateways, and one tenant has no gateway");
	for (i = 0; i < peer->spec.prefix.n; i++)
		if (!is_within(&tenant->gateway, &peer->spec.prefix.at[i]))
			return misuse("peers[%u].prefix[%u]: %s is in no network of the gateway of "
				      "tenant %s",
				      peer->at, i, quoted(prefix_text(&peer->spec.prefix.at[i])),
				      quoted(tenant->spec.name.s));
	n = networks(s, peer, network);
	if (overlap(network, n, with->gateway.spec.ip.at, with->gateway.spec.ip.n))
		return refuse_peer(peer, "networks of both tenants overlap: an address in both "
					 "would be ambiguous");
	for (k = with->first; k < with->first + with->n; k++)
		if (overlap(network, n, s->endpoint[k].prefix.at, s->endpoint[k].prefix.n))
			return refuse_peer(
				peer,
				"networks of the tenant overlap one behind an endpoint of the "
				"other tenant");
	return 0;
}

static int compare_with(const void *a, const void *b)
{
	const struct state_peer *const *x = a, *const *y = b;

	if ((*x)->with != (*y)->with)
		return (*x)->with < (*y)->with ? -1 : 1;
	return (*x)->tenant < (*y)->tenant ? -1 : (*x)->tenant > (*y)->tenant;
}

/* Fails if two peers of the same tenant have overlapping networks. */
static int check_third(const struct state *s, const struct state_peer *a,
		       const struct state_peer *b)
{
	struct tsw_prefix x[TSW_GATEWAY_ADDRS], y[TSW_GATEWAY_ADDRS];
	const __u32 n = networks(s, a, x), m = networks(s, b, y);

	if (a->tenant == b->tenant)
		return misuse("peers[%u]: the same peering is given as peers[%u] already",
			      a->at > b->at ? a->at : b->at, a->at > b->at ? b->at : a->at);
	if (overlap(x, n, y, m))
		return misuse("peers[%u]: networks of the tenant overlap those of peers[%u], "
			      "which is a peer of the same tenant",
			      a->at > b->at ? a->at : b->at, a->at > b->at ? b->at : a->at);
	return 0;
}

static int check_peers(const struct state *s)
{
	const struct state_peer **all = calloc(s->n_peers + 1, sizeof(*all));
	size_t i, k;
	int err = all ? 0 : fail_memory();

	for (i = 0; !err && i < s->n_peers; i++) {
		all[i] = &s->peer[i];
		err = check_peer(s, all[i]);
	}
	if (!err)
		qsort(all, s->n_peers, sizeof(*all), compare_with);
	for (i = 0; !err && i < s->n_peers; i++)
		for (k = i; !err && k && all[k - 1]->with == all[i]->with; k--)
			err = check_third(s, all[k - 1], all[i]);
	free(all);
	return err;
}

int state_check_tenants(const struct state *s)
{
	int err = check_publishes(s);

	return err ?: check_peers(s);
}
