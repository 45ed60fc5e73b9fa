// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lookup.h"
#include "base/text.h"
#include "object/vip.h"
#include "object/flow_mode.h"
#include "object/install.h"
#include "object/limit.h"
#include "object/named.h"
#include "object/policy_settle.h"
#include "object/port_flags.h"
#include "object/prefix.h"
#include "object/tenant.h"
#include "record/gateway_find.h"
#include "switch/mend.h"

/* The owners of entries, by the key of tsw_fdb: tenant and MAC. */
struct owners {
	struct tsw *t;
	struct tsw_fdb_key *key;
	size_t n;
	struct lookup in; /* of `key` */
	enum map map;	  /* that is swept */
};

static bool is_owner(const struct owners *owners, __u32 tenant, const struct tsw_mac *mac)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = *mac};

	return lookup_find(&owners->in, &key) != LOOKUP_NONE;
}

/* Adds complete gateways; a pending one is half made or half deleted. */
static void add_gateways(const struct rows *gateways, struct owners *owners)
{
	size_t i;

	for (i = 0; i < gateways->n; i++) {
		const struct tsw_gateway *gw = row_value(gateways, i);
		const __u32 tenant = *(const __u32 *)row_key(gateways, i);

		if (!(gw->flags & TSW_GATEWAY_PENDING))
			owners->key[owners->n++] =
				(struct tsw_fdb_key){.tenant = tenant, .mac = gw->mac};
	}
}

static int find_owners(const struct rows *endpoints, struct owners *owners)
{
	cleanup_rows struct rows gateways = {};
	size_t i;
	int err = map_rows(&owners->t->maps, MAP_GATEWAYS, &gateways);

	if (err)
		return err;
	owners->key = calloc(endpoints->n + gateways.n + 1, sizeof(*owners->key));
	if (!owners->key)
		return fail_memory();
	for (i = 0; i < endpoints->n; i++) {
		const struct tsw_endpoint_key *key = row_key(endpoints, i);
		const struct tsw_endpoint *record = row_value(endpoints, i);

		owners->key[i] = (struct tsw_fdb_key){.tenant = key->tenant, .mac = record->mac};
	}
	owners->n = endpoints->n;
	add_gateways(&gateways, owners);
	return lookup_make(&owners->in, owners->key, owners->n, sizeof(*owners->key),
			   sizeof(*owners->key));
}

static int mend_port(struct tsw *t, const struct endpoint *ep, __u32 ifindex,
		     const struct owners *owners)
{
	struct tsw_port port;
	int err = map_get(&t->maps, MAP_PORTS, &ifindex, &port);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (port.tenant != ep->key.tenant || is_owner(owners, port.tenant, &port.mac))
		return 0;
	port.mac = ep->mac;
	return map_put(&t->maps, MAP_PORTS, &ifindex, &port);
}

/* Adds the first address of the endpoint's record if its own entry is not written yet. */
static int take_first(const struct tsw *t, const struct tsw_addr *first, struct endpoint *ep)
{
	const struct tsw_addr_key key = {.tenant = ep->key.tenant, .addr = *first};
	struct tsw_addr_owner owner;
	int err = addr_is_none(first) ? 0 : map_get(&t->maps, MAP_ADDRS, &key, &owner);

	if (err != -ENOENT || ep->n_ip == TSW_ENDPOINT_IPS)
		return err == -ENOENT ? 0 : err;
	memmove(&ep->ip[1], &ep->ip[0], ep->n_ip++ * sizeof(ep->ip[0]));
	ep->ip[0] = *first;
	return 0;
}

/*
 * Mends the ports of an endpoint and their programs, which depend on `xdp`. A program that cannot
 * be attached is left to `switch check`, because no other command may fail for it.
 */
static int mend_ports(struct tsw *t, const struct endpoint *ep)
{
	struct tsw_fdb place[PLACES];
	unsigned int n = endpoint_places(ep, place), i;
	int err = ports_put(t, ep);

	for (i = 0; !err && i < n; i++)
		if (place[i].place == TSW_PLACE_PORT)
			port_mend(t, place[i].id);
	return err;
}

