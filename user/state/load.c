// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/list.h"
#include "base/text.h"
#include "object/tenant.h"
#include "record/counters.h"
#include "record/endpoint_find.h"
#include "record/fields.h"
#include "record/hosts.h"
#include "state/load.h"
#include "state/load_parts.h"
#include "state/policy.h"
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

struct tsw_switch_spec state_switch_spec(const struct tsw_config *c, const struct tsw_crypt *crypt,
					 const struct devices *d)
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
	encrypt_of(c, crypt, &up);
	return up;
}

static int load_own(struct loading *l, const struct devices *d)
{
	const struct tsw *t = l->t;
	struct state *s = l->s;
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
	err = map_get(&t->maps, MAP_CRYPT, &zero, &crypt);
	if (!err)
		own->up = state_switch_spec(&t->config, &crypt, d);
	err = err ?: closed_load(t, &own->up.closed);
	/* The state has the own key, too, because other hosts may use the same file. */
	return err ?: crypt_own_keys(t, &own->spec.key);
}

static int load_hosts(struct loading *l, const struct devices *d)
{
	cleanup_rows struct rows rows = {};
	struct state *s = l->s;
	struct state_host *host;
	size_t i;
	int err = map_rows(&l->t->maps, MAP_HOSTS, &rows);

	err = err ?: load_own(l, d);
	for (i = 0; !err && i < rows.n; i++) {
		host = list_grow(&s->host, &s->n_hosts, sizeof(*host));
		if (!host)
			return -ENOMEM;
		host->at = *(const __u32 *)row_key(&rows, i);
		err = host_spec_get(l->t, host->at, row_value(&rows, i), &host->spec);
	}
	if (err)
		return err;
	state_sort_hosts(s);
	for (i = 0; i < s->n_hosts; i++)
		if (s->host[i].at <= TSW_MAX_HOSTS)
			l->where[s->host[i].at] = (__u32)i;
	s->own = l->where[0];
	return 0;
}

/* ---- endpoints -------------------------------------------------------------------- */

/* Sets EP's device if the place is on this host. Returns the host, or this one if it is unknown. */
static __u32 load_place(const struct loading *l, const struct tsw_fdb *at, bool has_port,
			struct state_endpoint *ep)
{
	if (at->place == TSW_PLACE_HOST && at->id <= TSW_MAX_HOSTS &&
	    l->where[at->id] != STATE_NONE)
		return l->where[at->id];
	if (at->place == TSW_PLACE_PORT && has_port)
		ep->ifindex = at->id;
	return l->where[0];
}

/* A file cannot describe a move between two devices of one host, so it has the old device. */
static void load_places(const struct loading *l, const struct endpoint *from,
			struct state_endpoint *ep)
{
	ep->host = load_place(l, &from->at, from->placed && from->has_port, ep);
	ep->to = STATE_NONE;
	if (from->moving && (from->at.place == TSW_PLACE_HOST || from->to.place == TSW_PLACE_HOST))
		ep->to = load_place(l, &from->to, from->to_has_port, ep);
}

static int load_ips(const struct endpoint *from, struct state *s, struct state_endpoint *ep)
{
	struct tsw_addr *addr;
	unsigned int i;

	ep->first_ip = s->n_ips;
	ep->n_ip = from->n_ip;
	ep->vip = from->vip;
	ep->macs = from->macs;
	for (i = 0; i < from->n_ip; i++) {
		addr = list_grow(&s->ip, &s->n_ips, sizeof(*addr));
		if (!addr)
			return -ENOMEM;
		*addr = from->ip[i];
	}
	return 0;
}

static int load_endpoint(const struct loading *l, size_t tenant, const struct endpoint *from)
{
	struct state *s = l->s;
	struct state_endpoint *ep = list_grow(&s->endpoint, &s->n_endpoints, sizeof(*ep));
	struct tsw_group_list groups;
	int err = 0;

	if (!ep)
		return -ENOMEM;
	ep->name = from->key.name;
	ep->tenant = (__u32)tenant;
	ep->mac = from->mac;
	ep->pending = from->pending;
	ep->options = from->options;
	ep->limits = from->limits;
	ep->prefix = from->prefix;
	load_places(l, from, ep);
	if (policy_member_any(&from->groups)) {
		groups = policy_member_names(&l->groups, from->key.tenant, &from->groups);
		err = state_add_members(s, &groups, ep);
	}
	return err ?: load_ips(from, s, ep);
}

static int load_endpoints(const struct loading *l)
{
	cleanup_rows struct rows rows = {};
	struct endpoint ep;
	size_t i, tenant;
	int err = map_rows(&l->t->maps, MAP_ENDPOINTS, &rows);

	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_endpoint_key *key = row_key(&rows, i);

		tenant = lookup_find(&l->tenants, &key->tenant);
		if (tenant == LOOKUP_NONE)
			continue;
		err = endpoint_load_rest(l->t, key, row_value(&rows, i), &ep);
		err = err ?: load_endpoint(l, tenant, &ep);
	}
	return err;
}

static int compare_index(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	return x->ifindex < y->ifindex ? -1 : x->ifindex > y->ifindex;
}

/*
 * Sets the names of the devices of this host's endpoints. When a device disappears, the kernel
 * deletes it from MAP_DEVICES. So a device that is not in the map is a new one with an old index.
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

/* The rows of TENANTS are sorted by name, as the state must be. */
static int load_tenants(const struct loading *l, const struct tenants *tenants)
{
	struct state_tenant *tenant;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < tenants->n; i++) {
		tenant = list_grow(&l->s->tenant, &l->s->n_tenants, sizeof(*tenant));
		err = tenant ? tenant_load(l->t, tenants->row[i].id, &tenants->row[i].tenant,
					   &tenant->spec)
			     : -ENOMEM;
	}
	return err;
}

static int load(struct loading *l, const struct devices *devices)
{
	cleanup_tenants struct tenants tenants = {};
	int err = tenants_read(l->t, &tenants);

	err = err
		      ?: lookup_make(&l->tenants, tenants.row, tenants.n, sizeof(*tenants.row),
				     sizeof(tenants.row->id));
	err = err ?: policy_groups_read(l->t, 0, &l->groups);
	err = err ?: load_hosts(l, devices);
	err = err ?: load_tenants(l, &tenants);
	err = err ?: load_endpoints(l);
	err = err ?: name_devices(l->t, devices, l->s);
	err = err ?: state_load_parts(l);
	lookup_free(&l->tenants);
	policy_groups_free(&l->groups);
	return err;
}

int state_load(const struct tsw *t, const struct devices *devices, struct state *s)
{
	cleanup_snapshot struct snapshot maps = {};
	struct tsw view = *t;
	struct loading l = {.t = &view, .s = s};
	int err;

	view.maps.snapshot = &maps;
	*s = (struct state){.own = STATE_NONE};
	memset(l.where, 0xff, sizeof(l.where));
	err = load(&l, devices);
	if (!err)
		state_sort_rest(s);
	return err;
}
