// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "object/endpoint.h"
#include "object/host.h"
#include "object/publish.h"
#include "record/fields.h"
#include "record/gateway_find.h"
#include "record/share.h"
#include "record/tenant_find.h"
#include "rules/rules.h"
#include "state/apply.h"
#include "state/equal.h"
#include "state/report.h"
#include "wire/underlay.h"

struct refusing {
	struct tsw *t;
	const struct state *have;
	const struct state *want;
};

/* ---- how many there can be -------------------------------------------------------- */

static int refuse_many(const char *what, size_t n, __u32 room)
{
	return fail(ENOSPC, "%zu %s are more than the switch has room for: %u", n, what, room);
}

static int check_room(const struct refusing *r)
{
	const struct tsw_config *c = &r->t->config;
	const __u32 addrs = maps_addrs(c->max_tenants, c->max_endpoints);
	size_t n = r->want->n_ips, i;

	for (i = 0; i < r->want->n_tenants; i++)
		n += r->want->tenant[i].gateway.spec.ip.n;
	if (r->want->n_tenants > c->max_tenants)
		return refuse_many("tenants", r->want->n_tenants, c->max_tenants);
	if (r->want->n_endpoints > c->max_endpoints)
		return refuse_many("endpoints", r->want->n_endpoints, c->max_endpoints);
	if (n > addrs)
		return refuse_many("addresses", n, addrs);
	if (r->want->n_hosts - 1 > TSW_MAX_HOSTS)
		return refuse_many("other hosts", r->want->n_hosts - 1, TSW_MAX_HOSTS);
	return 0;
}

/* How many addresses the endpoints of the tenant have. */
static __u64 addrs_of(const struct state *s, const struct state_tenant *tenant)
{
	__u64 n = 0;
	size_t i;

	for (i = tenant->first; i < tenant->first + tenant->n; i++)
		n += s->endpoint[i].n_ip;
	return n;
}

/* A tenant may keep more endpoints than its share, but not get more of them. */
static int check_shares(const struct refusing *r)
{
	static const struct state_tenant none;
	__u32 i, found, most;
	__u64 addrs;

	for (i = 0; i < r->want->n_tenants; i++) {
		const struct state_tenant *want = &r->want->tenant[i], *have = &none;

		found = state_find_tenant(r->have, want->spec.name.s);
		if (found != STATE_NONE)
			have = &r->have->tenant[found];
		most = share_endpoints(&r->t->config, want->spec.max_endpoints);
		if (want->n > most && want->n > have->n)
			return fail(ENOSPC,
				    "tenant %s: %zu endpoints are more than its share, which is "
				    "%u: give \"max_endpoints\"",
				    quoted(want->spec.name.s), want->n, most);
		addrs = addrs_of(r->want, want);
		if (addrs > share_addrs(&r->t->config, most) && addrs > addrs_of(r->have, have))
			return fail(ENOSPC,
				    "tenant %s: %llu addresses are more than its share, which is "
				    "%u: give \"max_endpoints\", each of which allows %d addresses",
				    quoted(want->spec.name.s), addrs,
				    share_addrs(&r->t->config, most), TSW_ADDRS_PER_ENDPOINT);
	}
	return 0;
}

/* ---- the switch and the way to the hosts ------------------------------------------ */

/* The name of a differing setting that cannot change while the switch is up, or NULL. */
static const char *fixed_setting(const struct state_host *have, const struct state_host *want)
{
	static const enum switch_field fixed[] = {SWITCH_PORT, SWITCH_ATTACH, SWITCH_MAX_ENDPOINTS,
						  SWITCH_MAX_TENANTS};
	const __u64 given = state_told(&want->up);
	int family;
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (!fields_equal(switch_fields, given & FIELD(fixed[i]), &have->up, &want->up))
			return switch_fields[fixed[i]].key;
	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_is_none(&have->spec.ip.of[family]) &&
		    addr_is_none(&want->spec.ip.of[family]))
			return "ip: one address family would be removed";
	return NULL;
}

