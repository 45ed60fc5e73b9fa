// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/text.h"
#include "cluster/change.h"
#include "cluster/gateway.h"
#include "cluster/peers.h"
#include "cluster/prefixes.h"
#include "cluster/tenant.h"

/* ---- one half --------------------------------------------------------------------- */

/* Reads the tenant's gateway, and adds to C the condition that it is unchanged. */
static int need_gateway(const struct records *r, struct change *c, const struct tsw_name *tenant,
			struct tsw_gateway_spec *gateway)
{
	__s64 modified;
	int err = cluster_gateway_get(r, tenant, gateway, &modified);

	if (!err)
		record_check(r, c, modified, "gateway/%s", tenant->s);
	return err;
}

static struct rule_side side_of(const struct tsw_name *tenant, const struct tsw_gateway_spec *gw,
				const struct tsw_prefix_list *given)
{
	return (struct rule_side){tenant->s, gw->ip.at, given->at, gw->ip.n, given->n};
}

static int check_networks(const struct tsw_peer_spec *spec, const struct tsw_gateway_spec *own,
			  const struct tsw_gateway_spec *other)
{
	const struct rule_side of = side_of(&spec->tenant, own, &spec->prefix);
	const struct rule_side with = side_of(&spec->with, other, &spec->prefix);

	return rule_peer_networks(&of, &with);
}

/* Refuses networks behind an endpoint that overlap those of the PEER, which gives GIVEN of them. */
static int check_behind(const struct tsw_prefix *prefix, size_t n, const struct rule_side *peer)
{
	const struct tsw_prefix *net = peer->n_given ? peer->given : peer->ip;
	const __u32 n_nets = peer->n_given ? peer->n_given : peer->n_ip;
	struct tsw_prefix its;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n_nets; k++) {
			its = (struct tsw_prefix){prefix_first(&net[k]), net[k].len};
			if (prefix_overlap(&prefix[i], &its))
				return rule_prefix_peer(&prefix[i], &its, peer->tenant);
		}
	return 0;
}

/* The same of those of the tenant that gets the half. */
static int check_others_behind(const struct records *r, struct change *c,
			       const struct tsw_peer_spec *spec, const struct tsw_gateway_spec *own)
{
	const struct rule_side side = side_of(&spec->tenant, own, &spec->prefix);
	cleanup_prefixes struct prefixes behind = {};
	struct tsw_tenant_spec with;
	size_t i;
	int err = cluster_tenant_get(r, &spec->with, &with, NULL);

	err = err ?: prefixes_read(r, with.id, &behind);
	for (i = 0; !err && i < behind.n; i++)
		err = check_behind(&behind.all[i].prefix, 1, &side);
	prefixes_keep(r, c, with.id, &behind);
	return err;
}

static int add_once(struct records *r, void *context, bool again, struct change *c)
{
	const struct tsw_peer_spec *spec = context;
	struct tsw_gateway_spec own, other;
	cleanup_look struct look look = {};
	char cleanup_free *text = record_text(OBJECT_PEER, spec);
	int err = text ? rule_peer_differs(spec->tenant.s, spec->with.s) : -ENOMEM;

	err = err ?: need_gateway(r, c, &spec->tenant, &own);
	err = err ?: need_gateway(r, c, &spec->with, &other);
	err = err ?: check_networks(spec, &own, &other);
	err = err ?: check_others_behind(r, c, spec, &own);
	look_at(&look, r, "peer/%s/%s", spec->tenant.s, spec->with.s);
	err = err ?: look_read(r, &look);
	if (err || (again && look.at[0].value && !strcmp(look.at[0].value, text)))
		return err; /* an earlier try, or somebody else, has written just that */
	if (look.at[0].value)
		return rule_is_peer(spec->tenant.s, spec->with.s);
	record_pulse(r, c, "peer/");
	change_put(c, look.at[0].key, text, 0);
	return 0;
}

int cluster_peer_add(struct records *r, const struct tsw_peer_spec *spec)
{
	struct tsw_peer_spec copy = *spec;

	return record_change(r, add_once, NULL, &copy);
}

static int del_once(struct records *r, void *context, bool again, struct change *c)
{
	const struct tsw_peer_spec *spec = context;
	cleanup_look struct look look = {};
	int err = cluster_tenant_get(r, &spec->tenant, NULL, NULL);

	err = err ?: cluster_tenant_get(r, &spec->with, NULL, NULL);
	look_at(&look, r, "peer/%s/%s", spec->tenant.s, spec->with.s);
	err = err ?: look_read(r, &look);
	if (err)
		return err;
	if (!look.at[0].value)
		return again ? 0 : rule_no_peer(spec->tenant.s, spec->with.s);
	record_pulse(r, c, "peer/");
	change_del(c, look.at[0].key, look.at[0].modified);
	return 0;
}

int cluster_peer_del(struct records *r, const struct tsw_name *tenant, const struct tsw_name *with)
{
	struct tsw_peer_spec spec = {.tenant = *tenant, .with = *with};

	return record_change(r, del_once, NULL, &spec);
}

/* ---- all of them ------------------------------------------------------------------ */

struct halves {
	const struct records *r;
	struct tsw_peer_spec *all;
	size_t n;
	size_t *refused;
};

static int take(void *context, const struct etcd_entry *entry)
{
	struct halves *h = context;
	struct tsw_peer_spec spec = {};

	if (!record_read(OBJECT_PEER, entry->value, &spec) &&
	    record_is_at(h->r, entry->key, "peer/%s/%s", spec.tenant.s, spec.with.s))
		return list_append(&h->all, &h->n, &spec, sizeof(spec));
	++*h->refused;
	return 0;
}

int peers_check_prefixes(const struct records *r, struct change *c, const struct tsw_name *tenant,
			 const struct tsw_prefix_list *prefixes)
{
	struct tsw_gateway_spec gateway;
	size_t refused = 0, i;
	struct halves h = {.r = r, .refused = &refused};
	int err = records_read(r, c, take, &h, "peer/");

	for (i = 0; !err && i < h.n; i++) {
		const struct tsw_peer_spec *half = &h.all[i];
		struct rule_side side;

		if (strcmp(half->with.s, tenant->s) != 0)
			continue;
		err = need_gateway(r, c, &half->tenant, &gateway);
		side = side_of(&half->tenant, &gateway, &half->prefix);
		err = err == -ENOENT ? 0 : err ?: check_behind(prefixes->at, prefixes->n, &side);
	}
	free(h.all);
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct tsw_peer_spec *x = a, *y = b;
	const int order = strcmp(x->tenant.s, y->tenant.s);

	return order ?: strcmp(x->with.s, y->with.s);
}

int cluster_peers(const struct records *r, const struct tsw_name *tenant, size_t *refused,
		  cluster_each_peer *each, void *context)
{
	struct halves h = {.r = r, .refused = refused};
	struct tsw_peer_spec other;
	size_t i;
	int err = *tenant->s ? cluster_tenant_get(r, tenant, NULL, NULL) : 0;

	err = err ?: records_read(r, NULL, take, &h, "peer/");
	if (!err && h.n)
		qsort(h.all, h.n, sizeof(*h.all), compare);
	for (i = 0; !err && i < h.n; i++) {
		if (*tenant->s && strcmp(tenant->s, h.all[i].tenant.s))
			continue;
		other = (struct tsw_peer_spec){.tenant = h.all[i].with, .with = h.all[i].tenant};
		err = each(context, &h.all[i], bsearch(&other, h.all, h.n, sizeof(other), compare));
	}
	free(h.all);
	return err;
}
