// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "record/endpoint_find.h"
#include "record/gateway_find.h"
#include "record/policy_find.h"
#include "record/prefix_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

const struct tsw_fdb fdb_nowhere = {.place = TSW_PLACE_PORT, .id = 0};

enum { FEW = 4096 }; /* the most endpoints that are searched only for a better message */

static bool equal(const struct tsw_fdb *a, const struct tsw_fdb *b)
{
	return a->place == b->place && a->id == b->id;
}

unsigned int places_of(const struct tsw_fdb *at, const struct tsw_move *move,
		       struct tsw_fdb place[PLACES])
{
	const bool moves = move && (equal(at, &move->from) || equal(at, &move->to));

	place[0] = moves ? move->from : *at;
	if (moves)
		place[1] = move->to;
	return moves ? 2 : 1;
}

unsigned int endpoint_places(const struct endpoint *ep, struct tsw_fdb place[PLACES])
{
	place[0] = ep->at;
	place[1] = ep->to;
	return ep->placed ? 1 + ep->moving : 0;
}

bool endpoint_is_at(const struct endpoint *ep, const struct tsw_fdb *place)
{
	return ep->placed && (equal(&ep->at, place) || (ep->moving && equal(&ep->to, place)));
}

const struct tsw_fdb *endpoint_now(const struct endpoint *ep)
{
	return ep->moving && ep->moved ? &ep->to : &ep->at;
}

const struct tsw_move *moves_find(const struct rows *moves, const struct tsw_fdb_key *key)
{
	size_t i;

	for (i = 0; i < moves->n; i++)
		if (!memcmp(row_key(moves, i), key, sizeof(*key)))
			return row_value(moves, i);
	return NULL;
}

size_t places_hosts(const struct rows *fdb, const struct rows *moves, __u32 *ids)
{
	struct tsw_fdb place[PLACES];
	unsigned int n, k;
	size_t out = 0, i;

	for (i = 0; i < fdb->n; i++) {
		n = places_of(row_value(fdb, i), moves_find(moves, row_key(fdb, i)), place);
		for (k = 0; k < n; k++)
			if (place[k].place == TSW_PLACE_HOST)
				ids[out++] = place[k].id;
	}
	return out;
}

bool endpoint_has_ip(const struct endpoint *ep, const struct tsw_addr *ip)
{
	return addr_is_among(ip, ep->ip, ep->n_ip);
}

static bool is_gateway(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac)
{
	struct tsw_gateway gw;

	return !gateway_get(t, tenant, &gw) && mac_equal(&gw.mac, mac);
}

int endpoint_by_mac(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac,
		    struct tsw_name *name)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_ENDPOINTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_endpoint_key *key = row_key(&rows, i);
		const struct tsw_endpoint *record = row_value(&rows, i);

		if (key->tenant != tenant || !mac_equal(&record->mac, mac))
			continue;
		*name = key->name;
		return 0;
	}
	return err ?: -ENOENT;
}

bool endpoint_may_own(const struct tsw *t, const struct endpoint *ep, const struct tsw_mac *mac)
{
	struct tsw_name unused;

	return mac_equal(mac, &ep->mac) || (ep->pending && !is_gateway(t, ep->key.tenant, mac) &&
					    endpoint_by_mac(t, ep->key.tenant, mac, &unused));
}

/* Finds the addresses that a damaged list does not lead to, by their owner's MAC. */
static int search_addrs(const struct tsw *t, struct endpoint *ep)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_ADDRS, &rows);

	for (i = 0; !err && i < rows.n && ep->n_ip < TSW_ENDPOINT_IPS; i++) {
		const struct tsw_addr_key *key = row_key(&rows, i);
		const struct tsw_addr_owner *owner = row_value(&rows, i);

		if (key->tenant == ep->key.tenant && mac_equal(&owner->mac, &ep->mac) &&
		    owner->kind != TSW_ADDR_VIP && !endpoint_has_ip(ep, &key->addr))
			ep->ip[ep->n_ip++] = key->addr;
	}
	return err;
}

