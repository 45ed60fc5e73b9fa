// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "object/endpoint.h"
#include "object/gateway.h"
#include "object/host.h"
#include "object/peer.h"
#include "object/policy_group.h"
#include "object/publish.h"
#include "object/spec.h"
#include "object/tenant.h"
#include "record/fields.h"
#include "record/gateway_find.h"
#include "state/apply.h"
#include "state/json.h"
#include "state/policy.h"
#include "store/early.h"
#include "switch/session.h"
#include "switch/switch.h"

struct applying {
	struct tsw *t;
	const struct state *have;
	const struct state *want;
};

/* ---- the switch ------------------------------------------------------------------- */

struct tsw_switch_spec state_up(const struct state *want)
{
	const struct state_host *own = &want->host[want->own];
	struct tsw_switch_spec up = own->up;

	up.given |= FIELD(SWITCH_LOCAL) | FIELD(SWITCH_NAME) | FIELD(SWITCH_ZONE);
	up.local = own->spec.ip;
	up.name = own->spec.name;
	up.zone = own->spec.zone;
	return up;
}

static struct tsw_host wanted_host(const struct state_host *want)
{
	struct tsw_host host = {.preferred = want->spec.ip.preferred, .mtu = want->spec.mtu};

	memcpy(host.name, want->spec.name.s, sizeof(host.name));
	memcpy(host.addr, want->spec.ip.of, sizeof(host.addr));
	memcpy(host.zone, want->spec.zone.s, sizeof(host.zone));
	return host;
}

/* Gives existing hosts their keys first, because a switch encrypts only if each host has one. */
static int key_hosts(struct applying *a)
{
	struct tsw_host host, unused;
	__u32 i, id;
	int err = 0;

	for (i = 0; !err && i < a->want->n_hosts; i++) {
		const struct state_host *want = &a->want->host[i];

		if (i == a->want->own ||
		    map_get(&a->t->maps, MAP_HOST_IDS, &want->spec.name, &id) ||
		    map_get(&a->t->maps, MAP_HOSTS, &id, &unused))
			continue;
		host = wanted_host(want);
		err = host_set(a->t, &host, &want->spec.key);
	}
	return err;
}

/* Changes the settings that differ, among those that can change. */
static int set_switch(struct applying *a)
{
	struct tsw_switch_spec is = a->have->host[a->have->own].up, up = state_up(a->want);
	size_t i;
	int err = 0;

	memcpy(is.local.of, a->t->config.local, sizeof(is.local.of));
	memcpy(is.zone.s, a->t->config.zone, sizeof(is.zone.s));
	up.given &= SWITCH_CHANGES;
	for (i = 0; switch_fields[i].key; i++)
		if (fields_equal(switch_fields, FIELD(i), &is, &up))
			up.given &= ~FIELD(i);
	if (up.given & FIELD(SWITCH_ENCRYPT) && up.encrypt == TSW_ASK_ENCRYPT_WIREGUARD)
		err = key_hosts(a);
	return err || !up.given ? err : switch_set(a->t, &up);
}

/* ---- hosts ------------------------------------------------------------------------ */

static int change_host(struct applying *a, const struct change *c)
{
	struct tsw_host host;

	if (c->what == CHANGE_DEL)
		return host_del(a->t, &a->have->host[c->have].spec.name, false);
	host = wanted_host(&a->want->host[c->want]);
	return c->what == CHANGE_ADD ? host_add(a->t, &host, &a->want->host[c->want].spec.key)
				     : host_set(a->t, &host, &a->want->host[c->want].spec.key);
}

/* Sets *ID to the index of a host in the maps; 0: this host. */
static int host_index(const struct applying *a, __u32 host, __u32 *id)
{
	struct tsw_host unused;

	*id = 0;
	return host == a->want->own ? 0
				    : host_find(a->t, &a->want->host[host].spec.name, id, &unused);
}

/* ---- tenants ---------------------------------------------------------------------- */

static int change_tenant(struct applying *a, const struct change *c)
{
	if (c->what == CHANGE_DEL)
		return tenant_del(a->t, &a->have->tenant[c->have].spec.name, false);
	return c->what == CHANGE_ADD ? tenant_add(a->t, &a->want->tenant[c->want].spec)
				     : tenant_replace(a->t, &a->want->tenant[c->want].spec);
}

/* ---- endpoints -------------------------------------------------------------------- */

static struct tsw_endpoint_key endpoint_key(const struct state *s, const struct state_endpoint *ep)
{
	return (struct tsw_endpoint_key){.tenant = s->tenant[ep->tenant].spec.id, .name = ep->name};
}

static int del_endpoint(struct applying *a, const struct state_endpoint *have)
{
	const struct tsw_endpoint_key key = endpoint_key(a->have, have);
	struct endpoint ep;
	int err = endpoint_load(a->t, &key, &ep);

	return err ?: endpoint_del(a->t, &ep);
}

