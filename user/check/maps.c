// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "base/problem.h"
#include "base/text.h"
#include "check/maps.h"
#include "record/endpoint_find.h"

/* The entries of a map that have no owner; FIRST describes one of them. */
struct strays {
	const struct snapshot *s;
	const struct owners *owners;
	size_t n;
	char first[192];
};

static void add_stray(struct strays *found, __u32 tenant, const char *what, const char *text)
{
	if (!found->n++)
		snprintf(found->first, sizeof(found->first), "%s %s %s",
			 quoted(snapshot_tenant(found->s, tenant)), what, text);
}

/* Adds the entry if it has no owner, or if IS_STRAY. */
static void stray_mac(struct strays *found, const struct tsw_fdb_key *key, bool is_stray)
{
	if (is_stray || !owners_find(found->owners, key->tenant, &key->mac))
		add_stray(found, key->tenant, "MAC", mac_text(&key->mac));
}

static void look_at_mac(struct strays *found, const void *key, const void *value)
{
	(void)value;
	stray_mac(found, key, false);
}

/* Only tenants for which the programs answer have names. */
static void look_at_name(struct strays *found, const void *key, const void *value)
{
	const struct tsw_tenant *tenant = snapshot_get(found->s, MAP_TENANTS, key);

	(void)value;
	stray_mac(found, key, !tenant || !(tenant->flags & TSW_TENANT_ANSWERS));
}

/* The endpoint must be at one of both places. */
static void look_at_move(struct strays *found, const void *key, const void *value)
{
	const struct tsw_fdb *at = snapshot_get(found->s, MAP_FDB, key);
	struct tsw_fdb place[PLACES];

	stray_mac(found, key, !at || places_of(at, value, place) != PLACES);
}

/* Only an endpoint with the word `macs` may have an entry in tsw_inner. */
static void look_at_inner(struct strays *found, const void *key, const void *value)
{
	(void)value;
	stray_mac(found, key, !snapshot_get(found->s, MAP_MACS, key));
}

static void look_at_addr(struct strays *found, const void *row, const void *value)
{
	const struct tsw_addr_owner *owner = value;
	const struct tsw_addr_key *key = row;

	if (owner->kind == TSW_ADDR_VIP ? !snapshot_get(found->s, MAP_TAKEN, key)
					: !owners_find(found->owners, key->tenant, &owner->mac))
		add_stray(found, key->tenant, "address", addr_text(&key->addr));
}

/* Some endpoint must have the address as a vip, and only such an endpoint may hold it. */
static void look_at_taken(struct strays *found, const void *row, const void *value)
{
	const struct rows *vips = &found->s->rows[MAP_VIPS];
	const struct tsw_addr_owner *owner = snapshot_get(found->s, MAP_ADDRS, row);
	static const struct tsw_mac nobody;
	const struct tsw_addr_key *key = row;
	bool any = false, held = false;
	size_t i;

	(void)value;
	for (i = 0; i < vips->n; i++) {
		const struct tsw_fdb_key *who = row_key(vips, i);

		if (who->tenant != key->tenant || !vips_list(row_value(vips, i), &key->addr))
			continue;
		any = true;
		held |= owner && mac_equal(&who->mac, &owner->mac);
	}
	if (!any || !owner || owner->kind != TSW_ADDR_VIP ||
	    !(held || mac_equal(&owner->mac, &nobody)))
		add_stray(found, key->tenant, "vip", addr_text(&key->addr));
}

/* Each of its addresses must have the entries that programs need. */
static void look_at_vips(struct strays *found, const void *row, const void *value)
{
	const struct tsw_fdb_key *who = row;
	const struct tsw_vips *vips = value;
	struct tsw_addr_key key = {.tenant = who->tenant};
	bool whole = true;
	int i;

	for (i = 0; i < TSW_VIPS && !addr_is_none(&vips->addr[i]); i++) {
		key.addr = vips->addr[i];
		whole &= snapshot_get(found->s, MAP_TAKEN, &key) != NULL;
	}
	stray_mac(found, who, !whole);
}

static void look_at_binding(struct strays *found, const void *row, const void *value)
{
	const struct tsw_binding *binding = value;
	const struct tsw_addr_key *key = row;

	if (!owners_find(found->owners, key->tenant, &binding->mac))
		add_stray(found, key->tenant, "address", addr_text(&key->addr));
}

