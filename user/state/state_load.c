// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "record/counters.h"
#include "record/domain.h"
#include "record/endpoint_find.h"
#include "record/fields.h"
#include "record/host_keys.h"
#include "record/nets.h"
#include "record/tenant_find.h"
#include "state/state_load.h"
#include "state/state_load_tenant.h"
#include "state/state_policy.h"
#include "store/closed.h"
#include "wire/crypt.h"
#include "wire/underlay.h"

/* ---- hosts ------------------------------------------------------------------------ */

static __u32 asked_xdp(__u32 asked)
{
	switch (asked) {
	case TSW_XDP_NATIVE:
		return TSW_ASK_XDP_NATIVE;
	case TSW_XDP_GENERIC:
		return TSW_ASK_XDP_GENERIC;
	case TSW_XDP_OFF:
		return TSW_ASK_XDP_OFF;
	}
	return TSW_ASK_XDP_AUTO;
}

static const char *device_name(const struct devices *d, __u32 ifindex)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (d->all[i].ifindex == ifindex)
			return d->all[i].name;
	return NULL;
}

static void encrypt_of(const struct tsw_config *c, const struct tsw_crypt *crypt,
		       struct tsw_switch_spec *up)
{
	if (!(c->flags & TSW_CFG_ENCRYPT)) {
		up->given &= ~FIELD(SWITCH_WG_PORT);
		return;
	}
	up->encrypt =
		crypt->flags & TSW_CRYPT_MIXED ? TSW_ASK_ENCRYPT_MIXED : TSW_ASK_ENCRYPT_WIREGUARD;
	up->wg_port = crypt->port;
}

static struct tsw_switch_spec switch_of(const struct tsw_config *c, const struct devices *d)
{
	struct tsw_switch_spec up = {
		.given = SWITCH_IN_FILE & ~FIELD(SWITCH_ATTACH),
		.port = ntohs(c->port),
		.xdp = asked_xdp(c->xdp_asked),
		.attach = c->attach == TSW_ATTACH_TCX ? TSW_ASK_ATTACH_TCX : TSW_ASK_ATTACH_CLSACT,
		.max_endpoints = c->max_endpoints,
		.max_tenants = c->max_tenants,
	};
	const unsigned int n = underlay_staying(c);
	const char *name;
	unsigned int i;

	for (i = 0; i < n; i++) {
		name = device_name(d, c->underlay[i].ifindex);
		if (name)
			memcpy(up.dev.at[up.dev.n++], name, IFNAMSIZ);
	}
	up.nat_ports = (struct tsw_port_range){c->nat_asked_low, c->nat_asked_high};
	if (c->flags_asked & TSW_ASKED_ATTACH)
		up.given |= FIELD(SWITCH_ATTACH);
	return up;
}

static int load_own(const struct tsw *t, const struct devices *d, struct state *s)
{
	struct state_host *own = list_grow(&s->host, &s->n_hosts, sizeof(*own));
	struct tsw_crypt crypt;
	const __u32 zero = 0;
	int err;

	if (!own)
		return -ENOMEM;
	memcpy(own->spec.name.s, t->config.name, sizeof(own->spec.name.s));
	memcpy(own->spec.ip.of, t->config.local, sizeof(own->spec.ip.of));
	memcpy(own->spec.zone.s, t->config.zone, sizeof(own->spec.zone.s));
	own->spec.ip.preferred = addr_is_none(&own->spec.ip.of[TSW_IPV4]) ? TSW_IPV6 : TSW_IPV4;
	own->up = switch_of(&t->config, d);
	err = map_get(&t->maps, MAP_CRYPT, &zero, &crypt);
	if (!err)
		encrypt_of(&t->config, &crypt, &own->up);
	if (!err)
		err = closed_load(t, &own->up.closed);
	/* For the other hosts, whose file it may be too. */
	return err ?: crypt_own_keys(t, &own->spec.key);
}

