// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"
#include "record/choice.h"
#include "record/fields.h"
#include "record/gateway_find.h"
#include "record/tenant_find.h"
#include "rules/rules.h"

int gateway_get(const struct tsw *t, __u32 tenant, struct tsw_gateway *gw)
{
	return map_get(&t->maps, MAP_GATEWAYS, &tenant, gw);
}

int gateway_find(const struct tsw *t, const struct tsw_name *name, __u32 *id,
		 struct tsw_gateway *gw)
{
	struct tsw_tenant tenant;
	int err = tenant_find(t, name, id, &tenant);

	if (err)
		return err;
	err = gateway_get(t, *id, gw);
	return err == -ENOENT ? rule_no_gateway(name->s) : err;
}

bool gateway_is_served(const struct tsw_gateway *gw)
{
	return !gw->host;
}

bool gateway_is_ready(const struct tsw_gateway *gw)
{
	return gateway_is_served(gw) || gw->flags & TSW_GATEWAY_READY;
}

bool gateway_has_rank(const struct tsw_gateway *gw, __u32 host)
{
	__u32 i;

	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++)
		if (gw->rank[i] == host)
			return true;
	return false;
}

__u32 gateway_drains(const struct tsw_gateway *gw)
{
	const __u64 now = clock_kernel_ns();

	return gw->drain_until > now ? (__u32)((gw->drain_until - now + SECOND_NS - 1) / SECOND_NS)
				     : 0;
}

__u32 gateway_rank(const struct tsw_gateway *gw)
{
	__u32 i;

	for (i = 0; i < gw->n_ranks && i < TSW_GATEWAY_RANKS; i++)
		if (gw->rank[i] == gw->host)
			return i + 1;
	return 0;
}

bool gateway_has(const struct tsw_gateway *gw, const struct tsw_addr *addr)
{
	__u32 i;

	for (i = 0; i < gw->n_addrs; i++)
		if (addr_equal(&gw->addr[i].addr, addr))
			return true;
	return false;
}

struct tsw_gateway_spec gateway_defaults(__u32 tenant)
{
	struct tsw_gateway_spec spec = TSW_GATEWAY_DEFAULTS;

	spec.mac = gateway_mac(tenant);
	return spec;
}

void gateway_to_spec(const struct tsw_gateway *gw, struct tsw_gateway_spec *spec)
{
	*spec = (struct tsw_gateway_spec){.ip.n = gw->n_addrs, .mac = gw->mac};
	fields_from_flags(gateway_fields, gw->flags, spec);
	memcpy(spec->ip.at, gw->addr, sizeof(spec->ip.at));
	memcpy(spec->snat.of, gw->snat, sizeof(spec->snat.of));
	memcpy(spec->resolver.of, gw->resolver, sizeof(spec->resolver.of));
	memcpy(spec->tracking.timeout, gw->timeout, sizeof(spec->tracking.timeout));
}

void gateway_from_spec(const struct tsw_gateway_spec *spec, struct tsw_gateway *gw)
{
	gw->n_addrs = spec->ip.n;
	gw->mac = spec->mac;
	gw->flags = fields_to_flags(gateway_fields, spec, gw->flags);
	memcpy(gw->addr, spec->ip.at, sizeof(gw->addr));
	memcpy(gw->snat, spec->snat.of, sizeof(gw->snat));
	memcpy(gw->resolver, spec->resolver.of, sizeof(gw->resolver));
	memcpy(gw->timeout, spec->tracking.timeout, sizeof(gw->timeout));
}

void gateway_take(const struct tsw_gateway_spec *spec, __u64 given, struct tsw_gateway *gw)
{
	struct tsw_gateway_spec all;

	gateway_to_spec(gw, &all);
	fields_copy(gateway_fields, given, spec, &all);
	gateway_from_spec(&all, gw);
}

/* Endpoints ask at the gateway's address of the resolver's family. It is beyond the gateway. */
static int resolver_agrees(const struct tsw_gateway_spec *spec, enum tsw_family family)
{
	const struct tsw_addr *resolver = &spec->resolver.of[family];
	bool asked = false;
	__u32 i;

	if (addr_is_none(resolver))
		return 0;
	for (i = 0; i < spec->ip.n; i++) {
		if (prefix_has(&spec->ip.at[i], resolver))
			return fail(EINVAL,
				    "resolver %s is in the tenant's own network %s; a resolver "
				    "must be beyond the gateway",
				    addr_text(resolver), prefix_text(&spec->ip.at[i]));
		asked |= addr_family(&spec->ip.at[i].addr) == family;
	}
	return asked ? 0
		     : fail(EINVAL,
			    "resolver %s cannot be asked: the gateway has no %s address of its own",
			    addr_text(resolver), family_text(family));
}

/* Whether the Nth backup is named before: as the host, or as an earlier backup. */
static bool is_before(const struct tsw_gateway_spec *spec, __u32 n)
{
	__u32 i;

	for (i = 0; i < n; i++)
		if (!strcmp(spec->backup.at[i].s, spec->backup.at[n].s))
			return true;
	return !strcmp(spec->host.s, spec->backup.at[n].s);
}

int gateway_hosts_agree(const struct tsw_gateway_spec *spec)
{
	__u32 i;

	for (i = 0; i < spec->backup.n; i++) {
		if (!*spec->host.s || !strcmp(spec->host.s, NO_HOST) ||
		    !strcmp(spec->backup.at[i].s, NO_HOST))
			return misuse("host %s takes no backups: each host serves the gateway "
				      "itself",
				      NO_HOST);
		if (is_before(spec, i))
			return misuse("host %s is given twice", quoted(spec->backup.at[i].s));
	}
	return 0;
}

int gateway_agrees(const struct tsw_gateway_spec *spec)
{
	int family, err = gateway_hosts_agree(spec);

	if (err)
		return err;
	for (family = 0; !spec->nat && family < TSW_FAMILIES; family++)
		if (!addr_is_none(&spec->snat.of[family]))
			return fail(EINVAL,
				    "without nat the tenant leaves with its own addresses, not as "
				    "%s: give snat none with nat off",
				    addr_text(&spec->snat.of[family]));
	for (family = 0; !err && family < TSW_FAMILIES; family++)
		err = resolver_agrees(spec, family);
	return err;
}