/*
 * Completes a killed change of an endpoint, which lives where tsw_fdb leads. Its addresses and its
 * port may still have its old MAC, and the port its old limits, places and programs.
 */
static int mend_pending(struct tsw *t, struct endpoint *ep, const struct tsw_addr *first,
			const struct owners *owners)
{
	struct tsw_fdb place[PLACES];
	unsigned int n = endpoint_places(ep, place), i;
	bool here = true;
	__u32 device;
	int err = take_first(t, first, ep);

	err = err ?: install_addrs(t, ep);
	for (i = 0; !err && i < n; i++) {
		if (place[i].place != TSW_PLACE_PORT)
			continue;
		err = mend_port(t, ep, place[i].id, owners);
		here &= !map_get(&t->maps, MAP_DEVICES, &place[i].id, &device);
	}
	if (!err)
		err = uninstall(t, ep, ep); /* only ports and addresses that have its MAC */
	if (!err && here)
		err = mend_ports(t, ep);
	/* `switch check` reports an endpoint without a place, and gc deletes it. */
	return err || !ep->placed ? err : install_finish(t, ep);
}

static int mend_all_pending(struct tsw *t, const struct rows *endpoints,
			    const struct owners *owners)
{
	struct endpoint ep;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < endpoints->n; i++) {
		const struct tsw_endpoint *record = row_value(endpoints, i);

		if (!(record->flags & TSW_ENDPOINT_PENDING))
			continue;
		err = endpoint_load(t, row_key(endpoints, i), &ep);
		err = err ?: mend_pending(t, &ep, &record->first, owners);
	}
	return err;
}

/* Deletes the records of endpoints that were being deleted. Their entries then have no owner. */
static int drop_going(void *context, const void *key, const void *value)
{
	const __u32 both = TSW_ENDPOINT_PENDING | TSW_ENDPOINT_GOING;
	const struct owners *owners = context;
	const struct tsw_endpoint *record = value;

	return (record->flags & both) == both ? map_del(&owners->t->maps, MAP_ENDPOINTS, key) : 0;
}

static int drop_mac(void *context, const void *key, const void *value)
{
	const struct owners *owners = context;
	const struct tsw_fdb_key *mac = key;

	(void)value;
	return is_owner(owners, mac->tenant, &mac->mac)
		       ? 0
		       : map_del_any(&owners->t->maps, owners->map, mac);
}

/* Drops moves without an endpoint, and those that a killed command left with one place. */
static int drop_move(void *context, const void *key, const void *value)
{
	const struct owners *owners = context;
	const struct tsw_fdb_key *mac = key;
	struct tsw_fdb at, place[PLACES];
	int err = map_get(&owners->t->maps, MAP_FDB, mac, &at);

	if (err != -ENOENT && (err || (is_owner(owners, mac->tenant, &mac->mac) &&
				       places_of(&at, value, place) == PLACES)))
		return err;
	return map_del(&owners->t->maps, MAP_MOVES, mac);
}

static int drop_port(void *context, const void *key, const void *value)
{
	const struct owners *owners = context;
	const struct tsw_port *port = value;

	return is_owner(owners, port->tenant, &port->mac)
		       ? 0
		       : port_remove(owners->t, *(const __u32 *)key);
}

/* Whether a killed command had removed the address from its gateway. */
static bool is_former(const struct tsw *t, const struct tsw_addr_key *key,
		      const struct tsw_addr_owner *owner)
{
	struct tsw_gateway gw;

	return !gateway_get(t, key->tenant, &gw) && mac_equal(&gw.mac, &owner->mac) &&
	       !gateway_has(&gw, &key->addr);
}

static int drop_addr(void *context, const void *key, const void *value)
{
	const struct owners *owners = context;
	const struct tsw_addr_key *addr = key;
	const struct tsw_addr_owner *owner = value;

	if (owner->kind == TSW_ADDR_VIP)
		return 0; /* vips_settle() mends it */
	if (is_owner(owners, addr->tenant, &owner->mac) && !is_former(owners->t, addr, owner))
		return 0;
	return map_del(&owners->t->maps, MAP_ADDRS, addr);
}

