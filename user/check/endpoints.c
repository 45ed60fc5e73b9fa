// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/problem.h"
#include "base/text.h"
#include "check/maps.h"
#include "kernel/link.h"
#include "object/install.h"

const char *orphan_text(const struct tsw *t, const struct tsw_fdb *at)
{
	static _Thread_local char text[128];
	struct link link;
	__u32 device;

	if (!at || !memcmp(at, &fdb_nowhere, sizeof(*at)))
		return "its place is not known";
	if (at->place != TSW_PLACE_PORT || !map_get(&t->maps, MAP_DEVICES, &at->id, &device))
		return NULL;
	if (link_by_index(at->id, &link))
		snprintf(text, sizeof(text), "device %u is gone", at->id);
	else
		snprintf(text, sizeof(text), "device %u is gone, and %s has its number", at->id,
			 quoted(link.name));
	return text;
}

/* The length of the chain of its addresses. A ring gives one more than it has. */
static unsigned int chain_length(const struct snapshot *s, const struct owner *owner)
{
	struct tsw_addr_key key = {.tenant = owner->key.tenant, .addr = owner->record->first};
	const struct tsw_addr_owner *value;
	unsigned int n;

	for (n = 0; n <= owner->addrs && !addr_is_none(&key.addr); n++) {
		value = snapshot_get(s, MAP_ADDRS, &key);
		if (!value || !mac_equal(&value->mac, &owner->key.mac))
			break;
		key.addr = value->next;
	}
	return n;
}

static const char *port_fault(const struct snapshot *s, const struct owner *owner, __u32 ifindex,
			      bool moves)
{
	const struct tsw_tenant *tenant = snapshot_get(s, MAP_TENANTS, &owner->key.tenant);
	const struct tsw_port *port = snapshot_get(s, MAP_PORTS, &ifindex);

	if (!port || port->tenant != owner->key.tenant || !mac_equal(&port->mac, &owner->key.mac))
		return "the entry of its device in tsw_ports is not its own";
	if (!(port->flags & TSW_PORT_GUARD_IP) != addr_is_none(&owner->record->first))
		return "the guard of its device does not match its addresses";
	if (!(port->flags & TSW_PORT_VIP) != !snapshot_get(s, MAP_VIPS, &owner->key))
		return "its device does not match its vips";
	if ((port->flags & endpoint_port_flags(~0U)) != endpoint_port_flags(owner->record->flags))
		return "its device has other options than the endpoint";
	if (tenant && !(port->flags & TSW_PORT_POLICY) != !(tenant->flags & TSW_TENANT_POLICY))
		return "its device does not match its tenant's `policy`";
	if (tenant && !(port->flags & TSW_PORT_FLOWS) != !(tenant->flags & TSW_TENANT_FLOWS))
		return "its device does not match its tenant's `flows`";
	if (!(port->flags & TSW_PORT_MOVES) != !moves)
		return moves ? "its device must hold back frames until it has moved"
			     : "its device holds back frames, but it does not move";
	return NULL;
}

/* The answers of DHCP and DNS find its name by its MAC. */
static bool is_nameless(const struct snapshot *s, const struct tsw_tenant *tenant,
			const struct owner *owner)
{
	const struct tsw_name *name = snapshot_get(s, MAP_NAMES, &owner->key);

	return tenant->flags & TSW_TENANT_ANSWERS &&
	       (!name || memcmp(name, &owner->name->name, sizeof(*name)) != 0);
}

/* Whether tsw_prefixes has each network of the endpoint's list. */
static bool has_prefixes(const struct snapshot *s, const struct owner *owner)
{
	const struct tsw_prefix_set *set = snapshot_get(s, MAP_PREFIX_LISTS, &owner->key);
	const struct tsw_behind *behind;
	struct tsw_prefix_key key;
	__u32 i, n = set ? set->n : 0;

	for (i = 0; i < n && i < TSW_PREFIXES; i++) {
		key = (struct tsw_prefix_key){.len = 32 + set->at[i].len,
					      .of = {owner->key.tenant, set->at[i].addr}};
		behind = snapshot_get(s, MAP_PREFIXES, &key);
		if (!behind || !mac_equal(&behind->mac, &owner->key.mac))
			return false;
	}
	return n == owner->prefixes;
}

