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

static int load_gateways(const struct loading *l)
{
	cleanup_rows struct rows rows = {};
	size_t i, tenant;
	int err = map_rows(&l->t->maps, MAP_GATEWAYS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		tenant = lookup_find(&l->tenants, row_key(&rows, i));
		if (tenant != LOOKUP_NONE)
			load_gateway(row_value(&rows, i), l->where, &l->s->tenant[tenant]);
	}
	return err;
}

static int load_publishes(const struct loading *l)
{
	struct state *s = l->s;
	cleanup_rows struct rows rows = {};
	struct state_publish *p;
	size_t i, tenant;
	int err = map_rows(&l->t->maps, MAP_PUBLISH, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_publish *to = row_value(&rows, i);

		tenant = lookup_find(&l->tenants, &to->tenant);
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

static int load_peers(const struct loading *l)
{
	struct state *s = l->s;
	cleanup_rows struct rows rows = {};
	struct state_peer *peer;
	size_t i, of, with;
	int err = map_rows(&l->t->maps, MAP_PEERS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_peer_key *key = row_key(&rows, i);

		of = lookup_find(&l->tenants, &key->of);
		with = lookup_find(&l->tenants, &key->with);
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

static int load_groups(const struct loading *l)
{
	const struct policy_groups *groups = &l->groups;
	struct state *s = l->s;
	struct state_group *group;
	size_t i, tenant;

	for (i = 0; i < groups->n; i++) {
		tenant = lookup_find(&l->tenants, &groups->all[i].tenant);
		if (tenant == LOOKUP_NONE)
			continue;
		group = list_grow(&s->group, &s->n_groups, sizeof(*group));
		if (!group)
			return -ENOMEM;
		group->name = groups->all[i].name;
		group->tenant = (__u32)tenant;
	}
	return 0;
}

static int load_policies(const struct loading *l)
{
	struct state *s = l->s;
	cleanup_rows struct rows rows = {};
	struct state_policy *policy;
	size_t i, tenant;
	int err = map_rows(&l->t->maps, MAP_POLICY_RULES, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_policy_name *name = row_key(&rows, i);

		tenant = lookup_find(&l->tenants, &name->tenant);
		if (tenant == LOOKUP_NONE)
			continue;
		policy = list_grow(&s->policy, &s->n_policies, sizeof(*policy));
		if (!policy)
			return -ENOMEM;
		policy->spec = policy_rule_spec(&l->groups, name, row_value(&rows, i));
		policy->tenant = (__u32)tenant;
	}
	return err;
}

int state_load_parts(const struct loading *l)
{
	int err = load_gateways(l);

	if (!err)
		err = load_publishes(l);
	if (!err)
		err = load_peers(l);
	if (!err)
		err = load_groups(l);
	return err ?: load_policies(l);
}