/* WHERE: of each host index its place here; this host has index 0. */
static int load_hosts(const struct tsw *t, const struct devices *d, struct state *s, __u32 *where)
{
	cleanup_rows struct rows rows = {};
	struct tsw_host_keys keys;
	struct state_host *host;
	size_t i;
	int err = map_rows(&t->maps, MAP_HOSTS, &rows);

	if (!err)
		err = load_own(t, d, s);
	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_host *its = row_value(&rows, i);

		host = list_grow(&s->host, &s->n_hosts, sizeof(*host));
		if (!host)
			return -ENOMEM;
		memcpy(host->spec.name.s, its->name, sizeof(host->spec.name.s));
		memcpy(host->spec.ip.of, its->addr, sizeof(host->spec.ip.of));
		memcpy(host->spec.zone.s, its->zone, sizeof(host->spec.zone.s));
		host->spec.ip.preferred = its->preferred;
		host->at = *(const __u32 *)row_key(&rows, i);
		err = host_keys_get(t, host->at, &keys);
		host_keys_list(its, &keys, &host->spec.key);
	}
	if (err)
		return err;
	state_sort_hosts(s);
	for (i = 0; i < s->n_hosts; i++)
		if (s->host[i].at <= TSW_MAX_HOSTS)
			where[s->host[i].at] = (__u32)i;
	s->own = where[0];
	return 0;
}

/* ---- endpoints -------------------------------------------------------------------- */

/* Whole maps, and where what is in them. */
struct maps_read {
	struct rows rows[MAP_COUNT];
	struct lookup in[MAP_COUNT];
	struct lookup in_tenants;
	struct policy_groups groups;
};

static const enum map whole[] = {MAP_FDB,     MAP_ADDRS,	MAP_LIMITS,	    MAP_PORTS,
				 MAP_FAIR,    MAP_DESCRIPTIONS, MAP_NETS,	    MAP_MOVES,
				 MAP_DOMAINS, MAP_POLICIES,	MAP_POLICY_MEMBERS, MAP_FLOW_TABLES,
				 MAP_SHARES};

enum { WHOLE = sizeof(whole) / sizeof(whole[0]) };

static int read_maps(const struct tsw *t, const struct tenants *tenants, struct maps_read *m)
{
	struct rows *rows;
	int err = 0, i;

	for (i = 0; !err && i < WHOLE; i++) {
		rows = &m->rows[whole[i]];
		err = map_rows(&t->maps, whole[i], rows);
		if (!err)
			err = lookup_make(&m->in[whole[i]], rows->keys, rows->n, rows->key_size,
					  rows->key_size);
	}
	if (!err)
		err = policy_groups_read(t, 0, &m->groups);
	if (err)
		return err;
	return lookup_make(&m->in_tenants, tenants->row, tenants->n, sizeof(*tenants->row),
			   sizeof(tenants->row->id));
}

static void free_maps(struct maps_read *m)
{
	int i;

	for (i = 0; i < WHOLE; i++) {
		rows_free(&m->rows[whole[i]]);
		lookup_free(&m->in[whole[i]]);
	}
	lookup_free(&m->in_tenants);
	policy_groups_free(&m->groups);
}

/* NULL where it has no entry. */
static const void *find(const struct maps_read *m, enum map map, const void *key)
{
	const size_t i = lookup_find(&m->in[map], key);

	return i == LOOKUP_NONE ? NULL : row_value(&m->rows[map], i);
}

static struct tsw_limits limits_read(const struct maps_read *m, __u32 tenant,
				     const struct tsw_mac *mac)
{
	const struct tsw_limit_key key = {.tenant = tenant, .mac = *mac};
	const struct tsw_limit *limit = find(m, MAP_LIMITS, &key);

	return limit ? limits_of(limit) : (struct tsw_limits){};
}

static struct tsw_limits tenant_limits(const struct maps_read *m, __u32 tenant)
{
	struct tsw_limits limits = limits_read(m, tenant, &limits_tenant);
	const struct tsw_fair *fair = find(m, MAP_FAIR, &tenant);

	limits.connections = fair ? fair->connections : 0;
	limits.half_open = fair ? fair->half_open : 0;
	return limits;
}

static bool has_port(const struct maps_read *m, const struct state_endpoint *ep, __u32 tenant,
		     __u32 ifindex)
{
	const struct tsw_port *port = find(m, MAP_PORTS, &ifindex);

	return port && port->tenant == tenant && mac_equal(&port->mac, &ep->mac);
}

