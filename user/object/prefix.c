// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "door/routed.h"
#include "object/prefix.h"
#include "object/vip.h"
#include "record/gateway_find.h"
#include "record/nets.h"
#include "record/prefix_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

static struct tsw_prefix_key key_of(__u32 tenant, const struct tsw_prefix *prefix)
{
	return (struct tsw_prefix_key){.len = 32 + prefix->len, .of = {tenant, prefix->addr}};
}

static struct tsw_prefix prefix_of(const struct tsw_prefix_key *key)
{
	return (struct tsw_prefix){.addr = key->of.addr, .len = key->len - 32};
}

static struct tsw_fdb_key owner_of(const struct endpoint *ep)
{
	return (struct tsw_fdb_key){.tenant = ep->key.tenant, .mac = ep->mac};
}

/* ---- checks ----------------------------------------------------------------------- */

/* One network that an endpoint is to get. */
struct asked {
	const struct tsw *t;
	__u32 tenant;
	struct tsw_mac own; /* the MAC by which the maps know the endpoint */
	struct tsw_prefix prefix;
	const struct endpoint *old; /* NULL: a new endpoint */
};

static int refuse(const struct asked *a, const char *what, const char *text,
		  const struct tsw_mac *owner)
{
	return rule_prefix_taken(&a->prefix, tenant_name_of(a->t, a->tenant).s, what, text,
				 endpoint_owner_text(a->t, a->tenant, owner));
}

/* Refuses a network with a vip in it: the vip moves, and the network does not. */
static int refuse_vip(const struct asked *a, const struct tsw_addr *vip)
{
	return rule_prefix_taken(&a->prefix, tenant_name_of(a->t, a->tenant).s, "vip",
				 addr_text(vip), "");
}

static int check_prefix(void *context, const void *key, const void *value)
{
	const struct tsw_behind *behind = value;
	const struct tsw_prefix_key *its = key;
	const struct tsw_prefix other = prefix_of(its);
	const struct asked *a = context;

	if (its->of.tenant != a->tenant || mac_equal(&behind->mac, &a->own) ||
	    !prefix_overlap(&other, &a->prefix))
		return 0;
	return refuse(a, "prefix", prefix_text(&other), &behind->mac);
}

/* A vip of the endpoint alone goes with this change: prefixes_check() refuses one that stays. */
static bool gives_up_vip(const struct asked *a, const struct tsw_addr_key *vip)
{
	return a->old && vips_have(&a->old->vip, &vip->addr) && vip_is_sole(a->t, vip, &a->own);
}

static int check_addr(void *context, const void *key, const void *value)
{
	const struct tsw_addr_owner *owner = value;
	const struct tsw_addr_key *its = key;
	const struct asked *a = context;

	if (its->tenant != a->tenant || !prefix_has(&a->prefix, &its->addr))
		return 0;
	if (owner->kind == TSW_ADDR_VIP)
		return gives_up_vip(a, its) ? 0 : refuse_vip(a, &its->addr);
	if (mac_equal(&owner->mac, &a->own))
		return 0;
	return refuse(a, "address", addr_text(&its->addr), &owner->mac);
}

static int check_peer(void *context, const void *key, const void *value)
{
	const struct tsw_peer_route_key *its = key;
	const struct tsw_prefix network = {.addr = its->addr, .len = its->len - 32};
	const struct tsw_peer_route *route = value;
	const struct asked *a = context;

	if (its->tenant != a->tenant || !prefix_overlap(&network, &a->prefix))
		return 0;
	return rule_prefix_peer(&a->prefix, &network, tenant_name_of(a->t, route->peer).s);
}

static int check_own(const struct asked *a)
{
	struct tsw_prefix_list nets;
	struct tsw_gateway gw = {};
	struct tsw_nets own;
	int err = gateway_get(a->t, a->tenant, &gw);

	err = err == -ENOENT ? 0 : err;
	err = err ?: nets_load(a->t, a->tenant, &own);
	if (err)
		return err;
	nets = nets_list(&own);
	return rule_prefix_own(&a->prefix, gw.addr, gw.n_addrs)
		       ?: rule_prefix_own(&a->prefix, nets.at, nets.n);
}

static int check_one(struct asked *a)
{
	static const struct {
		enum map map;
		map_visit *visit;
	} others[] = {{MAP_PREFIXES, check_prefix},
		      {MAP_ADDRS, check_addr},
		      {MAP_PEER_ROUTES, check_peer}};
	size_t i;
	int err = check_own(a);

	for (i = 0; !err && i < sizeof(others) / sizeof(others[0]); i++)
		err = map_walk(&a->t->maps, others[i].map, others[i].visit, a);
	return err;
}

int prefixes_check(struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	struct asked a = {t, want->key.tenant, old ? old->mac : want->mac, {}, old};
	__u32 i, k;
	int err = rule_prefixes(&want->prefix);

	for (i = 0; !err && i < want->prefix.n; i++) {
		a.prefix = want->prefix.at[i];
		for (k = 0; !err && k < want->vip.n; k++)
			err = prefix_has(&a.prefix, &want->vip.at[k])
				      ? refuse_vip(&a, &want->vip.at[k])
				      : 0;
		if (err)
			break;
		if (!old || !prefixes_have(&old->prefix, &a.prefix))
			err = check_one(&a);
	}
	if (!err && !(old && prefixes_equal(&old->prefix, &want->prefix)))
		err = routed_check_behind(t, want->key.tenant, &want->prefix);
	return err;
}

