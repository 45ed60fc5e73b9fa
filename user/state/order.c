// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/list.h"
#include "state/fate.h"

struct ordering {
	const struct diff *d;
	struct changes *c;
	int err;
};

void changes_free(struct changes *c)
{
	free(c->all);
}

static void add(struct ordering *o, __u8 what, __u8 object, __u32 have, __u32 want)
{
	struct change *next = list_grow(&o->c->all, &o->c->n, sizeof(*next));

	if (next)
		*next = (struct change){what, object, have, want};
	else
		o->err = -ENOMEM;
}

/* Adds deletions: of objects that go for good, and of those that are made again. */
static void add_gone(struct ordering *o, __u8 object, const struct match *m)
{
	__u32 i;

	for (i = 0; i < m->n_have; i++)
		if (fate_is_away(m->fate[i]))
			add(o, CHANGE_DEL, object, i, STATE_NONE);
}

static void add_set(struct ordering *o, __u8 object, const struct match *m, enum fate fate)
{
	__u32 i;

	for (i = 0; i < m->n_have; i++)
		if (m->fate[i] == fate)
			add(o, CHANGE_SET, object, i, m->want[i]);
}

/* Adds objects that are new, and those that are made again. */
static void add_new(struct ordering *o, __u8 object, const struct match *m)
{
	__u32 k;

	for (k = 0; k < m->n_want; k++)
		if (m->have[k] == STATE_NONE || fate_is_away(m->fate[m->have[k]]))
			add(o, CHANGE_ADD, object, STATE_NONE, k);
}

/* The same for gateways, which have the index of their tenant. Not all tenants have one. */
static void add_new_gateways(struct ordering *o)
{
	const struct match *m = &o->d->gateway;
	__u32 k;

	for (k = 0; k < m->n_want; k++)
		if (o->d->want->tenant[k].has_gateway &&
		    (m->have[k] == STATE_NONE || fate_is_away(m->fate[m->have[k]])))
			add(o, CHANGE_ADD, OBJECT_GATEWAY, STATE_NONE, k);
}

/* ---- hosts ------------------------------------------------------------------------ */

static void leave_gateway(const struct state_gateway *gw, __u8 *left)
{
	__u32 i;

	if (gw->host != STATE_NONE)
		left[gw->host] = 1;
	for (i = 0; i < gw->n_backups; i++)
		left[gw->backup[i]] = 1;
}

/* Marks each host that an endpoint or a gateway leaves only in a later change. */
static __u8 *find_left(const struct diff *d)
{
	__u8 *left = calloc(d->have->n_hosts + 1, 1);
	__u32 i;

	for (i = 0; left && i < d->have->n_endpoints; i++)
		if (fate_is_set(d->endpoint.fate[i])) {
			left[d->have->endpoint[i].host] = 1;
			if (d->have->endpoint[i].to != STATE_NONE)
				left[d->have->endpoint[i].to] = 1;
		}
	for (i = 0; left && i < d->have->n_tenants; i++)
		if (d->have->tenant[i].has_gateway && fate_is_set(d->gateway.fate[i]))
			leave_gateway(&d->have->tenant[i].gateway, left);
	return left;
}

static void add_gone_hosts(struct ordering *o, const __u8 *left, bool late)
{
	const struct match *m = &o->d->host;
	__u32 i;

	for (i = 0; i < m->n_have; i++)
		if (fate_is_away(m->fate[i]) &&
		    late == (m->fate[i] == FATE_GONE && left && left[i]))
			add(o, CHANGE_DEL, OBJECT_HOST, i, STATE_NONE);
}

static void add_switch(struct ordering *o)
{
	const struct state *have = o->d->have;
	const __u32 own = o->d->want->own;

	if (have->whole)
		return;
	if (!have->host[have->own].up.given)
		add(o, CHANGE_ADD, OBJECT_SWITCH, STATE_NONE, own);
	else if (o->d->host.fate[have->own] != FATE_KEEP)
		add(o, CHANGE_SET, OBJECT_SWITCH, have->own, own);
}

static void add_set_hosts(struct ordering *o)
{
	const struct match *m = &o->d->host;
	__u32 i;

	for (i = 0; i < m->n_have; i++)
		if (i != o->d->have->own && m->fate[i] == FATE_SET)
			add(o, CHANGE_SET, OBJECT_HOST, i, m->want[i]);
}

/* ---- tenants ---------------------------------------------------------------------- */