static void look_at_prefix(struct strays *found, const void *row, const void *value)
{
	const struct tsw_behind *behind = value;
	const struct tsw_prefix_key *key = row;
	const struct tsw_prefix prefix = {.addr = key->of.addr, .len = key->len - 32};

	if (!owners_find(found->owners, key->of.tenant, &behind->mac))
		add_stray(found, key->of.tenant, "prefix", prefix_text(&prefix));
}

/* Whether the endpoint lives at that port, or moves from or to it. */
static bool is_one_of(const struct tsw_fdb *at, const struct tsw_move *move, __u32 ifindex)
{
	struct tsw_fdb place[PLACES];
	unsigned int n = places_of(at, move, place);

	while (n-- > 0)
		if (place[n].place == TSW_PLACE_PORT && place[n].id == ifindex)
			return true;
	return false;
}

/* A port is owned by the endpoint that lives there. */
static void look_at_port(struct strays *found, const void *row, const void *value)
{
	const struct tsw_port *port = value;
	const struct tsw_fdb_key key = {.tenant = port->tenant, .mac = port->mac};
	const struct tsw_fdb *at = snapshot_get(found->s, MAP_FDB, &key);
	const struct tsw_move *move = snapshot_get(found->s, MAP_MOVES, &key);
	const __u32 ifindex = *(const __u32 *)row;
	char device[32];

	snprintf(device, sizeof(device), "%u", ifindex);
	if (!at || !is_one_of(at, move, ifindex))
		add_stray(found, port->tenant, "device", device);
}

static void look_at_limit(struct strays *found, const void *row, const void *value)
{
	const struct tsw_limit_key *key = row;

	(void)value;
	if (mac_equal(&key->mac, &limits_tenant)
		    ? !snapshot_get(found->s, MAP_TENANTS, &key->tenant)
		    : !owners_find(found->owners, key->tenant, &key->mac))
		add_stray(found, key->tenant, "MAC", mac_text(&key->mac));
}

static const struct {
	enum map map;
	void (*look)(struct strays *found, const void *key, const void *value);
} stray_maps[] = {
	{MAP_FDB, look_at_mac},		 {MAP_MOVES, look_at_move},
	{MAP_NAMES, look_at_name},	 {MAP_POLICY_MEMBERS, look_at_mac},
	{MAP_ADDRS, look_at_addr},	 {MAP_PORTS, look_at_port},
	{MAP_BOUND, look_at_mac},	 {MAP_BINDINGS, look_at_binding},
	{MAP_LIMITS, look_at_limit},	 {MAP_VIPS, look_at_vips},
	{MAP_TAKEN, look_at_taken},	 {MAP_MACS, look_at_mac},
	{MAP_INNER, look_at_inner},	 {MAP_PREFIXES, look_at_prefix},
	{MAP_PREFIX_LISTS, look_at_mac},
};

void check_strays(const struct snapshot *s, const struct owners *owners, json_t *problems)
{
	size_t i, row;

	for (i = 0; i < sizeof(stray_maps) / sizeof(stray_maps[0]); i++) {
		const struct rows *rows = &s->rows[stray_maps[i].map];
		struct strays found = {.s = s, .owners = owners};

		for (row = 0; row < rows->n; row++)
			stray_maps[i].look(&found, row_key(rows, row), row_value(rows, row));
		if (found.n)
			problem(problems, "stray_entry", map_name(stray_maps[i].map),
				"%zu entries belong to no endpoint or gateway; the first is of "
				"tenant %s",
				found.n, found.first);
	}
}

/* Each name must lead to an object that has it, and each object must be found by its name. */
static void check_names(const struct snapshot *s, enum map names, enum map objects, size_t offset,
			const char *what, json_t *problems)
{
	const struct rows *rows = &s->rows[names];
	const char *value;
	const __u32 *id;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		value = snapshot_get(s, objects, row_value(rows, i));
		if (!value || strcmp(value + offset, row_key(rows, i)))
			problem(problems, what, row_key(rows, i),
				"the name leads to id %u, which does not have it",
				*(const __u32 *)row_value(rows, i));
	}
	rows = &s->rows[objects];
	for (i = 0; i < rows->n; i++) {
		value = (const char *)row_value(rows, i) + offset;
		id = snapshot_get(s, names, value);
		if (!id || *id != *(const __u32 *)row_key(rows, i))
			problem(problems, what, value, "id %u is not found by its name",
				*(const __u32 *)row_key(rows, i));
	}
}