/* The host, which is this one where it is no other that is known. */
static __u32 load_place(const struct maps_read *m, __u32 tenant, const __u32 *where,
			const struct tsw_fdb *at, struct state_endpoint *ep)
{
	if (at->place == TSW_PLACE_HOST && at->id <= TSW_MAX_HOSTS && where[at->id] != STATE_NONE)
		return where[at->id];
	if (at->place == TSW_PLACE_PORT && has_port(m, ep, tenant, at->id))
		ep->ifindex = at->id;
	return where[0];
}

/*
 * Here without a device where it is not known. A move from one device here to another is told by no
 * file: its first place is.
 */
static void load_places(const struct maps_read *m, __u32 tenant, const __u32 *where,
			struct state_endpoint *ep)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = ep->mac};
	const struct tsw_fdb *now = find(m, MAP_FDB, &key) ?: &fdb_nowhere;
	struct tsw_fdb place[PLACES];
	const bool moves = places_of(now, find(m, MAP_MOVES, &key), place) == PLACES;

	ep->host = load_place(m, tenant, where, &place[0], ep);
	ep->to = STATE_NONE;
	if (moves && (place[0].place == TSW_PLACE_HOST || place[1].place == TSW_PLACE_HOST))
		ep->to = load_place(m, tenant, where, &place[1], ep);
}

static int load_ips(const struct maps_read *m, const struct tsw_addr *first, __u32 tenant,
		    struct state *s, struct state_endpoint *ep)
{
	struct tsw_addr_key key = {.tenant = tenant, .addr = *first};
	const struct tsw_addr_owner *owner;
	struct tsw_addr *addr;

	ep->first_ip = s->n_ips;
	/* A damaged list may lead back to itself. */
	while (!addr_is_none(&key.addr) && ep->n_ip < TSW_ENDPOINT_IPS &&
	       !(ep->n_ip && addr_is_among(&key.addr, s->ip + ep->first_ip, ep->n_ip))) {
		owner = find(m, MAP_ADDRS, &key);
		if (!owner || !mac_equal(&owner->mac, &ep->mac))
			break;
		addr = list_grow(&s->ip, &s->n_ips, sizeof(*addr));
		if (!addr)
			return -ENOMEM;
		*addr = key.addr;
		ep->n_ip++;
		key.addr = owner->next;
	}
	return 0;
}

static int load_members(const struct maps_read *m, __u32 tenant, struct state *s,
			struct state_endpoint *ep)
{
	const struct tsw_fdb_key key = {.tenant = tenant, .mac = ep->mac};
	const struct tsw_policy_member *member = find(m, MAP_POLICY_MEMBERS, &key);
	struct tsw_group_list list;

	if (!member)
		return 0;
	list = policy_member_names(&m->groups, tenant, member);
	return state_add_members(s, &list, ep);
}

static int load_endpoint(const struct maps_read *m, const struct tsw_endpoint_key *key,
			 const struct tsw_endpoint *record, const __u32 *where, struct state *s)
{
	const size_t tenant = lookup_find(&m->in_tenants, &key->tenant);
	struct state_endpoint *ep;
	int err;

	if (tenant == LOOKUP_NONE)
		return 0;
	ep = list_grow(&s->endpoint, &s->n_endpoints, sizeof(*ep));
	if (!ep)
		return -ENOMEM;
	ep->name = key->name;
	ep->tenant = (__u32)tenant;
	ep->mac = record->mac;
	ep->pending = record->flags & TSW_ENDPOINT_PENDING;
	ep->options = record->flags & ~TSW_ENDPOINT_PROGRESS;
	ep->limits = limits_read(m, key->tenant, &record->mac);
	load_places(m, key->tenant, where, ep);
	err = load_members(m, key->tenant, s, ep);
	return err ?: load_ips(m, &record->first, key->tenant, s, ep);
}

static int load_endpoints(const struct tsw *t, const struct maps_read *m, const __u32 *where,
			  struct state *s)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_ENDPOINTS, &rows);

	for (i = 0; !err && i < rows.n; i++)
		err = load_endpoint(m, row_key(&rows, i), row_value(&rows, i), where, s);
	return err;
}

static int compare_index(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	return x->ifindex < y->ifindex ? -1 : x->ifindex > y->ifindex;
}