/* Follows the list from FIRST. *WHOLE: it has an end. A damaged one breaks off or is a loop. */
static int walk_addrs(const struct tsw *t, const struct tsw_addr *first, struct endpoint *ep,
		      bool *whole)
{
	struct tsw_addr_key key = {.tenant = ep->key.tenant, .addr = *first};
	struct tsw_addr_owner owner;
	int err = 0;

	while (!addr_is_none(&key.addr) && ep->n_ip < TSW_ENDPOINT_IPS &&
	       !endpoint_has_ip(ep, &key.addr)) {
		err = map_get(&t->maps, MAP_ADDRS, &key, &owner);
		/* While the endpoint's MAC changes, its addresses get the new one by one. */
		if (err || !endpoint_may_own(t, ep, &owner.mac))
			break;
		ep->ip[ep->n_ip++] = key.addr;
		key.addr = owner.next;
	}
	*whole = addr_is_none(&key.addr);
	return err == -ENOENT ? 0 : err;
}

/* Reads the port at that place, whoever has it. Zero: the place has no port. */
static int load_port(const struct tsw *t, const struct tsw_fdb *at, struct tsw_port *port)
{
	*port = (struct tsw_port){};
	return at->place == TSW_PLACE_PORT ? map_get_or_zero(&t->maps, MAP_PORTS, &at->id, port)
					   : 0;
}

static bool is_port_of(const struct tsw_port *port, const struct endpoint *ep)
{
	return port->tenant == ep->key.tenant && mac_equal(&port->mac, &ep->mac);
}

/* Reads where the endpoint lives, and where it moves to. */
static int load_places(const struct tsw *t, struct endpoint *ep)
{
	const struct tsw_fdb_key key = {.tenant = ep->key.tenant, .mac = ep->mac};
	struct tsw_fdb place[PLACES], at;
	struct tsw_move move;
	struct tsw_port port;
	int err = map_get(&t->maps, MAP_FDB, &key, &at);

	if (err || equal(&at, &fdb_nowhere))
		return err == -ENOENT ? 0 : err;
	err = map_get(&t->maps, MAP_MOVES, &key, &move);
	if (err && err != -ENOENT)
		return err;
	ep->moving = places_of(&at, err ? NULL : &move, place) == PLACES;
	ep->placed = true;
	ep->at = place[0];
	err = load_port(t, &ep->at, &port);
	ep->peer = port.flags & (TSW_PORT_PEER | TSW_PORT_XDP);
	ep->netkit = port.flags & TSW_PORT_NETKIT;
	ep->has_port = is_port_of(&port, ep);
	if (err || !ep->moving)
		return err;
	ep->to = place[1];
	ep->moved = equal(&at, &ep->to);
	err = load_port(t, &ep->to, &port);
	ep->to_peer = port.flags & (TSW_PORT_PEER | TSW_PORT_XDP);
	ep->to_netkit = port.flags & TSW_PORT_NETKIT;
	ep->to_has_port = is_port_of(&port, ep);
	return err;
}

__u32 endpoint_peer_flag(__u32 options)
{
	return options & TSW_ENDPOINT_XDP ? TSW_PORT_XDP : TSW_PORT_PEER;
}

bool port_has_xdp_pass(const struct tsw_port *port)
{
	return (port->flags & (TSW_PORT_XDP | TSW_PORT_NETKIT)) == TSW_PORT_XDP;
}

__u32 endpoint_port_flags(__u32 options)
{
	return options & TSW_ENDPOINT_SERVER ? TSW_PORT_SERVER : 0;
}

int endpoint_load(const struct tsw *t, const struct tsw_endpoint_key *key, struct endpoint *ep)
{
	struct tsw_endpoint record;
	int err = map_get(&t->maps, MAP_ENDPOINTS, key, &record);

	if (err)
		return err;
	*ep = (struct endpoint){};
	return endpoint_load_rest(t, key, &record, ep);
}

int endpoint_load_rest(const struct tsw *t, const struct tsw_endpoint_key *key,
		       const struct tsw_endpoint *record, struct endpoint *ep)
{
	const struct tsw_fdb_key who = {.tenant = key->tenant, .mac = record->mac};
	bool whole = false;
	int err;

	memset(ep, 0, offsetof(struct endpoint, ip)); /* `ip` is large and has `n_ip` */
	ep->key = *key;
	ep->mac = record->mac;
	ep->pending = record->flags & TSW_ENDPOINT_PENDING;
	ep->options = record->flags & ~TSW_ENDPOINT_PROGRESS;
	err = load_places(t, ep);
	err = err ?: limits_load(t, key->tenant, &record->mac, &ep->limits);
	err = err ?: policy_member_load(t, key->tenant, &record->mac, &ep->groups);
	err = err ?: vips_load(t, &(struct tsw_fdb_key){key->tenant, record->mac}, &ep->vip);
	err = err ?: map_get_or_zero(&t->maps, MAP_MACS, &who, &ep->macs);
	err = err ?: prefixes_load(t, &who, &ep->prefix);
	err = err ?: walk_addrs(t, &record->first, ep, &whole);
	if (ep->pending && !(record->flags & TSW_ENDPOINT_LISTED))
		whole = false;
	return !err && !whole ? search_addrs(t, ep) : err;
}