static void check_vteps(const struct snapshot *s, json_t *problems)
{
	const struct rows *hosts = &s->rows[MAP_HOSTS], *vteps = &s->rows[MAP_VTEPS];
	size_t i;
	int family;

	for (i = 0; i < vteps->n; i++) {
		const struct tsw_addr *addr = row_key(vteps, i);
		const struct tsw_host *host = snapshot_get(s, MAP_HOSTS, row_value(vteps, i));

		if (!host || !addr_equal(&host->addr[addr_family(addr)], addr))
			problem(problems, "host_entry", addr_text(addr),
				"the entry of this address leads to no host that has it");
	}
	for (i = 0; i < hosts->n; i++) {
		const struct tsw_host *host = row_value(hosts, i);

		for (family = 0; family < TSW_FAMILIES; family++)
			if (!addr_is_none(&host->addr[family]) &&
			    !snapshot_get(s, MAP_VTEPS, &host->addr[family]))
				problem(problems, "host_entry", host->name,
					"its address %s does not lead to it",
					addr_text(&host->addr[family]));
	}
}

static bool has_addresses(const struct snapshot *s, __u32 tenant, const struct tsw_gateway *gw)
{
	struct tsw_addr_key key = {.tenant = tenant};
	const struct tsw_addr_owner *owner;
	__u32 i;

	for (i = 0; i < gw->n_addrs; i++) {
		key.addr = gw->addr[i].addr;
		owner = snapshot_get(s, MAP_ADDRS, &key);
		if (!owner || !mac_equal(&owner->mac, &gw->mac))
			return false;
	}
	return true;
}

static bool has_hosts(const struct snapshot *s, const struct tsw_gateway *gw)
{
	__u32 i;

	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++)
		if (gw->rank[i] && !snapshot_get(s, MAP_HOSTS, &gw->rank[i]))
			return false;
	return !gw->host || snapshot_get(s, MAP_HOSTS, &gw->host);
}

static void check_gateway(const struct snapshot *s, __u32 tenant, const struct tsw_gateway *gw,
			  json_t *problems)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = gw->mac};
	const struct tsw_fdb *at = snapshot_get(s, MAP_FDB, &key);
	const struct tsw_mark *mark = snapshot_get(s, MAP_MARKS, &gw->index);
	const char *name = snapshot_tenant(s, tenant);

	if (gw->flags & TSW_GATEWAY_PENDING) {
		problem(problems, "unfinished", name,
			"a command about its gateway was interrupted: repeat it");
		return;
	}
	if (!snapshot_get(s, MAP_TENANTS, &tenant))
		problem(problems, "gateway_entry", name, "the tenant of this gateway is gone");
	if (!at || at->place != TSW_PLACE_GATEWAY || !has_addresses(s, tenant, gw))
		problem(problems, "gateway_entry", name,
			"the MAC or an address of its gateway does not lead to it");
	if (!has_hosts(s, gw))
		problem(problems, "gateway_entry", name,
			"a host that serves its gateway, or is to, does not exist");
	if (gw->index && (!mark || mark->tenant != tenant || mark->peer))
		problem(problems, "gateway_entry", name, "its gateway's index %u is not its own",
			gw->index);
}

void check_objects(const struct tsw *t, const struct snapshot *s, json_t *problems)
{
	const struct rows *rows = &s->rows[MAP_GATEWAYS];
	size_t i;

	if (t->totals.unsettled)
		problem(problems, "unsettled", t->instance,
			"a command was killed; the next command that writes, or switch repair, "
			"completes or undoes its change");
	check_names(s, MAP_TENANT_IDS, MAP_TENANTS, offsetof(struct tsw_tenant, name),
		    "tenant_name", problems);
	check_names(s, MAP_HOST_IDS, MAP_HOSTS, offsetof(struct tsw_host, name), "host_name",
		    problems);
	check_vteps(s, problems);
	for (i = 0; i < rows->n; i++)
		check_gateway(s, *(const __u32 *)row_key(rows, i), row_value(rows, i), problems);
}