/* Whether the tenant's MTU grows. Hosts that allow only smaller frames may go before. */
static bool is_wider(const struct diff *d, __u32 i)
{
	const struct state_tenant *have = &d->have->tenant[i];
	const struct state_tenant *want = &d->want->tenant[d->tenant.want[i]];

	return want->spec.encap != have->spec.encap ||
	       (want->spec.mtu && (!have->spec.mtu || want->spec.mtu > have->spec.mtu));
}

/* Whether the new policy allows less than the old one. */
static bool is_stricter(const struct diff *d, __u32 i)
{
	const struct tsw_tenant_spec *have = &d->have->tenant[i].spec;
	const struct tsw_tenant_spec *want = &d->want->tenant[d->tenant.want[i]].spec;

	return want->policy == TSW_POLICY_ON &&
	       (have->policy != TSW_POLICY_ON || want->deny > have->deny);
}

bool fate_tenant_is_late(const struct diff *d, __u32 i)
{
	return d->tenant.fate[i] == FATE_SET && (is_wider(d, i) || is_stricter(d, i));
}

static void add_set_tenants(struct ordering *o, bool late)
{
	const struct match *m = &o->d->tenant;
	__u32 i;

	for (i = 0; i < m->n_have; i++)
		if (m->fate[i] == FATE_SET && late == fate_tenant_is_late(o->d, i))
			add(o, CHANGE_SET, OBJECT_TENANT, i, m->want[i]);
}

/* ---- policies --------------------------------------------------------------------- */

/* Adds new groups and rules: with FRESH of new tenants, otherwise of existing ones. */
static void add_new_rules(struct ordering *o, bool fresh)
{
	const struct diff *d = o->d;
	__u32 k;

	for (k = 0; k < d->group.n_want; k++)
		if (d->group.have[k] == STATE_NONE &&
		    fresh == (d->tenant.have[d->want->group[k].tenant] == STATE_NONE))
			add(o, CHANGE_ADD, OBJECT_GROUP, STATE_NONE, k);
	for (k = 0; k < d->policy.n_want; k++)
		if (d->policy.have[k] == STATE_NONE &&
		    fresh == (d->tenant.have[d->want->policy[k].tenant] == STATE_NONE))
			add(o, CHANGE_ADD, OBJECT_POLICY, STATE_NONE, k);
}

/* ---- the whole -------------------------------------------------------------------- */

static void take_away(struct ordering *o, const __u8 *left)
{
	const struct diff *d = o->d;

	add_gone(o, OBJECT_PEER, &d->peer);
	add_gone(o, OBJECT_PUBLISH, &d->publish);
	add_gone(o, OBJECT_GATEWAY, &d->gateway);
	add_gone(o, OBJECT_ENDPOINT, &d->endpoint);
	add_gone(o, OBJECT_TENANT, &d->tenant);
	add_gone_hosts(o, left, false);
}

static void change(struct ordering *o, const __u8 *left)
{
	const struct diff *d = o->d;

	add_new_rules(o, false);
	add_set(o, OBJECT_POLICY, &d->policy, FATE_SET);
	add_set(o, OBJECT_HOST, &d->host, FATE_SET_EARLY);
	add_set(o, OBJECT_ENDPOINT, &d->endpoint, FATE_SET_EARLY);
	add_set(o, OBJECT_GATEWAY, &d->gateway, FATE_SET_EARLY);
	add_switch(o);
	add_set_hosts(o);
	add_new(o, OBJECT_HOST, &d->host);
	add_set_tenants(o, false);
	add_set(o, OBJECT_ENDPOINT, &d->endpoint, FATE_SET);
	add_set(o, OBJECT_GATEWAY, &d->gateway, FATE_SET);
	add_gone_hosts(o, left, true);
	add_gone(o, OBJECT_POLICY, &d->policy);
	add_gone(o, OBJECT_GROUP, &d->group);
	add_set_tenants(o, true);
}

static void make(struct ordering *o)
{
	const struct diff *d = o->d;

	add_new(o, OBJECT_TENANT, &d->tenant);
	add_new_rules(o, true);
	add_new(o, OBJECT_ENDPOINT, &d->endpoint);
	add_new_gateways(o);
	add_new(o, OBJECT_PUBLISH, &d->publish);
	add_new(o, OBJECT_PEER, &d->peer);
}

int state_order(const struct diff *d, struct changes *c)
{
	struct ordering o = {.d = d, .c = c};
	__u8 *left = find_left(d);

	if (!left)
		return fail_memory();
	take_away(&o, left);
	change(&o, left);
	make(&o);
	free(left);
	return o.err;
}