/*
 * The names of the devices of all endpoints here. The kernel takes a device that goes out of
 * MAP_DEVICES: one with its index may be another. That map is not read as a whole: the kernel has
 * no way to.
 */
static int name_devices(const struct tsw *t, const struct devices *d, struct state *s)
{
	struct device *all = calloc(d->n + 1, sizeof(*all)), *found;
	__u32 device;
	size_t i;

	if (!all)
		return fail_memory();
	if (d->n)
		memcpy(all, d->all, d->n * sizeof(*all));
	qsort(all, d->n, sizeof(*all), compare_index);
	for (i = 0; i < s->n_endpoints; i++) {
		const struct device key = {.ifindex = s->endpoint[i].ifindex};

		found = key.ifindex ? bsearch(&key, all, d->n, sizeof(key), compare_index) : NULL;
		if (found && map_get(&t->maps, MAP_DEVICES, &key.ifindex, &device))
			found = NULL;
		s->endpoint[i].ifindex = found ? key.ifindex : 0;
		if (found)
			memcpy(s->endpoint[i].dev, found->name, sizeof(found->name));
	}
	free(all);
	return 0;
}

/* ---- the whole -------------------------------------------------------------------- */

/* Rows are sorted by name already. */
static int load_tenants(const struct tenants *tenants, const struct maps_read *m, struct state *s)
{
	const struct tsw_description *description;
	const struct tsw_flow_table *flows;
	const struct tsw_domain *domain;
	const struct tsw_policy *policy;
	const struct tsw_share *share;
	const struct tsw_nets *nets;
	struct state_tenant *tenant;
	size_t i;

	for (i = 0; i < tenants->n; i++) {
		const struct tsw_tenant *its = &tenants->row[i].tenant;

		tenant = list_grow(&s->tenant, &s->n_tenants, sizeof(*tenant));
		if (!tenant)
			return -ENOMEM;
		tenant_to_spec(its, &tenant->spec);
		tenant->spec.id = tenants->row[i].id;
		tenant->spec.limits = tenant_limits(m, tenant->spec.id);
		description = find(m, MAP_DESCRIPTIONS, &tenant->spec.id);
		if (description)
			tenant->spec.description = *description;
		domain = find(m, MAP_DOMAINS, &tenant->spec.id);
		if (domain)
			tenant->spec.domain = domain_name(its->name, domain);
		policy = find(m, MAP_POLICIES, &tenant->spec.id);
		if (policy)
			policy_to_mode(policy, &tenant->spec);
		flows = find(m, MAP_FLOW_TABLES, &tenant->spec.id);
		if (flows)
			tenant->spec.flow_entries = flows->entries;
		share = find(m, MAP_SHARES, &tenant->spec.id);
		if (share)
			tenant->spec.max_endpoints = share->endpoints;
		nets = find(m, MAP_NETS, &tenant->spec.id);
		if (nets)
			tenant->spec.net = nets_list(nets);
	}
	return 0;
}

int state_load(const struct tsw *t, const struct devices *devices, struct state *s)
{
	cleanup_tenants struct tenants tenants = {};
	__u32 where[TSW_MAX_HOSTS + 1];
	struct maps_read m = {};
	int err = tenants_read(t, &tenants);

	*s = (struct state){.own = STATE_NONE};
	memset(where, 0xff, sizeof(where));
	if (!err)
		err = read_maps(t, &tenants, &m);
	if (!err)
		err = load_hosts(t, devices, s, where);
	if (!err)
		err = load_tenants(&tenants, &m, s);
	if (!err)
		err = load_endpoints(t, &m, where, s);
	if (!err)
		err = name_devices(t, devices, s);
	if (!err)
		err = state_load_gateways(t, &m.in_tenants, where, s);
	if (!err)
		err = state_load_publishes(t, &m.in_tenants, s);
	if (!err)
		err = state_load_peers(t, &m.in_tenants, s);
	if (!err)
		err = state_load_groups(&m.groups, &m.in_tenants, s);
	if (!err)
		err = state_load_policies(t, &m.groups, &m.in_tenants, s);
	free_maps(&m);
	if (!err)
		state_sort_rest(s);
	return err;
}