static int check_underlay(const struct tsw_switch_spec *up)
{
	struct link dev;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < up->dev.n; i++)
		err = link_by_name(up->dev.at[i], &dev);
	return err;
}

static int check_switch(const struct refusing *r)
{
	const struct state_host *have = &r->have->host[r->have->own];
	const struct state_host *want = &r->want->host[r->want->own];
	const char *fixed = fixed_setting(have, want);
	struct tsw_config c = r->t->config;
	struct tsw_switch_spec up = state_up(r->want);
	int err;

	if (fixed)
		return fail(EEXIST,
			    "the switch %s is up with other settings (%s): take it down first",
			    quoted(r->t->instance), fixed);
	err = check_underlay(&want->up);
	if (err || !memcmp(have->spec.ip.of, want->spec.ip.of, sizeof(have->spec.ip.of)))
		return err;
	return underlay_read_locals(&up, &c);
}

/* Sets *FAMILY to that of frames to the host. False: the hosts have no common family. */
static bool family_to(const struct state_host *own, const struct state_host *host,
		      enum tsw_family *family)
{
	*family = host->spec.ip.preferred;
	if (addr_is_none(&own->spec.ip.of[*family]))
		*family = *family == TSW_IPV4 ? TSW_IPV6 : TSW_IPV4;
	return !addr_is_none(&own->spec.ip.of[*family]) &&
	       !addr_is_none(&host->spec.ip.of[*family]);
}

/* The wanted encryption: the setting in the file, or else that of the switch. */
static __u32 encryption(const struct refusing *r)
{
	const struct tsw_switch_spec *want = &r->want->host[r->want->own].up;
	const struct tsw_switch_spec *have = &r->have->host[r->have->own].up;

	return want->given & FIELD(SWITCH_ENCRYPT) ? want->encrypt : have->encrypt;
}

static int check_key(const struct refusing *r, const struct state_host *host)
{
	if (host->spec.key.n || encryption(r) != TSW_ASK_ENCRYPT_WIREGUARD)
		return 0;
	return fail(ENOKEY,
		    "hosts[%u]: host %s has no key, and the switch encrypts: give \"key\", or say "
		    "\"encrypt\": \"wireguard,mixed\"",
		    host->at, quoted(host->spec.name.s));
}

static int check_hosts(const struct refusing *r, enum tsw_family *widest)
{
	const struct state_host *own = &r->want->host[r->want->own];
	enum tsw_family family;
	__u32 i;
	int err;

	*widest = r->want->n_hosts < 2 && addr_is_none(&own->spec.ip.of[TSW_IPV4]) ? TSW_IPV6
										   : TSW_IPV4;
	for (i = 0; i < r->want->n_hosts; i++) {
		if (i == r->want->own)
			continue;
		if (!family_to(own, &r->want->host[i], &family))
			return fail(EADDRNOTAVAIL,
				    "hosts[%u].ip: this host has no address of a family that host "
				    "%s has",
				    r->want->host[i].at, quoted(r->want->host[i].spec.name.s));
		if (family == TSW_IPV6)
			*widest = TSW_IPV6;
		err = check_key(r, &r->want->host[i]);
		if (err)
			return err;
	}
	return 0;
}

/* Fails if a gateway has left the host, which still keeps the gateway's connections. */
static int check_gone_host(const struct refusing *r, const struct change *c)
{
	cleanup_rows struct rows rows = {};
	struct tsw_host host;
	__u32 id;
	size_t i;
	int err = host_find(r->t, &r->have->host[c->have].spec.name, &id, &host);

	err = err ?: map_rows(&r->t->maps, MAP_GATEWAYS, &rows);
	for (i = 0; !err && i < rows.n; i++) {
		const struct tsw_gateway *gw = row_value(&rows, i);

		if (gw->old == id && gateway_drains(gw))
			err = fail(EBUSY,
				   "the host keeps flows of the gateway of tenant %s for another "
				   "%u s",
				   tenant_text(r->t, *(const __u32 *)row_key(&rows, i)),
				   gateway_drains(gw));
	}
	return err;
}

