// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "cluster/change.h"
#include "base/text.h"
#include "cluster/gateway.h"
#include "cluster/peers.h"
#include "cluster/tenant.h"

/* ---- one half --------------------------------------------------------------------- */

/* Both tenants have a gateway, and keep it. */
static int need_gateway(const struct records *r, struct change *c, const struct tsw_name *tenant,
			struct tsw_gateway_spec *gateway)
{
	char key[MEMBER_KEY];
	__s64 modified;
	int err = cluster_gateway_get(r, tenant, gateway, &modified);

	record_key(r, key, "gateway/%s", tenant->s);
	if (!err)
		change_check(c, key, modified);
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

/* AGAIN: an earlier try, or somebody else, may have written just that. *THERE: it did. */
static int check_absent(const struct records *r, const struct tsw_peer_spec *spec, const char *key,
			const char *text, bool *there)
{
	const bool again = *there;
	char *value;
	__s64 modified;
	int err = record_get(r, key, &value, &modified);

	*there = value && again && !strcmp(value, text);
	if (value && !*there)
		err = rule_is_peer(spec->tenant.s, spec->with.s);
	free(value);
	return err;
}

static int add_once(struct records *r, void *context, bool again, struct change *c)
{
	const struct tsw_peer_spec *spec = context;
	struct tsw_gateway_spec own, other;
	char key[MEMBER_KEY], *text;
	int err = rule_peer_differs(spec->tenant.s, spec->with.s);

	if (err)
		return err;
	text = record_text(OBJECT_PEER, spec);
	if (!text)
		return -ENOMEM;
	record_key(r, key, "peer/%s/%s", spec->tenant.s, spec->with.s);
	err = need_gateway(r, c, &spec->tenant, &own);
	err = err ?: need_gateway(r, c, &spec->with, &other);
	err = err ?: check_networks(spec, &own, &other);
	err = err ?: check_absent(r, spec, key, text, &again);
	if (!err && !again) {
		record_pulse(r, c, "peer/");
		change_put(c, key, text, 0);
	}
	free(text);
	return err;
}

int cluster_peer_add(struct records *r, const struct tsw_peer_spec *spec)
{
	struct tsw_peer_spec copy = *spec;

	return record_change(r, add_once, NULL, &copy);
}

static int del_once(struct records *r, void *context, bool again, struct change *c)
{
	const struct tsw_peer_spec *spec = context;
	char key[MEMBER_KEY], *value;
	struct tsw_tenant_spec unused;
	__s64 modified;
	int err = cluster_tenant_get(r, &spec->tenant, &unused, NULL);

	err = err ?: cluster_tenant_get(r, &spec->with, &unused, NULL);
	record_key(r, key, "peer/%s/%s", spec->tenant.s, spec->with.s);
	err = err ?: record_get(r, key, &value, &modified);
	if (err)
		return err;
	free(value);
	if (!modified)
		return again ? 0 : rule_no_peer(spec->tenant.s, spec->with.s);
	record_pulse(r, c, "peer/");
	change_del(c, key, modified);
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
	struct tsw_peer_spec spec = {}, *next;
	char key[MEMBER_KEY] = "";

	if (!record_read(OBJECT_PEER, entry->value, &spec))
		record_key(h->r, key, "peer/%s/%s", spec.tenant.s, spec.with.s);
	if (strcmp(key, entry->key)) {
		++*h->refused;
		return 0;
	}
	next = list_grow(&h->all, &h->n, sizeof(*next));
	if (!next)
		return -ENOMEM;
	*next = spec;
	return 0;
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
	const struct record_range all = record_range(r, "peer/");
	struct halves h = {.r = r, .refused = refused};
	struct tsw_tenant_spec unused;
	struct tsw_peer_spec other;
	__s64 revision = 0;
	size_t i;
	int err = *tenant->s ? cluster_tenant_get(r, tenant, &unused, NULL) : 0;

	err = err ?: records_each(r, &all, &revision, take, &h);
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