/* Finds the name in all tenants. Fails if two tenants have it: the user must give a tenant. */
static int find_anywhere(const struct tsw *t, struct endpoint *ep)
{
	cleanup_rows struct rows tenants = {};
	struct tsw_endpoint_key found = ep->key;
	struct tsw_endpoint record;
	const char *in = NULL;
	size_t i;
	int err = map_rows(&t->maps, MAP_TENANTS, &tenants);

	for (i = 0; !err && i < tenants.n; i++) {
		const struct tsw_tenant *tenant = row_value(&tenants, i);

		found.tenant = *(const __u32 *)row_key(&tenants, i);
		err = map_get(&t->maps, MAP_ENDPOINTS, &found, &record);
		if (err == -ENOENT) {
			err = 0;
			continue;
		}
		if (!err && in)
			return rule_ambiguous(in, tenant->name, found.name.s);
		in = tenant->name;
		ep->key.tenant = found.tenant;
	}
	return err || in ? err : rule_missing("endpoint", ep->key.name.s);
}

int endpoint_find(const struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		  struct endpoint *ep)
{
	struct tsw_endpoint_key key;
	struct tsw_tenant unused;
	int err;

	*ep = (struct endpoint){.key.name = *name};
	if (tenant->s[0])
		err = tenant_find(t, tenant, &ep->key.tenant, &unused);
	else
		err = find_anywhere(t, ep);
	if (err)
		return err;
	key = ep->key;
	err = endpoint_load(t, &key, ep);
	return err == -ENOENT ? rule_lacks(tenant->s, "endpoint", name->s) : err;
}

const char *endpoint_owner_text(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac)
{
	struct tsw_name name;

	if (is_gateway(t, tenant, mac))
		return rule_owner_text(NULL);
	return t->totals.endpoints <= FEW && !endpoint_by_mac(t, tenant, mac, &name)
		       ? rule_owner_text(name.s)
		       : "";
}

int endpoint_check_mac(const struct tsw *t, __u32 tenant, const struct tsw_mac *mac, bool gateway)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = *mac};
	struct tsw_fdb at;
	int err = map_get(&t->maps, MAP_FDB, &key, &at);

	if (err || (gateway && at.place == TSW_PLACE_GATEWAY))
		return err == -ENOENT ? 0 : err;
	return rule_taken(tenant_name_of(t, tenant).s, "MAC", mac_text(mac),
			  endpoint_owner_text(t, tenant, mac));
}

int endpoint_check_room(const struct tsw *t, __u32 fresh)
{
	const __u32 room = maps_addrs(t->config.max_tenants, t->config.max_endpoints);

	if (t->totals.addrs + fresh <= room)
		return 0;
	return fail(ENOSPC,
		    "the switch is full: max-endpoints %u and max-tenants %u allow %u addresses",
		    t->config.max_endpoints, t->config.max_tenants, room);
}

int endpoint_check_addr(const struct tsw *t, const struct tsw_addr_key *key,
			const struct tsw_mac *old, __u32 *fresh)
{
	struct tsw_addr_owner owner = {};
	struct tsw_behind behind = {};
	int err = map_get(&t->maps, MAP_ADDRS, key, &owner);

	if (err == -ENOENT) {
		++*fresh;
		err = prefix_behind(t, key, &behind);
		owner.mac = behind.mac;
	}
	if (err)
		return err == -ENOENT ? 0 : err;
	if (owner.kind == TSW_ADDR_VIP)
		return rule_taken(tenant_name_of(t, key->tenant).s, "address",
				  addr_text(&key->addr), " as a vip");
	if (old && mac_equal(&owner.mac, old))
		return 0;
	return rule_taken(tenant_name_of(t, key->tenant).s, "address", addr_text(&key->addr),
			  endpoint_owner_text(t, key->tenant, &owner.mac));
}