static const char *places_fault(const struct snapshot *s, const struct owner *owner,
				const struct tsw_fdb *at)
{
	struct tsw_fdb place[PLACES];
	unsigned int n = places_of(at, snapshot_get(s, MAP_MOVES, &owner->key), place), i;
	const char *text = NULL;

	for (i = 0; !text && i < n; i++) {
		if (place[i].place == TSW_PLACE_PORT)
			text = port_fault(s, owner, place[i].id, n > 1);
		else if (place[i].place == TSW_PLACE_HOST &&
			 !snapshot_get(s, MAP_HOSTS, &place[i].id))
			text = "its host is gone";
	}
	return text;
}

/* NULL: the endpoint is sound. */
static const char *fault(const struct snapshot *s, const struct owner *owner,
			 const struct tsw_fdb *at)
{
	const struct tsw_tenant *tenant = snapshot_get(s, MAP_TENANTS, &owner->key.tenant);

	if (!tenant)
		return "its tenant is gone";
	if (is_nameless(s, tenant, owner))
		return "tsw_names has another name, or none, for its MAC";
	if (chain_length(s, owner) != owner->addrs)
		return "its addresses in tsw_addrs are not one chain";
	if (!has_prefixes(s, owner))
		return "tsw_prefixes does not match the list of networks behind it";
	return at ? places_fault(s, owner, at) : NULL;
}

bool endpoint_is_damaged(const struct tsw *t, const struct snapshot *s, const struct owner *owner)
{
	const struct tsw_fdb *at = snapshot_get(s, MAP_FDB, &owner->key);

	return owner->name && !(owner->record->flags & TSW_ENDPOINT_PENDING) &&
	       !orphan_text(t, at) && fault(s, owner, at) &&
	       snapshot_get(s, MAP_TENANTS, &owner->key.tenant);
}

/* Checks the device of this host to which an endpoint is about to move; NULL: it is sound. */
static const char *goal_fault(const struct tsw *t, const struct snapshot *s,
			      const struct owner *owner, const struct tsw_fdb *at)
{
	const struct tsw_move *move = snapshot_get(s, MAP_MOVES, &owner->key);
	struct tsw_fdb place[PLACES];
	__u32 device;

	if (!at || places_of(at, move, place) != PLACES || place[1].place != TSW_PLACE_PORT ||
	    !memcmp(at, &place[1], sizeof(*at)) ||
	    !map_get(&t->maps, MAP_DEVICES, &place[1].id, &device))
		return NULL;
	return "the device to which it moves is gone: set its place with dev or host";
}

/* TENANT/ENDPOINT, in a static buffer. */
static const char *name_of(const struct snapshot *s, const struct owner *owner)
{
	static _Thread_local char name[2 * TSW_NAME_LEN];

	snprintf(name, sizeof(name), "%s/%.*s", snapshot_tenant(s, owner->key.tenant),
		 TSW_NAME_LEN - 1, owner->name->name.s);
	return name;
}

static void check_endpoint(const struct tsw *t, const struct snapshot *s, const struct owner *owner,
			   json_t *problems)
{
	const struct tsw_fdb *at = snapshot_get(s, MAP_FDB, &owner->key);
	const char *orphan = orphan_text(t, at), *text, *name;

	text = orphan ? NULL : fault(s, owner, at) ?: goal_fault(t, s, owner, at);
	if (!orphan && !text && !(owner->record->flags & TSW_ENDPOINT_PENDING))
		return;
	name = name_of(s, owner);
	if (orphan)
		problem(problems, "orphan_endpoint", name, "%s", orphan);
	else if (owner->record->flags & TSW_ENDPOINT_PENDING)
		problem(problems, "unfinished", name,
			"a command about it was killed; the next command that writes, or switch "
			"repair, completes or removes it");
	else
		problem(problems, "endpoint_entry", name, "%s", text);
}

/* Of two endpoints with one MAC the second is reported; with a gateway's MAC, the endpoint. */
static bool has_twin(const struct owners *owners, size_t i)
{
	const struct owner *owner = &owners->all[i];

	if (i && !memcmp(&owner[-1].key, &owner->key, sizeof(owner->key)))
		return true;
	return i + 1 < owners->n && !owner[1].name &&
	       !memcmp(&owner[1].key, &owner->key, sizeof(owner->key));
}

void check_endpoints(const struct tsw *t, const struct snapshot *s, const struct owners *owners,
		     json_t *problems)
{
	size_t i;

	for (i = 0; i < owners->n; i++) {
		const struct owner *owner = &owners->all[i];

		if (!owner->name)
			continue;
		check_endpoint(t, s, owner, problems);
		if (has_twin(owners, i))
			problem(problems, "endpoint_entry", name_of(s, owner),
				"another endpoint or the gateway also has its MAC %s",
				mac_text(&owner->key.mac));
	}
}