/* Whether EP moves between two devices of this host. A file neither has nor ends such a move. */
static bool moves_inside(const struct endpoint *ep)
{
	return ep->placed && ep->moving && ep->at.place == TSW_PLACE_PORT &&
	       ep->to.place == TSW_PLACE_PORT;
}

static int place_endpoint(struct applying *a, const struct state_endpoint *want,
			  struct endpoint *ep)
{
	const bool inside = moves_inside(ep);
	const struct tsw_fdb first = ep->at;
	struct tsw_endpoint_spec move = {};
	int err = want->host == a->want->own
			  ? endpoint_at_device(a->t, want->dev, ep)
			  : endpoint_at_host(a->t, &a->want->host[want->host].spec.name, ep);

	if (err)
		return err;
	if (want->to == STATE_NONE) {
		ep->moving = inside && !memcmp(&ep->at, &first, sizeof(first));
		return 0;
	}
	if (state_comes(a->want, want))
		memcpy(move.to_dev, want->dev, sizeof(move.to_dev));
	else
		move.to_host = a->want->host[want->to].spec.name;
	return endpoint_moves(a->t, &move, ep);
}

/* Changes an endpoint. EP has its key and its old values. */
static int set_endpoint(struct applying *a, const struct state_endpoint *want, struct endpoint *ep)
{
	const struct tsw_group_list groups = state_members(a->want, want);

	ep->mac = want->mac;
	ep->limits = want->limits;
	ep->options = want->options;
	ep->vip = want->vip;
	ep->macs = want->macs;
	ep->prefix = want->prefix;
	if (member_find(a->t, ep->key.tenant, &groups, &ep->groups))
		return -failure()->code;
	ep->n_ip = want->n_ip;
	if (want->n_ip)
		memcpy(ep->ip, a->want->ip + want->first_ip, want->n_ip * sizeof(ep->ip[0]));
	return place_endpoint(a, want, ep);
}

/*
 * If a tenant could not be made, its parts must not be made in another tenant that has its id,
 * because parts are found by the id alone.
 */
static int check_tenant(const struct applying *a, const struct state_tenant *want)
{
	struct tsw_tenant tenant;
	const int err = map_get(&a->t->maps, MAP_TENANTS, &want->spec.id, &tenant);

	if (!err && !strcmp(tenant.name, want->spec.name.s))
		return 0;
	return fail(err ?: EEXIST, "tenant %s does not exist with id %u", quoted(want->spec.name.s),
		    want->spec.id);
}

static int change_endpoint(struct applying *a, const struct change *c)
{
	const struct state_endpoint *want;
	struct endpoint old, ep;
	int err = 0;

	if (c->what == CHANGE_DEL)
		return del_endpoint(a, &a->have->endpoint[c->have]);
	want = &a->want->endpoint[c->want];
	ep = (struct endpoint){.key = endpoint_key(a->want, want)};
	err = check_tenant(a, &a->want->tenant[want->tenant]);
	if (!err && c->what == CHANGE_SET) {
		err = endpoint_load(a->t, &ep.key, &old);
		ep = old;
	}
	err = err ?: set_endpoint(a, want, &ep);
	return err ?: endpoint_change(a->t, c->what == CHANGE_SET ? &old : NULL, &ep);
}

/* ---- gateways --------------------------------------------------------------------- */

static int set_gateway(struct applying *a, const struct state_gateway *want, struct tsw_gateway *gw)
{
	struct ranks to = {};
	__u32 i;
	int err = want->host == STATE_NONE ? 0 : host_index(a, want->host, &to.host[to.n++]);

	for (i = 0; !err && i < want->n_backups; i++)
		err = host_index(a, want->backup[i], &to.host[to.n++]);
	if (err)
		return err;
	gateway_from_spec(&want->spec, gw);
	gateway_move(gw, &to, 0);
	return 0;
}

static int change_gateway(struct applying *a, const struct change *c)
{
	const bool gone = c->what == CHANGE_DEL;
	const struct state_tenant *tenant =
		gone ? &a->have->tenant[c->have] : &a->want->tenant[c->want];
	struct tsw_gateway old = {}, want;
	int err = c->what == CHANGE_ADD ? 0 : gateway_get(a->t, tenant->spec.id, &old);

	if (err)
		return err;
	if (gone)
		return gateway_del(a->t, tenant->spec.id, &old, true);
	want = old;
	err = check_tenant(a, tenant);
	err = err ?: set_gateway(a, &tenant->gateway, &want);
	if (err)
		return err;
	return gateway_change(a->t, tenant->spec.id, c->what == CHANGE_SET ? &old : NULL, &want);
}

/* ---- published ports and peerings ------------------------------------------------- */

