// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "object/publish.h"
#include "record/gateway_find.h"
#include "state/load_parts.h"

/* Sets the gateway's ranks. A state leaves out which of these hosts serves it now. */
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
	cleanup_free struct publish *all = NULL;
	struct state_publish *p;
	size_t n, i, tenant;
	int err = publish_list(l->t, 0, &all, &n);

	for (i = 0; !err && i < n; i++) {
		tenant = lookup_find(&l->tenants, &all[i].to.tenant);
		if (tenant == LOOKUP_NONE)
			continue;
		p = list_grow(&l->s->publish, &l->s->n_publishes, sizeof(*p));
		if (!p)
			return -ENOMEM;
		*p = (struct state_publish){.spec = publish_spec(&all[i]),
					    .pending = all[i].to.flags & TSW_PUBLISH_PENDING,
					    .tenant = (__u32)tenant,
					    .host = l->s->own};
	}
	return err;
}

static void load_half(const struct tsw_peer *half, struct state_peer *peer)
{
	peer->pending = half->flags & TSW_PEER_PENDING;
	peer->spec.port = half->port;
	peer->spec.proto = half->proto == IPPROTO_UDP ? TSW_PROTO_UDP : TSW_PROTO_TCP;
	peer->spec.prefix.n = half->n_prefixes;
	memcpy(peer->spec.prefix.at, half->prefix, sizeof(half->prefix));
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
		load_half(row_value(&rows, i), peer);
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

	err = err ?: load_publishes(l);
	err = err ?: load_peers(l);
	err = err ?: load_groups(l);
	return err ?: load_policies(l);
}