/* New networks of the tenant itself, or of a peer. */
struct coming {
	__u32 tenant, n;
	const struct tsw_prefix *net;
	const char *peer; /* NULL: its own */
};

static int check_coming(void *context, const void *key, const void *value)
{
	const struct coming *c = context;
	const struct tsw_prefix_key *its = key;
	const struct tsw_prefix prefix = prefix_of(its);
	__u32 i;

	(void)value;
	if (its->of.tenant != c->tenant)
		return 0;
	if (!c->peer)
		return rule_prefix_own(&prefix, c->net, c->n);
	for (i = 0; i < c->n; i++)
		if (prefix_overlap(&prefix, &c->net[i]))
			return rule_prefix_peer(&prefix, &c->net[i], c->peer);
	return 0;
}

int prefixes_check_own(const struct tsw *t, __u32 tenant, const struct tsw_prefix *net, __u32 n)
{
	struct coming c = {tenant, n, net, NULL};

	return n ? map_walk(&t->maps, MAP_PREFIXES, check_coming, &c) : 0;
}

int prefixes_check_nets(struct tsw *t, const struct tsw_tenant_spec *spec)
{
	return prefixes_check_own(t, spec->id, spec->net.at, spec->net.n);
}

int prefixes_check_peer(const struct tsw *t, __u32 tenant, const struct tsw_prefix *net, __u32 n,
			const char *peer)
{
	struct coming c = {tenant, n, net, peer};

	return map_walk(&t->maps, MAP_PREFIXES, check_coming, &c);
}

/* ---- entries ---------------------------------------------------------------------- */

static int put(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
	       const struct tsw_prefix *prefix)
{
	const struct tsw_behind behind = {.mac = *mac, .len = (__u16)prefix->len};
	const struct tsw_prefix_key key = key_of(tenant, prefix);

	return map_put(&t->maps, MAP_PREFIXES, &key, &behind);
}

static int put_list(const struct tsw *t, const struct tsw_fdb_key *who,
		    const struct tsw_prefix_list *list)
{
	struct tsw_prefix_set set = {.n = list->n};

	memcpy(set.at, list->at, list->n * sizeof(set.at[0]));
	return map_store(&t->maps, MAP_PREFIX_LISTS, who, &set);
}

int prefixes_store(const struct tsw *t, const struct endpoint *ep)
{
	const struct tsw_fdb_key who = owner_of(ep);

	return put_list(t, &who, &ep->prefix);
}

int prefixes_install(const struct tsw *t, const struct endpoint *ep)
{
	const struct tsw_fdb_key who = owner_of(ep);
	__u32 i;
	int err = prefixes_store(t, ep);

	for (i = 0; !err && i < ep->prefix.n; i++)
		err = put(t, who.tenant, &who.mac, &ep->prefix.at[i]);
	return err;
}

int prefixes_uninstall(const struct tsw *t, const struct endpoint *old, const struct endpoint *want)
{
	const struct tsw_fdb_key who = owner_of(old);
	struct tsw_prefix_key key;
	struct tsw_behind behind;
	__u32 i;
	int err = 0;

	for (i = 0; !err && i < old->prefix.n; i++) {
		if (want && prefixes_have(&want->prefix, &old->prefix.at[i]))
			continue;
		key = key_of(who.tenant, &old->prefix.at[i]);
		err = map_get(&t->maps, MAP_PREFIXES, &key, &behind);
		if (!err && mac_equal(&behind.mac, &who.mac))
			err = map_del(&t->maps, MAP_PREFIXES, &key);
		err = err == -ENOENT ? 0 : err;
	}
	if (!err && !(want && mac_equal(&want->mac, &who.mac)))
		err = map_del(&t->maps, MAP_PREFIX_LISTS, &who);
	return err;
}

/* Deletes an entry that is in no list. */
static int drop_unlisted(void *context, const void *key, const void *value)
{
	const struct tsw_behind *behind = value;
	const struct tsw_prefix_key *its = key;
	const struct tsw_prefix prefix = prefix_of(its);
	const struct tsw_fdb_key who = {.tenant = its->of.tenant, .mac = behind->mac};
	struct tsw_prefix_list list;
	const struct tsw *t = context;
	int err = prefixes_load(t, &who, &list);

	if (err || prefixes_have(&list, &prefix))
		return err;
	return map_del(&t->maps, MAP_PREFIXES, its);
}

static int put_listed(void *context, const void *key, const void *value)
{
	const struct tsw_prefix_set *set = value;
	const struct tsw_fdb_key *who = key;
	__u32 i;
	int err = 0;

	for (i = 0; !err && i < set->n && i < TSW_PREFIXES; i++)
		err = put(context, who->tenant, &who->mac, &set->at[i]);
	return err;
}

int prefixes_settle(const struct tsw *t)
{
	int err = map_walk(&t->maps, MAP_PREFIXES, drop_unlisted, (void *)t);

	return err ?: map_walk(&t->maps, MAP_PREFIX_LISTS, put_listed, (void *)t);
}
