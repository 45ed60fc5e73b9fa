// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/problem.h"
#include "base/text.h"
#include "check/maps.h"
#include "record/endpoint_find.h"

/* The entries of a map that have no owner; FIRST describes one of them. */
struct stray {
	const char *map;
	size_t n;
	char first[192];
};

static void add_stray(struct stray *stray, const struct snapshot *s, __u32 tenant, const char *fmt,
		      const char *what)
{
	if (stray->n++)
		return;
	snprintf(stray->first, sizeof(stray->first), "%s ", quoted(snapshot_tenant(s, tenant)));
	snprintf(stray->first + strlen(stray->first), 64, fmt, what);
}

static void report_strays(const struct stray *stray, json_t *problems)
{
	if (stray->n)
		problem(problems, "stray_entry", stray->map,
			"%zu entries belong to no endpoint or gateway; the first is of tenant %s",
			stray->n, stray->first);
}

/* Entries by tenant and MAC. If FLAG is set, tenants without it own no entries. */
static void stray_macs(const struct snapshot *s, const struct owners *owners, enum map map,
		       const char *name, __u32 flag, json_t *problems)
{
	const struct rows *rows = &s->rows[map];
	struct stray found = {.map = name};
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const struct tsw_fdb_key *key = row_key(rows, i);
		const struct tsw_tenant *tenant = snapshot_get(s, MAP_TENANTS, &key->tenant);

		if (!owners_find(owners, key->tenant, &key->mac) ||
		    (flag && !(tenant && tenant->flags & flag)))
			add_stray(&found, s, key->tenant, "MAC %s", mac_text(&key->mac));
	}
	report_strays(&found, problems);
}

/* Moves without an owner, or of an endpoint that is at neither place. */
static void stray_moves(const struct snapshot *s, const struct owners *owners, json_t *problems)
{
	const struct rows *rows = &s->rows[MAP_MOVES];
	struct stray found = {.map = "tsw_moves"};
	struct tsw_fdb place[PLACES];
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const struct tsw_fdb_key *key = row_key(rows, i);
		const struct tsw_fdb *at = snapshot_get(s, MAP_FDB, key);

		if (!owners_find(owners, key->tenant, &key->mac) || !at ||
		    places_of(at, row_value(rows, i), place) != PLACES)
			add_stray(&found, s, key->tenant, "MAC %s", mac_text(&key->mac));
	}
	report_strays(&found, problems);
}

static void stray_addrs(const struct snapshot *s, const struct owners *owners, json_t *problems)
{
	const struct rows *rows = &s->rows[MAP_ADDRS];
	struct stray found = {.map = "tsw_addrs"};
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const struct tsw_addr_key *key = row_key(rows, i);
		const struct tsw_addr_owner *value = row_value(rows, i);

		if (!owners_find(owners, key->tenant, &value->mac))
			add_stray(&found, s, key->tenant, "address %s", addr_text(&key->addr));
	}
	report_strays(&found, problems);
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
static void stray_ports(const struct snapshot *s, json_t *problems)
{
	const struct rows *rows = &s->rows[MAP_PORTS];
	struct stray found = {.map = "tsw_ports"};
	char device[32];
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const __u32 ifindex = *(const __u32 *)row_key(rows, i);
		const struct tsw_port *port = row_value(rows, i);
		const struct tsw_fdb_key key = {.tenant = port->tenant, .mac = port->mac};
		const struct tsw_fdb *at = snapshot_get(s, MAP_FDB, &key);
		const struct tsw_move *move = snapshot_get(s, MAP_MOVES, &key);

		snprintf(device, sizeof(device), "%u", ifindex);
		if (!at || !is_one_of(at, move, ifindex))
			add_stray(&found, s, port->tenant, "device %s", device);
	}
	report_strays(&found, problems);
}

static void stray_limits(const struct snapshot *s, const struct owners *owners, json_t *problems)
{
	static const struct tsw_mac none;
	const struct rows *rows = &s->rows[MAP_LIMITS];
	struct stray found = {.map = "tsw_limits"};
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const struct tsw_limit_key *key = row_key(rows, i);

		if (mac_equal(&key->mac, &none) ? !snapshot_get(s, MAP_TENANTS, &key->tenant)
						: !owners_find(owners, key->tenant, &key->mac))
			add_stray(&found, s, key->tenant, "MAC %s", mac_text(&key->mac));
	}
	report_strays(&found, problems);
}

int check_strays(const struct snapshot *s, const struct owners *owners, json_t *problems)
{
	stray_macs(s, owners, MAP_FDB, "tsw_fdb", 0, problems);
	stray_moves(s, owners, problems);
	stray_macs(s, owners, MAP_NAMES, "tsw_names", TSW_TENANT_ANSWERS, problems);
	stray_macs(s, owners, MAP_POLICY_MEMBERS, "tsw_policy_members", 0, problems);
	stray_addrs(s, owners, problems);
	stray_ports(s, problems);
	stray_limits(s, owners, problems);
	return 0;
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

int check_objects(const struct tsw *t, const struct snapshot *s, json_t *problems)
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
	return 0;
}