static int change_publish(struct applying *a, const struct change *c)
{
	const struct state *s = c->what == CHANGE_DEL ? a->have : a->want;
	const struct state_publish *p = &s->publish[c->what == CHANGE_DEL ? c->have : c->want];
	const struct publish publish = publish_of(&p->spec, true);
	const struct tsw_name *tenant = &s->tenant[p->tenant].spec.name;

	return c->what == CHANGE_DEL ? publish_del(a->t, tenant, &publish)
				     : publish_add(a->t, tenant, &publish);
}

static int change_peer(struct applying *a, const struct change *c)
{
	const bool gone = c->what == CHANGE_DEL;
	const struct tsw_peer_spec spec =
		state_peer_spec(gone ? a->have : a->want, gone ? c->have : c->want);

	return gone ? peer_del(a->t, &spec.tenant, &spec.with) : spec_peer(a->t, &spec);
}

/* ---- groups and rules ------------------------------------------------------------- */

static int change_group(struct applying *a, const struct change *c)
{
	const struct state *s = c->what == CHANGE_DEL ? a->have : a->want;
	const struct state_group *group = &s->group[c->what == CHANGE_DEL ? c->have : c->want];
	const struct state_tenant *tenant = &s->tenant[group->tenant];
	int err = check_tenant(a, tenant);

	if (err)
		return err;
	return c->what == CHANGE_DEL ? policy_group_del(a->t, &tenant->spec.name, &group->name)
				     : policy_groups_add(a->t, &tenant->spec.name, &group->name, 1);
}

static int change_policy(struct applying *a, const struct change *c)
{
	const struct state *s = c->what == CHANGE_DEL ? a->have : a->want;
	const struct state_policy *p = &s->policy[c->what == CHANGE_DEL ? c->have : c->want];
	const struct state_tenant *tenant = &s->tenant[p->tenant];
	int err = check_tenant(a, tenant);

	if (err)
		return err;
	return c->what == CHANGE_DEL ? spec_policy_del(a->t, &tenant->spec.name, &p->spec.name)
				     : spec_policy(a->t, &tenant->spec.name, &p->spec, ~0ULL,
						   c->what == CHANGE_ADD ? SPEC_ADD : SPEC_PUT);
}

/* ---- the whole -------------------------------------------------------------------- */

static int change(struct applying *a, const struct change *c)
{
	switch (c->object) {
	case OBJECT_SWITCH:
		return c->what == CHANGE_SET ? set_switch(a) : 0;
	case OBJECT_HOST:
		return change_host(a, c);
	case OBJECT_TENANT:
		return change_tenant(a, c);
	case OBJECT_ENDPOINT:
		return change_endpoint(a, c);
	case OBJECT_GATEWAY:
		return change_gateway(a, c);
	case OBJECT_PUBLISH:
		return change_publish(a, c);
	case OBJECT_GROUP:
		return change_group(a, c);
	case OBJECT_POLICY:
		return change_policy(a, c);
	}
	return change_peer(a, c);
}

/* Writes the counts of endpoints before a change of another object, which may read them. */
static int flush_before(struct applying *a, const struct changes *c, size_t i)
{
	if (!i || c->all[i].object == OBJECT_ENDPOINT || c->all[i - 1].object != OBJECT_ENDPOINT)
		return 0;
	return session_flush(a->t);
}

/* Whether the endpoint is on the wanted device already. */
static bool is_there(const struct applying *a, const struct change *c)
{
	return c->what == CHANGE_SET &&
	       a->have->endpoint[c->have].ifindex == a->want->endpoint[c->want].ifindex;
}

/* Makes links for the devices of all endpoints that come here, before the first change. */
static void make_links(const struct applying *a, const struct changes *c)
{
	const struct state_endpoint *ep;
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (c->all[i].object != OBJECT_ENDPOINT || c->all[i].what == CHANGE_DEL)
			continue;
		ep = &a->want->endpoint[c->all[i].want];
		if (ep->ifindex && state_is_own(a->want, ep) && !is_there(a, &c->all[i]))
			early_make(a->t, ep->ifindex);
	}
}

int state_apply(struct tsw *t, const struct state *have, const struct state *want,
		const struct changes *c, size_t *done)
{
	struct applying a = {t, have, want};
	int err = 0;

	make_links(&a, c);
	for (*done = 0; !err && *done < c->n; ++*done) {
		err = flush_before(&a, c, *done);
		err = err ?: change(&a, &c->all[*done]);
		if (err)
			break;
	}
	early_drop(t);
	return err;
}

int state_apply_each(struct tsw *t, const struct state *have, const struct state *want,
		     const struct changes *c, state_done *each, void *context)
{
	struct applying a = {t, have, want};
	size_t i;
	int err;

	for (i = 0; i < c->n; i++) {
		err = flush_before(&a, c, i);
		err = err ?: change(&a, &c->all[i]);
		each(context, &c->all[i], err);
		if (err)
			err = session_open(t); /* settles the change that failed half-way */
		if (err)
			return err;
	}
	return 0;
}