/* ---- frames' lengths -------------------------------------------------------------- */

/* The largest MTU of the tenant that the underlay allows with the wanted hosts. 0: unknown. */
static __u32 mtu_limit(const struct refusing *r, const struct state_tenant *tenant,
		       enum tsw_family widest)
{
	const __u32 mtu = underlay_mtu(r->t), overhead = TSW_OVERHEAD(tenant->spec.encap, widest);

	return mtu > overhead ? mtu - overhead : 0;
}

/* Whether to check the MTU. An unchanged one may exceed an underlay that has shrunk since. */
static bool has_new_mtu(const struct refusing *r, const struct change *c)
{
	const struct state_tenant *have, *want = &r->want->tenant[c->want];

	if (c->what == CHANGE_ADD)
		return want->spec.mtu;
	have = &r->have->tenant[c->have];
	return want->spec.mtu &&
	       (want->spec.mtu != have->spec.mtu || want->spec.encap != have->spec.encap);
}

static int check_tenant(const struct refusing *r, const struct change *c, enum tsw_family widest)
{
	const struct state_tenant *want = &r->want->tenant[c->want];
	const __u32 limit = mtu_limit(r, want, widest);

	const int err = has_new_mtu(r, c) ? rule_mtu(&want->spec, limit) : 0;

	return err ?: rule_burst(&want->spec.limits, want->spec.mtu ?: limit);
}

/* ---- each change ------------------------------------------------------------------ */

static int check_endpoint(const struct refusing *r, const struct change *c, enum tsw_family widest)
{
	const struct state_endpoint *want = &r->want->endpoint[c->want];
	const struct state_tenant *tenant = &r->want->tenant[want->tenant];
	int err = want->limits.burst ? rule_burst(&want->limits,
						  tenant->spec.mtu ?: mtu_limit(r, tenant, widest))
				     : 0;

	return err || !state_is_own(r->want, want) ? err : endpoint_check_device(r->t, want->dev);
}

static int check_publish(const struct refusing *r, const struct change *c)
{
	const struct state_publish *p = &r->want->publish[c->want];
	struct publish publish = publish_of(&p->spec, false);
	const struct state_tenant *tenant = &r->want->tenant[p->tenant];
	size_t i;
	int err = publish_check_port(r->t, &publish);

	/* The switch does not have the endpoint yet, whose runtime may hold the port. */
	for (i = tenant->first; err == -EADDRINUSE && i < tenant->first + tenant->n; i++) {
		const struct state_endpoint *ep = &r->want->endpoint[i];

		if (!ep->ifindex || !state_has_ip(r->want, ep, &p->spec.to.addr))
			continue;
		publish.dev = ep->dev;
		return publish_check_port(r->t, &publish);
	}
	return err;
}

static int check_change(const struct refusing *r, const struct change *c, enum tsw_family widest)
{
	const bool gone = c->what == CHANGE_DEL;

	if (c->object == OBJECT_SWITCH && c->what == CHANGE_SET)
		return check_switch(r);
	if (c->object == OBJECT_HOST && gone)
		return check_gone_host(r, c);
	if (gone)
		return 0;
	if (c->object == OBJECT_TENANT)
		return check_tenant(r, c, widest);
	if (c->object == OBJECT_ENDPOINT)
		return check_endpoint(r, c, widest);
	return c->object == OBJECT_PUBLISH ? check_publish(r, c) : 0;
}

int state_refuse(struct tsw *t, const struct state *have, const struct state *want,
		 const struct changes *c)
{
	const struct refusing r = {t, have, want};
	enum tsw_family widest;
	size_t i;
	int err = check_room(&r);

	err = err ?: check_shares(&r);
	err = err ?: check_hosts(&r, &widest);
	for (i = 0; !err && i < c->n; i++) {
		err = check_change(&r, &c->all[i], widest);
		if (err)
			fail_where("%s: ", escaped(state_change_text(have, want, &c->all[i])));
	}
	return err;
}