static int drop_binding(void *context, const void *key, const void *value)
{
	const struct owners *owners = context;
	const struct tsw_addr_key *addr = key;
	const struct tsw_binding *binding = value;

	return is_owner(owners, addr->tenant, &binding->mac)
		       ? 0
		       : map_del(&owners->t->maps, MAP_BINDINGS, addr);
}

/* Deletes the entry in tsw_inner of an endpoint that lacks the word `macs`. */
static int drop_inner(void *context, const void *key, const void *value)
{
	const struct owners *owners = context;
	__u32 macs;
	int err = map_get(&owners->t->maps, MAP_MACS, (const struct tsw_fdb_key *)key, &macs);

	(void)value;
	return err == -ENOENT ? map_del(&owners->t->maps, MAP_INNER, key) : err;
}

/* Drops limits of tenants and MACs that are gone. */
static int drop_limit(void *context, const void *key, const void *value)
{
	const struct owners *owners = context;
	const struct tsw_limit_key *limit = key;
	struct tsw_tenant tenant;
	int err = is_owner(owners, limit->tenant, &limit->mac) ? 0 : -ENOENT;

	(void)value;
	if (mac_equal(&limit->mac, &limits_tenant))
		err = map_get(&owners->t->maps, MAP_TENANTS, &limit->tenant, &tenant);
	return err == -ENOENT ? limits_drop(owners->t, limit->tenant, &limit->mac) : err;
}

/* Reserves the MACs of endpoints without a place, so that no other endpoint gets them. */
static int reserve(void *context, const void *key, const void *value)
{
	const struct owners *owners = context;
	const struct tsw_fdb_key mac = {.tenant = ((const struct tsw_endpoint_key *)key)->tenant,
					.mac = ((const struct tsw_endpoint *)value)->mac};
	struct tsw_fdb at;
	int err = map_get(&owners->t->maps, MAP_FDB, &mac, &at);

	return err == -ENOENT ? map_put(&owners->t->maps, MAP_FDB, &mac, &fdb_nowhere) : err;
}

static const struct {
	enum map map;
	map_visit *visit;
} sweeps[] = {{MAP_FDB, drop_mac},	    {MAP_MOVES, drop_move},
	      {MAP_PORTS, drop_port},	    {MAP_ADDRS, drop_addr},
	      {MAP_BINDINGS, drop_binding}, {MAP_BOUND, drop_mac},
	      {MAP_LIMITS, drop_limit},	    {MAP_VIPS, drop_mac},
	      {MAP_MACS, drop_mac},	    {MAP_INNER, drop_inner},
	      {MAP_PREFIX_LISTS, drop_mac}, {MAP_POLICY_MEMBERS, drop_mac}};

static int sweep(struct owners *owners)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(sweeps) / sizeof(sweeps[0]); i++) {
		owners->map = sweeps[i].map;
		err = map_walk(&owners->t->maps, sweeps[i].map, sweeps[i].visit, owners);
	}
	return err;
}

int mend(struct tsw *t)
{
	cleanup_rows struct rows endpoints = {};
	struct owners owners = {.t = t};
	int err = map_walk(&t->maps, MAP_ENDPOINTS, drop_going, &owners);

	err = err ?: map_rows(&t->maps, MAP_ENDPOINTS, &endpoints);
	err = err ?: find_owners(&endpoints, &owners);
	err = err ?: mend_all_pending(t, &endpoints, &owners);
	err = err ?: sweep(&owners);
	err = err ?: vips_settle(t);
	err = err ?: prefixes_settle(t);
	err = err ?: named_settle(t, &endpoints);
	err = err ?: tenant_settle(t);
	err = err ?: limits_flag_ports(t, 0);
	err = err ?: policy_settle(t);
	err = err ?: flows_settle(t);
	err = err ?: port_flags_settle(t);
	err = err ?: map_walk(&t->maps, MAP_ENDPOINTS, reserve, &owners);
	lookup_free(&owners.in);
	free(owners.key);
	return err;
}
